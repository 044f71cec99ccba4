/** What GitHub Copilot CLI writes: events of a session, of which `result` is the last. */
import { cliError } from '../cli-errors.js'
import { byType, contentText, countOf, objectOf, Streamed, textOf, Turn } from './format.js'
import type { Fields, MakeFormat } from './format.js'

export const copilotFormat: MakeFormat = (emit) => {
  const turn = new Turn(emit)
  const { outcome } = turn
  let lastMessage: string | undefined
  /** Whether it has said that its session has the prompt. */
  let hasPrompt = false
  /** Text that arrived in pieces and arrives again as a whole. */
  const streamed = new Streamed(turn)
  /** The last request that failed. */
  let failure = { attempt: 0, status: undefined as number | undefined }

  const readToolResult = (data: Fields, raw: Fields) => {
    const parentId = textOf(data['parentToolCallId'])
    const id = textOf(data['toolCallId']) ?? ''
    const error = objectOf(data['error'])
    const output = contentText(objectOf(data['result'])['content'] ?? error['message'] ?? '')
    const exitCode = objectOf(data['shellExecution'])['exitCode']
    if (data['success'] === false && /denied|permission|rejected/i.test(textOf(error['code']) ?? '')) {
      turn.deny(id, output, raw)
    }
    const isError = data['success'] === false || (typeof exitCode === 'number' && exitCode !== 0)
    turn.result(id, output, isError, raw, parentId)
  }

  /** What the agent itself says, which is not in the events of its sub-agents. */
  const readSpoken = byType<[event: Fields]>({
    'assistant.message_start': () => streamed.clear('text'),
    'assistant.message_delta': ({ deltaContent }, event) => streamed.say('text', deltaContent, event),
    'assistant.reasoning_delta': ({ deltaContent }, event) => streamed.say('reasoning', deltaContent, event),
    'assistant.reasoning': ({ content }, event) => turn.say('reasoning', streamed.rest('reasoning', content), event),
    'assistant.message'({ content, model }, event) {
      lastMessage = textOf(content) ?? lastMessage
      outcome.model = textOf(model) ?? outcome.model
      // Earlier failures were retried.
      outcome.error = undefined
      turn.say('text', streamed.rest('text', content), event)
    },
  })

  const readNotice = ({ message }: Fields, event: Fields) => turn.notice(message, event)

  const read = byType<[event: Fields]>({
    'session.tools_updated'({ model }) {
      outcome.model = textOf(model) ?? outcome.model
    },
    'user.message'() {
      hasPrompt = true
    },
    'tool.execution_start'({ toolCallId, toolName, arguments: input, parentToolCallId }, event) {
      turn.call(textOf(toolCallId) ?? '', { name: textOf(toolName) ?? '', input }, event, textOf(parentToolCallId))
    },
    'tool.execution_complete': readToolResult,
    'model.call_failure'({ retryAttempt, statusCode }) {
      failure = { attempt: (countOf(retryAttempt) ?? 0) + 1, status: countOf(statusCode) }
    },
    'assistant.turn_retry'(data, event) {
      const { attempt, status } = failure
      streamed.clear('text')
      streamed.clear('reasoning')
      const reason = [textOf(data['reason']) ?? 'retry', status ?? ''].join(' ').trim()
      turn.retry(reason, event, attempt || undefined)
    },
    'session.info': readNotice,
    'session.warning': readNotice,
    'session.error'({ message, statusCode }) {
      outcome.error = cliError(textOf(message) ?? 'the turn failed', statusCode)
    },
    result(_, event) {
      turn.session(event['sessionId'], event, outcome.model)
      // It stores the session at the end: before that, a kill loses the prompt.
      if (hasPrompt) outcome.isTaken = true
      if (event['exitCode'] === 0) outcome.text = lastMessage
    },
  })

  return {
    event(event) {
      const data = objectOf(event['data'])
      read(event['type'], data, event)
      if (textOf(event['agentId']) === undefined) readSpoken(event['type'], data, event)
    },
    outcome: () => outcome,
  }
}
