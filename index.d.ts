/**
 * The types of promptmason. Optional properties of inputs can also be `undefined` or `null`, which
 * count as not given. Arrays that are passed in are only read.
 */

/** Which agent a prompt is for. Any other string is an agent that promptmason has no layout for. */
export type AgentType =
  | 'claude-code'
  | 'openai-codex'
  | 'google-gemini'
  | 'opencode'
  | 'qwen-code'
  | 'github-copilot'
  | (string & {})

/** A part of the prompt. In the layouts of this package, parts stand in this order. */
export type PromptPart = 'system' | 'teamTask' | 'summary' | 'context' | 'parent' | 'siblings' | 'message' | 'routing'

/** A message of the conversation. */
export interface PromptContextMessage {
  /** Who wrote it. */
  from: string
  /**
   * Whom it is for: a name, a list of names (`max, sarah`), or an array of names. An element of
   * an array is one name, whatever is in it; in the prompt they are joined with `, `.
   * @default 'all'
   */
  to?: string | readonly string[] | null | undefined
  /** What it says. It goes into the prompt as it is. */
  content: string
  /** Not used for the prompt. */
  timestamp?: Date | null | undefined
}

/** A message of the conversation as a `ContextManager` shows it. */
export interface ShownContextMessage extends PromptContextMessage {
  /** Whom it is for: the addressees, joined with `, `, or `all`. */
  to?: string | null | undefined
}

/**
 * The materials of a prompt. The field is called `systemInstruction` here and
 * `systemInstructionText` in `buildPrompt`; the wrong one of the two is an error.
 */
export interface AssemblerInput {
  /**
   * The conversation so far, oldest first. It is read from the newest message on, and only
   * as far as the budget reaches: messages beyond that are neither read nor validated.
   */
  contextMessages: readonly PromptContextMessage[]
  /** The message to act on. */
  currentMessage: string
  /** What the team works on. */
  teamTask: string | null | undefined
  /**
   * What was said before `contextMessages`, such as a model's summary of older messages. It stands
   * before them. When there is no room, it is shortened after context and siblings are gone, to no
   * less than 1 KiB, and then dropped.
   * @default undefined
   */
  summary?: string | null | undefined
  /**
   * The member's instructions. The elements of an array become a line each.
   * @default undefined
   */
  systemInstruction?: string | readonly string[] | null | undefined
  /**
   * The text of the member's instruction file; it follows `systemInstruction`.
   * @default undefined
   */
  instructionFileText?: string | null | undefined
  /** The most UTF-8 bytes that `prompt` and `systemFlag` may have together. */
  maxBytes: number
  /**
   * The most tokens that `prompt` and `systemFlag` may have together, counted by the `tokenizer` of the assembler's
   * options.
   * Both budgets hold. A limit without a tokenizer is an error, except for Codex, which has `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * The message that is being answered, if it is not in `contextMessages`.
   * @default undefined
   */
  parentContext?: PromptContextMessage | null | undefined
  /**
   * Other replies to the same message, newest first.
   * @default undefined
   */
  siblingContext?: readonly PromptContextMessage[] | null | undefined
  /**
   * Indices into `contextMessages` of messages that are kept before any other, in their places.
   * Where messages are missing between two kept ones, a line says so. Pins that do not fit are a
   * `BudgetExceededError` with a section `pinned`.
   * @default undefined
   */
  pinned?: readonly number[] | null | undefined
  /**
   * Indices of `contextMessages` before which messages are missing that are not in the list. If
   * something is pinned, a line says so there. `getContextForAgent` knows them.
   * @default undefined
   */
  gapsBefore?: readonly number[] | null | undefined
  /**
   * Identifiers of the route.
   * @default undefined
   */
  routeMeta?: { parentMessageId?: string | null | undefined; intent?: string | null | undefined } | null | undefined
}

