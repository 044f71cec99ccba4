/** What Codex writes: events of a thread, its turns and their items. */
import { cliError, OUTPUT_LIMIT } from '../cli-errors.js'
import { byType, contentText, countOf, type Fields, type MakeFormat, objectOf, textOf, Turn } from './format.js'

/** Says that it tries again: `Reconnecting... 2/5 (why)`. */
const RETRY = /^Reconnecting\.\.\. (\d+)\/\d+(?: \((.*)\))?$/s

/** Items that are not tools. */
const NO_TOOLS: ReadonlySet<unknown> = new Set(['agent_message', 'reasoning', 'error', 'todo_list'])

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
const callOf = (item: Fields) => {
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
const outputOf = (item: Fields) =>
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

  const readTool = (item: Fields, raw: Fields) => {
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

  const readNoTool = byType<[event: Fields]>({
    agent_message({ text: given }, raw) {
      const text = raw['type'] === 'item.completed' ? textOf(given) : undefined
      lastMessage = text ?? lastMessage
      turn.say('text', text, raw)
    },
    reasoning({ text }, raw) {
      if (raw['type'] === 'item.completed') turn.say('reasoning', text, raw)
    },
    // Often a warning: only `turn.failed` says that the turn has failed.
    error: ({ message }, raw) => emit({ type: 'notice', message: textOf(message) ?? '', raw }),
  })

  const readItem = (event: Fields) => {
    const item = objectOf(event['item'])
    const { type } = item
    if (NO_TOOLS.has(type)) readNoTool(type, item, event)
    else readTool(item, event)
  }

  const readError = (event: Fields) => {
    const message = messageOf(event['message']) ?? ''
    const [, attempt, reason] = RETRY.exec(message) ?? []
    if (attempt === undefined) emit({ type: 'notice', message, raw: event })
    else turn.retry(reason ?? 'reconnecting', event, Number(attempt))
  }

  const read = byType({
    'thread.started': (event) => turn.session(event['thread_id'], event),
    'item.started': readItem,
    'item.updated': readItem,
    'item.completed': readItem,
    error: readError,
    'turn.completed'(event) {
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
    },
    'turn.failed'({ error }) {
      isDone = true
      const message = messageOf(objectOf(error)['message']) ?? 'the turn failed'
      outcome.error = cliError(message)
      if (OUTPUT_LIMIT.test(message)) outcome.finishReason = 'length'
    },
  })

  return { event: (event) => read(event['type'], event), isDone: () => isDone, outcome: () => outcome }
}
