'use strict'
/** The namespace `InstructionPrompt`, `findUp` and `findUpAll`. Files are read off the event loop. */
const native = require('../binding.js')
const { findOptions, loadOptions, names: checkNames, resolveOptions } = require('./checks/instructions.js')
const { optional, string } = require('./checks/kinds.js')
const { loadInstructions, settled } = require('./load-instructions.js')
const { processFacts } = require('./process.js')

/** @typedef {import('../index.d.ts').InstructionOptions} InstructionOptions */

const path = optional(string)

/** @param {InstructionOptions} [options] */
const load = (options) => {
  const { fetch, ...checked } = loadOptions(options, '', 'options')
  return loadInstructions(() => native.findSources(checked, processFacts()), options, fetch)
}

/**
 * Finds the instructions for a file. None of them are URLs.
 * @param {string} filePath
 * @param {import('../index.d.ts').ResolveOptions} [options]
 */
const findFor = (filePath, options) => {
  const { loaded, ...checked } = resolveOptions(options, '', 'options')
  string(filePath, '', 'filePath')
  return () => native.findSourcesFor(filePath, loaded, checked, processFacts())
}

const InstructionPrompt = {
  /** @param {InstructionOptions} [options] */
  async systemPaths(options) {
    const checked = findOptions(options, '', 'options')
    return new Set(await settled(() => native.instructionPaths(checked, processFacts())))
  },

  /** @param {InstructionOptions} [options] */
  async system(options) {
    return (await load(options)).parts
  },

  /** @param {InstructionOptions} [options] */
  async load(options) {
    return (await load(options)).sources
  },

  /**
   * @param {string} directory
   * @param {InstructionOptions} [options]
   */
  async find(directory, options) {
    string(directory, '', 'directory')
    const checked = findOptions(options, '', 'options')
    return (await settled(() => native.findInstructions(directory, checked, processFacts()))) ?? undefined
  },

  /**
   * @param {string} filePath
   * @param {import('../index.d.ts').ResolveOptions} [options]
   */
  async resolve(filePath, options) {
    return (await loadInstructions(findFor(filePath, options), options, undefined)).sources
  },

  /**
   * @param {string} filePath
   * @param {import('../index.d.ts').ResolveOptions} [options]
   */
  async resolvePaths(filePath, options) {
    const found = await settled(findFor(filePath, options))
    await settled(() => found.read())
    return [...found.paths()]
  },
}

/**
 * @param {string} name
 * @param {string} [from]
 */
const findUp = async (name, from) => {
  string(name, '', 'name')
  const start = path(from, '', 'from')
  return (await settled(() => native.findUp(name, start, process.cwd()))) ?? undefined
}

/**
 * @param {string | Iterable<string>} names
 * @param {string} [from]
 * @param {string} [root]
 */
const findUpAll = async (names, from, root) => {
  const wanted = checkNames(names, '', 'names')
  const [start, end] = [path(from, '', 'from'), path(root, '', 'root')]
  return [...(await settled(() => native.findUpAll(wanted, start, end, process.cwd())))]
}

module.exports = { InstructionPrompt, findUp, findUpAll }