/** What to hand to the agent's CLI. */
export interface AssemblerOutput {
  /** For the CLI's stdin. Always well-formed Unicode. */
  prompt: string
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/**
 * An assembled prompt, and what happened on the way. To account for all messages it has to
 * read them, so a wrong one among the dropped is an error with a report and not without.
 */
export interface AssemblerReportOutput extends AssemblerOutput {
  report: AssemblerReport
}

/** An assembled prompt as bytes. */
export interface AssemblerBufferOutput {
  /** The prompt in UTF-8, for `child.stdin.write`. */
  prompt: Buffer
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/** An assembled prompt as bytes, and what happened on the way. */
export interface AssemblerBufferReportOutput extends AssemblerBufferOutput {
  report: AssemblerReport
}

/** What was written into the caller's buffer. */
export interface AssemblerIntoOutput {
  /** How many bytes of the buffer are the prompt. */
  bytes: number
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/** What was written into the caller's buffer, and what happened on the way. */
export interface AssemblerIntoReportOutput extends AssemblerIntoOutput {
  report: AssemblerReport
}

/** What all forms have in common. */
interface FormFields<Report extends boolean> {
  /**
   * Whether the result also has a `report` of what was kept, cut and dropped.
   * @default false
   */
  report?: Report | null | undefined
}

/** The prompt as a string. */
export interface StringForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * As what the prompt is returned.
   * @default 'string'
   */
  as?: 'string' | null | undefined
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** The prompt as a new Buffer of UTF-8 bytes, ready for `child.stdin.write`. */
export interface BufferForm<Report extends boolean = boolean> extends FormFields<Report> {
  /** As what the prompt is returned. */
  as: 'buffer'
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** The prompt's UTF-8 bytes, written into a caller-supplied buffer. */
export interface IntoForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * Where the prompt is written. If it does not fit, nothing is written and the
   * `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  into: Uint8Array
  /**
   * Index of the first byte that is written.
   * @default 0
   */
  offset?: number | null | undefined
  /** Not together with `into`. */
  as?: null | undefined
}

/** In which form a prompt is wanted: the last argument of every function that makes one. */
export type PromptForm = StringForm | BufferForm | IntoForm

/** The result of any form. Its `report` is there if the form asked for one. */
export type AnyAssemblerOutput = (AssemblerOutput | AssemblerBufferOutput | AssemblerIntoOutput) & {
  report?: AssemblerReport
}

/** What every assembler can do. */
export interface IContextAssembler {
  /** The agent that the prompts are for. */
  getAgentType(): AgentType
  /** The prompt as a string. */
  assemble(input: AssemblerInput): AssemblerOutput
}

/**
 * The layout of an agent: plain data, which can come from a JSON file. Only what an object has
 * itself is read, and a key that is not listed here is an error. Every text is a single line.
 */
export interface LayoutDefinition {
  /** What `getAgentType` returns, and what a `ContextManager` knows the layout by. Not empty. */
  agentType: string
  /**
   * Other names of the agent, for a `ContextManager`. Letter case and surrounding space do not
   * matter.
   * @default []
   */
  aliases?: readonly string[] | null | undefined
  /**
   * Where the system text goes: `'flag'` if the CLI has an option for it, so that it goes there
   * as `systemFlag`, else `'inline'`. With `'flag'`, `AssemblerOptions.systemPlacement` can put it
   * into the prompt all the same; the section `system` says where, so it has to be listed.
   * @default 'inline'
   */
  systemPlacement?: 'flag' | 'inline' | null | undefined
  /**
   * The sections in the order of the prompt, each part at most once. A part that is not listed is
   * left out. With `context`, there has to be a `message`.
   */
  sections: readonly LayoutSection[]
  /** How a message of the conversation becomes a line: `open` sender `arrow` addressee `colon` content. */
  messageLine: MessageLineDefinition
  /**
   * The same for the parent message and for sibling replies, which show no addressee.
   * @default messageLine, without its arrow
   */
  quoteLine?: QuoteLineDefinition | null | undefined
  /**
   * What stands before the values of the part `routing`, a line each.
   * @default { parentMessageId: 'parentMessageId: ', intent: 'intent: ' }
   */
  labels?:
    | { readonly parentMessageId?: string | null | undefined; readonly intent?: string | null | undefined }
    | null
    | undefined
}

/** A section of a layout. It is left out together with its title when there is no text for it. */
export interface LayoutSection {
  /** What it holds. */
  readonly part: PromptPart
  /**
   * Stands on a line of its own above the text.
   * @default '' (no title)
   */
  readonly title?: string | null | undefined
  /**
   * A line below the title that explains it.
   * @default '' (no note)
   */
  readonly note?: string | null | undefined
}

/** The texts around the fields of a message. */
export interface MessageLineDefinition {
  /**
   * Before the sender.
   * @default ''
   */
  readonly open?: string | null | undefined
  /**
   * Between sender and addressee.
   * @default undefined (the addressee is not shown)
   */
  readonly arrow?: string | null | undefined
  /**
   * Before the content.
   * @default ': '
   */
  readonly colon?: string | null | undefined
}

/** The texts around the fields of a quoted message. */
export interface QuoteLineDefinition {
  /**
   * Before the sender.
   * @default that of messageLine
   */
  readonly open?: string | null | undefined
  /**
   * Before the content.
   * @default that of messageLine
   */
  readonly colon?: string | null | undefined
}

/** How an assembler lays out and trims. */
export interface AssemblerOptions {
  /**
   * Where the system text goes: beside the prompt as `systemFlag`, into the prompt, or both
   * (both copies count against the budget). Only Claude and layouts of your own with
   * `systemPlacement: 'flag'` have a flag; the others accept `'inline'` alone.
   * @default that of the layout: 'flag' for Claude, 'inline' for the others
   */
  systemPlacement?: 'flag' | 'inline' | 'both' | null | undefined
  /**
   * Titles, by part, that replace those of the layout. One line each; an empty string
   * removes the title.
   * @default {}
   */
  headings?: { readonly [Part in PromptPart]?: string | null | undefined } | null | undefined
  /**
   * The number of dropped context messages is rounded up to a multiple of this. With 16, a
   * growing conversation keeps the same beginning for 16 turns, which providers' prompt
   * caches reward; with 1, it changes on every turn. Pass the whole history each time.
   * @default 1
   */
  evictionStep?: number | null | undefined
  /**
   * What happens to lines inside messages that read as a title or as another message:
   * `'verbatim'` keeps them, `'escape'` puts a backslash before them. The report lists
   * them either way.
   *
   * Lines count as the same if a model would read them as the same, whatever their letter
   * case, white space, invisible characters, terminal escape sequences, accents, full-width,
   * circled and mathematical letters, and look-alike brackets, dashes, arrows and colons.
   * Letters of other scripts that look alike do not count as the same. In layouts without an arrow, what
   * stands before a colon counts as a name if it has no more than 64 characters, or if no
   * sentence ends in it.
   *
   * The backslash goes before the first character of the line that is neither white space nor
   * invisible, or before its first escape sequence. A line that has backslashes there already
   * gets one more, so taking one away restores the text.
   *
   * Names of senders and addressees, intents and parent ids stand on one line, whatever is
   * chosen here: a line break in them becomes a space, and the report lists it.
   * @default 'verbatim'
   */
  markers?: 'verbatim' | 'escape' | null | undefined
  /**
   * The assemblers do not shorten the current message below this many bytes, or below its own
   * size if that is less. `buildPrompt` never shortens it.
   * @default 256
   */
  messageMinBytes?: number | null | undefined
  /**
   * What counts tokens, for `maxTokens` and for reports.
   * @default 'o200k' for Codex, else undefined
   */
  tokenizer?: Tokenizer | null | undefined
}

/**
 * What `buildPrompt` makes a prompt of. The field is called `systemInstructionText` here and
 * `systemInstruction` in assemblers and managers; the wrong one of the two is an error.
 */
export interface PromptInput {
  /**
   * Whose layout to use: `claude-code`, `openai-codex`, `google-gemini`, `opencode`, `qwen-code`,
   * `github-copilot`, or short `claude`, `codex`, `gemini`, `qwen`, `copilot`, in any letter case.
   * Any other agent gets plain text.
   */
  agentType: AgentType
  /**
   * Only in `LayoutPromptInput`.
   * @default undefined
   */
  layout?: null | undefined
  /**
   * The configured instruction. It is never cut. The elements of an array become a line each.
   * @default undefined
   */
  systemInstructionText?: string | readonly string[] | null | undefined
  /**
   * The text of the instruction file; it follows `systemInstructionText`, and is shortened
   * when it has to be.
   * @default undefined
   */
  instructionFileText?: string | null | undefined
  /** The conversation so far, oldest first. */
  contextMessages: readonly PromptContextMessage[]
  /** The message to act on. It is never cut. */
  message: string
  /**
   * What the team works on.
   * @default undefined
   */
  teamTask?: string | null | undefined
  /**
   * What was said before `contextMessages`, such as a model's summary of older messages. It stands
   * before them. When there is no room, it is shortened after the context is gone, to no less than
   * 1 KiB, and then dropped. `recipient` does not change it: give what that member may see.
   * @default undefined
   */
  summary?: string | null | undefined
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
   * What counts tokens. It comes before `options.tokenizer`.
   * @default 'o200k' for Codex, else undefined
   */
  tokenizer?: Tokenizer | null | undefined
  /**
   * How many messages of the conversation go along, the newest ones (of those that
   * `recipient` may see). 0 for none.
   * @default 5
   */
  maxContextMessages?: number | null | undefined
  /**
   * Keeps only what this member may see: messages sent to all, to the member (also in a
   * list, `max, sarah`; `，` and `、` separate too), or by the member. Letter case and surrounding
   * space do not matter. A name that has a comma in it is matched whole first: if it is the
   * recipient's or that of a sender among the messages that are looked at, it is no list.
   * @default undefined (everything)
   */
  recipient?: string | null | undefined
  /**
   * The member's role in a few words, at most 512 bytes: the first line of the system text.
   * @default undefined
   */
  roleSummary?: string | null | undefined
  /**
   * The most bytes that the system text should have. The instruction file is shortened for it.
   * @default half of maxBytes, and half of maxTokens
   */
  systemMaxBytes?: number | null | undefined
  /**
   * Indices into `contextMessages` of messages that are kept before any other, in their places, also
   * outside of `maxContextMessages`; not if `recipient` may not see them.
   * @default undefined
   */
  pinned?: readonly number[] | null | undefined
  /**
   * How to lay out and trim.
   * @default {}
   */
  options?: AssemblerOptions | null | undefined
}

/**
 * The same with a layout of your own instead of an agent type. It is read and checked in each call;
 * for many prompts, a `LayoutAssembler` or a `ContextManager` reads it once.
 */
export interface LayoutPromptInput extends Omit<PromptInput, 'agentType' | 'layout'> {
  /** How to lay the prompt out. */
  layout: LayoutDefinition
  /**
   * Not needed. If it is given, it has to be a name of the layout.
   * @default undefined
   */
  agentType?: AgentType | null | undefined
}

/** What to hand to the agent's CLI. */
export type PromptOutput = AssemblerOutput

/** Who wrote a message. If a speaker has both an `id` and a `roleId`, the `id` counts. */
export type MessageSpeaker = MemberSpeaker | RoleSpeaker

interface SpeakerFields {
  id?: string | null | undefined
  /**
   * The name that prompts show.
   * @default the id
   */
  name?: string | null | undefined
  /** Another name by which the member is addressed. */
  displayName?: string | null | undefined
  roleId?: string | null | undefined
  /**
   * The name that prompts show, for a speaker with a `roleId`.
   * @default the roleId
   */
  roleName?: string | null | undefined
  /** Another name by which the member is addressed. */
  roleTitle?: string | null | undefined
  type?: 'ai' | 'human' | 'system' | (string & {}) | null | undefined
}

/** A speaker with an `id`, and with `name` and `displayName` if there are any. */
export interface MemberSpeaker extends SpeakerFields {
  /** Identifies the member; not empty. */
  id: string
}

/** A speaker with a `roleId`, and with `roleName` and `roleTitle` if there are any. */
export interface RoleSpeaker extends SpeakerFields {
  /** Identifies the member; not empty. */
  roleId: string
}

/**
 * Somebody a message is for: a name, or an object that has one. Of an object, prompts show the
 * first of these fields that is given; an object without any is an error, and never means everyone.
 */
export type MessageAddressee =
  | string
  | {
      readonly identifier?: string | null | undefined
      readonly name?: string | null | undefined
      readonly id?: string | null | undefined
      readonly memberId?: string | null | undefined
    }

/** Whom a message is for, and what it answers. Other fields are kept. */
export interface MessageRouting {
  /**
   * Whom it is for.
   * @default everyone
   */
  resolvedAddressees?: readonly MessageAddressee[] | null | undefined
  /**
   * The same under another name, used when `resolvedAddressees` has nobody.
   * @default everyone
   */
  addressees?: readonly MessageAddressee[] | null | undefined
  /** The message that it answers. */
  parentMessageId?: string | null | undefined
  /** What the answer is for; shown with sibling replies. */
  intent?: string | null | undefined
}

/** A message before it has its id. Other fields are kept. */
export interface NewConversationMessage {
  timestamp?: Date | null | undefined
  speaker: MessageSpeaker
  content: string
  routing?: MessageRouting | null | undefined
  /**
   * Whether it is kept before any other, in its place: see `ContextManager.pin`.
   * @default false
   */
  pinned?: boolean | null | undefined
}

/**
 * A message of a conversation. A type of your own that extends it, or has the same fields, can be
 * the type argument of `ContextManager`: with more fields, a required `timestamp`, a branded `id`.
 */
export interface ConversationMessage extends NewConversationMessage {
  /** `msg-1`, `msg-2`, …, in the order of adding. */
  id: string
}

/**
 * A message of type `M` before it has its id: `Omit<M, 'id'>`, and for a union of message types, a
 * union of these.
 */
export type NewMessage<M extends ConversationMessage = ConversationMessage> = M extends unknown ? Omit<M, 'id'> : never

/** What `updateMessage` replaces: any fields of a message but its id. */
export type MessageChanges<M extends ConversationMessage = ConversationMessage> = M extends unknown ? Partial<Omit<M, 'id'>> : never

/** Where warnings go. */
export interface ILogger {
  debug(message: string, ...details: unknown[]): void
  info(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  error(message: string, ...details: unknown[]): void
}

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
   * Called with the report of each assembly of this manager, after it, for logs. Without it, no
   * report is made unless you ask for one. What it throws reaches the caller in the place of the
   * prompt, which `confirm` does not take then.
   * @default undefined
   */
  onAssembled?: ((event: AssembledEvent) => void) | null | undefined
  /**
   * Where warnings go.
   * @default console.warn
   */
  logger?: ILogger | null | undefined
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
   * What becomes of a route whose parent message is not in the conversation: `'latest'` answers the
   * latest message instead, with a warning; `'throw'` is an `UnknownMessageError`.
   * @default 'latest'
   */
  onMissingParent?: 'latest' | 'throw' | null | undefined
  /**
   * Layouts of your own, for agents that are then known by `agentType` and `aliases`. A name that
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
 * `systemInstructionText` in `buildPrompt`; the wrong one of the two is an error.
 */
export interface AgentContextOptions {
  /**
   * Instead of `contextWindowSize`.
   * @default contextWindowSize
   */
  windowSizeOverride?: number | null | undefined
  /**
   * The member's instructions.
   * @default undefined
   */
  systemInstruction?: string | readonly string[] | null | undefined
  /**
   * The text of the member's instruction file.
   * @default undefined
   */
  instructionFileText?: string | null | undefined
  /**
   * Keeps only what this member may see: messages sent to all, to the member, or by the member.
   * This holds for everything that is shown: the message to act on is the latest one that the
   * member may see, and a route to a message that it may not see is a route to a message that is
   * not there.
   *
   * A member is known by `id`, `name` and `displayName` of the messages that it has sent
   * (`roleId`, `roleName` and `roleTitle` for a speaker with a role), without regard to letter case
   * and surrounding space; any of them selects the same messages. An id goes before a name. A name
   * that several members share means none of them: address those by id.
   * @default undefined (everything)
   */
  recipient?: string | null | undefined
  /**
   * `'delta'`: the prompt has only what this agent has not been shown in the session that its CLI
   * keeps: messages that no confirmed prompt showed whole, without the agent's own, and system text,
   * team task and summary only if they are other ones. What was older than the window of the session's
   * first prompt is shown only if it is pinned. Until a prompt is confirmed with `confirm`, it
   * is the whole prompt. Only for prompts: `getContextForAgent` and `getContextForRoute` do not look
   * at it.
   * @default undefined (the whole prompt)
   */
  session?: 'delta' | null | undefined
  /**
   * Instead of the manager's `maxTokens`.
   * @default that of the manager
   */
  maxTokens?: number | null | undefined
  /**
   * Instead of the tokenizer of the agent type: such as an estimate that `calibrate` has made of the
   * last turn. A function has to be given when the manager is made.
   * @default that of the agent type
   */
  tokenizer?: Exclude<Tokenizer, (text: string) => number> | null | undefined
}

/** What one agent gets that answers a given message. */
export interface RouteContextOptions extends AgentContextOptions {
  /**
   * Instead of `defaultMaxSiblings`.
   * @default defaultMaxSiblings
   */
  maxSiblings?: number | null | undefined
  /**
   * Instead of `defaultForceParentReinsertion`.
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

/** What an agent sees in its turn: the input of an assembler, with an array of its own. */
export interface AgentContext extends AssemblerInput {
  contextMessages: ShownContextMessage[]
  /** Only for a route: the message to act on, repeated, if it is not in the window. */
  parentContext?: ShownContextMessage | null | undefined
  teamTask: string | null
}

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

/** A conversation to be stored, ready for `JSON.stringify`, or what came after one of its messages. */
export interface ContextSnapshot<M extends ConversationMessage = ConversationMessage> {
  messages: M[]
  /** The id of the message after which `messages` begin. Absent in a whole conversation. */
  after?: M['id']
  /** What the team works on. Like everything but the messages, it is whole in every snapshot. */
  teamTask: string | null
  /**
   * The highest number that was given out in an id (7 for `msg-7`), if that message was removed: its
   * id is not given out again. Absent where the messages tell.
   */
  lastNumber?: number
  /** The ids of all pinned messages. Only with `after`: otherwise the messages say so themselves. */
  pinned?: M['id'][]
  /** All summaries. Absent if there are none. */
  summaries?: ConversationSummary[]
  /** What each agent has been shown. Absent if nothing is confirmed. */
  sessions?: SessionSnapshot[]
  /** When it was made, in milliseconds. */
  timestamp: number
  version: 1
}

/** A summary that prompts show in the place of older messages. */
export interface ConversationSummary {
  /** The id of the last message that it covers; null if all of those were removed. */
  upTo: string | null
  text: string
  /** The only member who sees it. Absent if all do. */
  recipient?: string
}

/** What an agent has been shown in the session that its CLI keeps. */
export interface SessionSnapshot {
  agentId: string
  /** The ids of the first and the last message of each run of messages that it was shown. */
  seen: [first: string, last: string][]
  /** The id of the newest message of the last confirmed prompt. */
  since?: string
  /** The id of the last message before the window of the session's first prompt. */
  after?: string
  /** A fingerprint of the system text that it was shown. */
  system?: string
  /** A fingerprint of the team task that it was shown. */
  teamTask?: string
  /** A fingerprint of the summary that it was shown. */
  summary?: string
}

/** A summary to be shown from now on. */
export interface NewSummary {
  /** The id of the last message that it covers: the window begins after it. */
  upTo: string
  text: string
  /**
   * The only member who sees it, by id, name or display name. A member without a summary of its own
   * sees the one for all.
   * @default undefined (all members)
   */
  recipient?: string | null | undefined
}

/** What an agent's next prompt would leave out. */
export interface Overflow<M extends ConversationMessage = ConversationMessage> {
  /** The messages, oldest first. */
  messages: M[]
  /** UTF-8 bytes of their contents. */
  bytes: number
  /** The id of the last of them, for `setSummary`; null if there are none. */
  upTo: M['id'] | null
}

/** What `JSON.parse(JSON.stringify(value))` makes of a value: dates are strings, functions are gone. */
export type JsonForm<T> =
  T extends { toJSON(...args: never[]): infer Written } ? JsonForm<Written>
  : T extends string | number | boolean | null | undefined ? T
  : T extends readonly unknown[] ? { [Index in keyof T]: JsonForm<T[Index]> }
  : T extends object ? { [Key in keyof T as T[Key] extends (...args: never[]) => unknown ? never : Key]: JsonForm<T[Key]> }
  : T

/** A message as it is in JSON. Its `timestamp` can be a string, milliseconds or still a Date. */
export type ConversationMessageJson<M extends ConversationMessage = ConversationMessage> =
  M extends unknown ? { [Key in keyof M]: Key extends 'timestamp' ? M[Key] | JsonForm<M[Key]> | number : JsonForm<M[Key]> } : never

/** A snapshot that went through JSON. */
export interface ContextSnapshotJson<M extends ConversationMessage = ConversationMessage> {
  readonly messages: readonly (M | ConversationMessageJson<M>)[]
  readonly after?: string | null | undefined
  readonly teamTask: string | null
  readonly lastNumber?: number | null | undefined
  readonly pinned?: readonly string[] | null | undefined
  readonly summaries?: readonly ConversationSummary[] | null | undefined
  readonly sessions?: readonly SessionSnapshot[] | null | undefined
  readonly timestamp: number
  readonly version: 1
}

/** What of a conversation goes into a snapshot. */
export interface ExportSnapshotOptions {
  /**
   * Only the messages that came after the one with this id. An id that the conversation does not
   * have is an `UnknownMessageError`.
   * @default all messages
   */
  after?: string | null | undefined
}

/** What becomes of a snapshot. */
export interface ImportSnapshotOptions {
  /**
   * Whether its messages are added to the conversation, with the ids that they have, instead of
   * replacing it.
   * @default false
   */
  append?: boolean | null | undefined
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

/** What an assembly did. */
export interface AssemblerReport {
  /** Whom the prompt is for. Only from a `ContextManager`. */
  agentId?: string
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
  /** What counted tokens. This and the next five: only with `maxTokens`, or with a `tokenizer` that was given. */
  tokenizer?: 'o200k' | 'cl100k' | 'estimate' | 'function'
  /** Whether the counts are exact. */
  tokensExact?: boolean
  /** The budget in tokens; absent if there is none. */
  maxTokens?: number
  /** Tokens of prompt and flag together. */
  totalTokens?: number
  /** Tokens of the prompt. */
  promptTokens?: number
  /** Tokens of the flag, which is a text of its own. */
  systemFlagTokens?: number
  /** Which budget made the prompt shorter; absent if none did. */
  limitedBy?: 'bytes' | 'tokens'
  /**
   * How many leading bytes of the prompt are those of the prompt that was last reported for
   * the same agent: what a provider's prompt cache can reuse. Only from a `ContextManager`,
   * and not in an agent's first report.
   */
  stablePrefixBytes?: number
  /** Which part of a session the prompt is. Only with `session: 'delta'`. */
  session?: {
    /** `whole`: nothing is confirmed yet, so it is the whole prompt. */
    mode: 'whole' | 'delta'
    /** The id of the newest message of the last confirmed prompt. */
    since?: string
  }
  /** Every section that had something in it, in prompt order. */
  sections: SectionReport[]
  /** The context messages that did not fit, newest first, at most 100. */
  dropped: DroppedMessage[]
  /**
   * Everything that was given and is not sent, in prompt order. Messages are listed one by one,
   * newest first, at most 100 of them. The rest is summed up, one entry for each part, action and
   * reason. What the recipient may not see is only summed up.
   */
  leftOut: LeftOut[]
  /** How many bytes were given, sent and left out. */
  account: Account
  /** A sentence for everything that was left out, except white space. */
  decisions: string[]
  /** Lines that read as structure, and names with line breaks in them, in prompt order, at most 100. */
  findings: Finding[]
}

/** What happened to a section. Sizes include its title, and count each copy of the system text. */
export interface SectionReport {
  name: PromptPart
  /**
   * `shortened`: its text was cut, here or on the way here, such as by a limit or by stripping
   * markers; `trimmed`: some of its items were dropped.
   */
  action: 'kept' | 'shortened' | 'trimmed' | 'dropped'
  /** Absent when it was never measured: messages that were not read have no known size. */
  bytesBefore?: number
  bytesAfter: number
  /** Tokens before trimming; absent when they were not counted. */
  tokensBefore?: number
  /** Tokens of the section by itself; absent when tokens are not counted. */
  tokensAfter?: number
  /** Messages or replies before trimming; only for parts that have them. */
  itemsBefore?: number
  /** Messages or replies that were kept; only for parts that have them. */
  itemsAfter?: number
}

/** A context message that did not fit. */
export interface DroppedMessage {
  /** Its id. Only from a `ContextManager`. */
  id?: string
  /** Its index in `contextMessages`, or in the conversation of a `ContextManager`. */
  index: number
  from: string
  /** What its line in the prompt would have taken. */
  bytes: number
  /** The same in tokens; absent when it was not counted. */
  tokens?: number
  /** Why: there was no room, the number was rounded up, or the layout has no context. */
  reason: 'budget' | 'step' | 'layout'
}

/** Why something was left out. */
export type LeftOutReason =
  /** There was no room. */
  | 'budget'
  /** The number of dropped messages was rounded up to a multiple of `evictionStep`. */
  | 'step'
  /**
   * It is outside of the messages that the prompt is made of: the window, `maxContextMessages`, or
   * newer than the message that is answered. Also the routing values of a route whose parent is
   * not there.
   */
  | 'window'
  /** It is not for the `recipient`. */
  | 'recipient'
  /** The member who is to answer wrote it. */
  | 'own'
  /** It has the text of the current message. */
  | 'duplicate'
  /** It is a routing marker. */
  | 'marker'
  /** It is beyond a limit: of a sibling reply's length, the number of replies, the role summary, the team task, the system text's share. */
  | 'limit'
  /** It is a code block of a sibling reply. */
  | 'code'
  /** It is the parent message, and the same as the current one. */
  | 'same'
  /** The layout has no such part. */
  | 'layout'
  /** It is white space at the ends of a text, or more than one space in a line. */
  | 'space'
  /** A summary covers it. */
  | 'summary'
  /** The agent has it in its session already. */
  | 'seen'

/** Something that was given and is not sent. */
export interface LeftOut {
  /** Where it would have been. */
  part: PromptPart
  /** The whole text, a piece of it, routing markers, or white space. */
  action: 'dropped' | 'cut' | 'stripped' | 'trimmed'
  reason: LeftOutReason
  /** UTF-8 bytes of the text, without names, titles and omission lines. */
  bytes: number
  /** How many texts are meant. */
  count: number
  /** The message's id. Only from a `ContextManager`. */
  id?: string
  /** The message's index in the list that was given, or in the conversation of a `ContextManager`. */
  index?: number
  /** Who wrote the message. */
  from?: string
}

/**
 * The sums: always, `givenBytes` is `sentBytes` and `leftOutBytes` together. Every text that was
 * given counts once: instructions, role summary, instruction file, team task, summary, contents
 * of all messages, parent, siblings, current message, routing values.
 */
export interface Account {
  /** UTF-8 bytes of all texts that were given. */
  givenBytes: number
  /** How much of them the prompt or the flag has. A text in both counts once. */
  sentBytes: number
  /** How much of them is left out: the sum over `leftOut`. */
  leftOutBytes: number
}

/**
 * A prompt that is to be shown: a result with a `report`, and what it was made of. With
 * a report alone, the page has no text, no sizes of single messages and no slider, and says so.
 */
export interface ReportedPrompt {
  report: AssemblerReport
  /**
   * The prompt that the report is of.
   * @default undefined, and the page has no texts
   */
  prompt?: string | Uint8Array | null | undefined
  /**
   * The system flag that the report is of.
   * @default undefined
   */
  systemFlag?: string | null | undefined
  /**
   * What the prompt was made of: the same object that was assembled, or what `getContextForAgent` or
   * `getContextForRoute` returns for a prompt of a `ContextManager`. The page shows each message that
   * the prompt could have, and what another budget would keep. What `recipient` may not see does not
   * get into the page.
   * @default undefined, and the page has neither
   */
  input?: AssemblerInput | PromptInput | LayoutPromptInput | null | undefined
  /**
   * The assembler that made the prompt, if it has options or a layout of your own. Not for
   * `buildPrompt`, whose input has both.
   * @default an assembler of the report's agent type, without options
   */
  assembler?: ContextAssembler | null | undefined
}

/** How a page is made. */
export interface RenderOptions {
  /**
   * The title of the page.
   * @default 'What was sent'
   */
  title?: string | null | undefined
}

/** A line inside a message that reads as a title or as another message, or a name with a line break in it. */
export interface Finding {
  /** The section that it stands in. */
  part: 'context' | 'parent' | 'siblings' | 'routing'
  /** The message's index in its list; 0 for the parent and for routing data. */
  index: number
  /** Which name has a line break in it; absent for a line of the content. */
  field?: 'from' | 'to' | 'parentMessageId' | 'intent'
  /** The line inside the message, counted from 1; 1 for a name. */
  line: number
  /** What the line reads as; `lineBreak`: a name would have begun a line of its own. */
  pretends: 'title' | 'message' | 'lineBreak'
  /** The line or the name as it was given, at most 120 bytes of it. */
  text: string
  /**
   * Whether it was made harmless: a backslash stands before the line. Always true for
   * `lineBreak`: a space stands in place of the line break.
   */
  escaped: boolean
}

/**
 * What counts tokens:
 * - `'o200k'`: GPT-4o and later, and Codex. Exact: the same count as OpenAI's own tokenizer, for
 *   every text. Text that looks like a special token (`<|endoftext|>`) counts as ordinary text.
 * - `'cl100k'`: GPT-4 and GPT-3.5. Exact in the same way.
 * - `{ bytesPerToken }`: an estimate, for models whose vocabulary is not public. See docs/tokens.md
 *   for values to start with, and `calibrate`.
 * - a function that returns a non-negative integer. It is given well-formed text.
 */
export type Tokenizer = 'o200k' | 'cl100k' | TokenEstimate | ((text: string) => number)

/**
 * Characters whose tokens are about equally long: letters of Latin scripts; white space, digits
 * and punctuation; Chinese, Japanese and Korean; everything else.
 */
export type TokenScript = 'latin' | 'symbols' | 'cjk' | 'other'

/** Tokens by the size of a text: its UTF-8 bytes divided by bytes per token, rounded up once. */
export interface TokenEstimate {
  /** Of all text, or of the scripts that `byScript` does not have. Positive. */
  bytesPerToken: number
  /**
   * Bytes per token by script, each positive.
   * @default undefined
   */
  byScript?: { readonly [script in TokenScript]?: number | null | undefined } | null | undefined
  /**
   * How far the last estimates were off, from `calibrate`. Counting does not use it.
   * @default undefined
   */
  spread?: number | null | undefined
  /**
   * What `calibrate` has learned from. Counting does not use it.
   * @default undefined
   */
  turns?: readonly LearnedTurn[] | null | undefined
}

/** An estimate that has learned. It is plain data: it can be stored as JSON. */
export interface LearnedEstimate extends TokenEstimate {
  /** Of the last turns. */
  bytesPerToken: number
  /** There once a turn was learned from whose text was given. */
  byScript?: Record<TokenScript, number>
  /**
   * How far the estimates of the last turns were off, as the root of the mean square: 0.03 is 3 %.
   * After the first turn: how far that one was off.
   */
  spread: number
  /** The last turns, oldest first: at most 8. */
  turns: LearnedTurn[]
}

/** A turn that an estimate has learned from. */
export interface LearnedTurn {
  /** UTF-8 bytes that were sent. */
  bytes: number
  /** Tokens that the provider counted. */
  tokens: number
  /** How far the estimate was off: -0.1 is 10 % too low. */
  error: number
  /** Bytes by script, if the text was given. */
  scripts?: { readonly [script in TokenScript]?: number | null | undefined } | null | undefined
}

/** What was sent, and what it took. */
export interface TokenUsage {
  /**
   * UTF-8 bytes of everything that was sent. Positive.
   * @default the size of `text`
   */
  bytes?: number | null | undefined
  /** Tokens that the provider counted for it. Positive. */
  tokens: number
  /**
   * The text that was sent, or most of it. With it, an estimate learns by script.
   * @default undefined
   */
  text?: string | Uint8Array | null | undefined
}

/**
 * A field is missing, of the wrong type, or belongs to another function, or an option has an unknown
 * value. The message names it by its path.
 */
export interface InvalidArgTypeError extends TypeError {
  code: 'ERR_INVALID_ARG_TYPE'
}

/** A number is out of range, or the prompt does not fit into the caller's buffer. */
export interface OutOfRangeError extends RangeError {
  code: 'ERR_OUT_OF_RANGE'
  /** The bytes that the prompt needs; only when a buffer was too small. */
  requiredBytes?: number
}

/** What must be kept does not fit into `maxBytes` or `maxTokens`. */
export interface BudgetExceededError extends RangeError {
  code: 'ERR_BUDGET_EXCEEDED'
  /** Which budget was exceeded. If both were, `'bytes'`. */
  unit: 'bytes' | 'tokens'
  /**
   * The smallest `maxBytes` that suffices: with one byte less, it is exceeded again. If `unit` is
   * `'tokens'`: the bytes of the prompt with `requiredTokens`.
   */
  requiredBytes: number
  maxBytes: number
  /** The smallest `maxTokens` that suffices, if `unit` is `'tokens'`: with one less, it is exceeded again. */
  requiredTokens?: number
  /** The budget in tokens, if there is one. */
  maxTokens?: number
  /**
   * The size of each section in that unit, title included, in a prompt that just fits: what may be
   * dropped is gone, and what may be shortened is as short as it may be.
   */
  sections: Partial<Record<PromptPart | 'pinned', number>>
}

/** A snapshot cannot be restored. The manager is as it was. */
export interface InvalidSnapshotError extends Error {
  code: 'ERR_INVALID_SNAPSHOT'
}

/** The conversation has no message with this id; the message of the error names it. Nothing was changed. */
export interface UnknownMessageError extends Error {
  code: 'ERR_UNKNOWN_MESSAGE'
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

/** A CLI would refuse, cut or lose what it is to be given. */
export interface UndeliverableError extends RangeError {
  code: 'ERR_UNDELIVERABLE'
  /** The program. */
  cli: string
  /** How large it is; absent where size is not the reason. */
  size?: number
  /** How large it may be; absent like `size`. */
  limit?: number
  /** What `size` and `limit` count; absent like `size`. */
  unit?: SizeUnit
}

/** A CLI has ended without an answer, also if it says that all went well, or took too long. */
export interface NoAnswerError extends Error {
  code: 'ERR_NO_ANSWER'
  /** Null if a signal has ended the program. */
  exitCode: number | null
  /** The signal that has ended the program. */
  signal: NodeJS.Signals | null
  /** Whether it was ended because it took longer than `timeoutMs`. */
  timedOut: boolean
  /** The session, if the CLI has named one. */
  sessionId?: string
  /** The end of what it wrote to stderr, at most 4 KiB. */
  stderr: string
}

/** A fault of promptmason itself; please report it. */
export interface InternalError extends Error {
  code: 'ERR_INTERNAL'
}

/** Every error that promptmason throws. What a getter or a hook of yours throws reaches you as it is. */
export type PromptmasonError =
  | InvalidArgTypeError
  | OutOfRangeError
  | BudgetExceededError
  | InvalidSnapshotError
  | UnknownMessageError
  | InvalidConfigError
  | UnreadableFileError
  | UndeliverableError
  | NoAnswerError
  | InternalError

/** What the `code` of an error can be. */
export type PromptmasonErrorCode = PromptmasonError['code']

/**
 * Whether an error is one of promptmason's, and if a code is given, the one with that code. It also
 * knows errors of other realms (Jest, vm contexts), where `instanceof` does not help, and tells them
 * from errors of Node that have the same code.
 */
export declare function isPromptmasonError<Code extends PromptmasonErrorCode = PromptmasonErrorCode>(
  error: unknown,
  code?: Code | null,
): error is Extract<PromptmasonError, { code: Code }>

/** What a size counts: UTF-8 bytes, Unicode code points, or UTF-16 units (the `length` of a string). */
export type SizeUnit = 'bytes' | 'codePoints' | 'utf16'

/** A CLI of your own, for `planDelivery`. The prompt always goes to its stdin. */
export interface DeliveryProfile {
  /** The program: a name that is looked up in `PATH`, or a path. */
  command: string
  /**
   * Its arguments.
   * @default []
   */
  args?: readonly string[] | null | undefined
  /**
   * The option whose value is the system text: `--system`, or `--system=` if both are one argument,
   * as a CLI wants it that takes a text which begins with a dash for an option.
   * @default undefined It has none.
   */
  systemFlag?: string | null | undefined
  /**
   * The option whose value is the path of a file with the system text, in the same two forms.
   * @default undefined It has none.
   */
  systemFileFlag?: string | null | undefined
  /**
   * The arguments that resume a session; `{id}` in them stands for its id.
   * @default undefined It cannot resume.
   */
  resumeArgs?: readonly string[] | null | undefined
  /**
   * The most that it takes on stdin.
   * @default []
   */
  limits?: readonly { unit: SizeUnit; max: number }[] | null | undefined
  /**
   * Variables that it needs; `undefined` or null removes one.
   * @default {}
   */
  env?: { readonly [name: string]: string | null | undefined } | null | undefined
  /**
   * What it writes to stdout: the answer (`'text'`), or what a known agent's CLI writes.
   * @default 'text'
   */
  output?: 'text' | AgentType | null | undefined
}

/** How a prompt is to be delivered. */
export interface DeliveryOptions {
  /**
   * Which CLI: `claude-code`, `openai-codex`, `google-gemini`, `opencode`, `qwen-code`,
   * `github-copilot`, or `claude`, `codex`, `gemini`, `qwen`, `copilot` for short, in any letter
   * case. Anything else is a program of that name, which gets the prompt on stdin and no arguments.
   */
  agentType: AgentType
  /**
   * Where the CLI will run: arguments have other limits on Linux, macOS and Windows.
   * @default process.platform
   */
  platform?: NodeJS.Platform | null | undefined
  /**
   * Whether the CLI writes events as JSON, which `deliver` and `parseOutput` read. Without them its
   * stdout is the answer, and there is no session id and no usage.
   * @default true
   */
  json?: boolean | null | undefined
  /**
   * The model, by the CLI's own name for it.
   * @default undefined What the CLI is configured for.
   */
  model?: string | null | undefined
  /**
   * The directory in which the CLI works. Gemini, Qwen and opencode resume a session only in the
   * directory in which it began.
   * @default undefined That of this process.
   */
  cwd?: string | null | undefined
  /**
   * The id of the CLI's session that goes on: the `sessionId` of an earlier result.
   * @default undefined A new session.
   */
  resume?: string | null | undefined
  /**
   * How the system text is passed: as an argument, in a file, or (`'auto'`) as an argument where
   * the platform takes it unchanged, else in a file.
   * @default 'auto'
   */
  systemVia?: 'auto' | 'flag' | 'file' | null | undefined
  /**
   * What becomes of text that the CLI would act on, such as `@/etc/passwd` or a leading `/clear`:
   * it is listed in `warnings`, or also disarmed, by a switch of the CLI where it has one.
   * @default 'report'
   */
  guard?: 'report' | 'escape' | null | undefined
  /**
   * Whether the CLI reads instruction files of the project by itself (`AGENTS.md`, `CLAUDE.md`, …).
   * @default 'keep'
   */
  projectInstructions?: 'keep' | 'skip' | null | undefined
  /**
   * Whether Gemini runs in a directory that it was never told to trust (`--skip-trust`). It then
   * trusts the project's own settings, too. The other CLIs do not ask.
   * @default false
   */
  trustWorkspace?: boolean | null | undefined
  /**
   * More arguments, for the CLI as they are.
   * @default []
   */
  extraArgs?: readonly string[] | null | undefined
  /**
   * A CLI of your own, instead of the one of `agentType`.
   * @default undefined
   */
  profile?: DeliveryProfile | null | undefined
}

/**
 * Something to know before a plan is carried out:
 * - `command`, `file-mention`, `skill-mention`: at `at` the CLI would act on the text;
 * - `byte-order-mark`, `trailing-space`: the CLI strips it from the prompt;
 * - `system-ignored`: the CLI keeps the system text of the session's first turn, so this one is not passed;
 * - `system-overrides`: the system text replaces one that the user has configured;
 * - `instructions-kept`: the CLI cannot be kept from reading instruction files;
 * - `resume-directory`: the session is only found in its own directory, and `cwd` was not given;
 * - `shim`: started through a `.cmd` file, the arguments would be changed or refused.
 */
export interface DeliveryWarning {
  code:
    | 'command' | 'file-mention' | 'skill-mention' | 'byte-order-mark' | 'trailing-space' | 'system-ignored'
    | 'system-overrides' | 'instructions-kept' | 'resume-directory' | 'shim'
  message: string
  /**
   * Where in the prompt, in UTF-16 units: an index into the prompt as a string. Of each kind, the
   * first 100 places are listed; one more warning without `at` counts the rest.
   */
  at?: number
}

/** How to run a CLI with a prompt. Pass it to `deliver`, or to your own `spawn`. */
export interface DeliveryPlan {
  command: string
  /** The arguments. `{file:NAME}` stands for the path of the file of that name: `writeDelivery` replaces it. */
  args: string[]
  /**
   * What goes to stdin, at once and to its end. It is the prompt's own Buffer if nothing had to be
   * disarmed, so do not write to that one before the delivery is over.
   */
  stdin: Buffer
  /** What must be written to files first. */
  files: { name: string; content: Buffer }[]
  /** Variables that must be set in the CLI's environment, or removed (`undefined`). */
  env: Record<string, string | undefined>
  /** The CLI's working directory, as an absolute path; absent if none was given. */
  cwd?: string
  warnings: DeliveryWarning[]
  /** What the CLI will write: the agent type to call `parseOutput` with, or `'text'`. */
  output: string
}

/** A plan whose files are written. */
export interface WrittenDelivery {
  /** The arguments, with the paths of the files. */
  args: string[]
  /** Removes the files. It may be called more than once. */
  cleanup(): Promise<void>
}

/** What a CLI has left behind. */
export interface CliOutput {
  stdout: string | Uint8Array
  /** @default '' */
  stderr?: string | Uint8Array | null | undefined
  /**
   * Null, as Node has it, if a signal has ended the program.
   * @default undefined Not known.
   */
  exitCode?: number | null | undefined
}

/**
 * The tokens of a turn as the CLI counts them; what it does not say is absent. Codex and Qwen count
 * those of the whole session, and Qwen also those of its own requests.
 */
export interface CliUsage {
  /** All tokens of the input, cached ones included. */
  inputTokens?: number
  /** Those of them that came from the provider's cache. */
  cachedInputTokens?: number
  outputTokens?: number
}

/** Why there is no answer. */
export interface CliError {
  /**
   * - `too-long`: more than the model or the CLI takes;
   * - `session-not-found`: there is no such session to resume;
   * - `not-logged-in`: no key or login, or one that is refused;
   * - `rate-limit`: too many requests, a quota that is used up, or an overloaded provider;
   * - `no-answer`: the CLI has ended without an answer and without an error;
   * - `other`: anything else.
   */
  code: 'too-long' | 'session-not-found' | 'not-logged-in' | 'rate-limit' | 'no-answer' | 'other'
  /** What the CLI says. */
  message: string
}

/** What a CLI has answered: a text or an error. */
export interface ParsedOutput {
  /** The answer; absent if there is none, or if it is not known to be complete. */
  text?: string
  /** The CLI's session, for `resume`. */
  sessionId?: string
  usage?: CliUsage
  error?: CliError
}

/** How a plan is carried out. */
export interface DeliverOptions {
  /**
   * Ends the CLI and all that it has started, and rejects with the signal's reason.
   * @default undefined
   */
  signal?: AbortSignal | null | undefined
  /**
   * How long it may take, in milliseconds; after that it is ended, and `ERR_NO_ANSWER` thrown.
   * @default undefined As long as it takes.
   */
  timeoutMs?: number | null | undefined
  /**
   * Called with every event that the CLI writes, as it comes: an object with the CLI's own fields.
   * What it throws ends the CLI and rejects.
   * @default undefined
   */
  onEvent?: ((event: Record<string, unknown>) => void) | null | undefined
}

/** What came of a delivery. */
export interface DeliveryResult extends ParsedOutput {
  /** Null if a signal has ended the program. */
  exitCode: number | null
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
  families?: Record<string, string | readonly string[]> | null | undefined
}

/** What the environment block says. */
export interface EnvironmentOptions {
  /**
   * The working directory of the agent.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /**
   * The date; it is written in the local time zone.
   * @default new Date()
   */
  now?: Date | null | undefined
  /**
   * More lines, in order; an object's entries become `name: value`.
   * @default []
   */
  extra?: readonly string[] | Record<string, string> | null | undefined
}

/**
 * Whose rules decide which instruction files are read: names, places, order, fallbacks, includes
 * and limits as that tool has them. `etcode` are the rules that this package has always had.
 */
export type InstructionPreset =
  | 'etcode' | 'agents' | 'claude-code' | 'codex' | 'gemini-cli' | 'opencode' | 'copilot' | 'cursor' | 'qwen-code'

/**
 * Where instructions come from.
 *
 * By default, a repository is trusted: its configuration, its includes and its links may lead to
 * any file of yours, and to any URL, also of your local network. For somebody else's repository,
 * pass `untrusted: true`.
 */
export interface InstructionOptions {
  /**
   * Whose rules decide which files are read.
   * @default 'etcode'
   */
  preset?: InstructionPreset | null | undefined
  /**
   * Whether the repository may be hostile. What its own files (configuration, includes, links)
   * lead to must lie inside the repository then, and not in `.git`; no URL that it names is
   * fetched; and nothing above its root is searched. `load` lists what was refused. What you pass
   * in these options and the user's own files stay trusted.
   * @default false
   */
  untrusted?: boolean | null | undefined
  /**
   * Whether `@path` in an instruction file is replaced by that file: relative to the file,
   * absolute or `~/`, not in code, at most 5 deep, each file once. What is no existing file stays
   * text.
   * @default as the preset's tool: true for 'claude-code', 'gemini-cli' and 'qwen-code'
   */
  includes?: boolean | null | undefined
  /**
   * The CLI that the prompt is for. Files that it reads by itself from `directory` are left out,
   * so that nothing is sent twice; `load` lists them as skipped. An agent whose CLI is not known
   * reads nothing.
   * @default undefined
   */
  alreadyReadBy?: AgentType | null | undefined
  /**
   * The hosts that URLs may be fetched from, also after redirects: names, addresses, or
   * `*.example.com` for everything below `example.com`. An empty array allows none.
   * @default undefined, which allows all
   */
  allowHosts?: readonly string[] | null | undefined
  /**
   * The working directory of the agent. Instruction files are looked for in it and in every
   * directory above, up to the root of the git repository; outside one, in it alone.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /**
   * The configuration. Without it, the nearest `<appName>.json` (`opencode.json` with the preset
   * `opencode`) from `directory` up to the root of the repository is read; one that cannot be
   * understood is an `InvalidConfigError`.
   * @default undefined
   */
  config?: InstructionConfig | null | undefined
  /**
   * The names of instruction files in the project's directories, instead of those of the preset.
   * With the preset `etcode` or an `appName`, the first of them is also looked for in
   * `$XDG_CONFIG_HOME/<appName>` or `~/.config/<appName>`.
   * @default those of the preset; for 'etcode' ['AGENTS.md', 'ETCODE.md'], the second by `appName`
   */
  files?: readonly string[] | null | undefined
  /**
   * The application: names the configuration file, the user's configuration directory and
   * the second instruction file. With another preset than `etcode`, it replaces the configuration
   * file and the user's files of that preset.
   * @default 'etcode' with the preset 'etcode'
   */
  appName?: string | null | undefined
  /**
   * Which directory's files come first: the working directory's or the repository root's.
   * @default as the preset's tool: 'nearest-first' for 'etcode' and 'opencode'
   */
  order?: 'nearest-first' | 'root-first' | null | undefined
  /**
   * Milliseconds for a URL, everything included: name, connection, redirects, body. At most
   * a day.
   * @default 5000
   */
  timeoutMs?: number | null | undefined
  /**
   * The most bytes of a URL's body; a larger one fails.
   * @default 262144
   */
  maxUrlBytes?: number | null | undefined
  /**
   * The most bytes of a file; of a larger one, beginning and end are kept, with a line
   * between them that says how many bytes are missing.
   * @default 262144
   */
  maxFileBytes?: number | null | undefined
  /**
   * Fetches URLs: a `fetch` with a proxy, certificates, a cache or a mock of your own. It is
   * called as a method of the options, once for each URL and each redirect.
   * @default globalThis.fetch
   */
  fetch?: InstructionFetch | null | undefined
}

/** What fetches a URL. Node's `fetch` is one. */
export type InstructionFetch = (
  /** The URL, without user name, password and fragment. */
  url: string,
  init: {
    method: 'GET'
    /** `user-agent`, `accept`, `accept-encoding`, and `authorization` if the URL has a password. */
    headers: Record<string, string>
    /** Redirects are followed by this package, which checks each of them. */
    redirect: 'manual'
    /** Aborted when the time is up, and when the response is no longer needed. */
    signal: AbortSignal
  },
) => Promise<InstructionResponse>

/** What of a `Response` is used. */
export interface InstructionResponse {
  status: number
  headers: { get(name: string): string | null }
  /** A stream of bytes that can be iterated with `for await`, such as a `ReadableStream`. */
  body?: object | null | undefined
  /** Whether redirects were followed already. Then `url` is checked instead. */
  redirected?: boolean | undefined
  url?: string | undefined
}

/** What of a configuration concerns instructions; it may have more in it. */
export interface InstructionConfig {
  /**
   * Paths, glob patterns and http or https URLs, in order. Paths are relative to the working
   * directory (or, where there is nothing, to the directory of the configuration file),
   * absolute, or begin with `~/`. Patterns know `*`, `**`, `?`, `[a-z]` and `{a,b}`. They do not
   * enter `.git`, and a leading `!` is an error: it does not exclude files. At most 10,000 files
   * are looked at.
   * @default []
   */
  instructions?: readonly string[] | null | undefined
}

/** What a file's nearby instructions are seen from. */
export interface ResolveOptions extends InstructionOptions {
  /**
   * Paths that are in the prompt already, such as those of `InstructionPrompt.systemPaths`.
   * @default []
   */
  loaded?: Iterable<string> | null | undefined
}

/** A file or URL that was considered, and what became of it. */
export interface LoadedInstruction {
  /**
   * The path, or scheme, host and path of the URL; where the configuration leads to neither, what
   * it says.
   */
  source: string
  kind: 'file' | 'url'
  /**
   * Why it was considered: found in the project, found among the user's own, configured, or
   * included by another file.
   */
  origin: 'project' | 'global' | 'config' | 'include'
  /** Of an include: the path of the file that mentions it. */
  from?: string
  /**
   * `loaded`: it is used; `truncated`: its beginning and end are; `empty`: there is no text in
   * it; `skipped`: it was left out on purpose, as one that is there already; `failed`: it could
   * not be read.
   */
  status: 'loaded' | 'empty' | 'skipped' | 'failed' | 'truncated'
  /**
   * What it says, without front matter and with its includes; only when `loaded` or `truncated`.
   * The text of an include is in that of the file that includes it.
   */
  text?: string
  /** Its size as it was found, as far as that is known. */
  bytes: number
  /** Why it is not used, or not all of it; always there unless `loaded`. */
  reason?: string
  /** Of a rule for certain paths: their patterns. `InstructionPrompt.resolve` has such a rule. */
  appliesTo?: string[]
  /** Of a rule: its `description`. */
  description?: string
}

/** What of an agent concerns its system prompt; it may have more in it. */
export interface SystemPromptAgent {
  /**
   * Takes the place of the base prompt of the model's family.
   * @default undefined
   */
  prompt?: string | null | undefined
}

/** What a system prompt is built from. */
export interface SystemPromptInput<Agent extends object = SystemPromptAgent>
  extends InstructionOptions, EnvironmentOptions, ProviderOptions {
  /**
   * The working directory of the agent.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /** The agent; handed to `transform` as it is. */
  agent: Agent & SystemPromptAgent
  /**
   * The model; without one, an agent without a prompt gets the general base prompt.
   * @default undefined
   */
  modelID?: string | null | undefined
  /**
   * Changes the parts before they are returned: the array that it returns, or a promise of
   * one, takes their place; if it returns nothing, the array that it was given is used, with
   * whatever it did to it. What it throws reaches the caller.
   * @default undefined
   */
  transform?: SystemPromptTransform<Agent> | null | undefined
}

/** A system prompt, and where its instructions come from. */
export interface SystemPromptReport {
  /** The parts, as `build` returns them. */
  parts: string[]
  /** What `InstructionPrompt.load` returns. */
  sources: LoadedInstruction[]
}

/** Changes the parts of a system prompt. */
export type SystemPromptTransform<Agent extends object = SystemPromptAgent> = (
  parts: string[],
  context: { agent: Agent; modelID: string | undefined },
) => readonly string[] | void | Promise<readonly string[] | void>

/** What a system prompt of segments is assembled from. */
export interface SegmentOptions {
  /**
   * The core text; without it, `coreFile` is read.
   * @default undefined
   */
  core?: string | null | undefined
  /**
   * The file with the core text. If it cannot be read, the promise is rejected with an
   * `UnreadableFileError`.
   * @default 'SYSTEM_PROMPT.md'
   */
  coreFile?: string | null | undefined
  /**
   * The tools and what to know about using them, a line each: a list, or the registry object
   * that AI SDKs keep.
   * @default []
   */
  tools?: readonly ToolNote[] | Record<string, { description?: string | null | undefined }> | null | undefined
  /**
   * The language of the titles.
   * @default 'zh'
   */
  locale?: 'zh' | 'en' | null | undefined
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
  tool?: string | null | undefined
  [attribute: string]: string | number | boolean | null | undefined
}

/** How a tool's output is cut. */
export interface TruncateOptions {
  /**
   * The most characters, as `output.length` counts them; the hint is not counted.
   * @default 8000
   */
  maxChars?: number | null | undefined
}

/** What all assemblers have in common. */
declare class ContextAssembler implements IContextAssembler {
  protected constructor()
  /** The agent whose layout this is. */
  getAgentType(): AgentType
  /** The prompt of an input, in the form that `form` asks for. */
  assemble(input: AssemblerInput, form: BufferForm & { report: true }): AssemblerBufferReportOutput
  /** The prompt of an input, in the form that `form` asks for. */
  assemble(input: AssemblerInput, form: BufferForm<false>): AssemblerBufferOutput
  /** The prompt of an input, in the form that `form` asks for. */
  assemble(input: AssemblerInput, form: IntoForm & { report: true }): AssemblerIntoReportOutput
  /** The prompt of an input, in the form that `form` asks for. */
  assemble(input: AssemblerInput, form: IntoForm<false>): AssemblerIntoOutput
  /** The prompt of an input, in the form that `form` asks for. */
  assemble(input: AssemblerInput, form: StringForm & { report: true }): AssemblerReportOutput
  /** The prompt of an input, in the form that `form` asks for. */
  assemble(input: AssemblerInput, form: StringForm<false>): AssemblerOutput
  /** The prompt of an input, in the form that `form` asks for. */
  assemble(input: AssemblerInput, form: PromptForm | null | undefined): AnyAssemblerOutput
  /** The prompt of an input, in the form that `form` asks for. */
  assemble(input: AssemblerInput, form?: null): AssemblerOutput
}

/** For Claude Code: bracketed titles; the system text is not in the prompt but in `systemFlag`, for `--append-system-prompt`. */
export declare class ClaudeContextAssembler extends ContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For Codex: bracketed titles, the system text first. */
export declare class CodexContextAssembler extends ContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For Gemini: titles in plain words, the system text first. */
export declare class GeminiContextAssembler extends ContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For any other agent: the texts alone, without titles. */
export declare class PlainTextAssembler extends ContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For an agent with a layout of your own, or with any layout of this package. */
export declare class LayoutAssembler extends ContextAssembler {
  /**
   * An assembler for a layout. The layout is checked and copied: later changes of the object have
   * no effect.
   */
  constructor(layout: LayoutDefinition, options?: AssemblerOptions | null)
  /**
   * An assembler for an agent type of this package, by its name or an alias, in any letter case:
   * `unknown` is plain text, and a type that is not known is an error.
   */
  static for(agentType: AgentType, options?: AssemblerOptions | null): LayoutAssembler
}

/**
 * Keeps the messages and the team task of a conversation, and makes prompts of them. Each text is
 * passed to native code once, when it is added, so a prompt costs what it contains, however long
 * the conversation is.
 *
 * A manager that nothing refers to is freed by the garbage collector, when the event loop turns. In
 * a long synchronous loop that makes managers, `clear()` frees the texts of each at once.
 *
 * `M` is the type of its messages. With one of your own, messages go in and come out as that type.
 */
export declare class ContextManager<M extends ConversationMessage = ConversationMessage> implements IContextProvider<M> {
  /** An empty conversation. */
  constructor(options?: ContextManagerOptions<M> | null)
  /**
   * Stores a message under the next id (`msg-1`, `msg-2`, …), calls `onMessageAdded`, and
   * returns the full message. Every field that was given is kept, except an `id`: if a message
   * has one all the same, it is replaced.
   */
  addMessage(message: NewMessage<M>): M
  /**
   * All messages, oldest first, in a new array. They are those that the manager keeps: do not edit
   * them, prompts would not follow. `updateMessage` is for that.
   */
  getMessages(): M[]
  /** The newest message, or null. It is not to be edited, see `getMessages`. */
  getLatestMessage(): M | null
  /**
   * Replaces fields of a message, checks it as `addMessage` does, and returns the new message.
   * Prompts, getters and snapshots follow at once; messages that were returned before stay as they
   * were. A field that is given as undefined becomes undefined. The id does not change, and no hook
   * is called. It takes time in proportion to the conversation.
   *
   * An id that the conversation does not have is an `UnknownMessageError`.
   */
  updateMessage(id: string, changes: MessageChanges<M>): M
  /**
   * Removes a message, and returns it. Its id is not given out again until `clear`. Replies to it
   * stay. It takes time in proportion to the conversation.
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
   * summary covers: for a model of yours to summarise, at its own time.
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
  getContextForAgent(agentId: string, agentType: AgentType, options?: AgentContextOptions | null): AgentContext
  /**
   * What an agent sees that answers a given message: that message, the window before it,
   * and the other replies to it.
   */
  getContextForRoute(agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions | null): RouteContextResult
  /**
   * The prompt of an input, in the layout of the agent type and the form that `form` asks for. An
   * unknown type gets plain text, and a warning is logged.
   */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /**
   * The prompt of an input, in the layout of the agent type and the form that `form` asks for. An
   * unknown type gets plain text, and a warning is logged.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: BufferForm<false>): AssemblerBufferOutput
  /**
   * The prompt of an input, in the layout of the agent type and the form that `form` asks for. An
   * unknown type gets plain text, and a warning is logged.
   */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /**
   * The prompt of an input, in the layout of the agent type and the form that `form` asks for. An
   * unknown type gets plain text, and a warning is logged.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: IntoForm<false>): AssemblerIntoOutput
  /**
   * The prompt of an input, in the layout of the agent type and the form that `form` asks for. An
   * unknown type gets plain text, and a warning is logged.
   */
  assemblePrompt(
    agentType: AgentType,
    input: AssemblerInput,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /**
   * The prompt of an input, in the layout of the agent type and the form that `form` asks for. An
   * unknown type gets plain text, and a warning is logged.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: StringForm<false>): AssemblerOutput
  /**
   * The prompt of an input, in the layout of the agent type and the form that `form` asks for. An
   * unknown type gets plain text, and a warning is logged.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: PromptForm | null | undefined): AnyAssemblerOutput
  /**
   * The prompt of an input, in the layout of the agent type and the form that `form` asks for. An
   * unknown type gets plain text, and a warning is logged.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form?: null): AssemblerOutput
  /** `getContextForAgent` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /** `getContextForAgent` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: BufferForm<false>,
  ): AssemblerBufferOutput
  /** `getContextForAgent` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /** `getContextForAgent` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: IntoForm<false>,
  ): AssemblerIntoOutput
  /** `getContextForAgent` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /** `getContextForAgent` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: StringForm<false>,
  ): AssemblerOutput
  /** `getContextForAgent` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: PromptForm | null | undefined,
  ): AnyAssemblerOutput
  /** `getContextForAgent` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options?: AgentContextOptions | null,
    form?: null,
  ): AssemblerOutput
  /** `getContextForRoute` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: BufferForm & { report: true },
  ): AssemblerBufferReportOutput
  /** `getContextForRoute` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: BufferForm<false>,
  ): AssemblerBufferOutput
  /** `getContextForRoute` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: IntoForm & { report: true },
  ): AssemblerIntoReportOutput
  /** `getContextForRoute` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: IntoForm<false>,
  ): AssemblerIntoOutput
  /** `getContextForRoute` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: StringForm & { report: true },
  ): AssemblerReportOutput
  /** `getContextForRoute` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: StringForm<false>,
  ): AssemblerOutput
  /** `getContextForRoute` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: PromptForm | null | undefined,
  ): AnyAssemblerOutput
  /** `getContextForRoute` and `assemblePrompt` in one step. A report also has `stablePrefixBytes`. */
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
   * that do not ascend, changes nothing. Appending takes time in proportion to what is appended.
   *
   * Every snapshot that is refused is an `InvalidSnapshotError`, also one that was made with `after`
   * and is imported without `append`: it would be half a conversation.
   */
  importSnapshot(snapshot: ContextSnapshot<M> | ContextSnapshotJson<M>, options?: ImportSnapshotOptions | null): void
}

export declare namespace InstructionPrompt {
  /** The first instruction file in a directory. */
  export function find(directory: string, options?: Pick<InstructionOptions, 'preset' | 'files' | 'appName' | 'untrusted'> | null): Promise<string | undefined>
  /** Everything that was considered, used or not, and what became of it. */
  export function load(options?: InstructionOptions | null): Promise<LoadedInstruction[]>
  /**
   * The instruction files for a file that a tool reads: those from its directory up to, and
   * without, the project directory, whose own are in the system prompt already; and the rules
   * for certain paths that apply to it. The file itself and what is `loaded` are left out.
   */
  export function resolve(filePath: string, options?: ResolveOptions | null): Promise<string[]>
  /**
   * The instructions as system messages, each `Instructions from: <path or URL>` and its text.
   * What cannot be read is left out; `load` says why.
   */
  export function system(options?: InstructionOptions | null): Promise<string[]>
  /**
   * The instruction files that there are, in the order in which `system` has them: those of the
   * project, the user's own, those that the configuration names, and what they include. URLs and
   * rules for certain paths are not among them.
   */
  export function systemPaths(options?: InstructionOptions | null): Promise<Set<string>>
}

export declare namespace SystemPrompt {
  /**
   * The system prompt, a text for each part: the agent's own prompt or that of the model's
   * family, the environment, and every instruction that is found. `transform` has the last word.
   */
  export function build<Agent extends object>(input: SystemPromptInput<Agent>): Promise<string[]>
  /** The same with everything that was considered for instructions, from one pass. */
  export function buildWithReport<Agent extends object>(input: SystemPromptInput<Agent>): Promise<SystemPromptReport>
  /** What the agent should know about the machine: one text with an `<env>` block. */
  export function environment(options?: EnvironmentOptions | null): string[]
  /**
   * The base prompt of a model's family: of Anthropic's for `claude`, OpenAI's for `gpt-`, and
   * `o1`, `o3` and `o4` at the start of a part of the name, Google's for `gemini`, and a general
   * one for all others.
   */
  export function provider(modelID: string, options?: ProviderOptions | null): string[]
}

/**
 * A system prompt as one text: the core; notes on the tools, if there are any; the runtime
 * hints, if there are any.
 */
export declare function assembleSystemPrompt(runtimeHints?: readonly string[] | null, options?: SegmentOptions | null): Promise<string>

/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: BufferForm & { report: true },
): AssemblerBufferReportOutput
/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: BufferForm<false>,
): AssemblerBufferOutput
/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: IntoForm & { report: true },
): AssemblerIntoReportOutput
/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: IntoForm<false>,
): AssemblerIntoOutput
/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: StringForm & { report: true },
): AssemblerReportOutput
/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(input: PromptInput | LayoutPromptInput, form: StringForm<false>): AssemblerOutput
/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: PromptForm | null | undefined,
): AnyAssemblerOutput
/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(input: PromptInput | LayoutPromptInput, form?: null): AssemblerOutput

/**
 * An estimate that has learned from what a provider counted. The one that is passed stays as it
 * is. Give `text` where you can: it learns by script then.
 *
 * Tokens that a CLI adds by itself, such as its own system prompt, must not be in `tokens`.
 */
export declare function calibrate(tokenizer: TokenEstimate, usage: TokenUsage): LearnedEstimate

/** The hint that takes the place of an earlier conversation: its summary. */
export declare function compressionHint(summary: string, options?: Pick<SegmentOptions, 'locale'> | null): string

/**
 * How many tokens a text is: a string, or UTF-8 bytes. What is not well-formed counts as U+FFFD,
 * as it is sent.
 */
export declare function countTokens(text: string | Uint8Array, tokenizer: Tokenizer): number

/**
 * Runs a plan: writes its files, starts the program without a shell, sends the prompt to its stdin,
 * reads what it writes, and removes the files whatever happens. An error that the CLI reports is in
 * the result. A CLI that ends without an answer and without an error, or takes too long, rejects
 * with `ERR_NO_ANSWER`; one that cannot be started rejects with the system's own error (`ENOENT`).
 */
export declare function deliver(plan: DeliveryPlan, options?: DeliverOptions | null): Promise<DeliveryResult>

/**
 * How to give an assembled prompt to a CLI so that it arrives whole and unchanged: the command, its
 * arguments, stdin, files and environment. What the CLI would refuse, cut or lose is
 * `ERR_UNDELIVERABLE`; what it would act on or strip is in `warnings`.
 */
export declare function planDelivery(output: AssemblerOutput | AssemblerBufferOutput, options: DeliveryOptions): DeliveryPlan

/**
 * The answer, the session, the usage and the error in what a CLI has written as JSON, as a stream
 * of events or as one object. Of an unknown agent and for `'text'`, stdout is the answer. Output
 * that was cut off or is no JSON is no exception: the answer is absent then.
 */
export declare function parseOutput(agentType: 'text' | AgentType, output: CliOutput): ParsedOutput

/**
 * Writes the files of a plan, for those who start the program themselves: readable by their owner
 * alone, in a new directory of that kind. If that fails, nothing is left behind.
 */
export declare function writeDelivery(plan: Pick<DeliveryPlan, 'args' | 'files'>): Promise<WrittenDelivery>

/** The nearest file or directory called `name`, in `from` or above. */
export declare function findUp(name: string, from?: string | null): Promise<string | undefined>

/**
 * Every file or directory called one of `names`, nearest first, from `from` up to `root`,
 * which is looked in as well; without a root, up to that of the file system.
 */
export declare function findUpAll(names: string | Iterable<string>, from?: string | null, root?: string | null): Promise<string[]>

/**
 * A page that shows a prompt, or several as a sequence: one HTML file that loads nothing. It has the
 * budget to scale, each message with what became of it, a slider that says what another budget would
 * keep, a search, and everything that the report says. Nothing of a conversation can run as a script
 * in it. Write it to a file, and open it in a browser. See docs/explain.md.
 */
export declare function renderReport(
  reports: AssemblerReport | ReportedPrompt | readonly (AssemblerReport | ReportedPrompt)[],
  options?: RenderOptions | null,
): string

/** A `<system_hint>` with the attributes in the order given, escaped, and the text inside. */
export declare function systemHint(attributes: SystemHintAttributes, text: string): string

/**
 * A tool's output if it has at most `maxChars` characters (as JavaScript counts them), else
 * its beginning and a hint of type `tool_output_omitted`.
 */
export declare function truncateToolOutput(tool: string, output: string, options?: TruncateOptions | null): string

// Without this line, what is not marked `export` above would be exported as well.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
