/** What GitHub Copilot CLI writes: events of a session, of which `result` is the last. */
import { cliError } from '../cli-errors.js'
import { Streamed, Turn } from './format.js'
import { contentText, countOf, objectOf, textOf } from './values.js'
import type { MakeFormat } from './format.js'

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

  const readToolResult = (data: Record<string, unknown>, raw: Record<string, unknown>) => {
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

  /** Whether an event comes from a sub-agent, whose text is not the agent's answer. */
  const isOfSubagent = (event: Record<string, unknown>) => textOf(event['agentId']) !== undefined

  return {
    event(event) {
      const data = objectOf(event['data'])
      const isOwn = !isOfSubagent(event)
      switch (event['type']) {
        case 'session.tools_updated':
          outcome.model = textOf(data['model']) ?? outcome.model
          break
        case 'user.message':
          hasPrompt = true
          break
        case 'assistant.message_start':
          if (isOwn) streamed.clear('text')
          break
        case 'assistant.message_delta':
          if (isOwn) streamed.say('text', data['deltaContent'], event)
          break
        case 'assistant.reasoning_delta':
          if (isOwn) streamed.say('reasoning', data['deltaContent'], event)
          break
        case 'assistant.reasoning':
          if (isOwn) turn.say('reasoning', streamed.rest('reasoning', data['content']), event)
          break
        case 'assistant.message':
          if (!isOwn) break
          lastMessage = textOf(data['content']) ?? lastMessage
          outcome.model = textOf(data['model']) ?? outcome.model
          // Earlier failures were retried.
          outcome.error = undefined
          turn.say('text', streamed.rest('text', data['content']), event)
          break
        case 'tool.execution_start': {
          const call = { name: textOf(data['toolName']) ?? '', input: data['arguments'] }
          turn.call(textOf(data['toolCallId']) ?? '', call, event, textOf(data['parentToolCallId']))
          break
        }
        case 'tool.execution_complete':
          readToolResult(data, event)
          break
        case 'model.call_failure':
          failure = { attempt: (countOf(data['retryAttempt']) ?? 0) + 1, status: countOf(data['statusCode']) }
          break
        case 'assistant.turn_retry': {
          const { attempt, status } = failure
          streamed.clear('text')
          streamed.clear('reasoning')
          const reason = [textOf(data['reason']) ?? 'retry', status ?? ''].join(' ').trim()
          turn.retry(reason, event, attempt || undefined)
          break
        }
        case 'session.info':
        case 'session.warning':
          turn.notice(data['message'], event)
          break
        case 'session.error':
          outcome.error = cliError(textOf(data['message']) ?? 'the turn failed', data['statusCode'])
          break
        case 'result':
          turn.session(event['sessionId'], event, outcome.model)
          // It stores the session at the end: before that, a kill loses the prompt.
          if (hasPrompt) outcome.isTaken = true
          if (event['exitCode'] === 0) outcome.text = lastMessage
          break
        default:
      }
    },
    outcome: () => outcome,
  }
}
