'use strict'
/** Tokenizers, texts to count, and what estimates learn from. */
const { types } = require('node:util')
const { fields } = require('./fields.js')
const { anything, arrayOf, finiteNumber, integer, isMissing, number, optional, refined } = require('./kinds.js')
const { outOfRange, pathOf, unknownValue, wrongType } = require('./problems.js')

/**
 * @template [T=any]
 * @typedef {import('./kinds.js').Kind<T>} Kind
 */
/** @typedef {import('../../binding.js').TokenizerFields} TokenizerFields */
/** @typedef {(text: string) => number} TokenFunction */

const VOCABULARIES = new Map(
  ['o200k', 'cl100k'].map((vocabulary) => [
    vocabulary,
    Object.freeze({ vocabulary, bytesPerToken: undefined, byScript: undefined }),
  ]),
)
const EXPECTED = "'o200k', 'cl100k', { bytesPerToken } or a function"

/** @type {Kind<number>} */
const rate = refined(number, (value, parent, name) =>
  Number.isFinite(value) && value > 0 ? value : outOfRange('a positive finite number', value, parent, name),
)

/** @template T @param {Kind<T>} kind */
const byScript = (kind) => optional(fields({ latin: kind, symbols: kind, cjk: kind, other: kind }))

const estimateFields = { bytesPerToken: rate, byScript: byScript(optional(rate)) }
const estimate = fields(estimateFields, { also: ['spread', 'turns'] })

/**
 * @type {Kind<TokenizerFields | TokenFunction>} What counts tokens: ours, as native code takes it, or a
 * caller-supplied function.
 */
const tokenizer = (value, parent, name) => {
  if (typeof value === 'function') return value
  if (typeof value === 'string') return VOCABULARIES.get(value) ?? unknownValue(EXPECTED, value, parent, name)
  if (typeof value !== 'object' || value === null) return wrongType(EXPECTED, value, parent, name)
  return { vocabulary: undefined, ...estimate(value, parent, name) }
}

/** @type {Kind<string | Uint8Array>} Bytes that are gone, because they were moved to another thread, are the empty string. */
const text = (value, parent, name) => {
  if (typeof value === 'string') return value
  if (!types.isUint8Array(value)) return wrongType('a string or a Uint8Array', value, parent, name)
  return value.byteLength === 0 ? '' : value
}

const bytesByScript = byScript(optional(integer(0), 0))

const turn = fields(
  { bytes: integer(1), tokens: integer(1), scripts: bytesByScript, error: finiteNumber },
  { required: true },
)

const learned = fields({ ...estimateFields, turns: optional(arrayOf(turn), []) }, { also: ['spread'] })

/** @type {Kind<ReturnType<typeof learned>>} An estimate, with what it has learned before. */
const learnedEstimate = (value, parent, name) =>
  typeof value === 'object' && value !== null
    ? learned(value, parent, name)
    : wrongType('an estimate, such as { bytesPerToken: 4 }', value, parent, name)

/** What was sent, and how many tokens the provider counted. Bytes are needed where there is no text. */
const usage = refined(
  fields({ tokens: integer(1), text: optional(text, ''), bytes: anything }, { required: true }),
  ({ tokens, text: sent, bytes }, parent, name) => {
    const isKnown = isMissing(bytes) && sent.length > 0
    return { tokens, text: sent, bytes: isKnown ? undefined : integer(1)(bytes, pathOf(parent, name), 'bytes') }
  },
)

/** @type {Kind<number>} What a caller-supplied tokenizer has returned. */
const tokenCount = (value, parent, name) =>
  Number.isSafeInteger(value) && value >= 0 ? value : outOfRange('a non-negative integer', value, parent, name)

module.exports = { learnedEstimate, text, tokenCount, tokenizer, usage }
