/** `ContextManager`. */
import type { AgentType } from '../prompts/agents.js'
import type { AssemblerInput } from '../prompts/assembler-input.js'
import type { AssemblerOptions } from '../prompts/assembler-options.js'
import type { BufferForm, IntoForm, PromptForm, RequestForm, StringForm } from '../prompts/form.js'
import type { ModelApi, ModelRequests } from '../prompts/model-requests.js'
import type {
  AnyAssemblerOutput,
  AssemblerBufferOutput,
  AssemblerBufferReportOutput,
  AssemblerIntoOutput,
  AssemblerIntoReportOutput,
  AssemblerOutput,
  AssemblerReportOutput,
} from '../prompts/results.js'
import type { LayoutDefinition } from '../prompts/layout.js'
import type { PromptMaterials } from '../prompts/materials.js'
import type { ConversationMessage, MessageChanges, NewMessage, ShownContextMessage } from '../messages/messages.js'
import type { AssemblerReport } from '../prompts/report.js'
import type {
  ContextSnapshot,
  ContextSnapshotJson,
  ExportSnapshotOptions,
  ImportSnapshotOptions,
} from './snapshots-types.js'
import type { ConversationSummary, NewSummary, Overflow } from './summaries-types.js'
import type { Tokenizer } from '../tokens/tokenizer.js'

