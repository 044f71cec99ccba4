'use strict'
/** Snapshots, which may have gone through JSON. */
const { types } = require('node:util')
const native = require('../binding.js')
const { Copier, isPlain } = require('./copy.js')

const { apply } = Reflect
const { hasOwn } = Object
const { now } = Date
const { getTime } = Date.prototype

const SNAPSHOT_FIELDS = ['version', 'messages', 'after', 'lastNumber', 'teamTask']
/** Pass as JSON: they are data only. */
const MEMORY_FIELDS = ['pinned', 'summaries', 'sessions']
/** `sessions[0].seen[0]` is an array in an array of an object in an array. */
const MEMORY_DEPTH = 4
const MESSAGE_FIELDS = ['id', 'timestamp', 'content', 'speaker', 'routing', 'pinned']
const SPEAKER_FIELDS = ['id', 'name', 'displayName', 'type', 'roleId', 'roleName', 'roleTitle']
const ROUTING_FIELDS = ['resolvedAddressees', 'addressees', 'parentMessageId', 'intent']

/**
 * The fields of an object for native code, each read once. A plain object has only what it has
 * itself: what every object inherits is no data of a snapshot's. Anything but an object stays as it
 * is: native code says what is wrong.
 * @param {any} object
 * @param {string[]} names
 */
const fieldsOf = (object, names) => {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object
  const isWhole = !isPlain(object)
  /** @type {any} */
  const fields = { __proto__: null }
  for (const name of names) if (isWhole || hasOwn(object, name)) fields[name] = object[name]
  return fields
}

/** @param {unknown} snapshot */
const snapshotFields = (snapshot) => {
  const fields = fieldsOf(snapshot, SNAPSHOT_FIELDS)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return fields
  const memory = fieldsOf(snapshot, MEMORY_FIELDS)
  for (const name of MEMORY_FIELDS) memory[name] = dataOf(memory[name], MEMORY_DEPTH)
  return Object.assign(fields, { memory: JSON.stringify(memory) })
}

/**
 * What JSON can have of a value; null stands for everything else, and for what is deeper than it may
 * be. So nothing of a caller's makes `JSON.stringify` fail.
 * @param {unknown} value
 * @param {number} depth
 * @returns {unknown}
 */
const dataOf = (value, depth) => {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'object' || value === null || depth === 0) return null
  if (Array.isArray(value)) return Array.from(itemsOf(value, depth))
  const fields = Object.entries(value).map(([name, field]) => [name, dataOf(field, depth - 1)])
  return { __proto__: null, ...Object.fromEntries(fields) }
}

/**
 * The elements of an array, as far as they can be used: native code refuses null, so what comes
 * after it, which may be four billion holes, is not looked at.
 * @param {unknown[]} array
 * @param {number} depth
 */
function* itemsOf(array, depth) {
  for (let index = 0; index < array.length; index++) {
    const data = dataOf(array[index], depth - 1)
    yield data
    if (data === null) return
  }
}

/**
 * The date that a timestamp is, also one that JSON has made a string of; undefined if it is none.
 * @param {unknown} timestamp
 * @returns {Date | undefined}
 */
const dateOf = (timestamp) => {
  const date = typeof timestamp === 'string' || typeof timestamp === 'number' ? new Date(timestamp) : timestamp
  return types.isDate(date) && !Number.isNaN(apply(getTime, date, [])) ? date : undefined
}

/**
 * A function that copies the messages of a snapshot into `messages`, with a Date again where JSON
 * has made a string of it, and returns the fields that native code reads.
 * @param {InstanceType<typeof import('./message-list.js')['MessageList']>} messages
 */
const messageCopier = (messages) => {
  const copier = new Copier()
  return (/** @type {any} */ message) => {
    if (typeof message !== 'object' || message === null) return message
    const copy = copier.copyProperties(message)
    const fields = fieldsOf(copy, MESSAGE_FIELDS)
    const { timestamp } = fields
    const date = dateOf(timestamp)
    if (date !== undefined && date !== timestamp) copy.timestamp = fields.timestamp = date
    fields.speaker = fieldsOf(fields.speaker, SPEAKER_FIELDS)
    fields.routing = fieldsOf(fields.routing, ROUTING_FIELDS)
    messages.reserve()
    messages.add(copy)
    return fields
  }
}

/**
 * What a snapshot has besides messages. It is whole in every snapshot, also in one that has only
 * the later messages.
 * @param {number} handle
 * @param {boolean} isPart Whether the snapshot has not all messages.
 */
const snapshotState = (handle, isPart) => {
  const lastNumber = native.removedLastNumber(handle)
  const memory = JSON.parse(native.snapshotMemory(handle, isPart))
  return { teamTask: native.teamTask(handle), ...memory, ...(lastNumber === undefined ? {} : { lastNumber }) }
}

/**
 * A snapshot of these messages. What two of them share, such as a speaker, their copies share as
 * well.
 * @param {any[]} messages
 * @param {ReturnType<typeof snapshotState>} state
 * @param {string | undefined} after The id of the message after which they begin.
 */
const makeSnapshot = (messages, state, after) => {
  const copier = new Copier()
  const copies = messages.map((message) => copier.copyProperties(message))
  return { messages: copies, ...(after === undefined ? {} : { after }), ...state, timestamp: now(), version: native.SNAPSHOT_VERSION }
}

module.exports = { dateOf, makeSnapshot, messageCopier, snapshotFields, snapshotState }
