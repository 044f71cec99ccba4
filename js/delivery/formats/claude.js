'use strict'
/**
 * What Claude Code writes, and Qwen Code in the same form: events, of which `result` is the last,
 * or that one alone, or all in an array.
 */
const { cliError } = require('../cli-errors.js')
const { objectOf, sumOf, textOf, usageOf } = require('./values.js')

/**
 * @param {{ countsCachedApart: boolean }} form Whether `input_tokens` leaves out the cached ones.
 * @returns {import('../read-output.js').Format}
 */
const claudeFormat = ({ countsCachedApart }) => {
  /** @type {import('../read-output.js').Outcome} */
  let outcome = {}

  /** @param {Record<string, unknown>} result */
  const read = (result) => {
    const { errors, num_turns: turns, subtype } = result
    const {
      input_tokens: input,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: created,
      output_tokens: output,
    } = objectOf(result['usage'])
    const usage = usageOf({
      inputTokens: countsCachedApart ? sumOf([input, cached, created]) : sumOf([input]),
      cachedInputTokens: sumOf([cached]),
      outputTokens: sumOf([output]),
    })
    const text = textOf(result['result'])
    outcome = { sessionId: textOf(result['session_id']), usage }
    if (result['is_error'] === true || typeof result['result'] !== 'string') {
      const message =
        textOf(objectOf(result['error'])['message']) ??
        (Array.isArray(errors) ? textOf(errors.filter(textOf).join('\n')) : undefined) ??
        text
      outcome.error = cliError(
        message ?? `the turn ended with ${textOf(subtype) ?? 'an error'}`,
        result['api_error_status'],
      )
    } else if (turns === 0) {
      outcome.reason = `the CLI kept the prompt to itself${text === undefined ? '' : `: ${text}`}`
    } else {
      outcome.text = text
    }
  }

  return {
    event(event) {
      if (event['type'] === 'result') return read(event)
      outcome.sessionId = textOf(event['session_id']) ?? outcome.sessionId
    },
    outcome: () => outcome,
  }
}

module.exports = { claudeFormat }
