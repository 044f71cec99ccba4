/**
 * Late addressees. Coordinators store a message, resolve its addressees, and only then write them into
 * its `routing`. So a message without addressees is read again before every native call, as long as it
 * is among the newest ones. Once it has an addressee, that is fixed.
 */
import { LATE_MESSAGE_COUNT } from '../../binding.js'
import { checkRouting } from '../messages/messages.js'
import { typeProblem } from '../checks/problems.js'
import { ownRouting } from './check-snapshot.js'
import { isPromptmasonError } from '../errors.js'
import type { CheckedRouting } from '../messages/messages.js'
import type { RoutingFields } from '../../binding.js'
import type { State } from './state.js'

export interface Entry {
  id: string
  index: number
  /** Other objects that may get the routing: the one that the caller passed, and the one it got back. */
  sources: object[]
  parentMessageId: RoutingFields[1]
  intent: RoutingFields[2]
}

const { defineProperty, hasOwn } = Object

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

export class LateAddressees {
  /** By the ids of messages, oldest first. */
  #entries: Map<string, Entry> = new Map()

  /** Reads this object from now on, instead of the previous one. */
  watch(state: State, index: number, sources: object[]) {
    const { id, routing } = state.messages.at(index)
    const { parentMessageId, intent } = checkRouting(ownRouting(routing))
    this.#entries.set(id, { id, index, sources, parentMessageId, intent })
  }

  /** The same for one whose routing was just checked. */
  add(entry: Entry) {
    this.#entries.set(entry.id, entry)
  }

  has(id: string) {
    return this.#entries.has(id)
  }

  forget(id: string) {
    this.#entries.delete(id)
  }

  /** Follows the removal of a message. */
  removed(id: string, index: number) {
    this.#entries.delete(id)
    for (const entry of this.#entries.values()) if (entry.index > index) entry.index -= 1
  }

  clear() {
    this.#entries.clear()
  }

  /**
   * Reads new addressees and passes them to native code. This may run caller code.
   * @param isLenient Whether to leave invalid routings for the next time.
   */
  read(state: State, isLenient: boolean) {
    for (const entry of this.#entries.values()) this.#readEntry(state, entry, isLenient)
  }

  /**
   * Before a message is added. If its speaker may be new, everything is read: messages addressed so far
   * are not meant for a new member. Otherwise, only messages about to become too old are read, because
   * reading takes time for each of the newest ones.
   */
  beforeAdding(state: State, isNewSpeaker: boolean) {
    if (isNewSpeaker) this.read(state, true)
    else {
      for (const entry of this.#entries.values()) {
        if (entry.index > state.messages.length - LATE_MESSAGE_COUNT) break
        this.#readEntry(state, entry, true)
      }
    }
  }

  #readEntry(state: State, entry: Entry, isLenient: boolean) {
    let found
    try {
      found = readRouting(state.messages.at(entry.index), entry.sources)
    } catch (thrown) {
      if (isLenient) return
      throw isPromptmasonError(thrown) ? typeProblem(`${thrown.message}, in ${JSON.stringify(entry.id)}`) : thrown
    }
    // Caller code may have run, and changed the conversation.
    if (this.#entries.get(entry.id) !== entry) return
    this.#take(state, entry, found)
    if (entry.index < state.messages.length - LATE_MESSAGE_COUNT) this.#entries.delete(entry.id)
  }

  #take(state: State, entry: Entry, { routing, addressees, parentMessageId, intent }: ReturnType<typeof readRouting>) {
    const isSame = parentMessageId === entry.parentMessageId && intent === entry.intent
    if (addressees === undefined && isSame) return
    state.native.addressMessage(entry.index, [addressees, parentMessageId, intent])
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
