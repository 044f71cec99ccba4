/** What a manager and its methods take. */
import native = require('../../binding.js')
import { assemblerOptions, markers, type AssemblerOptions } from '../prompts/assembler-options.js'
import { instruction, type PromptMaterials } from '../prompts/materials.js'
import { fields } from '../checks/fields.js'
import { arrayOf, boolean, entriesOf, func, integer, isMissing, oneOf, optional, string } from '../checks/kinds.js'
import { layout, type LayoutDefinition } from '../prompts/layout.js'
import { wrongType } from '../checks/problems.js'
import { tokenizer, type Tokenizer } from '../tokens/tokenizer.js'
import { logger, type ILogger } from './logger.js'
import type { Kind } from '../checks/kinds.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { AgentType } from '../prompts/agents.js'
import type { Form } from '../prompts/form.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { AgentContext } from './turns.js'

/** The default `contextWindowSize`: 5. */
export const DEFAULT_CONTEXT_WINDOW_SIZE: number = native.DEFAULT_CONTEXT_WINDOW_SIZE

/** The default `maxBytes`: 786432 (768 KiB). */
export const DEFAULT_MAX_BYTES: number = native.DEFAULT_MAX_BYTES

/** The size that `setTeamTask` cuts a task to: 5120 bytes (5 KiB). */
export const MAX_TEAM_TASK_BYTES: number = native.MAX_TEAM_TASK_BYTES

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
  /** How many messages before the current one a prompt includes; 0 for none. @default 5 */
  contextWindowSize?: number | null | undefined
  /** The maximum UTF-8 bytes of `prompt` and `systemFlag` together. @default 786432 (768 KiB) */
  maxBytes?: number | null | undefined
  /**
   * The maximum tokens of `prompt` and `systemFlag` together, counted by the `tokenizer`. Both budgets
   * apply. A limit without a tokenizer is an error, except for Codex, which uses `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens for agent types without a tokenizer in `assemblers`. Each message is counted once, when the
   * first prompt with a token budget needs it. A function then counts all messages, newest first.
   * @default 'o200k' for Codex, else undefined
   */
  tokenizer?: Tokenizer | null | undefined
  /** Called with each added message. @default undefined */
  onMessageAdded?: ((message: M) => void) | null | undefined
  /** Called with the team task when it is set, restored or cleared. @default undefined */
  onTeamTaskChanged?: ((task: string | null) => void) | null | undefined
  /**
   * Called with a report after each assembly, for logging. By default, a report is created only if a
   * form asks for one. If this hook throws, the caller gets that error instead of the prompt, and
   * `confirm` does not accept the prompt.
   * @default undefined
   */
  onAssembled?: ((event: AssembledEvent) => void) | null | undefined
  /** Where warnings go. @default console.warn */
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
  /** How many other replies to the same message a route includes. @default 5 */
  defaultMaxSiblings?: number | null | undefined
  /** Whether `getContextForRoute` repeats the parent message as `parentContext`. @default true */
  defaultForceParentReinsertion?: boolean | null | undefined
  /** How much of another reply a route includes, in UTF-16 units. @default 200 */
  siblingContentMaxLength?: number | null | undefined
  /** How much of the parent message `parentContext` includes, in bytes. @default 1024 */
  parentReinsertionMaxBytes?: number | null | undefined
  /**
   * The number of messages left out of a prompt, counted from the beginning of the conversation, is
   * rounded up to a multiple of this. Prompts then keep the same beginning for that many turns. A step
   * larger than the window counts as the window.
   * @default 1
   */
  evictionStep?: number | null | undefined
  /**
   * Whether routing markers (`[FROM:x]`, `[NEXT:x]`, `[DROP:x]`, `[TEAM_TASK: x]`, and a `[TEAM_TASK]` alone on its
   * line with its text) are removed from prompts. Markers in fenced code blocks and in inline code stay. `getMessages`
   * and snapshots keep every content as it was added, so a manager that imports a snapshot applies its own setting.
   * @default true
   */
  stripMarkers?: boolean | null | undefined
  /** Whether prompts show the reasoning in messages with parts. @default 'omit' */
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
  /** Assembler options by agent type. There is no warning about agent types listed here. @default {} */
  assemblers?: { readonly [Type in AgentType]?: AssemblerOptions | null | undefined } | null | undefined
}

