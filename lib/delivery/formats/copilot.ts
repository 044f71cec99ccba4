/** What GitHub Copilot CLI writes: events of a session, of which `result` is the last. */
import { cliError } from '../cli-errors.js'
import { StreamedText } from './streamed.js'
import { contentText, countOf, objectOf, textOf } from './values.js'
import type { MakeFormat, Outcome } from '../read-output.js'
import type { Denial } from '../results.js'

export const copilotFormat: MakeFormat = (emit) => {
  const outcome: Outcome = {}
  let lastMessage: string | undefined
  /** Whether it has said that its session has the prompt. */
  let hasPrompt = false
  /** Text that arrived in pieces and arrives again as a whole. */
  const streamed = { text: new StreamedText(), reasoning: new StreamedText() }
  const denials: Denial[] = []
  const calls: Map<string, { name: string; input: unknown }> = new Map()
  /** The last request that failed. */
  let failure = { attempt: 0, status: undefined as number | undefined }

  const say = (type: 'text' | 'reasoning', piece: unknown, raw: Record<string, unknown>) => {
    const text = textOf(piece)
    if (text === undefined) return
    streamed[type].add(text)
    emit({ type, text, raw })
  }

  const sayRest = (type: 'text' | 'reasoning', content: unknown, raw: Record<string, unknown>) => {
    const text = streamed[type].rest(textOf(content) ?? '')
    if (text !== '') emit({ type, text, raw })
  }

  const readToolResult = (data: Record<string, unknown>, raw: Record<string, unknown>) => {
    const parentId = textOf(data['parentToolCallId'])
    const id = textOf(data['toolCallId']) ?? ''
    const error = objectOf(data['error'])
    const output = contentText(objectOf(data['result'])['content'] ?? error['message'] ?? '')
    const exitCode = objectOf(data['shellExecution'])['exitCode']
    if (data['success'] === false && /denied|permission|rejected/i.test(textOf(error['code']) ?? '')) {
      const call = calls.get(id) ?? { name: 'a tool', input: undefined }
      denials.push({ ...call, id })
      outcome.denials = denials
      emit({ type: 'permission', decision: 'denied', name: call.name, id, message: output, raw })
    }
    const isError = data['success'] === false || (typeof exitCode === 'number' && exitCode !== 0)
    emit({ type: 'tool-result', id, output, ...(isError && { isError }), ...(parentId && { parentId }), raw })
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
          if (isOwn) streamed.text.clear()
          break
        case 'assistant.message_delta':
          if (isOwn) say('text', data['deltaContent'], event)
          break
        case 'assistant.reasoning_delta':
          if (isOwn) say('reasoning', data['deltaContent'], event)
          break
        case 'assistant.reasoning':
          if (isOwn) sayRest('reasoning', data['content'], event)
          break
        case 'assistant.message':
          if (!isOwn) break
          lastMessage = textOf(data['content']) ?? lastMessage
          outcome.model = textOf(data['model']) ?? outcome.model
          // Earlier failures were retried.
          outcome.error = undefined
          sayRest('text', data['content'], event)
          break
        case 'tool.execution_start': {
          const [id, name] = [textOf(data['toolCallId']) ?? '', textOf(data['toolName']) ?? '']
          const parentId = textOf(data['parentToolCallId'])
          calls.set(id, { name, input: data['arguments'] })
          emit({ type: 'tool-call', id, name, input: data['arguments'], ...(parentId && { parentId }), raw: event })
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
          streamed.text.clear()
          streamed.reasoning.clear()
          const reason = [textOf(data['reason']) ?? 'retry', status ?? ''].join(' ').trim()
          emit({ type: 'retry', ...(attempt > 0 && { attempt }), reason, raw: event })
          break
        }
        case 'session.info':
        case 'session.warning': {
          const message = textOf(data['message'])
          if (message !== undefined) emit({ type: 'notice', message, raw: event })
          break
        }
        case 'session.error':
          outcome.error = cliError(textOf(data['message']) ?? 'the turn failed', data['statusCode'])
          break
        case 'result': {
          const sessionId = textOf(event['sessionId'])
          if (sessionId !== undefined) {
            outcome.sessionId = sessionId
            emit({ type: 'session', sessionId, ...(outcome.model && { model: outcome.model }), raw: event })
          }
          // It stores the session at the end: before that, a kill loses the prompt.
          if (hasPrompt) outcome.isTaken = true
          if (event['exitCode'] === 0) outcome.text = lastMessage
          break
        }
        default:
      }
    },
    outcome: () => outcome,
  }
}
