/** What pi writes: the messages of a session. A turn ends with a message of the assistant that calls no tool. */
import { cliError, interrupted } from '../cli-errors.js'
import { Turn } from './format.js'
import { amountOf, arrayOf, contentText, countOf, objectOf, sumOf, textOf, usageSum } from './values.js'
import type { FinishReason } from '../results.js'
import type { MakeFormat } from './format.js'
import type { CliUsage } from '../events.js'

/** Why a turn has ended. */
const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
])

/** @param content The parts of a message. */
const textIn = (content: unknown) =>
  arrayOf(content)
    .map(objectOf)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => textOf(text) ?? '')
    .join('')

export const piFormat: MakeFormat = (emit) => {
  const turn = new Turn(emit)
  const { outcome } = turn
  const usages: (CliUsage | undefined)[] = []
  /** Whether nothing follows: after the end of a turn it may try again. */
  let isSettled = false

  /** A piece of a message. */
  const readPiece = (event: Record<string, unknown>) => {
    const { type, delta } = objectOf(event['assistantMessageEvent'])
    if (type === 'text_delta') turn.say('text', delta, event)
    if (type === 'thinking_delta') turn.say('reasoning', delta, event)
  }

  /** A whole message. */
  const readMessage = (event: Record<string, unknown>) => {
    const { role, content, usage: counts, stopReason, errorMessage, model } = objectOf(event['message'])
    if (role !== 'assistant') return
    const { input, output, cacheRead, cacheWrite, reasoning, cost } = objectOf(counts)
    const used = {
      inputTokens: sumOf([input, cacheRead, cacheWrite]),
      cachedInputTokens: countOf(cacheRead),
      cacheWriteTokens: countOf(cacheWrite),
      outputTokens: countOf(output),
      reasoningTokens: countOf(reasoning),
    }
    usages.push(turn.use(used, event))
    const total = amountOf(objectOf(cost)['total'])
    if (total !== undefined && total > 0) outcome.costUsd = (outcome.costUsd ?? 0) + total
    outcome.model = textOf(model) ?? outcome.model
    const finishReason = FINISH_REASONS.get(stopReason)
    outcome.finishReason = finishReason
    outcome.text = finishReason === undefined ? undefined : textOf(textIn(content))
    // Earlier failures were retried.
    outcome.error = undefined
    if (stopReason === 'error') outcome.error = cliError(textOf(errorMessage) ?? 'the turn failed')
    if (stopReason === 'aborted') outcome.error = interrupted('the turn was aborted')
  }

  return {
    event(event) {
      const id = textOf(event['toolCallId']) ?? ''
      switch (event['type']) {
        case 'session':
          turn.session(event['id'], event)
          break
        case 'message_update':
          readPiece(event)
          break
        case 'message_end':
          readMessage(event)
          break
        case 'agent_settled':
          isSettled = true
          break
        case 'tool_execution_start':
          turn.call(id, { name: textOf(event['toolName']) ?? '', input: event['args'] }, event)
          break
        case 'tool_execution_end':
          turn.result(id, contentText(objectOf(event['result'])['content']), event['isError'] === true, event)
          break
        case 'auto_retry_start': {
          const [attempt, afterMs] = [countOf(event['attempt']), amountOf(event['delayMs'])]
          const reason = textOf(event['errorMessage']) ?? 'the request failed'
          turn.retry(reason, event, attempt, afterMs)
          break
        }
        default:
      }
    },
    outcome: () => ({
      ...outcome,
      ...(isSettled ? {} : { text: undefined, finishReason: undefined }),
      usage: usageSum(usages),
    }),
  }
}
