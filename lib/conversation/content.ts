/**
 * What a conversation is: its entries, one after another. An open conversation does what an entry says once it is
 * stored; a reopened one does the same with all of them. So it takes as long as what has changed, and both are always
 * in the same state.
 *
 * A turn that has begun and not ended is in doubt: nobody knows what the session has been shown, so it is not resumed.
 */
import { randomUUID } from 'node:crypto'
import { ContextManager } from '../manager/context-manager.js'
import {
  checkAddition,
  checkChange,
  fixAddressees,
  messageWithId,
  restoreMember,
  sessionHasAll,
} from '../manager/logged.js'
import { type ConversationMessage, dateOf } from '../messages/messages.js'
import { isPromptmasonError } from '../errors.js'
import { messageOf } from '../thrown.js'
import { FORMAT, numberOf, unreadable } from './entries.js'
import type { Compacted, Entry, KeptMember, StoredMessage } from './entries.js'
import type { ContextManagerOptions } from '../manager/options.js'

const { assign, entries: entriesOf, fromEntries } = Object
const { stringify } = JSON

/** The approximate size of a compacted log without its messages, if it was never compacted. */
const STATE_BYTES = 4096

/** As the manager takes it: JSON turns a date into a string. */
const restored = (message: StoredMessage) =>
  // The manager checks it.
  ({ ...message, timestamp: dateOf(message.timestamp) }) as ConversationMessage

export class Content {
  readonly manager: ContextManager
  readonly members: Map<string, KeptMember> = new Map()
  /** Marks the programs of its turns. No other conversation has it. */
  key: string = randomUUID()
  /** The number of the last message. */
  last = 0
  /** What the team works on, as `openConversation` was given it last. */
  definedTask: string | null | undefined
  /** The sessions whose messages were adopted (`adoption.ts`). */
  adopted: Set<string> = new Set()
  /** Whose turns have begun and not ended. */
  readonly underWay: Set<string> = new Set()
  /** How often a message was changed or removed since the log was compacted. Each takes time when it is read. */
  edits = 0
  #isAddressed
  #messageBytes = 0
  #stateBytes = STATE_BYTES

  constructor(options: ContextManagerOptions) {
    this.manager = new ContextManager(options)
    this.#isAddressed = options.visibility === 'addressed'
    fixAddressees(this.manager)
  }

  /** What is kept of a member, who may be new. */
  member(name: string): KeptMember {
    const kept = this.members.get(name) ?? { session: undefined, seenUpTo: 0, estimate: undefined }
    this.members.set(name, kept)
    return kept
  }

  /** Makes sure that a member's session is not resumed. */
  forget(name: string) {
    this.member(name).session = undefined
    this.manager.forget(name)
  }

  /** The approximate size of a compacted log. */
  get bytes() {
    return this.#messageBytes + this.#stateBytes
  }

  /** Does what an entry says. */
  apply(entry: Entry) {
    const { manager } = this
    // What is stored may have been written by a later version.
    const type: string | undefined = entry?.type
    switch (entry?.type) {
      case 'message':
        this.#add(entry.message)
        break
      case 'adopted': {
        const { member, messages, session, seenUpTo, source } = entry
        if (source !== undefined) this.adopted.add(source)
        for (const message of messages) this.#add(message)
        this.forget(member)
        if (session !== null) sessionHasAll(manager, member)
        assign(this.member(member), { session: session ?? undefined, seenUpTo })
        break
      }
      case 'update':
        this.#readdress(entry.id, entry.changes.routing?.addressees)
        this.#edit(entry.id, () => manager.updateMessage(entry.id, entry.changes))
        break
      case 'remove':
        this.#edit(entry.id, () => void manager.removeMessage(entry.id))
        break
      case 'pin':
        if (entry.pinned) manager.pin(entry.id)
        else manager.unpin(entry.id)
        break
      case 'task':
        manager.setTeamTask(entry.task)
        if (entry.isDefined === true) this.definedTask = entry.task
        break
      case 'summary':
        manager.setSummary({ upTo: entry.upTo, text: entry.text, recipient: entry.member })
        break
      case 'lost':
        this.forget(entry.member)
        if (entry.isReplaced === true) this.members.delete(entry.member)
        break
      case 'left':
        manager.removeMember(entry.member)
        this.members.delete(entry.member)
        break
      case 'turn': {
        const { member, message, session, seenUpTo, estimate, shown } = entry
        restoreMember(manager, member, shown)
        assign(this.member(member), { session: session ?? undefined, seenUpTo, estimate })
        this.#add(message)
        break
      }
      case 'begun':
        this.underWay.add(entry.member)
        return
      case 'ended':
        break
      default:
        throw unreadable(`an entry is of the type ${type}. Update promptmason`)
    }
    if ('member' in entry && type !== 'summary') this.underWay.delete(entry.member)
  }

