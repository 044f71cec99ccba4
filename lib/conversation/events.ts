/** What happens in a conversation, for its caller. */
import type { DeliveryEvent } from '../delivery/events.js'
import type { TurnFailedError } from '../errors.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { Turn } from './outcome.js'

/** An event of a delivery in a turn. */
export type TurnEvent<Name extends string = string> = DeliveryEvent & { member: Name }

/** An event of a conversation. */
export type ConversationEvent =
  | TurnEvent
  /** A prompt is about to be sent. */
  | { type: 'begun'; member: string; attempt: number; mode: 'whole' | 'delta'; report: AssemblerReport }
  /** The member has received the prompt. */
  | { type: 'delivered'; member: string }
  /** The answer is stored. */
  | { type: 'answered'; member: string; turn: Turn }
  /** There was no answer, or it could not be sent: the same error as that of `send`. */
  | { type: 'failed'; member: string; error: TurnFailedError }
  /** The turn is retried, as the message says. */
  | { type: 'retried'; member: string; reason: string; message: string }
  /** There is a new summary for this member. */
  | { type: 'summarised'; member: string; messages: number; upTo: string }
  /** A turn was in progress when the previous owner ended. The member's next prompt is whole. */
  | { type: 'in-doubt'; member: string }
