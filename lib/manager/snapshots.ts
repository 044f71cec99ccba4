/** The snapshots of a manager, both its JavaScript and its native part. */
import { isDeepStrictEqual } from 'node:util'
import { fields, forNative } from '../checks/fields.js'
import { boolean, isMissing, isObject, optional, string } from '../checks/kinds.js'
import { addresseeOf, checkRouting } from '../messages/messages.js'
import { checkLateRouting, checkSnapshot, checkSnapshotMessage, invalidSnapshot } from './check-snapshot.js'
import { Copier } from '../messages/copy.js'
import { callNative, errorOf } from '../errors.js'
import { MessageList } from './message-list.js'
import { SNAPSHOT_VERSION } from '../../binding.js'
import { readLate, watchFrom } from './late-addressees.js'
import { followPins } from './messages.js'
import type { Addressees } from './message-list.js'
import type { ConversationSummary } from './options.js'
import type { ManagerState, State } from './state.js'
import type { RoutingFields } from '../../binding.js'
import type { ConversationMessage, MessageRouting } from '../messages/messages.js'

const { now } = Date
const { parse } = JSON

/** A conversation for storage, ready for `JSON.stringify`; or what came after one of its messages. */
export interface ContextSnapshot<M extends ConversationMessage = ConversationMessage> {
  messages: M[]
  /** The id of the message that precedes `messages`. Absent in a snapshot of the whole conversation. */
  after?: M['id']
  /** What the team works on. Like everything except the messages, it is complete in every snapshot. */
  teamTask: string | null
  /**
   * The highest number used in an id (7 for `msg-7`), if that message was removed: its id is not reused.
   * Absent otherwise.
   */
  lastNumber?: number
  /** The ids of all pinned messages. Only with `after`; otherwise the messages have `pinned`. */
  pinned?: M['id'][]
  /** All summaries. Absent if there are none. */
  summaries?: SummarySnapshot[]
  /** What each agent has been shown. Absent if nothing has been confirmed. */
  sessions?: SessionSnapshot[]
  /**
   * For messages up to `after`: routings whose addressees were set since. Only with `after`; absent if there are none.
   */
  lateRoutings?: { id: M['id']; routing: MessageRouting }[]
  /**
   * The ids of members and the names under which they became known, in that order, in normalised form.
   * Only present if the messages no longer say so, because one was removed or has another speaker.
   */
  names?: [id: string, name: string][]
  /**
   * Who messages are for, as resolved when their addressees were first read. Only for messages that
   * could be resolved differently if they were read again.
   */
  audiences?: AudienceSnapshot[]
  /**
   * The keys of fenced prompts. Absent if there are none. Whoever knows a key can forge lines in that
   * member's prompts.
   */
  fenceKeys?: { member: string; key: string }[]
  /**
   * Members removed with `removeMember`: each name of that member, in normalised form, and the id of the
   * newest message at that time. Absent if there are none.
   */
  departures?: { member: string; after?: M['id'] }[]
  /** When the snapshot was made, in milliseconds. */
  timestamp: number
  /** 2 if there are `sessions`, and 1 otherwise. */
  version: 1 | 2
}

/** A summary, and the id of the member it is for, if `recipient` is another name of that member. */
export interface SummarySnapshot extends ConversationSummary {
  member?: string
}

/** Who a message is for. Names are in normalised form, without letter case. */
export interface AudienceSnapshot {
  /** The id of the message. */
  id: string
  /** Whether it is for everyone. */
  everyone?: true
  /** The ids of members. */
  members?: string[]
  /** Names that several members shared. */
  shared?: string[]
  /**
   * Names that nobody had: a text with those of its names that are still unresolved, or the ids and the
   * name of an object.
   */
  waiting?: ({ text: string; open: string[] } | { ids: string[]; name?: string })[]
}

/** What an agent has been shown in its CLI session. */
export interface SessionSnapshot {
  agentId: string
  /** The id of the newest message of the last confirmed prompt. */
  since?: string
  /** The id of the newest message of the session's first prompt. */
  begun?: string
  /**
   * What the session does not simply have if the recipient may see it: runs of messages, in order, each
   * with the ids of its first and last message. Absent if it has everything up to `since`.
   *
   * - `missed`: left out for good;
   * - `changed`: shown, and changed since;
   * - `revealed`: hidden from the recipient when newer ones were shown, and visible to it now;
   * - `shown`: shown, whether or not the recipient may see it now.
   */
  except?: [mark: 'missed' | 'changed' | 'revealed' | 'shown', first: string, last: string][]
  /** The recipient of the last confirmed prompt. */
  recipient?: string
  /** A fingerprint of the system text that was shown. */
  system?: string
  /** A fingerprint of the team task that was shown. */
  teamTask?: string
  /** A fingerprint of the summary that was shown. */
  summary?: string
}

