/** The results of a turn. */
import type { CliUsage } from './events.js'

/** Why there is no answer. */
export interface CliError {
  /**
   * - `too-long`: more than the model or the CLI accepts;
   * - `session-not-found`: the session to resume does not exist;
   * - `not-logged-in`: the key or login is missing or was rejected;
   * - `rate-limit`: too many requests, an exhausted quota, or an overloaded provider;
   * - `permission-denied`: the turn ended because a tool was not allowed;
   * - `interrupted`: the answer was cut off, or the turn ended for an unknown reason;
   * - `no-answer`: the CLI exited without an answer and without an error;
   * - `other`: anything else.
   */
  code:
    | 'too-long'
    | 'session-not-found'
    | 'not-logged-in'
    | 'rate-limit'
    | 'permission-denied'
    | 'interrupted'
    | 'no-answer'
    | 'other'
  /** The CLI's message. */
  message: string
  /** For `rate-limit`: when to try again, if the CLI says so. */
  retryAfterMs?: number
}

/**
 * Why a turn ended:
 * - `stop`: the agent was done;
 * - `length`: the model's output limit was reached, so `text` may be incomplete;
 * - `refused`: the model or its provider refused to continue;
 * - `interrupted`: the answer was cut off or is missing;
 * - `other`: any other error.
 */
export type FinishReason = 'stop' | 'length' | 'refused' | 'interrupted' | 'other'

/**
 * Whether the CLI's session has the prompt; `unknown` if it may have it. In that case, do not resume the
 * session with a prompt that relies on it, and do not send the same prompt again: the agent would read
 * it twice.
 */
export type Delivered = 'yes' | 'no' | 'unknown'

/** A tool that was not allowed. */
export interface Denial {
  name: string
  /** The id of its call, if the CLI reports it. */
  id?: string
  input?: unknown
}

/** The answer of a CLI: text or an error. */
export interface ParsedOutput {
  /**
   * The answer: only the final text, without what the agent said between tool calls. If a background
   * task led to several answers, it contains all of them. Absent if there is no answer, or if it may be
   * incomplete.
   */
  text?: string
  /** The incomplete answer, if any. */
  partialText?: string
  finishReason: FinishReason
  /** The id of the CLI's session, for `resume`. */
  sessionId?: string
  /** The model, if the CLI reports it. */
  model?: string
  /**
   * The tokens of this turn, including sub-agents as far as the CLI counts them. Codex and Qwen report
   * totals for the session: `deliver` subtracts what it knows of earlier turns, and omits the usage if
   * it does not know them. `parseOutput` returns what the CLI reports.
   */
  usage?: CliUsage
  /** The cost of the turn, if the CLI reports it. */
  costUsd?: number
  /** The tools that were not allowed, as far as the CLI reports them; absent if there are none. */
  denials?: Denial[]
  error?: CliError
  delivered: Delivered
}

/** The result of a delivery. */
export interface DeliveryResult extends ParsedOutput {
  /** The time from the program's start to its end. */
  durationMs: number
  /** Null if the program was terminated by a signal. */
  exitCode: number | null
}
