'use strict'
/**
 * Files that take what a CLI writes. Most CLIs end without waiting until a pipe has taken all that
 * they have written: whatever a reader has not read by then is lost, with an exit code of 0. A
 * file takes everything at once.
 */
const { open } = require('node:fs/promises')
const path = require('node:path')
const { OWNER_ONLY_FILE, inNewDirectory } = require('./private-directory.js')

const CHUNK_BYTES = 256 * 1024

/** So often is output looked for that somebody waits for. */
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

  /**
   * Reads what was written since the last time.
   * @param {(chunk: Buffer) => void} push
   */
  async readNew(push) {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const { bytesRead, buffer } = await this.#handle.read(
        Buffer.allocUnsafe(CHUNK_BYTES),
        0,
        CHUNK_BYTES,
        this.#position,
      )
      if (bytesRead === 0) return
      this.#position += bytesRead
      push(buffer.subarray(0, bytesRead))
    }
  }

  /**
   * Reads what is written while it is written.
   * @param {(chunk: Buffer) => void} push
   * @param {(error: unknown) => void} onError Called once, with what `push` has thrown; that is the end.
   * @returns {() => Promise<void>} Stops it.
   */
  watch(push, onError) {
    let isStopped = false
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    const look = async () => {
      try {
        await this.readNew(push)
      } catch (error) {
        isStopped = true
        onError(error)
      }
      if (!isStopped) timer = setTimeout(lookAgain, WATCH_MS)
    }
    let looking = look()
    const lookAgain = () => {
      looking = look()
    }
    return () => {
      isStopped = true
      clearTimeout(timer)
      return looking
    }
  }

  /**
   * The end of what was written.
   * @param {number} maxBytes
   */
  async readEnd(maxBytes) {
    const { size } = await this.#handle.stat()
    this.#position = Math.max(0, size - maxBytes)
    /** @type {Buffer[]} */
    const chunks = []
    await this.readNew((chunk) => chunks.push(chunk))
    return Buffer.concat(chunks).toString()
  }

  close() {
    return this.#handle.close()
  }
}

/** New files for stdout and stderr. */
const openOutputFiles = () =>
  inNewDirectory(async (directory) => {
    // Whoever writes, it goes to the end.
    const openNew = async (/** @type {string} */ name) =>
      new OutputFile(await open(path.join(directory.path, name), 'ax+', OWNER_ONLY_FILE))
    const stdout = await openNew('stdout')
    const stderr = await openNew('stderr').catch(async (error) => {
      await stdout.close()
      throw error
    })
    // What is open needs no name, except on Windows.
    if (process.platform !== 'win32') await directory.remove()
    return {
      stdout,
      stderr,
      close: async () => {
        await Promise.all([stdout.close(), stderr.close()])
        if (process.platform === 'win32') await directory.remove()
      },
    }
  })

module.exports = { openOutputFiles }
