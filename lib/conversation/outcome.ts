/** What a member is asked, what comes of it, and what `send` makes of that. */
import { messageOf, propertyOf } from '../thrown.js'
import type {
  CliError,
  CliUsage,
  Delivered,
  DeliveryEvent,
  DeliveryResult,
  Denial,
  FinishReason,
} from '../delivery/events.js'
import type { DeliveryWarning } from '../delivery/warnings.js'
import type { TurnFailedError } from '../errors.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { Output } from './prompt.js'
import type { Reported, TurnTelemetry } from './telemetry.js'
import type { Limits } from './waiting.js'

export interface Question {
  output: Output
  /** How long it may take from now on. */
  limits: () => Limits
  /** The session. */
  resume: string | undefined
  /** The variable that marks a program. */
  mark: Record<string, string>
  onEvent: (event: DeliveryEvent) => void
  /** Whether the caller wants the answer as it arrives. */
  isStreamed: boolean
}

/** An answer, from a CLI or a function. */
export type Answer = Pick<DeliveryResult, 'usage' | 'model' | 'finishReason' | 'sessionId' | 'denials' | 'costUsd'> & {
  text: string
}

export interface Failure {
  reason: TurnFailedError['reason']
  message: string
  cause: unknown
  retryAfterMs?: number | undefined
  partialText?: string | undefined
}

export interface Answered {
  answer: Answer
  failure?: undefined
  delivered: Delivered
  warnings: DeliveryWarning[]
}

export interface Failed {
  failure: Failure
  delivered: Delivered
  /** What the CLI has reported. */
  reported?: Reported | undefined
  warnings: DeliveryWarning[]
}

export type Outcome = Answered | Failed

/** The codes that `deliver` uses for errors of CLIs. A function may use them, too. */
const REASONS: readonly CliError['code'][] = [
  'too-long',
  'session-not-found',
  'not-logged-in',
  'rate-limit',
  'permission-denied',
  'interrupted',
  'no-answer',
  'other',
]

const reasonOf = (error: unknown, code: unknown): TurnFailedError['reason'] => {
  const reason = REASONS.find((known) => known === code)
  if (reason !== undefined) return reason
  if (code === 'ERR_UNDELIVERABLE') return propertyOf(error, 'size') === undefined ? 'undeliverable' : 'too-long'
  if (code === 'ENOENT') return 'not-installed'
  if (code !== 'ERR_NO_ANSWER') return 'other'
  if (propertyOf(error, 'timedOut') !== true) return 'no-answer'
  return propertyOf(error, 'lastSeen') === 'rate-limit' ? 'rate-limit' : 'timed-out'
}

/** Errors of a turn that has not begun. */
const BEFORE = new Set<unknown>([
  'ENOENT',
  'EACCES',
  'ENOTDIR',
  'ERR_UNDELIVERABLE',
  'ERR_BUSY',
  'session-not-found',
  'too-long',
  'rate-limit',
  'not-logged-in',
])

/** Whether the prompt may have arrived. */
const deliveredBy = (error: unknown, code: unknown): Delivered => {
  const delivered: unknown = propertyOf(error, 'delivered')
  if (delivered === 'yes' || delivered === 'no' || delivered === 'unknown') return delivered
  return BEFORE.has(code) ? 'no' : 'unknown'
}

/** The outcome of what was thrown. */
export const failed = (error: unknown, warnings: DeliveryWarning[]): Failed => {
  const code: unknown = propertyOf(error, 'code')
  const retryAfterMs: unknown = propertyOf(error, 'retryAfterMs')
  const partialText: unknown = propertyOf(error, 'partialText')
  return {
    failure: {
      reason: reasonOf(error, code),
      message: messageOf(error),
      cause: error,
      retryAfterMs: typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) ? retryAfterMs : undefined,
      partialText: typeof partialText === 'string' ? partialText : undefined,
    },
    delivered: deliveredBy(error, code),
    warnings,
  }
}

/** A warning about a turn. */
export interface TurnWarning {
  /**
   * A code of a delivery warning, or
   * - `unknown-addressee`: the answer names somebody who is not a member;
   * - `summary-failed`: `summarise` or the store failed;
   * - `session-not-found`, `too-long`: the turn was retried, as the message says;
   * - `length`: the answer may be incomplete;
   * - `denied`: tools were not allowed, as `denials` says.
   */
  code:
    | DeliveryWarning['code']
    | 'unknown-addressee'
    | 'summary-failed'
    | 'session-not-found'
    | 'too-long'
    | 'length'
    | 'denied'
    | (string & {})
  message: string
}

/** An answered turn. */
export interface Turn<Name extends string = string> {
  member: Name
  /** The answer, without routing markers. */
  text: string
  /** The answer as a message of the conversation. */
  message: ConversationMessage
  /** What the prompt contained and what it left out. */
  report: AssemblerReport
  usage: CliUsage | undefined
  /** The session that the next turn resumes. */
  session: string | undefined
  model: string | undefined
  finishReason: FinishReason
  /** The tools that were not allowed, as far as the CLI reports them. */
  denials: Denial[]
  /** The cost of the turn, if the CLI reports it. */
  costUsd: number | undefined
  /** How often the member was asked. */
  attempts: number
  durationMs: number
  warnings: TurnWarning[]
  /** Attributes for an OpenTelemetry span. */
  telemetry: TurnTelemetry
}

/** The outcome of one member's turn. */
export type TurnResult<Name extends string = string> =
  | { member: Name; turn: Turn<Name>; error?: undefined }
  | { member: Name; turn?: undefined; error: Error }

export const warningsOf = ({ finishReason, denials = [] }: Answer) => {
  const warnings: TurnWarning[] = []
  if (finishReason === 'length') {
    warnings.push({
      code: 'length',
      message: "the model's output limit was reached: the answer may be incomplete",
    })
  }
  const names = [...new Set(denials.map(({ name }) => name))]
  if (names.length > 0) warnings.push({ code: 'denied', message: `these tools were not allowed: ${names.join(', ')}` })
  return warnings
}
