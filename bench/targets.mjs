/** The package's performance targets, as ratios within one run, and whether this run meets them. */
import { lineBytes } from './candidates/line-bytes.mjs'
import { times } from './figures.mjs'
import { FLOOR } from './floor.mjs'
import { quantile } from './measure.mjs'

const OURS = 'promptmason'
const MANAGER = 'ContextManager'
const LINEAR = 'linear JS'
const BEST = 'best JS'
const STATEFUL = 'best stateful JS'
const QUADRATIC = 'quadratic JS'
const PEERS = ['langchain trimMessages', 'prompt-tsx']

const LARGE_PROMPT_BYTES = 20 * 1024
const HUGE_PROMPT_BYTES = 100 * 1024

const isLargePrompt = ({ promptBytes }) => promptBytes >= LARGE_PROMPT_BYTES
const isHugePrompt = ({ promptBytes }) => promptBytes >= HUGE_PROMPT_BYTES
const isMediumPrompt = (measured) => isLargePrompt(measured) && !isHugePrompt(measured)
const isTiny = ({ id }) => id === 'tiny'

const FORMS = { string: 'as a string', bytes: 'as a buffer' }

/** Of `assemble` in a form, against a candidate in the same form. */
const assembled = (form, against, size, where, atLeast) => ({
  what: `assemble ${FORMS[form]} against ${against}: ${size}`,
  atLeast,
  where,
  ours: [OURS, form],
  than: [against, form],
})

/** How many times faster ours is: `[candidate, form]` against `[candidate, form]`. */
const RATIOS = [
  assembled('string', LINEAR, 'prompts of 100 KB and more', isHugePrompt, 1.3),
  assembled('bytes', LINEAR, 'prompts of 100 KB and more', isHugePrompt, 2),
  assembled('string', LINEAR, 'prompts of 20 to 100 KB', isMediumPrompt, 1.1),
  assembled('bytes', LINEAR, 'prompts of 20 to 100 KB', isMediumPrompt, 1.5),
  assembled('string', LINEAR, '5 × 200 characters', isTiny, 0.8),
  assembled('bytes', LINEAR, '5 × 200 characters', isTiny, 0.8),
  assembled('string', BEST, 'prompts of 20 KB and more', isLargePrompt, 1),
  assembled('bytes', BEST, 'prompts of 20 KB and more', isLargePrompt, 1),
  assembled('string', BEST, '5 × 200 characters', isTiny, 0.5),
  assembled('bytes', BEST, '5 × 200 characters', isTiny, 0.5),
  {
    what: 'assemble against linear JS: the 20 MB message',
    atLeast: 20,
    where: ({ id }) => id === 'huge',
    ours: [OURS, 'string'],
    than: [LINEAR, 'string'],
  },
  {
    what: 'ContextManager to a new Buffer against linear JS, prompts of 20 KB and more',
    atLeast: 5,
    where: isLargePrompt,
    ours: [MANAGER, 'bytes'],
    than: [LINEAR, 'bytes'],
  },
  {
    what: 'ContextManager to a new Buffer against best JS, prompts of 20 KB and more',
    atLeast: 2.5,
    where: isLargePrompt,
    ours: [MANAGER, 'bytes'],
    than: [BEST, 'bytes'],
  },
  {
    what: 'ContextManager to a new Buffer against best stateful JS, prompts of 20 KB and more',
    atLeast: 0.9,
    where: isLargePrompt,
    ours: [MANAGER, 'bytes'],
    than: [STATEFUL, 'bytes'],
  },
  {
    what: "ContextManager into the caller's buffer against best JS, prompts of 20 KB and more",
    atLeast: 12,
    where: isLargePrompt,
    ours: [MANAGER, 'into'],
    than: [BEST, 'bytes'],
  },
  {
    what: "ContextManager into the caller's buffer against best stateful JS, into a buffer: 5 × 200 characters",
    atLeast: 0.6,
    where: isTiny,
    ours: [MANAGER, 'into'],
    than: [STATEFUL, 'into'],
  },
  {
    what: "ContextManager into the caller's buffer against best stateful JS, into a buffer: prompts of 20 KB and more",
    atLeast: 0.95,
    where: isLargePrompt,
    ours: [MANAGER, 'into'],
    than: [STATEFUL, 'into'],
  },
  {
    what: 'assemble as a buffer against the quadratic way, 1,000 × 3 KB',
    atLeast: 300,
    where: ({ id }) => id === 'quadratic',
    ours: [OURS, 'bytes'],
    than: [QUADRATIC, 'bytes'],
  },
  ...PEERS.map((peer) => ({
    what: `assemble as a buffer against ${peer}, wherever it runs`,
    atLeast: 5,
    where: () => true,
    ours: [OURS, 'bytes'],
    than: [peer, 'bytes'],
  })),
]

