/** What Gemini writes: events, of which `result` is the last, or one object with `response`. */
import { cliError } from '../cli-errors.js'
import { byType, contentText, countOf, objectOf, sumOf, textOf, Turn, usageOf } from './format.js'
import type { Fields, MakeFormat } from './format.js'

/** Errors of tools that say that they were not allowed. */
const DENIED = /denied|policy|permission|not_registered/i

/**
 * When a stream was cut off, it waits for a second or more and repeats the request. Nothing says so:
 * the pieces of both follow each other. A shorter pause is not a retry.
 */
const MIN_RETRY_MS = 900

/** A text as Gemini stores it. */
const asStored = (text: string) =>
  text
    .replace(/[\u200B-\u200D\uFEFF\u200E\u200F]/g, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .trim()

export const geminiFormat: MakeFormat = (emit) => {
  const turn = new Turn(emit)
  const { outcome } = turn
  /** What was said since the last tool. */
  let said = ''
  /** Where in it a pause was long enough for a request to have been repeated. */
  let pauses: number[] = []
  /** When the last piece of it came. */
  let lastAt = NaN

  const forgetSaid = () => {
    said = ''
    pauses = []
    lastAt = NaN
  }

  const say = (text: string, event: Fields) => {
    const at = Date.parse(textOf(event['timestamp']) ?? '')
    if (at - lastAt >= MIN_RETRY_MS) pauses.push(said.length)
    lastAt = at
    said += text
    turn.say('text', text, event)
  }

  const fail = (error: unknown, reported?: string | undefined) => {
    outcome.error = cliError(textOf(objectOf(error)['message']) ?? reported ?? 'the turn failed')
  }

  const readResult = (event: Fields) => {
    const { status, error } = event
    const stats = objectOf(event['stats'])
    const counts = {
      inputTokens: countOf(stats['input_tokens']),
      cachedInputTokens: countOf(stats['cached']),
      outputTokens: countOf(stats['output_tokens']),
    }
    outcome.usage = turn.use(counts, event)
    if (status === 'success') outcome.text = textOf(said)
    else fail(error, outcome.reason)
  }

  const readObject = ({ session_id: sessionId, response, error, stats }: Fields) => {
    const models = Object.entries(objectOf(objectOf(stats)['models']))
    const tokens = models.map(([, model]) => objectOf(objectOf(model)['tokens']))
    outcome.sessionId = textOf(sessionId)
    outcome.model = models.length === 1 ? models[0]?.[0] : undefined
    outcome.usage = usageOf({
      inputTokens: sumOf(tokens.map(({ prompt }) => prompt)),
      cachedInputTokens: sumOf(tokens.map(({ cached }) => cached)),
      outputTokens: sumOf(tokens.map(({ candidates }) => candidates)),
      reasoningTokens: sumOf(tokens.map(({ thoughts }) => thoughts)),
    })
    if (error === undefined || error === null) outcome.text = textOf(response)
    else fail(error)
  }

  const read = byType({
    init: (event) => turn.session(event['session_id'], event, textOf(event['model'])),
    message(event) {
      const text = event['role'] === 'assistant' ? textOf(event['content']) : undefined
      if (text !== undefined) say(text, event)
    },
    tool_use(event) {
      forgetSaid()
      const call = { name: textOf(event['tool_name']) ?? '', input: event['parameters'] }
      turn.call(textOf(event['tool_id']) ?? '', call, event)
    },
    tool_result(event) {
      forgetSaid()
      const id = textOf(event['tool_id']) ?? ''
      const error = objectOf(event['error'])
      const output = contentText(event['output'] ?? error['message'] ?? '')
      const isError = event['status'] === 'error'
      if (isError && DENIED.test(textOf(error['type']) ?? '')) turn.deny(id, output, event)
      turn.result(id, output, isError, event)
    },
    error(event) {
      // Often a warning: only `result` says whether the turn has failed.
      outcome.reason = textOf(event['message']) ?? outcome.reason
      turn.notice(event['message'], event)
    },
    result: readResult,
  })

  return {
    event(event) {
      const { type } = event
      if (type !== undefined) read(type, event)
      else if ('session_id' in event || 'response' in event || 'error' in event) readObject(event)
    },
    isDoubtful: () => outcome.text !== undefined && pauses.length > 0,
    amend(stored) {
      const answer = asStored(stored)
      if (answer === '' || asStored(said) === answer) return
      const begin = pauses.findLast((each) => asStored(said.slice(each)) === answer)
      if (begin === undefined) return
      outcome.text = said.slice(begin)
      const message = 'the request was repeated: what was said before the last pause is not part of the answer'
      emit({ type: 'notice', message, raw: stored })
    },
    outcome: () => outcome,
  }
}
