'use strict'
/** Fields of events. A CLI may write anything, so nothing is taken for granted. */

/** @typedef {import('../../../index.d.ts').CliUsage} CliUsage */

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
const objectOf = (value) =>
  typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {}

/**
 * @param {unknown} value
 * @returns {string | undefined} Undefined for what is no string or has nothing in it.
 */
const textOf = (value) => (typeof value === 'string' && value !== '' ? value : undefined)

/** @param {unknown} value */
const isCount = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/**
 * The sum of the counts among some values; undefined if there is none.
 * @param {readonly unknown[]} values
 * @returns {number | undefined}
 */
const sumOf = (values) => {
  const counts = /** @type {number[]} */ (values.filter(isCount))
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/**
 * What is known of the usage; undefined if that is nothing, or if nothing was used.
 * @param {Record<keyof CliUsage, number | undefined>} counts
 * @returns {CliUsage | undefined}
 */
const usageOf = (counts) => {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.some(([, count]) => count !== 0) ? Object.fromEntries(known) : undefined
}

module.exports = { objectOf, sumOf, textOf, usageOf }
