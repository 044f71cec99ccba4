'use strict'
/**
 * Tables of fields: the only list of what an input has on this side. A table reads each field once,
 * in its order, and returns a plain object with exactly these fields. Native code takes that object
 * as a struct with the same names.
 */
const { isMissing } = require('./kinds.js')
const { misnamed, pathOf, unknownValue, wrongType } = require('./problems.js')
const { spelling } = require('./spelling.js')

/** @typedef {import('./problems.js').Name} Name */
/**
 * @template [T=any]
 * @typedef {import('./kinds.js').Kind<T>} Kind
 */

const { fromEntries, hasOwn, keys } = Object
const NOTHING = Object.freeze({ __proto__: null })

/**
 * @typedef {object} Rules
 * @property {boolean} [required] Whether the object is required. By default, undefined and null count as
 * an empty object.
 * @property {boolean} [own] Whether to read only own properties, not inherited ones.
 * @property {boolean} [strict] Whether to reject every key that is not in the table. By default, only likely misspellings are rejected.
 * @property {boolean} [anyKeys] Whether to skip the check of keys, as for caller-supplied objects.
 * @property {boolean} [top] Whether its fields are named without its path: `maxBytes`, not `input.maxBytes`.
 * @property {Record<string, string>} [misnamed] Names that other functions use for a field of this one. They are rejected if the right one is missing.
 * @property {readonly string[]} [also] Fields that are read elsewhere.
 * @property {readonly string[]} [besides] Fields added to the result later: reserving room for them is faster.
 */

/**
 * What a table returns, in the form of the generated types of native functions: a field that may be
 * undefined is optional.
 * @template {Record<string, Kind>} T
 * @typedef {{ [K in keyof T as undefined extends ReturnType<T[K]> ? never : K]: ReturnType<T[K]> }
 *   & { [K in keyof T as undefined extends ReturnType<T[K]> ? K : never]?: Exclude<ReturnType<T[K]>, undefined> }} Fields
 */

/**
 * A kind for objects with these fields.
 * @template {Record<string, Kind>} T
 * @param {T} table
 * @param {Rules} [rules]
 * @returns {Kind<Fields<T>> & { names: string[] }} The names are for a test.
 */
const fields = (table, rules = {}) => {
  const names = keys(table)
  const kinds = names.map((name) => /** @type {Kind} */ (table[name]))
  // A copy of it already has all fields, so assigning to them never calls a setter on a prototype.
  const empty = /** @type {any} */ (fromEntries([...names, ...(rules.besides ?? [])].map((name) => [name, undefined])))
  const known = [...names, ...(rules.also ?? []), ...keys(rules.misnamed ?? {})]
  const meantBy = spelling(known)
  const others = Object.entries(rules.misnamed ?? {})

  /** @param {any} given @param {string} path */
  const checkKeys = (given, path) => {
    for (const key of keys(given)) {
      if (rules.strict === true && !known.includes(key)) {
        unknownValue(`an object with keys of ${names.join(', ')}`, key, '', path)
      }
      const meant = meantBy(key).find((name) => !(name in given))
      if (meant !== undefined) misnamed(path, key, meant)
    }
  }

  return Object.assign(check, { names })

  /** @type {Kind} */
  function check(value, parent, name) {
    if (rules.required !== true && isMissing(value)) value = NOTHING
    else if (typeof value !== 'object' || value === null) wrongType('an object', value, parent, name)
    const path = rules.top === true ? '' : pathOf(parent, name)
    if (rules.anyKeys !== true) checkKeys(value, path)
    const checked = { ...empty }
    for (let index = 0; index < names.length; index++) {
      const field = /** @type {string} */ (names[index])
      const given = rules.own === true && !hasOwn(value, field) ? undefined : value[field]
      if (isMissing(given)) checkOthers(value, path, field)
      checked[field] = /** @type {Kind} */ (kinds[index])(given, path, field)
    }
    return checked
  }

  /** @param {any} value @param {string} path @param {string} missing */
  function checkOthers(value, path, missing) {
    for (const [wrong, right] of others) {
      if (right === missing && !isMissing(value[wrong])) misnamed(path, wrong, right)
    }
  }
}

module.exports = { fields }
