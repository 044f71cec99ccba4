/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
/**
 * Extra memory of one call: how far the process grows above its size before the call, compared with
 * the size of the result: the bytes, or the string as V8 stores it.
 *
 * Each figure comes from a separate process that makes one prompt. V8's counters miss what native
 * code allocates, and the sizes before and after miss what was freed in between. The peak resident
 * size (VmHWM) includes both, and Linux can reset it right before the call. Other systems only have
 * the peak since the start, so their figures are lower bounds, and marked as such.
 *
 * Three effects would distort the figures and are avoided:
 * - The first call loads code and tables, so a small prompt is made and another one cut beforehand.
 * - Memory that was freed but not returned to the system could be reused unnoticed, so garbage is
 *   collected beforehand, and malloc returns large blocks at once (MALLOC_MMAP_THRESHOLD_).
 * - Pages of the caller's buffer count when they are first touched, so it is filled beforehand.
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

/** The collector returns memory in the background. During the call, this would hide what the call takes. */
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

/** A small conversation with a budget that it fits, and with one that cuts its last message. */
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

  // A last-resort collection also returns empty pages.
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

/** V8 stores a string with one byte per unit if all units are below 256, otherwise with two. */
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
