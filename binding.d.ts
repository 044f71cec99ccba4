/* Made by `npm run build`. The first functions are declared in src/binding/functions.d.ts. */

/** Assembles an `AssemblerInput`. Returns what `form` says; the flag and the report are in `slots`. */
export declare function assemble(handle: number, form: number, target: unknown, offset: unknown, slots: unknown, visit: unknown, names: number, contents: unknown, functions: unknown, input: unknown, systemInstruction: unknown, contextMessages: unknown, routeMeta: unknown, maxBytes: unknown, parentContext: unknown, currentMessage: unknown, teamTask: unknown, summary: unknown, instructionFileText: unknown, siblingContext: unknown, pinned: unknown, gapsBefore: unknown, maxTokens: unknown, systemInstructionText: unknown): any

/** Assembles a `PromptInput`. Returns what `form` says; the flag and the report are in `slots`. */
export declare function buildPrompt(form: number, target: unknown, offset: unknown, slots: unknown, visit: unknown, names: number, contents: unknown, input: unknown, systemInstructionText: unknown, agentType: unknown, layout: unknown, options: unknown, contextMessages: unknown, maxBytes: unknown, maxContextMessages: unknown, recipient: unknown, roleSummary: unknown, message: unknown, teamTask: unknown, summary: unknown, instructionFileText: unknown, systemMaxBytes: unknown, pinned: unknown, maxTokens: unknown, tokenizer: unknown, systemInstruction: unknown): any

/** Adds a message in an envelope that was kept. Returns the number in its id. */
export declare function addMessage(handle: number, envelope: number, content: unknown, parentMessageId: unknown, intent: unknown): number

/** Assembles a turn that was kept. Returns what `form` says; the flag and the report are in `slots`. */
export declare function assembleTurn(handle: number, turn: number, agentId: unknown, form: number, target: unknown, offset: unknown, slots: unknown): any

/** Receives a message from the loop of `js/messages.js`. */
export declare function receiveMessage(kind: MessageKind, from: unknown, to: unknown, content: unknown): NextMessage

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/** Instructions that were found, and are being read. */
export declare class InstructionSources {
  /** The URLs to fetch, and how. */
  requests(): UrlRequests
  /** Reads the files. */
  read(): Promise<undefined>
  /** What became of everything, given a response for each of the URLs. */
  finish(responses: Array<UrlResponse>): LoadedInstructions
}

/** The agent type of an assembler's layout. */
export declare function agentTypeOfAssembler(handle: unknown): string

/** The handle of a new assembler like the one that a manager has for an agent. */
export declare function assemblerOfAgent(handle: unknown, assembler: unknown): number

/** A system prompt as one text. */
export declare function assembleSystemPrompt(runtimeHints: Array<string>, input: SegmentsInput, cwd: string): Promise<string>

/** What an estimate has learned from one more turn. Without `bytes`, they are those of the text. */
export declare function calibrate(bytesPerToken: number, byScript: ScriptRates | undefined | null, turns: Array<LearnedTurn>, tokens: number, text: JsText, bytes?: number | undefined | null): LearnedEstimate

/** Forgets messages, team task and numbering. */
export declare function clearManager(handle: unknown): void

/** Removes the summary for one member, or the one for all. */
export declare function clearSummary(handle: unknown, recipient: unknown): void

/** The hint that takes the place of an earlier conversation. */
export declare function compressionHint(summary: JsText, localeName?: string | undefined | null): string

/**
 * What the last prompt of an agent's session showed counts as seen. Returns false if there is no
 * such prompt.
 */
export declare function confirmSession(handle: unknown, agentId: unknown): boolean

/** Counts the tokens of a text. */
export declare function countTokens(text: JsText, tokenizer: TokenizerInput): number

/** Counts the tokens of a text that is given as UTF-8. What is not well-formed becomes U+FFFD. */
export declare function countTokensOfBytes(text: Uint8Array, tokenizer: TokenizerInput): number

/**
 * Makes an assembler for a known agent type, and returns its handle. If its tokenizer is a
 * function, that becomes the first element of `functions`.
 */
export declare function createAssembler(agentType: unknown, options: unknown, functions: unknown): number

/** The same for a layout of the caller's. */
export declare function createLayoutAssembler(layout: unknown, options: unknown, functions: unknown): number

/**
 * Makes a manager, and returns its handle. Hooks and the logger stay in JavaScript. Tokenizers
 * that are functions become elements of `functions`.
 */
export declare function createManager(options: unknown, onMessageAdded: unknown, onTeamTaskChanged: unknown, onAssembled: unknown, logger: unknown, maxTokens: unknown, functions: unknown): number

/** Makes a table of names, and returns its handle. */
export declare function createNameTable(): number

/** Added to the number of a form if the prompt is printed to stderr. */
export declare const DEBUG_FLAG: number

