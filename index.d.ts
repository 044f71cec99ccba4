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

/**
 * An assembled prompt, and what happened on the way. To tell of the dropped messages it has
 * to read them, so a wrong one among them is an error here and not in the plain form.
 */
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

/** Where a message came from. */
export interface MessageSpeaker {
  /** Identifies the member; not empty. */
  id: string
  /**
   * The name that stands in prompts.
   * @default the id
   */
  name?: string
  displayName?: string
  type?: 'ai' | 'human' | 'system' | (string & {})
}

/** Somebody a message is for: a name, or an object that has one. */
export type MessageAddressee = string | { identifier?: string; name?: string; id?: string }

/** Whom a message is for, and what it answers. Other fields are kept. */
export interface MessageRouting {
  /**
   * Whom it is for.
   * @default everyone
   */
  resolvedAddressees?: MessageAddressee[] | null
  /**
   * The same under another name, used when there are no `resolvedAddressees`.
   * @default everyone
   */
  addressees?: MessageAddressee[] | null
  /** The message that it answers. */
  parentMessageId?: string | null
  /** What the answer is for; shown with sibling replies. */
  intent?: string | null
}

/** A message before it has its id. Other fields are kept. */
export interface NewConversationMessage {
  timestamp?: Date
  speaker: MessageSpeaker
  content: string
  routing?: MessageRouting | null
}

/** A message of a conversation. */
export interface ConversationMessage extends NewConversationMessage {
  /** `msg-1`, `msg-2`, …, in the order of adding. */
  id: string
}

