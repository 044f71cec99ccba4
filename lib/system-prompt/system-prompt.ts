/** The namespace `SystemPrompt`. */
import { types } from 'node:util'
import native = require('../../binding.js')
import { fields } from '../checks/fields.js'
import { entriesOf, func, object, optional, string, stringArray, strings, type Kind } from '../checks/kinds.js'
import { outOfRange, pathOf, unknownValue, wrongType } from '../checks/problems.js'
import { loadInstructions, type LoadedInstruction } from '../instructions/load-instructions.js'
import { instructionFields, type InstructionFetch, type InstructionOptions } from '../instructions/options.js'
import { processFacts } from '../process.js'
import type { FamilyInput } from '../../binding.js'

const { isArray } = Array
const { apply } = Reflect
const { getTime, toDateString } = Date.prototype

/** How the base prompt of a model is chosen. */
export interface ProviderOptions {
  /**
   * Custom families, tried before the built-in ones, in the given order. A key is a part of the model's name, in any
   * letter case; the value is the text or texts for such models. With a leading `^`, the part must be at the start of
   * the name or after a separator: `^o5` matches `openai/o5-mini` but not `turbo5`.
   * @default {}
   */
  families?: Record<string, string | readonly string[]> | null | undefined
}

const familyList: Kind<FamilyInput[], Record<string, string | readonly string[]>> = (value, parent, name) => {
  const prompts: Kind<string[], string | readonly string[]> = (given, path, pattern) => {
    // It would match every model.
    if (/^\^*$/.test(`${pattern}`))
      unknownValue('an object whose keys are parts of model names', `${pattern}`, parent, name)
    return optional(strings, [])(given, path, pattern)
  }
  return entriesOf(prompts)(value, parent, name).map(([pattern, texts]) => ({ pattern, prompts: texts }))
}

const providerFields = { families: optional(familyList, []) }
const providerOptions = fields<ProviderOptions>()(providerFields)

/** Options of the environment block. */
export interface EnvironmentOptions {
  /** The agent's working directory. @default process.cwd() */
  directory?: string | null | undefined
  /** The date, written in the local time zone. @default new Date() */
  now?: Date | null | undefined
  /** Additional lines, in order; an object's entries become `name: value`. @default [] */
  extra?: readonly string[] | Record<string, string> | null | undefined
}

/** A day, by default today, as `toDateString` writes it in the local time zone. */
const day: Kind<string, Date | null | undefined> = (value, parent, name) => {
  const date = value ?? new Date()
  if (!types.isDate(date)) return wrongType('a Date', date, parent, name)
  return Number.isNaN(apply(getTime, date, []))
    ? outOfRange('a valid date', date, parent, name, 'Invalid Date')
    : apply(toDateString, date, [])
}

const extraLines: Kind<string[], readonly string[] | Record<string, string>> = (value, parent, name) => {
  if (typeof value !== 'object' || isArray(value)) return strings(value, parent, name)
  const given = entriesOf(optional(string))(value, parent, name).filter(([, text]) => text !== undefined)
  return given.map(([key, text]) => `${key}: ${text}`)
}

const environmentFields = { directory: optional(string), now: day, extra: optional(extraLines, []) }
const environmentOptions = fields<EnvironmentOptions>()(environmentFields)

/** The part of an agent that concerns its system prompt. Other keys are ignored. */
export interface SystemPromptAgent {
  /** Replaces the base prompt of the model's family. @default undefined */
  prompt?: string | null | undefined
}

const agentKind: Kind<{ agent: object; prompt: string }, SystemPromptAgent> = (value, parent, name) => {
  const given = object(value, parent, name)
  return { agent: given, prompt: optional(string, '')(given['prompt'], pathOf(parent, name), 'prompt') }
}

/** Changes the parts of a system prompt. */
export type SystemPromptTransform<Agent extends object = SystemPromptAgent> = (
  parts: string[],
  context: { agent: Agent; modelID: string | undefined },
) => readonly string[] | void | Promise<readonly string[] | void>

/** The input of `SystemPrompt.build`. */
export interface SystemPromptInput<Agent extends object = SystemPromptAgent>
  extends InstructionOptions,
    EnvironmentOptions,
    ProviderOptions {
  /** The agent's working directory. @default process.cwd() */
  directory?: string | null | undefined
  /** The agent, which is also passed to `transform`. */
  agent: Agent & SystemPromptAgent
  /** The model. Without one, an agent without a prompt gets the general base prompt. @default undefined */
  modelID?: string | null | undefined
  /**
   * Changes the parts before they are returned. It returns a new array, or a promise of one; if it returns nothing,
   * the array it was given is used, including its changes. Its exceptions reach the caller.
   * @default undefined
   */
  transform?: SystemPromptTransform<Agent> | null | undefined
}

/** In the order in which it is read. */
const systemPromptInput = fields<SystemPromptInput>()(
  {
    agent: agentKind,
    transform: optional(func<SystemPromptTransform>()),
    fetch: optional(func<InstructionFetch>()),
    modelID: optional(string),
    ...providerFields,
    ...environmentFields,
    ...instructionFields,
  },
  { required: true, top: true },
)

/** A system prompt and the sources of its instructions. */
export interface SystemPromptReport {
  /** The parts that `build` returns. */
  parts: string[]
  /** What `InstructionPrompt.load` returns. */
  sources: LoadedInstruction[]
}

/** The parts that `transform` leaves, and where they come from. */
const built = async (input: object) => {
  const { agent: own, transform, fetch, modelID, families, now, extra, ...rest } = systemPromptInput(input, '', 'input')
  const environment = { platform: process.platform, date: now, extra }
  const layers = { agentPrompt: own.prompt, modelID: modelID ?? '', families, environment }
  const loaded = await loadInstructions(() => native.findSystemPrompt(layers, rest, processFacts()), input, fetch)
  if (transform === undefined) return loaded
  // If it returns nothing, it has changed the given array in place, or left it alone.
  const transformed =
    (await Reflect.apply(transform, undefined, [loaded.parts, { agent: own.agent, modelID }])) ?? loaded.parts
  return { parts: stringArray(transformed, '', 'the result of transform'), sources: loaded.sources }
}

export const SystemPrompt = {
  /**
   * Returns the base prompt of a model's family: Anthropic's for `claude`; OpenAI's for `gpt-`, and for `o1`, `o3` and
   * `o4` at the start of a part of the name; Google's for `gemini`; and a general one for all others.
   */
  provider(modelID: string, options?: ProviderOptions | null): string[] {
    string(modelID, '', 'modelID')
    return [...native.providerPrompt(modelID, providerOptions(options, '', 'options').families)]
  },

  /** Returns what the agent should know about the machine: one text with an `<env>` block. */
  environment(options?: EnvironmentOptions | null): string[] {
    const { directory, now, extra } = environmentOptions(options, '', 'options')
    return [native.environmentPrompt(directory, { platform: process.platform, date: now, extra }, process.cwd())]
  },

  /**
   * Builds the system prompt, one text per part: the agent's own prompt or the base prompt of the
   * model's family, the environment, and all instructions found. `transform` is applied last.
   */
  async build<Agent extends object>(input: SystemPromptInput<Agent>): Promise<string[]> {
    return (await built(input)).parts
  },

  /** The same, and every instruction source that was considered, in one pass. */
  async buildWithReport<Agent extends object>(input: SystemPromptInput<Agent>): Promise<SystemPromptReport> {
    return built(input)
  },
}
