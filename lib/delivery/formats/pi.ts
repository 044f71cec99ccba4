/** What pi writes: the messages of a session. A turn ends with a message of the assistant that calls no tool. */
import { interrupted } from '../cli-errors.js'
import { arrayOf, byType, type Fields, type Format, objectOf, tableOf, textOf } from './format.js'
import type { FinishReason } from '../events.js'

const FINISH_REASONS = tableOf<FinishReason>({ stop: 'stop', length: 'length' })

const textIn = (content: unknown) =>
  arrayOf(content)
    .map(objectOf)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => textOf(text) ?? '')
    .join('')

export const piFormat: Format = (turn) => {
  const { outcome } = turn
  /** What the last message says of the turn, if nothing follows: it may try again. */
  let ending: { text?: string | undefined; finishReason?: FinishReason | undefined } = {}
  let isSettled = false

  const readMessage = ({ role, content, usage, stopReason, errorMessage, model }: Fields) => {
    if (role !== 'assistant') return
    const { input, output, cacheRead: cached, cacheWrite: written, reasoning, cost } = objectOf(usage)
    turn.useMore({ input: [input, cached, written], cached, written, output, reasoning }, objectOf(cost).total)
    outcome.model = textOf(model) ?? outcome.model
    const finishReason = FINISH_REASONS.get(stopReason)
    ending = { finishReason, text: finishReason === undefined ? undefined : textOf(textIn(content)) }
    if (isSettled) Object.assign(outcome, ending)
    // Earlier failures were retried.
    outcome.error = undefined
    if (stopReason === 'error') turn.fail(errorMessage)
    if (stopReason === 'aborted') outcome.error = interrupted('the turn was aborted')
  }

  return byType({
    session: ({ id }) => turn.session(id),
    message_update({ assistantMessageEvent }) {
      const { type, delta } = objectOf(assistantMessageEvent)
      if (type === 'text_delta') turn.say('text', delta)
      if (type === 'thinking_delta') turn.say('reasoning', delta)
    },
    message_end: ({ message }) => readMessage(objectOf(message)),
    agent_settled() {
      isSettled = true
      Object.assign(outcome, ending)
    },
    tool_execution_start: ({ toolCallId, toolName: name, args: input }) => turn.call(toolCallId, { name, input }),
    tool_execution_end({ toolCallId, result, isError }) {
      turn.result(toolCallId, objectOf(result).content, isError === true)
    },
    auto_retry_start({ attempt, delayMs, errorMessage }) {
      turn.retry(textOf(errorMessage) ?? 'the request failed', attempt, delayMs)
    },
  })
}
