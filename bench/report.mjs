/** The results as tables. */
import { lineBytes } from './candidates/line-bytes.mjs'
import { duration, figure, kilobytes, times } from './figures.mjs'
import { doubling, ratioOf, speed, speedAgainst } from './targets.mjs'

const ratio = (value) => (value === undefined ? '–' : times(value))

/** A table: a head and rows, the first column aligned left, the others right. */
export function table(head, rows) {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const show = (line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join('  ')
  return [show(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(show)].join('\n')
}

/** Half the interquartile range, relative to the median. */
const spread = ({ q1, q3, median, samples }) =>
  samples < 3 ? '–' : `±${(((q3 - q1) / 2 / median) * 100).toFixed(0)} %`

/** One table per form, so that only comparable entries are in one table. */
const TITLES = { string: 'as a string', bytes: 'as a new Buffer', into: "into the caller's buffer" }

const COMPARED = ['linear JS', 'best JS', 'best stateful JS']

/** @param {import('./targets.mjs').Measured & { skipped: { name: string, why: string }[] }} measured */
export function workloadTables(measured) {
  const tables = Object.entries(TITLES).map(([form, title]) => {
    const entries = measured.entries.filter((entry) => entry.form === form)
    const rows = entries
      .toSorted((a, b) => a.median - b.median)
      .map((entry) => {
        const speeds = COMPARED.map((other) => ratio(speedAgainst(measured, [entry.candidate, form], other)))
        return [entry.name, duration(entry.median), spread(entry), String(entry.samples)].concat(speeds)
      })
    return table([title, 'median', 'spread', 'samples', ...COMPARED.map((other) => `speed / ${other}`)], rows)
  })
  const skipped = measured.skipped.map(({ name, why }) => `${name} is left out: ${why}`)
  return [`\n## ${measured.title} (prompt of ${kilobytes(measured.promptBytes)})`, ...tables, ...skipped].join('\n\n')
}

export function historyTable(histories) {
  const rows = histories.map(({ title, name, median, ...timing }) => [
    `${title}, ${name}`,
    duration(median),
    spread({ median, ...timing }),
  ])
  return `\n## The same 768 KB kept of longer histories\n\n${table(['history', 'median', 'spread'], rows)}`
}

const NANOSECONDS_PER_MS = 1e6

/** @param {import('./adding.mjs').Added[]} adding */
export function addingTable(adding) {
  const rows = adding.flatMap((measured) =>
    measured.entries.map((entry) => [
      `${measured.title}: ${entry.name}`,
      `${figure((entry.median / measured.count) * NANOSECONDS_PER_MS)} ns`,
      spread(entry),
      String(entry.samples),
      ratio(speed(measured, [lineBytes.name, 'add'], [entry.candidate, 'add'])),
    ]),
  )
  const head = ['messages and candidate', 'each', 'spread', 'samples', "time / line's bytes"]
  return `\n## Adding messages of 200 characters\n\n${table(head, rows)}`
}

/** @param {import('./tokens.mjs').Tokens} tokens */
export function tokenTables({ first, counted, doubled, missing }) {
  const rows = counted.flatMap((measured) =>
    measured.entries.map((entry) => [
      `${measured.title}: ${entry.name}`,
      // Bytes per millisecond are kilobytes per second.
      `${figure(measured.bytes / entry.median / 1000, 1)} MB/s`,
      spread(entry),
      String(entry.samples),
      ratio(speed(measured, [measured.entries[0].candidate, 'count'], [entry.candidate, 'count'])),
    ]),
  )
  const pieces = doubled.map((measured) => [
    measured.title,
    duration(measured.once.median),
    duration(measured.twice.median),
    times(doubling(measured)),
  ])
  return [
    '\n## Counting tokens by o200k, messages of 1 KB that are new to everybody',
    table(['text and candidate', 'speed', 'spread', 'samples', 'ours / it'], rows),
    ...missing.map((name) => `Not installed: ${name}. To compare with it: npm ci --prefix bench`),
    '## Counting a text that is one piece',
    table(['vocabulary and text', '1 MB', '2 MB', 'twice the text'], pieces),
    `Unpacked on first use: ${first.map(({ vocabulary, ms }) => `${vocabulary} in ${duration(ms)}`).join(', ')}`,
  ].join('\n\n')
}

/** @param {import('./token-budgets.mjs').TokenBudgets} budgets */
export function tokenBudgetTables({ sessions, large, stateless, missing }) {
  const rows = (compared) =>
    compared.flatMap(({ title, entries }) =>
      entries.map((entry) => [
        `${title}: ${entry.name}`,
        duration(entry.median),
        spread(entry),
        String(entry.samples),
        times(ratioOf(entries[0], entry)),
      ]),
    )
  const head = ['text and candidate', 'each', 'spread', 'samples', 'it / the first']
  return [
    '\n## A session: each turn adds 1 KB and makes a prompt of at most 16,000 tokens',
    table(head, rows(sessions)),
    '## A prompt of 200,000 tokens whose messages are counted',
    table(head, rows(large)),
    '## Without state, newest first, at most 16,000 tokens',
    table(head, rows(stateless)),
    ...missing.map((name) => `Not installed: ${name}. To compare with it: npm ci --prefix bench`),
  ].join('\n\n')
}

export function memoryTable(memory) {
  const rows = memory.map(({ workload, candidate, form, size, extra, exact }) => [
    `${workload}: ${candidate}, ${form}`,
    kilobytes(size),
    kilobytes(extra),
    `${exact ? '' : '≥ '}${ratio(extra / size)}`,
  ])
  return `\n## Extra memory of one call\n\n${table(['workload and candidate', 'returned', 'extra', 'extra / returned'], rows)}`
}

export const VERDICTS = new Map([
  [true, 'met'],
  [false, 'MISSED'],
  [null, '–'],
])

export function targetTable(verdicts) {
  const rows = verdicts.map(({ what, bound, measured, met }) => [what, bound, measured, VERDICTS.get(met)])
  const missed = verdicts
    .filter((each) => each.met === false)
    .map(({ what, missed: where }) => `- ${what}: ${where.join('; ')}`)
  const misses = missed.length > 0 ? `\n\nMissed in:\n${missed.join('\n')}` : ''
  return `\n## Targets\n\n${table(['what', 'target', 'measured', ''], rows)}${misses}`
}
