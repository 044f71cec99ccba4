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

/** Counts the tokens of a text. */
export declare function countTokens(text: unknown, tokenizer: unknown): number

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/** The agent type of an assembler's layout. */
export declare function agentTypeOfAssembler(handle: unknown): string

/** The handle of a new assembler like the one that a manager has for an agent. */
export declare function assemblerOfAgent(handle: unknown, assembler: unknown): number

/** A system prompt as one text. */
export declare function assembleSystemPrompt(runtimeHints: unknown, options: unknown, process: unknown): Promise<string>

/** What an estimate has learned from one more turn, as JSON. */
export declare function calibrate(tokenizer: unknown, usage: unknown): string

/** Checks what `transform` has returned. */
export declare function checkTransformed(parts: unknown): void

/** Forgets messages, team task and numbering. */
export declare function clearManager(handle: unknown): void

/** Removes the summary for one member, or the one for all. */
export declare function clearSummary(handle: unknown, recipient: unknown): void

/** The hint that takes the place of an earlier conversation. */
export declare function compressionHint(summary: unknown, options: unknown): string

/**
 * What the last prompt of an agent's session showed counts as seen. Returns false if there is no
 * such prompt.
 */
export declare function confirmSession(handle: unknown, agentId: unknown): boolean

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

/** A text that was given as UTF-8 bytes, as a string. */
export declare function decodeText(text: unknown): string

/** What the agent should know about the machine. */
export declare function environmentPrompt(options: unknown, process: unknown): string

/** Begins the message of what native code throws. The rest is the description as JSON. */
export declare const FAILURE_PREFIX: string

/**
 * The description of a failure that native code has thrown, as JSON; undefined for any other
 * exception.
 */
export declare function failureDescription(thrown: unknown): string | undefined

/** The first instruction file in a directory. */
export declare function findInstructions(directory: unknown, options: unknown, process: unknown): Promise<string | undefined>

/** The index of the message with this id. */
export declare function findMessage(handle: unknown, messageId: unknown): number

/** Finds all files and URLs. Returns what JavaScript has to know to go on, as JSON. */
export declare function findSources(options: unknown, fetch: unknown, process: unknown): Promise<string>

/**
 * Finds the instructions of a system prompt, and makes the parts before them. Goes on as
 * `findSources` does.
 */
export declare function findSystemPrompt(input: unknown, fetch: unknown, process: unknown): Promise<string>

/** The nearest file or directory called `name`, in `from` or above. */
export declare function findUp(name: unknown, from: unknown, process: unknown): Promise<string | undefined>

/**
 * Every file or directory called one of `names`, nearest first, from `from` up to `root`,
 * which is looked in as well; without a root, up to that of the file system.
 */
export declare function findUpAll(names: unknown, from: unknown, root: unknown, process: unknown): Promise<string[]>

/** What became of everything, as JSON: the `parts` of a prompt, all `sources`, or both. */
export declare function finishSources(handle: unknown, responses: unknown, wantsParts: boolean, wantsSources: boolean): Promise<string>

/** Forgets the session of an agent. Returns false if there was none. */
export declare function forgetSession(handle: unknown, agentId: unknown): boolean

/** Forgets what has ended or was removed. */
export declare function forgetUnfinished(number: number): void

/**
 * The summary that a member sees, or the one for all: the id of the last message that it covers,
 * its text and its recipient.
 */
export declare function getSummary(handle: unknown, recipient: unknown): [upTo: string | undefined, text: string, recipient: string | undefined] | undefined

/** The sizes of a text's graphemes as runs of one size, as JSON: `[[size, count], …]`. */
export declare function graphemeSizes(text: unknown): string

/** The beginning of the ids of messages; a number follows. */
export declare const ID_PREFIX: string

/**
 * Replaces the conversation by a snapshot, or appends it. `copyMessage` copies a message. When
 * all were read, and before anything is appended, `makeRoom` is called. Returns whether the team
 * task is another one than before, and a warning if it was cut.
 */
export declare function importSnapshot(handle: unknown, options: unknown, append: unknown, snapshot: unknown, copyMessage: unknown, makeRoom: unknown): [isOtherTask: boolean, warning?: string]

/** The instruction files that there are, in the order in which they are loaded. */
export declare function instructionPaths(options: unknown, process: unknown): Promise<string[]>

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

/** The indices of the messages that a turn leaves out by window, step or budget. */
export declare function overflowOfTurn(handle: unknown, turn: unknown): number[]

/** The number of the prompt of an agent's session that can be confirmed. */
export declare function pendingPrompt(handle: unknown, agentId: unknown): number | undefined

/** The indices of the pinned messages, ascending. */
export declare function pinnedMessages(handle: unknown): number[]

/** The base prompt of a model's family. */
export declare function providerPrompt(modelId: unknown, options: unknown): string[]

/** Whether a message is pinned, by its field: 1 or 0. */
export declare function readPinned(pinned: unknown): number

/** Reads the files. Returns the number for `finishSources`. */
export declare function readSources(handle: unknown): Promise<number>

/** Refuses what a tokenizer of the caller's has returned: no non-negative integer. */
export declare function refuseTokenCount(returned: unknown): never

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
export declare function resolveInstructions(filePath: unknown, options: unknown, loaded: unknown, process: unknown): Promise<string[]>

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
export declare function systemHint(attributes: unknown, text: unknown): string

/** What the team works on, or null. */
export declare function teamTask(handle: unknown): string | null

/** A tool's output, or its beginning and a hint. */
export declare function truncateToolOutput(tool: unknown, output: unknown, options: unknown): string

/**
 * Checks `message`, which is what the changes have made of the one with this id, and puts it in
 * its place. Returns its index.
 */
export declare function updateMessage(handle: unknown, messageId: unknown, changes: unknown, changedId: unknown, message: unknown, content: unknown, speaker: unknown, id: unknown, name: unknown, displayName: unknown, kind: unknown, roleId: unknown, roleName: unknown, roleTitle: unknown, routing: unknown, resolvedAddressees: unknown, addressees: unknown, parentMessageId: unknown, intent: unknown, pinned: unknown): number

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

/** Lists a directory. Returns a number for `forgetUnfinished`. */
export declare function watchDirectory(path: string): number

/** Lists the leader of a process group. Returns a number for `forgetUnfinished`. */
export declare function watchProcessGroup(leader: number): number

/** A prompt of an agent's session did not reach its caller, so it cannot be confirmed. */
export declare function withdrawPrompt(handle: unknown, agentId: unknown, prompt: unknown): void
