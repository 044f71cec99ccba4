/** Snapshots of a conversation. */
import type { ConversationMessage, MessageRouting } from './messages.js'
import type { ConversationSummary } from './summaries.js'

/** A conversation to be stored, ready for `JSON.stringify`, or what came after one of its messages. */
export interface ContextSnapshot<M extends ConversationMessage = ConversationMessage> {
  messages: M[]
  /** The id of the message after which `messages` begin. Absent in a whole conversation. */
  after?: M['id']
  /** What the team works on. Like everything but the messages, it is whole in every snapshot. */
  teamTask: string | null
  /**
   * The highest number that was given out in an id (7 for `msg-7`), if that message was removed: its
   * id is not given out again. Absent where the messages tell.
   */
  lastNumber?: number
  /** The ids of all pinned messages. Only with `after`: otherwise the messages say so themselves. */
  pinned?: M['id'][]
  /** All summaries. Absent if there are none. */
  summaries?: SummarySnapshot[]
  /** What each agent has been shown. Absent if nothing is confirmed. */
  sessions?: SessionSnapshot[]
  /**
   * Routings whose addressees came after the message `after` was the newest one, for messages up to
   * it. Only with `after`, and absent if there are none.
   */
  lateRoutings?: { id: M['id']; routing: MessageRouting }[]
  /**
   * The ids of members and the names under which they became known, in that order, as names are
   * compared. Only if the messages no longer tell, because one was removed or has another speaker.
   */
  names?: [id: string, name: string][]
  /**
   * Whom messages are for, as it was decided when their addressees were first read. Only for messages
   * where whoever reads them again could decide otherwise.
   */
  audiences?: AudienceSnapshot[]
  /** The keys of fenced prompts. Absent if there are none. Who knows a key can forge lines in its member's prompts. */
  fenceKeys?: { member: string; key: string }[]
  /**
   * Who was removed by `removeMember`: each name of that member, as names are compared, and the id of the
   * newest message at that time. Absent if there are none.
   */
  departures?: { member: string; after?: M['id'] }[]
  /** When it was made, in milliseconds. */
  timestamp: number
  version: 1
}

/** A summary, and the id of the member whose it is, if `recipient` is another name of that member. */
export interface SummarySnapshot extends ConversationSummary {
  member?: string
}

/** Whom a message is for. Names are as they are compared: normalised, and without letter case. */
export interface AudienceSnapshot {
  /** The id of the message. */
  id: string
  /** Whether it is for everyone. */
  everyone?: true
  /** The ids of members. */
  members?: string[]
  /** Names that several members shared. */
  shared?: string[]
  /** Names that nobody had: a text with those of its names that are still open, or ids and name of an object. */
  waiting?: ({ text: string; open: string[] } | { ids: string[]; name?: string })[]
}

/** What an agent has been shown in the session that its CLI keeps. */
export interface SessionSnapshot {
  agentId: string
  /** The id of the newest message of the last confirmed prompt. */
  since?: string
  /** The id of the newest message of the session's first prompt. */
  begun?: string
  /** The ids of the first and the last message of each run that was left out; at most 64. */
  missed?: [first: string, last: string][]
  /** The ids of messages of these runs that were shown later, because they were pinned. */
  shownLater?: string[]
  /** The ids of messages that were changed since they were shown. */
  changed?: string[]
  /** A fingerprint of the system text that it was shown. */
  system?: string
  /** A fingerprint of the team task that it was shown. */
  teamTask?: string
  /** A fingerprint of the summary that it was shown. */
  summary?: string
}

/** What `JSON.parse(JSON.stringify(value))` makes of a value: dates are strings, functions are gone. */
export type JsonForm<T> = T extends { toJSON(...args: never[]): infer Written }
  ? JsonForm<Written>
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly unknown[]
      ? { [Index in keyof T]: JsonForm<T[Index]> }
      : T extends object
        ? { [Key in keyof T as T[Key] extends (...args: never[]) => unknown ? never : Key]: JsonForm<T[Key]> }
        : T

/** A message as it is in JSON. Its `timestamp` can be a string, milliseconds or still a Date. */
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
  readonly version: 1
}

/** Which part of a conversation goes into a snapshot. */
export interface ExportSnapshotOptions {
  /**
   * Only the messages that came after the one with this id. An id that the conversation does not
   * have is an `UnknownMessageError`.
   * @default all messages
   */
  after?: string | null | undefined
}

/** How a snapshot is imported. */
export interface ImportSnapshotOptions {
  /**
   * Whether its messages are added to the conversation, with the ids that they have, instead of
   * replacing it.
   * @default false
   */
  append?: boolean | null | undefined
}
