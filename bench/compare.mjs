/**
 * Compares two runs: how many times faster ours is than JavaScript, before and after.
 *
 *     node bench/compare.mjs before.json after.json
 *
 * Ratios are taken within each run, so the runs may have been made under different load. The current
 * targets apply to both runs, even to one that was recorded before they existed.
 */
import { readFileSync } from 'node:fs'
import { figure } from './figures.mjs'
import { VERDICTS, table } from './report.mjs'
import { speedAgainst, verdicts } from './targets.mjs'

const OURS = [
  ['promptmason', 'string'],
  ['promptmason', 'bytes'],
  ['promptmason', 'into'],
  ['ContextManager', 'string'],
  ['ContextManager', 'bytes'],
  ['ContextManager', 'into'],
]
const OTHERS = ['linear JS', 'best JS', 'best stateful JS']
const MISSING = '–'

/** A figure of each run, or a dash if a run does not have it. */
function change(runs, valueOf) {
  const values = runs.map(valueOf)
  if (values.every((value) => value === undefined)) return MISSING
  return `${values.map((value) => (value === undefined ? MISSING : figure(value))).join(' → ')} ×`
}

const byId = (list, id) => list.find((each) => each.id === id)

/** Everything that either run measured, in the order of the later one. */
const idsOf = (lists) => new Set(lists.toReversed().flatMap((list) => list.map(({ id }) => id)))

/** @returns {string[][]} */
function speedRows(runs) {
  return [...idsOf(runs.map(({ workloads }) => workloads))].flatMap((id) =>
    OURS.map((ours) => {
      const cells = OTHERS.map((other) =>
        change(runs, ({ workloads }) => {
          const workload = byId(workloads, id)
          return workload && speedAgainst(workload, ours, other)
        }),
      )
      return [`${id}: ${nameOf(runs, id, ours)}`].concat(cells)
    }),
  )
}

function nameOf(runs, id, [candidate, form]) {
  const entries = runs.flatMap(({ workloads }) => byId(workloads, id)?.entries ?? [])
  return entries.find((entry) => entry.candidate === candidate && entry.form === form)?.name ?? `${candidate}, ${form}`
}

/** Messages are added only to stateful candidates, so most cells are dashes. */
function addingRows(runs) {
  return [...idsOf(runs.map(({ adding }) => adding))].map((id) => {
    const cells = OTHERS.map((other) =>
      change(runs, ({ adding }) => {
        const measured = byId(adding, id)
        return measured && speedAgainst(measured, ['ContextManager', 'add'], other)
      }),
    )
    return [`${id}: ContextManager.addMessage`].concat(cells)
  })
}

/** Verdicts are in the same order in every run. */
function targetRows(runs) {
  const [before, after] = runs.map(({ workloads, histories, memory, adding, tokens, tokenBudgets }) =>
    verdicts(workloads, histories, memory, adding, tokens, tokenBudgets),
  )
  const shown = ({ measured, met }) => (met === null ? measured : `${measured} ${VERDICTS.get(met)}`)
  return before.map((each, index) => [each.what, each.bound, shown(each), shown(after[index])])
}

/** A run as it was written. Older runs have no `adding`, or no `tokens`. */
const read = (file) =>
  Object.assign({ adding: [], tokens: { counted: [], doubled: [] } }, JSON.parse(readFileSync(file, 'utf8')))

const files = process.argv.slice(2)
if (files.length !== 2) {
  console.error('Usage: node bench/compare.mjs before.json after.json')
  process.exit(1)
}
const runs = files.map(read)
for (const [index, { mode, machine }] of runs.entries()) {
  console.log(
    `${index === 0 ? 'before' : 'after'}: ${files[index]}, ${mode} run, node ${machine.node}, ${machine.cores} × ${machine.cpu}`,
  )
}
const speeds = OTHERS.map((other) => `speed / ${other}`)
console.log(`\n${table(['before → after'].concat(speeds), [...speedRows(runs), ...addingRows(runs)])}`)
console.log(`\n${table(['target', 'bound', 'before', 'after'], targetRows(runs))}`)
