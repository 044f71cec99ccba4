/** `textOf`: the answer, or an error. */
import { typeProblem } from '../checks/problems.js'
import { makeError } from '../errors.js'
import { present } from '../present.js'
import { objectOf, textOf as said } from './formats/format.js'
import type { ParsedOutput } from './events.js'

/**
 * The answer of a result of `deliver` or `parseOutput`. If the CLI has reported an error instead, that is
 * thrown, as `ERR_CLI_FAILED`: then every failure of a delivery is an exception with a code.
 */
export function textOf(result: ParsedOutput): string {
  if (typeof result !== 'object' || result === null)
    throw typeProblem('result must be an object, as deliver returns it')
  const { text, error, delivered, sessionId, partialText } = result
  if (typeof text === 'string' && error === undefined) return text
  const { code: reason = 'no-answer', message, retryAfterMs } = objectOf(error)
  const about = present({ reason, retryAfterMs, delivered, sessionId, partialText })
  throw makeError('Error', said(message) ?? 'there is no answer', { code: 'ERR_CLI_FAILED', ...about })
}
