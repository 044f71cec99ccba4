'use strict'
/** The namespace `SystemPrompt`, and `assembleSystemPrompt` with its hints. */
const native = require('../binding.js')
const { string, stringArray } = require('./checks/kinds.js')
const {
  hintAttributes,
  hintOptions,
  runtimeHints: checkHints,
  segmentOptions,
  truncateOptions,
} = require('./checks/segments.js')
const { environmentOptions, providerOptions, systemPromptInput } = require('./checks/system.js')
const { loadInstructions, settled } = require('./load-instructions.js')
const { processFacts } = require('./process.js')

/**
 * The parts that `transform` leaves, and where they come from.
 * @param {import('../index.d.ts').SystemPromptInput<any>} input
 */
const built = async (input) => {
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

const SystemPrompt = {
  /**
   * @param {string} modelID
   * @param {import('../index.d.ts').ProviderOptions} [options]
   */
  provider(modelID, options) {
    string(modelID, '', 'modelID')
    return [...native.providerPrompt(modelID, providerOptions(options, '', 'options').families)]
  },

  /** @param {import('../index.d.ts').EnvironmentOptions} [options] */
  environment(options) {
    const { directory, now, extra } = environmentOptions(options, '', 'options')
    return [native.environmentPrompt(directory, { platform: process.platform, date: now, extra }, process.cwd())]
  },

  /** @param {import('../index.d.ts').SystemPromptInput<any>} input */
  async build(input) {
    return (await built(input)).parts
  },

  /** @param {import('../index.d.ts').SystemPromptInput<any>} input */
  async buildWithReport(input) {
    return built(input)
  },
}

/**
 * @param {readonly string[] | null} [runtimeHints]
 * @param {import('../index.d.ts').SegmentOptions} [options]
 */
const assembleSystemPrompt = async (runtimeHints, options) => {
  const hints = checkHints(runtimeHints, '', 'runtimeHints')
  const segments = segmentOptions(options, '', 'options')
  return settled(() => native.assembleSystemPrompt(hints, segments, process.cwd()))
}

/**
 * @param {string} summary
 * @param {Pick<import('../index.d.ts').SegmentOptions, 'locale'>} [options]
 */
const compressionHint = (summary, options) => {
  string(summary, '', 'summary')
  return native.compressionHint(summary, hintOptions(options, '', 'options').locale)
}

/**
 * @param {import('../index.d.ts').SystemHintAttributes} attributes
 * @param {string} text
 */
const systemHint = (attributes, text) => {
  const checked = hintAttributes(attributes, '', 'attributes')
  return native.systemHint(checked, string(text, '', 'text'))
}

/**
 * @param {string} tool
 * @param {string} output
 * @param {import('../index.d.ts').TruncateOptions} [options]
 */
const truncateToolOutput = (tool, output, options) => {
  string(tool, '', 'tool')
  string(output, '', 'output')
  const { maxChars = native.DEFAULT_MAX_OUTPUT_CHARS, locale } = truncateOptions(options, '', 'options')
  // A text that is short enough is not passed to native code.
  return output.length <= maxChars ? output : (native.truncateToolOutput(tool, output, maxChars, locale) ?? output)
}

module.exports = { SystemPrompt, assembleSystemPrompt, compressionHint, systemHint, truncateToolOutput }
