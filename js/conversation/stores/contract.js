'use strict'
/** What all stores have in common: the check of their arguments, and the error of a conflict. */
const { fields } = require('../../checks/fields.js')
const { asJson } = require('../../checks/json.js')
const { array, arrayOf, integer, isMissing, refined, string } = require('../../checks/kinds.js')
const { unknownValue } = require('../../checks/problems.js')
const { makeError } = require('../../errors.js')
const { propertyOf } = require('../../thrown.js')

/** @typedef {import('../../../types/stores.js').StorePosition} StorePosition */

/**
 * A lone surrogate becomes U+FFFD in a file name and in Redis: two ids would be one.
 * @type {import('../../checks/kinds.js').Kind<string>}
 */
const conversationId = refined(string, (id, parent, name) =>
  id !== '' && id.isWellFormed() ? id : unknownValue('a well-formed string that is not empty', id, parent, name),
)

const owner = refined(string, (value, parent, name) =>
  value === '' ? unknownValue('a string that is not empty', value, parent, name) : value,
)
const ttlMs = integer(1)
const fence = integer(0)
const position = fields({ version: integer(0), fence }, { required: true, anyKeys: true })

const entriesAsJson = arrayOf(asJson)

/** @param {unknown} id */
const checkId = (id) => conversationId(id, '', 'id')

/** @param {unknown} id @param {unknown} given @param {unknown} ttl */
const checkAcquire = (id, given, ttl) => ({
  id: checkId(id),
  owner: owner(given, '', 'owner'),
  ttlMs: ttlMs(ttl, '', 'ttlMs'),
})

/**
 * The arguments of `append` and `compact`, each entry as JSON.
 * @param {unknown} id
 * @param {unknown} at
 * @param {unknown} entries
 */
const checkAppend = (id, at, entries) => ({
  id: checkId(id),
  at: /** @type {StorePosition} */ (position(at, '', 'at')),
  entries: entriesAsJson(entries, '', 'entries'),
})

/** @param {unknown} id @param {unknown} given */
const checkRelease = (id, given) => ({ id: checkId(id), fence: fence(given, '', 'fence') })

const acquired = fields({ fence }, { required: true, anyKeys: true })
const loaded = fields({ version: integer(0), entries: array }, { required: true, anyKeys: true })

/** The return values of a store, which may be caller-supplied. */
const returned = {
  /** @param {unknown} value @returns {{ fence: number }} */
  acquire: (value) => acquired(value, '', 'the result of store.acquire'),
  /** @param {unknown} value @returns {{ version: number, entries: readonly unknown[] } | null} */
  load: (value) => (isMissing(value) ? null : loaded(value, '', 'the result of store.load')),
  /** @param {unknown} value @returns {number} */
  append: (value) => integer(0)(value, '', 'the result of store.append'),
  /** @param {unknown} value @returns {number} */
  compact: (value) => integer(0)(value, '', 'the result of store.compact'),
}

/**
 * @param {string} id
 * @param {string} problem
 */
const conflict = (id, problem) =>
  makeError('Error', `the conversation '${id}' ${problem}`, { code: 'ERR_CONFLICT', conversation: id })

/** @param {string} id */
const openElsewhere = (id) => conflict(id, "is open elsewhere: close it there, or wait until its owner's lease expires")

/** @param {string} id */
const notOwner = (id) => conflict(id, 'is no longer open here: its lease has expired. Open it again')

/** @param {string} id */
const lostEntries = (id) => conflict(id, 'has fewer entries in its store than were written. Open it again')

/** @param {string} id @param {number} version @param {number} newest */
const otherVersion = (id, version, newest) =>
  conflict(id, `is at version ${newest}, not ${version}: it was changed elsewhere. Open it again`)

/**
 * Whether a store, which may be caller-supplied, reports a conflict.
 * @param {unknown} error
 */
const isConflict = (error) => propertyOf(error, 'code') === 'ERR_CONFLICT'

module.exports = {
  checkAcquire,
  checkAppend,
  checkId,
  checkRelease,
  conflict,
  conversationId,
  isConflict,
  lostEntries,
  notOwner,
  openElsewhere,
  otherVersion,
  returned,
}
