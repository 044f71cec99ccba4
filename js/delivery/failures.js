'use strict'
/** Errors of deliveries, each with what it leaves behind: the session, what was said, whether the prompt arrived. */
const { makeError } = require('../errors.js')
const { messageOf, propertyOf } = require('../thrown.js')
const { cliError, endOf } = require('./cli-errors.js')

/** @typedef {InstanceType<typeof import('./read-output.js').OutputReader>} OutputReader */
/** @typedef {import('./run-process.js').Ended} Ended */
/** @typedef {import('../../index.d.ts').NoAnswerError['lastSeen']} LastSeen */

/** How much of stdout and stderr an error includes. */
const MAX_UNITS = 4096

/**
 * What a CLI was last seen doing.
 * @param {OutputReader} reader
 * @param {string} stderr
 * @returns {LastSeen}
 */
const lastSeenOf = ({ lastSeen: event }, stderr) => {
  switch (event?.type) {
    case 'retry':
      return cliError(event.reason).code === 'rate-limit' ? 'rate-limit' : 'retrying'
    case 'permission':
      return event.decision === 'asked' ? 'permission' : 'working'
    case 'tool-call':
      return 'tool'
    case 'text':
    case 'reasoning':
    case 'tool-result':
      return 'working'
    default:
      // Some say so on stderr alone.
      return cliError(endOf(stderr)).code === 'rate-limit' ? 'rate-limit' : 'silent'
  }
}

/** @type {Record<LastSeen, string>} */
const SEEN = {
  'rate-limit': 'retrying because of a rate limit',
  retrying: 'retrying',
  permission: 'waiting for a permission',
  tool: 'running a tool',
  working: 'working',
  silent: 'silent',
}

/**
 * @param {string} message
 * @param {Ended} run
 * @param {OutputReader} reader
 * @param {object} properties
 */
const makeNoAnswer = (message, { exitCode, signal, stderr }, reader, properties) =>
  makeError('Error', message, {
    code: 'ERR_NO_ANSWER',
    exitCode,
    signal,
    timedOut: false,
    lastSeen: lastSeenOf(reader, stderr),
    ...properties,
    stdout: endOf(reader.lastOutput()).slice(-MAX_UNITS),
    stderr: endOf(stderr).slice(-MAX_UNITS),
  })

/**
 * The error for a CLI that has ended without an answer.
 * @param {string} command
 * @param {string} reason
 * @param {Ended} run
 * @param {OutputReader} reader
 * @param {import('../../index.d.ts').ParsedOutput} parsed
 */
const noAnswer = (command, reason, run, reader, { delivered }) =>
  makeNoAnswer(`${command} has given no answer: ${reason}`, run, reader, { delivered })

/**
 * The error for a CLI that was ended.
 * @param {string} command
 * @param {import('./ending.js').Cause} cause
 * @param {Ended} run
 * @param {OutputReader} reader
 * @param {{ timeoutMs?: number | undefined, idleTimeoutMs?: number | undefined }} limits
 */
const ended = (command, cause, run, reader, { timeoutMs, idleTimeoutMs }) => {
  const seen = `it was last seen ${SEEN[lastSeenOf(reader, run.stderr)]}`
  switch (cause.kind) {
    case 'timeout':
      return makeNoAnswer(`${command} timed out after ${timeoutMs} ms; ${seen}`, run, reader, { timedOut: true })
    case 'idle':
      return makeNoAnswer(`${command} wrote nothing for ${idleTimeoutMs} ms; ${seen}`, run, reader, { timedOut: true })
    case 'interrupted':
      return makeNoAnswer(`${command} was terminated because this process received ${cause.by}`, run, reader, {})
    default:
      return makeNoAnswer(`${command} was terminated because it wrote more than 2 GiB to stdout`, run, reader, {})
  }
}

/** Errors that already carry the state of a delivery: one abort reason may end many deliveries. */
/** @type {WeakSet<object>} */
const stated = new WeakSet()

/**
 * Whether the state of a delivery can be written into an error. An error that already has one, perhaps
 * from another delivery, keeps it.
 * @param {unknown} error
 * @returns {error is object}
 */
const canHaveState = (error) => {
  try {
    const isObject = typeof error === 'object' && error !== null
    return isObject && !stated.has(error) && Object.isExtensible(error) && !('delivered' in error)
  } catch {
    return false
  }
}

/**
 * An error with the state of the delivery in it: the caller's own error if possible.
 * @param {unknown} error
 * @param {OutputReader} reader
 * @param {boolean} isStarted
 * @param {boolean} isOwn Whether it is our own error, not an abort reason or an error from a hook.
 * @param {string | undefined} [chosenSessionId] The session id that the CLI was given.
 */
const withState = (error, reader, isStarted, isOwn, chosenSessionId) => {
  const sessionId = reader.sessionId ?? (isStarted ? chosenSessionId : undefined)
  const state = {
    delivered: reader.isTaken ? 'yes' : isStarted ? 'unknown' : 'no',
    ...(sessionId !== undefined && { sessionId }),
    ...(reader.partialText !== '' && { partialText: reader.partialText }),
  }
  const told = isOwn ? propertyOf(error, 'delivered') : undefined
  if (told !== undefined) return Object.assign(/** @type {object} */ (error), { ...state, delivered: told })
  if (canHaveState(error)) {
    stated.add(error)
    try {
      return Object.assign(error, state)
    } catch {
      // It is a proxy that refuses.
    }
  }
  const name = propertyOf(error, 'name')
  return Object.assign(new Error(messageOf(error), { cause: error }), {
    name: typeof name === 'string' ? name : 'AbortError',
    ...state,
  })
}

module.exports = { ended, noAnswer, withState }
