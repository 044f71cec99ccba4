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
  assemblers?: Partial<Record<AgentType, AssemblerOptions>>
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

/** How the base prompt of a model is chosen. */
export interface ProviderOptions {
  /**
   * Families of your own, tried before the built-in ones, in the order given: a part of the
   * model's name, in any letter case, and the text or texts for such models. With `^` in
   * front, the part has to stand at the start of the name or after a separator: `^o5` is in
   * `openai/o5-mini` and not in `turbo5`.
   * @default {}
   */
  families?: Record<string, string | string[]> | null
}

/** What the environment block says. */
export interface EnvironmentOptions {
  /**
   * The working directory of the agent.
   * @default process.cwd()
   */
  directory?: string | null
  /**
   * The date; it is written in the local time zone.
   * @default new Date()
   */
  now?: Date | null
  /**
   * More lines, in order; an object's entries become `name: value`.
   * @default []
   */
  extra?: string[] | Record<string, string> | null
}

/** Where instructions come from. */
export interface InstructionOptions {
  /**
   * The working directory of the agent. Instruction files are looked for in it and in every
   * directory above, up to the root of the git repository; outside one, in it alone.
   * @default process.cwd()
   */
  directory?: string | null
  /**
   * The configuration. Without it, the nearest `<appName>.json` from `directory` up to the
   * root of the repository is read; one that cannot be understood is an
   * `InvalidConfigError`.
   * @default undefined
   */
  config?: InstructionConfig | null
  /**
   * The names of instruction files. The first of them is also looked for in
   * `$XDG_CONFIG_HOME/<appName>` or `~/.config/<appName>`.
   * @default ['AGENTS.md', 'ETCODE.md'], the second by `appName`
   */
  files?: string[] | null
  /**
   * The application: names the configuration file, the user's configuration directory and
   * the second instruction file.
   * @default 'etcode'
   */
  appName?: string | null
  /**
   * Which directory's files come first: the working directory's or the repository root's.
   * @default 'nearest-first'
   */
  order?: 'nearest-first' | 'root-first' | null
  /**
   * Milliseconds for a URL, everything included: name, connection, redirects, body. At most
   * a day.
   * @default 5000
   */
  timeoutMs?: number | null
  /**
   * The most bytes of a URL's body; a larger one fails.
   * @default 262144
   */
  maxUrlBytes?: number | null
  /**
   * The most bytes of a file; of a larger one, beginning and end are kept, with a line
   * between them that says how many bytes are missing.
   * @default 262144
   */
  maxFileBytes?: number | null
}

/** What of a configuration concerns instructions; it may have more in it. */
export interface InstructionConfig {
  /**
   * Paths, glob patterns and http or https URLs, in order. Paths are relative to the working
   * directory (or, where there is nothing, to the directory of the configuration file),
   * absolute, or begin with `~/`. Patterns know `*`, `**`, `?`, `[a-z]` and `{a,b}`.
   * @default []
   */
  instructions?: string[] | null
}

/** What a file's nearby instructions are seen from. */
export interface ResolveOptions extends InstructionOptions {
  /**
   * Paths that are in the prompt already, such as those of `InstructionPrompt.systemPaths`.
   * @default []
   */
  loaded?: Iterable<string> | null
}

/** A file or URL that was considered, and what became of it. */
export interface LoadedInstruction {
  /** The path or URL; where the configuration leads to neither, what it says. */
  source: string
  kind: 'file' | 'url'
  /** Why it was considered: found in the project, found among the user's own, or configured. */
  origin: 'project' | 'global' | 'config'
  /**
   * `loaded`: it is used; `truncated`: its beginning and end are; `empty`: there is no text in
   * it; `skipped`: it was left out on purpose, as one that is there already; `failed`: it could
   * not be read.
   */
  status: 'loaded' | 'empty' | 'skipped' | 'failed' | 'truncated'
  /** What it says; only when `loaded` or `truncated`. */
  text?: string
  /** Its size as it was found, as far as that is known. */
  bytes: number
  /** Why it is not used, or not all of it; always there unless `loaded`. */
  reason?: string
}

/** What of an agent concerns its system prompt; it may have more in it. */
export interface SystemPromptAgent {
  /**
   * Takes the place of the base prompt of the model's family.
   * @default undefined
   */
  prompt?: string | null
}

/** What a system prompt is built from. */
export interface SystemPromptInput<Agent extends object = SystemPromptAgent>
  extends InstructionOptions, EnvironmentOptions, ProviderOptions {
  /**
   * The working directory of the agent.
   * @default process.cwd()
   */
  directory?: string | null
  /** The agent; handed to `transform` as it is. */
  agent: Agent & SystemPromptAgent
  /**
   * The model; without one, an agent without a prompt gets the general base prompt.
   * @default undefined
   */
  modelID?: string | null
  /**
   * Changes the parts before they are returned: the array that it returns, or a promise of
   * one, takes their place; if it returns nothing, the array that it was given is used, with
   * whatever it did to it. What it throws reaches the caller.
   * @default undefined
   */
  transform?: SystemPromptTransform<Agent> | null
}

