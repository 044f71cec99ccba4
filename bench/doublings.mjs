/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
/**
 * What grows faster than its input: the CPU time of each row at N, 2N, 4N and 8N. Rows whose time more
 * than doubles are marked.
 *
 *     node --expose-gc bench/doublings.mjs [--only=word,…]
 */
import { conversations } from './doublings/conversations.mjs'
import { managers } from './doublings/managers.mjs'
import { outputs } from './doublings/outputs.mjs'
import { patterns } from './doublings/patterns.mjs'
import { prompts } from './doublings/prompts.mjs'
import { sources } from './doublings/sources.mjs'
import { texts } from './doublings/texts.mjs'
import { duration, figure, times } from './figures.mjs'

/**
 * @typedef {object} Row
 * @property {string} name What N counts.
 * @property {(n: number) => (() => unknown) | Promise<() => unknown>} of Prepares one run, which is measured.
 * @property {number} [from] The least N.
 * @property {number} [most] The largest N, 8N of the table.
 */

/** Twice, and what larger memory costs. A quadratic row has four times. */
const MOST = 2.5
/** N is doubled until a run takes this long: shorter ones say nothing. */
const LEAST_MS = 12
/** Nothing is measured beyond this. */
const SLOW_MS = 20_000
const SAMPLES = 3

const milliseconds = ({ user, system }) => (user + system) / 1000

/** The CPU time of the fastest of some runs, threads included. */
async function timeOf(row, n) {
  let fastest = Infinity
  for (let sample = 0; sample < SAMPLES && (sample === 0 || fastest < 1000); sample++) {
    const run = await row.of(n)
    globalThis.gc?.()
    const start = process.cpuUsage()
    await run()
    fastest = Math.min(fastest, milliseconds(process.cpuUsage(start)))
  }
  return fastest
}

/** The times at N, 2N, 4N and 8N, as far as they are bearable. */
async function measure(row) {
  const { from = 250, most = 256_000 } = row
  await timeOf(row, from)
  let n = from
  let time = await timeOf(row, n)
  while (time < LEAST_MS && 16 * n <= most) {
    n *= 2
    time = await timeOf(row, n)
  }
  const all = [time]
  for (let at = 2 * n; at <= 8 * n && all.at(-1) < SLOW_MS; at *= 2) all.push(await timeOf(row, at))
  return { n, all }
}

const only = process.argv
  .find((each) => each.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',')
const rows = [...prompts, ...managers, ...conversations, ...outputs, ...sources, ...texts, ...patterns].filter(
  ({ name }) => only === undefined || only.some((word) => name.includes(word)),
)

console.log(`${rows.length} rows; marked: more than ${MOST} × for twice as many`)
const marked = []
for (const row of rows) {
  const measured = await measure(row).catch((error) => {
    marked.push(row.name)
    console.log(`! ${error}  ${row.name}`)
  })
  if (measured === undefined) continue
  const { n, all } = measured
  const [half, whole] = all.slice(-2)
  let ratio = whole / half
  if (ratio > MOST && whole < SLOW_MS) {
    // Once more: the machine may have had a slow phase.
    const largest = n * 2 ** (all.length - 1)
    const before = await timeOf(row, largest / 2)
    ratio = Math.min(ratio, (await timeOf(row, largest)) / before)
  }
  const isMarked = ratio > MOST && all.at(-1) > LEAST_MS
  if (isMarked) marked.push(row.name)
  const shown = all.map((time) => duration(time).padStart(8)).join(' ')
  console.log(`${isMarked ? '!' : ' '} ${times(ratio).padStart(7)} ${figure(n, 0).padStart(7)} ${shown}  ${row.name}`)
}
console.log(marked.length === 0 ? 'nothing grows faster than its input' : `too fast: ${marked.join('; ')}`)
