/** What an assembly kept, cut and dropped, and why. */
import type { AgentType, PromptPart } from './agents.js'

/** What an assembly did. */
export interface AssemblerReport {
  /** Whom the prompt is for. Only from a `ContextManager`. */
  agentId?: string
  /** The agent whose layout was used. */
  agentType: AgentType
  /** The budget. */
  maxBytes: number
  /** UTF-8 bytes of prompt and flag together. */
  totalBytes: number
  /** What it would have taken to keep everything; absent when messages were not measured. */
  neededBytes?: number
  /** UTF-8 bytes of the prompt. */
  promptBytes: number
  /** UTF-8 bytes of the flag. */
  systemFlagBytes: number
  /** What counted tokens. This and the next five: only with `maxTokens`, or with a `tokenizer` that was given. */
  tokenizer?: 'o200k' | 'cl100k' | 'estimate' | 'function'
  /** Whether the counts are exact. */
  tokensExact?: boolean
  /** The budget in tokens; absent if there is none. */
  maxTokens?: number
  /** Tokens of prompt and flag together. */
  totalTokens?: number
  /** Tokens of the prompt. */
  promptTokens?: number
  /** Tokens of the flag, which is a text of its own. */
  systemFlagTokens?: number
  /** Which budget made the prompt shorter; absent if none did. */
  limitedBy?: 'bytes' | 'tokens'
  /**
   * How many leading bytes of the prompt are those of the prompt that was last reported for
   * the same agent: what a provider's prompt cache can reuse. Only from a `ContextManager`,
   * and not in an agent's first report.
   */
  stablePrefixBytes?: number
  /** Which part of a session the prompt is. Only with `session: 'delta'`. */
  session?: {
    /** `whole`: nothing is confirmed yet, so it is the whole prompt. */
    mode: 'whole' | 'delta'
    /** The id of the newest message of the last confirmed prompt. */
    since?: string
  }
  /** Every section that had something in it, in prompt order. */
  sections: SectionReport[]
  /** The context messages that did not fit, newest first, at most 100. */
  dropped: DroppedMessage[]
  /**
   * Everything that was given and is not sent, in prompt order. Messages are listed one by one,
   * newest first, at most 100 of them. The rest is summed up, one entry for each part, action and
   * reason. What the recipient may not see is only summed up.
   */
  leftOut: LeftOut[]
  /** How many bytes were given, sent and left out. */
  account: Account
  /** A sentence for everything that was left out, except white space, and for an agent type that looks misspelled. */
  decisions: string[]
  /** Lines that read as structure, and names with line breaks in them, in prompt order, at most 100. */
  findings: Finding[]
}

/** What happened to a section. Sizes include its title, and count each copy of the system text. */
export interface SectionReport {
  name: PromptPart
  /**
   * `shortened`: its text was cut, here or on the way here, such as by a limit or by stripping
   * markers; `trimmed`: some of its items were dropped.
   */
  action: 'kept' | 'shortened' | 'trimmed' | 'dropped'
  /** Absent when it was never measured: messages that were not read have no known size. */
  bytesBefore?: number
  bytesAfter: number
  /** Tokens before trimming; absent when they were not counted. */
  tokensBefore?: number
  /** Tokens of the section by itself; absent when tokens are not counted. */
  tokensAfter?: number
  /** Messages or replies before trimming; only for parts that have them. */
  itemsBefore?: number
  /** Messages or replies that were kept; only for parts that have them. */
  itemsAfter?: number
}

/** A context message that did not fit. */
export interface DroppedMessage {
  /** Its id. Only from a `ContextManager`. */
  id?: string
  /** Its index in `contextMessages`, or in the conversation of a `ContextManager`. */
  index: number
  from: string
  /** What its line in the prompt would have taken. */
  bytes: number
  /** The same in tokens; absent when it was not counted. */
  tokens?: number
  /** Why: there was no room, the number was rounded up, or the layout has no context. */
  reason: 'budget' | 'step' | 'layout'
}

/** Why something was left out. */
export type LeftOutReason =
  /** There was no room. */
  | 'budget'
  /** The number of dropped messages was rounded up to a multiple of `evictionStep`. */
  | 'step'
  /**
   * It is outside of the messages that the prompt is made of: the window, `maxContextMessages`, or
   * newer than the message that is answered. Also the routing values of a route whose parent is
   * not there.
   */
  | 'window'
  /** It is not for the `recipient`. */
  | 'recipient'
  /** The member who is to answer wrote it. */
  | 'own'
  /** It has the text of the current message. */
  | 'duplicate'
  /** It is a routing marker. */
  | 'marker'
  /** It is beyond a limit: of a sibling reply's length, the number of replies, the role summary, the team task, the system text's share. */
  | 'limit'
  /** It is a code block of a sibling reply. */
  | 'code'
  /** It is the parent message, and the same as the current one. */
  | 'same'
  /** The layout has no such part, or shows of a file only its name. */
  | 'layout'
  /** It is white space at the ends of a text, or more than one space in a line. */
  | 'space'
  /** A summary covers it. */
  | 'summary'
  /** The agent has it in its session already. */
  | 'seen'
  /** It is reasoning, and the option `reasoning` is not `'keep'`. */
  | 'reasoning'

/** Something that was given and is not sent. */
export interface LeftOut {
  /** Where it would have been. */
  part: PromptPart
  /** The whole text, a piece of it, routing markers, or white space. */
  action: 'dropped' | 'cut' | 'stripped' | 'trimmed'
  reason: LeftOutReason
  /** UTF-8 bytes of the text, without names, titles and omission lines. */
  bytes: number
  /** How many texts are meant. */
  count: number
  /** The message's id. Only from a `ContextManager`. */
  id?: string
  /** The message's index in the list that was given, or in the conversation of a `ContextManager`. */
  index?: number
  /** Who wrote the message. */
  from?: string
}

/**
 * The sums: `givenBytes` is always `sentBytes + leftOutBytes`. Every text that was
 * given counts once: instructions, role summary, instruction file, team task, summary, contents
 * of all messages, parent, siblings, current message, routing values.
 */
export interface Account {
  /** UTF-8 bytes of all texts that were given. */
  givenBytes: number
  /** How much of them the prompt or the flag has. A text in both counts once. */
  sentBytes: number
  /** How much of them is left out: the sum over `leftOut`. */
  leftOutBytes: number
}

/** A line inside a message that reads as a title or as another message, or a name with a line break in it. */
export interface Finding {
  /** The section that it stands in. */
  part: PromptPart
  /** The message's index in its list; 0 where there is only one text. */
  index: number
  /** Which name it is; absent for a line of the content. */
  field?: 'from' | 'to' | 'parentMessageId' | 'intent'
  /** The line inside the message, counted from 1; 1 for a name. */
  line: number
  /**
   * What the line reads as; `lineBreak`: a name would have begun a line of its own; `fence`: it has
   * the key of the fenced prompt. `call` is a tool call that has no result, and `result` a tool result
   * that has no call: they are shown as text.
   */
  pretends: 'title' | 'message' | 'lineBreak' | 'fence' | 'call' | 'result'
  /** The line or the name as it was given, at most 120 bytes of it. */
  text: string
  /**
   * Whether it was made harmless: a backslash stands before the line. Always true for
   * `lineBreak`, where a space stands in place of the line break, and for `fence`, where a hyphen
   * stands in the key.
   */
  escaped: boolean
}
