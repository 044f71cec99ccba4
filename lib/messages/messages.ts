/**
 * Messages: as assemblers take them, and as a `ContextManager` keeps them. Errors of the latter begin as
 * existing callers expect them: `Message content must be a string`.
 */
import { types } from 'node:util'
import { isPromptmasonError } from '../errors.js'
import { arrayOf, boolean, isMissing, isObject, optional, string } from '../checks/kinds.js'
import { checkParts } from './parts.js'
import { typeProblem, wrongType } from '../checks/problems.js'
import type { Check } from '../checks/kinds.js'
import type { AddresseeFields, MessageFields } from '../../binding.js'
import type { MessagePart } from './parts.js'

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
  /** The name shown in prompts. @default the id */
  name?: string | null | undefined
  /** Another name for addressing the member. */
  displayName?: string | null | undefined
  roleId?: string | null | undefined
  /** The name shown in prompts, for a speaker with a `roleId`. @default the roleId */
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
 * Addressees may arrive late: while a message has no addressee and is among the newest 64, the manager reads its
 * `routing` again before each prompt, query and snapshot, both from the object you passed to `addMessage` and from the
 * one it returned. Once there is an addressee, it is fixed. For older messages, call `updateMessage(id, { routing })`.
 *
 * Addressees are resolved once, when they are first read. If somebody joins, leaves or is renamed later, nothing
 * changes. A name that nobody has spoken under yet belongs to the first who does.
 */
