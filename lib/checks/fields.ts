/**
 * Tables of fields: the only list of what an input has on this side. A table reads each field once, in its order, and
 * returns a plain object with exactly these fields. Native code takes that object as a struct with the same names.
 */
import { fallbackOf, isMissing, isObject, takesMissing } from './kinds.js'
import { misnamed, misplaced, pathOf, unknownValue, wrongType } from './problems.js'
import { spelling } from './spelling.js'
import type { Present } from '../present.js'
import type { Name } from './problems.js'
import type { Check, Kind } from './kinds.js'

const { fromEntries, hasOwn, keys } = Object
const NOTHING = Object.freeze({ __proto__: null })

export interface Rules {
  /** Whether the object is required. By default, undefined and null count as an empty object. */
  required?: boolean
  /** Whether to read only own properties, not inherited ones. */
  own?: boolean
  /** Whether to reject every key that is not in the table. By default, only likely misspellings are rejected. */
  strict?: boolean
  /** Whether to skip the check of keys, as for caller-supplied objects. */
  anyKeys?: boolean
  /** Whether its fields are named without its path: `maxBytes`, not `input.maxBytes`. */
  top?: boolean
  /** Names that other functions use for a field of this one. They are rejected if the right one is missing. */
  misnamed?: Record<string, string>
  /** Fields of others, by what they belong to. They are rejected, because they would have no effect here. */
  elsewhere?: Record<string, readonly string[]>
  /** Fields that are read elsewhere. */
  also?: readonly string[]
  /** Fields added to the result later: reserving room for them is faster. */
  besides?: readonly string[]
}

/** A kind for each field of an interface: no more, no fewer, and each of the type of its field. */
export type Table<Given> = { readonly [Field in keyof Given]-?: Kind<unknown, Given[Field]> }

/** Kinds of any types. */
type Kinds = Readonly<Record<string, Check<unknown>>>

/**
 * What a table returns, in the form of the generated types of native functions: a field that may be
 * undefined is optional.
 */
export type Fields<T> = Present<{ [Field in keyof T]: T[Field] extends Check<infer Used> ? Used : never }>

/** An object whose fields may be undefined, as native functions declare it. It is not copied. */
export function forNative<T extends object>(fields: T): Present<T>
export function forNative(fields: object) {
  return fields
}

/** The same names as in the interface. */
type NoOthers<T, Given> = { readonly [Field in Exclude<keyof T, keyof Given>]: never }

/**
 * A kind for objects with the fields of an interface: `fields<Options>()({ name: string })`.
 * @returns The names are for a test.
 */
export const fields =
  <Given>() =>
  <T extends Table<Given>>(
    table: T & NoOthers<T, Given>,
    rules: Rules = {},
  ): Kind<Fields<T>, Given> & { names: string[] } =>
    kindOf<Fields<T>, Given>(table, rules)

/** The kind of an object that may be missing, and then counts as an empty one. */
export const orEmpty =
  <Used, Given>(kind: Kind<Used, Given>): Kind<Used, Given | null | undefined> =>
  (value, parent, name) =>
    kind(value, parent, name)

/** A kind for objects that no exported type describes. */
export const recordOf = <T extends Kinds>(table: T, rules: Rules = {}) => kindOf<Fields<T>, GivenTo<T>>(table, rules)

type GivenTo<T> = { [Field in keyof T]: T[Field] extends Kind<unknown, infer Given> ? Given : unknown }

const kindOf = <Used, Given>(table: Kinds, rules: Rules): Kind<Used, Given> & { names: string[] } => {
  const names = keys(table)
  const known = [...names, ...(rules.also ?? []), ...keys(rules.misnamed ?? {})]
  const meantBy = spelling(known)
  const others = Object.entries(rules.misnamed ?? {})
  const kinds = Object.entries(table).map(([field, kind]) => ({ field, kind, isOptional: takesMissing(kind) }))
  // What an object without any fields becomes. A copy of it already has all fields, so assigning to
  // them never calls a setter on a prototype.
  const empty = fromEntries([
    ...kinds.map(({ field, kind }) => [field, fallbackOf(kind)]),
    ...(rules.besides ?? []).map((name) => [name, undefined]),
  ])

  const isOwn = rules.own === true

  const ownerOf = new Map(
    Object.entries(rules.elsewhere ?? {}).flatMap(([owner, theirs]) => theirs.map((field) => [field, owner])),
  )
  for (const name of known) ownerOf.delete(name)

  const checkKeys = (given: Readonly<Record<string, unknown>>, path: string) => {
    for (const key of keys(given)) {
      const owner = ownerOf.get(key)
      if (owner !== undefined && !isMissing(given[key])) misplaced(path, key, owner)
      if (rules.strict === true && !known.includes(key)) {
        unknownValue(`an object with keys of ${names.join(', ')}`, key, '', path)
      }
      const likely = meantBy(key)
      if (likely.length === 0) continue
      const meant = likely.find((name) => !(name in given))
      if (meant !== undefined) misnamed(path, key, meant)
    }
  }

  const checkOthers = (given: Readonly<Record<string, unknown>>, path: string, missing: string) => {
    for (const [wrong, right] of others) {
      if (right === missing && !isMissing(given[wrong])) misnamed(path, wrong, right)
    }
  }

  const check = (value: unknown, parent: string, name: Name): Used => {
    const given = rules.required !== true && isMissing(value) ? NOTHING : value
    if (!isObject(given)) return wrongType('an object', value, parent, name)
    const path = rules.top === true ? '' : pathOf(parent, name)
    if (rules.anyKeys !== true) checkKeys(given, path)
    const checked: Record<string, unknown> = { ...empty }
    for (const { field, kind, isOptional } of kinds) {
      const own = isOwn && !hasOwn(given, field) ? undefined : given[field]
      if (isMissing(own)) {
        if (others.length > 0) checkOthers(given, path, field)
        // A call has few of its options: to pass the others by takes half the time of a check.
        if (isOptional) continue
      }
      checked[field] = kind(own, path, field)
    }
    // Each field has been made by the kind that its type names.
    return checked as Used
  }

  return Object.assign(check, { names })
}
