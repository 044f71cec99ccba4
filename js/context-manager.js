'use strict'
/**
 * `ContextManager`: its methods. Native code has the texts of the conversation; the caller's own
 * objects (messages, hooks, logger) are in `js/manager/state.js`, where the garbage collector sees
 * them, and the functions in `js/manager/` do the work.
 */
const { readForm } = require('./checks/form.js')
const { isMissing, optional, string } = require('./checks/kinds.js')
const { summary: summaryFields } = require('./checks/manager.js')
const { wrongType } = require('./checks/problems.js')
const { callNative, wrongReceiver } = require('./errors.js')
const { addMessage, removeMessage, setPinned, updateMessage } = require('./manager/messages.js')
const { clear, exportSnapshot, importSnapshot } = require('./manager/snapshots.js')
const { ManagerState } = require('./manager/state.js')
const {
  assembleForAgent,
  assembleForRoute,
  assemblePrompt,
  contextForAgent,
  contextForRoute,
  overflowOf,
} = require('./manager/turns.js')

const optionalString = optional(string)

/**
 * Marks all messages as seen by an agent, because its session already has them.
 * @type {(manager: any, agentId: string) => void}
 */
let sessionHasAll

class ContextManager {
  #state

  /** @param {any} [options] */
  constructor(options) {
    this.#state = new ManagerState(options)
  }

  /** @param {ContextManager} manager */
  static #stateOf(manager) {
    try {
      return manager.#state
    } catch {
      throw wrongReceiver('ContextManager')
    }
  }

  /** @param {any} message */
  addMessage(message) {
    return addMessage(ContextManager.#stateOf(this), message)
  }

  getMessages() {
    const state = ContextManager.#stateOf(this)
    state.late.read(state, true)
    return state.messages.toArray()
  }

  getLatestMessage() {
    const state = ContextManager.#stateOf(this)
    state.late.read(state, true)
    const { messages } = state
    return messages.at(messages.length - 1) ?? null
  }

  /**
   * @param {string} id
   * @param {any} changes
   */
  updateMessage(id, changes) {
    return updateMessage(ContextManager.#stateOf(this), id, changes)
  }

  /** @param {string} id */
  removeMessage(id) {
    return removeMessage(ContextManager.#stateOf(this), id)
  }

  /** @param {string} id */
  pin(id) {
    return setPinned(ContextManager.#stateOf(this), id, true)
  }

  /** @param {string} id */
  unpin(id) {
    return setPinned(ContextManager.#stateOf(this), id, false)
  }

  /** @param {string | null} task */
  setTeamTask(task) {
    const state = ContextManager.#stateOf(this)
    if (!isMissing(task) && typeof task !== 'string') wrongType('a string or null', task, '', 'task')
    state.teamTaskChanged(callNative(() => state.native.setTeamTask(task ?? undefined)) ?? undefined)
  }

  getTeamTask() {
    return ContextManager.#stateOf(this).native.teamTask ?? null
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   */
  getContextForAgent(agentId, agentType, options) {
    return contextForAgent(ContextManager.#stateOf(this), agentId, agentType, options)
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} [options]
   */
  getContextForRoute(agentId, agentType, route, options) {
    return contextForRoute(ContextManager.#stateOf(this), agentId, agentType, route, options)
  }

  /**
   * @param {string} agentType
   * @param {any} input
   * @param {any} [form]
   */
  assemblePrompt(agentType, input, form) {
    return assemblePrompt(ContextManager.#stateOf(this), agentType, input, readForm(form))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   * @param {any} [form]
   */
  assembleForAgent(agentId, agentType, options, form) {
    return assembleForAgent(ContextManager.#stateOf(this), agentId, agentType, options, readForm(form, true))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} [options]
   * @param {any} [form]
   */
  assembleForRoute(agentId, agentType, route, options, form) {
    return assembleForRoute(ContextManager.#stateOf(this), agentId, agentType, route, options, readForm(form, true))
  }

  /** @param {any} summary */
  setSummary(summary) {
    const { native } = ContextManager.#stateOf(this)
    const { upTo, text, recipient } = summaryFields(summary, '', 'summary')
    callNative(() => native.setSummary(upTo, text, recipient))
  }

  /** @param {string | null} [recipient] */
  getSummary(recipient) {
    const { native } = ContextManager.#stateOf(this)
    return JSON.parse(native.getSummary(optionalString(recipient, '', 'recipient')))
  }

  /** @param {string | null} [recipient] */
  clearSummary(recipient) {
    ContextManager.#stateOf(this).native.clearSummary(optionalString(recipient, '', 'recipient'))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   */
  overflow(agentId, agentType, options) {
    return overflowOf(ContextManager.#stateOf(this), agentId, agentType, options)
  }

  static {
    // Not a method, because it would become part of the public class.
    sessionHasAll = (manager, agentId) => ContextManager.#stateOf(manager).native.sessionHasAll(agentId)
  }

  /** @param {string} agentId */
  confirm(agentId) {
    return ContextManager.#stateOf(this).native.confirmSession(string(agentId, '', 'agentId'))
  }

  /** @param {string} agentId */
  forget(agentId) {
    return ContextManager.#stateOf(this).native.forgetSession(string(agentId, '', 'agentId'))
  }

  /** @param {string} member */
  removeMember(member) {
    const state = ContextManager.#stateOf(this)
    const name = string(member, '', 'member')
    // Everything addressed so far was for the member who is leaving.
    state.late.read(state, true)
    state.native.removeMember(name)
  }

  clear() {
    clear(ContextManager.#stateOf(this))
  }

  /** @param {any} [options] */
  exportSnapshot(options) {
    return exportSnapshot(ContextManager.#stateOf(this), options)
  }

  /**
   * @param {any} snapshot
   * @param {any} [options]
   */
  importSnapshot(snapshot, options) {
    importSnapshot(ContextManager.#stateOf(this), snapshot, options)
  }
}

module.exports = { ContextManager, sessionHasAll }
