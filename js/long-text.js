'use strict'
/** Messages of megabytes. A prompt can use only their ends, so only those are passed to native code. */
const native = require('../binding.js')

/** Below this size, reading a whole text is no slower than reading its ends. */
const MIN_UNITS = 256 * 1024
/** How much text is measured at a time. */
const CHUNK_UNITS = 64 * 1024

/** @param {number} unit */
const isHighSurrogate = (unit) => (unit & 0xfc00) === 0xd800
/** @param {number} unit */
const isLowSurrogate = (unit) => (unit & 0xfc00) === 0xdc00

/**
 * The size of a text in UTF-8. Native code converts CJK many times faster than `Buffer.byteLength`
 * counts it, and gets a piece at a time, so that there is no second copy of the text.
 * @param {string} text
 */
const utf8Bytes = (text) => {
  let bytes = 0
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + CHUNK_UNITS)
    // A surrogate pair must not be split.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
    bytes += native.utf8Bytes(text.slice(start, end))
    start = end
  }
  return bytes
}

/**
 * The ends of a long text that certainly does not fit this many bytes.
 * @param {string} text
 * @param {number} maxBytes
 */
const endsOf = (text, maxBytes) => {
  if (text.length < MIN_UNITS) return undefined
  const needed = native.neededOfEachEnd(maxBytes)
  // A unit takes at least one byte.
  if (text.length / 4 <= needed) return undefined
  return { beginning: enough(beginningOf, text, needed), end: enough(endOf, text, needed), bytes: utf8Bytes(text) }
}

/** @param {string} text @param {number} units */
const beginningOf = (text, units) => text.slice(0, isHighSurrogate(text.charCodeAt(units - 1)) ? units - 1 : units)

/** @param {string} text @param {number} units */
const endOf = (text, units) => {
  const start = text.length - units
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start)
}

/**
 * As much of an end as is needed for enough bytes. Most text has characters of either three bytes or
 * one.
 * @param {(text: string, units: number) => string} part
 * @param {string} text
 * @param {number} bytes
 */
const enough = (part, text, bytes) => {
  const third = part(text, Math.ceil(bytes / 3) + 2)
  return utf8Bytes(third) >= bytes ? third : part(text, bytes)
}

module.exports = { endsOf }
