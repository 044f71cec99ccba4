/** `openConversation`: conversations that send, resume and persist. */
import type { AgentType } from '../prompts/agents.js'
import type { CliUsage, DeliveryEvent } from '../delivery/events.js'
import type { DeliveryProfile } from '../delivery/profiles/custom.js'
import type { DeliveryWarning } from '../delivery/warnings.js'
import type { FinishReason } from '../delivery/results.js'
import type { TurnFailedError } from '../errors.js'
import type { RequestForm } from '../prompts/form.js'
import type { ModelApi, ModelRequests } from '../prompts/model-requests.js'
import type { AssemblerReportOutput } from '../prompts/results.js'
import type { InstructionOptions } from '../instructions/options.js'
import type { LayoutDefinition } from '../prompts/layout.js'
import type { ContextManager } from '../manager/context-manager.js'
import type { ILogger } from '../manager/logger.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { RenderOptions } from '../explain/render.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { HandoffSource } from '../handoff/source.js'
import type { ConversationStore } from './stores/contract.js'
import type { TokenEstimate } from '../tokens/tokenizer.js'

/** Somebody who speaks through `say`. */
export interface HumanMember {
  human: true
  /** Only in `RequestMember`. */
  as?: null | undefined
}

interface TurnMember {
  /**
   * The member's instructions.
   * @default undefined
   */
  system?: string | readonly string[] | null | undefined
  /**
   * Whether to add the project's instruction files (`AGENTS.md`, …) to the instructions, except those
   * that the CLI reads itself; or options for finding them. They are read when a session begins.
   * @default false
   */
  instructions?: boolean | InstructionOptions | null | undefined
  /**
   * The working directory.
   * @default that of this process
   */
  cwd?: string | null | undefined
  /**
   * `'resume'`: the member's session continues, and gets only what is new. `'none'`: each turn starts a
   * new session with the whole prompt.
   * @default 'resume'
   */
  session?: 'resume' | 'none' | null | undefined
  /**
   * The maximum tokens of a prompt.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens. An estimate learns from reported usage.
   * @default with `maxTokens`, that of the layout, or an estimate
   */
  tokenizer?: 'o200k' | 'cl100k' | TokenEstimate | null | undefined
  /**
   * The timeout of a turn, in milliseconds.
   * @default undefined (none)
   */
  timeoutMs?: number | null | undefined
  /**
   * The layout of the member's prompts: a known agent type, or one of `layouts`.
   * @default that of the agent, or Codex's
   */
  layout?: AgentType | null | undefined
}

/** An agent CLI. */
export interface AgentMember extends TurnMember {
  /** The agent type: see `DeliveryOptions.agentType`. */
  agent: AgentType
  /**
   * The model, as the CLI names it.
   * @default undefined (the model that the CLI is configured for)
   */
  model?: string | null | undefined
  /**
   * Additional arguments for the CLI.
   * @default []
   */
  args?: readonly string[] | null | undefined
  /**
   * Environment variables for the CLI; `undefined` or null removes one.
   * @default {}
   */
  env?: { readonly [name: string]: string | null | undefined } | null | undefined
  /**
   * What the agent may do without asking, set with the CLI's own options.
   * @default undefined (as the CLI is configured)
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all' | null | undefined
  /**
   * How long the CLI may be silent, in milliseconds.
   * @default that of `deliver`
   */
  idleTimeoutMs?: number | null | undefined
  /**
   * The profile of a custom CLI.
   * @default undefined
   */
  profile?: DeliveryProfile | null | undefined
  /** Only in `RequestMember`. */
  as?: null | undefined
}

interface RunFields {
  /** The name of the member. */
  member: string
  /**
   * The session that the function returned in its last turn. If set, the prompt contains only what is
   * new.
   */
  resume: string | undefined
  /** Aborted when the turn must end. */
  signal: AbortSignal
  /** Call this with pieces of the answer as they arrive. */
  onText: (text: string) => void
}

/** The input of a function member. */
export interface RunInput extends RunFields {
  prompt: string
  /** The system text, if the layout does not put it into the prompt. */
  systemFlag: string | undefined
}

