import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { calibrate, countTokens, type LearnedEstimate, type TokenEstimate, type TokenUsage } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { documentText, root } from '../support/documents.js'

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .toSorted()

const withoutCode = (text: string): string => text.replaceAll(/```.*?```/gs, '')

/** Lines that are mostly Chinese. */
const chinese = (text: string): string[] =>
  withoutCode(text)
    .split('\n')
    .filter((line) => (line.match(/\p{Script=Han}/gu)?.length ?? 0) > line.length / 3)

const LINES = {
  English: ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md'].flatMap((name) =>
    withoutCode(documentText(name)).split('\n'),
  ),
  code: [...filesIn('src/text', '.rs'), ...filesIn('lib', '.ts')].flatMap((name) => documentText(name).split('\n')),
  Chinese: chinese(documentText('README.zh-CN.md')),
}
type Kind = keyof typeof LINES

const PROMPT_LINES = 120

/** A source of prompts: lines of each kind at random, the same on every run. */
function prompts(kinds: readonly Kind[], seed: number): () => string {
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const lineOf = (lines: readonly string[]): string => lines[below(lines.length)] ?? ''
  return () => {
    const share = below(PROMPT_LINES + 1)
    const kindOf = (index: number): Kind => (index < share ? kinds[0] : kinds.at(-1)) ?? 'English'
    return Array.from({ length: PROMPT_LINES }, (_, index) => lineOf(LINES[kindOf(index)])).join('\n')
  }
}

const LEARNED_FROM = 5
const TESTED = 10

