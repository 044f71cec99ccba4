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
 * @returns {string | undefined} Undefined unless it is a non-empty string.
 */
const textOf = (value) => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * @param {unknown} value
 * @returns {readonly unknown[]}
 */
const arrayOf = (value) => (Array.isArray(value) ? value : [])

/**
 * @param {unknown} value
 * @returns {number | undefined} Undefined unless it is a count.
 */
const countOf = (value) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined)

/**
 * @param {unknown} value
 * @returns {number | undefined} Undefined unless it is an amount of money or time.
 */
const amountOf = (value) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined)

/**
 * The sum of the counts among some values; undefined if there is none.
 * @param {readonly unknown[]} values
 * @returns {number | undefined}
 */
const sumOf = (values) => {
  /** @type {number | undefined} */
  let sum
  for (const value of values) {
    const count = countOf(value)
    if (count !== undefined) sum = (sum ?? 0) + count
  }
  return sum
}

/**
 * The known usage; undefined if nothing is known or nothing was used.
 * @param {{ [K in keyof CliUsage]: number | undefined }} counts
 * @returns {CliUsage | undefined}
 */
const usageOf = (counts) => {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.some(([, count]) => count !== 0) ? Object.fromEntries(known) : undefined
}

/**
 * The sum of usages; undefined if there is none.
 * @param {readonly (CliUsage | undefined)[]} usages
 * @returns {CliUsage | undefined}
 */
const usageSum = (usages) => {
  const known = usages.filter((usage) => usage !== undefined)
  const names = new Set(known.flatMap((usage) => Object.keys(usage)))
  const sums = [...names].map((name) => [name, sumOf(known.map((usage) => objectOf(usage)[name]))])
  return names.size === 0 ? undefined : Object.fromEntries(sums)
}

/** How much of a non-text value is written out. */
const MAX_WRITTEN_UNITS = 64 * 1024

/**
 * What a tool returned, as text: a string, the texts among blocks, or JSON.
 * @param {unknown} content
 * @returns {string}
 */
const contentText = (content) => {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  const texts = arrayOf(content).flatMap((block) => textOf(objectOf(block)['text']) ?? [])
  if (texts.length > 0) return texts.join('\n')
  try {
    return JSON.stringify(content).slice(0, MAX_WRITTEN_UNITS)
  } catch {
    // It is nested too deeply.
    return ''
  }
}

module.exports = { amountOf, arrayOf, contentText, countOf, objectOf, sumOf, textOf, usageOf, usageSum }