/** The input of a function member that sends requests to a model API. */
export interface RequestRunInput<Api extends ModelApi = ModelApi> extends RunFields {
  /** Spread it into the call of the SDK: see docs/arrays.md. */
  request: ModelRequests[Api]
}

/** The answer of a function member. */
export interface RunAnswer {
  text: string
  /** The session to resume in the next turn. Without it, the next prompt is whole. */
  session?: string | null | undefined
  /** The tokens of this turn, excluding what the session already contained. */
  usage?: CliUsage | null | undefined
  model?: string | null | undefined
}

/**
 * A function that calls an API, a container, another machine or a test. Errors it throws may have a
 * `code` of `CliError`, such as `'session-not-found'`, `'too-long'` or `'rate-limit'`, with
 * `retryAfterMs`.
 */
export interface FunctionMember extends TurnMember {
  run: (input: RunInput) => string | RunAnswer | Promise<string | RunAnswer>
  /** Only in `RequestMember`. */
  as?: null | undefined
}

/** A function that gets requests to a model's API instead of prompts. */
export interface RequestMember<Api extends ModelApi = ModelApi>
  extends TurnMember,
    Pick<RequestForm<Api>, 'as' | 'cache' | 'model'> {
  run: (input: RequestRunInput<Api>) => string | RunAnswer | Promise<string | RunAnswer>
}

/** One type for each API, so that `as` determines the argument of `run`. */
type RequestMembers = { [Api in ModelApi]: RequestMember<Api> }[ModelApi]

/** A member of a conversation. */
export type Member = HumanMember | AgentMember | FunctionMember | RequestMembers

/** The fields of a member that `change` replaces. A different `agent` or `run` replaces the agent itself. */
export type MemberChanges =
  | Partial<AgentMember>
  | Partial<FunctionMember>
  | { [Api in ModelApi]: Partial<RequestMember<Api>> }[ModelApi]
  | HumanMember

/** The input of `summarise`. */
export interface SummariseInput {
  /** Messages that the member's prompt leaves out, oldest first. */
  messages: ConversationMessage[]
  /** The current summary, which the new one replaces. */
  previous: string | undefined
  /** The member the summary is for. */
  member: string
  signal: AbortSignal
}

/** The text of an answer, and who it is for. */
export interface Reply {
  text: string
  /**
   * Who it is for.
   * @default everyone
   */
  to?: string | readonly string[] | null | undefined
  /**
   * Whether only the addressees and the sender may read it.
   * @default whether it answers a private message
   */
  private?: boolean | null | undefined
}

/** Options of `openConversation`. */
export interface ConversationOptions<Name extends string = string> {
  /**
   * The id of the conversation in the store.
   * @default a random one
   */
  id?: string | null | undefined
  /**
   * Where the conversation is stored.
   * @default memoryStore()
   */
  store?: ConversationStore | null | undefined
  /**
   * What the team works on; cut to 5 KiB.
   * @default that of the stored conversation
   */
  task?: string | null | undefined
  /** The members by name. */
  members: { readonly [name in Name]: Member }
  /**
   * Who may read a message that has addressees: everybody (`'team'`), unless it is `private`, or only
   * its addressees and its sender (`'addressed'`).
   * @default 'team'
   */
  visibility?: 'team' | 'addressed' | null | undefined
  /**
   * How many messages before the current one a whole prompt includes.
   * @default 50
   */
  contextWindowSize?: number | null | undefined
  /**
   * The maximum UTF-8 bytes of a prompt.
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
   * Custom layouts, for the members' `layout` and `agent`.
   * @default []
   */
  layouts?: readonly LayoutDefinition[] | null | undefined
  /**
   * How long nobody else can open the conversation after this process dies, in stores with leases; in
   * milliseconds.
   * @default 30000
   */
  leaseMs?: number | null | undefined
  /**
   * Called when a prompt would leave messages out. Its result replaces them for this member. If it
   * fails, the turn continues without a summary and has a warning.
   * @default undefined
   */
  summarise?: ((input: SummariseInput) => string | Promise<string>) | null | undefined
  /**
   * Returns who an answer is for. By default, markers such as `[NEXT: max]` decide.
   * @default undefined
   */
  parseReply?: ((text: string, context: { member: Name }) => Reply | Promise<Reply>) | null | undefined
  /**
   * Called with the events of all turns.
   * @default undefined
   */
  onEvent?: ((event: ConversationEvent) => void) | null | undefined
  /**
   * Where warnings go.
   * @default console.warn
   */
  logger?: ILogger | null | undefined
}

