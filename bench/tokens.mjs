/**
 * Counting tokens: new messages of 1 KB, and texts of megabytes that are a single piece.
 *
 *     node --expose-gc bench/tokens.mjs [--quick]     the tables alone; `npm run bench` has them too
 *
 * Times are CPU times of the process: nothing waits here, and other load on the machine would affect
 * the slower candidates more often.
 */
import { pathToFileURL } from 'node:url'
import { countTokens } from '../index.js'
import { cpuTime, shuffle, timingOf } from './measure.mjs'
import { targetTable, tokenTables } from './report.mjs'
import { tokenVerdicts } from './targets.mjs'
import { numbers } from './text.mjs'
import { KINDS, messagesOf } from './token-texts.mjs'

/**
 * @typedef {{ candidate: string, form: 'count', name: string } & import('./measure.mjs').Timing} Timed
 * @typedef {{ id: string, title: string, bytes: number, entries: Timed[] }} Counted Times are those of a batch of this size.
 * @typedef {{ id: string, title: string, once: import('./measure.mjs').Timing, twice: import('./measure.mjs').Timing }} Doubled
 * @typedef {{ first: { vocabulary: string, ms: number }[], counted: Counted[], doubled: Doubled[], missing: string[] }} Tokens
 */

const OURS = 'countTokens'
const PEERS = ['gpt-tokenizer', 'ai-tokenizer']

const VOCABULARIES = ['o200k', 'cl100k']

/** Messages of one sample, and those counted before it to warm the caches, which are cold after a collection. */
const SAMPLE_MESSAGES = 64
const LEAD_MESSAGES = 16
const ROUND_MESSAGES = LEAD_MESSAGES + SAMPLE_MESSAGES

/** Unmeasured rounds, in which the engine compiles the code. */
const WARM_UP_ROUNDS = 3
const ROUNDS = { quick: 5, full: 8 }

/** The peers that are installed, as functions that count by o200k. */
async function loadPeers() {
  const load = {
    'gpt-tokenizer': async () => (await import('gpt-tokenizer/encoding/o200k_base')).countTokens,
    'ai-tokenizer': async () => {
      const [{ Tokenizer }, encoding] = await Promise.all([
        import('ai-tokenizer'),
        import('ai-tokenizer/encoding/o200k_base'),
      ])
      const tokenizer = new Tokenizer(encoding)
      return (text) => tokenizer.count(text)
    },
  }
  const loaded = await Promise.all(
    PEERS.map(async (name) => {
      try {
        return { name, count: await load[name]() }
      } catch (error) {
        if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
        return { name, count: undefined }
      }
    }),
  )
  return {
    peers: loaded.filter(({ count }) => count),
    missing: loaded.filter(({ count }) => !count).map(({ name }) => name),
  }
}

const countAll = (count, messages) => {
  let tokens = 0
  for (const message of messages) tokens += count(message)
  return tokens
}

/**
 * Each round has new messages, which all candidates count, in random order.
 * @param {string} kind
 * @param {{ name: string, count: (text: string) => number }[]} candidates
 * @param {number} rounds
 */
function measureKind(kind, candidates, rounds) {
  const messages = messagesOf(kind, (WARM_UP_ROUNDS + rounds) * ROUND_MESSAGES)
  const times = new Map(candidates.map((candidate) => [candidate, []]))
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const start = round * ROUND_MESSAGES
    const lead = messages.slice(start, start + LEAD_MESSAGES)
    const measured = messages.slice(start + LEAD_MESSAGES, start + ROUND_MESSAGES)
    const totals = shuffle(candidates).map((candidate) => {
      globalThis.gc?.()
      let tokens = countAll(candidate.count, lead)
      const time = cpuTime(() => {
        tokens += countAll(candidate.count, measured)
      })
      if (round >= WARM_UP_ROUNDS) times.get(candidate).push(time)
      return tokens
    })
    if (new Set(totals).size > 1) throw new Error(`${kind}: not everybody counts the same`)
  }
  const bytes = Math.round((Buffer.byteLength(messages.join('')) * SAMPLE_MESSAGES) / messages.length)
  const entries = candidates.map((candidate) =>
    Object.assign(
      { candidate: candidate.name, form: /** @type {const} */ ('count'), name: candidate.name },
      timingOf(times.get(candidate), 1),
    ),
  )
  return { id: kind, title: kind, bytes, entries }
}

const MEGABYTE = 1 << 20

/** Texts that are a single piece, so that no part of them can be counted separately. */
const PIECES = {
  'one letter': (bytes) => 'a'.repeat(bytes),
  spaces: (bytes) => ' '.repeat(bytes),
  中: (bytes) => '中'.repeat(bytes / 3),
  'random letters': (bytes) => {
    const next = numbers(17)
    return Buffer.from(Uint8Array.from({ length: bytes }, () => 0x61 + ((next() >>> 8) % 26))).toString()
  },
}

/** A sample of the shorter text is two calls, so that both take equally long. */
function measureDoubled(rounds) {
  return VOCABULARIES.flatMap((vocabulary) =>
    Object.entries(PIECES).map(([name, textOf]) => {
      const sizes = [
        { calls: 2, text: textOf(MEGABYTE), times: [] },
        { calls: 1, text: textOf(2 * MEGABYTE), times: [] },
      ]
      for (let round = 0; round <= rounds; round++) {
        for (const { calls, text, times } of shuffle(sizes)) {
          const time = cpuTime(() => {
            for (let call = 0; call < calls; call++) countTokens(text, vocabulary)
          })
          // The first round is not measured.
          if (round > 0) times.push(time / calls)
        }
      }
      const [once, twice] = sizes.map(({ times, calls }) => timingOf(times, calls))
      return { id: `${vocabulary} ${name}`, title: `${vocabulary}, ${name}`, once, twice }
    }),
  )
}

/** The cost of the first count with a vocabulary, which unpacks it. */
const firstUse = () =>
  VOCABULARIES.map((vocabulary) => ({ vocabulary, ms: cpuTime(() => countTokens('a', vocabulary)) }))

/**
 * @param {keyof typeof ROUNDS} mode
 * @returns {Promise<Tokens>}
 */
export async function measureTokens(mode) {
  const first = firstUse()
  const { peers, missing } = await loadPeers()
  const candidates = [{ name: OURS, count: (text) => countTokens(text, 'o200k') }, ...peers]
  const counted = KINDS.map((kind) => measureKind(kind, candidates, ROUNDS[mode]))
  return { first, counted, doubled: measureDoubled(ROUNDS[mode]), missing }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const tokens = await measureTokens(process.argv.includes('--quick') ? 'quick' : 'full')
  console.log(tokenTables(tokens))
  console.log(targetTable(tokenVerdicts(tokens)))
}
