/** Values that must be JSON. */
import { types } from 'node:util'
import { pathOf, typeProblem, wrongType } from '../checks/problems.js'
import type { Name } from '../checks/problems.js'

const { stringify } = JSON

/**
 * A value as JSON; undefined if JSON leaves it out, like a function. It is written once, so whatever its
 * getters and `toJSON` methods return later does not matter. Their exceptions pass through.
 */
export const writeJson = (value: unknown, parent: string, name: Name): string | undefined => {
  try {
    return stringify(value)
  } catch (cause) {
    // V8 throws these for cycles, for BigInt, for revoked proxies and for what is nested too deeply.
    const isEngines = types.isNativeError(cause) && (cause.name === 'TypeError' || cause.name === 'RangeError')
    if (!isEngines) throw cause
    const reason = cause.name === 'RangeError' ? 'it is nested too deeply or too long' : cause.message
    throw Object.assign(typeProblem(`${pathOf(parent, name)} must be a JSON value: ${reason}`), { cause })
  }
}

/** A value as JSON. */
export const asJson = (value: unknown, parent: string, name: Name) =>
  writeJson(value, parent, name) ?? wrongType('a JSON value', value, parent, name)
