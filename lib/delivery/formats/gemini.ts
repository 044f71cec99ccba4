/** What Gemini writes: events, of which `result` is the last, or one object with `response`. */
import { byType, type Fields, type Format, objectOf, textOf, usageOf } from './format.js'

/** Errors of tools that say that they were not allowed. */
const DENIED = /denied|policy|permission|not_registered/i

/**
 * When a stream was cut off, it waits for a second or more and repeats the request. Nothing says so:
 * the pieces of both follow each other. A shorter pause is not a retry.
 */
const MIN_RETRY_MS = 900

/** Of more tries than this, only the last ones are compared with what is stored. */
const MAX_TRIES = 32

/** A regular expression would search for the end again from each beginning. */
const withoutComments = (text: string) => {
  let [kept, from] = ['', 0]
  for (;;) {
    const start = text.indexOf('<!--', from)
    const end = start === -1 ? -1 : text.indexOf('-->', start + 4)
    if (end === -1) return kept + text.slice(from)
    kept += text.slice(from, start)
    from = end + 3
  }
}

const asStored = (text: string) => withoutComments(text.replace(/[\u200B-\u200D\uFEFF\u200E\u200F]/g, '')).trim()

export const geminiFormat: Format = (turn) => {
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

  const amend = (stored: string) => {
    const answer = asStored(stored)
    if (answer === '' || asStored(said) === answer) return
    const begin = pauses.slice(-MAX_TRIES).findLast((each) => asStored(said.slice(each)) === answer)
    if (begin === undefined) return
    outcome.text = said.slice(begin)
    const message = 'the request was repeated: what was said before the last pause is not part of the answer'
    turn.emit({ type: 'notice', message }, stored)
  }

  const readObject = ({ session_id: sessionId, response, error, stats }: Fields) => {
    const models = Object.entries(objectOf(objectOf(stats).models))
    const tokens = models.map(([, model]) => objectOf(objectOf(model).tokens))
    outcome.sessionId = textOf(sessionId)
    outcome.model = models.length === 1 ? models[0]?.[0] : undefined
    outcome.usage = usageOf({
      input: tokens.map(({ prompt }) => prompt),
      cached: tokens.map(({ cached }) => cached),
      output: tokens.map(({ candidates }) => candidates),
      reasoning: tokens.map(({ thoughts }) => thoughts),
    })
    if (error === undefined || error === null) outcome.text = textOf(response)
    else turn.fail(objectOf(error).message)
  }

  const read = byType({
    init: ({ session_id: id, model }) => turn.session(id, model),
    message({ role, content, timestamp }) {
      const text = role === 'assistant' ? textOf(content) : undefined
      if (text === undefined) return
      const at = Date.parse(textOf(timestamp) ?? '')
      if (at - lastAt >= MIN_RETRY_MS) pauses.push(said.length)
      lastAt = at
      said += text
      turn.say('text', text)
    },
    tool_use({ tool_id: id, tool_name: name, parameters: input }) {
      forgetSaid()
      turn.call(id, { name, input })
    },
    tool_result({ tool_id: id, status, output, error }) {
      forgetSaid()
      const { type, message } = objectOf(error)
      const returned = output ?? message
      if (status === 'error' && DENIED.test(textOf(type) ?? '')) turn.deny(id, returned)
      turn.result(id, returned, status === 'error')
    },
    error({ message }) {
      // Often a warning: only `result` says whether the turn has failed.
      outcome.reason = textOf(message) ?? outcome.reason
      turn.notice(message)
    },
    result({ status, error, stats }) {
      const { input_tokens: input, cached, output_tokens: output } = objectOf(stats)
      outcome.usage = turn.use({ input, cached, output })
      if (status === 'success') outcome.text = textOf(said)
      else turn.fail(textOf(objectOf(error).message) ?? outcome.reason)
      if (outcome.text !== undefined && pauses.length > 0) turn.amend = amend
    },
  })

  return (event) => {
    if (event.type !== undefined) read(event)
    else if ('session_id' in event || 'response' in event || 'error' in event) readObject(event)
  }
}