/** Where warnings go. */
export interface ILogger {
  debug(message: string, ...details: unknown[]): void
  info(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  error(message: string, ...details: unknown[]): void
}

/** How a `ContextManager` works. */
export interface ContextManagerOptions {
  /**
   * How many messages before the current one an agent sees; 0 for none.
   * @default 5
   */
  contextWindowSize?: number
  /**
   * The most UTF-8 bytes that `prompt` and `systemFlag` may have together.
   * @default 786432 (768 KiB)
   */
  maxBytes?: number
  /**
   * Called with each message that was added.
   * @default undefined
   */
  onMessageAdded?: (message: ConversationMessage) => void
  /**
   * Called with the team task when it was set, restored or cleared.
   * @default undefined
   */
  onTeamTaskChanged?: (task: string | null) => void
  /**
   * Where warnings go.
   * @default console.warn
   */
  logger?: ILogger
  /**
   * How many other replies an agent sees that answers a message.
   * @default 5
   */
  defaultMaxSiblings?: number
  /**
   * Whether `getContextForRoute` gives the parent message once more as `parentContext`.
   * @default true
   */
  defaultForceParentReinsertion?: boolean
  /**
   * How much of another reply an agent sees, in UTF-16 units.
   * @default 200
   */
  siblingContentMaxLength?: number
  /**
   * How much of the parent message `parentContext` has, in bytes.
   * @default 1024
   */
  parentReinsertionMaxBytes?: number
  /**
   * The number of messages that are left out of a prompt, counted from the beginning of the
   * conversation, is rounded up to a multiple of this, so that prompts keep the same
   * beginning for as many turns. A step larger than the window counts as the window.
   * @default 1
   */
  evictionStep?: number
  /**
   * Assembler options by agent type. A type that is listed here is known: there is no
   * warning about it.
   * @default {}
   */
  assemblers?: Record<AgentType, AssemblerOptions>
}

/** What one agent gets besides the conversation. */
export interface AgentContextOptions {
  /**
   * Instead of `contextWindowSize`.
   * @default contextWindowSize
   */
  windowSizeOverride?: number | null
  /**
   * The member's instructions.
   * @default undefined
   */
  systemInstruction?: string | string[] | null
  /**
   * The text of the member's instruction file.
   * @default undefined
   */
  instructionFileText?: string | null
  /**
   * Keeps only what this member may see, as `buildPrompt` does.
   * @default undefined (everything)
   */
  recipient?: string | null
}

/** What one agent gets that answers a given message. */
export interface RouteContextOptions extends AgentContextOptions {
  /**
   * Instead of `defaultMaxSiblings`.
   * @default defaultMaxSiblings
   */
  maxSiblings?: number | null
  /**
   * Instead of `defaultForceParentReinsertion`.
   * @default defaultForceParentReinsertion
   */
  forceParentReinsertion?: boolean | null
}

/** Who is to answer which message. */
export interface RoutingItem {
  /** The message to answer. */
  parentMessageId: string
  /** The member who answers. */
  targetMemberId: string
  /** What the answer is for. */
  intent?: string | null
}

/** What an agent sees that answers a given message. */
export interface RouteContextResult extends AssemblerInput {
  /** Other members' replies to the same message, newest first. */
  siblingContext: PromptContextMessage[]
  meta: {
    /** Undefined when there is no such message. */
    parentMessageId: string | undefined
    intent: string | undefined
    targetMemberId: string
    /** How many replies `siblingContext` has. */
    siblingCount: number
    /** How many there are in all. */
    siblingTotalCount: number
    truncatedSiblings: boolean
  }
}

/** A conversation, for safekeeping. */
export interface ContextSnapshot {
  messages: ConversationMessage[]
  teamTask: string | null
  /** When it was made, in milliseconds. */
  timestamp: number
  version: 1
}

/** What a coordinator needs of its context. */
export interface IContextProvider {
  addMessage(message: NewConversationMessage): ConversationMessage
  getMessages(): ConversationMessage[]
  getLatestMessage(): ConversationMessage | null
  setTeamTask(task: string): void
  getTeamTask(): string | null
  getContextForAgent(agentId: string, agentType: AgentType, options?: AgentContextOptions): AssemblerInput
  assemblePrompt(agentType: AgentType, input: AssemblerInput): AssemblerOutput
  clear(): void
  exportSnapshot(): ContextSnapshot
  importSnapshot(snapshot: ContextSnapshot): void
}

/** A snapshot cannot be restored. The manager is as it was. */
export interface InvalidSnapshotError extends Error {
  code: 'ERR_INVALID_SNAPSHOT'
}

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
  /**
   * How many leading bytes of the prompt are those of the prompt that was last reported for
   * the same agent: what a provider's prompt cache can reuse. Only from a `ContextManager`,
   * and not in an agent's first report.
   */
  stablePrefixBytes?: number
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

/** A field is missing or of the wrong type, or an option has an unknown value. The message names it by its path. */
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

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/** For Claude Code: bracketed titles; the system text beside the prompt, for `--append-system-prompt`. */
export declare class ClaudeContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions)
  /** The agent whose layout this is. */
  getAgentType(): AgentType
  /** The prompt as a string. */
  assemble(input: AssemblerInput): AssemblerOutput
  /** The prompt as a string, and a report of what was kept, cut and dropped. */
  assembleWithReport(input: AssemblerInput): AssemblerReportOutput
  /** The prompt as UTF-8 bytes, ready for `child.stdin.write`. */
  assembleToBuffer(input: AssemblerInput): AssemblerBufferOutput
  /**
   * Writes the prompt's UTF-8 bytes into `buffer`, from `offset` on. If they do not
   * fit, nothing is written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  assembleInto(input: AssemblerInput, buffer: Uint8Array, offset?: number): AssemblerIntoOutput
}

/** For Codex: bracketed titles, the system text first. */
export declare class CodexContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions)
  /** The agent whose layout this is. */
  getAgentType(): AgentType
  /** The prompt as a string. */
  assemble(input: AssemblerInput): AssemblerOutput
  /** The prompt as a string, and a report of what was kept, cut and dropped. */
  assembleWithReport(input: AssemblerInput): AssemblerReportOutput
  /** The prompt as UTF-8 bytes, ready for `child.stdin.write`. */
  assembleToBuffer(input: AssemblerInput): AssemblerBufferOutput
  /**
   * Writes the prompt's UTF-8 bytes into `buffer`, from `offset` on. If they do not
   * fit, nothing is written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  assembleInto(input: AssemblerInput, buffer: Uint8Array, offset?: number): AssemblerIntoOutput
}

/**
 * The single owner of a conversation's messages and team task. Texts cross the border to
 * Rust once, when they are added; a prompt costs what it contains, however long the
 * conversation is.
 */
