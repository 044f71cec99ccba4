/** Turns a JSON value into a prompt with its report: detects the kind of input and handles it. */
import { isObject } from '../checks/kinds.js'
import { isPromptmasonError } from '../errors.js'
import { ContextManager } from '../manager/context-manager.js'
import { DEFAULT_MAX_BYTES } from '../manager/options.js'
import { misspelling } from '../prompts/misspelled.js'
import { LayoutAssembler, PlainTextAssembler } from '../prompts/assemblers.js'
import { buildPrompt, type MessagePromptInput } from '../prompts/build-prompt.js'
import { UsageError } from './command.js'
import type { ReportedPrompt } from '../explain/render.js'
import type { ContextSnapshotJson } from '../manager/snapshots.js'
import type { AssemblerInput } from '../prompts/assembler-input.js'
import type { AssemblerOptions } from '../prompts/assembler-options.js'
import type { choicesOf } from './prompt-options.js'

/** What a user has chosen in place of what the input says, and where warnings go. Pins are ids or numbers of messages. */
export type Choices = ReturnType<typeof choicesOf> & {
  pins?: readonly string[] | undefined
  warn: (text: string) => void
}

const KINDS =
  'a PromptInput (contextMessages, and perhaps message), an AssemblerInput (contextMessages and currentMessage) or a snapshot (messages and version)'

/** Only the fields that were given: an undefined one would override that of the input. */
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in keyof T]?: Exclude<T[Field], undefined>
  }

export const kindOf = (value: unknown): 'snapshot' | 'assembler' | 'buildPrompt' => {
  if (!isObject(value) || Array.isArray(value)) throw new UsageError(`the input must be ${KINDS}`)
  if ('messages' in value && !('contextMessages' in value)) return 'snapshot'
  if ('currentMessage' in value && 'message' in value)
    throw new UsageError('the input has both message and currentMessage: it must be one of both kinds')
  if ('currentMessage' in value) return 'assembler'
  if ('contextMessages' in value) return 'buildPrompt'
  throw new UsageError(`the input is not recognised: it must be ${KINDS}`)
}

const numberOf = (pin: string) => (/^#?\d{1,9}$/.test(pin) ? Number(pin.replace('#', '')) : undefined)

const pinnedNumbers = (pins: readonly string[] | undefined, messages: unknown): number[] | undefined =>
  pins?.map((pin) => {
    const number = numberOf(pin)
    const count = Array.isArray(messages) ? messages.length : 0
    if (number === undefined || number >= count)
      throw new UsageError(`there is no message '${pin}' to pin: messages have numbers from 0 to ${count - 1}`)
    return number
  })

const pinOnly = (manager: ContextManager, pins: readonly string[] | undefined) => {
  if (pins === undefined) return
  const messages = manager.getMessages()
  const wanted = pins.map((pin) => {
    const found = messages.find(({ id }) => id === pin) ?? messages[numberOf(pin) ?? -1]
    if (found === undefined) throw new UsageError(`there is no message '${pin}' to pin`)
    return found.id
  })
  for (const { id, pinned } of messages) if (pinned) manager.unpin(id)
  for (const id of wanted) manager.pin(id)
}

/** An agent that is not known gets plain text, as in `buildPrompt`. */
const assemblerFor = (agentType: string | undefined, options: object | undefined) => {
  try {
    return agentType === undefined ? new PlainTextAssembler(options) : LayoutAssembler.for(agentType, options)
  } catch (error) {
    if (isPromptmasonError(error, 'ERR_INVALID_ARG_TYPE') && error.message.startsWith('agentType'))
      return new PlainTextAssembler(options)
    throw error
  }
}

type Pinned = number[] | undefined

const assemblePromptInput = (value: MessagePromptInput, choices: Choices, pinned: Pinned): ReportedPrompt => {
  const { agent, maxBytes, maxTokens, tokenizer, recipient, window } = choices
  const chosen = { agentType: agent, recipient, maxContextMessages: window, pinned, maxBytes, maxTokens, tokenizer }
  const input = { ...value, ...given(chosen) }
  if (agent !== undefined) delete input.layout
  if (!input.layout) input.agentType ??= 'unknown'
  return { ...buildPrompt(input, { report: true }), input }
}

/** An `AssemblerInput` in a file also says which assembler takes it. */
type FileInput = Omit<AssemblerInput, 'teamTask' | 'maxBytes'> &
  Partial<Pick<AssemblerInput, 'teamTask' | 'maxBytes'>> & {
    agentType?: string
    options?: AssemblerOptions
    tokenizer?: AssemblerOptions['tokenizer']
  }

const assembleInput = (value: FileInput, choices: Choices, pinned: Pinned): ReportedPrompt => {
  const { agent, maxBytes, maxTokens, tokenizer, recipient, window } = choices
  for (const [name, choice] of Object.entries({ recipient, window })) {
    if (choice !== undefined)
      throw new UsageError(`--${name} is for a PromptInput or a snapshot: an assembler takes all that it is given`)
  }
  // An assembler takes its tokenizer as an option.
  const options = { ...value.options, ...given({ tokenizer: tokenizer ?? value.tokenizer }) }
  const assembler = assemblerFor(agent ?? value.agentType, options)
  const chosen = { maxBytes: maxBytes ?? value.maxBytes ?? DEFAULT_MAX_BYTES, ...given({ maxTokens, pinned }) }
  const input = { teamTask: null, ...value, ...chosen }
  return { ...assembler.assemble(input, { report: true }), input, assembler }
}

const assembleSnapshot = (value: ContextSnapshotJson, choices: Choices): ReportedPrompt => {
  const { agent, maxBytes, maxTokens, tokenizer, recipient, window, pins, warn } = choices
  const agentType = agent ?? 'unknown'
  // Do not warn about an agent type that nobody gave.
  const warnOfInput = (text: string) => {
    if (agent !== undefined || !text.includes('Unknown agentType')) warn(text)
  }
  const logger = { debug: () => {}, info: () => {}, warn: warnOfInput, error: warnOfInput }
  const limits = given({ maxBytes, maxTokens, tokenizer, contextWindowSize: window })
  const manager = new ContextManager({ ...limits, logger })
  manager.importSnapshot(value)
  pinOnly(manager, pins)
  const who = recipient ?? 'agent'
  const options = { recipient }
  const output = manager.assembleForAgent(who, agentType, options, { report: true })
  const input = { ...manager.getContextForAgent(who, agentType, options), ...given({ maxBytes, maxTokens }) }
  return { ...output, input, assembler: assemblerFor(agentType, given({ tokenizer })) }
}

/** @param value The input as it was in the file. It is not checked here: the addon does. */
export const assembleConversation = (value: unknown, choices: Choices): ReportedPrompt => {
  const kind = kindOf(value)
  if (kind === 'snapshot') return assembleSnapshot(value as ContextSnapshotJson, choices)
  const { agentType, layout, contextMessages } = value as MessagePromptInput
  const named: unknown = choices.agent ?? (layout ? undefined : agentType)
  const mistake = typeof named === 'string' ? misspelling(named) : undefined
  if (mistake !== undefined) choices.warn(mistake)
  const pinned = pinnedNumbers(choices.pins, contextMessages)
  if (kind === 'assembler') return assembleInput(value as FileInput, choices, pinned)
  return assemblePromptInput(value as MessagePromptInput, choices, pinned)
}
