/** What Codex writes: events of a thread, its turns and their items. */
import { OUTPUT_LIMIT, cliError } from '../cli-errors.js'
import { Turn } from './format.js'
import { contentText, countOf, objectOf, textOf } from './values.js'
import type { MakeFormat } from './format.js'

/** Says that it tries again: `Reconnecting... 2/5 (why)`. */
const RETRY = /^Reconnecting\.\.\. (\d+)\/\d+(?: \((.*)\))?$/s

/** Items that are not tools. */
const NO_TOOLS = new Set(['agent_message', 'reasoning', 'error', 'todo_list'])

/** The message of an error. Codex passes on the provider's JSON unchanged. */
const messageOf = (message: unknown): string | undefined => {
  const text = textOf(message)
  try {
    const error = objectOf(objectOf(JSON.parse(text ?? ''))['error'])
    return textOf([error['message'], error['code']].filter(textOf).join(' ')) ?? text
  } catch {
    return text
  }
}

/** The name and the input of a tool. */
const callOf = (item: Record<string, unknown>) => {
  const { command, changes, query, prompt } = item
  const type = textOf(item['type']) ?? ''
  if (type === 'mcp_tool_call') {
    return { name: [item['server'], item['tool']].filter(textOf).join('.') || type, input: item['arguments'] }
  }
  const input = {
    ...(command !== undefined && { command }),
    ...(changes !== undefined && { changes }),
    ...(query !== undefined && { query }),
    ...(prompt !== undefined && { prompt }),
  }
  return { name: type, input }
}

/** What a tool has returned. */
const outputOf = (item: Record<string, unknown>) =>
  textOf(item['aggregated_output']) ??
  textOf(objectOf(item['error'])['message']) ??
  contentText(objectOf(item['result'])['content'] ?? item['result'] ?? '')

export const codexFormat: MakeFormat = (emit) => {
  const turn = new Turn(emit)
  const { outcome } = turn
  let isDone = false
  let lastMessage: string | undefined
  /** Tools that were called, and have not returned. */
  const called: Set<string> = new Set()

  const readTool = (item: Record<string, unknown>, raw: Record<string, unknown>) => {
    const id = textOf(item['id']) ?? ''
    const isOver = raw['type'] === 'item.completed'
    if (!(isOver ? called.delete(id) : called.has(id))) {
      if (!isOver) called.add(id)
      turn.call(id, callOf(item), raw)
    }
    if (!isOver) return
    const { status } = item
    if (status === 'declined') turn.deny(id, outputOf(item), raw, callOf(item))
    turn.result(id, outputOf(item), status === 'failed' || status === 'declined', raw)
  }

  const readItem = (item: Record<string, unknown>, raw: Record<string, unknown>) => {
    const isComplete = raw['type'] === 'item.completed'
    const text = textOf(item['text'])
    switch (item['type']) {
      case 'agent_message':
        if (!isComplete || text === undefined) return
        lastMessage = text
        turn.say('text', text, raw)
        break
      case 'reasoning':
        if (isComplete) turn.say('reasoning', text, raw)
        break
      case 'error':
        // Often a warning: only `turn.failed` says that the turn has failed.
        emit({ type: 'notice', message: textOf(item['message']) ?? '', raw })
        break
      default:
        if (!NO_TOOLS.has(textOf(item['type']) ?? '')) readTool(item, raw)
    }
  }

  const readError = (event: Record<string, unknown>) => {
    const message = messageOf(event['message']) ?? ''
    const [, attempt, reason] = RETRY.exec(message) ?? []
    if (attempt === undefined) emit({ type: 'notice', message, raw: event })
    else turn.retry(reason ?? 'reconnecting', event, Number(attempt))
  }

  return {
    event(event) {
      switch (event['type']) {
        case 'thread.started':
          turn.session(event['thread_id'], event)
          break
        case 'item.started':
        case 'item.updated':
        case 'item.completed':
          readItem(objectOf(event['item']), event)
          break
        case 'error':
          readError(event)
          break
        case 'turn.completed': {
          const usage = objectOf(event['usage'])
          isDone = true
          outcome.text = lastMessage
          outcome.error = undefined
          const counts = {
            inputTokens: countOf(usage['input_tokens']),
            cachedInputTokens: countOf(usage['cached_input_tokens']),
            cacheWriteTokens: countOf(usage['cache_write_input_tokens']),
            outputTokens: countOf(usage['output_tokens']),
            reasoningTokens: countOf(usage['reasoning_output_tokens']),
          }
          outcome.usage = turn.use(counts, event)
          break
        }
        case 'turn.failed': {
          isDone = true
          const message = messageOf(objectOf(event['error'])['message']) ?? 'the turn failed'
          outcome.error = cliError(message)
          if (OUTPUT_LIMIT.test(message)) outcome.finishReason = 'length'
          break
        }
        default:
      }
    },
    isDone: () => isDone,
    outcome: () => outcome,
  }
}
