/** `ContextManager`. */
import type { AgentType } from './agents.js'
import type { AssemblerInput, AssemblerOptions } from './assemblers.js'
import type {
  AnyAssemblerOutput,
  AssemblerBufferOutput,
  AssemblerBufferReportOutput,
  AssemblerIntoOutput,
  AssemblerIntoReportOutput,
  AssemblerOutput,
  AssemblerReportOutput,
  BufferForm,
  IntoForm,
  ModelApi,
  ModelRequests,
  PromptForm,
  RequestForm,
  StringForm,
} from './forms.js'
import type { LayoutDefinition } from './layouts.js'
import type { PromptMaterials } from './materials.js'
import type { ConversationMessage, MessageChanges, NewMessage, ShownContextMessage } from './messages.js'
import type { AssemblerReport } from './reports.js'
import type { ContextSnapshot, ContextSnapshotJson, ExportSnapshotOptions, ImportSnapshotOptions } from './snapshots.js'
import type { ConversationSummary, NewSummary, Overflow } from './summaries.js'
import type { Tokenizer } from './tokens.js'

/** Where warnings go. */
export interface ILogger {
  debug(message: string, ...details: unknown[]): void
  info(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  error(message: string, ...details: unknown[]): void
}

/** A logger that says nothing: `new ContextManager({ logger: new SilentLogger() })`. */
export declare class SilentLogger implements ILogger {
  /** Does nothing. */
  debug(message: string, ...details: unknown[]): void
  /** Does nothing. */
  info(message: string, ...details: unknown[]): void
  /** Does nothing. */
  warn(message: string, ...details: unknown[]): void
  /** Does nothing. */
  error(message: string, ...details: unknown[]): void
}

/** The default of `contextWindowSize`: 5. */
export declare const DEFAULT_CONTEXT_WINDOW_SIZE: number

/** The default of `maxBytes`: 786432 (768 KiB). */
export declare const DEFAULT_MAX_BYTES: number

/** `setTeamTask` cuts a task to this size: 5120 bytes (5 KiB). */
export declare const MAX_TEAM_TASK_BYTES: number

/** An assembly of a `ContextManager`. */
export interface AssembledEvent {
  /** Whom the prompt is for; undefined for `assemblePrompt`. */
  agentId: string | undefined
  /** As it was given. */
  agentType: AgentType
  report: AssemblerReport
}

/** How a `ContextManager` works. */
export interface ContextManagerOptions<M extends ConversationMessage = ConversationMessage> {
  /**
   * How many messages before the current one an agent sees; 0 for none.
   * @default 5
   */
  contextWindowSize?: number | null | undefined
  /**
   * The most UTF-8 bytes that `prompt` and `systemFlag` may have together.
   * @default 786432 (768 KiB)
   */
  maxBytes?: number | null | undefined
  /**
   * The most tokens that `prompt` and `systemFlag` may have together, counted by the `tokenizer`.
   * Both budgets hold. A limit without a tokenizer is an error, except for Codex, which has `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens, for agent types that have no tokenizer of their own in `assemblers`. Each
   * message is counted once, when the first prompt with a token budget needs it. A function counts
   * all messages then, newest first.
   * @default 'o200k' for Codex, else undefined
   */
  tokenizer?: Tokenizer | null | undefined
  /**
   * Called with each message that was added.
   * @default undefined
   */
  onMessageAdded?: ((message: M) => void) | null | undefined
  /**
   * Called with the team task when it was set, restored or cleared.
   * @default undefined
   */
  onTeamTaskChanged?: ((task: string | null) => void) | null | undefined
  /**
   * Called with the report of each assembly of this manager, after it, for logs. By
   * default, a report is made only if a form asks for one. If it throws, the caller gets that error
   * instead of the prompt, and `confirm` does not accept that prompt.
   * @default undefined
   */
  onAssembled?: ((event: AssembledEvent) => void) | null | undefined
  /**
   * Where warnings go.
   * @default console.warn
   */
  logger?: ILogger | null | undefined
  /**
   * Whom `recipient` hides messages from. `'addressed'`: a message that is addressed is for its
   * addressees and its speaker. `'team'`: everybody reads everything but `private` messages.
   * @default 'addressed'
   */
  visibility?: 'addressed' | 'team' | null | undefined
  /**
   * `'number'`: messages get the ids `msg-1`, `msg-2`, … `'keep'`: they keep the `id` that you give.
   * Each must be a string that is not empty and that no other message has; otherwise `addMessage`
   * throws.
   * @default 'number'
   */
  ids?: 'number' | 'keep' | null | undefined
  /**
   * How many other replies an agent sees that answers a message.
   * @default 5
   */
  defaultMaxSiblings?: number | null | undefined
  /**
   * Whether `getContextForRoute` gives the parent message once more as `parentContext`.
   * @default true
   */
  defaultForceParentReinsertion?: boolean | null | undefined
  /**
   * How much of another reply an agent sees, in UTF-16 units.
   * @default 200
   */
  siblingContentMaxLength?: number | null | undefined
  /**
   * How much of the parent message `parentContext` has, in bytes.
   * @default 1024
   */
  parentReinsertionMaxBytes?: number | null | undefined
  /**
   * The number of messages that are left out of a prompt, counted from the beginning of the
   * conversation, is rounded up to a multiple of this, so that prompts keep the same
   * beginning for as many turns. A step larger than the window counts as the window.
   * @default 1
   */
  evictionStep?: number | null | undefined
  /**
   * Whether routing markers (`[FROM:x]`, `[NEXT:x]`, `[DROP:x]`, `[TEAM_TASK: x]`, and a
   * `[TEAM_TASK]` alone on its line with its text) are removed from what agents see. Markers in
   * fenced code blocks and in inline code are text: they stay. `getMessages` and snapshots have
   * every content as it was added, so the manager that imports a snapshot decides.
   * @default true
   */
  stripMarkers?: boolean | null | undefined
  /**
   * What becomes of the reasoning in messages with parts: agents do not see it, or they do.
   * @default 'omit'
   */
  reasoning?: 'omit' | 'keep' | null | undefined
  /**
   * Whether the message to act on says from whom and to whom it is, for all agent types whose
   * `assemblers` do not say. Without it, an agent is not told who asked.
   * @default false
   */
  showSender?: boolean | null | undefined
  /**
   * What happens to lines inside messages that read as structure, for all agent types whose
   * `assemblers` do not say. With `'fence'`, the manager makes a key for each member, that is for
   * each `recipient`, or else each `agentId`. A key is made once and kept in snapshots.
   * @default 'verbatim'
   */
  markers?: 'verbatim' | 'escape' | 'fence' | null | undefined
  /**
   * What becomes of a route whose parent message is not in the conversation: `'latest'` answers the
   * latest message instead, with a warning; `'throw'` is an `UnknownMessageError`.
   * @default 'latest'
   */
  onMissingParent?: 'latest' | 'throw' | null | undefined
  /**
   * Custom layouts, for agents that are then known by `agentType` and `aliases`. A name that
   * another layout has, also one of this package, is an error.
   * @default []
   */
  layouts?: readonly LayoutDefinition[] | null | undefined
  /**
   * Assembler options by agent type. A type that is listed here is known: there is no
   * warning about it.
   * @default {}
   */
  assemblers?: { readonly [Type in AgentType]?: AssemblerOptions | null | undefined } | null | undefined
}

/**
 * What one agent gets besides the conversation. The field is called `systemInstruction` here and
 * `systemInstructionText` in `buildPrompt`; passing the other one is an error.
 */
export interface AgentContextOptions extends Pick<PromptMaterials, 'instructionFileText' | 'maxTokens'> {
  /**
   * Overrides `contextWindowSize`.
   * @default contextWindowSize
   */
  windowSizeOverride?: number | null | undefined
  /**
   * The member's instructions.
   * @default undefined
   */
  systemInstruction?: string | readonly string[] | null | undefined
  /**
   * Keeps only what this member may see: messages sent to all, to the member, or by the member.
   * This holds for everything that is shown: the message to act on is the latest one that the
   * member may see, and a route to a message that it may not see is a route to a message that is
   * not there.
   *
   * A member is known by `id`, `name` and `displayName` of the messages that it has sent
   * (`roleId`, `roleName` and `roleTitle` for a speaker with a role), without regard to letter case,
   * surrounding space and Unicode form (`José` in either form, `STRASSE` and `Straße`); any of them
   * selects the same messages. A member that is renamed is known by both names. An id goes before a
   * name. A name that several members share means none of them: address those by id.
   * @default undefined (everything)
   */
  recipient?: string | null | undefined
  /**
   * Overrides `showSender` of the manager and of its `assemblers`.
   * @default that of the agent type, or else of the manager
   */
  showSender?: boolean | null | undefined
  /**
   * `'delta'`: the prompt has only what is new to the session that the agent's CLI keeps: all messages
   * since the last confirmed prompt, whatever the window is, without the agent's own; and system text,
   * team task and summary only if they have changed. Text that goes by a flag is in every prompt. What
   * does not fit into the budget is left out for good, with a line in its place. Earlier messages are
   * sent only if they are pinned or were changed, under a note. If no message is new, it is a
   * `NothingToSendError`.
   *
   * Until a prompt is confirmed with `confirm`, it is the whole prompt, and acts on the newest message
   * that the agent did not write. A route shows replies in the
   * conversation, and its message in any case. `getContextForAgent` and `getContextForRoute` ignore
   * this option.
   * @default undefined (the whole prompt)
   */
  session?: 'delta' | null | undefined
  /**
   * Overrides the manager's `maxTokens`.
   * @default that of the manager
   */
  maxTokens?: number | null | undefined
  /**
   * Overrides the tokenizer of the agent type, for example with an estimate that `calibrate` made of
   * the last turn. A function can only be passed to the constructor of the manager.
   * @default that of the agent type
   */
  tokenizer?: Exclude<Tokenizer, (text: string) => number> | null | undefined
}

/** What one agent gets that answers a given message. */
export interface RouteContextOptions extends AgentContextOptions {
  /**
   * Overrides `defaultMaxSiblings`.
   * @default defaultMaxSiblings
   */
  maxSiblings?: number | null | undefined
  /**
   * Overrides `defaultForceParentReinsertion`.
   * @default defaultForceParentReinsertion
   */
  forceParentReinsertion?: boolean | null | undefined
}

/** Who is to answer which message. */
export interface RoutingItem {
  /** The message to answer. */
  parentMessageId: string
  /** The member who answers. */
  targetMemberId: string
  /** What the answer is for. */
  intent?: string | null | undefined
}

/**
 * What an agent sees in its turn: the input of an assembler, with an array of its own. `Instruction`
 * is the type of the instructions that were passed.
 */
export interface AgentContext<Instruction = string | string[]> {
  contextMessages: ShownContextMessage[]
  /** The message to act on. */
  currentMessage: string
  /** What the team works on. */
  teamTask: string | null
  /** As it was passed. */
  systemInstruction?: Instruction | undefined
  /** As it was passed. */
  instructionFileText?: string | undefined
  maxBytes: number
  maxTokens?: number | undefined
  /** What stands for older messages. */
  summary?: string | undefined
  /** Indices into `contextMessages` of the pinned ones. */
  pinned?: number[] | undefined
  /** Indices into `contextMessages` before which others are missing, if something is pinned. */
  gapsBefore?: number[] | undefined
  /** With `showSender` or `markers: 'fence'`: who wrote the message to act on. */
  messageFrom?: string | undefined
  /** With `showSender` or `markers: 'fence'`: whom the message to act on is for. */
  messageTo?: string | undefined
  /** If it was passed. */
  showSender?: boolean | undefined
  /** With `markers: 'fence'`: the key of the member's prompts. */
  fenceKey?: string | undefined
  /** Only for a route: the message to act on, repeated, if it is not in the window. */
  parentContext?: ShownContextMessage | undefined
  /** Only for a route: other members' replies to the same message, newest first. */
  siblingContext?: ShownContextMessage[] | undefined
  /** Only for a route. */
  routeMeta?: { parentMessageId?: string | undefined; intent?: string | undefined }
}

/** The type of the instructions in some options, as `getContextForAgent` returns them. */
export type GivenInstruction<Options> = Options extends { readonly systemInstruction?: infer Given }
  ? NonNullable<Given> extends string
    ? NonNullable<Given>
    : string | string[]
  : string | string[]

/** What an agent sees that answers a given message. */
export interface RouteContextResult extends AgentContext {
  /** Other members' replies to the same message, newest first. */
  siblingContext: ShownContextMessage[]
  meta: {
    /** Undefined when there is no such message, or none that `recipient` may see. */
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

/** What a coordinator needs of its context. */
export interface IContextProvider<M extends ConversationMessage = ConversationMessage> {
  /** Stores a message, and returns it with its id. */
  addMessage(message: NewMessage<M>): M
  /** All messages, oldest first. */
  getMessages(): M[]
  /** The message that was added last, or null. */
  getLatestMessage(): M | null
  /** Sets what the team works on. */
  setTeamTask(task: string): void
  /** What the team works on, or null. */
  getTeamTask(): string | null
  /** What an agent sees in its turn. */
  getContextForAgent(agentId: string, agentType: AgentType, options?: AgentContextOptions | null): AgentContext
  /** The prompt of an input, in the layout of the agent type. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput): AssemblerOutput
  /** Forgets messages and team task. */
  clear(): void
  /** The conversation to be stored. */
  exportSnapshot(): ContextSnapshot<M>
  /** Replaces the conversation by a snapshot. */
  importSnapshot(snapshot: ContextSnapshot<M> | ContextSnapshotJson<M>): void
}

/**
 * Keeps the messages and the team task of a conversation, and makes prompts of them. Each text is
 * passed to native code once, when it is added, so a prompt costs what it contains, however long
 * the conversation is.
 *
 * A manager that nothing refers to is freed by the garbage collector, when the event loop turns. In
 * a long synchronous loop that makes managers, `clear()` frees the texts of each at once.
 *
 * `M` is the type of its messages. With your own type, messages go in and come out as that type.
 */
export declare class ContextManager<M extends ConversationMessage = ConversationMessage>
  implements IContextProvider<M>
{
  /** An empty conversation. */
  constructor(options?: ContextManagerOptions<M> | null)
  /** With `ids: 'keep'`: stores a message under its own id, which no other message may have. */
  addMessage(message: M): M
  /**
   * Stores a message under the next id (`msg-1`, `msg-2`, …), calls `onMessageAdded`, and
   * returns the full message. All fields are kept, except an `id`, which is
   * replaced.
   */
  addMessage(message: NewMessage<M>): M
  /**
   * All messages, oldest first, in a new array. They are the manager's own objects: do not
   * edit them, prompts would not change. Use `updateMessage`.
   */
  getMessages(): M[]
  /** The newest message, or null. Do not edit it: see `getMessages`. */
  getLatestMessage(): M | null
  /**
   * Replaces fields of a message, checks it as `addMessage` does, and returns the new message.
   * Prompts, getters and snapshots reflect it at once; messages that were returned before do not
   * change. A field that is given as undefined becomes undefined. The id does not change, and no hook
   * is called. Takes time linear in the length of the conversation.
   *
   * An id that the conversation does not have is an `UnknownMessageError`.
   */
  updateMessage(id: string, changes: MessageChanges<M>): M
  /**
   * Removes a message, and returns it. Its id is not given out again until `clear`. Replies to it
   * stay. Takes time linear in the length of the conversation.
   *
   * An id that the conversation does not have is an `UnknownMessageError`.
   */
  removeMessage(id: string): M
  /**
   * Pins a message: it is kept before any other, in its place in the conversation, whatever window,
   * eviction step and budget say. A recipient who may not see it does not see it. Returns the
   * message, with `pinned: true`.
   *
   * An id that the conversation does not have is an `UnknownMessageError`.
   */
  pin(id: string): M
  /** The opposite of `pin`. Returns the message, without `pinned`. */
  unpin(id: string): M
  /**
   * The messages that this agent's next prompt would leave out by window, step or budget, and that no
   * summary covers: the ones to summarise with a model.
   */
  overflow(agentId: string, agentType: AgentType, options?: AgentContextOptions | null): Overflow<M>
  /**
   * From now on, prompts show this summary before the context, and the window begins after `upTo`.
   * The messages stay in `getMessages` and in snapshots. A later summary replaces it.
   *
   * An id that the conversation does not have, or one before that of the summary that is there, is an
   * `UnknownMessageError`.
   */
  setSummary(summary: NewSummary): void
  /** The summary that a member sees; without `recipient`, the one for all. Null if there is none. */
  getSummary(recipient?: string | null): ConversationSummary | null
  /** Removes the summary of one member; without `recipient`, the one for all. */
  clearSummary(recipient?: string | null): void
  /**
   * The CLI has accepted the last prompt that was made for this agent with `session: 'delta'`: what
   * it showed counts as seen. Returns false if there is no such prompt, or if it is confirmed already.
   */
  confirm(agentId: string): boolean
  /** The CLI's session is lost: the agent's next prompt is whole again. Returns false if there was none. */
  forget(agentId: string): boolean
  /**
   * A member leaves the conversation. Messages stay, but whoever has its id or one of its names later is
   * somebody else, and as a `recipient` does not see what was said to it or by it in private. Its
   * session, its summary and the key of its fenced prompts are forgotten.
   */
  removeMember(member: string): void
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
  getContextForAgent<Options extends AgentContextOptions = AgentContextOptions>(
    agentId: string,
    agentType: AgentType,
    options?: Options | null,
  ): AgentContext<GivenInstruction<Options>>
  /**
   * What an agent sees that answers a given message: that message, the window before it,
   * and the other replies to it.
   */
  getContextForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options?: RouteContextOptions | null,
  ): RouteContextResult
  /** The prompt of an input in the layout of the agent type, as a new Buffer, with a report. */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /** The prompt of an input in the layout of the agent type, as a new Buffer. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: BufferForm<false>): AssemblerBufferOutput
  /** The prompt of an input in the layout of the agent type, written into your buffer, with a report. */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /** The prompt of an input in the layout of the agent type, written into your buffer. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: IntoForm<false>): AssemblerIntoOutput
  /** The prompt of an input in the layout of the agent type, as a string, with a report. */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /** The prompt of an input in the layout of the agent type, as a string. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: StringForm<false>): AssemblerOutput
  /** The prompt of an input in the layout of the agent type, in a form that is only known at run time. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: PromptForm | null | undefined): AnyAssemblerOutput
  /**
   * The prompt of an input in the layout of the agent type, as a string. An unknown type gets plain
   * text, and a warning is logged.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form?: null): AssemblerOutput
  /** The same as a request to a model's API, with a report. What the agent itself said is the assistant's. */
  assembleForAgent<Api extends ModelApi>(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: RequestForm<Api> & { report: true },
  ): ModelRequests[Api] & { report: AssemblerReport }
  /** The same as a request to a model's API. What the agent itself said is the assistant's. */
  assembleForAgent<Api extends ModelApi>(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: RequestForm<Api, false>,
  ): ModelRequests[Api]
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt as a new Buffer, with a report. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt as a new Buffer. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: BufferForm<false>,
  ): AssemblerBufferOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt written into your buffer, with a report. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt written into your buffer. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: IntoForm<false>,
  ): AssemblerIntoOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt as a string, with a report. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt as a string. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: StringForm<false>,
  ): AssemblerOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt in a form that is only known at run time. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: PromptForm | null | undefined,
  ): AnyAssemblerOutput
  /** `getContextForAgent` and `assemblePrompt` in one step: the prompt as a string. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options?: AgentContextOptions | null,
    form?: null,
  ): AssemblerOutput
  /** The same as a request to a model's API, with a report. What the agent itself said is the assistant's. */
  assembleForRoute<Api extends ModelApi>(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: RequestForm<Api> & { report: true },
  ): ModelRequests[Api] & { report: AssemblerReport }
  /** The same as a request to a model's API. What the agent itself said is the assistant's. */
  assembleForRoute<Api extends ModelApi>(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: RequestForm<Api, false>,
  ): ModelRequests[Api]
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt as a new Buffer, with a report. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt as a new Buffer. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: BufferForm<false>,
  ): AssemblerBufferOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt written into your buffer, with a report. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt written into your buffer. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: IntoForm<false>,
  ): AssemblerIntoOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt as a string, with a report. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt as a string. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: StringForm<false>,
  ): AssemblerOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt in a form that is only known at run time. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: PromptForm | null | undefined,
  ): AnyAssemblerOutput
  /** `getContextForRoute` and `assemblePrompt` in one step: the prompt as a string. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options?: RouteContextOptions | null,
    form?: null,
  ): AssemblerOutput
  /** Forgets messages, team task and numbering, and calls `onTeamTaskChanged(null)`. */
  clear(): void
  /**
   * The conversation to be stored, ready for `JSON.stringify`. It shares nothing with the manager:
   * plain objects, arrays, Dates, Maps, Sets, typed arrays, ArrayBuffers and DataViews are copied.
   * Only functions, symbols and instances of classes are those of the messages.
   *
   * With `after`, it has only the messages that came after that one, for a store that appends a few
   * messages per turn instead of writing the conversation again. Everything else in it is whole.
   */
  exportSnapshot(options?: ExportSnapshotOptions | null): ContextSnapshot<M>
  /**
   * Replaces the conversation by a snapshot, also one that went through JSON, and calls
   * `onTeamTaskChanged`. A `timestamp` becomes a Date again; dates in other fields stay as they are
   * in the snapshot. The manager keeps copies, as `exportSnapshot` makes them. A snapshot that is not
   * valid changes nothing: for example one with two messages of the same id, or with a number in an
   * id that is no safe integer.
   *
   * With `append`, its messages are added to those that are here, and everything else is that of
   * the snapshot; `onTeamTaskChanged` is called only if the task is another one. A snapshot that
   * does not begin where the conversation ends, with an id that is here already, or with numbers
   * that do not ascend, changes nothing. Appending takes time linear in what is appended.
   *
   * Every snapshot that is refused is an `InvalidSnapshotError`, also one that was made with `after`
   * and is imported without `append`: it would be half a conversation.
   */
  importSnapshot(snapshot: ContextSnapshot<M> | ContextSnapshotJson<M>, options?: ImportSnapshotOptions | null): void
}