/** Options of `say`. */
export interface SayOptions<Name extends string = string> {
  /**
   * Who is asked. Everybody in the team can read the message.
   * @default everyone
   */
  to?: Name | 'all' | readonly Name[] | null | undefined
  /**
   * Whether only the addressees and the sender may ever read it.
   * @default false
   */
  private?: boolean | null | undefined
  /**
   * The id of the message it answers.
   * @default undefined
   */
  replyTo?: string | null | undefined
  /**
   * Whether the message is kept before any other: see `ContextManager.pin`.
   * @default false
   */
  pinned?: boolean | null | undefined
}

/** Options of `adopt`. */
export interface AdoptOptions<Name extends string = string> {
  /**
   * The member to whom the user's messages are attributed.
   * @default the only human member
   */
  user?: Name | null | undefined
  /**
   * Whether only this member and the user may read it, for good.
   * @default false
   */
  private?: boolean | null | undefined
}

/** Options of a turn. */
export interface SendOptions {
  /**
   * Ends the turn, and the program with everything it has started.
   * @default undefined
   */
  signal?: AbortSignal | null | undefined
  /**
   * The timeout in milliseconds.
   * @default that of the member
   */
  timeoutMs?: number | null | undefined
  /**
   * Called with what the agent says, as it arrives.
   * @default undefined
   */
  onText?: ((text: string) => void) | null | undefined
  /**
   * Called with the events of the delivery.
   * @default undefined
   */
  onEvent?: ((event: DeliveryEvent) => void) | null | undefined
}

