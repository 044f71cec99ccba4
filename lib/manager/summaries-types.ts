/** Summaries of older messages, and which messages to summarise. */
import type { ConversationMessage } from '../messages/messages.js'

/** A summary that replaces older messages in prompts. */
export interface ConversationSummary {
  /** The id of the last message it covers; null if all of them were removed. */
  upTo: string | null
  text: string
  /** The only member who sees it. Absent if it is for all. */
  recipient?: string
}

/** A summary to set. */
export interface NewSummary {
  /** The id of the last message it covers. The window begins after it. */
  upTo: string
  text: string
  /**
   * The only member who sees it, by id, name or display name. Members without their own summary see the
   * general one.
   * @default undefined (all members)
   */
  recipient?: string | null | undefined
}

/** What an agent's next prompt would leave out. */
export interface Overflow<M extends ConversationMessage = ConversationMessage> {
  /** The messages, oldest first. */
  messages: M[]
  /** UTF-8 bytes of their contents. */
  bytes: number
  /** The id of the last of these messages, for `setSummary`; null if there are none. */
  upTo: M['id'] | null
}
