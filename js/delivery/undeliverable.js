'use strict'
/** The error for what a CLI would refuse, cut or lose. */
const { makeError } = require('../errors.js')
const { UNITS } = require('./measure.js')

/**
 * @param {string} cli
 * @param {string} problem Why not, and what a caller can do.
 * @param {{ size: number, limit: number, unit: import('./measure.js').SizeUnit }} [sizes] If the size is the reason.
 */
const undeliverable = (cli, problem, sizes) => {
  const measured = sizes === undefined ? '' : ` (${sizes.size} ${UNITS[sizes.unit]}, at most ${sizes.limit})`
  return makeError('RangeError', `cannot deliver to ${cli}: ${problem}${measured}`, {
    code: 'ERR_UNDELIVERABLE',
    cli,
    ...sizes,
  })
}

module.exports = { undeliverable }