/** A warning about a turn. */
export interface TurnWarning {
  /**
   * A code of a delivery warning, or
   * - `unknown-addressee`: the answer names somebody who is not a member;
   * - `summary-failed`: `summarise` or the store failed;
   * - `session-not-found`, `too-long`: the turn was retried, as the message says;
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

/** Span attributes that follow the OpenTelemetry conventions for generative AI. */
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

/** An answered turn. */
export interface Turn<Name extends string = string> {
  member: Name
  /** The answer, without routing markers. */
  text: string
  /** The answer as a message of the conversation. */
  message: ConversationMessage
  /** What the prompt contained and what it left out. */
  report: AssemblerReport
  usage: CliUsage | undefined
  /** The session that the next turn resumes. */
  session: string | undefined
  model: string | undefined
  finishReason: FinishReason
  /** How often the member was asked. */
  attempts: number
  durationMs: number
  warnings: TurnWarning[]
  /** Attributes for an OpenTelemetry span. */
  telemetry: TurnTelemetry
}

/** The outcome of one member's turn. */
export type TurnResult<Name extends string = string> =
  | { member: Name; turn: Turn<Name>; error?: undefined }
  | { member: Name; turn?: undefined; error: Error }

/** An event of a conversation. */
export type ConversationEvent =
  /** A prompt is about to be sent. */
  | { type: 'begun'; member: string; attempt: number; mode: 'whole' | 'delta'; report: AssemblerReport }
  /** The member has received the prompt. */
  | { type: 'delivered'; member: string }
  /** The answer is stored. */
  | { type: 'answered'; member: string; turn: Turn }
  | { type: 'failed'; member: string; error: TurnFailedError }
  /** The turn is retried, as the message says. */
  | { type: 'retried'; member: string; reason: string; message: string }
  /** There is a new summary for this member. */
  | { type: 'summarised'; member: string; messages: number; upTo: string }
  /** A turn was in progress when the previous owner ended. The member's next prompt is whole. */
  | { type: 'in-doubt'; member: string }

/** What `stream` yields: the events of a delivery, then the turn. */
export type StreamEvent<Name extends string = string> = DeliveryEvent | { type: 'turn'; turn: Turn<Name> }

/** The fields that `update` replaces. */
export interface MessageUpdate<Name extends string = string> {
  text?: string | null | undefined
  /** Not allowed for a private message. */
  to?: Name | 'all' | readonly Name[] | null | undefined
  /** A private message stays private. */
  private?: true | null | undefined
}

/**
 * A conversation between several members. When a method resolves, its result is stored; when it rejects,
 * nothing has changed.
 */
export interface Conversation<Name extends string = string> {
  readonly id: string
  /** The underlying manager. Do not modify it: changes would not be stored. */
  readonly manager: ContextManager
  /** All messages, oldest first. */
  messages(): ConversationMessage[]
  /** The names of all members. */
  members(): string[]
  /** Adds a message. */
  say(from: Name, text: string, options?: SayOptions<Name> | null): Promise<ConversationMessage>
  /**
   * Adds the messages of a session that a CLI has stored (see `readTranscript`), with tool calls and
   * results. The agent's messages are attributed to the member and addressed to the user, and the
   * user's the other way round. Either all of it is stored, or nothing. If the member is the same CLI,
   * and the conversation has nothing else that it may read, it resumes that session. Otherwise its next
   * prompt is whole. Resolves with the new messages. A member can adopt the same session only once: a
   * second call rejects with a `TypeError` whose code is `ERR_INVALID_ARG_TYPE`.
   */
  adopt(member: Name, transcript: HandoffSource, options?: AdoptOptions<Name> | null): Promise<ConversationMessage[]>
  /**
   * Takes a member's next turn: sends what the member has not been shown, and adds its answer. Rejects
   * with a `TurnFailedError` if there is no answer, with a `BusyError` if the member already has a turn
   * in progress, and with a `NothingToSendError` if the member has been shown everything.
   */
  send(member: Name, options?: SendOptions | null): Promise<Turn<Name>>
  /**
   * Takes turns of several members in parallel. Each prompt shows the conversation as it was at the
   * call. Turns that succeed are kept.
   */
  sendAll(members: readonly Name[], options?: SendOptions | null): Promise<TurnResult<Name>[]>
  /** Like `send`, as a sequence of events. Leaving the loop ends the turn. */
  stream(member: Name, options?: SendOptions | null): AsyncGenerator<StreamEvent<Name>, void, void>
  /** Returns what `send` would send, without creating a new summary. A request to a model API is its JSON. */
  preview(member: Name): Promise<AssemblerReportOutput>
  /** Returns an HTML page of the last 1000 turns since the conversation was opened: see `renderReport`. */
  page(options?: RenderOptions | null): string
  pin(id: string): Promise<void>
  unpin(id: string): Promise<void>
  /** Replaces fields of a message. Members that have been shown it are shown the new version. */
  update(id: string, changes: MessageUpdate<Name>): Promise<ConversationMessage>
  /** Removes a message. CLI sessions that have been shown it still have it. */
  remove(id: string): Promise<ConversationMessage>
  /** Sets what the team works on. */
  setTask(task: string | null): Promise<void>
  /**
   * Adds a member. If somebody with the same name was removed before, this is a different member, who
   * does not see the former one's private messages. TypeScript does not know the new name: pass it `as
   * Name`.
   */
  addMember(name: string, member: Member): Promise<void>
  /** Changes a member. If the agent or function is a different one, its next prompt is whole. */
  change(name: Name, changes: MemberChanges): Promise<void>
  /** Removes a member. Its messages stay. */
  removeMember(name: Name): Promise<void>
  /** Ends turns in progress, and lets others open the conversation. */
  close(): Promise<void>
}

/** Opens a new conversation, or one from a store. Rejects with a `ConflictError` if it is open elsewhere. */
export declare function openConversation<const Name extends string>(
  options: ConversationOptions<Name>,
): Promise<Conversation<Name>>

// Without this line, declarations without `export` would be exported too.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
