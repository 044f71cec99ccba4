/** What came of a turn. */
import type { AgentType } from './agents.js'
import type { CliUsage } from './delivery-events.js'

/** What a CLI wrote, and how it exited. */
export interface CliOutput {
  stdout: string | Uint8Array
  /** @default '' */
  stderr?: string | Uint8Array | null | undefined
  /**
   * Null, as in Node, if the program was terminated by a signal.
   * @default undefined (not known)
   */
  exitCode?: number | null | undefined
}

/** Why there is no answer. */
export interface CliError {
  /**
   * - `too-long`: more than the model or the CLI accepts;
   * - `session-not-found`: there is no such session to resume;
   * - `not-logged-in`: no key or login, or one that was rejected;
   * - `rate-limit`: too many requests, a quota that is used up, or an overloaded provider;
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
  /** What the CLI says. */
  message: string
  /** For `rate-limit`: when to try again, if the message says it. */
  retryAfterMs?: number
}

/**
 * Why a turn has ended:
 * - `stop`: the agent was done;
 * - `length`: the model's output limit was reached, so `text` may be incomplete;
 * - `refused`: the model or its provider refused to go on;
 * - `interrupted`: the answer was cut off, or is missing;
 * - `other`: with any other error.
 */
export type FinishReason = 'stop' | 'length' | 'refused' | 'interrupted' | 'other'

/**
 * Whether the CLI's session has the prompt: `unknown` if it may have it. Do not resume such a
 * session with a prompt that leaves out what was sent before, nor send the same prompt again: the
 * agent would read it twice.
 */
export type Delivered = 'yes' | 'no' | 'unknown'

/** A tool that was not allowed. */
export interface Denial {
  name: string
  /** The id of its call, if the CLI reports it. */
  id?: string
  input?: unknown
}

/** The answer of a CLI: a text or an error. */
export interface ParsedOutput {
  /**
   * The answer: the final text alone, without what the agent said between its tools. If a
   * background task has led to several answers, all of them. Absent if there is none, or if it is
   * not known to be complete.
   */
  text?: string
  /** What there is of an answer, if it is not complete. */
  partialText?: string
  finishReason: FinishReason
  /** The CLI's session, for `resume`. */
  sessionId?: string
  /** The model, if the CLI reports it. */
  model?: string
  /**
   * The tokens of this turn, sub-agents included as far as the CLI counts them. Codex and Qwen count
   * those of the whole session: `deliver` subtracts what it knows of earlier turns, and leaves the
   * usage out if it does not know them. `parseOutput` returns what the CLI reports.
   */
  usage?: CliUsage
  /** What the turn has cost, if the CLI reports it. */
  costUsd?: number
  /** The tools that were not allowed, as far as the CLI reports them; absent if there are none. */
  denials?: Denial[]
  error?: CliError
  delivered: Delivered
}

/** The result of a delivery. */
export interface DeliveryResult extends ParsedOutput {
  /** From the start of the program to its end. */
  durationMs: number
  /** Null if the program was terminated by a signal. */
  exitCode: number | null
}

/**
 * The answer, the session, the usage and the error in what a CLI has written as JSON, as a stream
 * of events or as one object. Of an unknown agent and for `'text'`, stdout is the answer. Output
 * that was cut off or is no JSON is no exception: the answer is absent then.
 */
export declare function parseOutput(agentType: 'text' | AgentType, output: CliOutput): ParsedOutput
