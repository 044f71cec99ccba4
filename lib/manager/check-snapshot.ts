/**
 * Snapshots, which may have gone through JSON. Only own properties of plain objects count: inherited ones
 * are not snapshot data.
 */
import { SNAPSHOT_VERSION } from '../../binding.js'
import { isPlain, own } from '../messages/copy.js'
import { ownRouting } from './late-addressees.js'
import { isPromptmasonError, makeError } from '../errors.js'
import { array, integer, isMissing, isObject, object, optional, string } from '../checks/kinds.js'
import { checkMessage, checkRouting, dateOf } from '../messages/messages.js'
import { typeProblem, wrongType } from '../checks/problems.js'
import type { Unchecked } from '../messages/messages.js'

const { entries, fromEntries, hasOwn } = Object
const { isArray } = Array
const { stringify } = JSON

/** Passed as JSON: they are pure data, and native code validates them. */
const MEMORY_FIELDS = ['pinned', 'summaries', 'sessions', 'fenceKeys', 'departures']
const DECIDED_FIELDS = ['names', 'audiences']
/** `audiences[0].waiting[0].open` is an array in an object in an array of an object in an array. */
const DATA_DEPTH = 5

/** Turns an error caused by something in a snapshot into one for the snapshot. */
export const invalidSnapshot = (thrown: unknown, place: string = '') => {
  if (!isPromptmasonError(thrown)) return thrown
  const problem = thrown.message.replace(/^(Message |Invalid snapshot format: )/, '')
  return makeError('Error', `Invalid snapshot format: ${place}${problem}`, { code: 'ERR_INVALID_SNAPSHOT' })
}

type Fields = Readonly<Record<PropertyKey, unknown>>

/** A field, read once. */
const fieldOf = (source: Fields, name: string) => (isPlain(source) && !hasOwn(source, name) ? undefined : source[name])

/**
 * The JSON form of a value. Everything else, and whatever is nested too deep, becomes null, so that no
 * value makes `JSON.stringify` fail.
 */
const dataOf = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'object' || value === null || depth === 0) return null
  if (isArray(value)) return Array.from(itemsOf(value, depth))
  return { __proto__: null, ...fromEntries(entries(value).map(([name, field]) => [name, dataOf(field, depth - 1)])) }
}

/**
 * The usable elements of an array. Native code rejects null, so whatever follows one, possibly four
 * billion holes, is not read.
 */
function* itemsOf(list: unknown[], depth: number) {
  for (let index = 0; index < list.length; index++) {
    const data = dataOf(list[index], depth - 1)
    yield data
    if (data === null) return
  }
}

/** The JSON form of some fields of a snapshot. */
const dataFields = (snapshot: Fields, names: readonly string[]) =>
  fromEntries(
    names
      .map((name) => [name, fieldOf(snapshot, name)])
      .flatMap(([name, value]) => (isMissing(value) ? [] : [[name, dataOf(value, DATA_DEPTH)]])),
  )

/** Everything but the messages, for native code, and the messages, none of them read yet. */
export const checkSnapshot = (given: unknown) => {
  try {
    const snapshot = object(given, '', 'snapshot')
    if (isArray(snapshot)) wrongType('an object', snapshot, '', 'snapshot')
    const version = fieldOf(snapshot, 'version')
    if (version !== 1 && version !== SNAPSHOT_VERSION) throw typeProblem(`version must be 1 or ${SNAPSHOT_VERSION}`)
    if (version === 1 && !isMissing(fieldOf(snapshot, 'sessions'))) {
      throw typeProblem(`a snapshot with sessions must have the version ${SNAPSHOT_VERSION}`)
    }
    const messages = array(fieldOf(snapshot, 'messages'), '', 'messages')
    const after = optional(string)(fieldOf(snapshot, 'after'), '', 'after')
    const lastNumber = optional(integer(1))(fieldOf(snapshot, 'lastNumber'), '', 'lastNumber')
    const teamTask = optional(string)(fieldOf(snapshot, 'teamTask'), '', 'teamTask')
    const lateRoutings = optional(array, [])(fieldOf(snapshot, 'lateRoutings'), '', 'lateRoutings')
    const memory = stringify(dataFields(snapshot, MEMORY_FIELDS))
    const decided = stringify(dataFields(snapshot, DECIDED_FIELDS))
    return { messages, after, lastNumber, teamTask, lateRoutings, memory, decided }
  } catch (thrown) {
    throw invalidSnapshot(thrown)
  }
}

/**
 * A speaker without inherited properties, if it is a plain object. Written out because a loop over names
 * takes three times as long, and makes a large snapshot take 1.3 times as long.
 */
const ownSpeaker = (speaker: unknown) => {
  if (!isObject(speaker) || !isPlain(speaker)) return speaker
  return {
    id: own(speaker, 'id'),
    name: own(speaker, 'name'),
    displayName: own(speaker, 'displayName'),
    type: own(speaker, 'type'),
    roleId: own(speaker, 'roleId'),
    roleName: own(speaker, 'roleName'),
    roleTitle: own(speaker, 'roleTitle'),
  }
}

/**
 * The id of a snapshot's message, and its fields for native code. The message is a copy, so it is plain,
 * and gets a Date again where JSON turned it into a string.
 */
export const checkSnapshotMessage = (given: unknown) => {
  const copy = object(given, '', 'message')
  const timestamp = own(copy, 'timestamp')
  const date = dateOf(timestamp)
  if (!isMissing(timestamp) && date === undefined) wrongType('a date', timestamp, '', 'timestamp')
  if (date !== undefined && date !== timestamp) copy.timestamp = date
  const id = string(own(copy, 'id'), '', 'id')
  const message: Unchecked = {
    content: own(copy, 'content'),
    parts: own(copy, 'parts'),
    speaker: ownSpeaker(own(copy, 'speaker')),
    routing: ownRouting(own(copy, 'routing')),
    pinned: own(copy, 'pinned'),
    private: own(copy, 'private'),
    timestamp: undefined,
  }
  const fields = checkMessage(copy, message)
  if (!isMissing(message.parts)) [copy.content, copy.parts] = [message.content, message.parts]
  return { id, fields }
}

/** A routing whose addressees were set late. */
export const checkLateRouting = (given: unknown) => {
  const copy = object(given, '', 'lateRoutings')
  const routing = own(copy, 'routing')
  return { id: string(own(copy, 'id'), '', 'id'), routing, ...checkRouting(ownRouting(routing)) }
}
