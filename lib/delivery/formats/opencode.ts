/** What opencode writes: the parts of each step. A turn ends with a step that calls no tool. */
import { cliError, interrupted, permissionDenied } from '../cli-errors.js'
import { Turn } from './format.js'
import { amountOf, contentText, countOf, objectOf, sumOf, textOf, usageSum } from './values.js'
import type { FinishReason } from '../results.js'
import type { MakeFormat } from './format.js'
import type { CliUsage } from '../events.js'

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
  const usages: (CliUsage | undefined)[] = []
  let unknown = 0

  const readTool = (event: Record<string, unknown>) => {
    const part = objectOf(event['part'])
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

  const readFinish = (event: Record<string, unknown>) => {
    const part = objectOf(event['part'])
    const { input, output, reasoning, cache } = objectOf(part['tokens'])
    const { read, write } = objectOf(cache)
    const counts = {
      inputTokens: sumOf([input, read, write]),
      cachedInputTokens: countOf(read),
      cacheWriteTokens: countOf(write),
      outputTokens: sumOf([output, reasoning]),
      reasoningTokens: countOf(reasoning),
    }
    usages.push(turn.use(counts, event))
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

  return {
    event(event) {
      if (event['sessionID'] !== outcome.sessionId) turn.session(event['sessionID'], event)
      const part = objectOf(event['part'])
      switch (event['type']) {
        case 'step_start':
          texts = []
          break
        case 'text': {
          const text = textOf(part['text'])
          if (text === undefined) break
          texts.push(text)
          turn.say('text', text, event)
          break
        }
        case 'reasoning':
          turn.say('reasoning', part['text'], event)
          break
        case 'tool_use':
          readTool(event)
          break
        case 'step_finish':
          readFinish(event)
          break
        case 'error': {
          const error = objectOf(event['error'])
          const { message, statusCode } = objectOf(error['data'])
          outcome.error = cliError([error['name'], message].filter(textOf).join(': ') || 'the turn failed', statusCode)
          outcome.text = undefined
          break
        }
        default:
      }
    },
    isStuck: () => unknown >= MAX_UNKNOWN,
    outcome: () => ({ ...outcome, usage: usageSum(usages) }),
  }
}
