/** What pi writes: the messages of a session. A turn ends with a message of the assistant that calls no tool. */
import { cliError, interrupted } from '../cli-errors.js'
import { amountOf, arrayOf, byType, contentText, countOf, objectOf, sumOf, textOf, Turn, usageSum } from './format.js'
import type { Fields, MakeFormat } from './format.js'
import type { FinishReason } from '../events.js'

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
  /** Whether nothing follows: after the end of a turn it may try again. */
  let isSettled = false

  /** A piece of a message. */
  const readPiece = (event: Fields) => {
    const { type, delta } = objectOf(event['assistantMessageEvent'])
    if (type === 'text_delta') turn.say('text', delta, event)
    if (type === 'thinking_delta') turn.say('reasoning', delta, event)
  }

  /** A whole message. */
  const readMessage = (event: Fields) => {
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
    outcome.usage = usageSum([outcome.usage, turn.use(used, event)])
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

  const read = byType({
    session: (event) => turn.session(event['id'], event),
    message_update: readPiece,
    message_end: readMessage,
    agent_settled() {
      isSettled = true
    },
    tool_execution_start(event) {
      const { toolCallId, toolName, args: input } = event
      turn.call(textOf(toolCallId) ?? '', { name: textOf(toolName) ?? '', input }, event)
    },
    tool_execution_end(event) {
      const { toolCallId, result, isError } = event
      turn.result(textOf(toolCallId) ?? '', contentText(objectOf(result)['content']), isError === true, event)
    },
    auto_retry_start(event) {
      const { attempt, delayMs, errorMessage } = event
      turn.retry(textOf(errorMessage) ?? 'the request failed', event, countOf(attempt), amountOf(delayMs))
    },
  })

  return {
    event: (event) => read(event['type'], event),
    outcome: () => (isSettled ? outcome : { ...outcome, text: undefined, finishReason: undefined }),
  }
}
