'use strict'
/** The turns of a manager: what an agent sees in one, and what prompts are made with. */
const { route: checkRoute, turn: checkTurn } = require('../checks/manager.js')
const { callNative } = require('../errors.js')

const { parse } = JSON

/**
 * @typedef {import('./state.js').State} State
 * @typedef {ReturnType<typeof checkTurn>['fields']} TurnFields
 * @typedef {ReturnType<typeof checkRoute>} RouteFields
 * @typedef {import('./remembered-turns.js').NativeTurn} NativeTurn
 */

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
 * @param {boolean} isAssembled Whether an unknown agent type is warned of.
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
const countTokens = (state, { systemInstruction, instructionFileText, recipient, agentId, maxTokens }, turn, isReported) => {
  const { tokenFunctions } = state
  const isLimited = maxTokens !== undefined || state.maxTokens !== undefined
  if (tokenFunctions.isEmpty || !(isLimited || isReported)) return
  tokenFunctions.countMessages(state.native, (index) => state.messages.at(index))
  const instruction = Array.isArray(systemInstruction) ? systemInstruction : [systemInstruction]
  const summary = parse(state.native.getSummary(recipient ?? agentId))?.text
  const parts = [[...instruction, instructionFileText], [state.native.teamTask], [summary]].map((texts) => tokenFunctions.countTexts(texts))
  turn.keepTokens(tokenFunctions.functions.flatMap((_, index) => parts.flatMap((part) => part[index] ?? [])))
}

/**
 * What an agent sees, as input for an assembler; `route` is undefined if no parent was found.
 * @param {NativeTurn} turn
 * @param {object} given What the caller has passed.
 */
const viewOf = (turn, given) => {
  const { route, ...context } = parse(callNative(() => turn.view()))
  return { context: { ...context, ...given }, route }
}

/**
 * @param {State} state
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {unknown} options
 */
const contextForAgent = (state, agentId, agentType, options) => {
  const { fields, given } = checkTurn(agentId, agentType, options)
  return viewOf(agentTurn(state, fields), given).context
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
  const view = viewOf(routeTurn(state, fields, routeFields, false), given)
  return { ...view.context, ...routeContext(view.route, routeFields) }
}

/**
 * What `getContextForRoute` returns besides the context.
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
 * The messages that an agent's next prompt leaves out, and no summary covers.
 * @param {State} state
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {unknown} options
 */
const overflowOf = (state, agentId, agentType, options) => {
  const { fields } = checkTurn(agentId, agentType, options)
  state.warnOfAgent(fields.agentType)
  const turn = agentTurn(state, fields)
  countTokens(state, fields, turn, false)
  const indices = /** @type {number[]} */ (parse(callNative(() => turn.overflow())))
  const messages = indices.map((index) => state.messages.at(index))
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  return { messages, bytes, upTo: messages.at(-1)?.id ?? null }
}

module.exports = { agentTurn, contextForAgent, contextForRoute, countTokens, overflowOf, routeTurn }
