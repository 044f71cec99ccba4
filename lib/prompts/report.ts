/** What an assembly kept, cut and dropped, and why. */
import type { AgentType, PromptPart } from './agents.js'

/** What an assembly did. */
export interface AssemblerReport {
  /** Who the prompt is for. Only from a `ContextManager`. */
  agentId?: string
  /** The agent whose layout was used. */
  agentType: AgentType
  /** The budget. */
  maxBytes: number
  /** UTF-8 bytes of prompt and flag together. */
  totalBytes: number
  /** The bytes it would take to keep everything; absent if not all messages were measured. */
  neededBytes?: number
  /** UTF-8 bytes of the prompt. */
  promptBytes: number
  /** UTF-8 bytes of the flag. */
  systemFlagBytes: number
  /** What counted tokens. This and the next five are only set with `maxTokens` or a `tokenizer`. */
  tokenizer?: 'o200k' | 'cl100k' | 'estimate' | 'function'
  /** Whether the counts are exact. */
  tokensExact?: boolean
  /** The budget in tokens; absent if there is none. */
  maxTokens?: number
  /** Tokens of prompt and flag together. */
  totalTokens?: number
  /** Tokens of the prompt. */
  promptTokens?: number
  /** Tokens of the flag, counted separately. */
  systemFlagTokens?: number
  /** Which budget made the prompt shorter; absent if none did. */
  limitedBy?: 'bytes' | 'tokens'
  /**
   * How many leading bytes of the prompt are the same as in the previously reported prompt for the same agent: what a
   * provider's prompt cache can reuse. Only from a `ContextManager`, and not in an agent's first report.
   */
  stablePrefixBytes?: number
  /** The session of the prompt. Only with `session: 'delta'`. */
  session?: {
    /** `whole`: nothing is confirmed yet, so the prompt is complete. */
    mode: 'whole' | 'delta'
    /** The id of the newest message of the last confirmed prompt. */
    since?: string
  }
  /** Every section that had content, in prompt order. */
  sections: SectionReport[]
  /** The context messages that did not fit, newest first, at most 100. */
  dropped: DroppedMessage[]
  /**
   * Everything that was passed and not sent, in prompt order. Up to 100 messages are listed one by one,
   * newest first. The rest are summed up, one entry for each part, action and reason. What the recipient
   * may not see is only summed up.
   */
  leftOut: LeftOut[]
  /** How many bytes were passed, sent and left out. */
  account: Account
  /**
   * One sentence for each thing that was left out, except white space, and one for an agent type that
   * looks misspelled.
   */
  decisions: string[]
  /** Lines that look like structure, and names with line breaks, in prompt order, at most 100. */
  findings: Finding[]
}

/** What happened to a section. Sizes include its title, and count each copy of the system text. */
export interface SectionReport {
  name: PromptPart
  /**
   * `shortened`: its text was cut, here or earlier, for example by a limit or by stripping markers;
   * `trimmed`: some of its items were dropped.
   */
  action: 'kept' | 'shortened' | 'trimmed' | 'dropped'
  /** Absent if it was not measured: messages that were not read have no known size. */
  bytesBefore?: number
  bytesAfter: number
  /** Tokens before trimming; absent if they were not counted. */
  tokensBefore?: number
  /** Tokens of the section, counted separately; absent if tokens are not counted. */
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
  /** The size that its line in the prompt would have had. */
  bytes: number
  /** The same in tokens; absent if it was not counted. */
  tokens?: number
  /** Why: there was no room, the number was rounded up, or the layout has no context. */
  reason: 'budget' | 'step' | 'layout'
}

/** Why something was left out. */
export type LeftOutReason =
  /** It did not fit the budget. */
  | 'budget'
  /** The number of dropped messages was rounded up to a multiple of `evictionStep`. */
  | 'step'
  /**
   * It is outside the messages that the prompt is built from: outside the window or `maxContextMessages`, or newer
   * than the message that is answered. Also used for the routing values of a route whose parent is missing.
   */
  | 'window'
  /** It is not for the `recipient`. */
  | 'recipient'
  /** The member who should answer wrote it. */
  | 'own'
  /** It repeats the current message. */
  | 'duplicate'
  /** It is a routing marker. */
  | 'marker'
  /**
   * It exceeds a limit: the length of a sibling reply, the number of replies, the role summary, the team
   * task, or the system text's share.
   */
  | 'limit'
  /** It is a code block in a sibling reply. */
  | 'code'
  /** It is the parent message and repeats the current one. */
  | 'same'
  /** The layout has no such part, or shows only the name of a file. */
  | 'layout'
  /** It is leading or trailing white space, or extra spaces in a line. */
  | 'space'
  /** A summary covers it. */
  | 'summary'
  /** The agent's session already has it. */
  | 'seen'
  /** It is reasoning, and the option `reasoning` is not `'keep'`. */
  | 'reasoning'
  /** It looks like a key or a token of a provider. `[redacted: …]` is shown instead. */
  | 'redacted'

/** Something that was passed and not sent. */
export interface LeftOut {
  /** Where it would have been. */
  part: PromptPart
  /** Whether it is a whole text, a piece of one, routing markers, or white space. */
  action: 'dropped' | 'cut' | 'stripped' | 'trimmed'
  reason: LeftOutReason
  /** `shorten-results`: tool results in the message were shortened, before messages were dropped. */
  step?: 'shorten-results'
  /** UTF-8 bytes of the text, without names, titles and omission lines. */
  bytes: number
  /** The number of texts. */
  count: number
  /** The message's id. Only from a `ContextManager`. */
  id?: string
  /** The message's index in the list that was passed, or in the conversation of a `ContextManager`. */
  index?: number
  /** Who wrote the message. */
  from?: string
}

/**
 * The totals: `givenBytes` is always `sentBytes + leftOutBytes`. Every text that was passed counts once:
 * instructions, role summary, instruction file, team task, summary, contents of all messages, parent,
 * siblings, current message, routing values.
 */
export interface Account {
  /** UTF-8 bytes of all texts that were passed. */
  givenBytes: number
  /** How many of them are in the prompt or the flag. A text in both counts once. */
  sentBytes: number
  /** How many of them were left out: the sum over `leftOut`. */
  leftOutBytes: number
}

/** A line in a message that looks like a title or another message, or a name with a line break. */
export interface Finding {
  /** The section it is in. */
  part: PromptPart
  /** The message's index in its list; 0 if there is only one text. */
  index: number
  /** Which name it is; absent for a line of the content. */
  field?: 'from' | 'to' | 'parentMessageId' | 'intent'
  /** The line in the message, counted from 1; 1 for a name. */
  line: number
  /**
   * What the line looks like. `lineBreak`: a name would have started a new line. `fence`: it contains
   * the key of the fenced prompt. `call`: a tool call without a result; `result`: a tool result without
   * a call; both are shown as text.
   */
  pretends: 'title' | 'message' | 'lineBreak' | 'fence' | 'call' | 'result'
  /** The line or the name as passed, at most 120 bytes. */
  text: string
  /**
   * Whether it was made harmless with a backslash before the line. Always true for `lineBreak` (the line
   * break becomes a space) and for `fence` (a hyphen breaks the key).
   */
  escaped: boolean
}
