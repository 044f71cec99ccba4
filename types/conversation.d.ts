/** `openConversation`: a conversation that sends, remembers and survives. */
import type { AgentType } from './agents.js'
import type { CliUsage, DeliveryEvent } from './delivery-events.js'
import type { DeliveryProfile, DeliveryWarning } from './delivery.js'
import type { FinishReason } from './delivery-results.js'
import type { TurnFailedError } from './errors.js'
import type { AssemblerReportOutput } from './forms.js'
import type { InstructionOptions } from './instructions.js'
import type { LayoutDefinition } from './layouts.js'
import type { ContextManager, ILogger } from './manager.js'
import type { ConversationMessage } from './messages.js'
import type { RenderOptions } from './explain.js'
import type { AssemblerReport } from './reports.js'
import type { ConversationStore } from './stores.js'
import type { TokenEstimate } from './tokens.js'

/** Somebody who speaks through `say`. */
export interface HumanMember {
  human: true
}

interface TurnMember {
  /**
   * The member's instructions.
   * @default undefined
   */
  system?: string | readonly string[] | null | undefined
  /**
   * Whether instruction files of the project (`AGENTS.md`, …) are added to the instructions, without
   * those that the CLI reads by itself; or options for how they are found. They are read when a session
   * begins.
   * @default false
   */
  instructions?: boolean | InstructionOptions | null | undefined
  /**
   * The working directory.
   * @default that of this process
   */
  cwd?: string | null | undefined
  /**
   * `'resume'`: the member's own session goes on, and gets only what is new. `'none'`: each turn is a new
   * session with the whole prompt.
   * @default 'resume'
   */
  session?: 'resume' | 'none' | null | undefined
  /**
   * The most tokens of a prompt.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens. An estimate learns from the usage that is reported.
   * @default with `maxTokens`, that of the layout, or an estimate
   */
  tokenizer?: 'o200k' | 'cl100k' | TokenEstimate | null | undefined
  /**
   * The timeout of a turn, in milliseconds.
   * @default undefined (none)
   */
  timeoutMs?: number | null | undefined
  /**
   * The layout of its prompts: an agent type, also one of `layouts`.
   * @default that of the agent, or Codex's
   */
  layout?: AgentType | null | undefined
}

/** An agent CLI. */
export interface AgentMember extends TurnMember {
  /** Which one: see `DeliveryOptions.agentType`. */
  agent: AgentType
  /**
   * The model, by the CLI's own name for it.
   * @default undefined (the model that the CLI is configured for)
   */
  model?: string | null | undefined
  /**
   * More arguments for the CLI.
   * @default []
   */
  args?: readonly string[] | null | undefined
  /**
   * Variables for the CLI; `undefined` or null removes one.
   * @default {}
   */
  env?: { readonly [name: string]: string | null | undefined } | null | undefined
  /**
   * What the agent may do without asking, by the CLI's own switches.
   * @default undefined (as the CLI is configured)
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all' | null | undefined
  /**
   * The timeout of silence, in milliseconds.
   * @default that of `deliver`
   */
  idleTimeoutMs?: number | null | undefined
  /**
   * A custom CLI.
   * @default undefined
   */
  profile?: DeliveryProfile | null | undefined
}

/** What a function is asked. */
export interface RunInput {
  prompt: string
  /** The system text, if the layout does not put it into the prompt. */
  systemFlag: string | undefined
  /** The name of the member. */
  member: string
  /** The session that it returned in its last turn: the prompt has only what is new to it. */
  resume: string | undefined
  /** Aborted when the turn is to end. */
  signal: AbortSignal
  /** To be called with the answer as it comes, if it comes in pieces. */
  onText: (text: string) => void
}

/** What a function answers. */
export interface RunAnswer {
  text: string
  /** Something to go on with: without it, the next prompt is whole. */
  session?: string | null | undefined
  /** The tokens of this turn, without what the session had before. */
  usage?: CliUsage | null | undefined
  model?: string | null | undefined
}

/**
 * A function: an API, a container, another machine, a test. An error that it throws may have a `code` of
 * `CliError`, such as `'session-not-found'`, `'too-long'` or `'rate-limit'`, with `retryAfterMs`.
 */
export interface FunctionMember extends TurnMember {
  run: (input: RunInput) => string | RunAnswer | Promise<string | RunAnswer>
}

/** A member of a conversation. */
export type Member = HumanMember | AgentMember | FunctionMember

/** What `change` changes: any fields of a member. Another `agent` or `run` takes the member's place. */
export type MemberChanges = Partial<AgentMember> | Partial<FunctionMember> | HumanMember

/** What is to be summarised. */
export interface SummariseInput {
  /** Messages that the member's prompt leaves out, oldest first. */
  messages: ConversationMessage[]
  /** The summary so far, which the new one replaces. */
  previous: string | undefined
  /** For whom. */
  member: string
  signal: AbortSignal
}

