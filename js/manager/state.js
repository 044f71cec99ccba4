'use strict'
/**
 * What a `ContextManager` keeps in JavaScript: its native part, and the caller's own objects. The
 * functions in the files beside this one take it first.
 *
 * Code of the caller's runs in getters, hooks and loggers, and may call the manager again. So
 * everything is read first, and no such code runs between the last look at our own state and
 * the call of native code that depends on it.
 */
const native = require('../../binding.js')
const { managerOptions } = require('../checks/manager.js')
const { callNative } = require('../errors.js')
const { MessageList } = require('../message-list.js')
const { TokenFunctions } = require('../token-functions.js')
const { RememberedTurns } = require('./turns.js')

const { apply, construct } = Reflect

class ManagerState {
  // Declared, so that no assignment below calls a setter of `Object.prototype`.
  native
  /** The object that the hooks came in, and are called as methods of. */
  options
  logger
  onMessageAdded
  onTeamTaskChanged
  onAssembled
  maxTokens
  messages = new MessageList()
  turns = new RememberedTurns()
  tokenFunctions = new TokenFunctions()
  /** @type {Map<string, string | undefined>} What to tell the user about agent types. */
  #warnings = new Map()

  /** @param {any} options */
  constructor(options) {
    const checked = managerOptions(options, '', 'options')
    this.options = options
    this.logger = checked.logger
    this.onMessageAdded = checked.onMessageAdded
    this.onTeamTaskChanged = checked.onTeamTaskChanged
    this.onAssembled = checked.onAssembled
    this.maxTokens = checked.maxTokens
    const fields = {
      ...checked,
      tokenizer: this.tokenFunctions.keep(checked.tokenizer),
      assemblers: checked.assemblers.map(([agentType, assembler]) => [
        agentType,
        { ...assembler, tokenizer: this.tokenFunctions.keep(assembler.tokenizer) },
      ]),
    }
    this.native = /** @type {InstanceType<typeof native.NativeManager>} */ (
      callNative(construct, native.NativeManager, [fields])
    )
  }

  /** @param {InstanceType<typeof MessageList>} messages */
  replaceMessages(messages) {
    this.messages = messages
    this.tokenFunctions.clear()
    for (const { id } of messages.toArray()) this.tokenFunctions.changed(id)
  }

  /** @param {string | undefined} [warning] */
  teamTaskChanged(warning) {
    this.warn(warning)
    const hook = this.onTeamTaskChanged
    if (hook !== undefined) apply(hook, this.options, [this.native.teamTask ?? null])
  }

  /** Warns of an agent type that is not known. @param {string} agentType */
  warnOfAgent(agentType) {
    if (!this.#warnings.has(agentType)) {
      if (this.#warnings.size >= MAX_WARNINGS) this.#warnings.clear()
      this.#warnings.set(agentType, this.native.agentWarning(agentType) ?? undefined)
    }
    this.warn(this.#warnings.get(agentType))
  }

  /** @param {string | null | undefined} text */
  warn(text) {
    if (text === undefined || text === null) return
    const logger = this.logger ?? console
    if (typeof logger.warn === 'function') logger.warn(text)
  }
}

/** So many agent types are remembered. */
const MAX_WARNINGS = 64

/** @typedef {ManagerState} State */

module.exports = { ManagerState }
