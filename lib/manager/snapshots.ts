/** The snapshots of a manager, both its JavaScript and its native part. */
import { exportOptions, importOptions } from './options.js'
import { isMissing } from '../checks/kinds.js'
import { ADDRESSEE_LISTS, addresseeOf, checkRouting } from '../messages/messages.js'
import { checkLateRouting, checkSnapshot, checkSnapshotMessage, invalidSnapshot } from './check-snapshot.js'
import { Copier } from '../messages/copy.js'
import { callNative, errorOf } from '../errors.js'
import { MessageList } from './message-list.js'
import { SNAPSHOT_VERSION } from '../../binding.js'
import { followPins } from './messages.js'
import type { State } from './state.js'

const { isArray } = Array
const { now } = Date
const { fromEntries } = Object
const { parse } = JSON

export const exportSnapshot = (state: State, options: unknown) => {
  const { after } = exportOptions(options, '', 'options')
  state.late.read(state, false)
  const start = callNative(() => state.native.snapshotStart(after))
  // Read all of it before copying, which may run caller code.
  const [head, messages, last] = [
    snapshotState(state, start),
    keptMessages(state, start, state.messages.length),
    state.messages.at(start - 1),
  ]
  const late = parse(state.native.lateBefore(start)).flatMap((index: number) => keptMessages(state, index, index + 1))
  // If two messages share an object, such as a speaker, so do their copies.
  const copier = new Copier()
  const copyKept = ({ message, addressees }: Kept) => withAddressees(copier.copyProperties(message), addressees)
  const lateRoutings = late.map(copyKept).map(({ id, routing }: any) => ({ id, routing }))
  return {
    messages: messages.map(copyKept),
    ...(last === undefined ? {} : { after: last.id }),
    ...(lateRoutings.length > 0 ? { lateRoutings } : {}),
    ...head,
    timestamp: now(),
    version: SNAPSHOT_VERSION,
  }
}

export interface Kept {
  message: any
  addressees: Addressees | undefined
}
export type Addressees = NonNullable<ReturnType<typeof checkRouting>['addressees']>

/** Messages, and who they are for. */
const keptMessages = ({ messages }: State, start: number, end: number): Kept[] =>
  messages.toArray(start, end).map((message, index) => ({ message, addressees: messages.addressees(start + index) }))

/**
 * A copy of a message with the addressees that prompts have: a caller may have changed its own list
 * after it was read.
 */
const withAddressees = (copy: any, addressees: Addressees | undefined) => {
  if (hasAddressees(copy.routing, addressees)) return copy
  const lists = fromEntries(ADDRESSEE_LISTS.map((name) => [name, []]))
  copy.routing = { ...copy.routing, ...lists, resolvedAddressees: (addressees ?? []).map(addresseeOf) }
  return copy
}

const hasAddressees = (routing: any, addressees: Addressees | undefined = []) => {
  if (isMissing(routing)) return addressees.length === 0
  try {
    const { addressees: found = [] } = checkRouting(routing)
    return found.length === addressees.length && found.every((one, index) => isSame(one, addressees[index]))
  } catch {
    return false
  }
}

const isSame = (one: Addressees[number], other: Addressees[number] | undefined) =>
  typeof one === 'string' || !isArray(other)
    ? one === other
    : one.every((name: unknown, index: number) => name === other[index])

/**
 * Everything in a snapshot except messages. It is complete in every snapshot, even in one that has only
 * the later messages.
 * @param start The first message of the snapshot.
 */
const snapshotState = ({ native }: State, start: number) => {
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

const copyOf = (message: any, copier: InstanceType<typeof Copier>) =>
  typeof message === 'object' && message !== null ? copier.copyProperties(message) : message

export const importSnapshot = (state: State, snapshot: unknown, options: unknown) => {
  const { native } = state
  const { append } = importOptions(options, '', 'options')
  const { messages: given, lateRoutings, decided, ...head } = checkSnapshot(snapshot) as any
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
      messages.add(copy, (fields as any)[5])
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

/** The indices of messages that say that they are pinned, from an index on. */
const pinnedFrom = ({ messages }: State, start: number) =>
  messages.toArray(start).flatMap((message, index) => (message.pinned === true ? [start + index] : []))

/** Late routings, for messages of an earlier snapshot. */
const readLateRoutings = (given: readonly any[], copier: InstanceType<typeof Copier>) =>
  Array.from(given, (one: any, index) => {
    const copy = copyOf(one, copier)
    try {
      return checkLateRouting(copy)
    } catch (thrown) {
      throw invalidSnapshot(thrown, `lateRoutings[${index}]: `)
    }
  })

const lateFields = ({ id, addressees, parentMessageId, intent }: ReturnType<typeof checkLateRouting>) => [
  id,
  [addressees, parentMessageId, intent],
]

export const clear = (state: State) => {
  state.native.clear()
  state.replaceMessages(new MessageList())
  state.teamTaskChanged()
}
