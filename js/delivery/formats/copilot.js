'use strict'
/** What GitHub Copilot CLI writes: events of a session, of which `result` is the last. */
const { cliError } = require('../cli-errors.js')
const { objectOf, textOf } = require('./values.js')

/** @returns {import('../read-output.js').Format} */
const copilotFormat = () => {
  /** @type {import('../read-output.js').Outcome} */
  const outcome = {}
  /** @type {string | undefined} */
  let lastMessage
  return {
    event(event) {
      const data = objectOf(event['data'])
      switch (event['type']) {
        case 'assistant.message':
          lastMessage = textOf(data['content']) ?? lastMessage
          // What went wrong before was tried again.
          outcome.error = undefined
          break
        case 'session.error':
          outcome.error = cliError(textOf(data['message']) ?? 'the turn failed', data['statusCode'])
          break
        case 'result':
          outcome.sessionId = textOf(event['sessionId'])
          if (event['exitCode'] === 0) outcome.text = lastMessage
          break
        default:
      }
    },
    outcome: () => outcome,
  }
}

module.exports = { copilotFormat }