const LEAST_HISTORY = 'history-5000'
const MORE_HISTORY = 'history-50000'
const MOST_FOR_MORE_HISTORY = 1.3
const MOST_MEMORY = 2
const MOST_FOR_ADDING = 3
/** Small objects and pages that are not full; and where each message ends. */
const BOOKKEEPING = { bytes: 16 * 1024, bytesPerMessage: 8 }
const beyondBookkeeping = ({ extra, messages }) =>
  Math.max(0, extra - BOOKKEEPING.bytes - messages * BOOKKEEPING.bytesPerMessage)

/**
 * @typedef {{ candidate: string, form: string } & import('./measure.mjs').Timing} Timed
 * @typedef {{ id: string, title: string, kind: string, characters: number, promptBytes: number, entries: Timed[] }} Measured
 * @typedef {{ what: string, bound: string, measured: string, met: boolean | null, missed: string[] }} Verdict
 */

const timingOf = ({ entries }, [candidate, form]) =>
  entries.find((entry) => entry.candidate === candidate && entry.form === form)

/**
 * How many times faster one is than the other: the median of the ratios within each round. A slow
 * phase of the machine slows both, so this varies less than a ratio of two medians, which is used
 * only if one of them was too slow to run in every round.
 */
export function ratioOf(mine, theirs) {
  if (mine.times.length !== theirs.times.length) return theirs.median / mine.median
  const ratios = mine.times.map((time, round) => theirs.times[round] / time)
  return quantile(
    ratios.toSorted((a, b) => a - b),
    0.5,
  )
}

/** The same by name within a workload; undefined if one of them did not run. */
export function speed(measured, ours, than) {
  const [mine, theirs] = [timingOf(measured, ours), timingOf(measured, than)]
  return mine && theirs ? ratioOf(mine, theirs) : undefined
}

/**
 * The same against a candidate in the same form. Those without state have no form for the
 * caller's buffer, so a prompt in one is compared with their new Buffer.
 */
export function speedAgainst(measured, [candidate, form], other) {
  const same = speed(measured, [candidate, form], [other, form])
  return same === undefined && form === 'into' ? speed(measured, [candidate, form], [other, 'bytes']) : same
}

const floorNote = (floor) => ` (a new Buffer and one copy alone: ${times(floor)})`

/** The worst workload decides. Those that miss the target are listed. */
function verdict(what, bound, values, keeps) {
  if (values.length === 0) return { what, bound, measured: 'not measured', met: null, missed: [] }
  const missed = values.filter(({ value }) => !keeps(value))
  const numbers = values.map(({ value }) => value)
  const range =
    values.length === 1 ? times(numbers[0]) : `${times(Math.min(...numbers))} to ${times(Math.max(...numbers))}`
  return {
    what,
    bound,
    measured: range,
    met: missed.length === 0,
    missed: missed.map(({ where, value, note = '' }) => `${where} ${times(value)}${note}`),
  }
}

/** How many times as fast as the faster peer `countTokens` has to be, by the kind of text. */
const LEAST_FOR_COUNTING = { English: 8, code: 8, CJK: 30, mixed: 20 }
const COUNTER = 'countTokens'
const COUNTING_PEERS = ['gpt-tokenizer', 'ai-tokenizer']
const MOST_FOR_DOUBLING = 2.3

/** The cost of twice the text, within each round. */
export const doubling = ({ once, twice }) => ratioOf(once, twice)

/**
 * @param {Pick<import('./tokens.mjs').Tokens, 'counted' | 'doubled'>} tokens
 * @returns {Verdict[]}
 */
export function tokenVerdicts({ counted, doubled }) {
  const speeds = Object.entries(LEAST_FOR_COUNTING).map(([kind, least]) => {
    const values = counted
      .filter(({ id }) => id === kind)
      .flatMap((measured) => {
        const all = COUNTING_PEERS.map((peer) => speed(measured, [COUNTER, 'count'], [peer, 'count']))
        const measuredOnes = all.filter((value) => value !== undefined)
        return measuredOnes.length > 0 ? [{ where: kind, value: Math.min(...measuredOnes) }] : []
      })
    return verdict(
      `countTokens, ${kind}, first pass, against the faster of ${COUNTING_PEERS.join(' and ')}`,
      `at least ${least} ×`,
      values,
      (value) => value >= least,
    )
  })
  const growth = doubled.map((measured) => ({ where: measured.title, value: doubling(measured) }))
  return [
    ...speeds,
    verdict(
      'countTokens of a text that is one piece: twice the text',
      `at most ${MOST_FOR_DOUBLING} ×`,
      growth,
      (value) => value <= MOST_FOR_DOUBLING,
    ),
  ]
}

