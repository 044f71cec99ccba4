/** The namespace `InstructionPrompt`, `findUp` and `findUpAll`. Files are read off the event loop. */
import native = require('../../binding.js')
import { findOptions, loadOptions, names as checkNames, resolveOptions } from './checks.js'
import { optional, string } from '../checks/kinds.js'
import { loadInstructions, settled } from './load-instructions.js'
import { processFacts } from '../process.js'
import type { InstructionOptions, ResolveOptions } from './types.js'

const path = optional(string)

const load = (options?: InstructionOptions) => {
  const { fetch, ...checked } = loadOptions(options, '', 'options')
  return loadInstructions(() => native.findSources(checked, processFacts()), options, fetch)
}

/** Finds the instructions for a file. None of them are URLs. */
const findFor = (filePath: string, options?: ResolveOptions) => {
  const { loaded, ...checked } = resolveOptions(options, '', 'options')
  string(filePath, '', 'filePath')
  return () => native.findSourcesFor(filePath, loaded, checked, processFacts())
}

export const InstructionPrompt = {
  async systemPaths(options?: InstructionOptions) {
    const checked = findOptions(options, '', 'options')
    return new Set(await settled(() => native.instructionPaths(checked, processFacts())))
  },

  async system(options?: InstructionOptions) {
    return (await load(options)).parts
  },

  async load(options?: InstructionOptions) {
    return (await load(options)).sources
  },

  async find(directory: string, options?: InstructionOptions) {
    string(directory, '', 'directory')
    const checked = findOptions(options, '', 'options')
    return (await settled(() => native.findInstructions(directory, checked, processFacts()))) ?? undefined
  },

  async resolve(filePath: string, options?: ResolveOptions) {
    return (await loadInstructions(findFor(filePath, options), options, undefined)).sources
  },

  async resolvePaths(filePath: string, options?: ResolveOptions) {
    const found = await settled(findFor(filePath, options))
    await settled(() => found.read())
    return [...found.paths()]
  },
}

export const findUp = async (name: string, from?: string) => {
  string(name, '', 'name')
  const start = path(from, '', 'from')
  return (await settled(() => native.findUp(name, start, process.cwd()))) ?? undefined
}

export const findUpAll = async (names: string | Iterable<string>, from?: string, root?: string) => {
  const wanted = checkNames(names, '', 'names')
  const [start, end] = [path(from, '', 'from'), path(root, '', 'root')]
  return [...(await settled(() => native.findUpAll(wanted, start, end, process.cwd())))]
}
