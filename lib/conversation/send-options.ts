/** The options of `send`, `sendAll` and `stream`. */
import { fields } from '../checks/fields.js'
import { func, integer, optional } from '../checks/kinds.js'
import { signal as abortSignal } from '../delivery/kinds.js'
import { MEMBER_FIELDS, OF_CONVERSATION } from './member.js'
import type { TurnEvent } from './events.js'

/** Options of a turn. */
export interface SendOptions {
  /**
   * Ends the turn, and the program with everything it has started.
   * @default undefined
   */
  signal?: AbortSignal | null | undefined
  /**
   * The timeout of the turn in milliseconds, including retries, `summarise` and `parseReply`.
   * @default that of the member
   */
  timeoutMs?: number | null | undefined
  /**
   * Called with what a member says, as it arrives.
   * @default undefined
   */
  onText?: ((text: string, member: string) => void) | null | undefined
  /**
   * Called with the events of the delivery.
   * @default undefined
   */
  onEvent?: ((event: TurnEvent) => void) | null | undefined
}

export const sendOptions = fields<SendOptions>()(
  {
    signal: optional(abortSignal),
    timeoutMs: optional(integer(1)),
    onText: optional(func<(text: string, member: string) => void>()),
    onEvent: optional(func<(event: TurnEvent) => void>()),
  },
  { elsewhere: { 'a member': MEMBER_FIELDS, openConversation: OF_CONVERSATION } },
)

export type CheckedSendOptions = ReturnType<typeof sendOptions>
