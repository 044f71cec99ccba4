'use strict'
/**
 * Sizes of UTF-8 text in the units that CLIs and systems count in. Node's own functions do the
 * counting: a loop over 768 KB takes a millisecond, more than everything else in a plan.
 */
const { isAscii, transcode } = require('node:buffer')

/** @typedef {import('../../index.d.ts').SizeUnit} SizeUnit */

/** Every unit, with its name in sentences. @type {Record<SizeUnit, string>} */
const UNITS = { bytes: 'bytes', codePoints: 'code points', utf16: 'UTF-16 units' }

const UNIT_NAMES = /** @type {SizeUnit[]} */ (Object.keys(UNITS))

/** Larger pieces take longer, because their memory is new to the process. */
const CHUNK_BYTES = 64 * 1024

/** The lead bytes of four-byte characters, which take two UTF-16 units. */
const FIRST_OF_FOUR = [0xf0, 0xf1, 0xf2, 0xf3, 0xf4]

/** @param {number | undefined} byte */
const isContinuation = (byte) => byte !== undefined && (byte & 0xc0) === 0x80

/** @param {Buffer} bytes */
const unitsOfChunk = (bytes) => {
  try {
    return transcode(bytes, 'utf8', 'utf16le').length / 2
  } catch {
    // Node was built without ICU, or a getter wrote to the memory after it was checked.
    return bytes.toString().length
  }
}

/**
 * The `length` of a JavaScript string with this text.
 * @param {Buffer} bytes
 */
const utf16Units = (bytes) => {
  if (isAscii(bytes)) return bytes.length
  let units = 0
  for (let start = 0; start < bytes.length; ) {
    let end = start + CHUNK_BYTES
    while (isContinuation(bytes[end])) end++
    units += unitsOfChunk(bytes.subarray(start, end))
    start = end
  }
  return units
}

/**
 * @param {Buffer} bytes
 * @param {number} byte
 */
const countOf = (bytes, byte) => {
  let count = 0
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count++
  return count
}

/** @param {Buffer} bytes */
const codePoints = (bytes) => utf16Units(bytes) - FIRST_OF_FOUR.reduce((pairs, byte) => pairs + countOf(bytes, byte), 0)

/** @type {Record<SizeUnit, (bytes: Buffer) => number>} */
const MEASURES = { bytes: ({ length }) => length, codePoints, utf16: utf16Units }

/**
 * The size of a text.
 * @param {Buffer} bytes
 * @param {SizeUnit} unit
 */
const measure = (bytes, unit) => MEASURES[unit](bytes)

/**
 * The size of a text if it is over a limit. Code points and UTF-16 units take at least one byte each, so
 * most texts need no counting.
 * @param {Buffer} bytes
 * @param {SizeUnit} unit
 * @param {number} max
 * @returns {number | undefined}
 */
const excess = (bytes, unit, max) => {
  if (bytes.length <= max) return undefined
  const size = measure(bytes, unit)
  return size > max ? size : undefined
}

module.exports = { UNITS, UNIT_NAMES, excess, measure, utf16Units }
