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

const QUOTE = 34
const BACKSLASH = 92
const OPENING_BRACKET = 91
const CLOSING_BRACKET = 93
const OPENING_BRACE = 123
const CLOSING_BRACE = 125

/** Whether JSON is nested more than this many levels deep. */
export const isDeeper = (json: string, levels: number) => {
  // Each level has two brackets.
  if (json.length <= 2 * levels) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(json, at)
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      depth += 1
      if (depth > levels) return true
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) {
      depth -= 1
    }
  }
  return false
}

/** Where a string ends. */
const endOfString = (json: string, start: number) => {
  let end = json.indexOf('"', start + 1)
  while (end !== -1) {
    let before = end - 1
    while (json.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
    end = json.indexOf('"', end + 1)
  }
  return json.length
}
