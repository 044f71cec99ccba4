'use strict'
/** What pi writes: the messages of a session. A turn ends with a message of the assistant that calls no tool. */
const { cliError, interrupted } = require('../cli-errors.js')
const { amountOf, arrayOf, contentText, countOf, objectOf, sumOf, textOf, usageOf, usageSum } = require('./values.js')

/** Why a turn has ended. */
/** @type {ReadonlyMap<unknown, import('../../../index.d.ts').FinishReason>} */
const FINISH_REASONS = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
])

/** @param {unknown} content The parts of a message. */
const textIn = (content) =>
  arrayOf(content)
    .map(objectOf)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => textOf(text) ?? '')
    .join('')

/** @type {import('../read-output.js').MakeFormat} */
const piFormat = (emit) => {
  /** @type {import('../read-output.js').Outcome} */
  const outcome = {}
  /** @type {(import('../../../index.d.ts').CliUsage | undefined)[]} */
  const usages = []
  /** Whether nothing follows: after the end of a turn it may try again. */
  let isSettled = false

  /**
   * A piece of a message.
   * @param {Record<string, unknown>} event
   */
  const readPiece = (event) => {
    const { type, delta } = objectOf(event['assistantMessageEvent'])
    const text = textOf(delta)
    if (text === undefined) return
    if (type === 'text_delta') emit({ type: 'text', text, raw: event })
    if (type === 'thinking_delta') emit({ type: 'reasoning', text, raw: event })
  }

  /**
   * A whole message.
   * @param {Record<string, unknown>} event
   */
  const readMessage = (event) => {
    const { role, content, usage: counts, stopReason, errorMessage, model } = objectOf(event['message'])
    if (role !== 'assistant') return
    const { input, output, cacheRead, cacheWrite, reasoning, cost } = objectOf(counts)
    const usage = usageOf({
      inputTokens: sumOf([input, cacheRead, cacheWrite]),
      cachedInputTokens: countOf(cacheRead),
      cacheWriteTokens: countOf(cacheWrite),
      outputTokens: countOf(output),
      reasoningTokens: countOf(reasoning),
    })
    usages.push(usage)
    if (usage !== undefined) emit({ type: 'usage', ...usage, raw: event })
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
        case 'session': {
          const sessionId = textOf(event['id'])
          outcome.sessionId = sessionId
          if (sessionId !== undefined) emit({ type: 'session', sessionId, raw: event })
          break
        }
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
          emit({ type: 'tool-call', id, name: textOf(event['toolName']) ?? '', input: event['args'], raw: event })
          break
        case 'tool_execution_end': {
          const isError = event['isError'] === true
          const output = contentText(objectOf(event['result'])['content'])
          emit({ type: 'tool-result', id, output, ...(isError && { isError }), raw: event })
          break
        }
        case 'auto_retry_start': {
          const [attempt, afterMs] = [countOf(event['attempt']), amountOf(event['delayMs'])]
          const reason = textOf(event['errorMessage']) ?? 'the request failed'
          emit({
            type: 'retry',
            ...(attempt !== undefined && { attempt }),
            ...(afterMs !== undefined && { afterMs }),
            reason,
            raw: event,
          })
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

module.exports = { piFormat }
