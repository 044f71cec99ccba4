'use strict'
/**
 * Kinds of values. A kind is a function of a value and its place that returns the value to use, or
 * throws an error that names the place. `js/checks/fields.js` makes tables of them.
 */
const { outOfRange, pathOf, unknownValue, wrongType } = require('./problems.js')

/** @typedef {import('./problems.js').Name} Name */
/**
 * @template [T=any]
 * @typedef {(value: any, parent: string, name: Name) => T} Kind
 */

const { isArray } = Array
const { isFinite, isSafeInteger } = Number
const { hasOwn, keys } = Object

/** @param {unknown} value */
const isMissing = (value) => value === undefined || value === null

/**
 * Replaces undefined and null with the fallback.
 * @template T, [D=undefined]
 * @param {Kind<T>} kind
 * @param {D} [fallback]
 * @returns {Kind<T | D>}
 */
const optional = (kind, fallback) => (value, parent, name) =>
  isMissing(value) ? /** @type {D} */ (fallback) : kind(value, parent, name)

/** @type {Kind} What is checked elsewhere. */
const anything = (value) => value

/** @type {Kind<string>} */
const string = (value, parent, name) => (typeof value === 'string' ? value : wrongType('a string', value, parent, name))

/** @type {Kind<boolean>} */
const boolean = (value, parent, name) =>
  typeof value === 'boolean' ? value : wrongType('a boolean', value, parent, name)

/** @type {Kind<Function>} */
const func = (value, parent, name) =>
  typeof value === 'function' ? value : wrongType('a function', value, parent, name)

/** @type {Kind<Record<string, any>>} An object of any kind; its fields are not read. */
const object = (value, parent, name) =>
  typeof value === 'object' && value !== null ? value : wrongType('an object', value, parent, name)

/** @type {Kind<readonly any[]>} An array, also behind a proxy; its elements are not read. */
const array = (value, parent, name) => (isArray(value) ? value : wrongType('an array', value, parent, name))

/** @type {Kind<number>} */
const number = (value, parent, name) => (typeof value === 'number' ? value : wrongType('a number', value, parent, name))

/** @type {Kind<number>} */
const finiteNumber = (value, parent, name) =>
  isFinite(number(value, parent, name)) ? value : outOfRange('a finite number', value, parent, name)

/**
 * A count.
 * @param {number} min
 * @returns {Kind<number>}
 */
const integer = (min) => (value, parent, name) => {
  if (isSafeInteger(number(value, parent, name)) && value >= min) return value
  return outOfRange(min === 0 ? 'a non-negative integer' : 'a positive safe integer', value, parent, name)
}

/**
 * One of some strings.
 * @template {string} T
 * @param {readonly T[]} known
 * @param {string} [expected]
 * @returns {Kind<T>}
 */
const oneOf =
  (known, expected = listed(known)) =>
  (value, parent, name) =>
    known.includes(/** @type {T} */ (string(value, parent, name))) ? value : unknownValue(expected, value, parent, name)

/** `'a', 'b' or 'c'`. @param {readonly string[]} names */
const listed = (names) => {
  const quoted = names.map((name) => `'${name}'`)
  return quoted.length === 1 ? `${quoted[0]}` : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

/**
 * A copy of an array with every element checked.
 * @template T
 * @param {Kind<T>} kind
 * @param {string} [expected]
 * @returns {Kind<T[]>}
 */
const arrayOf =
  (kind, expected = 'an array') =>
  (value, parent, name) => {
    if (!isArray(value)) wrongType(expected, value, parent, name)
    const path = pathOf(parent, name)
    // `Array.from` defines elements, so it never calls a setter on a prototype.
    return Array.from(elements(value, path, kind))
  }

/**
 * Checks the elements one after another, so nothing after the first invalid one is read.
 * @template T
 * @param {readonly unknown[]} list
 * @param {string} path
 * @param {Kind<T>} kind
 */
function* elements(list, path, kind) {
  const { length } = list
  for (let index = 0; index < length; index++) yield kind(list[index], path, index)
}

/** @type {Kind<string[]>} */
const stringArray = arrayOf(string, 'an array of strings')

const manyStrings = arrayOf(string, 'a string or an array of strings')

/** @type {Kind<string[]>} A string or an array of strings, as an array. */
const strings = (value, parent, name) => (typeof value === 'string' ? [value] : manyStrings(value, parent, name))

/**
 * Names and values of an object's own enumerable properties, as entries in their order.
 * @template T
 * @param {Kind<T>} kind
 * @returns {Kind<[name: string, value: T][]>}
 */
const entriesOf = (kind) => (value, parent, name) => {
  object(value, parent, name)
  const path = pathOf(parent, name)
  return keys(value).map((key) => [key, kind(hasOwn(value, key) ? value[key] : undefined, path, key)])
}

/**
 * A kind with one more rule: `refine` returns the value to use, or throws.
 * @template T, U
 * @param {Kind<T>} kind
 * @param {(value: T, parent: string, name: Name) => U} refine
 * @returns {Kind<U>}
 */
const refined = (kind, refine) => (value, parent, name) => refine(kind(value, parent, name), parent, name)

module.exports = {
  anything,
  array,
  arrayOf,
  boolean,
  entriesOf,
  finiteNumber,
  func,
  integer,
  isMissing,
  listed,
  number,
  object,
  oneOf,
  optional,
  refined,
  string,
  stringArray,
  strings,
}
