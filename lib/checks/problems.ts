/**
 * Errors for values that callers pass. A place is given as its parent's path and its own name, and
 * becomes a path only if there is something to report.
 */
import { makeError } from '../errors.js'

const { isArray } = Array
const { toString } = Object.prototype
const { apply } = Reflect

/** The name of a field, or the index of an element. */
export type Name = string | number

/** How a caller would write a place: `name`, `parent.name` or `parent[0]`. */
export const pathOf = (parent: string, name: Name) => {
  if (typeof name === 'number') return `${parent}[${name}]`
  return parent === '' ? name : `${parent}.${name}`
}

/** What is easily mistaken for something else is named. */
const MISTAKEN: Record<string, string> = {
  '[object Promise]': 'a Promise: did you forget to await it?',
  '[object Map]': 'a Map',
  '[object Set]': 'a Set',
}

/** What a value is, for an error message. */
export const described = (value: unknown) => {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  try {
    if (isArray(value)) return 'array'
    return MISTAKEN[apply(toString, value, [])] ?? 'object'
  } catch {
    return 'a proxy that was revoked or throws'
  }
}

export const typeProblem = (message: string) => makeError('TypeError', message, { code: 'ERR_INVALID_ARG_TYPE' })

/** The error for a method called on the wrong object. */
export const wrongReceiver = (className: string) =>
  typeProblem(`this must be a ${className}: call the method on its object, or bind it`)

/** The error for a value of the wrong type. */
export const wrongType = (expected: string, value: unknown, parent: string, name: Name): never => {
  throw typeProblem(`${pathOf(parent, name)} must be ${expected}, got ${described(value)}`)
}

/** An unknown string. */
export const unknownValue = (expected: string, value: string, parent: string, name: Name): never => {
  throw typeProblem(`${pathOf(parent, name)} must be ${expected}, got '${value}'`)
}

/**
 * A number, or the result of a caller-supplied function, that makes no sense here.
 * @param got What it is.
 */
export const outOfRange = (
  expected: string,
  value: unknown,
  parent: string,
  name: Name,
  got: string = typeof value === 'number' ? String(value) : described(value),
): never => {
  throw makeError('RangeError', `${pathOf(parent, name)} must be ${expected}, got ${got}`, { code: 'ERR_OUT_OF_RANGE' })
}

/**
 * A field under a name that is not read.
 * @param right The name that was probably meant.
 */
export const misnamed = (parent: string, name: string, right: string): never => {
  throw typeProblem(`${pathOf(parent, name)} is not read here: did you mean ${pathOf(parent, right)}?`)
}

/**
 * A field in a place where it has no effect.
 * @param owner What it belongs to.
 */
export const misplaced = (parent: string, name: string, owner: string): never => {
  throw typeProblem(`${pathOf(parent, name)} is not read here: it belongs to ${owner}`)
}