/** The result type of `JSON.parse(JSON.stringify(value))`: dates are strings, functions are gone. */
export type JsonForm<T> = T extends { toJSON(...args: never[]): infer Written }
  ? JsonForm<Written>
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly unknown[]
      ? { [Index in keyof T]: JsonForm<T[Index]> }
      : T extends object
        ? { [Key in keyof T as T[Key] extends (...args: never[]) => unknown ? never : Key]: JsonForm<T[Key]> }
        : T

/** A message from JSON. Its `timestamp` can be a string, milliseconds or a Date. */
export type ConversationMessageJson<M extends ConversationMessage = ConversationMessage> = M extends unknown
  ? { [Key in keyof M]: Key extends 'timestamp' ? M[Key] | JsonForm<M[Key]> | number : JsonForm<M[Key]> }
  : never

/** A snapshot that went through JSON. */
export interface ContextSnapshotJson<M extends ConversationMessage = ConversationMessage> {
  readonly messages: readonly (M | ConversationMessageJson<M>)[]
  readonly after?: string | null | undefined
  readonly teamTask: string | null
  readonly lastNumber?: number | null | undefined
  readonly pinned?: readonly string[] | null | undefined
  readonly summaries?: readonly SummarySnapshot[] | null | undefined
  readonly sessions?: readonly SessionSnapshot[] | null | undefined
  readonly lateRoutings?: readonly { readonly id: string; readonly routing: MessageRouting }[] | null | undefined
  readonly names?: readonly (readonly [id: string, name: string])[] | null | undefined
  readonly audiences?: readonly AudienceSnapshot[] | null | undefined
  readonly fenceKeys?: readonly { readonly member: string; readonly key: string }[] | null | undefined
  readonly departures?: readonly { readonly member: string; readonly after?: string }[] | null | undefined
  readonly timestamp: number
  readonly version: 1 | 2
}

/** Options of `exportSnapshot`. */
export interface ExportSnapshotOptions {
  /**
   * Exports only the messages after the one with this id. Throws an `UnknownMessageError` if there is no such message.
   * @default all messages
   */
  after?: string | null | undefined
}

/** Options of `importSnapshot`. */
export interface ImportSnapshotOptions {
  /** Whether to append the messages to the conversation, keeping their ids, instead of replacing it. @default false */
  append?: boolean | null | undefined
}

const exportOptions = fields<ExportSnapshotOptions>()({ after: optional(string) })
const importOptions = fields<ImportSnapshotOptions>()({ append: optional(boolean, false) })

export const exportSnapshot = <M extends ConversationMessage>(
  state: ManagerState<M>,
  options: unknown,
): ContextSnapshot<M> => {
  const { after } = exportOptions(options, '', 'options')
  readLate(state, false)
  const start = callNative(() => state.native.snapshotStart(after))
  // Read all of it before copying, which may run caller code.
  const head = snapshotState(state, start)
  const messages = keptMessages(state, start, state.messages.length)
  const last = start > 0 ? state.messages.at(start - 1) : undefined
  const lateIndices: number[] = parse(state.native.lateBefore(start))
  const late = lateIndices.flatMap((index) => keptMessages(state, index, index + 1))
  // If two messages share an object, such as a speaker, so do their copies.
  const copier = new Copier()
  const copyKept = ({ message, addressees }: Kept<M>) => {
    const copy = copier.copyProperties(message)
    if (!hasAddressees(copy.routing, addressees)) copy.routing = routingTo(copy.routing, addressees)
    return copy
  }
  const lateRoutings = late.map(copyKept).map(({ id, routing }) => ({ id, routing: routing ?? {} }))
  return {
    messages: messages.map(copyKept),
    ...(last === undefined ? {} : { after: last.id }),
    ...(lateRoutings.length > 0 ? { lateRoutings } : {}),
    ...head,
    timestamp: now(),
    version: head.sessions === undefined ? 1 : (SNAPSHOT_VERSION as 2),
  }
}

