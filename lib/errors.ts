/**
 * Errors are created here, not in native code, so that they belong to the caller's realm:
 * in Jest and in vm contexts, `TypeError` is not the one that native code knows.
 */
import { types } from 'node:util'
import native = require('../binding.js')
import type { PromptPart } from './prompts/agents.js'
import type { TurnTelemetry } from './conversation/telemetry.js'
import type { SizeUnit } from './delivery/measure.js'
import type { CliError, Delivered } from './delivery/events.js'

const { FAILURE_PREFIX, STRING_TOO_LONG } = native

const { assign, defineProperty } = Object
const { parse } = JSON
const CLASSES = { Error, RangeError, TypeError }

/** Marks our errors: Node's own have some of the same codes. The same in every realm. */
const MARK = Symbol.for('promptmason.error')

/**
 * A field is missing, has the wrong type or belongs to another function, or an option has an unknown
 * value. The message names the field by its path.
 */
export interface InvalidArgTypeError extends TypeError {
  code: 'ERR_INVALID_ARG_TYPE'
}

/**
 * A number is out of range, the prompt does not fit into the caller's buffer, or a result is longer than
 * the longest string of the JavaScript engine (in Node, 512 MiB).
 */
export interface OutOfRangeError extends RangeError {
  code: 'ERR_OUT_OF_RANGE'
  /** The bytes that the prompt needs; only set if a buffer was too small. */
  requiredBytes?: number
}

/** What must be kept does not fit `maxBytes`, `maxTokens` or `systemMaxBytes`. */
export interface BudgetExceededError extends RangeError {
  code: 'ERR_BUDGET_EXCEEDED'
  /** Which budget was exceeded. If both were, `'bytes'`. */
  unit: 'bytes' | 'tokens'
  /**
   * The smallest `maxBytes` that is enough: one byte less is not. If `unit` is `'tokens'`: the bytes of the prompt
   * with `requiredTokens`. If `systemMaxBytes` is set: the smallest `systemMaxBytes` that is enough.
   */
  requiredBytes: number
  maxBytes: number
  /** The `systemMaxBytes` that was passed, if it was exceeded. */
  systemMaxBytes?: number
  /**
   * The smallest `maxTokens` that is enough, if `unit` is `'tokens'`: one token less is not. Missing if
   * `trimMessages` has stopped counting, because it is more than four times `maxTokens` and more than 131,072.
   */
  requiredTokens?: number
  /** The budget in tokens, if there is one. */
  maxTokens?: number
  /**
   * The size of each section in that unit, including its title, in a prompt that just fits: everything
   * droppable is dropped, and everything that can be shortened is as short as possible. `fence` is the
   * line above all sections of a fenced prompt. The blank lines between sections belong to none.
   */
  sections: Partial<Record<PromptPart | 'pinned' | 'tools' | 'fence', number>>
}

/**
 * A snapshot cannot be restored, and the manager is unchanged; or the log of a stored conversation is of
 * another format, or not as it was written.
 */
export interface InvalidSnapshotError extends Error {
  code: 'ERR_INVALID_SNAPSHOT'
}

/** The conversation has no message with this id, which the error message names. Nothing has changed. */
export interface UnknownMessageError extends Error {
  code: 'ERR_UNKNOWN_MESSAGE'
}

/**
 * There is nothing to send with `session: 'delta'`: the agent's session has every message that the agent
 * may see, or the agent wrote it. Nothing has changed.
 */
export interface NothingToSendError extends Error {
  code: 'ERR_NOTHING_TO_SEND'
}

/** A configuration file cannot be parsed. The message names file, line and column. */
export interface InvalidConfigError extends Error {
  code: 'ERR_INVALID_CONFIG'
  file: string
  /** Counted from 1; absent if the file could not be read at all. */
  line?: number
  /** Counted from 1; 0 before the first character. Absent if `line` is. */
  column?: number
}

/** A required file cannot be read or locked. */
export interface UnreadableFileError extends Error {
  code: 'ERR_UNREADABLE_FILE'
  file: string
  /** The damaged line of a stored conversation, counted from 1. */
  line?: number
}

