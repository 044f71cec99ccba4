'use strict'
/**
 * What a `ContextManager` keeps in JavaScript: the number of its native part, the caller's own
 * objects, and what native code already has. The functions in the files beside this one take it
 * first.
 *
 * Code of the caller's runs in getters, hooks and loggers, and may call the manager again. So
 * everything is read first, and no such code runs between the last look at our own state and
 * the call of native code that depends on it.
 */
const native = require('../../binding.js')
const { Envelopes } = require('../envelopes.js')
const { errorOf } = require('../errors.js')
const { managerHandle } = require('../handles.js')
const { MessageList } = require('../message-list.js')
const { TokenFunctions } = require('../token-functions.js')
const { Turns } = require('../turns.js')

const { apply } = Reflect

class ManagerState {
  // Declared, so that no assignment below calls a setter of `Object.prototype`.
  handle
  /** The object that the hooks came in, and are called as methods of. */
  options
  logger
  onMessageAdded
  onTeamTaskChanged
  onAssembled
  maxTokens
  messages = new MessageList()
  envelopes = new Envelopes()
  turns = new Turns()
  tokenFunctions = new TokenFunctions()
  /** @type {Map<number, number>} Handles of assemblers, by their number in native code. */
  assemblers = new Map()

  /** @param {any} options */
  constructor(options) {
    this.options = options
    this.logger = options?.logger
    this.onMessageAdded = options?.onMessageAdded
    this.onTeamTaskChanged = options?.onTeamTaskChanged
    this.onAssembled = options?.onAssembled
    this.maxTokens = options?.maxTokens
    try {
      const handle = native.createManager(
        options, this.onMessageAdded, this.onTeamTaskChanged, this.onAssembled, this.logger, this.maxTokens, this.tokenFunctions.functions,
      )
      this.handle = managerHandle(this, handle)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {InstanceType<typeof MessageList>} messages */
  replaceMessages(messages) {
    this.messages = messages
    this.envelopes.clear()
    this.tokenFunctions.clear()
    for (const { id } of messages.toArray()) this.tokenFunctions.changed(id)
  }

  /** @param {string | undefined} warning */
  teamTaskChanged(warning) {
    this.warn(warning)
    const hook = this.onTeamTaskChanged
    if (hook !== undefined && hook !== null) apply(hook, this.options, [native.teamTask(this.handle)])
  }

  /** @param {string | undefined} text */
  warn(text) {
    if (text === undefined) return
    const logger = this.logger ?? console
    if (typeof logger.warn === 'function') logger.warn(text)
  }
}

/** @typedef {ManagerState} State */

module.exports = { ManagerState }
