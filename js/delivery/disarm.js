'use strict'
/** Inserts text into a prompt so that a CLI does not act on it. */
const { measure } = require('./measure.js')

/**
 * A short text, and the byte offsets at which it is written into another one, in ascending order.
 * @typedef {object} Insertion
 * @property {string} text
 * @property {Float64Array} offsets
 */

/**
 * The size of all that is inserted.
 * @param {readonly Insertion[]} insertions
 * @param {import('./measure.js').SizeUnit} unit
 */
const sizeOf = (insertions, unit) =>
  insertions.reduce((sum, { text, offsets }) => sum + measure(Buffer.from(text), unit) * offsets.length, 0)

/**
 * An insertion as bytes, with the places at which it still has to be written.
 * @param {Insertion} insertion
 */
const pending = ({ text, offsets }) => ({ bytes: Buffer.from(text), offsets, done: 0 })

/** @typedef {ReturnType<typeof pending>} Pending */

/** @param {Pending} insertion */
const nextOffset = ({ offsets, done }) => offsets[done] ?? Infinity

/** The insertion that comes next; at the same offset, the first one. @type {(one: Pending, other: Pending) => Pending} */
const earlier = (one, other) => (nextOffset(other) < nextOffset(one) ? other : one)

/** Fewer bytes than this are copied faster one by one. */
const FEW_BYTES = 32

/**
 * Copies a part of a text, and returns where it ends.
 * @param {Buffer} text
 * @param {number} start
 * @param {number} end
 * @param {Buffer} target
 * @param {number} at
 */
const copyPart = (text, start, end, target, at) => {
  if (end - start >= FEW_BYTES) return at + text.copy(target, at, start, end)
  let to = at
  for (let from = start; from < end; from++) target[to++] = /** @type {number} */ (text[from])
  return to
}

/**
 * A new text with the insertions in it.
 * @param {Buffer} text
 * @param {readonly Insertion[]} insertions At least one.
 * @returns {Buffer}
 */
const insert = (text, insertions) => {
  const written = Buffer.allocUnsafe(text.length + sizeOf(insertions, 'bytes'))
  const all = insertions.map(pending)
  let [from, to] = [0, 0]
  for (;;) {
    const next = all.reduce(earlier)
    const end = Math.min(nextOffset(next), text.length)
    to = copyPart(text, from, end, written, to)
    if (next.done === next.offsets.length) return written
    to = copyPart(next.bytes, 0, next.bytes.length, written, to)
    next.done++
    from = end
  }
}

module.exports = { insert, sizeOf }
