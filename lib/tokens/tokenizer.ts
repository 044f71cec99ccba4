/** What counts tokens. */
import { fields, forNative } from '../checks/fields.js'
import { number, optional, refined } from '../checks/kinds.js'
import { outOfRange, unknownValue, wrongType } from '../checks/problems.js'
import type { LearnedTurn } from './calibrate.js'
import type { Kind } from '../checks/kinds.js'
import type { TokenizerFields } from '../../binding.js'

/**
 * What counts tokens:
 * - `'o200k'`: GPT-4o and later, and Codex. Exact: the same count as OpenAI's own tokenizer for every
 *   text. Text that looks like a special token (`<|endoftext|>`) counts as ordinary text.
 * - `'cl100k'`: GPT-4 and GPT-3.5. Exact in the same way.
 * - `{ bytesPerToken }`: an estimate, for models whose vocabulary is not public. See docs/tokens.md for
 *   starting values, and `calibrate`.
 * - a function that takes well-formed text and returns a non-negative integer.
 */
export type Tokenizer = 'o200k' | 'cl100k' | TokenEstimate | ((text: string) => number)

/**
 * Characters whose tokens are about equally long: letters of Latin scripts; white space, digits
 * and punctuation; Chinese, Japanese and Korean; everything else.
 */
export type TokenScript = 'latin' | 'symbols' | 'cjk' | 'other'

/** An estimate from the size of a text: its UTF-8 bytes divided by bytes per token, rounded up once. */
export interface TokenEstimate {
  /** Bytes per token of all text, or of the scripts that `byScript` does not list. Positive. */
  bytesPerToken: number
  /** Bytes per token by script, each positive. @default undefined */
  byScript?: { readonly [script in TokenScript]?: number | null | undefined } | null | undefined
  /** The error of the last estimates, from `calibrate`. Counting does not use it. @default undefined */
  spread?: number | null | undefined
  /** The turns that `calibrate` has learned from. Counting does not use it. @default undefined */
  turns?: readonly LearnedTurn[] | null | undefined
}

const rate = refined(number, (value, parent, name) =>
  Number.isFinite(value) && value > 0 ? value : outOfRange('a positive finite number', value, parent, name),
)

export const byScript = <Used>(kind: Kind<Used, number | null | undefined>) =>
  optional(fields<NonNullable<TokenEstimate['byScript']>>()({ latin: kind, symbols: kind, cjk: kind, other: kind }))

export const estimateTable = { bytesPerToken: rate, byScript: byScript(optional(rate)) }
const estimate = fields<Pick<TokenEstimate, 'bytesPerToken' | 'byScript'>>()(estimateTable, {
  also: ['spread', 'turns'],
})

/** A caller-supplied function. */
export type TokenFunction = (text: string) => number

/** A tokenizer as native code takes it, or a function, which is called here. */
export type CheckedTokenizer = TokenizerFields | TokenFunction

const VOCABULARIES = new Map(
  ['o200k', 'cl100k'].map((vocabulary) => [
    vocabulary,
    forNative(Object.freeze({ vocabulary, bytesPerToken: undefined, byScript: undefined })),
  ]),
)
const EXPECTED = "'o200k', 'cl100k', { bytesPerToken } or a function"

export const tokenizer: Kind<CheckedTokenizer, Tokenizer> = (value, parent, name) => {
  if (typeof value === 'function') return value as TokenFunction
  if (typeof value === 'string') return VOCABULARIES.get(value) ?? unknownValue(EXPECTED, value, parent, name)
  if (typeof value !== 'object' || value === null) return wrongType(EXPECTED, value, parent, name)
  return forNative({ vocabulary: undefined, ...estimate(value, parent, name) })
}

/** What a caller-supplied function has returned. */
export const tokenCount: Kind<number> = (value, parent, name) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : outOfRange('a non-negative integer', value, parent, name)
