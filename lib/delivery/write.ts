/** `writeDelivery`: writes the files of a plan to a private directory, or lets the caller write them. */
import { writeFile } from 'node:fs/promises'
import path = require('node:path')
import { fit, hasMethods } from './kinds.js'
import { checkPlanToWrite, type DeliveryPlan } from './plan.js'
import { OWNER_ONLY_FILE, inNewDirectory } from './private-directory.js'
import { typeProblem } from '../checks/problems.js'
import type { Ending } from './ending.js'

/** Writes and removes the files of a plan. */
export interface FileHooks {
  /** Returns the path that the program can open. */
  write(name: string, content: Buffer): string | Promise<string>
  remove(path: string): void | Promise<void>
}

export const fileHooks = fit('an object with the functions write and remove', hasMethods<FileHooks>('write', 'remove'))

type Files = Pick<DeliveryPlan, 'args' | 'files'>

/** The placeholder for the path of a file in the arguments: alone, or after an option and its only `=`. */
const PLACEHOLDER = /^([^=]*=)?\{file:([^{}]+)\}$/

/**
 * The arguments with the paths of files.
 * @param paths By name.
 */
const withPaths = (args: readonly string[], paths: ReadonlyMap<string, string>) =>
  args.map((argument) => {
    const [, option = '', name = ''] = PLACEHOLDER.exec(argument) ?? []
    const found = paths.get(name)
    return found === undefined ? argument : option + found
  })

export const write = async ({ args, files }: Files) => {
  if (files.length === 0) return { args: [...args], cleanup: async () => {}, release: () => {} }
  const directory = await inNewDirectory(async (made) => {
    // Only new files: existing ones are neither followed nor overwritten.
    await Promise.all(
      files.map(({ name, content }) => writeFile(made.fileNamed(name), content, { flag: 'wx', mode: OWNER_ONLY_FILE })),
    )
    return made
  })
  const paths = new Map(files.map(({ name }) => [name, path.join(directory.path, name)]))
  return { args: withPaths(args, paths), cleanup: directory.remove, release: directory.release }
}

/** Lets the caller write the files of a plan, where another machine or a container can read them. */
export const writeElsewhere = async ({ args, files }: Files, hooks: FileHooks, ending: Ending) => {
  const paths: Map<string, string> = new Map()
  const cleanup = async () => {
    const written = [...paths.values()]
    paths.clear()
    await Promise.all(written.map((each) => hooks.remove(each)))
  }
  try {
    for (const { name, content } of files) {
      // oxlint-disable-next-line no-await-in-loop -- one that fails is the last
      const written = await ending.unlessBegun(hooks.write(name, content))
      if (ending.cause !== undefined) break
      if (typeof written !== 'string' || written === '') throw typeProblem('options.files.write must return a path')
      paths.set(name, written)
    }
    return { args: withPaths(args, paths), cleanup, release: () => {} }
  } catch (error) {
    await cleanup().catch(() => {})
    throw error
  }
}

/** A plan whose files have been written. */
export interface WrittenDelivery {
  /** The arguments with the paths of the files. */
  args: string[]
  /** Removes the files. Can be called more than once. */
  cleanup(): Promise<void>
}

/**
 * Writes the files of a plan, for your own `spawn`: readable only by their owner, in a new private
 * directory. If that fails, nothing is left behind.
 */
export async function writeDelivery(plan: Pick<DeliveryPlan, 'args' | 'files'>): Promise<WrittenDelivery> {
  const { args, cleanup, release } = await write(checkPlanToWrite(plan))
  // A program that the caller started may need the files after this thread has ended.
  release()
  return { args, cleanup }
}