/** A CLI would reject, cut or lose its input. */
export interface UndeliverableError extends RangeError {
  code: 'ERR_UNDELIVERABLE'
  /** The program that was to be run. */
  cli: string
  /** The size of the input; absent if size is not the reason. */
  size?: number
  /** The maximum size. Absent if `size` is. */
  limit?: number
  /** The unit of `size` and `limit`. Absent if `size` is. */
  unit?: SizeUnit
}

/**
 * The extra fields of errors from `deliver`, including your own reason of an abort. If that reason is
 * not an object, or already belongs to another delivery, it becomes the `cause` of a new error.
 */
export interface DeliveryFailure {
  /** Whether the CLI's session has the prompt. */
  delivered: Delivered
  /** The session, if the CLI reported or was given one. */
  sessionId?: string
  /** What the agent has said since its last tool. */
  partialText?: string
}

/** A CLI has reported an error instead of an answer: thrown by `textOf`. */
export interface CliFailedError extends Error, DeliveryFailure {
  code: 'ERR_CLI_FAILED'
  /** What kind of error: see `CliError`. */
  reason: CliError['code']
  /** For `rate-limit`: when to try again, in milliseconds, if the CLI says so. */
  retryAfterMs?: number
}

/** There is no such stored session. */
export interface NoTranscriptError extends Error {
  code: 'ERR_NO_TRANSCRIPT'
}

/** A CLI exited without an answer, whatever its exit code, or timed out. */
export interface NoAnswerError extends Error, DeliveryFailure {
  code: 'ERR_NO_ANSWER'
  /** Null if the program was terminated by a signal. */
  exitCode: number | null
  /** The signal that terminated the program. */
  signal: NodeJS.Signals | null
  /** Whether it was terminated because `timeoutMs` or `idleTimeoutMs` expired. */
  timedOut: boolean
  /**
   * What the CLI was last seen doing: retrying because of a rate limit, or for another reason; waiting
   * for permission; running a tool; otherwise working; or nothing.
   */
  lastSeen: 'rate-limit' | 'retrying' | 'permission' | 'tool' | 'working' | 'silent'
  /** The last output on stdout, at most 4 KiB. */
  stdout: string
  /** The last output on stderr, at most 4 KiB. */
  stderr: string
}

/** A stored conversation has another owner, or was changed by one. Nothing has changed here. */
export interface ConflictError extends Error {
  code: 'ERR_CONFLICT'
  /** The id of the conversation. */
  conversation: string
}

/**
 * A turn is already in progress: another delivery of this process uses the session, or a member of a
 * conversation has not answered yet. Nothing was sent.
 */
export interface BusyError extends Error {
  code: 'ERR_BUSY'
  /** The session, from `deliver`. */
  sessionId?: string
  /** The member, from a conversation. */
  member?: string
  delivered: 'no'
}

/** A turn of a conversation got no usable answer. The conversation is unchanged. */
export interface TurnFailedError extends Error {
  code: 'ERR_TURN_FAILED'
  member: string
  /**
   * The reason: the code that the CLI or the function reports (see `CliError`), or
   * - `not-installed`: the program was not found;
   * - `undeliverable`: the CLI would lose or change the prompt (`ERR_UNDELIVERABLE`);
   * - `budget`: what the prompt must contain does not fit (`ERR_BUDGET_EXCEEDED`);
   * - `timed-out`: `timeoutMs` or `idleTimeoutMs` expired;
   * - `aborted`: by `signal`, or because the conversation was closed;
   * - `not-stored`: there was an answer, but the store failed.
   */
  reason: CliError['code'] | 'not-installed' | 'undeliverable' | 'budget' | 'timed-out' | 'aborted' | 'not-stored'
  /** When to try again, in milliseconds, if the provider says so. */
  retryAfterMs?: number
  /** Whether the CLI may have received the prompt. If so, the next prompt is whole, in a new session. */
  delivered: Delivered
  /** The incomplete answer, if any. */
  partialText?: string
  /** How many attempts were made. */
  attempts: number
  /** Attributes for an OpenTelemetry span, with `error.type`. */
  telemetry: TurnTelemetry
  /** The error that led to it, such as that of the delivery or the store; for `aborted`, the signal's reason. */
  cause: unknown
}

