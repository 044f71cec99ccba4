/**
 * The turns of a manager: what an agent sees in one, and its prompt.
 *
 * The native turn of each agent is remembered. An agent's options rarely change from turn to turn, so
 * they need not be passed again: a call takes 2.4 µs instead of 5, which makes
 * a prompt of 22 KB into a caller's buffer 1.8 times as fast.
 */
import { reportMisspelling } from '../prompts/agent-types.js'
import { assembleInput } from '../prompts/assemblers.js'
import { string } from '../checks/kinds.js'
import { route as checkRoute, turn as checkTurn } from './options.js'
import { callNative, errorOf } from '../errors.js'
import { newFenceKey } from '../prompts/materials.js'
import { emptyResult, isDebugged, outputOf } from '../prompts/output.js'
import { keepPlaces } from './places.js'
import type { State } from './state.js'
import type { Form } from '../prompts/form.js'

const { isArray } = Array
const { parse } = JSON
const { hasOwn } = Object
const { apply } = Reflect

export type TurnFields = ReturnType<typeof checkTurn>['fields']

export type RouteFields = ReturnType<typeof checkRoute>

export type NativeTurn = InstanceType<typeof import('../../binding.js').NativeTurn>

/** How many agents are remembered. */
const MAX_TURNS = 64

/** Whether two turns have the same values. Arrays and objects always differ, because checking copies them. */
const isSame = (one: any, other: any) => {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}

export class RememberedTurns {
  #turns: Map<string, { fields: TurnFields; turn: NativeTurn }> = new Map()

