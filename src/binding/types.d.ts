/* Made by `npm run build` from src/binding: edit there. */

/** Which agent a prompt is for. Any other string is an agent that promptmason has no layout for. */
export type AgentType = 'claude-code' | 'openai-codex' | 'google-gemini' | (string & {})

/** A part of the prompt. Parts stand in the prompt in this order. */
export type PromptPart = 'system' | 'teamTask' | 'context' | 'parent' | 'siblings' | 'message' | 'routing'

/** A message of the conversation. */
export interface PromptContextMessage {
  /** Who wrote it. */
  from: string
  /**
   * Whom it is for.
   * @default 'all'
   */
  to?: string | null
  /** What it says. It goes into the prompt as it is. */
  content: string
  /** Not used for the prompt. */
  timestamp?: Date
}

/** The materials of a prompt. */
export interface AssemblerInput {
  /**
   * The conversation so far, oldest first. It is read from the newest message on, and only
   * as far as the budget reaches: messages beyond that are neither read nor validated.
   */
  contextMessages: PromptContextMessage[]
  /** The message to act on. */
  currentMessage: string
  /** What the team works on. */
  teamTask: string | null | undefined
  /**
   * The member's instructions. The elements of an array become a line each.
   * @default undefined
   */
  systemInstruction?: string | string[] | null
  /**
   * The text of the member's instruction file; it follows `systemInstruction`.
   * @default undefined
   */
  instructionFileText?: string | null
  /** The most UTF-8 bytes that `prompt` and `systemFlag` may have together. */
  maxBytes: number
  /**
   * The message that is being answered, if it is not in `contextMessages`.
   * @default undefined
   */
  parentContext?: PromptContextMessage | null
  /**
   * Other replies to the same message, newest first.
   * @default undefined
   */
  siblingContext?: PromptContextMessage[] | null
  /**
   * Identifiers of the route.
   * @default undefined
   */
  routeMeta?: { parentMessageId?: string | null; intent?: string | null } | null
}

/** What to hand to the agent's CLI. */
export interface AssemblerOutput {
  /** For the CLI's stdin. Always well-formed Unicode. */
  prompt: string
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string
}

/** An assembled prompt, and what happened on the way. */
export interface AssemblerReportOutput extends AssemblerOutput {
  report: AssemblerReport
}

/** An assembled prompt as bytes. */
export interface AssemblerBufferOutput {
  /** The prompt in UTF-8, for `child.stdin.write`. */
  prompt: Buffer
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string
}

/** What was written into the caller's buffer. */
export interface AssemblerIntoOutput {
  /** How many bytes of the buffer are the prompt. */
  bytes: number
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string
}

/** What every assembler can do. */
export interface IContextAssembler {
  getAgentType(): AgentType
  assemble(input: AssemblerInput): AssemblerOutput
}

/** How an assembler lays out and trims. */
export interface AssemblerOptions {
  /**
   * Where the system text goes: beside the prompt as `systemFlag`, into the prompt, or both
   * (both copies count against the budget). Only Claude has a flag; the others accept
   * `'inline'` alone.
   * @default 'flag' for Claude, 'inline' for the others
   */
  systemPlacement?: 'flag' | 'inline' | 'both'
  /**
   * Titles, by part, that replace those of the layout. One line each; an empty string
   * removes the title.
   * @default {}
   */
  headings?: Partial<Record<PromptPart, string>>
  /**
   * The number of dropped context messages is rounded up to a multiple of this. With 16, a
   * growing conversation keeps the same beginning for 16 turns, which providers' prompt
   * caches reward; with 1, it changes on every turn. Pass the whole history each time.
   * @default 1
   */
  evictionStep?: number
  /**
   * What happens to lines inside messages that read as a title or as another message:
   * `'verbatim'` keeps them, `'escape'` puts a backslash before them. The report lists
   * them either way.
   * @default 'verbatim'
   */
  markers?: 'verbatim' | 'escape'
}

