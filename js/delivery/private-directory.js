'use strict'
/** Directories that nobody else can look into, or put something into. */
const { rmSync } = require('node:fs')
const { chmod, mkdtemp, rm } = require('node:fs/promises')
const { tmpdir } = require('node:os')
const path = require('node:path')

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/** @param {string} directory */
const removeDirectory = (directory) => rm(directory, { recursive: true, force: true, maxRetries: 3 })

/** @param {string} directory */
const removeDirectorySync = (directory) => rmSync(directory, { recursive: true, force: true })

/**
 * Makes a new directory and lets `fill` put something into it. If that fails, nothing is left.
 * @template T
 * @param {(directory: string) => Promise<T>} fill
 * @returns {Promise<T>}
 */
const inNewDirectory = async (fill) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'promptmason-'))
  try {
    await chmod(directory, OWNER_ONLY_DIRECTORY)
    return await fill(directory)
  } catch (error) {
    await removeDirectory(directory)
    throw error
  }
}

module.exports = { OWNER_ONLY_FILE, inNewDirectory, removeDirectory, removeDirectorySync }