/** Changes the parts of a system prompt. */
export type SystemPromptTransform<Agent extends object = SystemPromptAgent> = (
  parts: string[],
  context: { agent: Agent; modelID: string | undefined },
) => string[] | void | Promise<string[] | void>

/** What a system prompt of segments is assembled from. */
export interface SegmentOptions {
  /**
   * The core text; without it, `coreFile` is read.
   * @default undefined
   */
  core?: string | null
  /**
   * The file with the core text. If it cannot be read, the promise is rejected with an
   * `UnreadableFileError`.
   * @default 'SYSTEM_PROMPT.md'
   */
  coreFile?: string | null
  /**
   * The tools and what to know about using them, a line each: a list, or the registry object
   * that AI SDKs keep.
   * @default []
   */
  tools?: ToolNote[] | Record<string, { description?: string | null }> | null
  /**
   * The language of the titles.
   * @default 'zh'
   */
  locale?: 'zh' | 'en' | null
}

/** A tool, and what to know about using it. */
export interface ToolNote {
  name: string
  usage: string
}

/** The attributes of a hint, in the order in which they are written. */
export interface SystemHintAttributes {
  /** What the hint is about, such as `tool_degraded`. */
  type: string
  /** The tool that it concerns. */
  tool?: string | null
  [attribute: string]: string | number | boolean | null | undefined
}

/** How a tool's output is cut. */
export interface TruncateOptions {
  /**
   * The most characters, as `output.length` counts them; the hint is not counted.
   * @default 8000
   */
  maxChars?: number | null
}

/** A configuration file cannot be understood. The message names file, line and column. */
export interface InvalidConfigError extends Error {
  code: 'ERR_INVALID_CONFIG'
  file: string
  /** Counted from 1; absent when the file could not be read at all. */
  line?: number
  /** Counted from 1, 0 before the first character; absent like `line`. */
  column?: number
}

/** A file that is needed cannot be read. */
export interface UnreadableFileError extends Error {
  code: 'ERR_UNREADABLE_FILE'
  file: string
}

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

export declare namespace InstructionPrompt {
  /** The first instruction file in a directory. */
  export function find(directory: string, options?: Pick<InstructionOptions, 'files' | 'appName'>): Promise<string | undefined>
  /** Everything that was considered, used or not, and what became of it. */
  export function load(options?: InstructionOptions): Promise<LoadedInstruction[]>
  /**
   * The instruction files beside a file that a tool reads: from its directory up to, and
   * without, the project directory, whose own are in the system prompt already. The file itself
   * and what is `loaded` are left out.
   */
  export function resolve(filePath: string, options?: ResolveOptions): Promise<string[]>
  /**
   * The instructions as system messages, each `Instructions from: <path or URL>` and its text.
   * What cannot be read is left out; `load` says why.
   */
  export function system(options?: InstructionOptions): Promise<string[]>
  /**
   * The instruction files that there are, in the order in which `system` has them: those of the
   * project, the user's own, those that the configuration names. URLs are not among them.
   */
  export function systemPaths(options?: InstructionOptions): Promise<Set<string>>
}

export declare namespace SystemPrompt {
  /**
   * The system prompt, a text for each part: the agent's own prompt or that of the model's
   * family, the environment, and every instruction that is found. `transform` has the last word.
   */
  export function build<Agent extends object>(input: SystemPromptInput<Agent>): Promise<string[]>
  /** What the agent should know about the machine: one text with an `<env>` block. */
  export function environment(options?: EnvironmentOptions): string[]
  /**
   * The base prompt of a model's family: of Anthropic's for `claude`, OpenAI's for `gpt-`, and
   * `o1`, `o3` and `o4` at the start of a part of the name, Google's for `gemini`, and a general
   * one for all others.
   */
  export function provider(modelID: string, options?: ProviderOptions): string[]
}

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
 * A system prompt as one text: the core; notes on the tools, if there are any; the runtime
 * hints, if there are any.
 */
export declare function assembleSystemPrompt(runtimeHints?: string[] | null, options?: SegmentOptions): Promise<string>

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

/** The hint that takes the place of an earlier conversation: its summary. */
export declare function compressionHint(summary: string, options?: Pick<SegmentOptions, 'locale'>): string

/** The nearest file or directory called `name`, in `from` or above. */
export declare function findUp(name: string, from?: string): Promise<string | undefined>

/**
 * Every file or directory called one of `names`, nearest first, from `from` up to `root`,
 * which is looked in as well; without a root, up to that of the file system.
 */
export declare function findUpAll(names: string | string[], from?: string, root?: string): Promise<string[]>

/** A `<system_hint>` with the attributes in the order given, escaped, and the text inside. */
export declare function systemHint(attributes: SystemHintAttributes, text: string): string

/**
 * A tool's output if it has at most `maxChars` characters (as JavaScript counts them), else
 * its beginning and a hint of type `tool_output_omitted`.
 */
export declare function truncateToolOutput(tool: string, output: string, options?: TruncateOptions): string