/** [`DEBUG_FLAG`] if this value of `DEBUG` asks for our output, else 0. */
export declare function debugFlag(debug: string): number

/** A text that is given as UTF-8. What is not well-formed becomes U+FFFD. */
export declare function decodeText(text: Uint8Array): string

/** The length from which on a tool's output is truncated, in UTF-16 units. */
export declare const DEFAULT_MAX_OUTPUT_CHARS: number

/** What is known of every CLI, as JSON. */
export declare function deliveryProfiles(): string

/** What the agent should know about the machine. */
export interface EnvironmentInput {
  platform: string
  date: string
  extra: Array<string>
}

/** What the agent should know about the machine. */
export declare function environmentPrompt(path: string | undefined | null, input: EnvironmentInput, cwd: string): string

/** The environment variables that say where files are. */
export declare function environmentVariables(): Array<string>

/** Begins the message of what native code throws. The rest is the description as JSON. */
export declare const FAILURE_PREFIX: string

/**
 * The description of a failure that native code has thrown, as JSON; undefined for any other
 * exception.
 */
export declare function failureDescription(thrown: unknown): string | undefined

/** A caller-supplied family of models, and what they are told. */
export interface FamilyInput {
  pattern: string
  prompts: Array<string>
}

/** The first instruction file in a directory. */
export declare function findInstructions(directory: string, input: InstructionInput, process: ProcessFacts): Promise<string | undefined | null>

/** The index of the message with this id. */
export declare function findMessage(handle: unknown, messageId: unknown): number

/** Finds all files and URLs. */
export declare function findSources(input: InstructionInput, process: ProcessFacts): Promise<InstructionSources>

/** Finds the instructions of a system prompt, and makes the parts before them. */
export declare function findSystemPrompt(layers: LayersInput, instructions: InstructionInput, process: ProcessFacts): Promise<InstructionSources>

/** The nearest file or directory called `name`, in `from` or above. */
export declare function findUp(name: string, from: string | undefined | null, cwd: string): Promise<string | undefined | null>

/**
 * Every file or directory called one of `names`, nearest first, from `from` up to `root`,
 * which is looked in as well; without a root, up to that of the file system.
 */
export declare function findUpAll(names: Array<string>, from: string | undefined | null, root: string | undefined | null, cwd: string): Promise<Array<string>>

/** Forgets the session of an agent. Returns false if there was none. */
export declare function forgetSession(handle: unknown, agentId: unknown): boolean

/**
 * The summary that a member sees, or the one for all: the id of the last message that it covers,
 * its text and its recipient.
 */
export declare function getSummary(handle: unknown, recipient: unknown): [upTo: string | undefined, text: string, recipient: string | undefined] | undefined

/** Graphemes of one size, in bytes, that follow each other. */
export interface GraphemeRun {
  size: number
  count: number
}

/** The sizes of a text's graphemes. */
export declare function graphemeSizes(text: JsText): Array<GraphemeRun>

/** An attribute of a hint. */
export interface HintAttribute {
  name: string
  value: string
}

/** The beginning of the ids of messages; a number follows. */
export declare const ID_PREFIX: string

/**
 * Replaces the conversation by a snapshot, or appends it. `copyMessage` copies a message. When
 * all were read, and before anything is appended, `makeRoom` is called. Returns whether the team
 * task is another one than before, and a warning if it was cut.
 */
export declare function importSnapshot(handle: unknown, options: unknown, append: unknown, snapshot: unknown, copyMessage: unknown, makeRoom: unknown): [isOtherTask: boolean, warning?: string]

/** Where to look, and for what. What is not given is as in the preset, or by default. */
export interface InstructionInput {
  timeoutMs?: number
  alreadyReadBy?: string
  directory?: string
  preset?: string
  files?: Array<string>
  appName?: string
  order?: string
  /** The `instructions` of the configuration. */
  config?: Array<string>
  includes?: boolean
  untrusted?: boolean
  allowHosts?: Array<string>
  maxFileBytes?: number
  maxUrlBytes?: number
}

/** The instruction files that there are, in the order in which they are loaded. */
export declare function instructionPaths(input: InstructionInput, process: ProcessFacts): Promise<Array<string>>

/** The names of all presets. */
export declare function instructionPresets(): Array<string>

/** A string. */
export type JsText = string

/** Checks a message and keeps its envelope, that is everything but its content, under a number. */
export declare function keepEnvelope(handle: unknown, envelope: unknown, message: unknown, content: unknown, speaker: unknown, id: unknown, name: unknown, displayName: unknown, kind: unknown, roleId: unknown, roleName: unknown, roleTitle: unknown, routing: unknown, resolvedAddressees: unknown, addressees: unknown): void

