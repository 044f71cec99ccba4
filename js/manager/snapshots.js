'use strict'
/** The snapshots of a manager, both its JavaScript and its native part. */
const { exportOptions, importOptions } = require('../checks/manager.js')
const { isMissing } = require('../checks/kinds.js')
const { ADDRESSEE_LISTS, addresseeOf, checkRouting } = require('../checks/messages.js')
const { checkLateRouting, checkSnapshot, checkSnapshotMessage, invalidSnapshot } = require('../checks/snapshots.js')
const { Copier } = require('../copy.js')
const { callNative, errorOf } = require('../errors.js')
const { MessageList } = require('../message-list.js')
const { SNAPSHOT_VERSION } = require('../../binding.js')
const { followPins } = require('./messages.js')

/** @typedef {import('./state.js').State} State */

const { isArray } = Array
const { now } = Date
const { fromEntries } = Object
const { parse } = JSON

/**
 * @param {State} state
 * @param {unknown} options
 */
const exportSnapshot = (state, options) => {
  const { after } = exportOptions(options, '', 'options')
  state.late.read(state, false)
  const start = callNative(() => state.native.snapshotStart(after))
  // Read all of it before copying, which may run caller code.
  const [head, messages, last] = [
    snapshotState(state, start),
    keptMessages(state, start, state.messages.length),
    state.messages.at(start - 1),
  ]
  const late = parse(state.native.lateBefore(start)).flatMap((/** @type {number} */ index) =>
    keptMessages(state, index, index + 1),
  )
  // If two messages share an object, such as a speaker, so do their copies.
  const copier = new Copier()
  const copyKept = (/** @type {Kept} */ { message, addressees }) =>
    withAddressees(copier.copyProperties(message), addressees)
  const lateRoutings = late.map(copyKept).map((/** @type {any} */ { id, routing }) => ({ id, routing }))
  return {
    messages: messages.map(copyKept),
    ...(last === undefined ? {} : { after: last.id }),
    ...(lateRoutings.length > 0 ? { lateRoutings } : {}),
    ...head,
    timestamp: now(),
    version: SNAPSHOT_VERSION,
  }
}

/**
 * @typedef {object} Kept
 * @property {any} message
 * @property {Addressees | undefined} addressees
 */
/** @typedef {NonNullable<ReturnType<typeof checkRouting>['addressees']>} Addressees */

/**
 * Messages, and who they are for.
 * @param {State} state
 * @param {number} start
 * @param {number} end
 * @returns {Kept[]}
 */
const keptMessages = ({ messages }, start, end) =>
  messages.toArray(start, end).map((message, index) => ({ message, addressees: messages.addressees(start + index) }))

/**
 * A copy of a message with the addressees that prompts have: a caller may have changed its own list
 * after it was read.
 * @param {any} copy
 * @param {Addressees | undefined} addressees
 */
const withAddressees = (copy, addressees) => {
  if (hasAddressees(copy.routing, addressees)) return copy
  const lists = fromEntries(ADDRESSEE_LISTS.map((name) => [name, []]))
  copy.routing = { ...copy.routing, ...lists, resolvedAddressees: (addressees ?? []).map(addresseeOf) }
  return copy
}

/**
 * @param {any} routing
 * @param {Addressees | undefined} addressees
 */
const hasAddressees = (routing, addressees = []) => {
  if (isMissing(routing)) return addressees.length === 0
  try {
    const { addressees: found = [] } = checkRouting(routing)
    return found.length === addressees.length && found.every((one, index) => isSame(one, addressees[index]))
  } catch {
    return false
  }
}

/**
 * @param {Addressees[number]} one
 * @param {Addressees[number] | undefined} other
 */
const isSame = (one, other) =>
  typeof one === 'string' || !isArray(other)
    ? one === other
    : one.every((/** @type {unknown} */ name, /** @type {number} */ index) => name === other[index])

