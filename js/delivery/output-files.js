'use strict'
/**
 * Files that receive the output of a CLI. Most CLIs exit before a pipe has drained: whatever nobody has
 * read by then is lost, with exit code 0. A file accepts everything immediately.
 */
const { open, statfs } = require('node:fs/promises')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { OWNER_ONLY_FILE, inNewDirectory } = require('./private-directory.js')

const CHUNK_BYTES = 256 * 1024

/** How often to check for new output. */
const WATCH_MS = 50

/** A file that is being written. */
class OutputFile {
  #handle
  #position = 0

  /** @param {import('node:fs/promises').FileHandle} handle */
  constructor(handle) {
    this.#handle = handle
  }

  /** For the program that writes. */
  get fd() {
    return this.#handle.fd
  }

  /** How much was written so far. */
  async size() {
    return (await this.#handle.stat()).size
  }

  /**
   * Continues reading, piece by piece, up to a position. Output that arrives meanwhile is not read,
   * because a program can write faster than we read.
   * @param {number} end
   * @param {(chunk: Buffer) => boolean} push Returns whether to go on.
   * @returns {Promise<boolean>} Whether to go on.
   */
  async readTo(end, push) {
    while (this.#position < end) {
      const size = Math.min(CHUNK_BYTES, end - this.#position)
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const { bytesRead, buffer } = await this.#handle.read(Buffer.allocUnsafe(size), 0, size, this.#position)
      if (bytesRead === 0) return true
      this.#position += bytesRead
      if (!push(buffer.subarray(0, bytesRead))) return false
    }
    return true
  }

  /**
   * Reads output while it is being written, until `push` or `isOver` stops it.
   * @param {(chunk: Buffer) => boolean} push Returns whether to go on.
   * @param {Promise<unknown>} over When to read what is left, and stop.
   */
  async follow(push, over) {
    let isOver = false
    const ending = over.then(() => {
      isOver = true
    })
    for (;;) {
      // Anything written from now on is left for the next round, or not read at all.
      const isLast = isOver
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      const goesOn = await this.readTo(await this.size(), push)
      if (!goesOn || isLast) return
      // oxlint-disable-next-line no-await-in-loop -- the same
      if (!isOver) await Promise.race([ending, pause()])
    }
  }

  /**
   * The end of what was written.
   * @param {number} maxBytes
   */
  async readEnd(maxBytes) {
    const size = await this.size()
    this.#position = Math.max(0, size - maxBytes)
    /** @type {Buffer[]} */
    const chunks = []
    await this.readTo(size, (chunk) => chunks.push(chunk) > 0)
    return Buffer.concat(chunks).toString()
  }

  close() {
    return this.#handle.close()
  }
}

/** @returns {Promise<void>} */
const pause = () =>
  new Promise((resolve) => {
    setTimeout(resolve, WATCH_MS)
  })

/** With less free space than this, what a program has written may be lost. */
const MIN_FREE_BYTES = 16 * 1024

/** Whether there is no room for what programs write. */
const isDiskFull = async () => {
  try {
    const { bavail, bsize } = await statfs(tmpdir())
    return bavail * bsize < MIN_FREE_BYTES
  } catch {
    // Not every system can tell.
    return false
  }
}

/** New files for stdout and stderr. */
const openOutputFiles = () =>
  inNewDirectory(async (directory) => {
    // Every writer appends.
    const openNew = async (/** @type {string} */ name) =>
      new OutputFile(await open(path.join(directory.path, name), 'ax+', OWNER_ONLY_FILE))
    const stdout = await openNew('stdout')
    const stderr = await openNew('stderr').catch(async (error) => {
      await stdout.close()
      throw error
    })
    // An open file needs no name, except on Windows.
    if (process.platform !== 'win32') await directory.remove()
    return {
      stdout,
      stderr,
      close: async () => {
        await Promise.all([stdout.close(), stderr.close()])
        // Processes that a program left behind may have them open. Then they are removed when this thread
        // ends.
        if (process.platform === 'win32') await directory.remove().catch(() => {})
      },
    }
  })

module.exports = { isDiskFull, openOutputFiles }
