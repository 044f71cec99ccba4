/** What GitHub Copilot CLI writes: events of a session, of which `result` is the last. */
import { byType, countOf, type Fields, type Format, objectOf, textOf } from './format.js'

/** Errors of tools that say that they were not allowed. */
const DENIED = /denied|permission|rejected/i

export const copilotFormat: Format = (turn) => {
  const { outcome } = turn
  let lastMessage: string | undefined
  /** Whether it has said that its session has the prompt. */
  let hasPrompt = false
  let failure = { attempt: 0, status: undefined as number | undefined }

  /** What the agent itself says, which is not in the events of its sub-agents. */
  const readSpoken = byType({
    'assistant.message_start': () => turn.forgetPieces('text'),
    'assistant.message_delta': ({ deltaContent }) => turn.sayPiece('text', deltaContent),
    'assistant.reasoning_delta': ({ deltaContent }) => turn.sayPiece('reasoning', deltaContent),
    'assistant.reasoning': ({ content }) => turn.say('reasoning', turn.rest('reasoning', content)),
    'assistant.message'({ content, model }) {
      lastMessage = textOf(content) ?? lastMessage
      outcome.model = textOf(model) ?? outcome.model
      // Earlier failures were retried.
      outcome.error = undefined
      turn.say('text', turn.rest('text', content))
    },
  })

  const readNotice = ({ message }: Fields) => turn.notice(message)

  const read = byType({
    'session.tools_updated'({ model }) {
      outcome.model = textOf(model) ?? outcome.model
    },
    'user.message'() {
      hasPrompt = true
    },
    'tool.execution_start'({ toolCallId, toolName: name, arguments: input, parentToolCallId }) {
      // What was said before a tool is no answer.
      if (textOf(parentToolCallId) === undefined) lastMessage = undefined
      turn.call(toolCallId, { name, input }, parentToolCallId)
    },
    'tool.execution_complete'({ toolCallId, parentToolCallId, error, result, shellExecution, success }) {
      const { code, message } = objectOf(error)
      const output = objectOf(result).content ?? message
      const { exitCode } = objectOf(shellExecution)
      if (success === false && DENIED.test(textOf(code) ?? '')) turn.deny(toolCallId, output)
      const isError = success === false || (typeof exitCode === 'number' && exitCode !== 0)
      turn.result(toolCallId, output, isError, parentToolCallId)
    },
    'model.call_failure'({ retryAttempt, statusCode }) {
      failure = { attempt: (countOf(retryAttempt) ?? 0) + 1, status: countOf(statusCode) }
    },
    'assistant.turn_retry'({ reason }) {
      const { attempt, status } = failure
      turn.forgetPieces('text', 'reasoning')
      turn.retry([textOf(reason) ?? 'retry', status ?? ''].join(' ').trim(), attempt || undefined)
    },
    'session.info': readNotice,
    'session.warning': readNotice,
    'session.error': ({ message, statusCode }) => turn.fail(message, statusCode),
    result() {
      const { sessionId, exitCode } = turn.raw
      turn.session(sessionId, outcome.model)
      // It stores the session at the end: before that, a kill loses the prompt.
      if (hasPrompt) outcome.isTaken = true
      if (exitCode === 0) outcome.text = lastMessage
    },
  })

  return ({ type, data, agentId }) => {
    read(objectOf(data), type)
    if (textOf(agentId) === undefined) readSpoken(objectOf(data), type)
  }
}
