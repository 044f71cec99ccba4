/** Messages: as assemblers take them, and as a `ContextManager` keeps them. */

/** A message of the conversation. */
export interface PromptContextMessage {
  /** Who wrote it. */
  from: string
  /**
   * Who it is for: a name, a list of names (`max, sarah`), or an array of names. An element of an array
   * is always one name; in the prompt they are joined with `, `.
   * @default 'all'
   */
  to?: string | readonly string[] | null | undefined
  /** The text. It is written into the prompt unchanged. */
  content: string
  /** The parts of the message, instead of `content`, which is then empty or repeats the texts. */
  parts?: readonly MessagePart[] | null | undefined
  /** When it was written. Not part of the prompt. */
  timestamp?: Date | null | undefined
}

/**
 * A part of a message. A tool result belongs to the nearest earlier call with the same id, in this
 * message or an earlier one. Prompts show both or neither.
 */
export type MessagePart = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | FilePart

/** Text. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A model's reasoning. It is not shown unless the option `reasoning` is `'keep'`. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
}

/** A tool call. */
export interface ToolCallPart {
  readonly type: 'tool-call'
  /** The id of the call; not empty. */
  readonly id: string
  /** The name of the tool; not empty. */
  readonly name: string
  /**
   * The arguments: any JSON value, nested at most 1,000 levels deep.
   * @default {}
   */
  readonly input?: unknown
}

/** The result of a tool call. */
export interface ToolResultPart {
  readonly type: 'tool-result'
  /** The id of the call. */
  readonly id: string
  /**
   * A string or any other JSON value.
   * @default ''
   */
  readonly output?: unknown
  /**
   * Whether the tool failed.
   * @default false
   */
  readonly isError?: boolean | null | undefined
}

/** A file, as data or a URL. Prompts for CLIs show its name, type and size, or its URL. */
export type FilePart = {
  readonly type: 'file'
  readonly name?: string | null | undefined
  /** For example `image/png`. */
  readonly mediaType: string
} & (
  | {
      /** The content, as bytes or base64. */
      readonly data: string | Uint8Array
      readonly url?: null | undefined
    }
  | { readonly url: string; readonly data?: null | undefined }
)

/** A message as a `ContextManager` shows it. */
export interface ShownContextMessage {
  /** Who wrote it. */
  from: string
  /** Who it is for: the addressees joined with `, `, or `all`. */
  to?: string
  /** The text. For a message with parts, their texts joined by blank lines. */
  content: string
  /** The parts, if any. */
  parts?: readonly MessagePart[]
  /** When it was written. Not part of the prompt. */
  timestamp?: Date
}

/** Who wrote a message. If a speaker has both an `id` and a `roleId`, the `id` is used. */
export type MessageSpeaker = MemberSpeaker | RoleSpeaker

interface SpeakerFields {
  id?: string | null | undefined
  /**
   * The name shown in prompts.
   * @default the id
   */
  name?: string | null | undefined
  /** Another name for addressing the member. */
  displayName?: string | null | undefined
  roleId?: string | null | undefined
  /**
   * The name shown in prompts, for a speaker with a `roleId`.
   * @default the roleId
   */
  roleName?: string | null | undefined
  /** Another name for addressing the member. */
  roleTitle?: string | null | undefined
  type?: 'ai' | 'human' | 'system' | (string & {}) | null | undefined
}

/** A speaker with an `id` and, optionally, `name` and `displayName`. */
export interface MemberSpeaker extends SpeakerFields {
  /** Identifies the member; not empty. */
  id: string
}

/** A speaker with a `roleId` and, optionally, `roleName` and `roleTitle`. */
export interface RoleSpeaker extends SpeakerFields {
  /** Identifies the member; not empty. */
  roleId: string
}

/**
 * An addressee: a name, or an object that has one. For an object, prompts show the first of these fields
 * that is set. An object without any of them is an error; it never means everyone.
 */
export type MessageAddressee =
  | string
  | {
      readonly identifier?: string | null | undefined
      readonly name?: string | null | undefined
      readonly id?: string | null | undefined
      readonly memberId?: string | null | undefined
    }

/**
 * Who a message is for, and what it answers. Other fields are kept.
 *
 * Addressees may arrive late: while a message has no addressee and is among the newest 64, the manager
 * reads its `routing` again before each prompt, query and snapshot, both from the object you passed to
 * `addMessage` and from the one it returned. Once there is an addressee, it is fixed. For older
 * messages, call `updateMessage(id, { routing })`.
 *
 * Addressees are resolved once, when they are first read. If somebody joins, leaves or is renamed later,
 * nothing changes. A name that nobody has spoken under yet belongs to the first who does.
 */
export interface MessageRouting {
  /**
   * Who it is for. Blank names are ignored.
   * @default everyone
   */
  resolvedAddressees?: readonly MessageAddressee[] | null | undefined
  /**
   * The same under another name; used if `resolvedAddressees` is empty.
   * @default everyone
   */
  addressees?: readonly MessageAddressee[] | null | undefined
  /** The id of the message it answers. */
  parentMessageId?: string | null | undefined
  /** The purpose of the answer; shown with sibling replies. */
  intent?: string | null | undefined
}

/** A message without its id. Other fields are kept. */
export interface NewConversationMessage {
  timestamp?: Date | null | undefined
  speaker: MessageSpeaker
  /** The text. For a message with parts, their texts joined by blank lines. */
  content: string
  /** The parts of the message, instead of `content`, which is then empty or repeats the texts. */
  parts?: readonly MessagePart[] | null | undefined
  routing?: MessageRouting | null | undefined
  /**
   * Whether the message is kept before any other: see `ContextManager.pin`.
   * @default false
   */
  pinned?: boolean | null | undefined
  /**
   * Whether only the addressees and the speaker may see it, even with `visibility: 'team'`. If there is
   * no addressee yet, only the speaker sees it.
   * @default false
   */
  private?: boolean | null | undefined
}

/**
 * A message of a conversation. Your own type can be the type argument of `ContextManager` if it extends
 * this one or has the same fields. It may add fields, require a `timestamp`, or brand its `id`.
 */
export interface ConversationMessage extends NewConversationMessage {
  /** `msg-1`, `msg-2`, … in the order of adding; with `ids: 'keep'`, as passed. */
  id: string
}

/** A message of type `M` without its id: `Omit<M, 'id'>`, distributed over unions. */
export type NewMessage<M extends ConversationMessage = ConversationMessage> = M extends unknown ? Omit<M, 'id'> : never

/** The fields that `updateMessage` replaces: any fields of a message except its id. */
export type MessageChanges<M extends ConversationMessage = ConversationMessage> = M extends unknown
  ? Partial<Omit<M, 'id'>>
  : never

// Without this line, declarations without `export` would be exported too.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
