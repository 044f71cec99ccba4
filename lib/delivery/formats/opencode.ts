/** What opencode writes: the parts of each step. A turn ends with a step that calls no tool. */
import { cliError, interrupted, permissionDenied } from '../cli-errors.js'
import { amountOf, byType, contentText, countOf, objectOf, sumOf, textOf, Turn, usageSum } from './format.js'
import type { Fields, MakeFormat } from './format.js'
import type { FinishReason } from '../events.js'

/** Why a step has ended, if that is the end of the turn. Any other reason tells nothing. */
const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'refused'],
])

/** After this many steps in a row that ended without a reason, it continues forever. */
const MAX_UNKNOWN = 3

/** What a tool says that was not allowed. */
const DENIED = /rejected permission|permission .{0,40}(?:denied|rejected)|prevents you from using/i

export const opencodeFormat: MakeFormat = (emit) => {
  const turn = new Turn(emit)
  const { outcome } = turn
  let texts: string[] = []
  let unknown = 0

  const readTool = (part: Fields, event: Fields) => {
    const state = objectOf(part['state'])
    const id = textOf(part['callID']) ?? ''
    turn.call(id, { name: textOf(part['tool']) ?? '', input: state['input'] }, event)
    const error = textOf(state['error'])
    if (error !== undefined && DENIED.test(error)) turn.deny(id, error, event)
    const exitCode = objectOf(state['metadata'])['exit']
    const isError = state['status'] === 'error' || (typeof exitCode === 'number' && exitCode !== 0)
    const output = contentText(state['output'] ?? error ?? '')
    turn.result(id, output, isError, event)
  }

  const readFinish = (part: Fields, event: Fields) => {
    const { input, output, reasoning, cache } = objectOf(part['tokens'])
    const { read, write } = objectOf(cache)
    const counts = {
      inputTokens: sumOf([input, read, write]),
      cachedInputTokens: countOf(read),
      cacheWriteTokens: countOf(write),
      outputTokens: sumOf([output, reasoning]),
      reasoningTokens: countOf(reasoning),
    }
    outcome.usage = usageSum([outcome.usage, turn.use(counts, event)])
    const cost = amountOf(part['cost'])
    if (cost !== undefined && cost > 0) outcome.costUsd = (outcome.costUsd ?? 0) + cost

    const { reason } = part
    const finishReason = FINISH_REASONS.get(reason)
    outcome.text = finishReason === undefined ? undefined : textOf(texts.join('\n\n'))
    outcome.finishReason = finishReason
    // Earlier failures were retried.
    outcome.error = undefined
    const isUnknown = finishReason === undefined && reason !== 'tool-calls'
    unknown = isUnknown ? unknown + 1 : 0
    if (isUnknown) {
      outcome.error = interrupted(
        `the answer was cut off: the step ended with the reason ${textOf(reason) ?? 'unknown'}`,
      )
      turn.retry('the answer was cut off', event)
    } else if (reason === 'tool-calls' && outcome.denials !== undefined) {
      // After that, it ends without an answer.
      outcome.error = permissionDenied(outcome.denials)
    }
  }

  const read = byType<[event: Fields]>({
    step_start() {
      texts = []
    },
    text(part, event) {
      const text = textOf(part['text'])
      if (text !== undefined) texts.push(text)
      turn.say('text', text, event)
    },
    reasoning: ({ text }, event) => turn.say('reasoning', text, event),
    tool_use: readTool,
    step_finish: readFinish,
    error(_, event) {
      const { name, data } = objectOf(event['error'])
      const { message, statusCode } = objectOf(data)
      outcome.error = cliError([name, message].filter(textOf).join(': ') || 'the turn failed', statusCode)
      outcome.text = undefined
    },
  })

  return {
    event(event) {
      if (event['sessionID'] !== outcome.sessionId) turn.session(event['sessionID'], event)
      read(event['type'], objectOf(event['part']), event)
    },
    isStuck: () => unknown >= MAX_UNKNOWN,
    outcome: () => outcome,
  }
}
