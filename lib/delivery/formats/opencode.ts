/** What opencode writes: the parts of each step. A turn ends with a step that calls no tool. */
import { interrupted, permissionDenied } from '../cli-errors.js'
import { byType, type Fields, type Format, objectOf, tableOf, textOf } from './format.js'
import type { FinishReason } from '../events.js'

/** Why a step has ended, if that is the end of the turn. Any other reason tells nothing. */
const FINISH_REASONS = tableOf<FinishReason>({ stop: 'stop', length: 'length', 'content-filter': 'refused' })

/** After this many steps in a row that ended without a reason, it continues forever. */
const MAX_UNKNOWN = 3

/** What a tool says that was not allowed. */
const DENIED = /rejected permission|permission .{0,40}(?:denied|rejected)|prevents you from using/i

/** What it says of a tool that it has taken from the agent, and that the agent calls all the same. */
const TAKEN = /^Model tried to call unavailable tool '(?:edit|write|patch|apply_patch|multiedit|bash)'/

export const opencodeFormat: Format = (turn) => {
  const { outcome } = turn
  /** What was said in this step. */
  let said = ''
  let unknown = 0

  const readFinish = ({ tokens, cost, reason }: Fields) => {
    const { input, output, reasoning, cache } = objectOf(tokens)
    const { read: cached, write: written } = objectOf(cache)
    const counts = { input: [input, cached, written], cached, written, output: [output, reasoning], reasoning }
    turn.useMore(counts, cost)
    const finishReason = FINISH_REASONS.get(reason)
    outcome.text = finishReason === undefined ? undefined : textOf(said)
    outcome.finishReason = finishReason
    // Earlier failures were retried.
    outcome.error = undefined
    const isUnknown = finishReason === undefined && reason !== 'tool-calls'
    unknown = isUnknown ? unknown + 1 : 0
    outcome.isStuck = unknown >= MAX_UNKNOWN
    if (isUnknown) {
      const why = `the step ended with the reason ${textOf(reason) ?? 'unknown'}`
      outcome.error = interrupted(`the answer was cut off: ${why}`)
      turn.retry('the answer was cut off')
    } else if (reason === 'tool-calls' && outcome.denials !== undefined) {
      // After that, it ends without an answer.
      outcome.error = permissionDenied(outcome.denials)
    }
  }

  const read = byType({
    step_start() {
      said = ''
    },
    text(part) {
      const text = textOf(part.text)
      if (text !== undefined) said += said === '' ? text : `\n\n${text}`
      turn.say('text', text)
    },
    reasoning: ({ text }) => turn.say('reasoning', text),
    tool_use({ callID, tool, state }) {
      const { input, output, error, metadata, status } = objectOf(state)
      turn.call(callID, { name: tool, input })
      const problem = textOf(error)
      if (problem !== undefined && DENIED.test(problem)) turn.deny(callID, problem)
      const { tool: taken, error: reason } = objectOf(input)
      if (tool === 'invalid' && TAKEN.test(textOf(reason) ?? '')) turn.deny(callID, reason, { name: `${taken}`, input })
      const { exit } = objectOf(metadata)
      const isError = status === 'error' || (typeof exit === 'number' && exit !== 0)
      turn.result(callID, output ?? problem, isError)
    },
    step_finish: readFinish,
    error() {
      const { name, data } = objectOf(turn.raw.error)
      const { message, statusCode } = objectOf(data)
      turn.fail([name, message].filter(textOf).join(': '), statusCode)
      outcome.text = undefined
    },
  })

  return ({ type, sessionID, part }) => {
    if (sessionID !== outcome.sessionId) turn.session(sessionID)
    read(objectOf(part), type)
  }
}
