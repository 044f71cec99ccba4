'use strict'
/** `countTokens` and `calibrate`. Native code counts; a tokenizer of the caller's is called here. */
const native = require('../binding.js')
const { errorOf } = require('./errors.js')

/** @typedef {import('../index.d.ts').Tokenizer} Tokenizer */

const { isSafeInteger } = Number
const { parse } = JSON

/**
 * @param {string | Uint8Array} text
 * @param {Tokenizer} tokenizer
 * @returns {number}
 */
const countTokens = (text, tokenizer) => {
  if (typeof tokenizer === 'function') return countWith(tokenizer, text)
  try {
    return native.countTokens(text, tokenizer)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * What a function of the caller's counts. Its own exception passes through.
 * @param {(text: string) => number} tokenizer
 * @param {string | Uint8Array} text
 */
const countWith = (tokenizer, text) => {
  const counted = tokenizer(wellFormed(text))
  if (isSafeInteger(counted) && counted >= 0) return counted
  try {
    return native.refuseTokenCount(counted)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/** What is counted is what is sent: a lone surrogate is sent as U+FFFD. */
const wellFormed = (/** @type {string | Uint8Array} */ text) => {
  if (typeof text === 'string') return text.toWellFormed()
  try {
    return native.decodeText(text)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * @param {import('../index.d.ts').TokenEstimate} tokenizer
 * @param {import('../index.d.ts').TokenUsage} usage
 * @returns {import('../index.d.ts').LearnedEstimate}
 */
const calibrate = (tokenizer, usage) => {
  try {
    return parse(native.calibrate(tokenizer, usage))
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

module.exports = { calibrate, countTokens, countWith }