export declare class ContextManager {
  /** An empty conversation. */
  constructor(options?: ContextManagerOptions)
  /**
   * Stores a message under the next id (`msg-1`, `msg-2`, …), calls `onMessageAdded`, and
   * returns the full message. Every field that was given is kept.
   */
  addMessage(message: NewConversationMessage): ConversationMessage
  /** All messages, oldest first, in a new array. */
  getMessages(): ConversationMessage[]
  /** The message that was added last, or null. */
  getLatestMessage(): ConversationMessage | null
  /**
   * Sets what the team works on, cut to 5 KiB with a warning, and calls
   * `onTeamTaskChanged`. Null removes it.
   */
  setTeamTask(task: string | null): void
  /** What the team works on, or null. */
  getTeamTask(): string | null
  /**
   * What an agent sees in its turn, as input for an assembler: the latest message, and
   * the window before it.
   */
  getContextForAgent(agentId: string, agentType: AgentType, options?: AgentContextOptions): AssemblerInput
  /**
   * What an agent sees that answers a given message: that message, the window before it,
   * and the other replies to it.
   */
  getContextForRoute(agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions): RouteContextResult
  /**
   * The prompt of an input, in the layout of the agent type. An unknown type is warned of
   * and gets plain text.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput): AssemblerOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt as a string. */
  assembleForAgent(agentId: string, agentType: AgentType, options?: AgentContextOptions): AssemblerOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt as a string, and a report with `stablePrefixBytes`. */
  assembleForAgentWithReport(agentId: string, agentType: AgentType, options?: AgentContextOptions): AssemblerReportOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt as UTF-8 bytes, ready for `child.stdin.write`. */
  assembleForAgentToBuffer(agentId: string, agentType: AgentType, options?: AgentContextOptions): AssemblerBufferOutput
  /**
   * `getContextForAgent` and `assemblePrompt` in one step: the prompt written into `buffer`, from `offset` on; if it does not fit, nothing is
   * written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  assembleForAgentInto(agentId: string, agentType: AgentType, options: AgentContextOptions | null | undefined, buffer: Uint8Array, offset?: number): AssemblerIntoOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt as a string. */
  assembleForRoute(agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions): AssemblerOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt as a string, and a report with `stablePrefixBytes`. */
  assembleForRouteWithReport(agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions): AssemblerReportOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt as UTF-8 bytes, ready for `child.stdin.write`. */
  assembleForRouteToBuffer(agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions): AssemblerBufferOutput
  /**
   * `getContextForRoute` and `assemblePrompt` in one step: the prompt written into `buffer`, from `offset` on; if it does not fit, nothing is
   * written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  assembleForRouteInto(agentId: string, agentType: AgentType, route: RoutingItem, options: RouteContextOptions | null | undefined, buffer: Uint8Array, offset?: number): AssemblerIntoOutput
  /** Forgets messages, team task and numbering, and calls `onTeamTaskChanged(null)`. */
  clear(): void
  /** The conversation for safekeeping, ready for `JSON.stringify`. */
  exportSnapshot(): ContextSnapshot
  /**
   * Replaces the conversation by a snapshot, also one that went through JSON, and calls
   * `onTeamTaskChanged`. A snapshot that is not valid changes nothing.
   */
  importSnapshot(snapshot: ContextSnapshot): void
}

/** For Gemini: titles in plain words, the system text first. */
export declare class GeminiContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions)
  /** The agent whose layout this is. */
  getAgentType(): AgentType
  /** The prompt as a string. */
  assemble(input: AssemblerInput): AssemblerOutput
  /** The prompt as a string, and a report of what was kept, cut and dropped. */
  assembleWithReport(input: AssemblerInput): AssemblerReportOutput
  /** The prompt as UTF-8 bytes, ready for `child.stdin.write`. */
  assembleToBuffer(input: AssemblerInput): AssemblerBufferOutput
  /**
   * Writes the prompt's UTF-8 bytes into `buffer`, from `offset` on. If they do not
   * fit, nothing is written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  assembleInto(input: AssemblerInput, buffer: Uint8Array, offset?: number): AssemblerIntoOutput
}

/** For any other agent: the texts alone, without titles. */
export declare class PlainTextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions)
  /** The agent whose layout this is. */
  getAgentType(): AgentType
  /** The prompt as a string. */
  assemble(input: AssemblerInput): AssemblerOutput
  /** The prompt as a string, and a report of what was kept, cut and dropped. */
  assembleWithReport(input: AssemblerInput): AssemblerReportOutput
  /** The prompt as UTF-8 bytes, ready for `child.stdin.write`. */
  assembleToBuffer(input: AssemblerInput): AssemblerBufferOutput
  /**
   * Writes the prompt's UTF-8 bytes into `buffer`, from `offset` on. If they do not
   * fit, nothing is written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  assembleInto(input: AssemblerInput, buffer: Uint8Array, offset?: number): AssemblerIntoOutput
}

/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(input: PromptInput): PromptOutput

/**
 * `buildPrompt` into `buffer`, from `offset` on. If the prompt does not fit, nothing is
 * written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
 */
export declare function buildPromptInto(input: PromptInput, buffer: Uint8Array, offset?: number): AssemblerIntoOutput

/** `buildPrompt` with the prompt as UTF-8 bytes, ready for `child.stdin.write`. */
export declare function buildPromptToBuffer(input: PromptInput): AssemblerBufferOutput

/** `buildPrompt`, and a report of what was kept, cut and dropped. */
export declare function buildPromptWithReport(input: PromptInput): AssemblerReportOutput