export interface MessageRouting {
  /** Who it is for. Blank names are ignored. @default everyone */
  resolvedAddressees?: readonly MessageAddressee[] | null | undefined
  /** The same under another name; used if `resolvedAddressees` is empty. @default everyone */
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
  /** Whether the message is kept before any other: see `ContextManager.pin`. @default false */
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

const { isArray } = Array
const { isNaN } = Number
const { fromEntries } = Object
const { getTime } = Date.prototype
const { apply } = Reflect

/** The name that is shown for an addressee object: the first of these fields that is set. */
const ADDRESSEE_FIELDS = ['identifier', 'name', 'id', 'memberId'] as const
const ADDRESSEE = `a string, or an object with one of ${ADDRESSEE_FIELDS.join(', ')}`

function refuse(problem: string): never {
  throw typeProblem(`Message ${problem}`)
}

const optionalString = optional(string)
const optionalBoolean = optional(boolean)

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({ __proto__: null })

/** The value if it is an object, and an empty object otherwise. */
const fieldsOf = (value: unknown) => (isObject(value) ? value : NOTHING)

/** What errors call them. */
const [SPEAKER, ROUTING] = ['Message speaker', 'Message routing']

/** A speaker is `{ id, name, displayName }` or, in older code, `{ roleId, roleName, roleTitle }`. */
const MEMBER = { id: 'id', name: 'name', displayName: 'displayName' }
const ROLE = { id: 'roleId', name: 'roleName', displayName: 'roleTitle' }

const checkSpeaker = (speaker: unknown) => {
  if (isMissing(speaker)) refuse('speaker is required')
  const given = fieldsOf(speaker)
  const { id: memberId, name, displayName, type, roleId, roleName } = given
  const isRole = isMissing(memberId) && !(isMissing(roleId) && isMissing(roleName))
  const form = isRole ? ROLE : MEMBER
  const id = isRole ? roleId : memberId
  if (typeof id !== 'string' || id === '') refuse(`speaker.${form.id} is required: a non-empty string`)
  return {
    id,
    name: optionalString(isRole ? roleName : name, SPEAKER, form.name),
    displayName: optionalString(isRole ? given.roleTitle : displayName, SPEAKER, form.displayName),
    isAi: optionalString(type, SPEAKER, 'type') === 'ai',
  }
}

/**
 * An invalid addressee is an error: it must never turn into "everyone".
 * @returns A text that may name several, or the fields of a member.
 */
const checkAddressee: Check<AddresseeFields> = (value, parent, index) => {
  if (typeof value === 'string') return value
  const object = fieldsOf(value)
  const names = ADDRESSEE_FIELDS.map((field) => {
    const given = object[field]
    return typeof given === 'string' && given.trim() !== '' ? given : undefined
  })
  return names.some((name) => name !== undefined) ? names : wrongType(ADDRESSEE, value, parent, index)
}

/** An addressee as a caller may write it. */
export const addresseeOf = (addressee: AddresseeFields): MessageAddressee => {
  if (typeof addressee === 'string') return addressee
  return fromEntries(ADDRESSEE_FIELDS.map((field, index) => [field, addressee[index]]).filter(([, name]) => name))
}

const checkList = optional(arrayOf(checkAddressee))

const isBlank = (addressee: AddresseeFields) => typeof addressee === 'string' && addressee.trim() === ''
const isNamed = (addressee: AddresseeFields) => !isBlank(addressee)

/** The addressees in a list; undefined if there are none. */
const checkAddressees = (given: unknown, name: string) => {
  const checked = checkList(given, ROUTING, name)
  const addressees = checked?.some(isBlank) === true ? checked.filter(isNamed) : checked
  return addressees?.length === 0 ? undefined : addressees
}

/** A routing as native code takes it. */
export interface CheckedRouting {
  addressees: AddresseeFields[] | undefined
  parentMessageId: string | undefined
  intent: string | undefined
}

/** Who a message is for: the first list that is not empty. */
export const checkRouting = (routing: unknown): CheckedRouting => {
  if (isMissing(routing)) return { addressees: undefined, parentMessageId: undefined, intent: undefined }
  if (!isObject(routing) || isArray(routing)) return wrongType('an object', routing, '', ROUTING)
  const addressees =
    checkAddressees(routing['resolvedAddressees'], 'resolvedAddressees') ??
    checkAddressees(routing['addressees'], 'addressees')
  const { parentMessageId, intent } = routing
  return {
    addressees,
    parentMessageId: optionalString(parentMessageId, ROUTING, 'parentMessageId'),
    intent: optionalString(intent, ROUTING, 'intent'),
  }
}

/** A timestamp as a date, even if JSON turned it into a string; undefined if it is not a date. */
export const dateOf = (timestamp: unknown): Date | undefined => {
  const date = typeof timestamp === 'string' || typeof timestamp === 'number' ? new Date(timestamp) : timestamp
  return types.isDate(date) && !isNaN(apply(getTime, date, [])) ? date : undefined
}

/**
 * The content of a message, or its parts. A message with parts gets both: copies of the parts, and the text in them.
 * @param message A copy of the message.
 */
const contentOf = (message: Unchecked) => {
  const { content, parts: given } = message
  if (isMissing(given)) return { content: string(content, '', 'Message content'), parts: undefined }
  try {
    const checked = checkParts(given, content, '')
    message.parts = checked.parts
    message.content = checked.content
    return { content: '', parts: checked.fields }
  } catch (thrown) {
    throw isPromptmasonError(thrown) ? typeProblem(`Message ${thrown.message}`) : thrown
  }
}

/** A message of which nothing is known yet. */
export type Unchecked = { [Field in keyof ConversationMessage]?: unknown }

/**
 * The fields of a message for native code, each read once. `given` is the caller's object, and `message` a copy of it.
 */
export const checkMessage = (given: unknown, message: Unchecked): MessageFields => {
  if (isMissing(given)) refuse('cannot be null or undefined')
  if (typeof given !== 'object') refuse(`content must be a string, got none on a ${typeof given}`)
  const { speaker, routing, pinned, private: isPrivate, timestamp } = message
  const { content, parts } = contentOf(message)
  const { id, name, displayName, isAi } = checkSpeaker(speaker)
  const { addressees, parentMessageId, intent } = checkRouting(routing)
  const isPinned = optionalBoolean(pinned, '', 'Message pinned') === true
  const isHidden = optionalBoolean(isPrivate, '', 'Message private') === true
  if (!isMissing(timestamp) && dateOf(timestamp) === undefined) {
    refuse('timestamp must be a Date, or a text or number that is one')
  }
  return [content, id, name, displayName, isAi, addressees, parentMessageId, intent, isPinned, isHidden, parts]
}

/** The id of a message whose caller gives ids. */
export const checkOwnId = (id: unknown) => {
  if (typeof id === 'string' && id !== '') return id
  return refuse("id is required: a non-empty string, because of the option ids: 'keep'")
}
