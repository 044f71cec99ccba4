/** Reads the Agent Client Protocol messages that `lib/delivery/acp/run.ts` passes on. */
import { cliError, interrupted } from '../cli-errors.js'
import {
  amountOf,
  arrayOf,
  byType,
  contentText,
  type Fields,
  type Format,
  objectOf,
  tableOf,
  textOf,
} from './format.js'
import type { FinishReason } from '../events.js'

const FINISH_REASONS = tableOf<FinishReason>({ end_turn: 'stop', max_tokens: 'length', refusal: 'refused' })

const OVER: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled'])

/** Errors that are known by where they happen. */
const CODES = ['not-logged-in', 'session-not-found'] as const

const outputOf = (rawOutput: unknown, content: readonly unknown[]) => {
  if (typeof rawOutput === 'string') return rawOutput
  const texts = content.flatMap((each) => textIn(objectOf(each)) ?? [])
  return texts.length > 0 ? texts.join('\n') : contentText(rawOutput)
}

const textIn = ({ content }: Fields) => textOf(objectOf(content).text)

export const acpFormat: Format = (turn) => {
  const { outcome } = turn
  /** The messages since the last tool: texts by id, oldest first. */
  const messages: Map<unknown, string> = new Map()
  /** The id of the message that last received text. */
  let latest: unknown
  const tools: Map<string, { name: string; input: unknown; content: unknown[]; isCalled: boolean }> = new Map()

  /** A tool call is announced first, and its input may follow later. It becomes an event once the input is there. */
  const readTool = ({ sessionUpdate, toolCallId, content, name, title, rawInput, rawOutput, status }: Fields) => {
    messages.clear()
    const id = textOf(toolCallId) ?? ''
    const known = tools.get(id) ?? { name: '', input: undefined, content: [], isCalled: false }
    tools.set(id, known)
    if (sessionUpdate === 'tool_call_content_chunk') {
      known.content.push(content)
      return
    }
    if (content !== undefined) known.content = [...arrayOf(content)]
    if (known.name === '') known.name = textOf(name) ?? textOf(title) ?? ''
    known.input = rawInput ?? known.input
    const isOver = OVER.has(status)
    if (!known.isCalled && (isOver || status === 'in_progress')) {
      known.isCalled = true
      turn.call(id, known)
    }
    if (isOver) turn.result(id, outputOf(rawOutput, known.content), status !== 'completed')
  }

  const readUpdate = byType({
    // Pieces of different messages may alternate if the agent gives them ids.
    agent_message_chunk(update) {
      const { messageId: id } = update
      const text = textIn(update)
      if (id === undefined && latest !== undefined) messages.delete(id)
      latest = id
      messages.set(id, (messages.get(id) ?? '') + (text ?? ''))
      turn.say('text', text)
    },
    // The current state of a message. Whatever is new in it becomes an event.
    agent_message({ messageId, content }) {
      if (content === undefined) return
      const before = messages.get(messageId) ?? ''
      const text = arrayOf(content)
        .map((block) => textOf(objectOf(block).text) ?? '')
        .join('')
      messages.set(messageId, text)
      turn.say('text', text.startsWith(before) ? text.slice(before.length) : text)
    },
    agent_thought_chunk: (update) => turn.say('reasoning', textIn(update)),
    tool_call: readTool,
    tool_call_update: readTool,
    tool_call_content_chunk: readTool,
    plan: ({ entries }) => turn.plan(entries),
    usage_update({ cost }) {
      const { amount, currency } = objectOf(cost)
      // For the whole session: a resumed session includes more than this turn.
      if (currency === 'USD') outcome.costUsd = amountOf(amount)
    },
    notice(update) {
      const message = textIn(update) ?? textOf(update.message) ?? textOf(update.title) ?? ''
      turn.emit({ type: 'notice', message })
    },
  })

  return byType({
    session: ({ sessionId }) => turn.session(sessionId),
    taken() {
      outcome.isTaken = true
    },
    update({ update, protocolVersion }) {
      // In version 2, an agent may be busy before its session has the prompt.
      if (protocolVersion !== 2) outcome.isTaken = true
      readUpdate(objectOf(update), objectOf(update).sessionUpdate)
    },
    permission({ toolCall, isGranted }) {
      const { toolCallId, name: given, title, rawInput } = objectOf(toolCall)
      const id = textOf(toolCallId) ?? ''
      const known = tools.get(id)
      const name = known?.name ?? textOf(given) ?? textOf(title) ?? ''
      const message = textOf(title) ?? name
      if (isGranted !== true) turn.deny(id, message, { name, input: rawInput ?? known?.input })
      else turn.emit({ type: 'permission', decision: 'granted', name, id, message })
    },
    stop({ usage, stopReason }) {
      const { inputTokens, outputTokens: output, cachedReadTokens: cached, ...others } = objectOf(usage)
      const { cachedWriteTokens: written, thoughtTokens: reasoning } = others
      outcome.usage = turn.use({ input: [inputTokens, cached, written], cached, written, output, reasoning })
      const finishReason = FINISH_REASONS.get(stopReason)
      outcome.finishReason = finishReason
      if (finishReason === undefined)
        outcome.error = interrupted(`the turn ended with ${textOf(stopReason) ?? 'no reason'}`)
      else outcome.text = textOf([...messages.values()].at(-1))
    },
    error({ message, code, isUnsent }) {
      const error = cliError(textOf(message) ?? 'the turn failed')
      outcome.error = { ...error, code: CODES.find((each) => each === code) ?? error.code }
      if (isUnsent === true) outcome.isUnsent = true
    },
  })
}
