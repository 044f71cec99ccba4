'use strict'
/**
 * The turns of a manager: what an agent sees in one, and its prompt.
 *
 * The native turn of each agent is remembered. An agent's options rarely change from turn to turn, so
 * they need not be passed again: a call takes 2.4 µs instead of 5, which makes
 * a prompt of 22 KB into a caller's buffer 1.8 times as fast.
 */
const { reportMisspelling } = require('../agent-types.js')
const { assembleInput } = require('../assemblers.js')
const { string } = require('../checks/kinds.js')
const { route: checkRoute, turn: checkTurn } = require('../checks/manager.js')
const { callNative, errorOf } = require('../errors.js')
const { newFenceKey } = require('../fence-key.js')
const { emptyResult, isDebugged, outputOf } = require('../output.js')
const { keepPlaces } = require('./places.js')

const { isArray } = Array
const { parse } = JSON
const { hasOwn } = Object
const { apply } = Reflect

/**
 * @typedef {import('./state.js').State} State
 * @typedef {ReturnType<typeof checkTurn>['fields']} TurnFields
 * @typedef {ReturnType<typeof checkRoute>} RouteFields
 * @typedef {InstanceType<typeof import('../../binding.js').NativeTurn>} NativeTurn
 * @typedef {import('../checks/form.js').Form} Form
 */

/** How many agents are remembered. */
const MAX_TURNS = 64

/**
 * Whether two turns have the same values. Arrays and objects always differ, because checking copies them.
 * @param {any} one
 * @param {any} other
 */
const isSame = (one, other) => {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}

class RememberedTurns {
  /** @type {Map<string, { fields: TurnFields, turn: NativeTurn }>} */
  #turns = new Map()

