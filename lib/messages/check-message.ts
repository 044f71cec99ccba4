/**
 * Messages of a conversation. Their errors begin as existing callers expect them:
 * `Message content must be a string`.
 */
import { types } from 'node:util'
import { isPromptmasonError } from '../errors.js'
import { isMissing } from '../checks/kinds.js'
import { checkParts } from './parts.js'
import { described, typeProblem } from '../checks/problems.js'
import type { MessageFields } from '../../binding.js'

const { isArray } = Array
const { isNaN } = Number
const { fromEntries } = Object
const { getTime } = Date.prototype
const { apply } = Reflect

/** Who a message is for: the first of these lists that is not empty. */
export const ADDRESSEE_LISTS = ['resolvedAddressees', 'addressees'] as const
/** The name that is shown for an addressee object: the first of these fields that is set. */
const ADDRESSEE_FIELDS = ['identifier', 'name', 'id', 'memberId'] as const
const ADDRESSEE = `a string, or an object with one of ${ADDRESSEE_FIELDS.join(', ')}`

const refuse = (problem: string): never => {
  throw typeProblem(`Message ${problem}`)
}

const wrong = (path: string, expected: string, value: unknown): never =>
  refuse(`${path} must be ${expected}, got ${described(value)}`)

const optionalString = (value: any, path: string): string | undefined => {
  if (isMissing(value)) return undefined
  return typeof value === 'string' ? value : wrong(path, 'a string', value)
}

const NOTHING: any = Object.freeze({ __proto__: null })

/** The value if it is an object, and an empty object otherwise. */
const fieldsOf = (value: any) => (typeof value === 'object' && value !== null ? value : NOTHING)

/** A speaker is `{ id, name, displayName }` or, in older code, `{ roleId, roleName, roleTitle }`. */
const MEMBER = { id: 'id', name: 'name', displayName: 'displayName' }
const ROLE = { id: 'roleId', name: 'roleName', displayName: 'roleTitle' }

const checkSpeaker = (speaker: any) => {
  if (isMissing(speaker)) refuse('speaker is required')
  const { id: memberId, name, displayName, type, roleId, roleName } = fieldsOf(speaker)
  const isRole = isMissing(memberId) && !(isMissing(roleId) && isMissing(roleName))
  const form = isRole ? ROLE : MEMBER
  const id = isRole ? roleId : memberId
  if (typeof id !== 'string' || id === '') refuse(`speaker.${form.id} is required: a non-empty string`)
  return {
    id,
    name: optionalString(isRole ? roleName : name, `speaker.${form.name}`),
    displayName: optionalString(isRole ? speaker.roleTitle : displayName, `speaker.${form.displayName}`),
    isAi: optionalString(type, 'speaker.type') === 'ai',
  }
}

/**
 * An invalid addressee is an error: it must never turn into "everyone".
 * @returns A text that may name several, or the fields of a member.
 */
const checkAddressee = (value: any, path: string): string | (string | undefined)[] => {
  if (typeof value === 'string') return value
  const object = fieldsOf(value)
  const names = ADDRESSEE_FIELDS.map((field) => {
    const given = object[field]
    return typeof given === 'string' && given.trim() !== '' ? given : undefined
  })
  return names.some((name) => name !== undefined) ? names : wrong(path, ADDRESSEE, value)
}

/** An addressee as a caller may write it. */
export const addresseeOf = (addressee: string | (string | undefined)[]) => {
  if (typeof addressee === 'string') return addressee
  return fromEntries(ADDRESSEE_FIELDS.map((field, index) => [field, addressee[index]]).filter(([, name]) => name))
}

const checkAddressees = (list: any, name: string) => {
  if (isMissing(list)) return []
  if (!isArray(list)) wrong(`routing.${name}`, 'an array', list)
  // A hole in a sparse array is invalid, so reading stops at the first one.
  const checked = Array.from(list.keys() as Iterable<number>, (index) =>
    checkAddressee(list[index], `routing.${name}[${index}]`),
  )
  return checked.filter((addressee) => typeof addressee !== 'string' || addressee.trim() !== '')
}

export const checkRouting = (routing: any) => {
  if (isMissing(routing)) return { addressees: undefined, parentMessageId: undefined, intent: undefined }
  if (typeof routing !== 'object' || isArray(routing)) wrong('routing', 'an object', routing)
  let addressees
  for (const name of ADDRESSEE_LISTS) {
    const checked = checkAddressees(routing[name], name)
    if (checked.length > 0) {
      addressees = checked
      break
    }
  }
  const { parentMessageId, intent } = routing
  return {
    addressees,
    parentMessageId: optionalString(parentMessageId, 'routing.parentMessageId'),
    intent: optionalString(intent, 'routing.intent'),
  }
}

/** A timestamp as a date, even if JSON turned it into a string; undefined if it is not a date. */
export const dateOf = (timestamp: unknown): Date | undefined => {
  const date = typeof timestamp === 'string' || typeof timestamp === 'number' ? new Date(timestamp) : timestamp
  return types.isDate(date) && !isNaN(apply(getTime, date, [])) ? date : undefined
}

/**
 * The content of a message, or its parts. A message with parts gets both: copies of the parts, and the
 * text in them.
 * @param message A copy of the message.
 */
const contentOf = (message: any) => {
  const { content, parts: given } = message
  if (isMissing(given)) {
    if (typeof content !== 'string') wrong('content', 'a string', content)
    return { content, parts: undefined }
  }
  try {
    const checked = checkParts(given, content, '')
    message.parts = checked.parts
    message.content = checked.content
    return { content: '', parts: checked.fields }
  } catch (thrown) {
    throw asMessageProblem(thrown)
  }
}

/** Turns an error for a part into one for its message. */
const asMessageProblem = (thrown: any) =>
  isPromptmasonError(thrown) ? typeProblem(`Message ${thrown.message}`) : thrown

/**
 * The fields of a message for native code, each read once. `given` is the caller's object, and `message`
 * a copy of it.
 */
export const checkMessage = (given: unknown, message: any): MessageFields => {
  if (isMissing(given)) refuse('cannot be null or undefined')
  if (typeof given !== 'object') refuse(`content must be a string, got none on a ${typeof given}`)
  const { speaker, routing, pinned, private: isPrivate, timestamp } = message
  const { content, parts } = contentOf(message)
  const { id, name, displayName, isAi } = checkSpeaker(speaker)
  const { addressees, parentMessageId, intent } = checkRouting(routing)
  if (!isMissing(pinned) && typeof pinned !== 'boolean') wrong('pinned', 'a boolean', pinned)
  if (!isMissing(isPrivate) && typeof isPrivate !== 'boolean') wrong('private', 'a boolean', isPrivate)
  if (!isMissing(timestamp) && dateOf(timestamp) === undefined) {
    refuse('timestamp must be a Date, or a text or number that is one')
  }
  return [
    content,
    id,
    name,
    displayName,
    isAi,
    addressees,
    parentMessageId,
    intent,
    pinned === true,
    isPrivate === true,
    parts,
  ] as any
}

/** The id of a message whose caller gives ids. */
export const checkOwnId = (id: unknown) => {
  if (typeof id !== 'string' || id === '') {
    refuse("id is required: a non-empty string, because of the option ids: 'keep'")
  }
}
