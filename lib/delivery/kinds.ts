/** Kinds of what becomes a program, its arguments, its variables and its input. */
import { types } from 'node:util'
import { arrayOf, type Check, entriesOf, type Kind, optional, refined, string } from '../checks/kinds.js'
import { outOfRange, pathOf, typeProblem, unknownValue } from '../checks/problems.js'

/**
 * The bytes of a Buffer or Uint8Array, without a copy. Undefined for anything else, and if the memory is
 * gone, because it was transferred to another thread or is now shorter than the view.
 */
export const bufferOf = (value: unknown): Buffer | undefined => {
  if (!types.isUint8Array(value)) return undefined
  try {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  } catch {
    return undefined
  }
}

/** A kind of strings without lone surrogates: the system cannot pass them on, and would write U+FFFD. */
export const wellFormed =
  <Used, Given>(kind: Kind<Used, Given>): Kind<Used, Given> =>
  (value, parent, name) =>
    kind(typeof value === 'string' ? value.toWellFormed() : value, parent, name)

export const text = wellFormed(string)

export const texts = arrayOf(text, 'an array of strings')

/** The name or the path of a program. */
export const program = refined(text, (value, parent, name) =>
  value === '' || value.includes('\0') ? unknownValue('the name of a program', value, parent, name) : value,
)

/** Variables; undefined and null remove one. */
export const environment = refined(
  entriesOf(optional(text)),
  (entries): Record<string, string | undefined> =>
    Object.fromEntries(entries.map(([name, value]) => [name.toWellFormed(), value])),
)

export const fit =
  <T>(expected: string, isFit: (value: unknown) => value is T): Kind<T> =>
  (value, parent, name) => {
    if (isFit(value)) return value
    throw typeProblem(`${pathOf(parent, name)} must be ${expected}`)
  }

export const both =
  <Used, Given = Used>(before: Check<unknown>, kind: Check<Used>): Kind<Used, Given> =>
  (value, parent, name) =>
    kind(before(value, parent, name), parent, name)

export const isNumber = (value: unknown): value is number => typeof value === 'number'

/** The longest delay of a timer: 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export const timeout = refined(fit('a number', isNumber), (value, parent, name) =>
  Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT_MS
    ? value
    : outOfRange(`a positive integer up to ${MAX_TIMEOUT_MS}`, value, parent, name),
)

/** Whether the system can take a text: its strings end at a NUL. */
export const isArgument = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')

/** What is called later; what it takes and returns cannot be checked before. */
export const listener = <F extends (...args: never[]) => unknown>(): Kind<F> =>
  fit('a function', (value): value is F => typeof value === 'function')

export const hasMethods =
  <T>(...names: readonly (keyof T & string)[]) =>
  (value: unknown): value is T =>
    names.every((name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function')

export const signal = fit('an AbortSignal', hasMethods<AbortSignal>('addEventListener'))
