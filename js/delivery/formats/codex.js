'use strict'
/** What Codex writes: events of a thread, its turns and their items. */
const { cliError } = require('../cli-errors.js')
const { objectOf, sumOf, textOf, usageOf } = require('./values.js')

/**
 * What an error says. Codex passes the provider's JSON on as it is.
 * @param {unknown} message
 * @returns {string | undefined}
 */
const messageOf = (message) => {
  const text = textOf(message)
  try {
    const error = objectOf(objectOf(JSON.parse(text ?? ''))['error'])
    return textOf([error['message'], error['code']].filter(textOf).join(' ')) ?? text
  } catch {
    return text
  }
}

/** @returns {import('../read-output.js').Format} */
const codexFormat = () => {
  /** @type {import('../read-output.js').Outcome} */
  const outcome = {}
  /** @type {string | undefined} */
  let lastMessage
  return {
    event(event) {
      const item = objectOf(event['item'])
      switch (event['type']) {
        case 'thread.started':
          outcome.sessionId = textOf(event['thread_id'])
          break
        case 'item.completed':
          // An item of type `error` may be a warning: only `turn.failed` says that it was one.
          if (item['type'] === 'agent_message') lastMessage = textOf(item['text']) ?? lastMessage
          break
        case 'turn.completed': {
          const usage = objectOf(event['usage'])
          outcome.text = lastMessage
          outcome.usage = usageOf({
            inputTokens: sumOf([usage['input_tokens']]),
            cachedInputTokens: sumOf([usage['cached_input_tokens']]),
            outputTokens: sumOf([usage['output_tokens']]),
          })
          break
        }
        case 'turn.failed':
          outcome.error = cliError(messageOf(objectOf(event['error'])['message']) ?? 'the turn failed')
          break
        default:
      }
    },
    outcome: () => outcome,
  }
}

module.exports = { codexFormat }