/** Errors name the options of an assembler as its constructor does. */
const optionsOfAgent: Kind<ReturnType<typeof assemblerOptions>, AssemblerOptions | null | undefined> = (value) =>
  assemblerOptions(value, '', 'options')

export const managerOptions = fields<ContextManagerOptions>()({
  onMessageAdded: optional(func<(message: ConversationMessage) => void>()),
  onTeamTaskChanged: optional(func<(task: string | null) => void>()),
  onAssembled: optional(func<(event: AssembledEvent) => void>()),
  logger: optional(logger),
  contextWindowSize: optional(integer(0)),
  maxBytes: optional(integer(1)),
  defaultMaxSiblings: optional(integer(0)),
  defaultForceParentReinsertion: optional(boolean),
  siblingContentMaxLength: optional(integer(0)),
  parentReinsertionMaxBytes: optional(integer(0)),
  evictionStep: optional(integer(0)),
  stripMarkers: optional(boolean),
  ids: optional(oneOf(['number', 'keep'])),
  visibility: optional(oneOf(['addressed', 'team'])),
  reasoning: optional(oneOf(['omit', 'keep'])),
  showSender: optional(boolean),
  markers: optional(markers),
  onMissingParent: optional(oneOf(['latest', 'throw'])),
  maxTokens: optional(integer(1)),
  layouts: optional(arrayOf(layout), []),
  tokenizer: optional(tokenizer),
  assemblers: optional(entriesOf(optionsOfAgent), []),
})

/**
 * What one agent gets in addition to the conversation. The field is called `systemInstruction` here and
 * `systemInstructionText` in `buildPrompt`; passing the other one is an error.
 */
export interface AgentContextOptions extends Pick<PromptMaterials, 'instructionFileText' | 'maxTokens'> {
  /** Overrides `contextWindowSize`. @default contextWindowSize */
  windowSizeOverride?: number | null | undefined
  /** The member's instructions. @default undefined */
  systemInstruction?: string | readonly string[] | null | undefined
  /**
   * Includes only what this member may see: messages to all, to the member, or from the member. This applies to
   * everything in the prompt: the message to act on is the latest one that the member may see, and a route to a
   * message that the member may not see is treated as a route to a missing message.
   *
   * A member is identified by the `id`, `name` or `displayName` in the messages it has sent (`roleId`, `roleName` or
   * `roleTitle` for a speaker with a role). Letter case, surrounding white space and Unicode form do not matter
   * (`José` in either form, `STRASSE` and `Straße`). A renamed member is known by both names. An id takes precedence
   * over a name. A name that several members share matches none of them: use their ids.
   * @default undefined (everything)
   */
  recipient?: string | null | undefined
  /**
   * Overrides `showSender` of the manager and its `assemblers`.
   * @default that of the agent type, or else of the manager
   */
  showSender?: boolean | null | undefined
  /**
   * `'delta'`: the prompt contains only what is new to the session of the agent's CLI: all messages since the last
   * confirmed prompt, whatever the window, except the agent's own; and system text, team task and summary only if they
   * have changed. Text passed by a flag is in every prompt. What does not fit the budget is left out for good, and a
   * line takes its place. Earlier messages are sent only if they are pinned, were changed or were hidden from the
   * `recipient` before, under a note. If no message is new, a `NothingToSendError` is thrown.
   *
   * Until a prompt has been confirmed with `confirm`, prompts are whole and act on the newest message that the agent
   * did not write. A route shows replies in the conversation, and always shows its message. `getContextForAgent` and
   * `getContextForRoute` ignore this option.
   * @default undefined (the whole prompt)
   */
  session?: 'delta' | null | undefined
  /** Overrides the manager's `maxTokens`. @default that of the manager */
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
  /** Overrides `defaultMaxSiblings`. @default defaultMaxSiblings */
  maxSiblings?: number | null | undefined
  /** Overrides `defaultForceParentReinsertion`. @default defaultForceParentReinsertion */
  forceParentReinsertion?: boolean | null | undefined
}