/** Keeps how many tokens each function of the caller's has counted in a message. */
export declare function keepMessageTokens(handle: unknown, index: unknown, tokens: unknown): void

/**
 * Keeps a name under a number. Returns a copy of it: the name itself may be a piece of a large
 * text, which would be kept in memory with it.
 */
export declare function keepName(table: unknown, number: unknown, name: unknown): string

/**
 * Keeps what a turn is asked for with, under a number. The fields of the options are in the
 * order in which `js/fields.js` passes them.
 */
export declare function keepTurn(handle: unknown, turn: unknown, agentId: unknown, assembler: unknown, isRouted: boolean, route: unknown, parentMessageId: unknown, targetMemberId: unknown, intent: unknown, options: unknown, systemInstruction: unknown, instructionFileText: unknown, windowSizeOverride: unknown, recipient: unknown, maxSiblings: unknown, forceParentReinsertion: unknown, systemInstructionText: unknown, session: unknown, maxTokens: unknown, tokenizer: unknown): void

/**
 * Keeps what functions of the caller's have counted of a turn's texts: for each function, the
 * bytes and tokens of the system text, the team task and the summary.
 */
export declare function keepTurnTokens(handle: unknown, turn: unknown, counted: unknown): void

/** A system prompt, without its instructions. */
export interface LayersInput {
  agentPrompt: string
  modelID: string
  families: Array<FamilyInput>
  environment: EnvironmentInput
}

/** What an estimate has learned. */
export interface LearnedEstimate {
  bytesPerToken: number
  byScript?: ScriptNumbers
  spread: number
  turns: Array<LearnedTurn>
}

/** A turn that was learned from. */
export interface LearnedTurn {
  bytes: number
  tokens: number
  error: number
  scripts?: ScriptNumbers
}

/** What became of a file or a URL. */
export interface LoadedInstruction {
  source: string
  kind: string
  origin: string
  from?: string
  status: string
  text?: string
  bytes: number
  reason?: string
  appliesTo?: Array<string>
  description?: string
}

/** The parts of a prompt, and where they come from. */
export interface LoadedInstructions {
  parts: Array<string>
  sources: Array<LoadedInstruction>
}

/**
 * Looks an agent type up. Returns the number of its assembler, or an array of that and of a
 * warning if the type is not known.
 */
export declare function lookUpAgent(handle: unknown, agentId: unknown, agentType: unknown): number | [assembler: number, warning: string]

/** What the loop has found, and so what `from`, `to` and `content` are. */
export declare enum MessageKind {
  /** `from` and `to` are numbers of names that were kept before. */
  Known = 0,
  /** All three are what the caller gave. */
  Given = 1,
  /** The message is no object: `content` is what the caller gave instead. */
  NotAnObject = 2,
}

/** A warning if the parent of a turn's route is not there. */
export declare function missingParent(handle: unknown, turn: unknown): string | undefined

/** The parameters of these functions, as this side takes them. */
export declare function nativeParameters(): Record<string, string[]>

/** What the loop does next. */
export declare enum NextMessage {
  /** It stops. */
  Stop = 0,
  /** It goes on. */
  Continue = 1,
  /** It goes on; the content may have lone surrogates. */
  ContinueRepairing = 2,
}

/** How the prompt is wanted. */
export declare enum OutputForm {
  /** A string. */
  Text = 0,
  /** A string, and a report as JSON in the second slot. */
  Report = 1,
  /** A new Buffer; `target` is the function that allocates it. */
  Buffer = 2,
  /** The number of bytes that were written into `target` from `offset` on. */
  Into = 3,
}

/** The name of an agent's output format: its type, or `text` for one that is not known. */
export declare function outputFormat(agentType: unknown): string

/** The indices of the messages that a turn leaves out by window, step or budget. */
export declare function overflowOfTurn(handle: unknown, turn: unknown): number[]

/** The number of the prompt of an agent's session that can be confirmed. */
export declare function pendingPrompt(handle: unknown, agentId: unknown): number | undefined

/** The indices of the pinned messages, ascending. */
export declare function pinnedMessages(handle: unknown): number[]

/**
 * Plans a delivery. Returns the plan as JSON, and stdin if it is not the prompt as it came:
 * a new Buffer, which `allocate` makes. `cwd` is absolute.
 */
export declare function planDelivery(prompt: unknown, systemFlag: unknown, options: unknown, cwd: unknown, platform: unknown, allocate: unknown): [plan: string, stdin: Buffer | undefined]

/** The process and its user. */
export interface ProcessFacts {
  cwd: string
  /** The home directory, if the environment does not name one. */
  home?: string
  /** Those of [`environment_variables`] that are set. */
  variables: Record<string, string>
}

/** The base prompt of a model's family. */
export declare function providerPrompt(modelId: string, given: Array<FamilyInput>): Array<string>

