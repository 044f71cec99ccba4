/** Snapshots of a conversation. */
import type { ConversationMessage, MessageRouting } from '../messages/messages.js'
import type { ConversationSummary } from './summaries-types.js'

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
   * For messages up to `after`: routings whose addressees were set since. Only with `after`; absent if
   * there are none.
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
  version: 1
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
  /** The ids of the first and last message of each run that was left out; at most 64. */
  missed?: [first: string, last: string][]
  /** The ids of messages in these runs that were shown later because they were pinned. */
  shownLater?: string[]
  /** The ids of messages that have changed since they were shown. */
  changed?: string[]
  /** The ids of messages that were hidden from the recipient when newer ones were shown. */
  revealed?: string[]
  /**
   * The ids of the first and last message of each run that was shown and that the recipient can no longer
   * see.
   */
  hidden?: [first: string, last: string][]
  /** The recipient of the last confirmed prompt. */
  recipient?: string
  /** The id of the newest message shown by prompts without a recipient, if later ones had one. */
  unfiltered?: string
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
  readonly version: 1
}

/** Options of `exportSnapshot`. */
export interface ExportSnapshotOptions {
  /**
   * Exports only the messages after the one with this id. Throws an `UnknownMessageError` if there is no
   * such message.
   * @default all messages
   */
  after?: string | null | undefined
}

/** Options of `importSnapshot`. */
export interface ImportSnapshotOptions {
  /**
   * Whether to append the messages to the conversation, keeping their ids, instead of replacing it.
   * @default false
   */
  append?: boolean | null | undefined
}
