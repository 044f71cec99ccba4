'use strict'
/**
 * The files of a plan, where nobody else can read them or put something in their place: in a new
 * directory of our own, which only the user may enter.
 */
const { rmSync } = require('node:fs')
const { chmod, mkdtemp, rm, writeFile } = require('node:fs/promises')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { checkFiles, checkStrings } = require('./check-plan.js')

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/** What stands in the arguments for the path of a file. */
const placeholderOf = (/** @type {string} */ name) => `{file:${name}}`

/** @param {string} directory */
const removeDirectory = (directory) => rm(directory, { recursive: true, force: true, maxRetries: 3 })

/**
 * @param {import('../../index.d.ts').DeliveryPlan['files']} files
 * @returns {Promise<string>} The directory they are in.
 */
const writeFiles = async (files) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'promptmason-'))
  try {
    await chmod(directory, OWNER_ONLY_DIRECTORY)
    // Only new files: nothing that is there is followed or written over.
    await Promise.all(files.map(({ name, content }) => writeFile(path.join(directory, name), content, { flag: 'wx', mode: OWNER_ONLY_FILE })))
    return directory
  } catch (error) {
    await removeDirectory(directory)
    throw error
  }
}

/**
 * The same as `writeDelivery`, with a way to remove the files when the process ends.
 * @param {Pick<import('../../index.d.ts').DeliveryPlan, 'args' | 'files'>} plan
 */
const write = async (plan) => {
  const args = checkStrings(plan.args, 'plan.args')
  const files = checkFiles(plan.files)
  if (files.length === 0) return { args: [...args], cleanup: async () => {}, cleanupSync: () => {} }
  const directory = await writeFiles(files)
  const paths = new Map(files.map(({ name }) => [placeholderOf(name), path.join(directory, name)]))
  return {
    args: args.map((argument) => paths.get(argument) ?? argument),
    cleanup: () => removeDirectory(directory),
    cleanupSync: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** @param {Pick<import('../../index.d.ts').DeliveryPlan, 'args' | 'files'>} plan */
const writeDelivery = async (plan) => {
  const { args, cleanup } = await write(plan)
  return { args, cleanup }
}

module.exports = { write, writeDelivery }
