'use strict'
/** Reads what other code has thrown. It may be anything, and reading it may throw again. */

const UNREADABLE = 'something that cannot be read was thrown'

/** @param {any} thrown */
const messageOf = (thrown) => {
  try {
    return typeof thrown?.message === 'string' ? thrown.message : String(thrown)
  } catch {
    return UNREADABLE
  }
}

/**
 * A property of it. Undefined if it has none, or if it cannot be read.
 * @param {any} thrown
 * @param {string} name
 */
const propertyOf = (thrown, name) => {
  try {
    return thrown?.[name]
  } catch {
    return undefined
  }
}

module.exports = { messageOf, propertyOf }
