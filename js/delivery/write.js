'use strict'
/** `writeDelivery`: writes the files of a plan to a private directory, or lets the caller write them. */
const { writeFile } = require('node:fs/promises')
const path = require('node:path')
const { checkPlanToWrite } = require('../checks/delivery-plan.js')
const { invalidArgument } = require('../errors.js')
const { OWNER_ONLY_FILE, inNewDirectory } = require('./private-directory.js')

/** @typedef {{ args: readonly string[], files: readonly { name: string, content: Buffer }[] }} Files */

/** The placeholder for the path of a file in the arguments: alone, or after an option and its only `=`. */
const PLACEHOLDER = /^([^=]*=)?\{file:([^{}]+)\}$/

/**
 * The arguments with the paths of files.
 * @param {readonly string[]} args
 * @param {ReadonlyMap<string, string>} paths By name.
 */
const withPaths = (args, paths) =>
  args.map((argument) => {
    const [, option = '', name = ''] = PLACEHOLDER.exec(argument) ?? []
    const found = paths.get(name)
    return found === undefined ? argument : option + found
  })

/**
 * Writes the files of a plan that was checked.
 * @param {Files} plan
 */
const write = async ({ args, files }) => {
  if (files.length === 0) return { args: [...args], cleanup: async () => {}, release: () => {} }
  const directory = await inNewDirectory(async (made) => {
    // Only new files: existing ones are neither followed nor overwritten.
    await Promise.all(
      files.map(({ name, content }) =>
        writeFile(path.join(made.path, name), content, { flag: 'wx', mode: OWNER_ONLY_FILE }),
      ),
    )
    return made
  })
  const paths = new Map(files.map(({ name }) => [name, path.join(directory.path, name)]))
  return { args: withPaths(args, paths), cleanup: directory.remove, release: directory.release }
}

/**
 * Lets the caller write the files of a plan, where another machine or a container can read them.
 * @param {Files} plan
 * @param {import('../../index.d.ts').FileHooks} hooks
 */
const writeElsewhere = async ({ args, files }, hooks) => {
  /** @type {Map<string, string>} */
  const paths = new Map()
  const cleanup = async () => {
    const written = [...paths.values()]
    paths.clear()
    await Promise.all(written.map((each) => hooks.remove(each)))
  }
  try {
    for (const { name, content } of files) {
      // oxlint-disable-next-line no-await-in-loop -- one that fails is the last
      const written = await hooks.write(name, content)
      if (typeof written !== 'string' || written === '') throw invalidArgument('options.files.write must return a path')
      paths.set(name, written)
    }
    return { args: withPaths(args, paths), cleanup, release: () => {} }
  } catch (error) {
    await cleanup().catch(() => {})
    throw error
  }
}

/** @param {Pick<import('../../index.d.ts').DeliveryPlan, 'args' | 'files'>} plan */
const writeDelivery = async (plan) => {
  const { args, cleanup, release } = await write(checkPlanToWrite(plan))
  // A program that the caller started may need the files after this thread has ended.
  release()
  return { args, cleanup }
}

module.exports = { write, writeDelivery, writeElsewhere }
