'use strict'
/** The turns of a manager: what an agent sees in one, and what prompts are made with. */
const native = require('../../binding.js')
const { errorOf } = require('../errors.js')
const { readRoute, readTurn } = require('../turns.js')
const { messagesOf, routeContext } = require('../views.js')

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('../turns.js').TurnFields} TurnFields
 * @typedef {import('../turns.js').RouteFields} RouteFields
 */

/**
 * The number of a turn that native code does not have yet.
 * @param {State} state
 * @param {TurnFields} fields
 */
const agentTurn = (state, fields) => {
  const agent = state.turns.lookUpAgent(state.handle, fields.agentId, fields.agentType)
  state.warn(agent.warning)
  return state.turns.keep(state.handle, fields, agent)
}

/**
 * @param {State} state
 * @param {TurnFields} fields
 * @param {RouteFields} route
 * @param {boolean} isAssembled Whether an unknown agent type is warned of.
 */
const routeTurn = (state, fields, route, isAssembled) => {
  const { handle, turns } = state
  const agent = turns.lookUpAgent(handle, fields.agentId, fields.agentType)
  const turn = turns.keepRoute(handle, fields, agent, route)
  const missingParent = native.missingParent(handle, turn)
  const unknownAgent = isAssembled ? agent.warning : undefined
  if (missingParent === undefined && unknownAgent === undefined) return turn
  state.warn(missingParent)
  state.warn(unknownAgent)
  // The logger may have used the same number for another turn.
  return turns.keepRoute(handle, fields, agent, route)
}

/**
 * Has tokenizers that are functions count what a turn needs. Returns what they have counted of
 * its texts, for native code; undefined if there is nothing to count.
 * @param {State} state
 * @param {TurnFields} fields
 * @param {boolean} isReported
 */
const countTokens = (state, { systemInstruction, instructionFileText, recipient, agentId, maxTokens }, isReported) => {
  const { handle, tokenFunctions } = state
  const isLimited = (maxTokens ?? state.maxTokens ?? null) !== null
  if (tokenFunctions.isEmpty || !(isLimited || isReported)) return undefined
  tokenFunctions.countMessages(handle, (index) => state.messages.at(index))
  const instruction = Array.isArray(systemInstruction) ? systemInstruction : [systemInstruction]
  const summary = native.getSummary(handle, recipient ?? agentId)?.[1]
  const parts = [[...instruction, instructionFileText], [native.teamTask(handle)], [summary]].map((texts) => tokenFunctions.countTexts(texts))
  return tokenFunctions.functions.flatMap((_, index) => parts.flatMap((part) => part[index]))
}

/**
 * What an agent sees, as input for an assembler; `route` is undefined if no parent was found.
 * @param {number} handle
 * @param {number} turn
 * @param {TurnFields} fields
 */
const viewOf = (handle, turn, { systemInstruction, instructionFileText }) => {
  const [currentMessage, summary, teamTask, maxBytes, maxTokens, shown, pinned, gapsBefore, parent, siblings, siblingsInAll] = native.viewTurn(handle, turn)
  /** @type {any} */
  const context = { contextMessages: messagesOf(shown), currentMessage, teamTask, systemInstruction, instructionFileText, maxBytes }
  if (maxTokens !== undefined) context.maxTokens = maxTokens
  if (summary !== undefined) context.summary = summary
  if (pinned.length > 0) context.pinned = pinned
  if (gapsBefore.length > 0) context.gapsBefore = gapsBefore
  return {
    context,
    route: parent && siblings && { parent: messagesOf(parent)[0], siblings: messagesOf(siblings), siblingsInAll: siblingsInAll ?? 0 },
  }
}

/**
 * @param {State} state
 * @param {string} agentId
 * @param {string} agentType
 * @param {any} options
 */
const contextForAgent = (state, agentId, agentType, options) => {
  const { handle, turns } = state
  try {
    const fields = readTurn(agentId, agentType, options)
    const agent = turns.lookUpAgent(handle, agentId, agentType)
    const turn = turns.find(fields) ?? turns.keep(handle, fields, agent)
    return viewOf(handle, turn, fields).context
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * @param {State} state
 * @param {string} agentId
 * @param {string} agentType
 * @param {any} route
 * @param {any} options
 */
const contextForRoute = (state, agentId, agentType, route, options) => {
  try {
    const fields = readTurn(agentId, agentType, options)
    const routeFields = readRoute(route)
    const turn = routeTurn(state, fields, routeFields, false)
    const view = viewOf(state.handle, turn, fields)
    return { ...view.context, ...routeContext(view, routeFields) }
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * The messages that an agent's next prompt leaves out, and no summary covers.
 * @param {State} state
 * @param {string} agentId
 * @param {string} agentType
 * @param {any} options
 */
const overflowOf = (state, agentId, agentType, options) => {
  const { handle } = state
  try {
    const fields = readTurn(agentId, agentType, options)
    const counted = countTokens(state, fields, false)
    const turn = state.turns.find(fields) ?? agentTurn(state, fields)
    if (counted !== undefined) native.keepTurnTokens(handle, turn, counted)
    const messages = native.overflowOfTurn(handle, turn).map((index) => state.messages.at(index))
    const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
    return { messages, bytes, upTo: messages.at(-1)?.id ?? null }
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

module.exports = { agentTurn, contextForAgent, contextForRoute, countTokens, overflowOf, routeTurn }
