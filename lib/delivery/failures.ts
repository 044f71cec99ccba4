/** Errors of deliveries, each with what it leaves behind: the session, what was said, whether the prompt arrived. */
import { makeError, type NoAnswerError } from '../errors.js'
import { present } from '../present.js'
import { messageOf, propertyOf } from '../thrown.js'
import { cliError, endOf } from './cli-errors.js'
import { textOf } from './formats/format.js'
import type { Ended } from './run-process.js'
import type { ParsedOutput } from './events.js'
import type { Cause } from './ending.js'
import type { OutputReader } from './read-output.js'

type LastSeen = NoAnswerError['lastSeen']

const MAX_UNITS = 4096

const lastSeenOf = ({ lastSeen: event }: OutputReader, stderr: string): LastSeen => {
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

const SEEN: Record<LastSeen, string> = {
  'rate-limit': 'retrying because of a rate limit',
  retrying: 'retrying',
  permission: 'waiting for a permission',
  tool: 'running a tool',
  working: 'working',
  silent: 'silent',
}

const makeNoAnswer = (message: string, { exitCode, signal, stderr }: Ended, reader: OutputReader, properties: object) =>
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

export const noAnswer = (
  command: string,
  reason: string,
  run: Ended,
  reader: OutputReader,
  { delivered }: ParsedOutput,
) => makeNoAnswer(`${command} has given no answer: ${reason}`, run, reader, { delivered })

export const ended = (
  command: string,
  cause: Cause,
  run: Ended,
  reader: OutputReader,
  { timeoutMs, idleTimeoutMs }: { timeoutMs?: number | undefined; idleTimeoutMs?: number | undefined },
) => {
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
const stated: WeakSet<object> = new WeakSet()

/**
 * Whether the state of a delivery can be written into an error. An error that already has one, perhaps
 * from another delivery, keeps it.
 */
const canHaveState = (error: unknown): error is object => {
  try {
    const isObject = typeof error === 'object' && error !== null
    return isObject && !stated.has(error) && Object.isExtensible(error) && !('delivered' in error)
  } catch {
    return false
  }
}

/**
 * An error with the state of the delivery in it: the caller's own error if possible.
 * @param isOwn Whether it is our own error, not an abort reason or an error from a hook.
 * @param chosenSessionId The session id that the CLI was given.
 */
export const withState = (
  error: unknown,
  reader: OutputReader,
  isStarted: boolean,
  isOwn: boolean,
  chosenSessionId?: string | undefined,
) => {
  const sessionId = reader.outcome.sessionId ?? (isStarted ? chosenSessionId : undefined)
  const state = present({
    delivered: reader.outcome.isTaken ? 'yes' : isStarted ? 'unknown' : 'no',
    sessionId,
    partialText: textOf(reader.partialText),
  })
  const told = isOwn ? propertyOf(error, 'delivered') : undefined
  if (told !== undefined) return Object.assign(error as object, { ...state, delivered: told })
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