/** Whether a message is pinned, by its field: 1 or 0. */
export declare function readPinned(pinned: unknown): number

/** Forgets an assembler. */
export declare function releaseAssembler(handle: number): void

/** Forgets a manager. */
export declare function releaseManager(handle: unknown): void

/** The highest number that was given out in an id, if that message was removed. */
export declare function removedLastNumber(handle: unknown): number | undefined

/** Removes the message with this id. Returns the index that it had. */
export declare function removeMessage(handle: unknown, messageId: unknown): number

/** Added to the number of a form if a report is wanted besides, as JSON in the second slot. */
export declare const REPORT_FLAG: number

/** The instruction files between a file and the project directory that are not in `loaded`. */
export declare function resolveInstructions(filePath: string, loaded: Array<string>, input: InstructionInput, process: ProcessFacts): Promise<Array<string>>

/** A number for each script. */
export interface ScriptNumbers {
  latin: number
  symbols: number
  cjk: number
  other: number
}

/** Bytes per token, where they differ from those of all text. */
export interface ScriptRates {
  latin?: number
  symbols?: number
  cjk?: number
  other?: number
}

/** The segments of a system prompt. */
export interface SegmentsInput {
  core?: string
  coreFile?: string
  tools: Array<ToolInput>
  locale?: string
}

/** Pins the message with this id, or no longer. Returns its index. */
export declare function setPinned(handle: unknown, messageId: unknown, pinned: boolean): number

/** Sets the summary of all messages up to one. */
export declare function setSummary(handle: unknown, summary: unknown, upTo: unknown, text: unknown, recipient: unknown): void

/** Sets what the team works on. Returns a warning if it was cut. */
export declare function setTeamTask(handle: unknown, task: unknown): string | undefined

/** The version of snapshots. */
export declare const SNAPSHOT_VERSION: number

/** Pins, summaries and sessions as JSON. `withPins` lists the pinned messages. */
export declare function snapshotMemory(handle: unknown, withPins: boolean): string

/**
 * The index of the first message of a snapshot, which begins after the message with the id
 * `after`, or with the conversation.
 */
export declare function snapshotStart(handle: unknown, options: unknown, after: unknown): number

/** A `<system_hint>` with attributes. */
export declare function systemHint(attributes: Array<HintAttribute>, text: JsText): string

/** What the team works on, or null. */
export declare function teamTask(handle: unknown): string | null

/** A tokenizer that counts here: the name of a vocabulary, or an estimate. */
export interface TokenizerInput {
  vocabulary?: string
  bytesPerToken?: number
  byScript?: ScriptRates
}

/** A tool, and when and how to use it. */
export interface ToolInput {
  name: string
  usage: string
}

/** The beginning of a tool's output, and a hint; nothing if it is short enough. */
export declare function truncateToolOutput(tool: string, output: JsText, maxChars: number): string | null

/**
 * Checks `message`, which is what the changes have made of the one with this id, and puts it in
 * its place. Returns its index.
 */
export declare function updateMessage(handle: unknown, messageId: unknown, changes: unknown, changedId: unknown, message: unknown, content: unknown, speaker: unknown, id: unknown, name: unknown, displayName: unknown, kind: unknown, roleId: unknown, roleName: unknown, roleTitle: unknown, routing: unknown, resolvedAddressees: unknown, addressees: unknown, parentMessageId: unknown, intent: unknown, pinned: unknown): number

/** The URLs to fetch, and how. */
export interface UrlRequests {
  urls: Array<string>
  timeoutMs: number
  maxUrlBytes: number
  /** Absent if all hosts are allowed. */
  allowHosts?: Array<string>
  userAgent: string
}

/** What came of a request: the body, or why there is none. */
export interface UrlResponse {
  body?: Uint8Array
  reason?: string
  /** Whether the request was not made at all. */
  refused?: boolean
  /** The size of a body that was not read to its end. */
  bytes?: number
}

/**
 * Whether text is converted without the vector instructions of this processor, in the whole
 * process. Slower, with the same results.
 */
export declare function useOnlyPortableTranscoder(onlyPortable: boolean): void

/**
 * What an agent sees in a turn that was kept: message, summary, team task, budgets, sender, addressee and
 * content of each context message, and for a route whose parent is there, the same of the
 * parent, of the siblings, and how many siblings there are in all.
 */
export declare function viewTurn(handle: unknown, turn: unknown): [message: string, summary: string | undefined, teamTask: string | null, maxBytes: number, maxTokens: number | undefined, context: string[], pinned: number[], gapsBefore: number[], parent?: string[], siblings?: string[], siblingsInAll?: number]

/** A prompt of an agent's session did not reach its caller, so it cannot be confirmed. */
export declare function withdrawPrompt(handle: unknown, agentId: unknown, prompt: unknown): void
