'use strict'
/**
 * `ContextManager`: its methods. Native code has the texts of the conversation; the caller's own
 * objects (messages, hooks, logger) are in `js/manager/state.js`, where the garbage collector sees
 * them, and the functions in `js/manager/` do the work.
 */
const native = require('../binding.js')
const { errorOf, wrongReceiver } = require('./errors.js')
const { readForm } = require('./form.js')
const { addMessage, removeMessage, setPinned, updateMessage } = require('./manager/messages.js')
const { assembleForAgent, assembleForRoute, assembleInput, assembled } = require('./manager/prompts.js')
const { clear, exportSnapshot, importSnapshot } = require('./manager/snapshots.js')
const { ManagerState } = require('./manager/state.js')
const { contextForAgent, contextForRoute, overflowOf } = require('./manager/turns.js')

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
    return ContextManager.#stateOf(this).messages.toArray()
  }

  getLatestMessage() {
    const { messages } = ContextManager.#stateOf(this)
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
    let warning
    try {
      warning = native.setTeamTask(state.handle, task)
    } catch (thrown) {
      throw errorOf(thrown)
    }
    state.teamTaskChanged(warning)
  }

  getTeamTask() {
    return native.teamTask(ContextManager.#stateOf(this).handle)
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
    const state = ContextManager.#stateOf(this)
    return assembled(state, undefined, agentType, assembleInput(state, agentType, input, readForm(form)))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   * @param {any} [form]
   */
  assembleForAgent(agentId, agentType, options, form) {
    const state = ContextManager.#stateOf(this)
    return assembled(state, agentId, agentType, assembleForAgent(state, agentId, agentType, options, readForm(form)))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} [options]
   * @param {any} [form]
   */
  assembleForRoute(agentId, agentType, route, options, form) {
    const state = ContextManager.#stateOf(this)
    return assembled(state, agentId, agentType, assembleForRoute(state, agentId, agentType, route, options, readForm(form)))
  }

  /** @param {any} summary */
  setSummary(summary) {
    const { handle } = ContextManager.#stateOf(this)
    try {
      native.setSummary(handle, summary, summary?.upTo, summary?.text, summary?.recipient)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string | null} [recipient] */
  getSummary(recipient) {
    const { handle } = ContextManager.#stateOf(this)
    try {
      const found = native.getSummary(handle, recipient)
      if (found === undefined) return null
      const [upTo = null, text, of] = found
      return of === undefined ? { upTo, text } : { upTo, text, recipient: of }
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string | null} [recipient] */
  clearSummary(recipient) {
    const { handle } = ContextManager.#stateOf(this)
    try {
      native.clearSummary(handle, recipient)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   */
  overflow(agentId, agentType, options) {
    return overflowOf(ContextManager.#stateOf(this), agentId, agentType, options)
  }

  /** @param {string} agentId */
  confirm(agentId) {
    const { handle } = ContextManager.#stateOf(this)
    try {
      return native.confirmSession(handle, agentId)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string} agentId */
  forget(agentId) {
    const { handle } = ContextManager.#stateOf(this)
    try {
      return native.forgetSession(handle, agentId)
    } catch (thrown) {
      throw errorOf(thrown)
    }
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

module.exports = { ContextManager }
