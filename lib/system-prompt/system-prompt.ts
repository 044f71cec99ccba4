/** The namespace `SystemPrompt`, and `assembleSystemPrompt` with its hints. */
import native = require('../../binding.js')
import { string, stringArray } from '../checks/kinds.js'
import {
  hintAttributes,
  hintOptions,
  runtimeHints as checkHints,
  segmentOptions,
  truncateOptions,
} from './check-segments.js'
import { environmentOptions, providerOptions, systemPromptInput } from './checks.js'
import { loadInstructions, settled } from '../instructions/load-instructions.js'
import { processFacts } from '../process.js'
import type {
  EnvironmentOptions,
  ProviderOptions,
  SegmentOptions,
  SystemHintAttributes,
  SystemPromptInput,
  TruncateOptions,
} from './types.js'

/** The parts that `transform` leaves, and where they come from. */
const built = async (input: SystemPromptInput<any>) => {
  const {
    agent: { agent, prompt },
    transform,
    fetch,
    modelID,
    families,
    now,
    extra,
    ...instructions
  } = systemPromptInput(input, '', 'input')
  const environment = { platform: process.platform, date: now, extra }
  const layers = { agentPrompt: prompt, modelID: modelID ?? '', families, environment }
  const loaded = await loadInstructions(
    () => native.findSystemPrompt(layers, instructions, processFacts()),
    input,
    fetch,
  )
  if (transform === undefined) return loaded
  // If it returns nothing, it has changed the given array in place, or left it alone.
  const transformed = (await Reflect.apply(transform, undefined, [loaded.parts, { agent, modelID }])) ?? loaded.parts
  return { parts: stringArray(transformed, '', 'the result of transform'), sources: loaded.sources }
}

export const SystemPrompt = {
  provider(modelID: string, options?: ProviderOptions) {
    string(modelID, '', 'modelID')
    return [...native.providerPrompt(modelID, providerOptions(options, '', 'options').families)]
  },

  environment(options?: EnvironmentOptions) {
    const { directory, now, extra } = environmentOptions(options, '', 'options')
    return [native.environmentPrompt(directory, { platform: process.platform, date: now, extra }, process.cwd())]
  },

  async build(input: SystemPromptInput<any>) {
    return (await built(input)).parts
  },

  async buildWithReport(input: SystemPromptInput<any>) {
    return built(input)
  },
}

export const assembleSystemPrompt = async (runtimeHints?: readonly string[] | null, options?: SegmentOptions) => {
  const hints = checkHints(runtimeHints, '', 'runtimeHints')
  const segments = segmentOptions(options, '', 'options')
  return settled(() => native.assembleSystemPrompt(hints, segments, process.cwd()))
}

export const compressionHint = (summary: string, options?: Pick<SegmentOptions, 'locale'>) => {
  string(summary, '', 'summary')
  return native.compressionHint(summary, hintOptions(options, '', 'options').locale)
}

export const systemHint = (attributes: SystemHintAttributes, text: string) => {
  const checked = hintAttributes(attributes, '', 'attributes')
  return native.systemHint(checked, string(text, '', 'text'))
}

export const truncateToolOutput = (tool: string, output: string, options?: TruncateOptions) => {
  string(tool, '', 'tool')
  string(output, '', 'output')
  const { maxChars = native.DEFAULT_MAX_OUTPUT_CHARS, locale } = truncateOptions(options, '', 'options')
  // A text that is short enough is not passed to native code.
  return output.length <= maxChars ? output : (native.truncateToolOutput(tool, output, maxChars, locale) ?? output)
}
