/** The errors that promptmason throws. */
import type { PromptPart } from './agents.js'
import type { TurnTelemetry } from './conversation.js'
import type { SizeUnit } from './delivery.js'
import type { CliError, Delivered } from './delivery-results.js'

/**
 * A field is missing, of the wrong type, or belongs to another function, or an option has an unknown
 * value. The message names it by its path.
 */
export interface InvalidArgTypeError extends TypeError {
  code: 'ERR_INVALID_ARG_TYPE'
}

/** A number is out of range, or the prompt does not fit into the caller's buffer. */
export interface OutOfRangeError extends RangeError {
  code: 'ERR_OUT_OF_RANGE'
  /** The bytes that the prompt needs; only when a buffer was too small. */
  requiredBytes?: number
}

/** What must be kept does not fit into `maxBytes`, `maxTokens` or `systemMaxBytes`. */
export interface BudgetExceededError extends RangeError {
  code: 'ERR_BUDGET_EXCEEDED'
  /** Which budget was exceeded. If both were, `'bytes'`. */
  unit: 'bytes' | 'tokens'
  /**
   * The smallest `maxBytes` that suffices: with one byte less, it is exceeded again. If `unit` is
   * `'tokens'`: the bytes of the prompt with `requiredTokens`. If there is a `systemMaxBytes`: the
   * smallest one that suffices.
   */
  requiredBytes: number
  maxBytes: number
  /** The `systemMaxBytes` that was given, if that is what was exceeded. */
  systemMaxBytes?: number
  /** The smallest `maxTokens` that suffices, if `unit` is `'tokens'`: with one less, it is exceeded again. */
  requiredTokens?: number
  /** The budget in tokens, if there is one. */
  maxTokens?: number
  /**
   * The size of each section in that unit, title included, in a prompt that just fits: what may be
   * dropped is gone, and what may be shortened is as short as it may be.
   */
  sections: Partial<Record<PromptPart | 'pinned' | 'tools', number>>
}

/** A snapshot cannot be restored. The manager is as it was. */
export interface InvalidSnapshotError extends Error {
  code: 'ERR_INVALID_SNAPSHOT'
}

/** The conversation has no message with this id; the message of the error names it. Nothing was changed. */
export interface UnknownMessageError extends Error {
  code: 'ERR_UNKNOWN_MESSAGE'
}

/**
 * A prompt with `session: 'delta'` for an agent whose session has, or that has written, every message
 * that it may see. Nothing was changed.
 */
export interface NothingToSendError extends Error {
  code: 'ERR_NOTHING_TO_SEND'
}

/** A configuration file cannot be parsed. The message names file, line and column. */
export interface InvalidConfigError extends Error {
  code: 'ERR_INVALID_CONFIG'
  file: string
  /** Counted from 1; absent when the file could not be read at all. */
  line?: number
  /** Counted from 1, 0 before the first character; absent like `line`. */
  column?: number
}

/** A file that is needed cannot be read or locked. */
export interface UnreadableFileError extends Error {
  code: 'ERR_UNREADABLE_FILE'
  file: string
  /** Where a stored conversation is damaged, counted from 1. */
  line?: number
}

/** A CLI would refuse, cut or lose what it is to be given. */
export interface UndeliverableError extends RangeError {
  code: 'ERR_UNDELIVERABLE'
  /** The program. */
  cli: string
  /** How large it is; absent where size is not the reason. */
  size?: number
  /** How large it may be; absent like `size`. */
  limit?: number
  /** What `size` and `limit` count; absent like `size`. */
  unit?: SizeUnit
}

/**
 * What an error of a delivery has besides: every error with which `deliver` rejects, also your own
 * reason of an abort. If that is no object, or was the reason of another delivery already, it is the
 * `cause` of a new error.
 */
export interface DeliveryFailure {
  /** Whether the CLI's session has the prompt. */
  delivered: Delivered
  /** The session, if the CLI reported one, or was given one. */
  sessionId?: string
  /** What the agent has said since its last tool. */
  partialText?: string
}

/** A CLI has not kept such a session. */
export interface NoTranscriptError extends Error {
  code: 'ERR_NO_TRANSCRIPT'
}

/** A CLI exited without an answer, even if with exit code 0, or timed out. */
export interface NoAnswerError extends Error, DeliveryFailure {
  code: 'ERR_NO_ANSWER'
  /** Null if the program was terminated by a signal. */
  exitCode: number | null
  /** The signal that terminated the program. */
  signal: NodeJS.Signals | null
  /** Whether it was terminated because `timeoutMs` or `idleTimeoutMs` had passed. */
  timedOut: boolean
  /**
   * What the CLI was last seen doing: retrying because of a rate limit, or for another reason;
   * waiting for a permission; running a tool; working in another way; or nothing.
   */
  lastSeen: 'rate-limit' | 'retrying' | 'permission' | 'tool' | 'working' | 'silent'
  /** The end of what it wrote to stdout, at most 4 KiB. */
  stdout: string
  /** The end of what it wrote to stderr, at most 4 KiB. */
  stderr: string
}

/** A stored conversation has another owner, or was changed by one. Nothing was changed. */
export interface ConflictError extends Error {
  code: 'ERR_CONFLICT'
  /** The id of the conversation. */
  conversation: string
}

/**
 * A turn is under way already: another delivery of this process uses the session that is to be resumed,
 * or a member of a conversation has not answered yet. Nothing was sent.
 */
export interface BusyError extends Error {
  code: 'ERR_BUSY'
  /** The session, from `deliver`. */
  sessionId?: string
  /** The member, from a conversation. */
  member?: string
  delivered: 'no'
}

/** A turn of a conversation got no answer that could be kept. The conversation is as it was. */
export interface TurnFailedError extends Error {
  code: 'ERR_TURN_FAILED'
  member: string
  /**
   * Why: what the CLI or the function says (see `CliError`), or
   * - `not-installed`: the program was not found;
   * - `undeliverable`: the CLI would lose or change the prompt (`ERR_UNDELIVERABLE`);
   * - `timed-out`: `timeoutMs` or `idleTimeoutMs` had passed;
   * - `aborted`: by `signal`, or because the conversation was closed;
   * - `not-stored`: there was an answer, and the store did not take it.
   */
  reason: CliError['code'] | 'not-installed' | 'undeliverable' | 'timed-out' | 'aborted' | 'not-stored'
  /** After how many milliseconds to try again, if the provider says so. */
  retryAfterMs?: number
  /** Whether the CLI may have kept the prompt. If so, the next prompt is whole, in a new session. */
  delivered: Delivered
  /** What there was of an answer. */
  partialText?: string
  /** How often it was tried. */
  attempts: number
  /** Attributes for a span of OpenTelemetry, with `error.type`. */
  telemetry: TurnTelemetry
  /** The error of the delivery, the function or the store; for `aborted`, the signal's reason. */
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
  | NoTranscriptError
  | BusyError
  | ConflictError
  | TurnFailedError
  | InternalError

/** What the `code` of an error can be. */
export type PromptmasonErrorCode = PromptmasonError['code']

/**
 * Whether an error is one of promptmason's, and if a code is given, the one with that code. It also
 * recognises errors from other realms (Jest, vm contexts), where `instanceof` does not help, and
 * distinguishes them from Node's own errors with the same code.
 */
export declare function isPromptmasonError<Code extends PromptmasonErrorCode = PromptmasonErrorCode>(
  error: unknown,
  code?: Code | null,
): error is Extract<PromptmasonError, { code: Code }>