  /**
   * @param {TurnFields} fields
   * @param {(fields: any) => NativeTurn} make
   */
  get(fields, make) {
    const { agentId } = fields
    const known = this.#turns.get(agentId)
    if (known !== undefined && isSame(known.fields, fields)) return known.turn
    const turn = make(fields)
    if (this.#turns.size >= MAX_TURNS) this.#turns.clear()
    this.#turns.set(agentId, { fields, turn })
    return turn
  }
}

/**
 * The turn of the latest message.
 * @param {State} state
 * @param {TurnFields} fields
 */
const agentTurn = (state, fields) => state.turns.get(fields, (given) => callNative(() => state.native.turn(given)))

/**
 * The turn that answers a given message.
 * @param {State} state
 * @param {TurnFields} fields
 * @param {RouteFields} route
 * @param {boolean} isAssembled Whether to warn about an unknown agent type.
 * @returns {NativeTurn}
 */
const routeTurn = (state, fields, route, isAssembled) => {
  const turn = callNative(() => state.native.turn({ ...fields, route }))
  state.warn(callNative(() => turn.missingParent()))
  if (isAssembled) state.warnOfAgent(fields.agentType)
  return turn
}

/**
 * Has caller-supplied functions count what a turn needs, and passes it on.
 * @param {State} state
 * @param {TurnFields} fields
 * @param {NativeTurn} turn
 * @param {boolean} isReported
 */
const countTokens = (
  state,
  { systemInstruction, instructionFileText, recipient, agentId, maxTokens },
  turn,
  isReported,
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

/**
 * Gives the member of a turn a key, if its prompt needs one.
 * @param {State} state
 * @param {NativeTurn} turn
 */
const makeFenceKey = (state, turn) => {
  if (state.isFencing && callNative(() => turn.lacksFenceKey())) callNative(() => turn.keepFenceKey(newFenceKey()))
}

/**
 * What an agent sees, as input for an assembler; `route` is undefined if no parent was found.
 * @param {State} state
 * @param {NativeTurn} turn
 * @param {object} given What the caller has passed.
 */
const viewOf = (state, turn, given) => {
  makeFenceKey(state, turn)
  const { route, parted, indices, ...context } = parse(callNative(() => turn.view()))
  for (const one of parted) showParts(context.contextMessages[one.position], state.messages.at(one.index), one.texts)
  keepPlaces(
    context.contextMessages,
    indices.map((/** @type {number} */ index) => ({ index, id: state.messages.at(index)?.id })),
  )
  return { context: { ...context, ...given }, route }
}

/**
 * Gives a message of a view its parts. Its texts are those that agents see, without markers.
 * @param {any} shown
 * @param {any} message
 * @param {string[]} texts
 */
const showParts = (shown, message, texts) => {
  let nth = 0
  const parts = message.parts.map((/** @type {any} */ part) =>
    part.type === 'text' ? { ...part, text: texts[nth++] } : part,
  )
  shown.content = texts.join('\n\n')
  shown.parts = parts
}

/**
 * @param {State} state
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {unknown} options
 */
const contextForAgent = (state, agentId, agentType, options) => {
  const { fields, given } = checkTurn(agentId, agentType, options)
  state.late.read(state, false)
  return viewOf(state, agentTurn(state, fields), given).context
}

/**
 * @param {State} state
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {unknown} route
 * @param {unknown} options
 */
const contextForRoute = (state, agentId, agentType, route, options) => {
  const { fields, given } = checkTurn(agentId, agentType, options)
  const routeFields = checkRoute(route)
  state.late.read(state, false)
  const view = viewOf(state, routeTurn(state, fields, routeFields, false), given)
  return { ...view.context, ...routeContext(view.route, routeFields) }
}

/**
 * What `getContextForRoute` returns in addition to the context.
 * @param {{ parent?: object, siblings: object[], siblingsInAll: number } | undefined} found
 * @param {RouteFields} route
 */
const routeContext = (found, { parentMessageId, targetMemberId, intent }) => {
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

/**
 * The messages that an agent's next prompt leaves out and that no summary covers.
 * @param {State} state
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {unknown} options
 */
const overflowOf = (state, agentId, agentType, options) => {
  const { fields } = checkTurn(agentId, agentType, options)
  state.warnOfAgent(fields.agentType)
  state.late.read(state, false)
  const turn = agentTurn(state, fields)
  countTokens(state, fields, turn, false)
  makeFenceKey(state, turn)
  const indices = /** @type {number[]} */ (parse(callNative(() => turn.overflow())))
  const messages = indices.map((index) => state.messages.at(index))
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  return { messages, bytes, upTo: messages.at(-1)?.id ?? null }
}

/**
 * @param {State} state
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {unknown} options
 * @param {Form} form
 */
const assembleForAgent = (state, agentId, agentType, options, form) => {
  const { fields } = checkTurn(agentId, agentType, options, form.request)
  // A request to an API has no layout by agent type.
  if (form.request === undefined) state.warnOfAgent(fields.agentType)
  state.late.read(state, false)
  return assembleTurn(state, fields, agentTurn(state, fields), form)
}

/**
 * @param {State} state
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {unknown} route
 * @param {unknown} options
 * @param {Form} form
 */
const assembleForRoute = (state, agentId, agentType, route, options, form) => {
  const { fields } = checkTurn(agentId, agentType, options, form.request)
  const routeFields = checkRoute(route)
  state.late.read(state, false)
  return assembleTurn(state, fields, routeTurn(state, fields, routeFields, form.request === undefined), form)
}

/**
 * @param {State} state
 * @param {import('./turns.js').TurnFields} fields
 * @param {import('./turns.js').NativeTurn} turn
 * @param {Form} form
 */
const assembleTurn = (state, fields, turn, form) => {
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
  if (report) callHook(state, fields.agentId, fields.agentType, result.report)
  const output = outputOf(form, written, result)
  if (form.report) reportMisspelling(output.report, state.unknownAgent(fields.agentType))
  return output
}

/**
 * The prompt for an input that the caller made.
 * @param {State} state
 * @param {unknown} agentType
 * @param {unknown} input
 * @param {Form} form
 */
const assemblePrompt = (state, agentType, input, form) => {
  const type = string(agentType, '', 'agentType')
  state.warnOfAgent(type)
  const assembler = callNative(() => state.native.assemblerFor(type))
  const tokenizer = state.tokenFunctions.functions[assembler.tokenFunction ?? -1]
  const onReport =
    state.onAssembled === undefined
      ? undefined
      : (/** @type {string} */ report) => callHook(state, undefined, type, report)
  const output = assembleInput(assembler, tokenizer, input, form, onReport)
  if (form.report) reportMisspelling(output.report, state.unknownAgent(type))
  return output
}

/**
 * Calls `onAssembled` after an assembly. If that throws, the caller never gets the prompt, so it must
 * not be the one that `confirm` takes.
 * @param {State} state
 * @param {any} agentId
 * @param {string} agentType
 * @param {string} json
 */
const callHook = (state, agentId, agentType, json) => {
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

module.exports = {
  RememberedTurns,
  assembleForAgent,
  assembleForRoute,
  assemblePrompt,
  contextForAgent,
  contextForRoute,
  overflowOf,
}
