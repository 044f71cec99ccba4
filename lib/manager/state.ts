/**
 * What a `ContextManager` keeps in JavaScript: its native part, and the caller's own objects. The
 * functions in the files next to this one take it as their first argument.
 *
 * Caller code runs in getters, hooks and loggers, and may call the manager again. So everything is read
 * first, and no such code runs between the last look at our state and the native call that depends on
 * it.
 */
import native = require('../../binding.js')
import { misspelled } from '../prompts/misspelled.js'
import { isMissing } from '../checks/kinds.js'
import { forNative } from '../checks/fields.js'
import { managerOptions } from './options.js'
import { callNative } from '../errors.js'
import { warn } from './logger.js'
import { MessageList } from './message-list.js'
import { LateAddressees } from './late-addressees.js'
import { TokenFunctions } from '../tokens/token-functions.js'
import { RememberedTurns } from './turns.js'
import type { CheckedTokenizer } from '../tokens/tokenizer.js'
import type { ConversationMessage } from '../messages/messages.js'

const { max } = Math
const { apply } = Reflect

/** How many speakers, and how many agent types, are remembered. */
const MAX_NAMES = 1024

export class ManagerState<M extends ConversationMessage = ConversationMessage> {
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
  messages = new MessageList<M>()
  late = new LateAddressees()
  turns = new RememberedTurns()
  tokenFunctions = new TokenFunctions()
  /** Speakers of messages that were added lately. */
  #speakers: Set<string> = new Set()
  /** Agent types that were looked up, and warned of if they are not known. */
  #knownAgents: Set<string> = new Set()

  constructor(options: unknown) {
    const checked = managerOptions(options, '', 'options')
    this.options = options
    this.logger = checked.logger
    this.onMessageAdded = checked.onMessageAdded
    this.onTeamTaskChanged = checked.onTeamTaskChanged
    this.onAssembled = checked.onAssembled
    this.maxTokens = checked.maxTokens
    this.keepsIds = checked.ids === 'keep'
    this.isFencing = checked.markers === 'fence' || checked.assemblers.some(([, { markers }]) => markers === 'fence')
    const withKept = <T extends { tokenizer?: CheckedTokenizer }>(options: T) =>
      forNative({ ...options, tokenizer: this.tokenFunctions.keep(options.tokenizer) })
    const fields = withKept(checked)
    const assemblers = checked.assemblers.map(([agentType, assembler]): [string, native.AssemblerOptionFields] => [
      agentType,
      withKept(assembler),
    ])
    this.native = callNative(() => new native.NativeManager({ ...fields, assemblers }))
  }

  replaceMessages(messages: MessageList<M>) {
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
      if (isMissing(messages.addressees(index))) this.late.watch(this, index, [])
    }
  }

  /** Whether a message may be the first of its speaker, or the first under a name. */
  isNewSpeaker({ 1: id, 2: name, 3: displayName }: native.MessageFields) {
    const speaker = `${id}\n${name}\n${displayName}`
    if (this.#speakers.has(speaker)) return false
    if (this.#speakers.size >= MAX_NAMES) this.#speakers.clear()
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
    if (this.#knownAgents.size >= MAX_NAMES) this.#knownAgents.clear()
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
    if (!isMissing(text)) warn(this.logger, text)
  }
}

/** The state of a manager, whatever its messages have besides the usual fields. */
export type State = ManagerState
