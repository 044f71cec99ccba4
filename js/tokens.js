'use strict'
/** `countTokens` and `calibrate`. Native code counts; a caller-supplied tokenizer is called here. */
const native = require('../binding.js')
const {
  learnedEstimate,
  text: checkText,
  tokenCount,
  tokenizer: checkTokenizer,
  usage: checkUsage,
} = require('./checks/tokens.js')

/** @typedef {import('../index.d.ts').Tokenizer} Tokenizer */

/**
 * @param {string | Uint8Array} text
 * @param {Tokenizer} tokenizer
 * @returns {number}
 */
const countTokens = (text, tokenizer) => {
  const by = checkTokenizer(tokenizer, '', 'tokenizer')
  const counted = checkText(text, '', 'text')
  if (typeof by === 'function') return countWith(by, counted)
  return typeof counted === 'string' ? native.countTokens(counted, by) : native.countTokensOfBytes(counted, by)
}

/**
 * What a caller-supplied function counts. Its own exception passes through.
 * @param {(text: string) => number} tokenizer
 * @param {string | Uint8Array} text
 */
const countWith = (tokenizer, text) => tokenCount(tokenizer(wellFormed(text)), '', 'the result of tokenizer')

/** What is counted is what is sent: a lone surrogate is sent as U+FFFD. */
const wellFormed = (/** @type {string | Uint8Array} */ text) =>
  typeof text === 'string' ? text.toWellFormed() : native.decodeText(text)

/**
 * @param {import('../index.d.ts').TokenEstimate} tokenizer
 * @param {import('../index.d.ts').TokenUsage} usage
 * @returns {import('../index.d.ts').LearnedEstimate}
 */
const calibrate = (tokenizer, usage) => {
  const { bytesPerToken, byScript, turns } = learnedEstimate(tokenizer, '', 'tokenizer')
  const { tokens, text, bytes } = checkUsage(usage, '', 'usage')
  const sent = typeof text === 'string' ? text : native.decodeText(text)
  const learned = native.calibrate(bytesPerToken, byScript, turns, tokens, sent, bytes)
  // Copies, because objects of native code belong to another realm in Jest and in vm contexts.
  return {
    ...learned,
    ...copied('byScript', learned.byScript),
    turns: Array.from(learned.turns, (turn) => ({ ...turn, ...copied('scripts', turn.scripts) })),
  }
}

/** @template {string} Name @param {Name} name @param {object | undefined} numbers */
const copied = (name, numbers) => /** @type {any} */ (numbers === undefined ? {} : { [name]: { ...numbers } })

module.exports = { calibrate, countTokens, countWith }
