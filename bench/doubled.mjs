/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
/** Measures inputs designed to be slow, each at one size and at twice that. */
import { duration, times } from './figures.mjs'
import { PACES, measure, quantile } from './measure.mjs'

/** Up to twice the size, and some noise. */
const MOST = 2.3

/**
 * Samples of both sizes take equally long. On a busy machine, a sample that ends before the system
 * interrupts it would look too good compared with one that is interrupted.
 */
const pace = { ...PACES[process.argv.includes('--quick') ? 'quick' : 'full'], budgetMs: 2000, sampleMs: 40 }

/**
 * Prints how much longer twice the size takes: twice as long is linear, four times quadratic.
 * @param {{ name: string, once: () => unknown, twice: () => unknown }[]} attacks
 */
export async function printDoubled(attacks) {
  const missed = []
  console.log(`target: linear, at most ${times(MOST)} for twice the size`)
  for (const { name, ...runs } of attacks) {
    const [once, twice] = [runs.once, runs.twice].map((run) => ({ run, fresh: true }))
    const timings = await measure([once, twice], pace)
    const [short, long] = [timings.get(once), timings.get(twice)]
    // Within each round, so that a slow phase of the machine affects both.
    const ratio = quantile(
      long.times.map((time, round) => time / short.times[round]).toSorted((a, b) => a - b),
      0.5,
    )
    if (ratio > MOST) missed.push(name)
    console.log(
      `${ratio > MOST ? 'missed' : 'met   '}  ${times(ratio).padStart(7)}  ${duration(short.median).padStart(8)} → ${duration(long.median).padStart(8)}  ${name}`,
    )
  }
  console.log(missed.length === 0 ? 'all are linear' : `not linear: ${missed.join('; ')}`)
}
