'use strict'
/** Makes the prompts of a manager, and calls its hook with their reports. */
const { assembleInput } = require('../assemblers.js')
const { string } = require('../checks/kinds.js')
const { route: checkRoute, turn: checkTurn } = require('../checks/manager.js')
const { callNative, errorOf } = require('../errors.js')
const { emptyResult, isDebugged, outputOf } = require('../output.js')
const { agentTurn, countTokens, routeTurn } = require('./turns.js')

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('../checks/form.js').Form} Form
 */

const { parse } = JSON
const { hasOwn } = Object
const { apply } = Reflect

/**
 * @param {State} state
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {unknown} options
 * @param {Form} form
 */
const assembleForAgent = (state, agentId, agentType, options, form) => {
  const { fields } = checkTurn(agentId, agentType, options)
  state.warnOfAgent(fields.agentType)
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
  const { fields } = checkTurn(agentId, agentType, options)
  return assembleTurn(state, fields, routeTurn(state, fields, checkRoute(route), true), form)
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
  const result = emptyResult()
  let written
  try {
    written = turn.assemble(form.kind === 'buffer', form.into, form.offset, report, isDebugged(), result)
  } catch (thrown) {
    throw errorOf(thrown)
  }
  if (report) callHook(state, fields.agentId, fields.agentType, result.report)
  return outputOf(form, written, result)
}

/**
 * The prompt of an input that the caller made.
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
  const onReport = state.onAssembled === undefined
    ? undefined
    : (/** @type {string} */ report) => callHook(state, undefined, type, report)
  return assembleInput(assembler, tokenizer, input, form, onReport)
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
  const prompt = hasOwn(report, 'session') ? native.pendingPrompt(agentId) : undefined
  try {
    apply(hook, state.options, [{ agentId, agentType, report }])
  } catch (thrown) {
    if (typeof prompt === 'number') native.withdrawPrompt(agentId, prompt)
    throw thrown
  }
}

module.exports = { assembleForAgent, assembleForRoute, assemblePrompt }
