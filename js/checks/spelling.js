'use strict'
/** Finds the name that was probably meant by one that nobody knows. */

/** Names that were looked up are remembered, because callers pass the same objects again and again. */
const MAX_REMEMBERED = 256

/**
 * Whether two names differ by no more than `most` insertions, deletions, replacements or swaps of
 * neighbours.
 * @param {string} a
 * @param {string} b
 * @param {number} most
 */
const isClose = (a, b, most) => {
  if (Math.abs(a.length - b.length) > most) return false
  let beforeLast = /** @type {number[]} */ ([])
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1))
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length) <= most
}

/** In a short name, one letter makes another word. @param {string} name */
const allowed = ({ length }) => {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}

/** @param {number[]} row @param {number} column */
const at = (row, column) => row[column] ?? Infinity

/**
 * A function that returns the known name that another one is almost, if there is one.
 * @param {readonly string[]} known
 * @returns {(name: string) => string | undefined}
 */
const spelling = (known) => {
  const isKnown = new Set(known)
  /** @type {Map<string, string | undefined>} */
  const remembered = new Map()
  return (name) => {
    if (isKnown.has(name)) return undefined
    if (remembered.has(name)) return remembered.get(name)
    const meant = known.find((right) => isClose(name.toLowerCase(), right.toLowerCase(), allowed(right)))
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(name, meant)
    return meant
  }
}

module.exports = { spelling }
