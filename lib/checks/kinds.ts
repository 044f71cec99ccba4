/**
 * Kinds of values. A kind is a function of a value and its place that returns the value to use, or
 * throws an error that names the place. `lib/checks/fields.ts` makes tables of them.
 */
import { outOfRange, pathOf, unknownValue, wrongType } from './problems.js'
import type { Name } from './problems.js'

const { isArray } = Array
const { isFinite, isSafeInteger } = Number
const { hasOwn, keys } = Object

/** Returns the value to use, or throws an error that names the place. */
export type Check<Used> = (value: unknown, parent: string, name: Name) => Used

/**
 * Checks a value of the type `Given`, and returns what to use instead. A table takes a kind only for a
 * field of exactly the type `Given`.
 */
export interface Kind<Used = unknown, Given = Used> extends Check<Used> {
  /** Never set: it makes the compiler compare `Given` in both directions. */
  readonly given?: (value: Given) => Given
}

export const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null

/** Whether fields can be read from a value. */
export const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null

/** What kinds make of a missing value, if they take one. */
const FALLBACKS: WeakMap<Check<unknown>, unknown> = new WeakMap()

export const takesMissing = (kind: Check<unknown>) => FALLBACKS.has(kind)
export const fallbackOf = (kind: Check<unknown>) => FALLBACKS.get(kind)

/** Replaces undefined and null with the fallback. */
export function optional<Used, Given>(kind: Kind<Used, Given>): Kind<Used | undefined, Given | null | undefined>
export function optional<Used, Given, Fallback>(
  kind: Kind<Used, Given>,
  fallback: Fallback,
): Kind<Used | Fallback, Given | null | undefined>
export function optional<Used, Given>(kind: Kind<Used, Given>, fallback?: unknown): Kind {
  const check: Kind = (value, parent, name) => (isMissing(value) ? fallback : kind(value, parent, name))
  FALLBACKS.set(check, fallback)
  return check
}

/** What is checked elsewhere. */
export const anything: Kind = (value) => value

/** What is checked elsewhere, in a field of this type. */
export const checkedLater =
  <Given>(): Kind<unknown, Given> =>
  (value) =>
    value

export const string: Kind<string> = (value, parent, name) =>
  typeof value === 'string' ? value : wrongType('a string', value, parent, name)

/** A string of which native code checks that it is one of these. */
export const word =
  <Given extends string>(): Kind<string, Given> =>
  (value, parent, name) =>
    string(value, parent, name)

export const boolean: Kind<boolean> = (value, parent, name) =>
  typeof value === 'boolean' ? value : wrongType('a boolean', value, parent, name)

/** A function of this type; what it takes and returns cannot be checked before it is called. */
export const func =
  <F extends (...args: never[]) => unknown>(): Kind<F> =>
  (value, parent, name) =>
    typeof value === 'function' ? (value as F) : wrongType('a function', value, parent, name)

/** An object of any kind; its fields are not read. */
export const object: Kind<Record<PropertyKey, unknown>, object> = (value, parent, name) =>
  isObject(value) ? value : wrongType('an object', value, parent, name)

/** An array, also behind a proxy; its elements are not read. */
export const array: Kind<readonly unknown[]> = (value, parent, name) =>
  isArray(value) ? value : wrongType('an array', value, parent, name)

export const number: Kind<number> = (value, parent, name) =>
  typeof value === 'number' ? value : wrongType('a number', value, parent, name)

export const finiteNumber: Kind<number> = (value, parent, name) => {
  const given = number(value, parent, name)
  return isFinite(given) ? given : outOfRange('a finite number', given, parent, name)
}

/** A count. */
export const integer =
  (min: number): Kind<number> =>
  (value, parent, name) => {
    const given = number(value, parent, name)
    if (isSafeInteger(given) && given >= min) return given
    return outOfRange(min === 0 ? 'a non-negative integer' : 'a positive safe integer', given, parent, name)
  }

/** One of some strings. */
export const oneOf =
  <const T extends string>(known: readonly T[], expected = listed(known)): Kind<T> =>
  (value, parent, name) => {
    const given = string(value, parent, name)
    return known.find((each) => each === given) ?? unknownValue(expected, given, parent, name)
  }

/** `'a', 'b' or 'c'`. */
export const listed = (names: readonly string[]) => {
  const quoted = names.map((name) => `'${name}'`)
  return quoted.length === 1 ? `${quoted[0]}` : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

/** A copy of an array with every element checked. */
export const arrayOf =
  <Used, Given>(kind: Kind<Used, Given>, expected = 'an array'): Kind<Used[], readonly Given[]> =>
  (value, parent, name) => {
    if (!isArray(value)) return wrongType(expected, value, parent, name)
    const path = pathOf(parent, name)
    const { length } = value
    // Most lists are that short: 8 ns instead of 180.
    if (length === 0) return []
    if (length === 1) return [kind(value[0], path, 0)]
    // `Array.from` defines elements, so it never calls a setter on a prototype.
    return Array.from(elements(value, length, path, kind))
  }

/** Checks the elements one after another, so nothing after the first invalid one is read. */
function* elements<Used>(list: readonly unknown[], length: number, path: string, kind: Check<Used>): Generator<Used> {
  for (let index = 0; index < length; index++) yield kind(list[index], path, index)
}

export const stringArray = arrayOf(string, 'an array of strings')

const manyStrings = arrayOf(string, 'a string or an array of strings')

/** A string or an array of strings, as an array. */
export const strings: Kind<string[], string | readonly string[]> = (value, parent, name) =>
  typeof value === 'string' ? [value] : manyStrings(value, parent, name)

/** Names and values of an object's own enumerable properties, as entries in their order. */
export const entriesOf =
  <Used, Given>(kind: Kind<Used, Given>): Kind<[name: string, value: Used][], Readonly<Record<string, Given>>> =>
  (value, parent, name) => {
    const given = object(value, parent, name)
    const path = pathOf(parent, name)
    return keys(given).map((key) => [key, kind(hasOwn(given, key) ? given[key] : undefined, path, key)])
  }

/** A kind with one more rule: `refine` returns the value to use, or throws. */
export const refined =
  <Checked, Given, Used>(
    kind: Kind<Checked, Given>,
    refine: (value: Checked, parent: string, name: Name) => Used,
  ): Kind<Used, Given> =>
  (value, parent, name) =>
    refine(kind(value, parent, name), parent, name)
