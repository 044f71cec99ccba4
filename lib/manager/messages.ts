/** Adds, changes and removes the messages of a manager, here and in native code. */
import { ID_PREFIX, LATE_MESSAGE_COUNT } from '../../binding.js'
import { object, string } from '../checks/kinds.js'
import { checkMessage, checkOwnId } from '../messages/messages.js'
import { unknownValue } from '../checks/problems.js'
import { errorOf } from '../errors.js'
import type { State } from './state.js'

const { hasOwn } = Object
const { apply } = Reflect

export const addMessage = (state: State, message: any) => {
  // What is stored is what was read, so the message is copied first. The copy has its id from the
  // beginning, so a setter on Object.prototype is not called for it or for any other field, including
  // `__proto__`. (Adding the id after the message takes 300 ns more.)
  const copy = { id: '', ...message } as any
  const fields = checkMessage(message, copy)
  if (state.keepsIds) checkOwnId(copy.id)
  state.late.beforeAdding(state, state.isNewSpeaker(fields))
  // Read only now, because a caller's getter may have replaced them.
  state.messages.reserve()
  try {
    if (state.keepsIds) state.native.addMessage(fields, copy.id)
    else copy.id = ID_PREFIX + state.native.addMessage(fields)
  } catch (thrown) {
    throw errorOf(thrown)
  }
  const { 5: addressees, 6: parentMessageId, 7: intent } = fields as any
  if (addressees === undefined) {
    const { id } = copy
    state.late.add({ id, index: state.messages.length, sources: [copy, message], parentMessageId, intent })
  }
  state.messages.add(copy, addressees)
  state.tokenFunctions.changed(copy.id)
  const hook = state.onMessageAdded
  if (hook !== undefined) apply(hook, state.options, [copy])
  return copy
}

export const updateMessage = (state: State, id: string, changes: any) => {
  // The changes are read first: that may run caller code, which may change the message.
  const changed = { ...changes }
  const current = state.messages.at(indexOf(state, id))
  object(changes, '', 'changes')
  const changedId = hasOwn(changed, 'id') ? changed.id : undefined
  if (changedId !== undefined && changedId !== null && string(changedId, 'changes', 'id') !== id) {
    unknownValue('the id of the message, which does not change', changedId, 'changes', 'id')
  }
  const copy = { ...withoutReplaced(current, changed), ...changed, id: current.id }
  const isRouted = hasOwn(changed, 'routing')
  const fields = checkMessage(copy, copy)
  state.late.read(state, true)
  const index = indexOf(state, id)
  const isSettled = !isRouted && !state.late.has(id)
  // A caller may have changed its own list since.
  if (isSettled) fields[5] = state.messages.addressees(index)
  try {
    state.native.updateMessage(id, fields)
  } catch (thrown) {
    throw errorOf(thrown)
  }
  state.messages.replace(index, copy)
  if (isRouted) {
    const { 5: addressees, 6: parentMessageId, 7: intent } = fields as any
    state.messages.keepAddressees(index, addressees)
    const isLate = addressees === undefined && index >= state.messages.length - LATE_MESSAGE_COUNT
    if (isLate) state.late.add({ id, index, sources: [copy, changes], parentMessageId, intent })
    else state.late.forget(id)
  }
  state.tokenFunctions.changed(copy.id)
  return copy
}

/**
 * A message without its content if the changes bring parts, and without its parts if they bring a
 * content.
 */
const withoutReplaced = (current: any, changed: any) => {
  const { content, parts, ...rest } = current
  if (parts === undefined) return changed.parts === undefined || changed.parts === null ? current : rest
  if (hasOwn(changed, 'parts')) return rest
  return hasOwn(changed, 'content') && changed.content !== content ? rest : current
}

const indexOf = (state: State, id: unknown) => {
  const checked = string(id, '', 'id')
  try {
    return state.native.findMessage(checked)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

export const removeMessage = (state: State, id: unknown) => {
  const checked = string(id, '', 'id')
  try {
    const index = state.native.removeMessage(checked)
    const removed = state.messages.remove(index)
    state.late.removed(checked, index)
    state.tokenFunctions.removed(removed.id)
    return removed
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

export const setPinned = (state: State, id: unknown, isPinned: boolean) => {
  const checked = string(id, '', 'id')
  try {
    return markPinned(state, state.native.setPinned(checked, isPinned), isPinned)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

const markPinned = (state: State, index: number, isPinned: boolean) => {
  const { pinned: _, ...message } = state.messages.at(index)
  if (isPinned) message.pinned = true
  state.messages.replace(index, message)
  return message
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