/** The mean error of the turns after the first five, for a provider that counts by this vocabulary. */
function errorAfterFiveTurns(
  kinds: readonly Kind[],
  vocabulary: 'o200k' | 'cl100k',
  usageOf: (text: string, tokens: number) => TokenUsage,
): number {
  const errors = [1, 2, 3].flatMap((seed) => {
    const next = prompts(kinds, seed)
    let estimate: TokenEstimate = { bytesPerToken: 4 }
    return Array.from({ length: LEARNED_FROM + TESTED }, () => {
      const text = next()
      const tokens = countTokens(text, vocabulary)
      const error = Math.abs(countTokens(text, estimate) / tokens - 1)
      estimate = calibrate(estimate, usageOf(text, tokens))
      return error
    }).slice(LEARNED_FROM)
  })
  return errors.reduce((sum, error) => sum + error, 0) / errors.length
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

describe('an estimate after five turns', () => {
  const single = (['English', 'code', 'Chinese'] as const).flatMap((kind) =>
    (['cl100k', 'o200k'] as const).map((vocabulary) => [kind, vocabulary] as const),
  )

  it.each(single)('is off by less than 5 %% on %s, for a provider that counts by %s', (kind, vocabulary) => {
    expect(errorAfterFiveTurns([kind], vocabulary, (text, tokens) => ({ bytes: bytesOf(text), tokens }))).toBeLessThan(
      0.05,
    )
    expect(
      errorAfterFiveTurns([kind], vocabulary, (text, tokens) => ({ bytes: bytesOf(text), tokens, text })),
    ).toBeLessThan(0.05)
  })

  it('distinguishes scripts that change from turn to turn, if the text is given', () => {
    const withText = errorAfterFiveTurns(['English', 'Chinese'], 'cl100k', (text, tokens) => ({ tokens, text }))
    const without = errorAfterFiveTurns(['English', 'Chinese'], 'cl100k', (text, tokens) => ({
      bytes: bytesOf(text),
      tokens,
    }))
    expect(withText).toBeLessThan(0.05)
    expect(without).toBeGreaterThan(2 * withText)
  })
})

describe('calibrate', () => {
  it('accepts only bytes and tokens', () => {
    const learned = calibrate({ bytesPerToken: 4 }, { bytes: 1000, tokens: 400 })
    expect(learned).toEqual({ bytesPerToken: 2.5, spread: 0.375, turns: [{ bytes: 1000, tokens: 400, error: -0.375 }] })
    expect(countTokens('x'.repeat(1000), learned)).toBe(400)
  })

  it('returns a new estimate that survives JSON', () => {
    const start: TokenEstimate = Object.freeze({ bytesPerToken: 4 })
    const usage = { text: 'Hello, 世界!', tokens: 5 }
    const once = calibrate(start, usage)
    expect(start).toEqual({ bytesPerToken: 4 })
    expect(once.turns[0]?.scripts).toEqual({ latin: 5, symbols: 3, cjk: 6, other: 0 })
    const again: LearnedEstimate = JSON.parse(JSON.stringify(once))
    expect(calibrate(again, usage)).toEqual(calibrate(once, usage))
    expect(calibrate(once, { ...usage, text: Buffer.from(usage.text) })).toEqual(calibrate(once, usage))
  })

  it('keeps the last eight turns', () => {
    let estimate: TokenEstimate = { bytesPerToken: 4 }
    for (let turn = 1; turn <= 20; turn++) estimate = calibrate(estimate, { bytes: turn, tokens: 1 })
    expect(estimate.turns?.map(({ bytes }) => bytes)).toEqual([13, 14, 15, 16, 17, 18, 19, 20])
  })

  it('stays within bounds', () => {
    expect(calibrate({ bytesPerToken: 4 }, { bytes: 1, tokens: 1e9 }).bytesPerToken).toBe(0.5)
    expect(calibrate({ bytesPerToken: 4 }, { bytes: 1e9, tokens: 1 }).bytesPerToken).toBe(32)
    const rates = calibrate({ bytesPerToken: 4 }, { text: 'a1中', tokens: 1e9 }).byScript
    for (const rate of Object.values(rates ?? {})) expect(rate).toBeCloseTo(0.5)
  })

  it('learns from an empty text with bytes as from bytes alone', () => {
    expect(calibrate({ bytesPerToken: 4 }, { text: '', bytes: 1000, tokens: 400 })).toEqual(
      calibrate({ bytesPerToken: 4 }, { bytes: 1000, tokens: 400 }),
    )
  })

  const turn = { bytes: 1, tokens: 1, error: 0 }
  const refused: [unknown, unknown, string][] = [
    ['o200k', { bytes: 1, tokens: 1 }, 'tokenizer must be an estimate, such as { bytesPerToken: 4 }, got string'],
    [() => 1, { bytes: 1, tokens: 1 }, 'tokenizer must be an estimate, such as { bytesPerToken: 4 }, got function'],
    [{ bytesPerToken: 0 }, { bytes: 1, tokens: 1 }, 'tokenizer.bytesPerToken must be a positive finite number, got 0'],
    [{ bytesPerToken: 4 }, undefined, 'usage must be an object, got undefined'],
    [{ bytesPerToken: 4 }, { bytes: 1 }, 'usage.tokens must be a number, got undefined'],
    [{ bytesPerToken: 4 }, { bytes: 1, tokens: 0 }, 'usage.tokens must be a positive safe integer, got 0'],
    [{ bytesPerToken: 4 }, { tokens: 1 }, 'usage.bytes must be a number, got undefined'],
    [{ bytesPerToken: 4 }, { tokens: 1, text: '' }, 'usage.bytes must be a number, got undefined'],
    [{ bytesPerToken: 4 }, { tokens: 1, bytes: 1.5 }, 'usage.bytes must be a positive safe integer, got 1.5'],
    [{ bytesPerToken: 4 }, { tokens: 1, text: 5 }, 'usage.text must be a string or a Uint8Array, got number'],
    [{ bytesPerToken: 4, turns: 5 }, { bytes: 1, tokens: 1 }, 'tokenizer.turns must be an array, got number'],
    [{ bytesPerToken: 4, turns: [null] }, { bytes: 1, tokens: 1 }, 'tokenizer.turns[0] must be an object, got null'],
    [
      { bytesPerToken: 4, turns: [{ ...turn, error: Number.NaN }] },
      { bytes: 1, tokens: 1 },
      'tokenizer.turns[0].error must be a finite number, got NaN',
    ],
    [
      { bytesPerToken: 4, turns: [{ ...turn, tokens: 0 }] },
      { bytes: 1, tokens: 1 },
      'tokenizer.turns[0].tokens must be a positive safe integer, got 0',
    ],
    [
      { bytesPerToken: 4, turns: [{ ...turn, scripts: { cjk: -1 } }] },
      { bytes: 1, tokens: 1 },
      'tokenizer.turns[0].scripts.cjk must be a non-negative integer, got -1',
    ],
  ]
  it.each(refused)('rejects %o with %o', (tokenizer, usage, message) => {
    expect(thrownBy(() => calibrate(untyped(tokenizer), untyped(usage))).message).toBe(message)
  })
})
