'use strict'
/** What Gemini writes: events, of which `result` is the last, or one object with `response`. */
const { cliError } = require('../cli-errors.js')
const { objectOf, sumOf, textOf, usageOf } = require('./values.js')

/** @param {unknown} error */
const errorOf = (error) => cliError(textOf(objectOf(error)['message']) ?? 'the turn failed')

/** @returns {import('../read-output.js').Format} */
const geminiFormat = () => {
  /** @type {import('../read-output.js').Outcome} */
  const outcome = {}
  let deltas = ''

  /** @param {Record<string, unknown>} event */
  const readResult = ({ status, error, stats }) => {
    const { input_tokens: input, cached, output_tokens: output } = objectOf(stats)
    outcome.usage = usageOf({
      inputTokens: sumOf([input]),
      cachedInputTokens: sumOf([cached]),
      outputTokens: sumOf([output]),
    })
    if (status === 'success') outcome.text = textOf(deltas)
    else outcome.error = errorOf(error)
  }

  /** @param {Record<string, unknown>} object */
  const readObject = ({ session_id: sessionId, response, error, stats }) => {
    const models = Object.values(objectOf(objectOf(stats)['models'])).map((model) =>
      objectOf(objectOf(model)['tokens']),
    )
    outcome.sessionId = textOf(sessionId)
    outcome.usage = usageOf({
      inputTokens: sumOf(models.map(({ prompt }) => prompt)),
      cachedInputTokens: sumOf(models.map(({ cached }) => cached)),
      outputTokens: sumOf(models.map(({ candidates }) => candidates)),
    })
    if (error === undefined || error === null) outcome.text = textOf(response)
    else outcome.error = errorOf(error)
  }

  return {
    event(event) {
      switch (event['type']) {
        case 'init':
          outcome.sessionId = textOf(event['session_id'])
          break
        case 'message':
          if (event['role'] === 'assistant') deltas += textOf(event['content']) ?? ''
          break
        case 'error': {
          // Often a warning: only `result` says whether the turn has failed.
          const message = textOf(event['message'])
          if (message !== undefined) outcome.reason = message
          break
        }
        case 'result':
          readResult(event)
          break
        case undefined:
          if ('session_id' in event || 'response' in event || 'error' in event) readObject(event)
          break
        default:
      }
    },
    outcome: () => outcome,
  }
}

module.exports = { geminiFormat }