type Kept<M> = { message: M; addressees: Addressees }

const keptMessages = <M extends ConversationMessage>({ messages }: ManagerState<M>, start: number, end: number) =>
  messages.toArray(start, end).map((message, index) => ({ message, addressees: messages.addressees(start + index) }))

/** A routing with the addressees that prompts have: a caller may have changed its own list after it was read. */
const routingTo = (routing: MessageRouting | null | undefined, addressees: Addressees): MessageRouting => ({
  ...routing,
  resolvedAddressees: (addressees ?? []).map(addresseeOf),
  addressees: [],
})

const hasAddressees = (routing: unknown, given: Addressees) => {
  const addressees = given ?? []
  if (isMissing(routing)) return addressees.length === 0
  try {
    return isDeepStrictEqual(checkRouting(routing).addressees ?? [], addressees)
  } catch {
    return false
  }
}

/**
 * Everything in a snapshot except messages. It is complete in every snapshot, even in one that has only
 * the later messages.
 * @param start The first message of the snapshot.
 */
const snapshotState = <M extends ConversationMessage>({ native }: ManagerState<M>, start: number) => {
  const lastNumber = native.removedLastNumber
  const memory: Partial<ContextSnapshot<M>> = parse(native.snapshotMemory(start > 0))
  const decided: Partial<ContextSnapshot<M>> = parse(native.snapshotDecided(start))
  return { teamTask: native.teamTask ?? null, ...memory, ...decided, ...(lastNumber === null ? {} : { lastNumber }) }
}

const copyOf = (message: unknown, copier: Copier) => (isObject(message) ? copier.copyProperties(message) : message)

export const importSnapshot = <M extends ConversationMessage>(
  state: ManagerState<M>,
  snapshot: unknown,
  options: unknown,
) => {
  const { native } = state
  const { append } = importOptions(options, '', 'options')
  const { messages: given, lateRoutings, decided, ...head } = checkSnapshot(snapshot)
  const pending = callNative(() => native.beginImport(append, decided))
  const copier = new Copier()
  const late = Array.from(lateRoutings, (one, index) => {
    const copy = copyOf(one, copier)
    try {
      return checkLateRouting(copy)
    } catch (thrown) {
      throw invalidSnapshot(thrown, `lateRoutings[${index}]: `)
    }
  })
  const read = Array.from(given, (one, index): Kept<M> => {
    // Reading may run caller code, whose exception is not about the snapshot.
    const copy = copyOf(one, copier)
    try {
      const { id, fields: checked } = checkSnapshotMessage(copy)
      pending.add(id, checked)
      return { message: copy as M, addressees: checked[5] }
    } catch (thrown) {
      throw invalidSnapshot(errorOf(thrown), `messages[${index}]: `)
    }
  })
  if (append) readLate(state, true)
  // No caller code runs from here on.
  const messages = append ? state.messages : new MessageList<M>()
  messages.reserve(read.length)
  const start = messages.length
  const flagged = read.flatMap(({ message }, index) => (message.pinned === true ? [start + index] : []))
  const pinned = append ? [...pinnedIn(state), ...flagged] : flagged
  const lateFields = late.map(({ id, addressees, parentMessageId, intent }): [string, RoutingFields] => [
    id,
    [addressees, parentMessageId, intent],
  ])
  const imported = callNative(() => native.finishImport(pending, forNative({ ...head, late: lateFields })))
  const { isOther, warning }: { isOther: boolean; warning?: string } = parse(imported)
  state.envelopes.clear()
  if (!append) state.replaceMessages(messages)
  for (const { message, addressees } of read) {
    messages.add(message, addressees)
    state.tokenFunctions.changed(message.id)
  }
  for (const { id, routing, addressees } of append ? late : []) {
    const index = native.findMessage(id)
    messages.replace(index, { ...messages.at(index), routing })
    messages.keepAddressees(index, addressees)
    state.late.delete(id)
  }
  watchFrom(state, start)
  followPins(state, pinned, pinnedIn(state))
  if (append && !isOther) state.warn(warning)
  else state.teamTaskChanged(warning)
}

const pinnedIn = ({ native }: State): number[] => parse(native.pinnedMessages())
