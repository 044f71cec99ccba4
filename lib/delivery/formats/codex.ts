/** What Codex writes: events of a thread, its turns and their items. */
import { OUTPUT_LIMIT } from '../cli-errors.js'
import { byType, type Fields, type Format, objectOf, textOf } from './format.js'

/** Says that it tries again: `Reconnecting... 2/5 (why)`. */
const RETRY = /^Reconnecting\.\.\. (\d+)\/\d+(?: \((.*)\))?$/s

const NO_TOOLS: ReadonlySet<unknown> = new Set(['agent_message', 'reasoning', 'error', 'todo_list'])

/** The message of an error. Codex passes on the provider's JSON unchanged. */
const messageOf = (message: unknown): string | undefined => {
  const text = textOf(message)
  try {
    const error = objectOf(objectOf(JSON.parse(text ?? '')).error)
    return textOf([error.message, error.code].filter(textOf).join(' ')) ?? text
  } catch {
    return text
  }
}

const callOf = ({ type, server, tool, arguments: args, command, changes, query, prompt }: Fields) => {
  const name = textOf(type) ?? ''
  if (name === 'mcp_tool_call') return { name: [server, tool].filter(textOf).join('.') || name, input: args }
  // Not by `present`, which takes longer than to parse the event.
  const input = {
    ...(command !== undefined && { command }),
    ...(changes !== undefined && { changes }),
    ...(query !== undefined && { query }),
    ...(prompt !== undefined && { prompt }),
  }
  return { name, input }
}

const outputOf = ({ aggregated_output: output, error, result }: Fields) =>
  textOf(output) ?? textOf(objectOf(error).message) ?? objectOf(result).content ?? result

export const codexFormat: Format = (turn) => {
  const { outcome } = turn
  let lastMessage: string | undefined
  /** Tools that were called, and have not returned. */
  const called: Set<string> = new Set()
  const isOver = () => turn.raw.type === 'item.completed'

  const readTool = (item: Fields) => {
    const id = textOf(item.id) ?? ''
    // What was said before a tool is no answer.
    lastMessage = undefined
    if (!(isOver() ? called.delete(id) : called.has(id))) {
      if (!isOver()) called.add(id)
      turn.call(id, callOf(item))
    }
    if (!isOver()) return
    if (item.status === 'declined') turn.deny(id, outputOf(item), callOf(item))
    turn.result(id, outputOf(item), item.status === 'failed' || item.status === 'declined')
  }

  const readNoTool = byType({
    agent_message({ text }) {
      if (!isOver()) return
      lastMessage = textOf(text) ?? lastMessage
      turn.say('text', text)
    },
    reasoning({ text }) {
      if (isOver()) turn.say('reasoning', text)
    },
    todo_list: ({ items }) => turn.plan(items),
    // Often a warning: only `turn.failed` says that the turn has failed.
    error: ({ message }) => turn.emit({ type: 'notice', message: textOf(message) ?? '' }),
  })

  const readItem = (event: Fields) => {
    const item = objectOf(event.item)
    if (NO_TOOLS.has(item.type)) readNoTool(item)
    else readTool(item)
  }

  return byType({
    'thread.started': ({ thread_id: id }) => turn.session(id),
    'item.started': readItem,
    'item.updated': readItem,
    'item.completed': readItem,
    error(event) {
      const message = messageOf(event.message) ?? ''
      const [, attempt, reason] = RETRY.exec(message) ?? []
      if (attempt === undefined) turn.emit({ type: 'notice', message })
      else turn.retry(reason ?? 'reconnecting', Number(attempt))
    },
    'turn.completed'({ usage }) {
      const { input_tokens: input, cached_input_tokens: cached, ...others } = objectOf(usage)
      const { cache_write_input_tokens: written, output_tokens: output, reasoning_output_tokens: reasoning } = others
      outcome.isDone = true
      outcome.text = lastMessage
      outcome.error = undefined
      outcome.usage = turn.use({ input, cached, written, output, reasoning })
    },
    'turn.failed'({ error }) {
      outcome.isDone = true
      const message = messageOf(objectOf(error).message)
      turn.fail(message)
      if (OUTPUT_LIMIT.test(message ?? '')) outcome.finishReason = 'length'
    },
  })
}