  get(fields: TurnFields, make: (fields: any) => NativeTurn) {
    const { agentId } = fields
    const known = this.#turns.get(agentId)
    if (known !== undefined && isSame(known.fields, fields)) return known.turn
    const turn = make(fields)
    if (this.#turns.size >= MAX_TURNS) this.#turns.clear()
    this.#turns.set(agentId, { fields, turn })
    return turn
  }
}

/** The turn of the latest message. */
const agentTurn = (state: State, fields: TurnFields) =>
  state.turns.get(fields, (given) => callNative(() => state.native.turn(given)))

/**
 * The turn that answers a given message.
 * @param isAssembled Whether to warn about an unknown agent type.
 */
const routeTurn = (state: State, fields: TurnFields, route: RouteFields, isAssembled: boolean): NativeTurn => {
  const turn = callNative(() => state.native.turn({ ...fields, route }))
  state.warn(callNative(() => turn.missingParent()))
  if (isAssembled) state.warnOfAgent(fields.agentType)
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
  const isLimited = maxTokens !== undefined || state.maxTokens !== undefined
  if (tokenFunctions.isEmpty || !(isLimited || isReported)) return
  tokenFunctions.countMessages(state.native, (index) => state.messages.at(index))
  const instruction = isArray(systemInstruction) ? systemInstruction : [systemInstruction]
  const summary = parse(state.native.getSummary(recipient ?? agentId))?.text
  const parts = [[...instruction, instructionFileText], [state.native.teamTask], [summary]].map((texts) =>
    tokenFunctions.countTexts(texts),
  )
  turn.keepTokens(tokenFunctions.functions.flatMap((_, index) => parts.flatMap((part) => part[index] ?? [])))
}

/** Gives the member of a turn a key, if its prompt needs one. */
const makeFenceKey = (state: State, turn: NativeTurn) => {
  if (state.isFencing && callNative(() => turn.lacksFenceKey())) callNative(() => turn.keepFenceKey(newFenceKey()))
}

/**
 * What an agent sees, as input for an assembler; `route` is undefined if no parent was found.
 * @param given What the caller has passed.
 */
const viewOf = (state: State, turn: NativeTurn, given: object) => {
  makeFenceKey(state, turn)
  const { route, parted, indices, ...context } = parse(callNative(() => turn.view()))
  for (const one of parted) showParts(context.contextMessages[one.position], state.messages.at(one.index), one.texts)
  keepPlaces(
    context.contextMessages,
    indices.map((index: number) => ({ index, id: state.messages.at(index)?.id })),
  )
  return { context: { ...context, ...given }, route }
}

/** Gives a message of a view its parts. Its texts are those that agents see, without markers. */
const showParts = (shown: any, message: any, texts: string[]) => {
  let nth = 0
  const parts = message.parts.map((part: any) => (part.type === 'text' ? { ...part, text: texts[nth++] } : part))
  shown.content = texts.join('\n\n')
  shown.parts = parts
}

export const contextForAgent = (state: State, agentId: unknown, agentType: unknown, options: unknown) => {
  const { fields, given } = checkTurn(agentId, agentType, options)
  state.late.read(state, false)
  return viewOf(state, agentTurn(state, fields), given).context
}

export const contextForRoute = (
  state: State,
  agentId: unknown,
  agentType: unknown,
  route: unknown,
  options: unknown,
) => {
  const { fields, given } = checkTurn(agentId, agentType, options)
  const routeFields = checkRoute(route)
  state.late.read(state, false)
  const view = viewOf(state, routeTurn(state, fields, routeFields, false), given)
  return { ...view.context, ...routeContext(view.route, routeFields) }
}

/** What `getContextForRoute` returns in addition to the context. */
const routeContext = (
  found: { parent?: object; siblings: object[]; siblingsInAll: number } | undefined,
  { parentMessageId, targetMemberId, intent }: RouteFields,
) => {
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

/** The messages that an agent's next prompt leaves out and that no summary covers. */
export const overflowOf = (state: State, agentId: unknown, agentType: unknown, options: unknown) => {
  const { fields } = checkTurn(agentId, agentType, options)
  state.warnOfAgent(fields.agentType)
  state.late.read(state, false)
  const turn = agentTurn(state, fields)
  countTokens(state, fields, turn, false)
  makeFenceKey(state, turn)
  const indices = parse(callNative(() => turn.overflow())) as number[]
  const messages = indices.map((index) => state.messages.at(index))
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  return { messages, bytes, upTo: messages.at(-1)?.id ?? null }
}

export const assembleForAgent = (state: State, agentId: unknown, agentType: unknown, options: unknown, form: Form) => {
  const { fields } = checkTurn(agentId, agentType, options, form.request)
  // A request to an API has no layout by agent type.
  if (form.request === undefined) state.warnOfAgent(fields.agentType)
  state.late.read(state, false)
  return assembleTurn(state, fields, agentTurn(state, fields), form)
}

export const assembleForRoute = (
  state: State,
  agentId: unknown,
  agentType: unknown,
  route: unknown,
  options: unknown,
  form: Form,
) => {
  const { fields } = checkTurn(agentId, agentType, options, form.request)
  const routeFields = checkRoute(route)
  state.late.read(state, false)
  return assembleTurn(state, fields, routeTurn(state, fields, routeFields, form.request === undefined), form)
}

const assembleTurn = (state: State, fields: TurnFields, turn: NativeTurn, form: Form) => {
  const report = form.report || state.onAssembled !== undefined
  countTokens(state, fields, turn, report)
  makeFenceKey(state, turn)
  const result = emptyResult()
  let written
  try {
    written = turn.assemble(form.kind === 'buffer', form.into, form.offset, report, isDebugged(), result)
  } catch (thrown) {
    throw errorOf(thrown)
  }
  if (result.report !== undefined) callHook(state, fields.agentId, fields.agentType, result.report)
  const output = outputOf(form, written, result)
  if (form.report) reportMisspelling(output.report, state.unknownAgent(fields.agentType))
  return output
}

/** The prompt for an input that the caller made. */
export const assemblePrompt = (state: State, agentType: unknown, input: unknown, form: Form) => {
  const type = string(agentType, '', 'agentType')
  state.warnOfAgent(type)
  const assembler = callNative(() => state.native.assemblerFor(type))
  const tokenizer = state.tokenFunctions.functions[assembler.tokenFunction ?? -1]
  const onReport =
    state.onAssembled === undefined ? undefined : (report: string) => callHook(state, undefined, type, report)
  const output = assembleInput(assembler, tokenizer, input, form, onReport)
  if (form.report) reportMisspelling(output.report, state.unknownAgent(type))
  return output
}

/**
 * Calls `onAssembled` after an assembly. If that throws, the caller never gets the prompt, so it must
 * not be the one that `confirm` takes.
 */
const callHook = (state: State, agentId: any, agentType: string, json: string) => {
  const { onAssembled: hook, native } = state
  if (hook === undefined) return
  const report = parse(json)
  reportMisspelling(report, state.unknownAgent(agentType))
  const prompt = hasOwn(report, 'session') ? native.pendingPrompt(agentId) : undefined
  try {
    apply(hook, state.options, [{ agentId, agentType, report }])
  } catch (thrown) {
    if (typeof prompt === 'number') native.withdrawPrompt(agentId, prompt)
    throw thrown
  }
}
