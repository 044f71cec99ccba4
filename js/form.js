'use strict'
/** Reads the last argument of every function that makes a prompt: in which form it is wanted. */
const { types } = require('node:util')
const { invalidArgument, makeError } = require('./errors.js')

const { isArray } = Array
const { isSafeInteger } = Number
const { keys } = Object
const { isUint8Array } = types

/**
 * @typedef {object} Form
 * @property {'string' | 'buffer' | 'into'} kind
 * @property {boolean} report Whether the result has a report.
 * @property {Uint8Array} [into] Only if `kind` is `into`.
 * @property {number} [offset] Only if `kind` is `into`.
 */

/** @type {Form} The form if none is given. */
const STRING = { kind: 'string', report: false }

const KNOWN = ['report', 'as', 'into', 'offset']

/** @param {unknown} value */
const typeName = (value) => {
  if (value === null) return 'null'
  return isArray(value) ? 'array' : typeof value
}

/**
 * @param {string} path
 * @param {string} expected
 * @param {unknown} value
 */
const wrongType = (path, expected, value) => invalidArgument(`${path} must be ${expected}, got ${typeName(value)}`)

/**
 * Whether one letter added, left out, replaced or swapped with the next one makes `known` of `key`.
 * @param {string} key
 * @param {string} known
 */
const isTypo = (key, known) => {
  if (key.toLowerCase() === known) return true
  // One letter makes too many other words of a short one.
  if (known.length < 4 || Math.abs(key.length - known.length) > 1) return false
  let start = 0
  while (key[start] === known[start]) start += 1
  const rest = key.slice(start)
  const right = known.slice(start)
  const isSwapped = rest[0] === right[1] && rest[1] === right[0] && rest.slice(2) === right.slice(2)
  return isSwapped || rest.slice(1) === right || rest === right.slice(1) || rest.slice(1) === right.slice(1)
}

/** @param {object} form */
const refuseTypos = (form) => {
  for (const key of keys(form)) {
    if (KNOWN.includes(key)) continue
    const meant = KNOWN.find((known) => isTypo(key, known))
    if (meant !== undefined) throw invalidArgument(`form.${key} is not read here: did you mean form.${meant}?`)
  }
}

/**
 * @param {unknown} given
 * @returns {Form}
 */
const readForm = (given) => {
  if (given === undefined || given === null) return STRING
  if (typeof given !== 'object' || isArray(given)) throw wrongType('form', 'an object', given)
  refuseTypos(given)
  const { report, as, into, offset } = /** @type {Record<string, unknown>} */ (given)

  const isReported = report ?? false
  if (typeof isReported !== 'boolean') throw wrongType('form.report', 'a boolean', report)

  const named = as ?? undefined
  if (named !== undefined && typeof named !== 'string') throw wrongType('form.as', "'string' or 'buffer'", as)
  if (named !== undefined && named !== 'string' && named !== 'buffer') {
    throw invalidArgument(`form.as must be 'string' or 'buffer', got '${named}'`)
  }

  if (into === undefined || into === null) {
    if ((offset ?? undefined) !== undefined) throw invalidArgument('form.offset must be given together with form.into')
    return { kind: named ?? 'string', report: isReported }
  }
  if (named !== undefined) throw invalidArgument('form.as must not be given together with form.into')
  if (!isUint8Array(into)) throw wrongType('form.into', 'a Buffer or Uint8Array', into)
  const start = offset ?? 0
  if (typeof start !== 'number') throw wrongType('form.offset', 'a non-negative integer', offset)
  if (!isSafeInteger(start) || start < 0) {
    throw makeError('RangeError', `form.offset must be a non-negative integer, got ${start}`, {
      code: 'ERR_OUT_OF_RANGE',
    })
  }
  return { kind: 'into', report: isReported, into, offset: start }
}

module.exports = { readForm }
