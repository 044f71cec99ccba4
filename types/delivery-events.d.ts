/** What happens during a turn, in one vocabulary for all CLIs. */

/** The CLI's session has begun, or was resumed. */
export interface SessionEvent {
  type: 'session'
  /** For `resume`. */
  sessionId: string
  /** The model, if the CLI reports it. */
  model?: string
  /** The CLI's own event. */
  raw: unknown
}

/**
 * The agent says something: a piece of it as it comes or, from CLIs that have no pieces, the whole.
 * What it says between its tools is here, too. The answer is `text` of the result.
 */
export interface TextEvent {
  type: 'text'
  text: string
  /** The CLI's own event; for output that is plain text, the same text. */
  raw: unknown
}

/** The agent thinks, if the CLI reports it. */
export interface ReasoningEvent {
  type: 'reasoning'
  text: string
  /** The CLI's own event. */
  raw: unknown
}

/** The agent calls a tool. */
export interface ToolCallEvent {
  type: 'tool-call'
  /** The same as of its result. */
  id: string
  /** By the CLI's own name for it. */
  name: string
  input: unknown
  /** The call of the sub-agent that calls it; absent if the agent itself does. */
  parentId?: string
  /** The CLI's own event. */
  raw: unknown
}

/** A tool has returned. */
export interface ToolResultEvent {
  type: 'tool-result'
  id: string
  output: string
  /** True if the CLI reports a failure; Gemini reports none of a shell command. */
  isError?: boolean
  /** As of the call. */
  parentId?: string
  /** The CLI's own event. */
  raw: unknown
}

/** A tool needed permission. */
export interface PermissionEvent {
  type: 'permission'
  /** `asked`: the CLI waits for an answer. */
  decision: 'asked' | 'granted' | 'denied'
  /** The tool. */
  name: string
  /** The id of its call, if the CLI reports it. */
  id?: string
  /** What the CLI says about it. */
  message: string
  /** The CLI's own event. */
  raw: unknown
}

/** A request to the model has failed, and the CLI tries again. What it said in that request is void. */
export interface RetryEvent {
  type: 'retry'
  /** Counted from 1, if the CLI counts. */
  attempt?: number
  /** How long it waits, if the CLI reports it. */
  afterMs?: number
  reason: string
  /** The CLI's own event. */
  raw: unknown
}

/** Tokens, as the CLI counts them at this point. The sum for the turn is in the result. */
export interface UsageEvent extends CliUsage {
  type: 'usage'
  /** The CLI's own event. */
  raw: unknown
}

/** A warning, or anything else that the CLI wants to be known. */
export interface NoticeEvent {
  type: 'notice'
  message: string
  /** The CLI's own event. */
  raw: unknown
}

/**
 * Something that happens during a turn, in the order of the CLI. A CLI that does not report
 * something has no event of it. Events with nothing of this kind in them are left out.
 */
export type DeliveryEvent =
  | SessionEvent
  | TextEvent
  | ReasoningEvent
  | ToolCallEvent
  | ToolResultEvent
  | PermissionEvent
  | RetryEvent
  | UsageEvent
  | NoticeEvent

/** Tokens, as the CLI counts them. What it does not report is absent. */
export interface CliUsage {
  /** All tokens of the input, cached ones included. */
  inputTokens?: number
  /** Those of them that came from the provider's cache. */
  cachedInputTokens?: number
  /** Those of them that were written to the provider's cache. */
  cacheWriteTokens?: number
  /** All tokens of the output, reasoning included. */
  outputTokens?: number
  /** Those of them that were reasoning. */
  reasoningTokens?: number
}