/** Where warnings go. */
export interface ILogger {
  debug(message: string, ...details: unknown[]): void
  info(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  error(message: string, ...details: unknown[]): void
}

/** A logger that discards everything: `new ContextManager({ logger: new SilentLogger() })`. */
export declare class SilentLogger implements ILogger {
  /** Discards the message. */
  debug(message: string, ...details: unknown[]): void
  /** Discards the message. */
  info(message: string, ...details: unknown[]): void
  /** Discards the message. */
  warn(message: string, ...details: unknown[]): void
  /** Discards the message. */
  error(message: string, ...details: unknown[]): void
}

/** The default `contextWindowSize`: 5. */
export declare const DEFAULT_CONTEXT_WINDOW_SIZE: number

/** The default `maxBytes`: 786432 (768 KiB). */
export declare const DEFAULT_MAX_BYTES: number

/** The size that `setTeamTask` cuts a task to: 5120 bytes (5 KiB). */
export declare const MAX_TEAM_TASK_BYTES: number

/** One assembly by a `ContextManager`. */
export interface AssembledEvent {
  /** Who the prompt is for; undefined for `assemblePrompt`. */
  agentId: string | undefined
  /** The agent type that was passed. */
  agentType: AgentType
  report: AssemblerReport
}

/** Options of a `ContextManager`. */
export interface ContextManagerOptions<M extends ConversationMessage = ConversationMessage> {
  /**
   * How many messages before the current one a prompt includes; 0 for none.
   * @default 5
   */
  contextWindowSize?: number | null | undefined
  /**
   * The maximum UTF-8 bytes of `prompt` and `systemFlag` together.
   * @default 786432 (768 KiB)
   */
  maxBytes?: number | null | undefined
  /**
   * The maximum tokens of `prompt` and `systemFlag` together, counted by the `tokenizer`. Both budgets
   * apply. A limit without a tokenizer is an error, except for Codex, which uses `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens for agent types without a tokenizer in `assemblers`. Each message is counted
   * once, when the first prompt with a token budget needs it. A function then counts all messages,
   * newest first.
   * @default 'o200k' for Codex, else undefined
   */
  tokenizer?: Tokenizer | null | undefined
  /**
   * Called with each added message.
   * @default undefined
   */
  onMessageAdded?: ((message: M) => void) | null | undefined
  /**
   * Called with the team task when it is set, restored or cleared.
   * @default undefined
   */
  onTeamTaskChanged?: ((task: string | null) => void) | null | undefined
  /**
   * Called with a report after each assembly, for logging. By default, a report is created only if a
   * form asks for one. If this hook throws, the caller gets that error instead of the prompt, and
   * `confirm` does not accept the prompt.
   * @default undefined
   */
  onAssembled?: ((event: AssembledEvent) => void) | null | undefined
  /**
   * Where warnings go.
   * @default console.warn
   */
  logger?: ILogger | null | undefined
  /**
   * Which messages `recipient` hides. `'addressed'`: a message with addressees is only for them and its
   * speaker. `'team'`: everybody can read everything except `private` messages.
   * @default 'addressed'
   */
  visibility?: 'addressed' | 'team' | null | undefined
  /**
   * `'number'`: messages get the ids `msg-1`, `msg-2`, … `'keep'`: messages keep the `id` you pass. It
   * must be a non-empty string that no other message has; otherwise `addMessage` throws.
   * @default 'number'
   */
  ids?: 'number' | 'keep' | null | undefined
  /**
   * How many other replies to the same message a route includes.
   * @default 5
   */
  defaultMaxSiblings?: number | null | undefined
  /**
   * Whether `getContextForRoute` repeats the parent message as `parentContext`.
   * @default true
   */
  defaultForceParentReinsertion?: boolean | null | undefined
  /**
   * How much of another reply a route includes, in UTF-16 units.
   * @default 200
   */
  siblingContentMaxLength?: number | null | undefined
  /**
   * How much of the parent message `parentContext` includes, in bytes.
   * @default 1024
   */
  parentReinsertionMaxBytes?: number | null | undefined
  /**
   * The number of messages left out of a prompt, counted from the beginning of the conversation, is
   * rounded up to a multiple of this. Prompts then keep the same beginning for that many turns. A step
   * larger than the window counts as the window.
   * @default 1
   */
  evictionStep?: number | null | undefined
  /**
   * Whether routing markers (`[FROM:x]`, `[NEXT:x]`, `[DROP:x]`, `[TEAM_TASK: x]`, and a `[TEAM_TASK]`
   * alone on its line with its text) are removed from prompts. Markers in fenced code blocks and in
   * inline code stay. `getMessages` and snapshots keep every content as it was added, so a manager that
   * imports a snapshot applies its own setting.
   * @default true
   */
  stripMarkers?: boolean | null | undefined
  /**
   * Whether prompts show the reasoning in messages with parts.
   * @default 'omit'
   */
  reasoning?: 'omit' | 'keep' | null | undefined
  /**
   * Whether the message to act on shows its sender and addressees. Applies to all agent types that do
   * not set this in `assemblers`. By default, the agent does not see who asked.
   * @default false
   */
  showSender?: boolean | null | undefined
  /**
   * What to do with lines in messages that look like structure. Applies to all agent types that do not
   * set this in `assemblers`. With `'fence'`, the manager creates one key for each member (each
   * `recipient`, or else each `agentId`) and keeps it in snapshots.
   * @default 'verbatim'
   */
  markers?: 'verbatim' | 'escape' | 'fence' | null | undefined
  /**
   * What a route does if its parent message is not in the conversation. `'latest'` answers the latest
   * message instead, with a warning; `'throw'` throws an `UnknownMessageError`.
   * @default 'latest'
   */
  onMissingParent?: 'latest' | 'throw' | null | undefined
  /**
   * Custom layouts, found by `agentType` and `aliases`. A name that another layout has, including a
   * built-in one, is an error.
   * @default []
   */
  layouts?: readonly LayoutDefinition[] | null | undefined
  /**
   * Assembler options by agent type. There is no warning about agent types listed here.
   * @default {}
   */
  assemblers?: { readonly [Type in AgentType]?: AssemblerOptions | null | undefined } | null | undefined
}

/**
 * What one agent gets in addition to the conversation. The field is called `systemInstruction` here and
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
   * Includes only what this member may see: messages to all, to the member, or from the member. This
   * applies to everything in the prompt: the message to act on is the latest one that the member may
   * see, and a route to a message that the member may not see is treated as a route to a missing
   * message.
   *
   * A member is identified by the `id`, `name` or `displayName` in the messages it has sent (`roleId`,
   * `roleName` or `roleTitle` for a speaker with a role). Letter case, surrounding white space and
   * Unicode form do not matter (`José` in either form, `STRASSE` and `Straße`). A renamed member is
   * known by both names. An id takes precedence over a name. A name that several members share matches
   * none of them: use their ids.
   * @default undefined (everything)
   */
  recipient?: string | null | undefined
  /**
   * Overrides `showSender` of the manager and its `assemblers`.
   * @default that of the agent type, or else of the manager
   */
  showSender?: boolean | null | undefined
  /**
   * `'delta'`: the prompt contains only what is new to the session of the agent's CLI: all messages
   * since the last confirmed prompt, whatever the window, except the agent's own; and system text, team
   * task and summary only if they have changed. Text passed by a flag is in every prompt. What does not
   * fit the budget is left out for good, and a line takes its place. Earlier messages are sent only if
   * they are pinned, were changed or were hidden from the `recipient` before, under a note. If no
   * message is new, a `NothingToSendError` is thrown.
   *
   * Until a prompt has been confirmed with `confirm`, prompts are whole and act on the newest message
   * that the agent did not write. A route shows replies in the conversation, and always shows its
   * message. `getContextForAgent` and `getContextForRoute` ignore this option.
   * @default undefined (the whole prompt)
   */
  session?: 'delta' | null | undefined
  /**
   * Overrides the manager's `maxTokens`.
   * @default that of the manager
   */
  maxTokens?: number | null | undefined
  /**
   * Overrides the tokenizer of the agent type, for example with an estimate that `calibrate` returned
   * for the last turn. A function can only be passed to the manager's constructor.
   * @default that of the agent type
   */
  tokenizer?: Exclude<Tokenizer, (text: string) => number> | null | undefined
}

