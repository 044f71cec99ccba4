'use strict'
/** The snapshots of a manager: both sides of it, here and in native code. */
const { exportOptions, importOptions } = require('../checks/manager.js')
const { checkSnapshot, checkSnapshotMessage, invalidSnapshot } = require('../checks/snapshots.js')
const { Copier } = require('../copy.js')
const { callNative } = require('../errors.js')
const { MessageList } = require('../message-list.js')
const { SNAPSHOT_VERSION } = require('../../binding.js')
const { followPins } = require('./messages.js')

/** @typedef {import('./state.js').State} State */

const { now } = Date
const { parse } = JSON

/**
 * @param {State} state
 * @param {unknown} options
 */
const exportSnapshot = (state, options) => {
  const { after } = exportOptions(options, '', 'options')
  const start = callNative(() => state.native.snapshotStart(after))
  // All of it before the copies, which may run caller code.
  const [head, messages, last] = [
    snapshotState(state, start > 0),
    state.messages.toArray(start),
    state.messages.at(start - 1),
  ]
  // What two messages share, such as a speaker, their copies share as well.
  const copier = new Copier()
  const copies = messages.map((/** @type {any} */ message) => copier.copyProperties(message))
  return {
    messages: copies,
    ...(last === undefined ? {} : { after: last.id }),
    ...head,
    timestamp: now(),
    version: SNAPSHOT_VERSION,
  }
}

/**
 * What a snapshot has besides messages. It is whole in every snapshot, also in one that has only
 * the later messages.
 * @param {State} state
 * @param {boolean} isPart Whether the snapshot has not all messages.
 */
const snapshotState = ({ native }, isPart) => {
  const lastNumber = native.removedLastNumber
  const memory = parse(native.snapshotMemory(isPart))
  return { teamTask: native.teamTask ?? null, ...memory, ...(typeof lastNumber === 'number' ? { lastNumber } : {}) }
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
  const { messages: given, ...head } = /** @type {any} */ (checkSnapshot(snapshot))
  const messages = new MessageList()
  const pending = native.beginImport(append)
  const copier = new Copier()
  for (let index = 0; index < given.length; index++) {
    // Reading may run caller code, whose exception is not about the snapshot.
    const copy = copyOf(given[index], copier)
    try {
      const fields = checkSnapshotMessage(copy)
      callNative(() => pending.add(copy.id, fields))
      messages.reserve()
      messages.add(copy)
    } catch (thrown) {
      throw invalidSnapshot(thrown, `messages[${index}]: `)
    }
  }
  // Nothing of the caller's runs from here on.
  if (append) state.messages.reserve(messages.length)
  const pinnedBefore = parse(native.pinnedMessages())
  const { isOther, warning } = parse(callNative(() => native.finishImport(pending, head)))
  if (append) {
    state.messages.addAll(messages)
    for (const { id } of messages.toArray()) state.tokenFunctions.changed(id)
    followPins(state, pinnedBefore, parse(native.pinnedMessages()))
  } else {
    state.replaceMessages(messages)
    const pinned = messages
      .toArray()
      .flatMap((/** @type {any} */ message, /** @type {number} */ index) => (message.pinned === true ? [index] : []))
    followPins(state, pinned, parse(native.pinnedMessages()))
  }
  if (append && !isOther) state.warn(warning)
  else state.teamTaskChanged(warning)
}

/** @param {State} state */
const clear = (state) => {
  state.native.clear()
  state.replaceMessages(new MessageList())
  state.teamTaskChanged()
}

module.exports = { clear, exportSnapshot, importSnapshot }
