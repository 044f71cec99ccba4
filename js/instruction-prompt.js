'use strict'
/** The namespace `InstructionPrompt`, `findUp` and `findUpAll`. Files are read off the event loop. */
const native = require('../binding.js')
const { loadInstructions, settled } = require('./load-instructions.js')
const { processFacts } = require('./process.js')

/** @typedef {import('../index.d.ts').InstructionOptions} InstructionOptions */

/** @param {unknown} values Anything that can be iterated becomes an array; the rest is refused later, and so are bytes. */
const listOf = (values) => typeof values === 'object' && values !== null && !Array.isArray(values) && !ArrayBuffer.isView(values) && Symbol.iterator in values
  ? Array.from(/** @type {Iterable<unknown>} */ (values))
  : values

/** @param {InstructionOptions | undefined} options */
const find = (options) => (/** @type {unknown} */ fetch) => native.findSources(options, fetch, processFacts())

const InstructionPrompt = {
  /** @param {InstructionOptions} [options] */
  async systemPaths(options) {
    return new Set(await settled(() => native.instructionPaths(options, processFacts())))
  },

  /** @param {InstructionOptions} [options] */
  async system(options) {
    return (await loadInstructions(options, find(options), { parts: true })).parts
  },

  /** @param {InstructionOptions} [options] */
  async load(options) {
    return (await loadInstructions(options, find(options), { sources: true })).sources
  },

  /**
   * @param {string} directory
   * @param {InstructionOptions} [options]
   */
  async find(directory, options) {
    return settled(() => native.findInstructions(directory, options, processFacts()))
  },

  /**
   * @param {string} filePath
   * @param {import('../index.d.ts').ResolveOptions} [options]
   */
  async resolve(filePath, options) {
    return [...await settled(() => native.resolveInstructions(filePath, options, listOf(options?.loaded), processFacts()))]
  },
}

/**
 * @param {string} name
 * @param {string} [from]
 */
const findUp = async (name, from) => settled(() => native.findUp(name, from, processFacts()))

/**
 * @param {string | Iterable<string>} names
 * @param {string} [from]
 * @param {string} [root]
 */
const findUpAll = async (names, from, root) => [...await settled(() => native.findUpAll(listOf(names), from, root, processFacts()))]

module.exports = { InstructionPrompt, findUp, findUpAll }
