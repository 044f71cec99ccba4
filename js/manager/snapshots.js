'use strict'
/** The snapshots of a manager: both sides of it, here and in native code. */
const native = require('../../binding.js')
const { errorOf } = require('../errors.js')
const { MessageList } = require('../message-list.js')
const { makeSnapshot, messageCopier, snapshotFields, snapshotState } = require('../snapshot.js')
const { followPins } = require('./messages.js')

/** @typedef {import('./state.js').State} State */

/**
 * @param {State} state
 * @param {any} options
 */
const exportSnapshot = (state, options) => {
  const { handle } = state
  try {
    const start = native.snapshotStart(handle, options, options?.after)
    // All of it before the copies, which may run code of the caller's.
    const [head, messages, last] = [snapshotState(handle, start > 0), state.messages.toArray(start), state.messages.at(start - 1)]
    return makeSnapshot(messages, head, last?.id)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * @param {State} state
 * @param {any} snapshot
 * @param {any} options
 */
const importSnapshot = (state, snapshot, options) => {
  const { handle } = state
  const messages = new MessageList()
  let append, outcome, pinnedBefore
  try {
    append = options?.append
    pinnedBefore = native.pinnedMessages(handle)
    const makeRoom = () => state.messages.reserve(messages.length)
    outcome = native.importSnapshot(handle, options, append, snapshotFields(snapshot), messageCopier(messages), makeRoom)
  } catch (thrown) {
    throw errorOf(thrown)
  }
  if (append) {
    state.messages.addAll(messages)
    for (const { id } of messages.toArray()) state.tokenFunctions.changed(id)
    followPins(state, pinnedBefore, native.pinnedMessages(handle))
  } else {
    state.replaceMessages(messages)
    followPins(state, messages.toArray().flatMap(({ pinned }, index) => (pinned === true ? [index] : [])), native.pinnedMessages(handle))
  }
  const [isOtherTask, warning] = outcome
  if (append && !isOtherTask) state.warn(warning)
  else state.teamTaskChanged(warning)
}

/** @param {State} state */
const clear = (state) => {
  native.clearManager(state.handle)
  state.replaceMessages(new MessageList())
  state.teamTaskChanged(undefined)
}

module.exports = { clear, exportSnapshot, importSnapshot }
