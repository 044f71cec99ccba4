/** Messages: as assemblers take them, and as a `ContextManager` keeps them. */

/** A message of the conversation. */
export interface PromptContextMessage {
  /** Who wrote it. */
  from: string
  /**
   * Whom it is for: a name, a list of names (`max, sarah`), or an array of names. An element of
   * an array is one name, whatever is in it; in the prompt they are joined with `, `.
   * @default 'all'
   */
  to?: string | readonly string[] | null | undefined
  /** What it says. It goes into the prompt as it is. */
  content: string
  /** What it says and does, instead of a content, which is then empty or what the texts say. */
  parts?: readonly MessagePart[] | null | undefined
  /** Not part of the prompt. */
  timestamp?: Date | null | undefined
}

/**
 * A part of a message. A tool result belongs to the nearest call before it with the same id, in this
 * message or an earlier one. Both are shown, or neither is.
 */
export type MessagePart = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | FilePart

/** What somebody says. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** What a model thought before. It is not shown, unless the option `reasoning` is `'keep'`. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
}

/** A call of a tool. */
export interface ToolCallPart {
  readonly type: 'tool-call'
  /** Which call it is; not empty. */
  readonly id: string
  /** The tool; not empty. */
  readonly name: string
  /**
   * Its arguments: anything that JSON can have.
   * @default {}
   */
  readonly input?: unknown
}

/** What a tool has returned. */
export interface ToolResultPart {
  readonly type: 'tool-result'
  /** Which call it answers. */
  readonly id: string
  /**
   * A text, or anything else that JSON can have.
   * @default ''
   */
  readonly output?: unknown
  /**
   * Whether the tool has failed.
   * @default false
   */
  readonly isError?: boolean | null | undefined
}

/** A file: its data or its address. Prompts for CLIs show its name, type and size, or its address. */
export type FilePart = {
  readonly type: 'file'
  readonly name?: string | null | undefined
  /** Such as `image/png`. */
  readonly mediaType: string
} & (
  | {
      /** The file, as bytes or in base64. */
      readonly data: string | Uint8Array
      readonly url?: null | undefined
    }
  | { readonly url: string; readonly data?: null | undefined }
)

/** A message of the conversation as a `ContextManager` shows it. */
export interface ShownContextMessage {
  /** Who wrote it. */
  from: string
  /** Whom it is for: the addressees, joined with `, `, or `all`. */
  to?: string
  /** What it says; of a message with parts, its texts joined by a blank line. */
  content: string
  /** Its parts, if it has some. */
  parts?: readonly MessagePart[]
  /** Not part of the prompt. */
  timestamp?: Date
}

/** Who wrote a message. If a speaker has both an `id` and a `roleId`, the `id` counts. */
export type MessageSpeaker = MemberSpeaker | RoleSpeaker

interface SpeakerFields {
  id?: string | null | undefined
  /**
   * The name that prompts show.
   * @default the id
   */
  name?: string | null | undefined
  /** Another name by which the member is addressed. */
  displayName?: string | null | undefined
  roleId?: string | null | undefined
  /**
   * The name that prompts show, for a speaker with a `roleId`.
   * @default the roleId
   */
  roleName?: string | null | undefined
  /** Another name by which the member is addressed. */
  roleTitle?: string | null | undefined
  type?: 'ai' | 'human' | 'system' | (string & {}) | null | undefined
}

/** A speaker with an `id`, and with `name` and `displayName` if any. */
export interface MemberSpeaker extends SpeakerFields {
  /** Identifies the member; not empty. */
  id: string
}

/** A speaker with a `roleId`, and with `roleName` and `roleTitle` if any. */
export interface RoleSpeaker extends SpeakerFields {
  /** Identifies the member; not empty. */
  roleId: string
}

/**
 * Somebody a message is for: a name, or an object that has one. Of an object, prompts show the
 * first of these fields that is given; an object without any is an error, and never means everyone.
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
 * Whom a message is for, and what it answers. Other fields are kept.
 *
 * Addressees may come late: as long as nobody is addressed and the message is among the newest 64,
 * the manager reads its `routing` again before it answers, from the object that you passed to
 * `addMessage` and from the one that you got. Once somebody is addressed, that is kept. For an older
 * message, use `updateMessage(id, { routing })`.
 *
 * Who is meant is decided when the addressees are first read, and kept: somebody who joins, leaves or
 * is renamed later changes nothing. A name that nobody has spoken under yet means the first who does.
 */
export interface MessageRouting {
  /**
   * Whom it is for. Blank names are left out.
   * @default everyone
   */
  resolvedAddressees?: readonly MessageAddressee[] | null | undefined
  /**
   * The same under another name, used when `resolvedAddressees` has nobody.
   * @default everyone
   */
  addressees?: readonly MessageAddressee[] | null | undefined
  /** The message that it answers. */
  parentMessageId?: string | null | undefined
  /** What the answer is for; shown with sibling replies. */
  intent?: string | null | undefined
}

/** A message before it has its id. Other fields are kept. */
export interface NewConversationMessage {
  timestamp?: Date | null | undefined
  speaker: MessageSpeaker
  /** What it says. A message with parts has their texts here, joined by a blank line. */
  content: string
  /** What it says and does, instead of a content, which is then empty or what the texts say. */
  parts?: readonly MessagePart[] | null | undefined
  routing?: MessageRouting | null | undefined
  /**
   * Whether it is kept before any other, in its place: see `ContextManager.pin`.
   * @default false
   */
  pinned?: boolean | null | undefined
  /**
   * Whether only its addressees and its speaker may see it, also with `visibility: 'team'`. Without
   * addressees, only its speaker sees it until somebody is addressed.
   * @default false
   */
  private?: boolean | null | undefined
}

/**
 * A message of a conversation. Your own type that extends it, or has the same fields, can be
 * the type argument of `ContextManager`: with more fields, a required `timestamp`, a branded `id`.
 */
export interface ConversationMessage extends NewConversationMessage {
  /** `msg-1`, `msg-2`, …, in the order of adding; with `ids: 'keep'`, what was given. */
  id: string
}

/**
 * A message of type `M` before it has its id: `Omit<M, 'id'>`, and for a union of message types, a
 * union of these.
 */
export type NewMessage<M extends ConversationMessage = ConversationMessage> = M extends unknown ? Omit<M, 'id'> : never

/** What `updateMessage` replaces: any fields of a message but its id. */
export type MessageChanges<M extends ConversationMessage = ConversationMessage> = M extends unknown
  ? Partial<Omit<M, 'id'>>
  : never

// Without this line, what is not marked `export` above would be exported as well.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
