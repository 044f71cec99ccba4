/** The options of `openConversation`, and of its turns. */
import { fields } from '../checks/fields.js'
import { array, boolean, func, integer, type Kind, object, oneOf, optional, string } from '../checks/kinds.js'
import { pathOf } from '../checks/problems.js'
import { signal as abortSignal } from '../delivery/kinds.js'
import { type ILogger, logger } from '../manager/logger.js'
import { type Member, MEMBER_FIELDS, members, OF_CONVERSATION } from './member.js'
import { conversationId, type ConversationStore } from './stores/contract.js'
import type { LayoutDefinition } from '../prompts/layout.js'
import type { ConversationEvent, TurnEvent } from './events.js'
import type { Reply } from './replies.js'
import type { SummariseInput } from './summaries.js'

/** Options of `openConversation`. */
export interface ConversationOptions<Name extends string = string> {
  /** The id of the conversation in the store. @default a random one */
  id?: string | null | undefined
  /** Where the conversation is stored. @default memoryStore() */
  store?: ConversationStore | null | undefined
  /**
   * What the team works on; cut to 5 KiB. When a conversation is opened again, this is not a new task:
   * what `setTask` has set since stays, unless the option itself is another one than last time.
   * @default that of the stored conversation
   */
  task?: string | null | undefined
  /** The members by name. */
  members: { readonly [name in Name]: Member }
  /**
   * Whether each member is told its name, who else is there, and that `[NEXT: name]` addresses an answer,
   * before its own `system`; or a text of your own for all of them.
   * @default true
   */
  briefing?: boolean | string | null | undefined
  /**
   * Who may read a message that has addressees: everybody (`'team'`), unless it is `private`, or only
   * its addressees and its sender (`'addressed'`).
   * @default 'team'
   */
  visibility?: 'team' | 'addressed' | null | undefined
  /** How many messages before the current one a whole prompt includes. @default 50 */
  contextWindowSize?: number | null | undefined
  /** The maximum UTF-8 bytes of a prompt. @default 786432 (768 KiB) */
  maxBytes?: number | null | undefined
  /** See `ContextManagerOptions.evictionStep`. @default 16 */
  evictionStep?: number | null | undefined
  /** See `AssemblerOptions.markers`. @default 'fence' */
  markers?: 'verbatim' | 'escape' | 'fence' | null | undefined
  /** Custom layouts, for the members' `layout` and `agent`. @default [] */
  layouts?: readonly LayoutDefinition[] | null | undefined
  /**
   * How long nobody else can open the conversation after this process dies, in stores with leases; in milliseconds.
   * @default 30000
   */
  leaseMs?: number | null | undefined
  /**
   * Called when a prompt would leave messages out. Its result replaces them for this member. If it
   * fails, the turn continues without a summary and has a warning.
   * @default undefined
   */
  summarise?: ((input: SummariseInput) => string | Promise<string>) | null | undefined
  /** Returns who an answer is for. By default, markers such as `[NEXT: max]` decide. @default undefined */
  parseReply?: ((text: string, context: { member: Name }) => Reply | Promise<Reply>) | null | undefined
  /** Called with the events of all turns. @default undefined */
  onEvent?: ((event: ConversationEvent) => void) | null | undefined
  /** Where warnings go. @default console.warn */
  logger?: ILogger | null | undefined
}

const briefing: Kind<boolean | string> = (value, parent, name) =>
  typeof value === 'string' ? value : boolean(value, parent, name)

/** A store. Its functions are called as methods, with the store as `this`. */
const store: Kind<ConversationStore> = (value, parent, name) => {
  const given = object(value, parent, name)
  for (const method of ['load', 'acquire', 'append', 'release']) func()(given[method], pathOf(parent, name), method)
  return value as ConversationStore
}

/** The manager checks them. */
const layouts: Kind<readonly LayoutDefinition[]> = (value, parent, name) =>
  array(value, parent, name) as readonly LayoutDefinition[]

type Hook<Field extends 'summarise' | 'parseReply' | 'onEvent'> = NonNullable<ConversationOptions[Field]>

export const conversationOptions = fields<ConversationOptions>()(
  {
    id: optional(conversationId),
    store: optional(store),
    task: optional(string),
    members,
    briefing: optional(briefing, true),
    visibility: optional(oneOf(['team', 'addressed']), 'team' as const),
    contextWindowSize: optional(integer(0), 50),
    maxBytes: optional(integer(1)),
    evictionStep: optional(integer(0), 16),
    markers: optional(oneOf(['verbatim', 'escape', 'fence']), 'fence' as const),
    layouts: optional(layouts),
    leaseMs: optional(integer(1), 30_000),
    summarise: optional(func<Hook<'summarise'>>()),
    parseReply: optional(func<Hook<'parseReply'>>()),
    onEvent: optional(func<Hook<'onEvent'>>()),
    logger: optional(logger),
  },
  { required: true, elsewhere: { 'a member': MEMBER_FIELDS, send: ['signal', 'onText'] } },
)

export type CheckedOptions = ReturnType<typeof conversationOptions> & { store: ConversationStore }

/** Options of a turn. */
export interface SendOptions {
  /** Ends the turn, and the program with everything it has started. @default undefined */
  signal?: AbortSignal | null | undefined
  /**
   * The timeout of the turn in milliseconds, including retries, `summarise` and `parseReply`.
   * @default that of the member
   */
  timeoutMs?: number | null | undefined
  /** Called with what a member says, as it arrives. @default undefined */
  onText?: ((text: string, member: string) => void) | null | undefined
  /** Called with the events of the delivery. @default undefined */
  onEvent?: ((event: TurnEvent) => void) | null | undefined
}

export const sendOptions = fields<SendOptions>()(
  {
    signal: optional(abortSignal),
    timeoutMs: optional(integer(1)),
    onText: optional(func<(text: string, member: string) => void>()),
    onEvent: optional(func<(event: TurnEvent) => void>()),
  },
  { elsewhere: { 'a member': MEMBER_FIELDS, openConversation: OF_CONVERSATION } },
)

export type CheckedSendOptions = ReturnType<typeof sendOptions>
