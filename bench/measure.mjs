/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
/**
 * Measures entries in rounds: each round runs every entry once, in a new random order, so that a slow
 * phase of the machine, or garbage from another entry, affects all alike.
 */

import { setImmediate } from 'node:timers/promises'

/**
 * @typedef {object} Pace
 * @property {number} budgetMs What all rounds of one group may take together.
 * @property {number} sampleMs What one sample should take: short calls are repeated that long.
 * @property {number} leastRounds
 * @property {number} mostRounds
 * @property {number} slowMs An entry that takes longer is measured `slowRounds` times.
 * @property {number} slowRounds
 * @typedef {{ median: number, q1: number, q3: number, samples: number, repeats: number, times: number[] }} Timing
 *   In milliseconds. `times` are in the order of the rounds.
 */

/** @type {Record<'quick' | 'full', Pace>} */
export const PACES = {
  quick: { budgetMs: 1300, sampleMs: 3, leastRounds: 3, mostRounds: 15, slowMs: 700, slowRounds: 1 },
  full: { budgetMs: 12_000, sampleMs: 12, leastRounds: 9, mostRounds: 41, slowMs: 1500, slowRounds: 3 },
}

const LEAST_WARM_UP_CALLS = 2
const WARM_UP_SAMPLES = 4

/** Receives the results, so that no call is optimised away. */
let sink

/** The time of a call, as the mean of several in a row. */
async function timed(entry, repeats) {
  const start = process.hrtime.bigint()
  for (let call = 0; call < repeats; call++) {
    sink = entry.run()
    // Only peers are asynchronous; the others do not pay for a promise.
    if (sink instanceof Promise) sink = await sink
  }
  const elapsed = Number(process.hrtime.bigint() - start)
  sink = undefined
  return elapsed / 1e6 / repeats
}

async function sample(entry, repeats) {
  globalThis.gc?.()
  // Native memory of collected objects is freed on the next turn of the event loop.
  if (entry.fresh) await setImmediate()
  // After a collection, caches are cold; short calls would mostly measure that.
  if (repeats > 1) await timed(entry, 1)
  return timed(entry, repeats)
}

/** How many calls fill a sample, based on the fastest of many: the first ones run uncompiled. */
async function warmUp(entry, pace) {
  // A session warms up by itself. The check has already measured the slow ones.
  if (entry.session) return { repeats: 1 }
  if (entry.checkMs > pace.slowMs) return { repeats: 1, slowMs: entry.checkMs }
  let fastest = Infinity
  const end = performance.now() + pace.sampleMs * WARM_UP_SAMPLES
  for (let call = 0; call < LEAST_WARM_UP_CALLS || performance.now() < end; call++) {
    fastest = Math.min(fastest, await timed(entry, 1))
  }
  return { repeats: Math.max(1, Math.round(pace.sampleMs / fastest)) }
}

/** The CPU time of `run`, in milliseconds. */
export function cpuTime(run) {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

export function shuffle(list) {
  const shuffled = [...list]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    const swapped = shuffled[last]
    shuffled[last] = shuffled[other]
    shuffled[other] = swapped
  }
  return shuffled
}

export function quantile(sorted, share) {
  const place = (sorted.length - 1) * share
  const low = Math.floor(place)
  const high = Math.ceil(place)
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
}

/**
 * @template {{ run: () => unknown, checkMs?: number, session?: boolean, fresh?: boolean }} E
 * @param {E[]} entries `fresh` ones fill new memory in each sample, after that of the previous ones was freed.
 * @param {Pace} pace
 * @returns {Promise<Map<E, Timing>>}
 */
export async function measure(entries, pace) {
  const states = []
  for (const entry of entries) {
    const { repeats, slowMs } = await warmUp(entry, pace)
    states.push({ entry, repeats, slow: slowMs !== undefined, times: slowMs === undefined ? [] : [slowMs] })
  }

  const end = performance.now() + pace.budgetMs
  for (let round = 0; round < pace.mostRounds; round++) {
    if (round >= pace.leastRounds && performance.now() > end) break
    for (const state of shuffle(states)) {
      if (state.slow && state.times.length >= pace.slowRounds) continue
      state.times.push(await sample(state.entry, state.repeats))
    }
  }

  return new Map(states.map(({ entry, repeats, times }) => [entry, timingOf(times, repeats)]))
}

/**
 * @param {number[]} times In the order of the rounds.
 * @param {number} repeats How many calls each time is the mean of.
 * @returns {Timing}
 */
export function timingOf(times, repeats) {
  const sorted = times.toSorted((a, b) => a - b)
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => quantile(sorted, share))
  return { median, q1, q3, samples: sorted.length, repeats, times }
}
