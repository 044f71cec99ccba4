'use strict'
/**
 * What a `ContextManager` keeps in JavaScript: its native part, and the caller's own objects. The
 * functions in the files next to this one take it as their first argument.
 *
 * Caller code runs in getters, hooks and loggers, and may call the manager again. So everything is read
 * first, and no such code runs between the last look at our state and the native call that depends on
 * it.
 */
const native = require('../../binding.js')
const { misspelled } = require('../agent-types.js')
const { managerOptions } = require('../checks/manager.js')
const { callNative } = require('../errors.js')
const { MessageList } = require('../message-list.js')
const { LateAddressees } = require('./late-addressees.js')
const { TokenFunctions } = require('../token-functions.js')
const { RememberedTurns } = require('./turns.js')

const { max } = Math
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
  keepsIds
  /** Whether there are fenced prompts, whose members need keys. */
  isFencing
  messages = new MessageList()
  late = new LateAddressees()
  turns = new RememberedTurns()
  tokenFunctions = new TokenFunctions()
  /** @type {Set<string>} Speakers of messages that were added lately. */
  #speakers = new Set()
  /** @type {Set<string>} Agent types that were looked up, and warned of if they are not known. */
  #knownAgents = new Set()

  /** @param {any} options */
  constructor(options) {
    const checked = managerOptions(options, '', 'options')
    this.options = options
    this.logger = checked.logger
    this.onMessageAdded = checked.onMessageAdded
    this.onTeamTaskChanged = checked.onTeamTaskChanged
    this.onAssembled = checked.onAssembled
    this.maxTokens = checked.maxTokens
    this.keepsIds = checked.ids === 'keep'
    this.isFencing = checked.markers === 'fence' || checked.assemblers.some(([, { markers }]) => markers === 'fence')
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
    this.late.clear()
    this.#speakers.clear()
    this.watchFrom(0)
    this.tokenFunctions.clear()
    for (const { id } of messages.toArray()) this.tokenFunctions.changed(id)
  }

  /**
   * Checks the newest messages without addressees again, from an index on.
   * @param {number} start
   */
  watchFrom(start) {
    const { messages } = this
    for (let index = max(start, messages.length - native.LATE_MESSAGE_COUNT); index < messages.length; index++) {
      if (messages.addressees(index) === undefined) this.late.watch(this, index, [])
    }
  }

  /**
   * Whether a message may be the first of its speaker, or the first under a name.
   * @param {any} fields
   */
  isNewSpeaker({ 1: id, 2: name, 3: displayName }) {
    const speaker = `${id}\n${name}\n${displayName}`
    if (this.#speakers.has(speaker)) return false
    if (this.#speakers.size >= MAX_SPEAKERS) this.#speakers.clear()
    this.#speakers.add(speaker)
    return true
  }

  /** @param {string | undefined} [warning] */
  teamTaskChanged(warning) {
    this.warn(warning)
    const hook = this.onTeamTaskChanged
    if (hook !== undefined) apply(hook, this.options, [this.native.teamTask ?? null])
  }

  /** Warns of an agent type that is not known, once. @param {string} agentType */
  warnOfAgent(agentType) {
    const name = agentType.trim().toLowerCase()
    if (this.#knownAgents.has(name)) return
    if (this.#knownAgents.size >= MAX_AGENTS) this.#knownAgents.clear()
    this.#knownAgents.add(name)
    const warning = this.native.agentWarning(agentType)
    const meant = warning && misspelled(agentType)
    this.warn(meant ? `${warning}. Did you mean "${meant}"?` : warning)
  }

  /** The agent type if it is not known. @param {string} agentType */
  unknownAgent(agentType) {
    return this.native.agentWarning(agentType) ? agentType : undefined
  }

  /** @param {string | null | undefined} text */
  warn(text) {
    if (text === undefined || text === null) return
    const logger = this.logger ?? console
    if (typeof logger.warn === 'function') logger.warn(text)
  }
}

/** How many speakers are remembered. */
const MAX_SPEAKERS = 1024

/** How many agent types are remembered. */
const MAX_AGENTS = 1024

/** @typedef {ManagerState} State */

module.exports = { ManagerState }
