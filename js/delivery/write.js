'use strict'
/** `writeDelivery`: the files of a plan, in a directory of their own. */
const { writeFile } = require('node:fs/promises')
const path = require('node:path')
const { checkPlanToWrite } = require('../checks/delivery-plan.js')
const { OWNER_ONLY_FILE, inNewDirectory } = require('./private-directory.js')

/** What stands in the arguments for the path of a file: alone, or after an option and its only `=`. */
const PLACEHOLDER = /^([^=]*=)?\{file:([^{}]+)\}$/

/**
 * Writes the files of a plan that was checked.
 * @param {{ args: readonly string[], files: readonly { name: string, content: Buffer }[] }} plan
 */
const write = async ({ args, files }) => {
  if (files.length === 0) return { args: [...args], cleanup: async () => {}, release: () => {} }
  const directory = await inNewDirectory(async (made) => {
    // Only new files: nothing that is there is followed or written over.
    await Promise.all(
      files.map(({ name, content }) =>
        writeFile(path.join(made.path, name), content, { flag: 'wx', mode: OWNER_ONLY_FILE }),
      ),
    )
    return made
  })
  const names = new Set(files.map(({ name }) => name))
  const withPath = (/** @type {string} */ argument) => {
    const [, option = '', name = ''] = PLACEHOLDER.exec(argument) ?? []
    return names.has(name) ? option + path.join(directory.path, name) : argument
  }
  return { args: args.map(withPath), cleanup: directory.remove, release: directory.release }
}

/** @param {Pick<import('../../index.d.ts').DeliveryPlan, 'args' | 'files'>} plan */
const writeDelivery = async (plan) => {
  const { args, cleanup, release } = await write(checkPlanToWrite(plan))
  // A program of the caller's own may need the files after this thread has ended.
  release()
  return { args, cleanup }
}

module.exports = { write, writeDelivery }
