/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
/**
 * Extra memory of one call: how far above the memory before it the process rises. It is
 * compared with the size of what is returned: the bytes, or the string as V8 stores it.
 *
 * Each figure comes from a process of its own that makes one prompt. Counters of V8 do not see
 * what native code allocates, and the process's size before and after does not see what was
 * freed in between; the kernel sees both, in the highest resident size (VmHWM), which Linux
 * can set back right before the call. Elsewhere the highest size since the start is all there
 * is, so what it says is a lower bound, and marked as such.
 *
 * Three things would falsify it and are kept out:
 * - the first call loads code and tables: a small prompt is made, and one is cut, before;
 * - memory that was freed and not given back would be used again unseen: garbage is collected
 *   before, and malloc is told to give large blocks back at once (MALLOC_MMAP_THRESHOLD_);
 * - pages of the caller's buffer are counted when they are first touched: it is filled before.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { JAVASCRIPT, OWN } from './candidates/index.mjs'
import { FORMS } from './entries.mjs'
import { messagesOf, workloadById } from './workloads.mjs'

const self = fileURLToPath(import.meta.url)

const candidateByName = (name) => [...OWN, ...JAVASCRIPT].find((candidate) => candidate.name === name)

// ---- in the child

const RESET_HIGHEST = '5'

/** The collector gives memory back in the background: during the call it would hide what the call takes. */
const BACKGROUND_WORK_MS = 60

function canReset() {
  try {
    writeFileSync('/proc/self/clear_refs', RESET_HIGHEST)
    return true
  } catch {
    return false
  }
}

const statusBytes = (field) =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024

const highestBytes = (exact) => (exact ? statusBytes('VmHWM') : process.resourceUsage().maxRSS * 1024)

/** A small conversation with a budget that it keeps, and with one that cuts its last message. */
async function touchCode(candidate, form, messages, fixed) {
  for (const maxBytes of [8192, 640]) {
    const conversation = candidate.start({ ...fixed, maxBytes })
    for (const { content, ...rest } of messages.slice(0, 6)) {
      const message = { ...rest, content: content.slice(0, 600) }
      conversation.add(candidate.messageOf ? candidate.messageOf(message) : message)
    }
    await conversation[form](Buffer.alloc(maxBytes))
  }
}

async function measureHere(candidate, form, workload) {
  const { fixed } = workload
  const messages = messagesOf(workload)
  const buffer = Buffer.alloc(fixed.maxBytes, 1)
  await touchCode(candidate, form, messages, fixed)
  const conversation = candidate.start(fixed)
  const own = candidate.messageOf ? messages.map(candidate.messageOf) : messages
  for (const message of own) conversation.add(message)

  // The last resort of the collector also gives empty pages back.
  for (let round = 0; round < 3; round++) globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  await setTimeout(BACKGROUND_WORK_MS)
  const exact = canReset()
  const before = exact ? statusBytes('VmRSS') : process.memoryUsage.rss()
  if (exact) canReset()
  const result = await conversation[form](buffer)
  const highest = highestBytes(exact)
  const size = form === 'into' ? result : storedBytes(result)
  const text = String(form === 'into' ? buffer.subarray(0, result) : result)
  const kept = text.match(/^- /gm)?.length ?? 0
  return { size, messages: kept, extra: Math.max(0, highest - before), exact }
}

/** V8 stores a string with one byte a unit if they are all below 256, with two otherwise. */
function storedBytes(result) {
  if (typeof result !== 'string') return result.length
  return /[^\0-\xff]/.test(result) ? result.length * 2 : result.length
}

// ---- in the parent

function measureInChild(candidate, form, workload) {
  const args = ['--expose-gc', self, candidate.name, form, workload.id]
  const env = { ...process.env, MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '65536' }
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }))
}

const WORKLOADS = { quick: ['cjk', 'huge'], full: ['ascii', 'cjk', 'many-ascii', 'many-cjk', 'huge'] }
const REPEATS = { quick: 1, full: 5 }
const COMPARED = new Set(['linear JS', 'best JS'])

/**
 * @param {'quick' | 'full'} mode
 * @returns {{ workload: string, candidate: string, form: string, size: number, messages: number, extra: number, exact: boolean }[]}
 */
export function measureMemory(mode) {
  const candidates = [...OWN, ...JAVASCRIPT.filter(({ name }) => COMPARED.has(name))]
  const rows = []
  for (const workload of WORKLOADS[mode].map(workloadById)) {
    for (const candidate of candidates) {
      const conversation = candidate.start(workload.fixed)
      for (const form of FORMS.filter((each) => conversation[each])) {
        if (mode === 'quick' && candidate.name === 'best JS') continue
        const measured = Array.from({ length: REPEATS[mode] }, () => measureInChild(candidate, form, workload))
        measured.sort((a, b) => a.extra - b.extra)
        rows.push({ workload: workload.id, candidate: candidate.name, form, ...measured[measured.length >> 1] })
      }
    }
  }
  return rows
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [name, form, id] = process.argv.slice(2)
  console.log(JSON.stringify(await measureHere(candidateByName(name), form, workloadById(id))))
}
