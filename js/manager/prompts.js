'use strict'
/** Makes the prompts of a manager, and calls its hook with their reports. */
const native = require('../../binding.js')
const { assembleInput: assembleWith } = require('../assemblers.js')
const { debugFlag } = require('../debug.js')
const { errorOf } = require('../errors.js')
const { assemblerHandle } = require('../handles.js')
const { WITH_REPORT, emptySlots, formNumber, outputOf, takeReport, targetOf } = require('../output.js')
const { readRoute, readTurn } = require('../turns.js')
const { agentTurn, countTokens, routeTurn } = require('./turns.js')

/** @typedef {import('./state.js').State} State */

/** Taken out: an object that native code has made is slow to read. */
const { assembleTurn } = native
const { hasOwn } = Object
const { apply } = Reflect

/**
 * Whether native code has to make a report for the hook.
 * @param {State} state
 */
const reportFlag = ({ onAssembled }) => (onAssembled === undefined || onAssembled === null ? 0 : WITH_REPORT)

/**
 * @param {State} state
 * @param {string} agentId
 * @param {string} agentType
 * @param {any} options
 * @param {import('../form.js').Form} form
 */
const assembleForAgent = (state, agentId, agentType, options, form) => {
  const { handle } = state
  try {
    const debug = debugFlag()
    const fields = readTurn(agentId, agentType, options)
    const report = reportFlag(state)
    const counted = countTokens(state, fields, form.report || report > 0)
    const turn = state.turns.find(fields) ?? agentTurn(state, fields)
    if (counted !== undefined) native.keepTurnTokens(handle, turn, counted)
    return outputOf(form, assembleTurn(handle, turn, agentId, formNumber(form, report) + debug, targetOf(form), form.offset, emptySlots()))
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
 * @param {import('../form.js').Form} form
 */
const assembleForRoute = (state, agentId, agentType, route, options, form) => {
  const { handle } = state
  try {
    const debug = debugFlag()
    const fields = readTurn(agentId, agentType, options)
    const routeFields = readRoute(route)
    const report = reportFlag(state)
    const counted = countTokens(state, fields, form.report || report > 0)
    const turn = routeTurn(state, fields, routeFields, true)
    if (counted !== undefined) native.keepTurnTokens(handle, turn, counted)
    return outputOf(form, assembleTurn(handle, turn, agentId, formNumber(form, report) + debug, targetOf(form), form.offset, emptySlots()))
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * The prompt of an input that the caller made.
 * @param {State} state
 * @param {string} agentType
 * @param {any} input
 * @param {import('../form.js').Form} form
 */
const assembleInput = (state, agentType, input, form) => {
  const { handle, assemblers } = state
  let assembler
  try {
    const agent = state.turns.lookUpAgent(handle, '', agentType)
    state.warn(agent.warning)
    assembler = assemblers.get(agent.assembler)
    if (assembler === undefined) {
      assembler = assemblerHandle(state, native.assemblerOfAgent(handle, agent.assembler))
      assemblers.set(agent.assembler, assembler)
    }
  } catch (thrown) {
    throw errorOf(thrown)
  }
  return assembleWith(assembler, input, state.tokenFunctions.functions, form, reportFlag(state))
}

/**
 * Calls `onAssembled` after an assembly, and returns its output. If that throws, the caller never
 * gets the prompt, so it must not be the one that `confirm` takes.
 * @template {object} Output
 * @param {State} state
 * @param {string | undefined} agentId
 * @param {string} agentType
 * @param {Output & { report?: unknown }} output
 * @returns {Output}
 */
const assembled = (state, agentId, agentType, output) => {
  const { handle, onAssembled: hook } = state
  if (hook !== undefined && hook !== null) {
    const report = output.report ?? takeReport()
    const prompt = hasOwn(report, 'session') ? native.pendingPrompt(handle, agentId) : undefined
    try {
      apply(hook, state.options, [{ agentId, agentType, report }])
    } catch (thrown) {
      if (prompt !== undefined) native.withdrawPrompt(handle, agentId, prompt)
      throw thrown
    }
  }
  return output
}

module.exports = { assembleForAgent, assembleForRoute, assembleInput, assembled }
