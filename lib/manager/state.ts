/**
 * What a `ContextManager` keeps in JavaScript: its native part, and the caller's own objects. The
 * functions in the files next to this one take it as their first argument.
 *
 * Caller code runs in getters, hooks and loggers, and may call the manager again. So everything is read
 * first, and no such code runs between the last look at our state and the native call that depends on
 * it.
 */
import native = require('../../binding.js')
import { misspelled } from '../prompts/agent-types.js'
import { managerOptions } from './options.js'
import { callNative } from '../errors.js'
import { MessageList } from './message-list.js'
import { LateAddressees } from './late-addressees.js'
import { TokenFunctions } from '../tokens/token-functions.js'
import { RememberedTurns } from './turns.js'

const { max } = Math
const { apply, construct } = Reflect

export class ManagerState {
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
  /** Speakers of messages that were added lately. */
  #speakers: Set<string> = new Set()
  /** Agent types that were looked up, and warned of if they are not known. */
  #knownAgents: Set<string> = new Set()

  constructor(options: any) {
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
    this.native = callNative(construct, native.NativeManager, [fields]) as InstanceType<typeof native.NativeManager>
  }

  replaceMessages(messages: InstanceType<typeof MessageList>) {
    this.messages = messages
    this.late.clear()
    this.#speakers.clear()
    this.watchFrom(0)
    this.tokenFunctions.clear()
    for (const { id } of messages.toArray()) this.tokenFunctions.changed(id)
  }

  /** Checks the newest messages without addressees again, from an index on. */
  watchFrom(start: number) {
    const { messages } = this
    for (let index = max(start, messages.length - native.LATE_MESSAGE_COUNT); index < messages.length; index++) {
      if (messages.addressees(index) === undefined) this.late.watch(this, index, [])
    }
  }

  /** Whether a message may be the first of its speaker, or the first under a name. */
  isNewSpeaker({ 1: id, 2: name, 3: displayName }: any) {
    const speaker = `${id}\n${name}\n${displayName}`
    if (this.#speakers.has(speaker)) return false
    if (this.#speakers.size >= MAX_SPEAKERS) this.#speakers.clear()
    this.#speakers.add(speaker)
    return true
  }

  teamTaskChanged(warning?: string | undefined) {
    this.warn(warning)
    const hook = this.onTeamTaskChanged
    if (hook !== undefined) apply(hook, this.options, [this.native.teamTask ?? null])
  }

  /** Warns of an agent type that is not known, once. */
  warnOfAgent(agentType: string) {
    const name = agentType.trim().toLowerCase()
    if (this.#knownAgents.has(name)) return
    if (this.#knownAgents.size >= MAX_AGENTS) this.#knownAgents.clear()
    this.#knownAgents.add(name)
    const warning = this.native.agentWarning(agentType)
    const meant = warning && misspelled(agentType)
    this.warn(meant ? `${warning}. Did you mean "${meant}"?` : warning)
  }

  /** The agent type if it is not known. */
  unknownAgent(agentType: string) {
    return this.native.agentWarning(agentType) ? agentType : undefined
  }

  warn(text: string | null | undefined) {
    if (text === undefined || text === null) return
    const logger = this.logger ?? console
    if (typeof logger.warn === 'function') logger.warn(text)
  }
}

/** How many speakers are remembered. */
const MAX_SPEAKERS = 1024

/** How many agent types are remembered. */
const MAX_AGENTS = 1024

export type State = ManagerState
