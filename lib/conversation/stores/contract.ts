/** What a store is, and what all of them have in common: the check of their arguments, and the error of a conflict. */
import { fields } from '../../checks/fields.js'
import { asJson } from '../../messages/json.js'
import { arrayOf, integer, isMissing, type Kind, refined, string } from '../../checks/kinds.js'
import { unknownValue, wrongType } from '../../checks/problems.js'
import { makeError } from '../../errors.js'
import { propertyOf } from '../../thrown.js'

/** A value that `JSON.stringify` and `JSON.parse` preserve. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** A stored conversation. */
export interface StoredConversation {
  /** A number that every change increases. */
  version: number
  /** Everything that was appended, oldest first. */
  entries: unknown[]
}

/** Its entries are not read here. */
const list: Kind<unknown[]> = (value, parent, name) =>
  Array.isArray(value) ? value : wrongType('an array', value, parent, name)

const loaded = fields<StoredConversation>()({ version: integer(0), entries: list }, { required: true, anyKeys: true })

/** The state that a change is based on, and its owner. */
export interface StorePosition {
  /** The newest version; 0 if nothing has been appended yet. */
  version: number
  /** What `acquire` returned. */
  fence: number
}

const fence = integer(0)
const position = fields<StorePosition>()({ version: integer(0), fence }, { required: true, anyKeys: true })
const acquired = fields<Pick<StorePosition, 'fence'>>()({ fence }, { required: true, anyKeys: true })

/**
 * A store for conversations. `memoryStore`, `fileStore` and `redisStore` are built in. You can write one
 * for another database and test it with `storeChecks`.
 *
 * A conversation has one owner at a time. Acquiring it returns a fence: a number higher than that of
 * every previous owner. All methods reject with an error whose `code` is `'ERR_CONFLICT'` if somebody
 * else is the owner or has changed the conversation. Any other error means that the store is unreachable
 * or full; a rejected operation may still have been carried out if the response was lost.
 */
export interface ConversationStore {
  /** Returns a conversation, whoever owns it; null if nothing has been appended yet. */
  load(id: string): Promise<StoredConversation | null>
  /**
   * Makes `owner` the owner for `ttlMs` milliseconds, or renews its lease. An owner whose lease is still valid keeps
   * its fence; otherwise the fence is new. Rejects with `'ERR_CONFLICT'` if somebody else is the owner.
   */
  acquire(id: string, owner: string, ttlMs: number): Promise<{ fence: number }>
  /**
   * Appends entries, all or none of them, and resolves with the new version once they are durable.
   * Rejects with `'ERR_CONFLICT'`, and changes nothing, if the version is not the newest, the fence is
   * not the owner's, or the lease has expired.
   */
  append(id: string, at: StorePosition, entries: readonly JsonValue[]): Promise<number>
  /** Ends the ownership if the fence is the owner's. Otherwise does nothing. */
  release(id: string, fence: number): Promise<void>
  /**
   * Replaces all entries with fewer equivalent ones, under the conditions of `append`. Without it, a log only grows.
   */
  compact?(id: string, at: StorePosition, entries: readonly JsonValue[]): Promise<number>
}

/** A lone surrogate becomes U+FFFD in a file name and in Redis: two ids would be one. */
export const conversationId = refined(string, (id, parent, name) =>
  id !== '' && id.isWellFormed() ? id : unknownValue('a well-formed string that is not empty', id, parent, name),
)

const owner = refined(string, (value, parent, name) =>
  value === '' ? unknownValue('a string that is not empty', value, parent, name) : value,
)
const ttlMs = integer(1)

const entriesAsJson = arrayOf(asJson)

export const checkId = (id: unknown) => conversationId(id, '', 'id')

export const checkAcquire = (id: unknown, given: unknown, ttl: unknown) => ({
  id: checkId(id),
  owner: owner(given, '', 'owner'),
  ttlMs: ttlMs(ttl, '', 'ttlMs'),
})

/** The arguments of `append` and `compact`, each entry as JSON. */
export const checkAppend = (id: unknown, at: unknown, entries: unknown) => ({
  id: checkId(id),
  at: position(at, '', 'at'),
  entries: entriesAsJson(entries, '', 'entries'),
})

export const checkRelease = (id: unknown, given: unknown) => ({ id: checkId(id), fence: fence(given, '', 'fence') })

/** The return values of a store, which may be caller-supplied. */
export const returned = {
  acquire: (value: unknown) => acquired(value, '', 'the result of store.acquire'),
  load: (value: unknown) => (isMissing(value) ? null : loaded(value, '', 'the result of store.load')),
  append: (value: unknown) => integer(0)(value, '', 'the result of store.append'),
  compact: (value: unknown) => integer(0)(value, '', 'the result of store.compact'),
}

export const conflict = (id: string, problem: string) =>
  makeError('Error', `the conversation '${id}' ${problem}`, { code: 'ERR_CONFLICT', conversation: id })

export const openElsewhere = (id: string) =>
  conflict(id, "is open elsewhere: close it there, or wait until its owner's lease expires")

export const notOwner = (id: string) => conflict(id, 'is no longer open here: its lease has expired. Open it again')

export const lostEntries = (id: string) =>
  conflict(id, 'has fewer entries in its store than were written. Open it again')

export const otherVersion = (id: string, version: number, newest: number) =>
  conflict(id, `is at version ${newest}, not ${version}: it was changed elsewhere. Open it again`)

/** Whether a store, which may be caller-supplied, reports a conflict. */
export const isConflict = (error: unknown) => propertyOf(error, 'code') === 'ERR_CONFLICT'
