'use strict'
/** Adds, changes and removes the messages of a manager, here and in native code. */
const native = require('../../binding.js')
const { TEMPORARY, onlyAddressee } = require('../envelopes.js')
const { errorOf, invalidArgument } = require('../errors.js')
const { dateOf } = require('../snapshot.js')

/** @typedef {import('./state.js').State} State */

/** Taken out: an object that native code has made is slow to read. */
const { ID_PREFIX, addMessage: addNative } = native
const { hasOwn } = Object
const { apply } = Reflect

/** @type {any} */
const NOTHING = { __proto__: null }

/**
 * An object to read fields of; one without any for anything else.
 * @param {any} value
 */
const fieldsOfObject = (value) => (typeof value === 'object' && value !== null ? value : NOTHING)

/**
 * Refuses what no snapshot could be restored with.
 * @param {unknown} timestamp
 */
const checkTimestamp = (timestamp) => {
  if (timestamp === undefined || timestamp === null || dateOf(timestamp) !== undefined) return
  throw invalidArgument('Message timestamp must be a Date, or a text or number that is one')
}

/**
 * @param {State} state
 * @param {any} message
 */
const addMessage = (state, message) => {
  // What is stored is what was read, so a copy is made first. It has an id of its own from the
  // beginning: a setter on Object.prototype has no say in it, nor in the other fields, and
  // `__proto__` is one of them. (With the id after the message, this takes 300 ns more.)
  const copy = { id: '', ...message }
  const { content, speaker, routing, pinned, timestamp } = copy
  let id, name, displayName, type, roleId, roleName, roleTitle, resolvedAddressees, addressees, parentMessageId, intent
  if (typeof speaker === 'object' && speaker !== null) ({ id, name, displayName, type, roleId, roleName } = speaker)
  if (typeof routing === 'object' && routing !== null) ({ resolvedAddressees, addressees, parentMessageId, intent } = routing)
  const isRole = roleId !== undefined || roleName !== undefined
  if (isRole) roleTitle = speaker.roleTitle
  const addressee = isRole ? undefined : onlyAddressee(routing, resolvedAddressees, addressees)
  const canBeKnown = addressee !== undefined && typeof id === 'string' && typeof content === 'string'
  const { handle, envelopes } = state
  try {
    const isPinned = pinned !== undefined && native.readPinned(pinned) === 1
    let envelope = canBeKnown ? envelopes.find(id, name, displayName, type, addressee) : undefined
    if (envelope === undefined) {
      envelope = canBeKnown ? envelopes.numberFor(id, addressee) : TEMPORARY
      // Of what can be known, only strings are passed: no code of the caller's runs until it is.
      const resolved = typeof addressee === 'string' ? [addressee] : resolvedAddressees
      native.keepEnvelope(
        handle, envelope, message, content, speaker, id, name, displayName, type, roleId, roleName, roleTitle, routing,
        resolved, addressees,
      )
      if (canBeKnown) envelopes.add(id, name, displayName, type, addressee, envelope)
    }
    checkTimestamp(timestamp)
    // Only now: a getter of the caller's may have replaced them.
    state.messages.reserve()
    copy.id = ID_PREFIX + addNative(handle, envelope, content, parentMessageId, intent)
    if (isPinned) native.setPinned(handle, copy.id, true)
  } catch (thrown) {
    throw errorOf(thrown)
  }
  state.messages.add(copy)
  state.tokenFunctions.changed(copy.id)
  const hook = state.onMessageAdded
  if (hook !== undefined && hook !== null) apply(hook, state.options, [copy])
  return copy
}

/**
 * @param {State} state
 * @param {string} id
 * @param {any} changes
 */
const updateMessage = (state, id, changes) => {
  const { handle } = state
  try {
    // The changes are read first: that may run code of the caller's, which may change the message.
    const changed = { ...changes }
    const current = state.messages.at(native.findMessage(handle, id))
    const changedId = hasOwn(changed, 'id') ? changed.id : undefined
    const copy = { ...current, ...changed, id: current.id }
    const { content, speaker, routing, pinned, timestamp } = copy
    checkTimestamp(timestamp)
    const { id: speakerId, name, displayName, type, roleId, roleName, roleTitle } = fieldsOfObject(speaker)
    const { resolvedAddressees, addressees, parentMessageId, intent } = fieldsOfObject(routing)
    const index = native.updateMessage(
      handle, id, changes, changedId, copy, content, speaker, speakerId, name, displayName, type, roleId, roleName, roleTitle,
      routing, resolvedAddressees, addressees, parentMessageId, intent, pinned,
    )
    state.messages.replace(index, copy)
    state.tokenFunctions.changed(copy.id)
    return copy
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * @param {State} state
 * @param {string} id
 */
const removeMessage = (state, id) => {
  try {
    const removed = state.messages.remove(native.removeMessage(state.handle, id))
    state.tokenFunctions.removed(removed.id)
    return removed
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * @param {State} state
 * @param {string} id
 * @param {boolean} isPinned
 */
const setPinned = (state, id, isPinned) => {
  try {
    return markPinned(state, native.setPinned(state.handle, id, isPinned), isPinned)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * @param {State} state
 * @param {number} index
 * @param {boolean} isPinned
 */
const markPinned = (state, index, isPinned) => {
  const { pinned: _, ...message } = state.messages.at(index)
  if (isPinned) message.pinned = true
  state.messages.replace(index, message)
  return message
}

/**
 * Our messages say themselves whether they are pinned, so they follow native code.
 * @param {State} state
 * @param {number[]} before Indices of those that say so.
 * @param {number[]} after Indices of those that are.
 */
const followPins = (state, before, after) => {
  const pinned = new Set(after)
  for (const index of before) if (!pinned.has(index)) markPinned(state, index, false)
  for (const index of after) if (state.messages.at(index).pinned !== true) markPinned(state, index, true)
}

module.exports = { addMessage, followPins, removeMessage, setPinned, updateMessage }
