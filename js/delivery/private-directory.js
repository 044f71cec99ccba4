'use strict'
/** Directories that nobody else can look into, or put something into. */
const { chmodSync, mkdtempSync, rmSync } = require('node:fs')
const { rm } = require('node:fs/promises')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { watchDirectory } = require('./unfinished.js')

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/**
 * A new directory. It is removed if this thread ends before anybody else does that.
 * @typedef {object} PrivateDirectory
 * @property {string} path
 * @property {() => Promise<void>} remove
 * @property {() => void} removeSync
 * @property {() => void} release Leaves it to somebody else to remove it.
 */

/**
 * Without a pause between making it and watching it: a thread that ends in one would leave it behind.
 * @returns {PrivateDirectory}
 */
const newDirectory = () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'promptmason-'))
  const release = watchDirectory(path.resolve(directory))
  return {
    path: directory,
    release,
    async remove() {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
      release()
    },
    removeSync() {
      rmSync(directory, { recursive: true, force: true })
      release()
    },
  }
}

/**
 * Makes a new directory and lets `fill` put something into it. If that fails, nothing is left.
 * @template T
 * @param {(directory: PrivateDirectory) => Promise<T>} fill
 * @returns {Promise<T>}
 */
const inNewDirectory = async (fill) => {
  const directory = newDirectory()
  try {
    chmodSync(directory.path, OWNER_ONLY_DIRECTORY)
    return await fill(directory)
  } catch (error) {
    await directory.remove()
    throw error
  }
}

module.exports = { OWNER_ONLY_FILE, inNewDirectory }
