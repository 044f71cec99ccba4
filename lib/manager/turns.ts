/**
 * The turns of a manager: what an agent sees in one, and its prompt.
 *
 * The native turn of each agent is remembered. An agent's options rarely change from turn to turn, so
 * they need not be passed again: a call takes 2.4 µs instead of 5, which makes a prompt of 22 KB into a
 * caller's buffer 1.8 times as fast.
 */
import { assembleInput } from '../prompts/assemblers.js'
import { string } from '../checks/kinds.js'
import { callNative } from '../errors.js'
import { later } from '../later.js'
import { readLate } from './late-addressees.js'
import { newFenceKey } from '../prompts/materials.js'
import { frameOf } from '../prompts/make-prompt.js'
import { emptyOutput, isDebugged, outputOf } from '../prompts/output.js'
import type { ManagerState, State } from './state.js'
import type { NativeTurn, TurnFields } from '../../binding.js'
import type { ConversationMessage, ShownContextMessage } from '../messages/messages.js'
import type { MessagePart } from '../messages/parts.js'
import type { Form } from '../prompts/form.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { CheckedTurn, ConversationSummary, RouteFields } from './options.js'

const { isArray } = Array
const { parse } = JSON
const { hasOwn } = Object
const { apply } = Reflect

const reportMisspelling = later(
  () => require('../prompts/misspelled.js') as typeof import('../prompts/misspelled.js'),
  'reportMisspelling',
)

const MAX_TURNS = 64

/** Whether two turns have the same values. Arrays and objects always differ, because checking copies them. */
const isSame = (one: TurnFields, other: TurnFields) => {
  let name: keyof TurnFields
  for (name in one) if (one[name] !== other[name]) return false
  return true
}

/** The turn of the latest message, or the one that answers the message of a route. */
const turnOf = (state: State, { fields, route }: CheckedTurn): NativeTurn => {
  if (state.late.size > 0) readLate(state, false)
  if (route !== undefined) {
    const turn = callNative(() => state.native.turn({ ...fields, route }))
    state.warn(callNative(() => turn.missingParent()))
    return turn
  }
  const { turns } = state
  const known = turns.get(fields.agentId)
  if (known !== undefined && isSame(known.fields, fields)) return known.turn
  const turn = callNative(() => state.native.turn(fields))
  if (turns.size >= MAX_TURNS) turns.clear()
  turns.set(fields.agentId, { fields, turn })
  return turn
}

/** Has caller-supplied functions count what a turn needs, and passes it on. */
const countTokens = (
  state: State,
  { systemInstruction, instructionFileText, recipient, agentId, maxTokens }: TurnFields,
  turn: NativeTurn,
  isReported: boolean,
) => {
  const { tokenFunctions } = state
  const isLimited = maxTokens !== undefined || state.options.maxTokens !== undefined
  if (tokenFunctions.isEmpty || !(isLimited || isReported)) return
  tokenFunctions.countMessages(state.native, (index) => state.messages.at(index))
  const instruction = isArray(systemInstruction) ? systemInstruction : [systemInstruction]
  const summary: ConversationSummary | null = parse(state.native.getSummary(recipient ?? agentId))
  const parts = [[...instruction, instructionFileText], [state.native.teamTask], [summary?.text]].map((texts) =>
    tokenFunctions.countTexts(texts),
  )
  turn.keepTokens(tokenFunctions.functions.flatMap((_, index) => parts.flatMap((part) => part[index] ?? [])))
}

/** Offers a key to the member of a turn, if its prompt needs one. */
const offerFenceKey = (state: State, turn: NativeTurn) => {
  if (state.isFencing && callNative(() => turn.lacksFenceKey())) turn.offerFenceKey(newFenceKey())
}

/** What native code says that an agent sees. */
interface View extends Omit<AgentContext, 'systemInstruction' | 'instructionFileText'> {
  /** Undefined if no parent was found. */
  route?: { parent?: ShownContextMessage; siblings: ShownContextMessage[]; siblingsInAll: number }
  /** The texts of messages with parts as agents see them, without markers. */
  parted: { position: number; index: number; texts: string[] }[]
  /** Where the messages stand in the conversation. */
  indices: number[]
}

/** Where a message of a view stands in the conversation: reports and the page refer to it this way. */
export type Place = { index: number; id: string | undefined }

/** By the list of the view. The view is input for an assembler, which does not need them. */
const places: WeakMap<object, Place[]> = new WeakMap()

/** The places of the messages of a list, if it is one of a view. */
export const placesOf = (messages: object) => places.get(messages)

/** What an agent sees, as input for an assembler. */
const viewOf = (state: State, checked: CheckedTurn) => {
  const turn = turnOf(state, checked)
  offerFenceKey(state, turn)
  const { route, parted, indices, ...context }: View = parse(callNative(() => turn.view()))
  for (const { position, index, texts } of parted) {
    const shown = context.contextMessages[position]
    if (shown !== undefined) showParts(shown, state.messages.at(index), texts)
  }
  places.set(
    context.contextMessages,
    indices.map((index) => ({ index, id: state.messages.at(index).id })),
  )
  return { context: { ...context, ...checked.given }, route }
}

