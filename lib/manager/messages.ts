/** Adds, changes and removes the messages of a manager, here and in native code. */
import { ID_PREFIX, LATE_MESSAGE_COUNT } from '../../binding.js'
import { isMissing, object, string } from '../checks/kinds.js'
import { checkMessage, checkOwnId, type ConversationMessage, type Unchecked } from '../messages/messages.js'
import { unknownValue } from '../checks/problems.js'
import { callNative, errorOf } from '../errors.js'
import { forgetRemoved, readBeforeAdding, readLate } from './late-addressees.js'
import { MessageList } from './message-list.js'
import type { MessageFields } from '../../binding.js'
import type { ManagerState, State } from './state.js'

const { hasOwn } = Object
const { apply } = Reflect

export const addMessage = <M extends ConversationMessage>(state: ManagerState<M>, message: unknown): M => {
  // What is stored is what was read, so the message is copied first. The copy has its id from the
  // beginning, so a setter on Object.prototype is not called for it or for any other field, including
  // `__proto__`. (Adding the id after the message takes 300 ns more.)
  const given = message as object
  const copy: Unchecked = { id: '', ...given }
  const fields = checkMessage(message, copy)
  const ownId = state.options.ids === 'keep' ? checkOwnId(copy.id) : undefined
  let like = state.envelopes.placeOf(fields)
  const isNewSpeaker = like === undefined && state.isNewSpeaker(fields)
  if (state.late.size > 0) {
    readBeforeAdding(state, isNewSpeaker)
    like = state.envelopes.placeOf(fields)
  }
  // Read only now, because a caller's getter may have replaced them.
  state.messages.reserve()
  try {
    if (ownId === undefined) copy.id = ID_PREFIX + addNative(state, fields, like)
    else state.native.addMessage(fields, ownId)
  } catch (thrown) {
    throw errorOf(thrown)
  }
  const { 5: addressees, 6: parentMessageId, 7: intent } = fields
  const stored = copy as M
  const { id } = stored
  if (like === undefined) state.envelopes.keep(fields, state.messages.length)
  if (state.isReadLate && isMissing(addressees)) {
    state.late.set(id, { id, index: state.messages.length, sources: [copy, given], parentMessageId, intent })
  }
  state.messages.add(stored, addressees)
  state.tokenFunctions.changed(id)
  const hook = state.options.onMessageAdded
  if (hook !== undefined) apply(hook, state.given, [stored])
  return stored
}

/** @param like The index of a message with the same speaker and addressees, if one is known. */
const addNative = ({ native }: State, fields: MessageFields, like: number | undefined) => {
  const { 0: content, 6: parentMessageId, 7: intent, 8: isPinned, 10: parts } = fields
  if (like === undefined || isPinned || parts !== undefined) return native.addMessage(fields)
  return native.addLike(like, content, parentMessageId, intent)
}

/** What a message would be with changes. */
export const readChanges = (state: State, id: string, changes: object) => {
  // The changes are read first: that may run caller code, which may change the message.
  const changed: Unchecked = { ...changes }
  const current = state.messages.at(indexOf(state, id))
  object(changes, '', 'changes')
  const changedId = hasOwn(changed, 'id') ? changed.id : undefined
  if (!isMissing(changedId) && changedId !== id) {
    const given = string(changedId, 'changes', 'id')
    unknownValue('the id of the message, which does not change', given, 'changes', 'id')
  }
  const copy: Unchecked = { ...withoutReplaced(current, changed), ...changed, id: current.id }
  return { copy, isRouted: hasOwn(changed, 'routing'), fields: checkMessage(copy, copy) }
}

export const updateMessage = <M extends ConversationMessage>(
  state: ManagerState<M>,
  id: string,
  changes: object,
): M => {
  const { copy, isRouted, fields } = readChanges(state, id, changes)
  readLate(state, true)
  const index = indexOf(state, id)
  const isSettled = !isRouted && !state.late.has(id)
  // A caller may have changed its own list since.
  if (isSettled) fields[5] = state.messages.addressees(index)
  state.envelopes.clear()
  callNative(() => state.native.updateMessage(id, fields))
  const stored = copy as M
  state.messages.replace(index, stored)
  if (isRouted) {
    const { 5: addressees, 6: parentMessageId, 7: intent } = fields
    state.messages.keepAddressees(index, addressees)
    const isLate = state.isReadLate && isMissing(addressees) && index >= state.messages.length - LATE_MESSAGE_COUNT
    if (isLate) state.late.set(id, { id, index, sources: [copy, changes], parentMessageId, intent })
    else state.late.delete(id)
  }
  state.tokenFunctions.changed(id)
  return stored
}

/** A message without its content if the changes bring parts, and without its parts if they bring a content. */
const withoutReplaced = (current: ConversationMessage, changed: Unchecked) => {
  const { content, parts, ...rest } = current
  if (parts === undefined) return isMissing(changed.parts) ? current : rest
  if (hasOwn(changed, 'parts')) return rest
  return hasOwn(changed, 'content') && changed.content !== content ? rest : current
}

const indexOf = (state: State, id: unknown) => {
  const checked = string(id, '', 'id')
  return callNative(() => state.native.findMessage(checked))
}

export const removeMessage = <M extends ConversationMessage>(state: ManagerState<M>, id: unknown): M => {
  const checked = string(id, '', 'id')
  const index = callNative(() => state.native.removeMessage(checked))
  state.envelopes.clear()
  const removed = state.messages.remove(index)
  forgetRemoved(state, checked, index)
  state.tokenFunctions.removed(checked)
  return removed
}

export const setPinned = <M extends ConversationMessage>(state: ManagerState<M>, id: unknown, isPinned: boolean): M => {
  const checked = string(id, '', 'id')
  const index = callNative(() => state.native.setPinned(checked, isPinned))
  return markPinned(state, index, isPinned)
}

const markPinned = <M extends ConversationMessage>(state: ManagerState<M>, index: number, isPinned: boolean): M => {
  const { pinned: _, ...rest }: ConversationMessage = state.messages.at(index)
  const message: ConversationMessage = rest
  if (isPinned) message.pinned = true
  const marked = message as M
  state.messages.replace(index, marked)
  return marked
}

/**
 * Our messages have their own pinned flag, which is synced with native code.
 * @param before Indices of the messages flagged as pinned.
 * @param after Indices of the messages that are pinned.
 */
export const followPins = (state: State, before: number[], after: number[]) => {
  const pinned = new Set(after)
  for (const index of before) if (!pinned.has(index)) markPinned(state, index, false)
  for (const index of after) if (state.messages.at(index).pinned !== true) markPinned(state, index, true)
}

export const clear = (state: State) => {
  state.native.clear()
  state.replaceMessages(new MessageList())
  state.teamTaskChanged()
}
