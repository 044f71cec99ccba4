/** The namespace `InstructionPrompt`, `findUp` and `findUpAll`. Files are read off the event loop. */
import native = require('../../binding.js')
import { findOptions, loadOptions, names as checkNames, resolveOptions } from './options.js'
import { optional, string } from '../checks/kinds.js'
import { settled } from '../errors.js'
import { loadInstructions, type LoadedInstruction } from './load-instructions.js'
import { processFacts } from '../process.js'
import type { InstructionOptions, ResolveOptions } from './options.js'

const path = optional(string)

const load = (options?: InstructionOptions | null) => {
  const { fetch, ...checked } = loadOptions(options, '', 'options')
  return loadInstructions(() => native.findSources(checked, processFacts()), options, fetch)
}

/** Finds the instructions for a file. None of them are URLs. */
const findFor = (filePath: string, options?: ResolveOptions | null) => {
  const { loaded, ...checked } = resolveOptions(options, '', 'options')
  string(filePath, '', 'filePath')
  return () => native.findSourcesFor(filePath, loaded, checked, processFacts())
}

export const InstructionPrompt = {
  /**
   * Returns the existing instruction files in the order of `system`: those of the project, the user's own, those named
   * in the configuration, and their includes. URLs and rules for certain paths are not included.
   */
  async systemPaths(options?: InstructionOptions | null): Promise<Set<string>> {
    const checked = findOptions(options, '', 'options')
    return new Set(await settled(() => native.instructionPaths(checked, processFacts())))
  },

  /**
   * Returns the instructions as system messages, each `Instructions from: <path or URL>` and its text.
   * What cannot be read is left out; `load` says why.
   */
  async system(options?: InstructionOptions | null): Promise<string[]> {
    return (await load(options)).parts
  },

  /** Lists everything that was considered, used or not, and what happened to it. */
  async load(options?: InstructionOptions | null): Promise<LoadedInstruction[]> {
    return (await load(options)).sources
  },

  /** Returns the first instruction file in a directory. */
  async find(
    directory: string,
    options?: Pick<InstructionOptions, 'preset' | 'files' | 'appName' | 'untrusted'> | null,
  ): Promise<string | undefined> {
    string(directory, '', 'directory')
    const checked = findOptions(options, '', 'options')
    return (await settled(() => native.findInstructions(directory, checked, processFacts()))) ?? undefined
  },

  /**
   * Returns the instruction files for a file that a tool reads: those from its directory up to, but not
   * including, the project directory, whose files are already in the system prompt; and the rules for
   * certain paths that apply to it. The file itself and everything in `loaded` are left out.
   */
  async resolve(filePath: string, options?: ResolveOptions | null): Promise<LoadedInstruction[]> {
    return (await loadInstructions(findFor(filePath, options), options, undefined)).sources
  },

  /** Returns the paths of the sources that `resolve` returns and uses. */
  async resolvePaths(filePath: string, options?: ResolveOptions | null): Promise<string[]> {
    const found = await settled(findFor(filePath, options))
    await settled(() => found.read())
    return [...found.paths()]
  },
}

/** Finds the nearest file or directory called `name`, in `from` or above. */
export async function findUp(name: string, from?: string | null): Promise<string | undefined> {
  string(name, '', 'name')
  const start = path(from, '', 'from')
  return (await settled(() => native.findUp(name, start, process.cwd()))) ?? undefined
}

/**
 * Finds every file or directory with one of `names`, nearest first, from `from` up to and including
 * `root`; without a root, up to that of the file system.
 */
export async function findUpAll(
  names: string | Iterable<string>,
  from?: string | null,
  root?: string | null,
): Promise<string[]> {
  const wanted = checkNames(names, '', 'names')
  const [start, end] = [path(from, '', 'from'), path(root, '', 'root')]
  return [...(await settled(() => native.findUpAll(wanted, start, end, process.cwd())))]
}
