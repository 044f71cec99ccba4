'use strict'
/** The namespace `SystemPrompt`, and `assembleSystemPrompt` with its hints. */
const native = require('../binding.js')
const { errorOf } = require('./errors.js')
const { loadInstructions, settled } = require('./load-instructions.js')
const { processFacts } = require('./process.js')

/**
 * @template T
 * @param {() => T} call
 * @returns {T}
 */
const checked = (call) => {
  try {
    return call()
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * The parts that `transform` leaves, and where they come from.
 * @param {import('../index.d.ts').SystemPromptInput<any>} input
 * @param {import('./load-instructions.js').Wanted} wanted
 */
const built = async (input, wanted) => {
  /** @param {unknown} fetch */
  const find = (fetch) => native.findSystemPrompt(input, fetch, processFacts())
  const { parts, sources } = await loadInstructions(input, find, wanted)
  const { transform, agent, modelID } = input
  if (transform === undefined || transform === null) return { parts, sources }
  // One that returns nothing has changed the array it was given, or left it as it was.
  const transformed = await transform(parts, { agent, modelID: modelID ?? undefined }) ?? parts
  checked(() => native.checkTransformed(transformed))
  return { parts: [...transformed], sources }
}

const SystemPrompt = {
  /**
   * @param {string} modelID
   * @param {import('../index.d.ts').ProviderOptions} [options]
   */
  provider(modelID, options) {
    return [...checked(() => native.providerPrompt(modelID, options))]
  },

  /** @param {import('../index.d.ts').EnvironmentOptions} [options] */
  environment(options) {
    return [checked(() => native.environmentPrompt(options, processFacts()))]
  },

  /** @param {import('../index.d.ts').SystemPromptInput<any>} input */
  async build(input) {
    return (await built(input, { parts: true })).parts
  },

  /** @param {import('../index.d.ts').SystemPromptInput<any>} input */
  async buildWithReport(input) {
    const { parts, sources } = await built(input, { parts: true, sources: true })
    return { parts, sources }
  },
}

/**
 * @param {readonly string[] | null} [runtimeHints]
 * @param {import('../index.d.ts').SegmentOptions} [options]
 */
const assembleSystemPrompt = async (runtimeHints, options) =>
  settled(() => native.assembleSystemPrompt(runtimeHints, options, processFacts()))

/**
 * @param {string} summary
 * @param {Pick<import('../index.d.ts').SegmentOptions, 'locale'>} [options]
 */
const compressionHint = (summary, options) => checked(() => native.compressionHint(summary, options))

/**
 * @param {import('../index.d.ts').SystemHintAttributes} attributes
 * @param {string} text
 */
const systemHint = (attributes, text) => checked(() => native.systemHint(attributes, text))

/**
 * @param {string} tool
 * @param {string} output
 * @param {import('../index.d.ts').TruncateOptions} [options]
 */
const truncateToolOutput = (tool, output, options) => checked(() => native.truncateToolOutput(tool, output, options))

module.exports = { SystemPrompt, assembleSystemPrompt, compressionHint, systemHint, truncateToolOutput }