  /** Throws what `apply` would throw, and changes nothing. */
  check(entry: Entry) {
    if (entry.type === 'message' || entry.type === 'turn') checkAddition(entry.message)
    else if (entry.type === 'adopted') entry.messages.forEach(checkAddition)
    else if (entry.type === 'update') checkChange(this.manager, entry.id, entry.changes)
    else if (entry.type === 'remove' || entry.type === 'pin') messageWithId(this.manager, entry.id)
    else if (entry.type === 'summary') messageWithId(this.manager, entry.upTo)
  }

  #add(message: StoredMessage) {
    const { id } = this.manager.addMessage(restored(message))
    this.last = Math.max(this.last, numberOf(id))
    this.#messageBytes += stringify(message).length
  }

  #edit(id: string, change: () => ConversationMessage | void) {
    this.edits += 1
    const before = stringify(messageWithId(this.manager, id)).length
    this.#messageBytes += stringify(change() ?? '').length - before
  }

  /** A message that somebody may see only from now on is new to them, although it is old. */
  #readdress(id: string, addressees: readonly unknown[] | null | undefined) {
    const { speaker, routing } = messageWithId(this.manager, id)
    const before = routing?.addressees ?? []
    if (!this.#isAddressed || before.length === 0) return
    for (const [name, kept] of this.members) {
      if (!addressees?.includes(name) || before.includes(name) || speaker.id === name) continue
      kept.seenUpTo = Math.min(kept.seenUpTo, numberOf(id) - 1)
    }
  }

  /** Does what a stored log says. */
  read([start, ...entries]: readonly Entry[]) {
    try {
      if (start === undefined) return
      if (start?.type !== 'start' || start.format !== FORMAT) {
        throw unreadable(`it is not of format ${FORMAT}, the only one that this version of promptmason reads`)
      }
      const { compacted, key } = start
      if (typeof key === 'string') this.key = key
      if (compacted !== undefined) this.#readCompacted(compacted, entries.slice(0, compacted.messages))
      for (const entry of entries.slice(compacted?.messages ?? 0)) this.apply(entry)
    } catch (error) {
      if (isPromptmasonError(error, 'ERR_INVALID_SNAPSHOT')) throw error
      throw unreadable(`an entry is not as it was written (${messageOf(error)})`)
    }
  }

  #readCompacted(compacted: Compacted, entries: readonly Entry[]) {
    const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []))
    if (messages.length !== compacted.messages) throw unreadable('it has fewer messages than it says')
    const { last, definedTask, members, adopted, snapshot } = compacted
    this.manager.importSnapshot({ ...snapshot, messages })
    this.last = last
    this.definedTask = definedTask
    for (const [name, kept] of entriesOf(members)) assign(this.member(name), kept)
    this.adopted = new Set(adopted)
    this.#messageBytes = messages.reduce((sum, message) => sum + stringify(message).length, 0)
    this.#stateBytes = Math.max(STATE_BYTES, stringify(compacted).length)
  }

  /** The shortest log that says the same. */
  compacted(): Entry[] {
    const { messages, ...snapshot } = this.manager.exportSnapshot()
    this.edits = 0
    const compacted = {
      messages: messages.length,
      last: this.last,
      ...(this.definedTask !== undefined && { definedTask: this.definedTask }),
      members: fromEntries(this.members),
      adopted: [...this.adopted],
      snapshot,
    }
    this.#stateBytes = Math.max(STATE_BYTES, stringify(compacted).length)
    return [
      { type: 'start', format: FORMAT, key: this.key, compacted },
      ...messages.map((message) => ({ type: 'message' as const, message })),
      // Otherwise, if the process dies now, the session would get these messages again.
      ...Array.from(this.underWay, (member) => ({ type: 'begun' as const, member })),
    ]
  }
}