/** What an answer says, and whom it is for. */
export interface Reply {
  text: string
  /**
   * Whom it is for.
   * @default everyone
   */
  to?: string | readonly string[] | null | undefined
  /**
   * Whether only they may read it.
   * @default whether it answers a private message
   */
  private?: boolean | null | undefined
}

/** How a conversation is opened. */
export interface ConversationOptions<Name extends string = string> {
  /**
   * By which a store knows it.
   * @default a random one
   */
  id?: string | null | undefined
  /**
   * Where it is kept.
   * @default memoryStore()
   */
  store?: ConversationStore | null | undefined
  /**
   * What the team works on, cut to 5 KiB.
   * @default that of the stored conversation
   */
  task?: string | null | undefined
  /** The members by their names. */
  members: { readonly [name in Name]: Member }
  /**
   * Who may read a message that is addressed: everybody (`'team'`), unless it is `private`, or only its
   * addressees and its sender.
   * @default 'team'
   */
  visibility?: 'team' | 'addressed' | null | undefined
  /**
   * How many messages before the current one a whole prompt has.
   * @default 50
   */
  contextWindowSize?: number | null | undefined
  /**
   * The most UTF-8 bytes of a prompt.
   * @default 786432 (768 KiB)
   */
  maxBytes?: number | null | undefined
  /**
   * See `ContextManagerOptions.evictionStep`.
   * @default 16
   */
  evictionStep?: number | null | undefined
  /**
   * See `AssemblerOptions.markers`.
   * @default 'fence'
   */
  markers?: 'verbatim' | 'escape' | 'fence' | null | undefined
  /**
   * Custom layouts, for `layout` and `agent` of members.
   * @default []
   */
  layouts?: readonly LayoutDefinition[] | null | undefined
  /**
   * For how long nobody else can open the conversation if this process dies, in stores with leases.
   * @default 30000
   */
  leaseMs?: number | null | undefined
  /**
   * Called when a prompt would leave messages out. Its result stands in their place, for this member. If
   * it fails, the turn goes on without, with a warning.
   * @default undefined
   */
  summarise?: ((input: SummariseInput) => string | Promise<string>) | null | undefined
  /**
   * Says whom an answer is for. By default, markers such as `[NEXT: max]` do.
   * @default undefined
   */
  parseReply?: ((text: string, context: { member: Name }) => Reply | Promise<Reply>) | null | undefined
  /**
   * Called with what happens in turns.
   * @default undefined
   */
  onEvent?: ((event: ConversationEvent) => void) | null | undefined
  /**
   * Where warnings go.
   * @default console.warn
   */
  logger?: ILogger | null | undefined
}

/** How something is said. */
export interface SayOptions<Name extends string = string> {
  /**
   * Who is asked. Everybody in the team reads it.
   * @default everyone
   */
  to?: Name | 'all' | readonly Name[] | null | undefined
  /**
   * Whether only its addressees and its sender may read it, for good.
   * @default false
   */
  private?: boolean | null | undefined
  /**
   * The id of the message that it answers.
   * @default undefined
   */
  replyTo?: string | null | undefined
  /**
   * Whether it is kept before any other: see `ContextManager.pin`.
   * @default false
   */
  pinned?: boolean | null | undefined
}

/** How a turn is made. */
export interface SendOptions {
  /**
   * Ends the turn, the program and all that it has started.
   * @default undefined
   */
  signal?: AbortSignal | null | undefined
  /**
   * The timeout in milliseconds.
   * @default that of the member
   */
  timeoutMs?: number | null | undefined
  /**
   * Called with what the agent says, as it comes.
   * @default undefined
   */
  onText?: ((text: string) => void) | null | undefined
  /**
   * Called with the events of the delivery.
   * @default undefined
   */
  onEvent?: ((event: DeliveryEvent) => void) | null | undefined
}

/** Something to know about a turn. */
export interface TurnWarning {
  /**
   * That of a delivery, or
   * - `unknown-addressee`: an answer names somebody who is no member;
   * - `summary-failed`: `summarise` or the store failed;
   * - `session-not-found`, `too-long`: it was tried again, as the message says;
   * - `length`: the answer may be incomplete.
   */
  code:
    | DeliveryWarning['code']
    | 'unknown-addressee'
    | 'summary-failed'
    | 'session-not-found'
    | 'too-long'
    | 'length'
    | (string & {})
  message: string
}

/** Attributes of a span by the conventions of OpenTelemetry for generative AI. */
export interface TurnTelemetry {
  'gen_ai.operation.name': 'invoke_agent'
  'gen_ai.agent.name': string
  'gen_ai.agent.id': string
  'gen_ai.conversation.id': string
  'gen_ai.request.model'?: string
  'gen_ai.response.model'?: string
  'gen_ai.response.finish_reasons'?: string[]
  'gen_ai.usage.input_tokens'?: number
  'gen_ai.usage.output_tokens'?: number
  'gen_ai.usage.cache_read.input_tokens'?: number
  'gen_ai.usage.cache_creation.input_tokens'?: number
  'error.type'?: string
}

