/** Tokenizers, texts to count, and what estimates learn from. */
import { types } from 'node:util'
import { recordOf } from '../checks/fields.js'
import { anything, arrayOf, finiteNumber, integer, isMissing, number, optional, refined } from '../checks/kinds.js'
import { outOfRange, pathOf, unknownValue, wrongType } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'
import type { TokenizerFields } from '../../binding.js'

export type TokenFunction = (text: string) => number

const VOCABULARIES = new Map(
  ['o200k', 'cl100k'].map((vocabulary) => [
    vocabulary,
    Object.freeze({ vocabulary, bytesPerToken: undefined, byScript: undefined }),
  ]),
)
const EXPECTED = "'o200k', 'cl100k', { bytesPerToken } or a function"

const rate: Kind<number> = refined(number, (value, parent, name) =>
  Number.isFinite(value) && value > 0 ? value : outOfRange('a positive finite number', value, parent, name),
)

const byScript = <T>(kind: Kind<T>) => optional(recordOf({ latin: kind, symbols: kind, cjk: kind, other: kind }))

const estimateFields = { bytesPerToken: rate, byScript: byScript(optional(rate)) }
const estimate = recordOf(estimateFields, { also: ['spread', 'turns'] })

/**
 * What counts tokens: ours, as native code takes it, or a
 * caller-supplied function.
 */
export const tokenizer: Kind<TokenizerFields | TokenFunction> = (value, parent, name) => {
  if (typeof value === 'function') return value
  if (typeof value === 'string') return VOCABULARIES.get(value) ?? unknownValue(EXPECTED, value, parent, name)
  if (typeof value !== 'object' || value === null) return wrongType(EXPECTED, value, parent, name)
  return { vocabulary: undefined, ...estimate(value, parent, name) }
}

/** Bytes that are gone, because they were moved to another thread, are the empty string. */
export const text: Kind<string | Uint8Array> = (value, parent, name) => {
  if (typeof value === 'string') return value
  if (!types.isUint8Array(value)) return wrongType('a string or a Uint8Array', value, parent, name)
  return value.byteLength === 0 ? '' : value
}

const bytesByScript = byScript(optional(integer(0), 0))

const turn = recordOf(
  { bytes: integer(1), tokens: integer(1), scripts: bytesByScript, error: finiteNumber },
  { required: true },
)

const learned = recordOf({ ...estimateFields, turns: optional(arrayOf(turn), []) }, { also: ['spread'] })

/** An estimate, with what it has learned before. */
export const learnedEstimate: Kind<ReturnType<typeof learned>> = (value, parent, name) =>
  typeof value === 'object' && value !== null
    ? learned(value, parent, name)
    : wrongType('an estimate, such as { bytesPerToken: 4 }', value, parent, name)

/** What was sent, and how many tokens the provider counted. Bytes are needed where there is no text. */
export const usage = refined(
  recordOf({ tokens: integer(1), text: optional(text, ''), bytes: anything }, { required: true }),
  ({ tokens, text: sent, bytes }, parent, name) => {
    const isKnown = isMissing(bytes) && sent.length > 0
    return { tokens, text: sent, bytes: isKnown ? undefined : integer(1)(bytes, pathOf(parent, name), 'bytes') }
  },
)

/** What a caller-supplied tokenizer has returned. */
export const tokenCount: Kind<number> = (value, parent, name) =>
  Number.isSafeInteger(value) && value >= 0 ? value : outOfRange('a non-negative integer', value, parent, name)