/** Ours against a named candidate, by kind of text. */
const against = (compared, name) =>
  compared.flatMap(({ id, entries: [ours, ...others] }) => {
    const other = others.find((entry) => entry.name === name)
    return other ? [{ where: id, value: ratioOf(ours, other) }] : []
  })

/** How many times as fast as JavaScript a turn with a budget in tokens has to be, by the kind of text. */
const LEAST_FOR_SESSIONS = { English: 3, code: 3, CJK: 10 }
const MOST_FOR_COUNTED = 1.5
const LEAST_STATELESS = 50

/**
 * @param {import('./token-budgets.mjs').TokenBudgets} budgets
 * @returns {Verdict[]}
 */
export function tokenBudgetVerdicts({ sessions, large, stateless }) {
  const ratios = (compared) =>
    compared
      .filter(({ entries }) => entries.length > 1)
      .map(({ id, entries: [ours, theirs] }) => ({ where: id, value: ratioOf(ours, theirs) }))
  return [
    ...Object.entries(LEAST_FOR_SESSIONS).map(([kind, least]) => {
      const values = ratios(sessions.filter(({ id }) => id === kind))
      return verdict(
        `a turn of at most 16,000 tokens, ${kind}, against JavaScript that keeps bytes and counts`,
        `at least ${least} ×`,
        values,
        (value) => value >= least,
      )
    }),
    verdict(
      'a prompt of 200,000 tokens whose messages are counted, over the same with a budget in bytes',
      `at most ${MOST_FOR_COUNTED} ×`,
      ratios(large).map(({ where, value }) => ({ where, value: 1 / value })),
      (value) => value <= MOST_FOR_COUNTED,
    ),
    verdict(
      'at most 16,000 tokens of 1,000 messages without state, against gpt-tokenizer that counts them all',
      `at least ${LEAST_STATELESS} ×`,
      against(stateless, 'gpt-tokenizer, everything'),
      (value) => value >= LEAST_STATELESS,
    ),
  ]
}

/**
 * @param {Measured[]} workloads
 * @param {({ id: string } & Timed)[]} histories
 * @param {{ workload: string, candidate: string, form: string, size: number, messages: number, extra: number }[]} memory
 * @param {import('./adding.mjs').Added[]} adding
 * @param {Pick<import('./tokens.mjs').Tokens, 'counted' | 'doubled'>} tokens
 * @param {import('./token-budgets.mjs').TokenBudgets} tokenBudgets
 * @returns {Verdict[]}
 */
export function verdicts(workloads, histories, memory, adding, tokens, tokenBudgets) {
  const ratios = RATIOS.map(({ what, atLeast, where, ours, than }) => {
    const values = workloads
      .filter(where)
      .map((workload) => ({
        where: workload.id,
        value: speed(workload, ours, than),
        floor: ours[1] === 'bytes' ? speed(workload, [FLOOR, 'bytes'], than) : undefined,
      }))
      .filter(({ value }) => value !== undefined)
      .map(({ floor, ...rest }) => Object.assign(rest, { note: floor < atLeast ? floorNote(floor) : '' }))
    return verdict(what, `at least ${atLeast} ×`, values, (value) => value >= atLeast)
  })

  const growth = histories
    .filter(({ id }) => id === MORE_HISTORY)
    .map((more) => {
      const less = histories.find(({ id, form }) => id === LEAST_HISTORY && form === more.form)
      return { where: more.form, value: ratioOf(less, more) }
    })
  const extra = memory
    .filter(({ candidate }) => [OURS, MANAGER].includes(candidate))
    .map((row) => ({
      where: `${row.workload} ${row.candidate} ${row.form}`,
      value: beyondBookkeeping(row) / row.size,
    }))
  const added = adding
    .filter(({ kind }) => kind === 'ascii')
    .map((measured) => ({
      where: measured.id,
      value: speed(measured, [lineBytes.name, 'add'], [MANAGER, 'add']),
    }))
  return [
    ...ratios,
    verdict(
      "addMessage of 200 characters ASCII over JavaScript that stores the line's bytes",
      `at most ${MOST_FOR_ADDING} ×`,
      added,
      (value) => value <= MOST_FOR_ADDING,
    ),
    verdict(
      'cost at 50,000 messages of history over that at 5,000, ContextManager',
      `at most ${MOST_FOR_MORE_HISTORY} ×`,
      growth,
      (value) => value <= MOST_FOR_MORE_HISTORY,
    ),
    verdict(
      'extra memory of one call over the size of what it returns, apart from 16 KB and 8 bytes a message',
      `at most ${MOST_MEMORY} ×`,
      extra,
      (value) => value <= MOST_MEMORY,
    ),
    ...tokenVerdicts(tokens),
    ...tokenBudgetVerdicts(tokenBudgets),
  ]
}
