/** Summaries of older messages, and what there is to summarise. */
import type { ConversationMessage } from './messages.js'

/** A summary that prompts show in the place of older messages. */
export interface ConversationSummary {
  /** The id of the last message that it covers; null if all of those were removed. */
  upTo: string | null
  text: string
  /** The only member who sees it. Absent if all do. */
  recipient?: string
}

/** A summary to be shown from now on. */
export interface NewSummary {
  /** The id of the last message that it covers: the window begins after it. */
  upTo: string
  text: string
  /**
   * The only member who sees it, by id, name or display name. A member without a summary of its own
   * sees the one for all.
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
  /** The id of the last of them, for `setSummary`; null if there are none. */
  upTo: M['id'] | null
}