/** What an agent gets that answers a given message. */
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

/** Who should answer which message. */
export interface RoutingItem {
  /** The message to answer. */
  parentMessageId: string
  /** The member who answers. */
  targetMemberId: string
  /** The purpose of the answer. */
  intent?: string | null | undefined
}

/**
 * What an agent sees in its turn, as input for an assembler. `Instruction` is the type of the
 * instructions that were passed.
 */
export interface AgentContext<Instruction = string | string[]> {
  contextMessages: ShownContextMessage[]
  /** The message to act on. */
  currentMessage: string
  /** What the team works on. */
  teamTask: string | null
  /** The member's instructions, as passed. */
  systemInstruction?: Instruction | undefined
  /** The text of the member's instruction file, as passed. */
  instructionFileText?: string | undefined
  maxBytes: number
  maxTokens?: number | undefined
  /** The summary that replaces older messages. */
  summary?: string | undefined
  /** Indices of pinned messages in `contextMessages`. */
  pinned?: number[] | undefined
  /** Indices into `contextMessages` before which messages are missing, if something is pinned. */
  gapsBefore?: number[] | undefined
  /** With `showSender` or `markers: 'fence'`: who wrote the message to act on. */
  messageFrom?: string | undefined
  /** With `showSender` or `markers: 'fence'`: who the message to act on is for. */
  messageTo?: string | undefined
  /** The option `showSender`, if it was passed. */
  showSender?: boolean | undefined
  /** With `markers: 'fence'`: the key of the member's prompts. */
  fenceKey?: string | undefined
  /** Routes only: the message to act on, repeated, if it is not in the window. */
  parentContext?: ShownContextMessage | undefined
  /** Routes only: other members' replies to the same message, newest first. */
  siblingContext?: ShownContextMessage[] | undefined
  /** Routes only: the id of the message to answer, and the purpose of the answer. */
  routeMeta?: { parentMessageId?: string | undefined; intent?: string | undefined }
}

