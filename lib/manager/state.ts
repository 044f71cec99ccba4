/**
 * What a `ContextManager` keeps in JavaScript: its native part, and the caller's own objects. The functions in the
 * files next to this one take it as their first argument.
 *
 * Caller code runs in getters, hooks and loggers, and may call the manager again. So everything is read first, and no
 * such code runs between the last look at our state and the native call that depends on it.
 */
import native = require('../../binding.js')
import { later } from '../later.js'
import { isMissing } from '../checks/kinds.js'
import { forNative } from '../checks/fields.js'
import { managerOptions } from './options.js'
import { callNative } from '../errors.js'
import { warn } from './logger.js'
import { Envelopes } from './envelopes.js'
import { MessageList } from './message-list.js'
import { TokenFunctions } from '../tokens/token-functions.js'
import type { CheckedTokenizer } from '../tokens/tokenizer.js'
import type { LateMessage } from './late-addressees.js'
import type { ConversationMessage } from '../messages/messages.js'

const misspelled = later(
  () => require('../prompts/misspelled.js') as typeof import('../prompts/misspelled.js'),
  'misspelled',
)

const { apply } = Reflect

/** How many speakers, and how many agent types, are remembered. */
const MAX_NAMES = 1024

export class ManagerState<M extends ConversationMessage = ConversationMessage> {
  // Declared, so that no assignment below calls a setter of `Object.prototype`.
  native
  /** The object that the hooks came in, and are called as methods of. */
  given
  options
  /** Whether there are fenced prompts, whose members need keys. */
  isFencing
  messages = new MessageList<M>()
  /** Whether addressees may be written into messages later. */
  isReadLate = true
  /** The newest messages without addressees, by their ids, oldest first. */
  late: Map<string, LateMessage> = new Map()
  /** The native turns, by the ids of their agents, and what they were made with. */
  turns: Map<string, { fields: native.TurnFields; turn: native.NativeTurn }> = new Map()
  tokenFunctions = new TokenFunctions()
  envelopes = new Envelopes()
  /** Speakers of messages that were added lately. */
  #speakers: Set<string> = new Set()
  /** Agent types that were looked up, and warned of if they are not known: as given, and as compared. */
  #agents: Set<string> = new Set()
  /** Whether agent types are known. */
  #known: Map<string, boolean> = new Map()

  constructor(given: unknown) {
    const options = managerOptions(given, '', 'options')
    this.given = given
    this.options = options
    this.isFencing = options.markers === 'fence' || options.assemblers.some(([, { markers }]) => markers === 'fence')
    const withNumber = <T extends { tokenizer?: CheckedTokenizer }>(fields: T) =>
      forNative({ ...fields, tokenizer: this.tokenFunctions.keep(fields.tokenizer) })
    const fields = withNumber(options)
    const assemblers = options.assemblers.map(([agentType, assembler]): [string, native.AssemblerOptionFields] => [
      agentType,
      withNumber(assembler),
    ])
    this.native = callNative(() => new native.NativeManager({ ...fields, assemblers }))
  }

  /** Forgets the messages, and has others instead. */
  replaceMessages(messages: MessageList<M>) {
    this.messages = messages
    this.late.clear()
    this.#speakers.clear()
    this.envelopes.clear()
    this.tokenFunctions.clear()
  }

  /** Whether a message may be the first of its speaker, or the first under a name. */
  isNewSpeaker({ 1: id, 2: name, 3: displayName }: native.MessageFields) {
    return isNew(this.#speakers, `${id}\n${name}\n${displayName}`)
  }

  teamTaskChanged(warning?: string | undefined) {
    this.warn(warning)
    const hook = this.options.onTeamTaskChanged
    if (hook !== undefined) apply(hook, this.given, [this.native.teamTask ?? null])
  }

  /** Warns of an agent type that is not known, once. */
  warnOfAgent(agentType: string) {
    if (!isNew(this.#agents, agentType)) return
    const compared = agentType.trim().toLowerCase()
    if (compared !== agentType && !isNew(this.#agents, compared)) return
    const warning = this.native.agentWarning(agentType)
    const meant = warning && misspelled(agentType)
    this.warn(meant ? `${warning}. Did you mean "${meant}"?` : warning)
  }

  unknownAgent(agentType: string) {
    let isKnown = this.#known.get(agentType)
    if (isKnown === undefined) {
      if (this.#known.size >= MAX_NAMES) this.#known.clear()
      isKnown = !this.native.agentWarning(agentType)
      this.#known.set(agentType, isKnown)
    }
    return isKnown ? undefined : agentType
  }

  warn(text: string | null | undefined) {
    if (!isMissing(text)) warn(this.options.logger, text)
  }
}

/** Whether a name was not there yet. It is kept. */
const isNew = (names: Set<string>, name: string) => {
  if (names.has(name)) return false
  if (names.size >= MAX_NAMES) names.clear()
  names.add(name)
  return true
}

/** The state of a manager, whatever its messages have besides the usual fields. */
export type State = ManagerState