/**
 * Everything in a snapshot except messages. It is complete in every snapshot, even in one that has only
 * the later messages.
 * @param {State} state
 * @param {number} start The first message of the snapshot.
 */
const snapshotState = ({ native }, start) => {
  const lastNumber = native.removedLastNumber
  const memory = parse(native.snapshotMemory(start > 0))
  const decided = parse(native.snapshotDecided(start))
  return {
    teamTask: native.teamTask ?? null,
    ...memory,
    ...decided,
    ...(typeof lastNumber === 'number' ? { lastNumber } : {}),
  }
}

/** @param {any} message @param {InstanceType<typeof Copier>} copier */
const copyOf = (message, copier) =>
  typeof message === 'object' && message !== null ? copier.copyProperties(message) : message

/**
 * @param {State} state
 * @param {unknown} snapshot
 * @param {unknown} options
 */
const importSnapshot = (state, snapshot, options) => {
  const { native } = state
  const { append } = importOptions(options, '', 'options')
  const { messages: given, lateRoutings, decided, ...head } = /** @type {any} */ (checkSnapshot(snapshot))
  const messages = new MessageList()
  const pending = callNative(() => native.beginImport(append, decided))
  const copier = new Copier()
  const late = readLateRoutings(lateRoutings, copier)
  for (let index = 0; index < given.length; index++) {
    // Reading may run caller code, whose exception is not about the snapshot.
    const copy = copyOf(given[index], copier)
    try {
      const fields = checkSnapshotMessage(copy)
      pending.add(copy.id, fields)
      messages.reserve()
      messages.add(copy, /** @type {any} */ (fields)[5])
    } catch (thrown) {
      throw invalidSnapshot(errorOf(thrown), `messages[${index}]: `)
    }
  }
  if (append) state.late.read(state, true)
  // No caller code runs from here on.
  if (append) state.messages.reserve(messages.length)
  const pinnedBefore = parse(native.pinnedMessages())
  const { isOther, warning } = parse(
    callNative(() => native.finishImport(pending, { ...head, late: late.map(lateFields) })),
  )
  if (append) {
    const start = state.messages.length
    state.messages.addAll(messages)
    for (const { id, routing, addressees } of late) {
      const index = native.findMessage(id)
      state.messages.replace(index, { ...state.messages.at(index), routing })
      state.messages.keepAddressees(index, addressees)
      state.late.forget(id)
    }
    state.watchFrom(start)
    for (const { id } of messages.toArray()) state.tokenFunctions.changed(id)
    followPins(state, [...pinnedBefore, ...pinnedFrom(state, start)], parse(native.pinnedMessages()))
  } else {
    state.replaceMessages(messages)
    followPins(state, pinnedFrom(state, 0), parse(native.pinnedMessages()))
  }
  if (append && !isOther) state.warn(warning)
  else state.teamTaskChanged(warning)
}

/**
 * The indices of messages that say that they are pinned, from an index on.
 * @param {State} state
 * @param {number} start
 */
const pinnedFrom = ({ messages }, start) =>
  messages.toArray(start).flatMap((message, index) => (message.pinned === true ? [start + index] : []))

/**
 * Late routings, for messages of an earlier snapshot.
 * @param {readonly any[]} given
 * @param {InstanceType<typeof Copier>} copier
 */
const readLateRoutings = (given, copier) =>
  Array.from(given, (/** @type {any} */ one, index) => {
    const copy = copyOf(one, copier)
    try {
      return checkLateRouting(copy)
    } catch (thrown) {
      throw invalidSnapshot(thrown, `lateRoutings[${index}]: `)
    }
  })

/** @param {ReturnType<typeof checkLateRouting>} late */
const lateFields = ({ id, addressees, parentMessageId, intent }) => [id, [addressees, parentMessageId, intent]]

/** @param {State} state */
const clear = (state) => {
  state.native.clear()
  state.replaceMessages(new MessageList())
  state.teamTaskChanged()
}

module.exports = { clear, exportSnapshot, importSnapshot }
