'use strict'
/** What opencode writes: the parts of each step. A turn ends with a step that calls no tool. */
const { cliError } = require('../cli-errors.js')
const { objectOf, sumOf, textOf, usageOf } = require('./values.js')

/** @returns {import('../read-output.js').Format} */
const opencodeFormat = () => {
  /** @type {import('../read-output.js').Outcome} */
  const outcome = {}
  /** @type {string[]} */
  let texts = []
  /** @type {Record<string, unknown>[]} */
  const steps = []
  return {
    event(event) {
      const part = objectOf(event['part'])
      outcome.sessionId = textOf(event['sessionID']) ?? outcome.sessionId
      switch (event['type']) {
        case 'step_start':
          texts = []
          break
        case 'text':
          texts.push(textOf(part['text']) ?? '')
          break
        case 'step_finish':
          steps.push(objectOf(part['tokens']))
          outcome.text = part['reason'] === 'tool-calls' ? undefined : textOf(texts.join('\n\n'))
          // What went wrong before was tried again.
          outcome.error = undefined
          break
        case 'error': {
          const error = objectOf(event['error'])
          const { message, statusCode } = objectOf(error['data'])
          outcome.error = cliError([error['name'], message].filter(textOf).join(': ') || 'the turn failed', statusCode)
          break
        }
        default:
      }
    },
    outcome: () => {
      const cached = steps.map(({ cache }) => objectOf(cache)['read'])
      const written = steps.map(({ cache }) => objectOf(cache)['write'])
      const usage = usageOf({
        inputTokens: sumOf([...steps.map(({ input }) => input), ...cached, ...written]),
        cachedInputTokens: sumOf(cached),
        outputTokens: sumOf(steps.flatMap(({ output, reasoning }) => [output, reasoning])),
      })
      return { ...outcome, usage }
    },
  }
}

module.exports = { opencodeFormat }
