'use strict'
/** Directories that nobody else can read or write. */
const { randomUUID } = require('node:crypto')
const { mkdirSync } = require('node:fs')
const { rm } = require('node:fs/promises')
const { tmpdir } = require('node:os')
const path = require('node:path')
const native = require('../../binding.js')
const { watchDirectory } = require('./unfinished.js')

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/**
 * A new directory. It is removed when this thread ends, unless that has already happened.
 * @typedef {object} PrivateDirectory
 * @property {string} path
 * @property {() => Promise<void>} remove
 * @property {() => void} release Leaves its removal to somebody else.
 */

/**
 * It is watched before it is made: a worker that is terminated in between would leave it behind.
 * Nobody can guess its name.
 * @returns {PrivateDirectory}
 */
const newDirectory = () => {
  const directory = path.resolve(tmpdir(), `promptmason-${randomUUID()}`)
  const release = watchDirectory(directory)
  try {
    // If the system refuses, Node's error says why.
    if (!native.makePrivateDirectory(directory)) mkdirSync(directory, OWNER_ONLY_DIRECTORY)
  } catch (error) {
    release()
    throw error
  }
  return {
    path: directory,
    release,
    async remove() {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
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
    return await fill(directory)
  } catch (error) {
    await directory.remove()
    throw error
  }
}

module.exports = { OWNER_ONLY_FILE, inNewDirectory }
