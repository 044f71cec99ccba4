/** Reads the Agent Client Protocol messages that `lib/delivery/acp/run.ts` passes on. */
import { cliError, interrupted } from '../cli-errors.js'
import { amountOf, arrayOf, byType, contentText, countOf, objectOf, sumOf, textOf, Turn } from './format.js'
import type { Fields, MakeFormat } from './format.js'
import type { FinishReason } from '../events.js'

/** Why a turn has ended. */
const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['refusal', 'refused'],
])

/** Errors that are known by where they happen. */
const CODES = ['not-logged-in', 'session-not-found'] as const

/** What a tool has returned. */
const outputOf = ({ rawOutput, content }: Fields) => {
  if (typeof rawOutput === 'string') return rawOutput
  const texts = arrayOf(content).flatMap((each) => textOf(objectOf(objectOf(each)['content'])['text']) ?? [])
  return texts.length > 0 ? texts.join('\n') : contentText(rawOutput)
}

/** The text of a piece of a message. */
const textIn = ({ content }: Fields) => textOf(objectOf(content)['text'])

export const acpFormat: MakeFormat = (emit) => {
  const turn = new Turn(emit)
  const { outcome } = turn
  /** The messages since the last tool: texts by id, oldest first. */
  const messages: Map<unknown, string> = new Map()
  /** The id of the message that last received text. */
  let latest: unknown
  const tools: Map<string, { name: string; input: unknown; content: unknown[]; isCalled: boolean }> = new Map()

  /**
   * A tool call is announced first, and its input may follow later. It becomes an event once the input is
   * there.
   */
  const readTool = (update: Fields, raw: Fields) => {
    messages.clear()
    const id = textOf(update['toolCallId']) ?? ''
    const known = tools.get(id) ?? { name: '', input: undefined, content: [], isCalled: false }
    tools.set(id, known)
    if (update['sessionUpdate'] === 'tool_call_content_chunk') {
      known.content.push(update['content'])
      return
    }
    if (update['content'] !== undefined) known.content = [...arrayOf(update['content'])]
    if (known.name === '') known.name = textOf(update['name']) ?? textOf(update['title']) ?? ''
    known.input = update['rawInput'] ?? known.input
    const { status } = update
    const isOver = status === 'completed' || status === 'failed' || status === 'cancelled'
    if (!known.isCalled && (isOver || status === 'in_progress')) {
      known.isCalled = true
      turn.call(id, { name: known.name, input: known.input }, raw)
    }
    if (isOver) turn.result(id, outputOf({ ...update, content: known.content }), status !== 'completed', raw)
  }

  /** A piece of a message. Pieces of different messages may alternate if the agent gives them ids. */
  const readChunk = (update: Fields, raw: Fields) => {
    const { messageId: id } = update
    const text = textIn(update)
    if (id === undefined && latest !== undefined) messages.delete(id)
    latest = id
    messages.set(id, (messages.get(id) ?? '') + (text ?? ''))
    turn.say('text', text, raw)
  }

  /** The current state of a message. Whatever is new in it becomes an event. */
  const readMessage = ({ messageId, content }: Fields, raw: Fields) => {
    if (content === undefined) return
    const before = messages.get(messageId) ?? ''
    const text = arrayOf(content)
      .map((block) => textOf(objectOf(block)['text']) ?? '')
      .join('')
    messages.set(messageId, text)
    turn.say('text', text.startsWith(before) ? text.slice(before.length) : text, raw)
  }

  const readUpdate = byType<[event: Fields]>({
    agent_message_chunk: readChunk,
    agent_message: readMessage,
    agent_thought_chunk: (update, raw) => turn.say('reasoning', textIn(update), raw),
    tool_call: readTool,
    tool_call_update: readTool,
    tool_call_content_chunk: readTool,
    usage_update({ cost }) {
      const { amount, currency } = objectOf(cost)
      // For the whole session: a resumed session includes more than this turn.
      if (currency === 'USD') outcome.costUsd = amountOf(amount)
    },
    notice(update, raw) {
      const message = textIn(update) ?? textOf(update['message']) ?? textOf(update['title']) ?? ''
      emit({ type: 'notice', message, raw })
    },
  })

  const readPermission = (event: Fields) => {
    const call = objectOf(event['toolCall'])
    const id = textOf(call['toolCallId']) ?? ''
    const known = tools.get(id)
    const name = known?.name ?? textOf(call['name']) ?? textOf(call['title']) ?? ''
    const input = call['rawInput'] ?? known?.input
    const message = textOf(call['title']) ?? name
    if (event['isGranted'] !== true) turn.deny(id, message, event, { name, input })
    else emit({ type: 'permission', decision: 'granted', name, id, message, raw: event })
  }

  const readStop = (event: Fields) => {
    const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens } = objectOf(event['usage'])
    const counts = {
      inputTokens: sumOf([inputTokens, cachedReadTokens, cachedWriteTokens]),
      cachedInputTokens: countOf(cachedReadTokens),
      cacheWriteTokens: countOf(cachedWriteTokens),
      outputTokens: countOf(outputTokens),
      reasoningTokens: countOf(thoughtTokens),
    }
    outcome.usage = turn.use(counts, event)
    const finishReason = FINISH_REASONS.get(event['stopReason'])
    outcome.finishReason = finishReason
    if (finishReason === undefined) outcome.error = interrupted(`the turn ended with ${String(event['stopReason'])}`)
    else outcome.text = textOf([...messages.values()].at(-1))
  }

  const read = byType({
    session: (event) => turn.session(event['sessionId'], event),
    taken() {
      outcome.isTaken = true
    },
    update(event) {
      const update = objectOf(event['update'])
      // In version 2, an agent may be busy before its session has the prompt.
      if (event['protocolVersion'] !== 2) outcome.isTaken = true
      readUpdate(update['sessionUpdate'], update, event)
    },
    permission: readPermission,
    stop: readStop,
    error(event) {
      const error = cliError(textOf(event['message']) ?? 'the turn failed')
      const code = CODES.find((each) => each === event['code'])
      outcome.error = code === undefined ? error : { ...error, code }
      if (event['isUnsent'] === true) outcome.isUnsent = true
    },
  })

  return { event: (event) => read(event['type'], event), outcome: () => outcome }
}
