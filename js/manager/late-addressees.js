'use strict'
/**
 * Late addressees. Coordinators store a message, resolve its addressees, and only then write them into
 * its `routing`. So a message without addressees is read again before every native call, as long as it
 * is among the newest ones. Once it has an addressee, that is fixed.
 */
const { LATE_MESSAGE_COUNT } = require('../../binding.js')
const { checkRouting } = require('../checks/messages.js')
const { typeProblem } = require('../checks/problems.js')
const { ownRouting } = require('../checks/snapshots.js')
const { isPromptmasonError } = require('../errors.js')

/** @typedef {import('./state.js').State} State */
/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {number} index
 * @property {any[]} sources Other objects that may get the routing: the one that the caller passed, and the one it got back.
 * @property {string | undefined} parentMessageId
 * @property {string | undefined} intent
 */

const { defineProperty, hasOwn } = Object

/** @type {{ routing: any } & Partial<ReturnType<typeof checkRouting>>} What a message without routing says. */
const NOTHING = { routing: undefined, addressees: undefined, parentMessageId: undefined, intent: undefined }

/**
 * The routing of an object, as `addMessage` reads it: inherited properties are not message data.
 * @param {any} object
 */
const routingOf = (object) => (hasOwn(object, 'routing') ? (object.routing ?? undefined) : undefined)

/**
 * The routing of a message: the first one with addressees, or else the stored one.
 * @param {any} stored
 * @param {readonly any[]} sources
 */
const readRouting = (stored, sources) => {
  const routing = routingOf(stored)
  const read = routing === undefined ? NOTHING : { routing, ...checkRouting(ownRouting(routing)) }
  if (read.addressees !== undefined) return read
  for (const source of sources) {
    const other = source === stored ? undefined : routingOf(source)
    if (other === undefined || other === routing) continue
    const found = { routing: other, ...checkRouting(ownRouting(other)) }
    if (found.addressees !== undefined) return found
  }
  return read
}

class LateAddressees {
  /** @type {Map<string, Entry>} By the ids of messages, oldest first. */
  #entries = new Map()

  /**
   * Reads this object from now on, instead of the previous one.
   * @param {State} state
   * @param {number} index
   * @param {any[]} sources
   */
  watch(state, index, sources) {
    const { id, routing } = state.messages.at(index)
    const { parentMessageId, intent } = checkRouting(ownRouting(routing))
    this.#entries.set(id, { id, index, sources, parentMessageId, intent })
  }

  /**
   * The same for one whose routing was just checked.
   * @param {Entry} entry
   */
  add(entry) {
    this.#entries.set(entry.id, entry)
  }

  /** @param {string} id */
  has(id) {
    return this.#entries.has(id)
  }

  /** @param {string} id */
  forget(id) {
    this.#entries.delete(id)
  }

  /**
   * Follows the removal of a message.
   * @param {string} id
   * @param {number} index
   */
  removed(id, index) {
    this.#entries.delete(id)
    for (const entry of this.#entries.values()) if (entry.index > index) entry.index -= 1
  }

  clear() {
    this.#entries.clear()
  }

  /**
   * Reads new addressees and passes them to native code. This may run caller code.
   * @param {State} state
   * @param {boolean} isLenient Whether to leave invalid routings for the next time.
   */
  read(state, isLenient) {
    for (const entry of this.#entries.values()) this.#readEntry(state, entry, isLenient)
  }

  /**
   * Before a message is added. If its speaker may be new, everything is read: messages addressed so far
   * are not meant for a new member. Otherwise, only messages about to become too old are read, because
   * reading takes time for each of the newest ones.
   * @param {State} state
   * @param {boolean} isNewSpeaker
   */
  beforeAdding(state, isNewSpeaker) {
    if (isNewSpeaker) this.read(state, true)
    else {
      for (const entry of this.#entries.values()) {
        if (entry.index > state.messages.length - LATE_MESSAGE_COUNT) break
        this.#readEntry(state, entry, true)
      }
    }
  }

  /**
   * @param {State} state
   * @param {Entry} entry
   * @param {boolean} isLenient
   */
  #readEntry(state, entry, isLenient) {
    let found
    try {
      found = readRouting(state.messages.at(entry.index), entry.sources)
    } catch (/** @type {any} */ thrown) {
      if (isLenient) return
      throw isPromptmasonError(thrown) ? typeProblem(`${thrown.message}, in ${JSON.stringify(entry.id)}`) : thrown
    }
    // Caller code may have run, and changed the conversation.
    if (this.#entries.get(entry.id) !== entry) return
    this.#take(state, entry, found)
    if (entry.index < state.messages.length - LATE_MESSAGE_COUNT) this.#entries.delete(entry.id)
  }

  /**
   * @param {State} state
   * @param {Entry} entry
   * @param {ReturnType<typeof readRouting>} found
   */
  #take(state, entry, { routing, addressees, parentMessageId, intent }) {
    const isSame = parentMessageId === entry.parentMessageId && intent === entry.intent
    if (addressees === undefined && isSame) return
    state.native.addressMessage(entry.index, /** @type {any} */ ([addressees, parentMessageId, intent]))
    entry.parentMessageId = parentMessageId
    entry.intent = intent
    const message = state.messages.at(entry.index)
    if (message.routing !== routing) {
      defineProperty(message, 'routing', { value: routing, writable: true, enumerable: true, configurable: true })
    }
    if (addressees === undefined) return
    state.messages.keepAddressees(entry.index, addressees)
    this.#entries.delete(entry.id)
  }
}

module.exports = { LateAddressees }
