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