/** The type of the instructions in the given options, as `getContextForAgent` returns them. */
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
    /** Undefined if there is no such message, or if `recipient` may not see it. */
    parentMessageId: string | undefined
    intent: string | undefined
    targetMemberId: string
    /** The number of replies in `siblingContext`. */
    siblingCount: number
    /** The total number of replies. */
    siblingTotalCount: number
    truncatedSiblings: boolean
  }
}

/** What a coordinator needs from its context. */
export interface IContextProvider<M extends ConversationMessage = ConversationMessage> {
  /** Stores a message and returns it with its id. */
  addMessage(message: NewMessage<M>): M
  /** All messages, oldest first. */
  getMessages(): M[]
  /** The latest message, or null. */
  getLatestMessage(): M | null
  /** Sets what the team works on. */
  setTeamTask(task: string): void
  /** What the team works on, or null. */
  getTeamTask(): string | null
  /** What an agent sees in its turn. */
  getContextForAgent(agentId: string, agentType: AgentType, options?: AgentContextOptions | null): AgentContext
  /** Assembles a prompt from an input, in the layout of the agent type. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput): AssemblerOutput
  /** Removes all messages and the team task. */
  clear(): void
  /** Exports the conversation for storage. */
  exportSnapshot(): ContextSnapshot<M>
  /** Replaces the conversation with a snapshot. */
  importSnapshot(snapshot: ContextSnapshot<M> | ContextSnapshotJson<M>): void
}

/**
 * Keeps the messages and the team task of a conversation, and builds prompts from them. Each text is
 * passed to native code once, when it is added, so the cost of a prompt depends on what it contains, not
 * on the length of the conversation.
 *
 * An unreferenced manager is freed by the garbage collector when the event loop turns. If you create
 * managers in a long synchronous loop, `clear()` frees the texts of each one immediately.
 *
 * `M` is the type of the messages. With your own type, messages go in and come out as that type.
 */
