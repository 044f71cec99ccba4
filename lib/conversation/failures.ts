/** The errors of turns. */
import { makeError } from '../errors.js'
import { present } from '../present.js'
import { telemetryOf } from './telemetry.js'
import type { AskedMember } from './members.js'
import type { Failed } from './outcome.js'
import type { ConversationState } from './state.js'

/** Reports that a turn has failed, and returns the error. */
export const turnFailed = (
  state: ConversationState,
  member: AskedMember,
  attempts: number,
  { failure, delivered, reported }: Omit<Failed, 'warnings'>,
) => {
  const { name } = member
  const { reason, message, cause, retryAfterMs, partialText } = failure
  const telemetry = telemetryOf(state.id, member, reported, reason)
  const about = present({ member: name, reason, delivered, attempts, retryAfterMs, partialText, telemetry })
  const text = `${name}'s turn failed (${reason}): ${message}`
  const error = makeError('Error', text, { code: 'ERR_TURN_FAILED' as const, ...about, cause })
  Object.defineProperty(error, 'cause', { enumerable: false })
  state.emit({ type: 'failed', member: name, error })
  return error
}

export const busy = (name: string) =>
  makeError('Error', `${name} already has a turn in progress: wait for it to end`, {
    code: 'ERR_BUSY',
    member: name,
    delivered: 'no',
  })

export const nothingToSend = (name: string) =>
  makeError('Error', `there is nothing to send to ${name}, who has answered everything: say something first`, {
    code: 'ERR_NOTHING_TO_SEND',
  })
