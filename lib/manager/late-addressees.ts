/**
 * Late addressees. Coordinators store a message, resolve its addressees, and only then write them into
 * its `routing`. So a message without addressees is read again before every native call, as long as it
 * is among the newest ones. Once it has an addressee, that is fixed.
 */
import { LATE_MESSAGE_COUNT, type RoutingFields } from '../../binding.js'
import { isMissing, isObject } from '../checks/kinds.js'
import { type CheckedRouting, checkRouting } from '../messages/messages.js'
import { typeProblem } from '../checks/problems.js'
import { isPlain, own } from '../messages/copy.js'
import { isPromptmasonError } from '../errors.js'
import type { State } from './state.js'

/** A message without addressees. */
export interface LateMessage {
  id: string
  index: number
  /** Other objects that may get the routing: the one that the caller passed, and the one it got back. */
  sources: object[]
  parentMessageId: RoutingFields[1]
  intent: RoutingFields[2]
}

const { isArray } = Array
const { max } = Math
const { assign, defineProperty, hasOwn } = Object

/** What a message without routing says. */
const NOTHING = { routing: undefined, ...checkRouting(undefined) }

/** The routing of an object, as `addMessage` reads it: inherited properties are not message data. */
const routingOf = (object: { routing?: unknown }) =>
  hasOwn(object, 'routing') ? (object.routing ?? undefined) : undefined

/** The routing of a message: the first one with addressees, or else the stored one. */
const readRouting = (stored: object, sources: readonly object[]): CheckedRouting & { routing: unknown } => {
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

/** Follows the removal of a message. */
export const forgetRemoved = ({ late }: State, id: string, index: number) => {
  late.delete(id)
  for (const entry of late.values()) if (entry.index > index) entry.index -= 1
}

/** Reads the newest messages without addressees again, from an index on. */
export const watchFrom = ({ messages, late, isReadLate }: State, start: number) => {
  if (!isReadLate) return
  for (let index = max(start, messages.length - LATE_MESSAGE_COUNT); index < messages.length; index++) {
    if (!isMissing(messages.addressees(index))) continue
    const { id, routing } = messages.at(index)
    const { parentMessageId, intent } = checkRouting(ownRouting(routing))
    late.set(id, { id, index, sources: [], parentMessageId, intent })
  }
}

/** What is read of a routing before it is checked. */
type Unread = { readonly [Field in keyof CheckedRouting | 'resolvedAddressees']?: unknown }

const UNROUTED: Unread = {}

/**
 * Reads new addressees and passes them to native code. This may run caller code.
 * @param isLenient Whether to leave invalid routings for the next time.
 */
export const readLate = (state: State, isLenient: boolean) => {
  for (const entry of state.late.values()) {
    const { index, sources, parentMessageId, intent } = entry
    const stored: { routing?: unknown } | undefined = state.messages.items[index]
    // Messages that say what they said before are not checked again. Without calls, looking at 64 of
    // them takes an eighth of the time.
    let isAsBefore = stored !== undefined
    try {
      for (let place = -1; isAsBefore && place < sources.length; place++) {
        const object: { routing?: unknown } | undefined = place < 0 ? stored : sources[place]
        if (object === undefined || (place >= 0 && object === stored)) continue
        const routing = (('routing' in object ? object.routing : undefined) ?? UNROUTED) as Unread
        const { resolvedAddressees: resolved = null, addressees = null } = routing
        isAsBefore =
          typeof routing === 'object' &&
          (resolved === null || (isArray(resolved) && resolved.length === 0)) &&
          (addressees === null || (isArray(addressees) && addressees.length === 0)) &&
          (place >= 0 ||
            ((routing.parentMessageId ?? undefined) === parentMessageId && (routing.intent ?? undefined) === intent))
      }
    } catch {
      // Checking it throws the same, or leaves it.
      isAsBefore = false
    }
    if (!isAsBefore) readEntry(state, entry, isLenient)
  }
}

/**
 * Before a message is added. If its speaker may be new, everything is read: messages addressed so far
 * are not meant for a new member. Otherwise, only messages about to become too old are read, because
 * reading takes time for each of the newest ones.
 */
export const readBeforeAdding = (state: State, isNewSpeaker: boolean) => {
  for (const entry of state.late.values()) {
    if (!isNewSpeaker && entry.index > state.messages.length - LATE_MESSAGE_COUNT) break
    readEntry(state, entry, true)
  }
}

const readEntry = (state: State, entry: LateMessage, isLenient: boolean) => {
  let found
  try {
    found = readRouting(state.messages.at(entry.index), entry.sources)
  } catch (thrown) {
    if (isLenient) return
    throw isPromptmasonError(thrown) ? typeProblem(`${thrown.message}, in ${JSON.stringify(entry.id)}`) : thrown
  }
  // Caller code may have run, and changed the conversation.
  if (state.late.get(entry.id) !== entry) return
  take(state, entry, found)
  if (entry.index < state.messages.length - LATE_MESSAGE_COUNT) state.late.delete(entry.id)
}

const take = (state: State, entry: LateMessage, found: ReturnType<typeof readRouting>) => {
  const { routing, addressees, parentMessageId, intent } = found
  const isSame = parentMessageId === entry.parentMessageId && intent === entry.intent
  if (addressees === undefined && isSame) return
  state.envelopes.clear()
  state.native.addressMessage(entry.index, [addressees, parentMessageId, intent])
  assign(entry, { parentMessageId, intent })
  const message = state.messages.at(entry.index)
  if (message.routing !== routing) {
    defineProperty(message, 'routing', { value: routing, writable: true, enumerable: true, configurable: true })
  }
  if (addressees === undefined) return
  state.messages.keepAddressees(entry.index, addressees)
  state.late.delete(entry.id)
}

/** A routing without inherited properties, if it is a plain object. */
export const ownRouting = (routing: unknown) => {
  if (!isObject(routing) || Array.isArray(routing) || !isPlain(routing)) return routing
  return {
    resolvedAddressees: own(routing, 'resolvedAddressees'),
    addressees: own(routing, 'addressees'),
    parentMessageId: own(routing, 'parentMessageId'),
    intent: own(routing, 'intent'),
  }
}