export declare class ContextManager<M extends ConversationMessage = ConversationMessage>
  implements IContextProvider<M>
{
  /** Creates an empty conversation. */
  constructor(options?: ContextManagerOptions<M> | null)
  /** With `ids: 'keep'`: stores a message under its own id, which no other message may have. */
  addMessage(message: M): M
  /**
   * Stores a message under the next id (`msg-1`, `msg-2`, …), calls `onMessageAdded`, and returns the
   * complete message. All fields are kept except `id`, which is replaced.
   */
  addMessage(message: NewMessage<M>): M
  /**
   * Returns all messages, oldest first, in a new array. Do not edit the messages: prompts would not
   * change. Use `updateMessage`.
   */
  getMessages(): M[]
  /** Returns the newest message, or null. Do not edit it: see `getMessages`. */
  getLatestMessage(): M | null
  /**
   * Replaces fields of a message, validates it like `addMessage`, and returns the new message. Prompts,
   * getters and snapshots reflect the change immediately; messages returned earlier do not change. A
   * field set to undefined becomes undefined. The id stays the same, and no hook is called. Takes time
   * linear in the length of the conversation.
   *
   * Throws an `UnknownMessageError` if there is no message with this id.
   */
  updateMessage(id: string, changes: MessageChanges<M>): M
  /**
   * Removes a message and returns it. Its id is not reused until `clear`. Replies to it stay. Takes time
   * linear in the length of the conversation.
   *
   * Throws an `UnknownMessageError` if there is no message with this id.
   */
  removeMessage(id: string): M
  /**
   * Pins a message: it is kept before any other, in its place in the conversation, regardless of window,
   * eviction step and budget. It is still hidden from a recipient who may not see it. Returns the
   * message with `pinned: true`.
   *
   * Throws an `UnknownMessageError` if there is no message with this id.
   */
  pin(id: string): M
  /** Unpins a message. Returns it without `pinned`. */
  unpin(id: string): M
  /**
   * Returns the messages that this agent's next prompt would leave out because of the window, the
   * eviction step or the budget, and that no summary covers yet. Summarise them with a model.
   */
  overflow(agentId: string, agentType: AgentType, options?: AgentContextOptions | null): Overflow<M>
  /**
   * Sets a summary. Prompts show it before the context, and the window begins after `upTo`. The messages
   * stay in `getMessages` and in snapshots. A later summary replaces it.
   *
   * Throws an `UnknownMessageError` if `upTo` is unknown or precedes that of the current summary.
   */
  setSummary(summary: NewSummary): void
  /** Returns the summary for one member or, without `recipient`, the general one; null if there is none. */
  getSummary(recipient?: string | null): ConversationSummary | null
  /** Removes the summary for one member or, without `recipient`, the general one. */
  clearSummary(recipient?: string | null): void
  /**
   * Call this when the CLI has accepted the last prompt built for this agent with `session: 'delta'`.
   * What the prompt showed then counts as seen. Returns false if there is no such prompt, or if it is
   * already confirmed.
   */
  confirm(agentId: string): boolean
  /**
   * Call this when the CLI's session is lost. The agent's next prompt is whole again. Returns false if
   * there was no session.
   */
  forget(agentId: string): boolean
  /**
   * Ends a membership. The member's messages stay. Anybody who later has its id or one of its names is
   * somebody else and, as a `recipient`, does not see what was said to or by the former member in
   * private. Its session, summary and fence key are removed.
   */
  removeMember(member: string): void
  /**
   * Sets what the team works on, cut to 5 KiB with a warning, and calls `onTeamTaskChanged`. Null
   * removes the task.
   */
  setTeamTask(task: string | null): void
  /** What the team works on, or null. */
  getTeamTask(): string | null
  /**
   * Returns what an agent sees in its turn, as input for an assembler: the latest message and the window
   * before it.
   */
  getContextForAgent<Options extends AgentContextOptions = AgentContextOptions>(
    agentId: string,
    agentType: AgentType,
    options?: Options | null,
  ): AgentContext<GivenInstruction<Options>>
  /**
   * Returns what an agent sees that answers a given message: that message, the window before it, and the
   * other replies to it.
   */
  getContextForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options?: RouteContextOptions | null,
  ): RouteContextResult
  /** Assembles a prompt from an input, in the layout of the agent type, as a new Buffer with a report. */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /** Assembles a prompt from an input, in the layout of the agent type, as a new Buffer. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: BufferForm<false>): AssemblerBufferOutput
  /** Assembles a prompt from an input, in the layout of the agent type, into your buffer, with a report. */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /** Assembles a prompt from an input, in the layout of the agent type, into your buffer. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: IntoForm<false>): AssemblerIntoOutput
  /** Assembles a prompt from an input, in the layout of the agent type, as a string with a report. */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /** Assembles a prompt from an input, in the layout of the agent type, as a string. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: StringForm<false>): AssemblerOutput
  /** Assembles a prompt from an input, in the layout of the agent type, in a form known only at run time. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: PromptForm | null | undefined): AnyAssemblerOutput
  /**
   * Assembles a prompt from an input, in the layout of the agent type, as a string. An unknown type gets
   * plain text and logs a warning.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form?: null): AssemblerOutput
  /**
   * Builds the agent's request to a model API, with a report. The agent's own messages have the role of
   * the assistant.
   */
  assembleForAgent<Api extends ModelApi>(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: RequestForm<Api> & { report: true },
  ): ModelRequests[Api] & { report: AssemblerReport }
  /** Builds the agent's request to a model API. The agent's own messages have the role of the assistant. */
  assembleForAgent<Api extends ModelApi>(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: RequestForm<Api, false>,
  ): ModelRequests[Api]
  /** Builds the prompt for an agent's turn as a new Buffer, with a report. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /** Builds the prompt for an agent's turn as a new Buffer. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: BufferForm<false>,
  ): AssemblerBufferOutput
  /** Builds the prompt for an agent's turn in your buffer, with a report. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /** Builds the prompt for an agent's turn in your buffer. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: IntoForm<false>,
  ): AssemblerIntoOutput
  /** Builds the prompt for an agent's turn as a string, with a report. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /** Builds the prompt for an agent's turn as a string. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: StringForm<false>,
  ): AssemblerOutput
  /** Builds the prompt for an agent's turn in a form known only at run time. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: PromptForm | null | undefined,
  ): AnyAssemblerOutput
  /** Builds the prompt for an agent's turn: `getContextForAgent` and `assemblePrompt` in one step. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options?: AgentContextOptions | null,
    form?: null,
  ): AssemblerOutput
  /**
   * Builds the agent's request to a model API, with a report. The agent's own messages have the role of
   * the assistant.
   */
  assembleForRoute<Api extends ModelApi>(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: RequestForm<Api> & { report: true },
  ): ModelRequests[Api] & { report: AssemblerReport }
  /** Builds the agent's request to a model API. The agent's own messages have the role of the assistant. */
  assembleForRoute<Api extends ModelApi>(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: RequestForm<Api, false>,
  ): ModelRequests[Api]
  /** Builds the prompt of an agent that answers a given message as a new Buffer, with a report. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /** Builds the prompt of an agent that answers a given message as a new Buffer. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: BufferForm<false>,
  ): AssemblerBufferOutput
  /** Builds the prompt of an agent that answers a given message in your buffer, with a report. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /** Builds the prompt of an agent that answers a given message in your buffer. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: IntoForm<false>,
  ): AssemblerIntoOutput
  /** Builds the prompt of an agent that answers a given message as a string, with a report. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /** Builds the prompt of an agent that answers a given message as a string. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: StringForm<false>,
  ): AssemblerOutput
  /** Builds the prompt of an agent that answers a given message in a form known only at run time. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: PromptForm | null | undefined,
  ): AnyAssemblerOutput
  /**
   * Builds the prompt of an agent that answers a given message: `getContextForRoute` and
   * `assemblePrompt` in one step.
   */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options?: RouteContextOptions | null,
    form?: null,
  ): AssemblerOutput
  /** Removes messages and team task, restarts numbering, and calls `onTeamTaskChanged(null)`. */
  clear(): void
  /**
   * Exports the conversation for storage, ready for `JSON.stringify`. The snapshot shares nothing with
   * the manager: plain objects, arrays, Dates, Maps, Sets, typed arrays, ArrayBuffers and DataViews are
   * copied. Only functions, symbols and class instances are shared.
   *
   * With `after`, the snapshot contains only the messages after that one, for a store that appends a few
   * messages per turn. Everything else in it is complete.
   */
  exportSnapshot(options?: ExportSnapshotOptions | null): ContextSnapshot<M>
  /**
   * Replaces the conversation with a snapshot, which may have gone through JSON, and calls
   * `onTeamTaskChanged`. A `timestamp` becomes a Date again; dates in other fields stay as they are. The
   * manager keeps copies, like those of `exportSnapshot`. An invalid snapshot changes nothing, for
   * example one with two messages of the same id, or with a number in an id that is not a safe integer.
   *
   * With `append`, its messages are added to the conversation, and everything else is replaced;
   * `onTeamTaskChanged` is called only if the task differs. A snapshot changes nothing if it does not
   * begin where the conversation ends, repeats an id, or has numbers that do not ascend. Appending takes
   * time linear in what is appended.
   *
   * Rejected snapshots throw an `InvalidSnapshotError`. That includes a snapshot made with `after` and
   * imported without `append`: it would be half a conversation.
   */
  importSnapshot(snapshot: ContextSnapshot<M> | ContextSnapshotJson<M>, options?: ImportSnapshotOptions | null): void
}
