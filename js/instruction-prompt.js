'use strict'
/** The namespace `InstructionPrompt`, `findUp` and `findUpAll`. Files are read off the event loop. */
const native = require('../binding.js')
const { errorOf } = require('./errors.js')
const { processFacts } = require('./process.js')

/** @typedef {import('../index.d.ts').InstructionOptions} InstructionOptions */

/**
 * What a call of native code comes to, with its failures as errors of this realm.
 * @template T
 * @param {() => Promise<T>} call
 * @returns {Promise<T>}
 */
const settled = async (call) => {
  try {
    return await call()
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/** @param {unknown} values Anything that can be iterated becomes an array; the rest is refused later. */
const listOf = (values) => typeof values === 'object' && values !== null && Symbol.iterator in values
  ? Array.from(/** @type {Iterable<unknown>} */ (values))
  : values

const InstructionPrompt = {
  /** @param {InstructionOptions} [options] */
  async systemPaths(options) {
    return new Set(await settled(() => native.instructionPaths(options, processFacts())))
  },

  /** @param {InstructionOptions} [options] */
  async system(options) {
    return [...await settled(() => native.instructionMessages(options, processFacts()))]
  },

  /** @param {InstructionOptions} [options] */
  async load(options) {
    return JSON.parse(await settled(() => native.loadInstructions(options, processFacts())))
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

module.exports = { InstructionPrompt, findUp, findUpAll, settled }
