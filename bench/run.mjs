/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
/**
 * The benchmark: checks, measures, prints, and writes results.json and the chart.
 *
 *   node --expose-gc bench/run.mjs             a few minutes
 *   node --expose-gc bench/run.mjs --quick     under a minute; writes results-quick.json and no chart
 *   … --only=cjk,huge                          some workloads, printed and not written
 *   … --portable                               without vector instructions, printed and not written
 */
import { writeFileSync } from 'node:fs'
import os from 'node:os'
import native from '../binding.js'
import { measureAdding } from './adding.mjs'
import { drawChart } from './chart.mjs'
import { JAVASCRIPT, OWN, loadPeers } from './candidates/index.mjs'
import { contextManager } from './candidates/promptmason.mjs'
import { check } from './check.mjs'
import { entriesOf } from './entries.mjs'
import { floorEntry } from './floor.mjs'
import { PACES, measure } from './measure.mjs'
import { measureMemory } from './memory.mjs'
import {
  addingTable,
  historyTable,
  memoryTable,
  targetTable,
  tokenBudgetTables,
  tokenTables,
  workloadTables,
} from './report.mjs'
import { verdicts } from './targets.mjs'
import { measureTokenBudgets } from './token-budgets.mjs'
import { measureTokens } from './tokens.mjs'
import { HISTORIES, WORKLOADS, messagesOf } from './workloads.mjs'

const RESULTS = new URL('results.json', import.meta.url)
const QUICK_RESULTS = new URL('results-quick.json', import.meta.url)

/** In sessions, the quick run compares only the prompts of every n-th turn. */
const QUICK_STRIDE = 40

const args = process.argv.slice(2)
const mode = args.includes('--quick') ? 'quick' : 'full'
const only = args
  .find((arg) => arg.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',')
const isPortable = args.includes('--portable')
if (isPortable) native.useOnlyPortableTranscoder(true)
const pace = PACES[mode]
const stride = mode === 'quick' ? QUICK_STRIDE : 1

const { peers, missing } = await loadPeers()
const candidates = [...OWN, ...JAVASCRIPT, ...peers]

async function measureWorkload(workload) {
  const messages = messagesOf(workload)
  const able = candidates.filter((candidate) => !candidate.skip?.(workload))
  const entries = able.flatMap((candidate) => entriesOf(candidate, workload, messages))
  const promptBytes = await check(workload, entries, stride)
  // Returns no prompt, so there is nothing to check.
  entries.push(floorEntry(workload, messages))
  const timings = await measure(entries, pace)
  const { id, title, kind, characters } = workload
  return {
    id,
    title,
    kind,
    characters,
    promptBytes,
    entries: entries.map((entry) => row(entry, timings)),
    skipped: candidates.flatMap((candidate) => {
      const why = candidate.skip?.(workload)
      return why ? [{ name: candidate.name, why }] : []
    }),
  }
}

const row = (entry, timings) =>
  Object.assign({ candidate: entry.candidate.name, form: entry.form, name: entry.name }, timings.get(entry))

/** All lengths in one group, so that they alternate too. */
async function measureHistories() {
  const groups = HISTORIES.map((workload) => ({ workload, entries: entriesOf(contextManager, workload) }))
  const timings = await measure(
    groups.flatMap(({ entries }) => entries),
    pace,
  )
  return groups.flatMap(({ workload: { id, title }, entries }) =>
    entries.map((entry) => Object.assign({ id, title }, row(entry, timings))),
  )
}

const machine = {
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: os.cpus()[0]?.model,
  cores: os.cpus().length,
}
console.log(
  `promptmason benchmark, ${mode}${isPortable ? ', without vector instructions' : ''}: node ${machine.node}, ${machine.platform}, ${machine.cores} × ${machine.cpu}`,
)
if (!globalThis.gc) console.log('Without --expose-gc garbage of one candidate may be collected at the cost of another.')
if (missing.length > 0) console.log(`Not installed: ${missing.join(', ')}. To compare with them: npm ci --prefix bench`)
console.log(
  'Before each measurement, the prompts of ours and of all JavaScript candidates are compared byte for byte;\n' +
    'peers keep the same messages, which the same comparison shows, because their prompt is made of what they kept.',
)

const workloads = []
for (const workload of WORKLOADS.filter(({ id }) => !only || only.includes(id))) {
  const measured = await measureWorkload(workload)
  console.log(workloadTables(measured))
  workloads.push(measured)
}

if (!only && !isPortable) {
  const histories = await measureHistories()
  console.log(historyTable(histories))
  const adding = await measureAdding(pace)
  console.log(addingTable(adding))
  const tokens = await measureTokens(mode)
  console.log(tokenTables(tokens))
  const tokenBudgets = await measureTokenBudgets(mode)
  console.log(tokenBudgetTables(tokenBudgets))
  const memory = measureMemory(mode)
  console.log(memoryTable(memory))
  const targets = verdicts(workloads, histories, memory, adding, tokens, tokenBudgets)
  console.log(targetTable(targets))

  const results = { mode, machine, workloads, histories, adding, tokens, tokenBudgets, memory, targets }
  const file = mode === 'quick' ? QUICK_RESULTS : RESULTS
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  if (mode === 'full') drawChart(results)
}
