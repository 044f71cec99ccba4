/** What all stores have in common: the check of their arguments, and the error of a conflict. */
import { recordOf } from '../../checks/fields.js'
import { asJson } from '../../messages/json.js'
import { array, arrayOf, integer, isMissing, refined, string } from '../../checks/kinds.js'
import { unknownValue } from '../../checks/problems.js'
import { makeError } from '../../errors.js'
import { propertyOf } from '../../thrown.js'
import type { StorePosition } from './types.js'
import type { Kind } from '../../checks/kinds.js'
export type { StorePosition }

/** A lone surrogate becomes U+FFFD in a file name and in Redis: two ids would be one. */
export const conversationId: Kind<string> = refined(string, (id, parent, name) =>
  id !== '' && id.isWellFormed() ? id : unknownValue('a well-formed string that is not empty', id, parent, name),
)

const owner = refined(string, (value, parent, name) =>
  value === '' ? unknownValue('a string that is not empty', value, parent, name) : value,
)
const ttlMs = integer(1)
const fence = integer(0)
const position = recordOf({ version: integer(0), fence }, { required: true, anyKeys: true })

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
  at: position(at, '', 'at') as StorePosition,
  entries: entriesAsJson(entries, '', 'entries'),
})

export const checkRelease = (id: unknown, given: unknown) => ({ id: checkId(id), fence: fence(given, '', 'fence') })

const acquired = recordOf({ fence }, { required: true, anyKeys: true })
const loaded = recordOf({ version: integer(0), entries: array }, { required: true, anyKeys: true })

/** The return values of a store, which may be caller-supplied. */
export const returned = {
  acquire: (value: unknown): { fence: number } => acquired(value, '', 'the result of store.acquire'),
  load: (value: unknown): { version: number; entries: readonly unknown[] } | null =>
    isMissing(value) ? null : loaded(value, '', 'the result of store.load'),
  append: (value: unknown): number => integer(0)(value, '', 'the result of store.append'),
  compact: (value: unknown): number => integer(0)(value, '', 'the result of store.compact'),
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