const showParts = (shown: ShownContextMessage, { parts }: ConversationMessage, texts: string[]) => {
  let nth = 0
  const shownPart = (part: MessagePart) => (part.type === 'text' ? { ...part, text: texts[nth++] ?? '' } : part)
  shown.content = texts.join('\n\n')
  shown.parts = (parts ?? []).map(shownPart)
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

export const contextForAgent = (state: State, checked: CheckedTurn) => viewOf(state, checked).context

export const contextForRoute = (state: State, checked: CheckedTurn & { route: RouteFields }) => {
  const { context, route } = viewOf(state, checked)
  return { ...context, ...routeContext(route, checked.route) }
}

const routeContext = (found: View['route'], { parentMessageId, targetMemberId, intent }: RouteFields) => {
  const siblingContext = found?.siblings ?? []
  const siblingTotalCount = found?.siblingsInAll ?? 0
  // As native code has read them: it replaces lone surrogates.
  const shared = { parentMessageId: found && parentMessageId.toWellFormed(), intent }
  const meta = {
    ...shared,
    targetMemberId: targetMemberId.toWellFormed(),
    siblingCount: siblingContext.length,
    siblingTotalCount,
    truncatedSiblings: siblingTotalCount > siblingContext.length,
  }
  return found ? { parentContext: found.parent, siblingContext, routeMeta: shared, meta } : { siblingContext, meta }
}

/** What an agent's next prompt would leave out. */
export interface Overflow<M extends ConversationMessage = ConversationMessage> {
  /** The messages, oldest first. */
  messages: M[]
  /** UTF-8 bytes of their contents. */
  bytes: number
  /** The id of the last of these messages, for `setSummary`; null if there are none. */
  upTo: M['id'] | null
}

export const overflowOf = <M extends ConversationMessage>(
  state: ManagerState<M>,
  checked: CheckedTurn,
): Overflow<M> => {
  state.warnOfAgent(checked.fields.agentType)
  const turn = turnOf(state, checked)
  countTokens(state, checked.fields, turn, false)
  offerFenceKey(state, turn)
  const indices: number[] = parse(callNative(() => turn.overflow()))
  const messages = indices.map((index) => state.messages.at(index))
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  return { messages, bytes, upTo: messages.at(-1)?.id ?? null }
}

export const assembleTurn = (state: State, checked: CheckedTurn, form: Form) => {
  const { fields } = checked
  // A request to an API has no layout by agent type.
  if (form.request === undefined) state.warnOfAgent(fields.agentType)
  const turn = turnOf(state, checked)
  const report = form.report || state.options.onAssembled !== undefined
  countTokens(state, fields, turn, report)
  offerFenceKey(state, turn)
  const result = emptyOutput(undefined)
  const { kind, into, offset } = form
  const written = callNative(() => turn.assemble(kind === 'buffer', into, offset, report, isDebugged(), result))
  if (result.report !== undefined) callHook(state, fields.agentId, fields.agentType, result.report)
  const output = outputOf(form, written, result)
  if (form.report) reportMisspelling(output.report, state.unknownAgent(fields.agentType))
  return output
}

export const assemblePrompt = (state: State, agentType: unknown, input: unknown, form: Form) => {
  const type = string(agentType, '', 'agentType')
  state.warnOfAgent(type)
  const assembler = callNative(() => state.native.assemblerFor(type))
  const tokenizer = state.tokenFunctions.functions[assembler.tokenFunction ?? -1]
  const onReport =
    state.options.onAssembled === undefined ? undefined : (report: string) => callHook(state, undefined, type, report)
  const output = assembleInput({ native: assembler, frame: frameOf(assembler), tokenizer }, input, form, onReport)
  if (form.report) reportMisspelling(output.report, state.unknownAgent(type))
  return output
}

/**
 * Calls `onAssembled` after an assembly. If that throws, the caller never gets the prompt, so it must
 * not be the one that `confirm` takes.
 */
const callHook = (state: State, agentId: string | undefined, agentType: string, json: string) => {
  const { native } = state
  const hook = state.options.onAssembled
  if (hook === undefined) return
  const report: AssemblerReport = parse(json)
  reportMisspelling(report, state.unknownAgent(agentType))
  const isOfSession = agentId !== undefined && hasOwn(report, 'session')
  const prompt = isOfSession ? native.pendingPrompt(agentId) : null
  try {
    apply(hook, state.given, [{ agentId, agentType, report }])
  } catch (thrown) {
    if (isOfSession && prompt !== null) native.withdrawPrompt(agentId, prompt)
    throw thrown
  }
}