/** A bug in promptmason: please report it. */
export interface InternalError extends Error {
  code: 'ERR_INTERNAL'
}

/** Every error that promptmason throws. Errors thrown by your own getters and hooks are passed on unchanged. */
export type PromptmasonError =
  | InvalidArgTypeError
  | OutOfRangeError
  | BudgetExceededError
  | InvalidSnapshotError
  | UnknownMessageError
  | NothingToSendError
  | InvalidConfigError
  | UnreadableFileError
  | UndeliverableError
  | NoAnswerError
  | CliFailedError
  | NoTranscriptError
  | BusyError
  | ConflictError
  | TurnFailedError
  | InternalError

/** The possible values of an error's `code`. */
export type PromptmasonErrorCode = PromptmasonError['code']

export const makeError = <Code extends string, Fields extends { code: Code }>(
  name: keyof typeof CLASSES,
  message: string,
  fields: Fields,
): Error & Fields => {
  const error: Error & { line?: number; column?: number } = new CLASSES[name](message)
  // In Bun, every error has these fields, for a place in a program. In our errors, they are for a place
  // in a configuration file.
  delete error.line
  delete error.column
  return defineProperty(assign(error, fields), MARK, { value: true })
}

const stringTooLong = () => makeError('RangeError', STRING_TOO_LONG, { code: 'ERR_OUT_OF_RANGE' })

/** What napi-rs says of a string that is too long. */
const REFUSED_STRING = /^Failed to convert rust .*string`$/

/** Puts strings together, which the engine refuses if the result is too long. */
export const asOneString = (join: () => string): string => {
  try {
    return join()
  } catch {
    throw stringTooLong()
  }
}

/** What native code throws, as JSON in a message. An error of the system has Node's code, and is not ours. */
interface Failure {
  class: keyof typeof CLASSES
  message: string
  properties: { code: string }
}

/**
 * The error to throw for one from native code. Native code never calls JavaScript, so this is never a
 * caller's exception.
 */
export const errorOf = (thrown: unknown): unknown => {
  if (!types.isNativeError(thrown)) return thrown
  if (thrown.message.startsWith(FAILURE_PREFIX)) {
    const { class: name, message, properties } = parse(thrown.message.slice(FAILURE_PREFIX.length)) as Failure
    return properties.code.startsWith('ERR_')
      ? makeError(name, message, properties)
      : assign(new Error(message), properties)
  }
  if (REFUSED_STRING.test(thrown.message)) return stringTooLong()
  // A panic, or a value that should have been checked. The codes of napi-rs are words such as
  // `GenericFailure`; Node's are in capitals.
  if (!('code' in thrown) || !/^[A-Z][a-z]/.test(String(thrown.code))) return thrown
  const error = makeError('Error', 'promptmason failed unexpectedly; please report this', { code: 'ERR_INTERNAL' })
  return defineProperty(error, 'cause', { value: thrown, configurable: true, writable: true })
}

/** Calls a native function, and turns its failures into errors of this realm. */
export const callNative = <A extends unknown[], R>(call: (...args: A) => R, ...args: A): R => {
  try {
    return call(...args)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/** The same for one that returns a promise. */
export const settled = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * Checks whether an error is from promptmason and, if a code is passed, has that code. It works across realms (Jest,
 * `vm` contexts), where `instanceof` fails, and does not match Node's own errors with the same code.
 */
export function isPromptmasonError<Code extends PromptmasonErrorCode = PromptmasonErrorCode>(
  error: unknown,
  code?: Code | null,
): error is Extract<PromptmasonError, { code: Code }> {
  try {
    if (typeof error !== 'object' || error === null || !(MARK in error)) return false
    return code === undefined || code === null || ('code' in error && error.code === code)
  } catch {
    // A hostile proxy is not one of our errors.
    return false
  }
}
