/** What a member is asked, and what comes of it. */
import { messageOf, propertyOf } from '../thrown.js'
import type { CliError, Delivered, DeliveryEvent, DeliveryResult } from '../delivery/events.js'
import type { DeliveryWarning } from '../delivery/warnings.js'
import type { TurnFailedError } from '../errors.js'
import type { Output } from './prompt.js'
import type { Reported } from './telemetry.js'
import type { Limits } from './waiting.js'

export interface Question extends Limits {
  output: Output
  /** The session. */
  resume: string | undefined
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
