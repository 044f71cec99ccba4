/**
 * Checks, before anything is measured, that all candidates do the same work:
 * - Ours and all JavaScript candidates return the same bytes, in every form, on every workload (in
 *   sessions after every turn, in the quick run after some).
 * - Peers keep the same messages. Their prompt is built from what they kept, in the same layout, so
 *   bytes are compared here too: one message more or less would give a different prompt.
 */
/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { JAVASCRIPT, OWN, loadPeers } from './candidates/index.mjs'
import { entriesOf } from './entries.mjs'
import { HISTORIES, WORKLOADS, messagesOf } from './workloads.mjs'

const digest = (bytes) => createHash('sha1').update(bytes).digest('hex')

/** The output of one entry: the size of its last prompt, and a fingerprint of all of them. */
async function outcome(entry, stride) {
  const seen = createHash('sha1')
  let bytes = 0
  await entry.replay((prompt) => {
    bytes = prompt.length
    seen.update(digest(prompt))
  }, stride)
  return { bytes, fingerprint: seen.digest('hex') }
}

/**
 * Checks one workload's entries, and throws if they differ. Returns the size of the prompt.
 * @param {import('./workloads.mjs').Workload} workload
 * @param {import('./entries.mjs').Entry[]} entries
 * @param {number} [stride] In sessions, check only every n-th turn.
 */
export async function check(workload, entries, stride = 1) {
  let expected
  for (const entry of entries) {
    const start = performance.now()
    const actual = await outcome(entry, stride)
    entry.checkMs = performance.now() - start
    expected ??= actual
    if (actual.fingerprint !== expected.fingerprint) {
      throw new Error(
        `${workload.title}: ${entry.name} (${entry.form}) does not answer what ${entries[0].name} does: ` +
          `${actual.bytes} bytes, not ${expected.bytes}`,
      )
    }
    if (expected.bytes > workload.fixed.maxBytes) throw new Error(`${workload.title}: over budget`)
  }
  return expected.bytes
}

async function checkAll() {
  const { peers, missing } = await loadPeers()
  for (const workload of [...WORKLOADS, ...HISTORIES]) {
    const messages = messagesOf(workload)
    const candidates = [...OWN, ...JAVASCRIPT, ...peers].filter((candidate) => !candidate.skip?.(workload))
    const entries = candidates.flatMap((candidate) => entriesOf(candidate, workload, messages))
    const bytes = await check(workload, entries)
    console.log(`${workload.title}: ${entries.length} entries agree on ${bytes} bytes`)
  }
  if (missing.length > 0) console.log(`Not installed, not checked: ${missing.join(', ')}`)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await checkAll()
