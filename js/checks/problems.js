'use strict'
/**
 * Errors for values that callers pass. A place is given as its parent's path and its own name, and
 * becomes a path only if there is something to report.
 */
const { makeError } = require('../errors.js')

const { isArray } = Array
const { toString } = Object.prototype
const { apply } = Reflect

/** @typedef {string | number} Name The name of a field, or the index of an element. */

/**
 * How a caller would write a place: `name`, `parent.name` or `parent[0]`.
 * @param {string} parent
 * @param {Name} name
 */
const pathOf = (parent, name) => {
  if (typeof name === 'number') return `${parent}[${name}]`
  return parent === '' ? name : `${parent}.${name}`
}

/** @type {Record<string, string>} What is easily mistaken for something else is named. */
const MISTAKEN = {
  '[object Promise]': 'a Promise: did you forget to await it?',
  '[object Map]': 'a Map',
  '[object Set]': 'a Set',
}

/**
 * What a value is, for an error message.
 * @param {unknown} value
 */
const described = (value) => {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  try {
    if (isArray(value)) return 'array'
    return MISTAKEN[apply(toString, value, [])] ?? 'object'
  } catch {
    return 'a proxy that was revoked or throws'
  }
}

/** @param {string} message */
const typeProblem = (message) => makeError('TypeError', message, { code: 'ERR_INVALID_ARG_TYPE' })

/**
 * The error for a value of the wrong type.
 * @param {string} expected
 * @param {unknown} value
 * @param {string} parent
 * @param {Name} name
 * @returns {never}
 */
const wrongType = (expected, value, parent, name) => {
  throw typeProblem(`${pathOf(parent, name)} must be ${expected}, got ${described(value)}`)
}

/**
 * An unknown string.
 * @param {string} expected
 * @param {string} value
 * @param {string} parent
 * @param {Name} name
 * @returns {never}
 */
const unknownValue = (expected, value, parent, name) => {
  throw typeProblem(`${pathOf(parent, name)} must be ${expected}, got '${value}'`)
}

/**
 * A number, or the result of a caller-supplied function, that makes no sense here.
 * @param {string} expected
 * @param {unknown} value
 * @param {string} parent
 * @param {Name} name
 * @param {string} [got] What it is.
 * @returns {never}
 */
const outOfRange = (
  expected,
  value,
  parent,
  name,
  got = typeof value === 'number' ? String(value) : described(value),
) => {
  throw makeError('RangeError', `${pathOf(parent, name)} must be ${expected}, got ${got}`, { code: 'ERR_OUT_OF_RANGE' })
}

/**
 * A field under a name that is not read.
 * @param {string} parent
 * @param {string} name
 * @param {string} right The name that was probably meant.
 * @returns {never}
 */
const misnamed = (parent, name, right) => {
  throw typeProblem(`${pathOf(parent, name)} is not read here: did you mean ${pathOf(parent, right)}?`)
}

module.exports = { described, misnamed, outOfRange, pathOf, typeProblem, unknownValue, wrongType }
