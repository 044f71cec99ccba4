/** The events and the results of a turn, the same for all CLIs. */

/** What all events have. */
interface CliEvent<Type extends string> {
  type: Type
  /** The CLI's own event; for plain text output, the text itself. */
  raw: unknown
}

/** The CLI's session has started or was resumed. */
export interface SessionEvent extends CliEvent<'session'> {
  /** Pass it as `resume` later. */
  sessionId: string
  /** The model, if the CLI reports it. */
  model?: string
}

/**
 * The agent says something: a piece of text as it arrives or, from CLIs that do not stream, the whole
 * text. This includes what it says between tool calls. The answer is the result's `text`.
 */
export interface TextEvent extends CliEvent<'text'> {
  text: string
}

/** The agent's reasoning, if the CLI reports it. */
export interface ReasoningEvent extends CliEvent<'reasoning'> {
  text: string
}

/** The agent calls a tool. */
export interface ToolCallEvent extends CliEvent<'tool-call'> {
  /** The same id as in the result. */
  id: string
  /** The tool, as the CLI names it. */
  name: string
  input: unknown
  /** The call of the sub-agent that uses the tool; absent if the agent itself does. */
  parentId?: string
}

/** A tool has returned. */
export interface ToolResultEvent extends CliEvent<'tool-result'> {
  id: string
  /** The tool, as in its call; absent if the CLI has not reported the call. */
  name?: string
  output: string
  /** True if the CLI reports a failure. Gemini does not report failed shell commands. */
  isError?: boolean
  /** The call of the sub-agent that used the tool; absent if the agent itself did. */
  parentId?: string
}

/** A step of a plan. */
export interface PlanStep {
  text: string
  status: 'pending' | 'in-progress' | 'completed'
}

/** The agent has planned its work, or has changed its plan. */
export interface PlanEvent extends CliEvent<'plan'> {
  /** The whole plan. */
  steps: PlanStep[]
}

/** A tool needed permission. */
export interface PermissionEvent extends CliEvent<'permission'> {
  /** `asked`: the CLI waits for an answer. */
  decision: 'asked' | 'granted' | 'denied'
  /** The name of the tool. */
  name: string
  /** The id of its call, if the CLI reports it. */
  id?: string
  /** The CLI's message. */
  message: string
}

/** A request to the model failed, and the CLI retries it. Discard what the agent said in that request. */
export interface RetryEvent extends CliEvent<'retry'> {
  /** The attempt, from 1, if the CLI counts. */
  attempt?: number
  /** How long the CLI waits, if it reports that. */
  afterMs?: number
  reason: string
}

/** Token usage as reported at this point. The result has the total of the turn. */
export interface UsageEvent extends CliUsage, CliEvent<'usage'> {}

/** A warning or other notice from the CLI. */
export interface NoticeEvent extends CliEvent<'notice'> {
  message: string
}

/**
 * An event of a turn, in the CLI's order. A CLI that does not report something has no event for it. CLI
 * events that match none of these types are omitted.
 */
export type DeliveryEvent =
  | SessionEvent
  | TextEvent
  | ReasoningEvent
  | ToolCallEvent
  | ToolResultEvent
  | PlanEvent
  | PermissionEvent
  | RetryEvent
  | UsageEvent
  | NoticeEvent

/** Token usage as the CLI counts it. What it does not report is absent. */
export interface CliUsage {
  /** All input tokens, including cached ones. */
  inputTokens?: number
  /** Input tokens read from the provider's cache. */
  cachedInputTokens?: number
  /** Input tokens written to the provider's cache. */
  cacheWriteTokens?: number
  /** All output tokens, including reasoning. */
  outputTokens?: number
  /** Output tokens used for reasoning. */
  reasoningTokens?: number
}

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
 * Whether the CLI's session has the prompt; `unknown` if it may have it. In that case, do not resume the session with
 * a prompt that relies on it, and do not send the same prompt again: the agent would read it twice.
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
   * The answer: only the final text, without what the agent said between tool calls. If a background task led to
   * several answers, it contains all of them. Absent if there is no answer, or if it may be incomplete.
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
