'use strict'
/** Functions whose file is loaded when one of them is first called: many callers only assemble. */

const { fromEntries } = Object

/**
 * @template {Record<string, any>} T
 * @template {keyof T & string} N
 * @param {() => T} load
 * @param {readonly N[]} names
 * @returns {Pick<T, N>}
 */
const lazily = (load, names) => {
  /** @param {N} name */
  const later = (name) => ({ [name]: (/** @type {unknown[]} */ ...args) => load()[name](...args) })[name]
  return /** @type {any} */ (fromEntries(names.map((name) => [name, later(name)])))
}

module.exports = { lazily }
