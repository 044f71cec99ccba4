/** What `send` and `sendAll` resolve with. */
import type { CliUsage, Denial, FinishReason } from '../delivery/events.js'
import type { DeliveryWarning } from '../delivery/warnings.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { Answer } from './outcome.js'
import type { TurnTelemetry } from './telemetry.js'

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