/** What `buildPrompt` makes a prompt of. */
export interface PromptInput {
  /**
   * Whose layout to use: `claude-code`, `openai-codex`, `google-gemini`, or short `claude`,
   * `codex`, `gemini`, in any letter case. Any other agent gets plain text.
   */
  agentType: AgentType
  /**
   * The configured instruction. It is never cut. The elements of an array become a line each.
   * @default undefined
   */
  systemInstructionText?: string | string[] | null
  /**
   * The text of the instruction file; it follows `systemInstructionText`, and is shortened
   * when it has to be.
   * @default undefined
   */
  instructionFileText?: string | null
  /** The conversation so far, oldest first. */
  contextMessages: PromptContextMessage[]
  /** The message to act on. It is never cut. */
  message: string
  /**
   * What the team works on.
   * @default undefined
   */
  teamTask?: string | null
  /**
   * The most UTF-8 bytes that `prompt` and `systemFlag` may have together.
   * @default 786432 (768 KiB)
   */
  maxBytes?: number | null
  /**
   * How many messages of the conversation go along, the newest ones (of those that
   * `recipient` may see). 0 for none.
   * @default 5
   */
  maxContextMessages?: number | null
  /**
   * Keeps only what this member may see: messages sent to all, to the member (also in a
   * list, `max, sarah`), or by the member. Letter case and surrounding space do not matter.
   * @default undefined (everything)
   */
  recipient?: string | null
  /**
   * The member's role in a few words, at most 512 bytes: the first line of the system text.
   * @default undefined
   */
  roleSummary?: string | null
  /**
   * The most bytes that the system text should have. The instruction file is shortened for it.
   * @default half of maxBytes
   */
  systemMaxBytes?: number | null
  /**
   * How to lay out and trim.
   * @default {}
   */
  options?: AssemblerOptions | null
}

/** What to hand to the agent's CLI. */
export type PromptOutput = AssemblerOutput

/** What an assembly did. */
export interface AssemblerReport {
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
  /** Every section that had something in it, in prompt order. */
  sections: SectionReport[]
  /** The dropped context messages, newest first, at most 100. */
  dropped: DroppedMessage[]
  /** A sentence for everything that was cut or dropped. */
  decisions: string[]
  /** Lines inside messages that read as structure, in prompt order, at most 100. */
  findings: Finding[]
}

/** What happened to a section. Sizes include its title, and count each copy of the system text. */
export interface SectionReport {
  name: PromptPart
  /** `shortened`: its text was cut; `trimmed`: some of its items were dropped. */
  action: 'kept' | 'shortened' | 'trimmed' | 'dropped'
  /** Absent when it was never measured: messages that were not read have no known size. */
  bytesBefore?: number
  bytesAfter: number
  /** Messages or replies before trimming; only for parts that have them. */
  itemsBefore?: number
  /** Messages or replies that were kept; only for parts that have them. */
  itemsAfter?: number
}

/** A context message that was left out. */
export interface DroppedMessage {
  /** Its index in `contextMessages`. */
  index: number
  from: string
  /** What its line in the prompt would have taken. */
  bytes: number
}

/** A line inside a message that reads as a title or as another message. */
export interface Finding {
  /** The section that the message stands in. */
  part: 'context' | 'parent' | 'siblings'
  /** The message's index in its list; 0 for the parent. */
  index: number
  /** The line inside the message, counted from 1. */
  line: number
  /** What the line reads as. */
  pretends: 'title' | 'message'
  /** The line, at most 120 bytes of it. */
  text: string
  /** Whether a backslash was put before it. */
  escaped: boolean
}

/** A field is missing or of the wrong type, or an option is unknown. The message names it by its path. */
export interface InvalidArgTypeError extends TypeError {
  code: 'ERR_INVALID_ARG_TYPE'
}

/** A number is out of range, or the prompt does not fit into the caller's buffer. */
export interface OutOfRangeError extends RangeError {
  code: 'ERR_OUT_OF_RANGE'
  /** The bytes that the prompt needs; only when a buffer was too small. */
  requiredBytes?: number
}

/** What must be kept does not fit into `maxBytes`. */
export interface BudgetExceededError extends RangeError {
  code: 'ERR_BUDGET_EXCEEDED'
  /** The smallest `maxBytes` that would have sufficed. */
  requiredBytes: number
  maxBytes: number
  /** The least that each section can be cut down to, in bytes. */
  sections: Partial<Record<PromptPart, number>>
}