/** A turn that was answered. */
export interface Turn<Name extends string = string> {
  member: Name
  /** The answer, without routing markers. */
  text: string
  /** The answer as a message of the conversation. */
  message: ConversationMessage
  /** What the prompt had, and what it left out. */
  report: AssemblerReport
  usage: CliUsage | undefined
  /** The session that the next turn goes on with. */
  session: string | undefined
  model: string | undefined
  finishReason: FinishReason
  /** How often the member was asked. */
  attempts: number
  durationMs: number
  warnings: TurnWarning[]
  /** Attributes for a span of OpenTelemetry. */
  telemetry: TurnTelemetry
}

/** What came of one member's turn. */
export type TurnResult<Name extends string = string> =
  | { member: Name; turn: Turn<Name>; error?: undefined }
  | { member: Name; turn?: undefined; error: Error }

/** What happens in a conversation. */
export type ConversationEvent =
  /** A prompt is about to be sent. */
  | { type: 'begun'; member: string; attempt: number; mode: 'whole' | 'delta'; report: AssemblerReport }
  /** The member has it. */
  | { type: 'delivered'; member: string }
  /** The answer is stored. */
  | { type: 'answered'; member: string; turn: Turn }
  | { type: 'failed'; member: string; error: TurnFailedError }
  /** It is tried again, as the message says. */
  | { type: 'retried'; member: string; reason: string; message: string }
  /** There is a new summary for this member. */
  | { type: 'summarised'; member: string; messages: number; upTo: string }
  /** A turn was under way when the last owner ended. The member's next prompt is whole. */
  | { type: 'in-doubt'; member: string }

/** What `stream` yields: the events of a delivery, and at last the turn. */
export type StreamEvent<Name extends string = string> = DeliveryEvent | { type: 'turn'; turn: Turn<Name> }

/** What `update` replaces. */
export interface MessageUpdate<Name extends string = string> {
  text?: string | null | undefined
  /** Not of a private message. */
  to?: Name | 'all' | readonly Name[] | null | undefined
  /** A private message stays private. */
  private?: true | null | undefined
}

/**
 * A conversation of several members that sends, remembers and survives. What a method resolves with is
 * stored; what a method rejects has changed nothing.
 */
export interface Conversation<Name extends string = string> {
  readonly id: string
  /** What the conversation is made of. Only read it: what you change in it is not stored. */
  readonly manager: ContextManager
  /** All messages, oldest first. */
  messages(): ConversationMessage[]
  /** The names of all members. */
  members(): string[]
  /** Adds a message. */
  say(from: Name, text: string, options?: SayOptions<Name> | null): Promise<ConversationMessage>
  /**
   * The next turn of a member: sends what it has not been shown, and adds its answer. A turn that gets no
   * answer is a `TurnFailedError`, and a second turn of a member a `BusyError`. A member that has been
   * shown everything is a `NothingToSendError`.
   */
  send(member: Name, options?: SendOptions | null): Promise<Turn<Name>>
  /** Turns of several members side by side, each from the state at the call. What succeeds stays. */
  sendAll(members: readonly Name[], options?: SendOptions | null): Promise<TurnResult<Name>[]>
  /** The same as `send`, as a sequence of events. To leave the loop ends the turn. */
  stream(member: Name, options?: SendOptions | null): AsyncGenerator<StreamEvent<Name>, void, void>
  /** What `send` would send, without a new summary. */
  preview(member: Name): Promise<AssemblerReportOutput>
  /** An HTML page of the last 1000 turns since it was opened: see `renderReport`. */
  page(options?: RenderOptions | null): string
  pin(id: string): Promise<void>
  unpin(id: string): Promise<void>
  /** Replaces fields of a message. Members that have been shown it are shown it again. */
  update(id: string, changes: MessageUpdate<Name>): Promise<ConversationMessage>
  /** Removes a message. Sessions of CLIs that have been shown it still have it. */
  remove(id: string): Promise<ConversationMessage>
  /** Sets what the team works on. */
  setTask(task: string | null): Promise<void>
  /**
   * Adds a member. One who was removed under the same name is somebody else: private messages to and by
   * that one are not shown. TypeScript does not know its name: pass it `as Name`.
   */
  addMember(name: string, member: Member): Promise<void>
  /** Changes a member. If it is another agent or function, its next prompt is whole. */
  change(name: Name, changes: MemberChanges): Promise<void>
  /** Removes a member. Its messages stay. */
  removeMember(name: Name): Promise<void>
  /** Ends turns that are under way, and lets others open the conversation. */
  close(): Promise<void>
}

/**
 * Opens a conversation, a new one or one that a store has. If it is open elsewhere, it is a
 * `ConflictError`.
 */
export declare function openConversation<const Name extends string>(
  options: ConversationOptions<Name>,
): Promise<Conversation<Name>>

// Without this line, what is not marked `export` above would be exported as well.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
