'use strict'
/** The last argument of every function that makes a prompt: in which form it is wanted. */
const { types } = require('node:util')
const { fields } = require('./fields.js')
const { boolean, integer, oneOf, optional } = require('./kinds.js')
const { typeProblem, wrongType } = require('./problems.js')

const { isArray } = Array

/** @type {import('./kinds.js').Kind<Uint8Array>} */
const memory = (value, parent, name) =>
  types.isUint8Array(value) ? value : wrongType('a Buffer or Uint8Array', value, parent, name)

const table = fields({
  report: optional(boolean, false),
  as: optional(oneOf(['string', 'buffer'])),
  into: optional(memory),
  offset: optional(integer(0)),
})

/**
 * @typedef {object} Form
 * @property {'string' | 'buffer' | 'into'} kind
 * @property {boolean} report Whether the result has a report.
 * @property {Uint8Array | undefined} into
 * @property {number} offset
 */

/** @type {Form} */
const STRING = { kind: 'string', report: false, into: undefined, offset: 0 }

/**
 * @param {unknown} given
 * @returns {Form}
 */
const readForm = (given) => {
  if (given === undefined || given === null) return STRING
  if (isArray(given)) wrongType('an object', given, '', 'form')
  const { report, as, into, offset } = table(given, '', 'form')
  if (into === undefined) {
    if (offset !== undefined) throw typeProblem('form.offset must be given together with form.into')
    return { kind: as ?? 'string', report, into, offset: 0 }
  }
  if (as !== undefined) throw typeProblem('form.as must not be given together with form.into')
  return { kind: 'into', report, into, offset: offset ?? 0 }
}

module.exports = { readForm }