/** For one turn, a tokenizer is one of ours: messages are counted once, for all turns. */
const ownTokenizer: Kind<native.TokenizerFields, NonNullable<AgentContextOptions['tokenizer']>> = (
  value,
  parent,
  name,
) => {
  const checked = tokenizer(value, parent, name)
  return typeof checked === 'function'
    ? wrongType("'o200k', 'cl100k' or { bytesPerToken }", value, parent, name)
    : checked
}

const optionalInstruction = optional(instruction)

/** As given, and for native code. */
const bothInstructions: Kind<
  { given: string | string[] | undefined; texts: native.Texts | undefined },
  AgentContextOptions['systemInstruction']
> = (value, parent, name) => {
  const texts = optionalInstruction(value, parent, name)
  // It has just been checked.
  return { given: texts === undefined ? undefined : (value as string | string[]), texts }
}

export const turnOptions = fields<RouteContextOptions>()(
  {
    session: optional(oneOf(['delta'])),
    systemInstruction: bothInstructions,
    instructionFileText: optional(string),
    windowSizeOverride: optional(integer(0)),
    recipient: optional(string),
    showSender: optional(boolean),
    maxTokens: optional(integer(1)),
    tokenizer: optional(ownTokenizer),
    maxSiblings: optional(integer(0)),
    forceParentReinsertion: optional(boolean),
  },
  {
    misnamed: { systemInstructionText: 'systemInstruction' },
    besides: ['agentId', 'agentType', 'route', 'api', 'cache', 'model'],
  },
)

/** Who should answer which message. */
export interface RoutingItem {
  /** The message to answer. */
  parentMessageId: string
  /** The member who answers. */
  targetMemberId: string
  /** The purpose of the answer. */
  intent?: string | null | undefined
}

/** A missing id is that of nothing. */
const id: Kind<string> = (value, parent, name) => (isMissing(value) ? '' : string(value, parent, name))

export const routeFields = fields<RoutingItem>()(
  { intent: optional(string), parentMessageId: id, targetMemberId: id },
  { required: true },
)

export type RouteFields = ReturnType<typeof routeFields>

/** What a turn is asked for with, and what `getContextForAgent` returns unchanged. */
export interface CheckedTurn {
  fields: native.TurnFields
  route?: RouteFields
  given: Pick<AgentContext, 'systemInstruction' | 'instructionFileText'>
}

/** @param request The request that is made. */
export const agentTurn = (
  agentId: unknown,
  agentType: unknown,
  options: unknown,
  request?: Form['request'],
): CheckedTurn => {
  string(agentId, '', 'agentId')
  string(agentType, '', 'agentType')
  const checked = turnOptions(options, '', 'options')
  const { systemInstruction, instructionFileText } = checked
  // Changed in place, because a copy takes longer.
  const turnFields: { [Field in keyof native.TurnFields]?: unknown } = checked
  turnFields.agentId = agentId
  turnFields.agentType = agentType
  turnFields.api = request?.api
  turnFields.cache = request?.cache
  turnFields.model = request?.model
  turnFields.systemInstruction = systemInstruction.texts
  const given = { systemInstruction: systemInstruction.given, instructionFileText }
  return { fields: turnFields as native.TurnFields, given }
}

export const routeTurn = (route: unknown, turn: CheckedTurn) => ({ ...turn, route: routeFields(route, '', 'route') })

/** A summary that replaces older messages in prompts. */
export interface ConversationSummary {
  /** The id of the last message it covers; null if all of them were removed. */
  upTo: string | null
  text: string
  /** The only member who sees it. Absent if it is for all. */
  recipient?: string
}

/** A summary to set. */
export interface NewSummary {
  /** The id of the last message it covers. The window begins after it. */
  upTo: string
  text: string
  /**
   * The only member who sees it, by id, name or display name. Members without their own summary see the general one.
   * @default undefined (all members)
   */
  recipient?: string | null | undefined
}

export const newSummary = fields<NewSummary>()(
  { upTo: string, text: string, recipient: optional(string) },
  { required: true },
)
