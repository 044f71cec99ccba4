'use strict'
/** `writeDelivery`: the files of a plan, in a directory of their own. */
const { writeFile } = require('node:fs/promises')
const path = require('node:path')
const { checkFiles, checkStrings } = require('./check-plan.js')
const { OWNER_ONLY_FILE, inNewDirectory, removeDirectory, removeDirectorySync } = require('./private-directory.js')

/** What stands in the arguments for the path of a file. */
const placeholderOf = (/** @type {string} */ name) => `{file:${name}}`

/**
 * The same as `writeDelivery`, with a way to remove the files when the process ends.
 * @param {Pick<import('../../index.d.ts').DeliveryPlan, 'args' | 'files'>} plan
 */
const write = async (plan) => {
  const args = checkStrings(plan.args, 'plan.args')
  const files = checkFiles(plan.files)
  if (files.length === 0) return { args: [...args], cleanup: async () => {}, cleanupSync: () => {} }
  const directory = await inNewDirectory(async (made) => {
    // Only new files: nothing that is there is followed or written over.
    await Promise.all(files.map(({ name, content }) => writeFile(path.join(made, name), content, { flag: 'wx', mode: OWNER_ONLY_FILE })))
    return made
  })
  const paths = new Map(files.map(({ name }) => [placeholderOf(name), path.join(directory, name)]))
  return {
    args: args.map((argument) => paths.get(argument) ?? argument),
    cleanup: () => removeDirectory(directory),
    cleanupSync: () => removeDirectorySync(directory),
  }
}

/** @param {Pick<import('../../index.d.ts').DeliveryPlan, 'args' | 'files'>} plan */
const writeDelivery = async (plan) => {
  const { args, cleanup } = await write(plan)
  return { args, cleanup }
}

module.exports = { write, writeDelivery }
