/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
/**
 * The cost of adding a message, without prompts: each sample adds several thousand messages to a new
 * conversation.
 *
 *     node --expose-gc bench/adding.mjs [--quick]     the table alone; `npm run bench` has it too
 */
import { pathToFileURL } from 'node:url'
import { bestStatefulJs } from './candidates/best-stateful-js.mjs'
import { lineBytes } from './candidates/line-bytes.mjs'
import { contextManager } from './candidates/promptmason.mjs'
import { PACES, measure } from './measure.mjs'
import { addingTable } from './report.mjs'
import { messagesOf } from './workloads.mjs'

/**
 * @typedef {{ id: string, title: string, kind: 'ascii' | 'cjk', count: number, characters: number, addressed: boolean }} Adding
 * @typedef {Adding & { entries: ({ candidate: string, form: 'add', name: string } & import('./measure.mjs').Timing)[] }} Added
 *   Times are those of all messages together.
 */

const COUNT = 5000
const CHARACTERS = 200

/** A budget that fits all of them, so that the check sees every line. */
const fixed = { systemInstruction: '', teamTask: '', maxBytes: 16 * 1024 * 1024 }

/** @type {Adding[]} */
const ADDINGS = [
  { id: 'add-ascii', title: 'ASCII', kind: 'ascii', addressed: true },
  { id: 'add-ascii-unrouted', title: 'ASCII, no routing', kind: 'ascii', addressed: false },
  { id: 'add-cjk', title: 'CJK', kind: 'cjk', addressed: true },
  { id: 'add-cjk-unrouted', title: 'CJK, no routing', kind: 'cjk', addressed: false },
].map((adding) => Object.assign({ count: COUNT, characters: CHARACTERS }, adding))

/** A message without addressees, in the form that each candidate takes. */
const UNROUTED = {
  ours: ({ from, content }) => ({ speaker: { id: from, name: from, type: 'human' }, content }),
  others: ({ from, content }) => ({ from, to: '', content }),
}

/** The entries to run: each candidate with its own messages, made in advance. */
function entriesOf({ count, kind, characters, addressed }) {
  const messages = messagesOf({ kind, count: count - 1, characters })
  const plain = addressed ? messages : messages.map(UNROUTED.others)
  const own = messages.map(addressed ? contextManager.messageOf : UNROUTED.ours)
  return [
    { candidate: contextManager, name: 'ContextManager.addMessage', messages: own },
    { candidate: bestStatefulJs, name: bestStatefulJs.name, messages: plain },
    { candidate: lineBytes, name: lineBytes.name, messages: plain },
  ].map((entry) => Object.assign(entry, { fresh: true, run: () => conversationOf(entry) }))
}

function conversationOf({ candidate, messages }) {
  const conversation = candidate.start(fixed)
  for (const message of messages) conversation.add(message)
  return conversation
}

/** Checks that the candidates keep the same lines, in prompts or as stored. */
function check({ title }, [ours, stateful, least]) {
  const sameStored = stateful.lines.subarray(0, stateful.end).equals(least.lines.subarray(0, least.end))
  if (!sameStored || !ours.bytes().equals(stateful.bytes()))
    throw new Error(`${title}: the candidates keep different lines`)
}

/**
 * @param {import('./measure.mjs').Pace} pace
 * @returns {Promise<Added[]>}
 */
export async function measureAdding(pace) {
  const measured = []
  for (const adding of ADDINGS) {
    const entries = entriesOf(adding)
    // One instance of each stays alive. Otherwise the collection before a sample frees the hidden
    // classes with the last instance, V8 discards the code optimised for them, and JavaScript takes
    // three times as long, which does not happen in real programs.
    const alive = entries.map(conversationOf)
    check(adding, alive)
    // A sample is always one conversation.
    const timings = await measure(entries, { ...pace, sampleMs: 0 })
    // Used after the measurement, so that they are not collected before.
    check(adding, alive)
    const rows = entries.map((entry) =>
      Object.assign(
        { candidate: entry.candidate.name, form: /** @type {const} */ ('add'), name: entry.name },
        timings.get(entry),
      ),
    )
    measured.push({ ...adding, entries: rows })
  }
  return measured
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(addingTable(await measureAdding(PACES[process.argv.includes('--quick') ? 'quick' : 'full'])))
}
