'use strict'
/** What is written into a prompt so that a CLI does not act on it. */
const { measure } = require('./measure.js')

/**
 * A short text, and the byte offsets at which it is written into another one, in ascending order.
 * @typedef {object} Insertion
 * @property {string} text
 * @property {readonly number[]} offsets
 */

/**
 * The size of all that is inserted.
 * @param {readonly Insertion[]} insertions
 * @param {import('./measure.js').SizeUnit} unit
 */
const sizeOf = (insertions, unit) =>
  insertions.reduce((sum, { text, offsets }) => sum + measure(Buffer.from(text), unit) * offsets.length, 0)

/**
 * The insertion that comes next, by the offset at which it stands. At the same one, the first of them.
 * @param {readonly Insertion[]} insertions
 * @param {readonly number[]} done How many offsets of each are done.
 */
const nextOf = (insertions, done) => {
  let next = -1
  let lowest = Infinity
  for (let index = 0; index < insertions.length; index++) {
    const offset = insertions[index]?.offsets[done[index] ?? 0] ?? Infinity
    if (offset < lowest) [next, lowest] = [index, offset]
  }
  return { next, offset: lowest }
}

/**
 * A new text with the insertions in it.
 * @param {Buffer} text
 * @param {readonly Insertion[]} insertions
 * @returns {Buffer}
 */
const insert = (text, insertions) => {
  const written = Buffer.allocUnsafe(text.length + sizeOf(insertions, 'bytes'))
  const inserted = insertions.map((insertion) => Buffer.from(insertion.text))
  const done = insertions.map(() => 0)
  let [from, to] = [0, 0]
  for (;;) {
    const { next, offset } = nextOf(insertions, done)
    to += text.copy(written, to, from, Math.min(offset, text.length))
    if (next === -1) return written
    to += /** @type {Buffer} */ (inserted[next]).copy(written, to)
    done[next] = /** @type {number} */ (done[next]) + 1
    from = offset
  }
}

module.exports = { insert, sizeOf }
