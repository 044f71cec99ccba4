'use strict'
/**
 * What native code knows of earlier calls for an agent. An agent's options are mostly the same
 * from call to call, so they cross once and are then known by a number.
 *
 * Strings, numbers and nothing are compared. An array is passed each time: it may have been
 * changed since.
 */
const native = require('../binding.js')

/** The number for turns that are used once. */
const TEMPORARY = 0
/** The numbers after it are for agents; native code has room for a few more. */
const MAX_TURNS = 64

/**
 * @typedef {object} Agent
 * @property {number} assembler
 * @property {string | undefined} warning
 *
 * @typedef {object} TurnFields What a turn is asked for with, as it was read.
 * @property {unknown} agentId
 * @property {unknown} agentType
 * @property {any} options
 * @property {unknown} systemInstruction
 * @property {unknown} instructionFileText
 * @property {unknown} windowSizeOverride
 * @property {unknown} recipient
 * @property {unknown} maxSiblings
 * @property {unknown} forceParentReinsertion
 * @property {unknown} systemInstructionText
 * @property {unknown} session
 * @property {unknown} maxTokens
 * @property {unknown} tokenizer
 *
 * @typedef {object} RouteFields
 * @property {unknown} route
 * @property {any} parentMessageId
 * @property {any} targetMemberId
 * @property {any} intent
 *
 * @typedef {TurnFields & { turn: number }} KnownTurn
 */

/**
 * Reads each field once.
 * @param {unknown} agentId
 * @param {unknown} agentType
 * @param {any} options
 * @returns {TurnFields}
 */
const readTurn = (agentId, agentType, options) => {
  const systemInstruction = options?.systemInstruction
  return {
    agentId,
    agentType,
    options,
    systemInstruction,
    instructionFileText: options?.instructionFileText,
    windowSizeOverride: options?.windowSizeOverride,
    recipient: options?.recipient,
    maxSiblings: options?.maxSiblings,
    forceParentReinsertion: options?.forceParentReinsertion,
    systemInstructionText: systemInstruction ?? options?.systemInstructionText,
    session: options?.session,
    maxTokens: options?.maxTokens,
    tokenizer: options?.tokenizer,
  }
}

/**
 * Reads each field of a route once.
 * @param {any} route
 * @returns {RouteFields}
 */
const readRoute = (route) => ({
  route,
  parentMessageId: route?.parentMessageId,
  targetMemberId: route?.targetMemberId,
  intent: route?.intent,
})

/** @param {unknown} value */
const isObject = (value) => typeof value === 'object' && value !== null

class Turns {
  /** @type {Map<unknown, Agent>} */
  #agents = new Map()
  /** @type {Map<unknown, KnownTurn>} */
  #known = new Map()
  #nextTurn = TEMPORARY + 1

  /**
   * The number of a turn that native code has, if these are the same fields as last time.
   * @param {TurnFields} fields
   */
  find(fields) {
    const known = this.#known.get(fields.agentId)
    const isSame = known !== undefined && known.agentType === fields.agentType &&
      known.systemInstruction === fields.systemInstruction && known.instructionFileText === fields.instructionFileText &&
      known.windowSizeOverride === fields.windowSizeOverride && known.recipient === fields.recipient &&
      known.systemInstructionText === fields.systemInstructionText && known.session === fields.session &&
      known.maxTokens === fields.maxTokens && known.tokenizer === fields.tokenizer && typeof known.options === typeof fields.options
    return isSame ? known.turn : undefined
  }

  /**
   * @param {number} handle
   * @param {unknown} agentId
   * @param {unknown} agentType
   * @returns {Agent}
   */
  lookUpAgent(handle, agentId, agentType) {
    const known = this.#agents.get(agentType)
    if (known !== undefined && typeof agentId === 'string') return known
    const found = native.lookUpAgent(handle, agentId, agentType)
    const agent = typeof found === 'number'
      ? { assembler: found, warning: undefined }
      : { assembler: found[0], warning: found[1] }
    if (this.#agents.size >= MAX_TURNS) this.#agents.clear()
    this.#agents.set(agentType, agent)
    return agent
  }

  /**
   * Has native code keep a turn of the latest message, and returns its number.
   * @param {number} handle
   * @param {TurnFields} fields
   * @param {Agent} agent
   */
  keep(handle, fields, agent) {
    // What has to be warned of each time, or may change unseen, is not remembered.
    if (isObject(fields.systemInstruction) || isObject(fields.tokenizer) || agent.warning !== undefined) {
      pass(handle, TEMPORARY, fields, agent)
      return TEMPORARY
    }
    const { agentId } = fields
    const turn = this.#known.get(agentId)?.turn ?? this.#newTurn()
    // If native code refuses it, neither side may think that the other has it.
    this.#known.delete(agentId)
    pass(handle, turn, fields, agent)
    this.#known.set(agentId, { ...fields, turn })
    return turn
  }

  /**
   * The same for a turn that answers a given message.
   * @param {number} handle
   * @param {TurnFields} fields
   * @param {Agent} agent
   * @param {RouteFields} route
   */
  keepRoute(handle, fields, agent, route) {
    pass(handle, TEMPORARY, fields, agent, route)
    return TEMPORARY
  }

  #newTurn() {
    if (this.#nextTurn > MAX_TURNS) {
      this.#known.clear()
      this.#nextTurn = TEMPORARY + 1
    }
    return this.#nextTurn++
  }
}

/**
 * @param {number} handle
 * @param {number} turn
 * @param {TurnFields} fields
 * @param {Agent} agent
 * @param {RouteFields} [route]
 */
const pass = (handle, turn, fields, agent, route) => native.keepTurn(
  handle, turn, fields.agentId, agent.assembler,
  route !== undefined, route?.route, route?.parentMessageId, route?.targetMemberId, route?.intent, fields.options,
  fields.systemInstruction, fields.instructionFileText, fields.windowSizeOverride, fields.recipient,
  fields.maxSiblings, fields.forceParentReinsertion, fields.systemInstructionText, fields.session, fields.maxTokens, fields.tokenizer,
)

module.exports = { Turns, readRoute, readTurn }
