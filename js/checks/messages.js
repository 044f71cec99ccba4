'use strict'
/**
 * Messages of a conversation. Their errors begin as existing callers expect them:
 * `Message content must be a string`.
 */
const { types } = require('node:util')
const { isPromptmasonError } = require('../errors.js')
const { isMissing } = require('./kinds.js')
const { checkParts } = require('./parts.js')
const { described, typeProblem } = require('./problems.js')

const { isArray } = Array
const { isNaN } = Number
const { fromEntries } = Object
const { getTime } = Date.prototype
const { apply } = Reflect

/** Who a message is for: the first of these lists that is not empty. */
const ADDRESSEE_LISTS = /** @type {const} */ (['resolvedAddressees', 'addressees'])
/** The name that is shown for an addressee object: the first of these fields that is set. */
const ADDRESSEE_FIELDS = /** @type {const} */ (['identifier', 'name', 'id', 'memberId'])
const ADDRESSEE = `a string, or an object with one of ${ADDRESSEE_FIELDS.join(', ')}`

/** @param {string} problem @returns {never} */
const refuse = (problem) => {
  throw typeProblem(`Message ${problem}`)
}

/** @param {string} path @param {string} expected @param {unknown} value @returns {never} */
const wrong = (path, expected, value) => refuse(`${path} must be ${expected}, got ${described(value)}`)

/** @param {any} value @param {string} path @returns {string | undefined} */
const optionalString = (value, path) => {
  if (isMissing(value)) return undefined
  return typeof value === 'string' ? value : wrong(path, 'a string', value)
}

/** @type {any} */
const NOTHING = Object.freeze({ __proto__: null })

/** The value if it is an object, and an empty object otherwise. @param {any} value */
const fieldsOf = (value) => (typeof value === 'object' && value !== null ? value : NOTHING)

/** A speaker is `{ id, name, displayName }` or, in older code, `{ roleId, roleName, roleTitle }`. */
const MEMBER = { id: 'id', name: 'name', displayName: 'displayName' }
const ROLE = { id: 'roleId', name: 'roleName', displayName: 'roleTitle' }

/** @param {any} speaker */
const checkSpeaker = (speaker) => {
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
 * @param {any} value
 * @param {string} path
 * @returns {string | (string | undefined)[]} A text that may name several, or the fields of a member.
 */
const checkAddressee = (value, path) => {
  if (typeof value === 'string') return value
  const object = fieldsOf(value)
  const names = ADDRESSEE_FIELDS.map((field) => {
    const given = object[field]
    return typeof given === 'string' && given.trim() !== '' ? given : undefined
  })
  return names.some((name) => name !== undefined) ? names : wrong(path, ADDRESSEE, value)
}

/**
 * An addressee as a caller may write it.
 * @param {string | (string | undefined)[]} addressee
 */
const addresseeOf = (addressee) => {
  if (typeof addressee === 'string') return addressee
  return fromEntries(ADDRESSEE_FIELDS.map((field, index) => [field, addressee[index]]).filter(([, name]) => name))
}

/** @param {any} list @param {string} name */
const checkAddressees = (list, name) => {
  if (isMissing(list)) return []
  if (!isArray(list)) wrong(`routing.${name}`, 'an array', list)
  // A hole in a sparse array is invalid, so reading stops at the first one.
  const checked = Array.from(list.keys(), (index) => checkAddressee(list[index], `routing.${name}[${index}]`))
  return checked.filter((addressee) => typeof addressee !== 'string' || addressee.trim() !== '')
}

/** @param {any} routing */
const checkRouting = (routing) => {
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

/**
 * A timestamp as a date, even if JSON turned it into a string; undefined if it is not a date.
 * @param {unknown} timestamp
 * @returns {Date | undefined}
 */
const dateOf = (timestamp) => {
  const date = typeof timestamp === 'string' || typeof timestamp === 'number' ? new Date(timestamp) : timestamp
  return types.isDate(date) && !isNaN(apply(getTime, date, [])) ? date : undefined
}

/**
 * The content of a message, or its parts. A message with parts gets both: copies of the parts, and the
 * text in them.
 * @param {any} message A copy of the message.
 */
const contentOf = (message) => {
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

/** Turns an error for a part into one for its message. @param {any} thrown */
const asMessageProblem = (thrown) => (isPromptmasonError(thrown) ? typeProblem(`Message ${thrown.message}`) : thrown)

/**
 * The fields of a message for native code, each read once. `given` is the caller's object, and `message`
 * a copy of it.
 * @param {unknown} given
 * @param {any} message
 * @returns {import('../../binding.js').MessageFields}
 */
const checkMessage = (given, message) => {
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
  return /** @type {any} */ ([
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
  ])
}

/** The id of a message whose caller gives ids. @param {unknown} id */
const checkOwnId = (id) => {
  if (typeof id !== 'string' || id === '') {
    refuse("id is required: a non-empty string, because of the option ids: 'keep'")
  }
}

module.exports = { ADDRESSEE_LISTS, addresseeOf, checkMessage, checkOwnId, checkRouting, dateOf }
