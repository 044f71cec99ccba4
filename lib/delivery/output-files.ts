/**
 * Files that receive the output of a CLI. Most CLIs exit before a pipe has drained: whatever nobody has
 * read by then is lost, with exit code 0. A file accepts everything immediately.
 */
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { OWNER_ONLY_FILE, inNewDirectory } from './private-directory.js'

const CHUNK_BYTES = 256 * 1024

const WATCH_MS = 50

/** A file that is being written. */
class OutputFile {
  #handle
  #position = 0
  #seenBytes = 0
  /** The end of what was emptied. */
  #lost = ''

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  get fd() {
    return this.#handle.fd
  }

  async size() {
    return (await this.#handle.stat()).size
  }

  /** Whether it is longer than at the last call. If it is longer than this, it is emptied. */
  async hasGrown(maxBytes: number) {
    const size = await this.size()
    const hasGrown = size !== this.#seenBytes
    // Every writer appends, and so begins anew.
    if (size > maxBytes) {
      this.#lost = await this.readEnd(maxBytes / 4)
      await this.#handle.truncate()
    }
    this.#seenBytes = size > maxBytes ? 0 : size
    return hasGrown
  }

  /**
   * Continues reading, piece by piece, up to a position. Output that arrives meanwhile is not read,
   * because a program can write faster than we read.
   * @param push Returns whether to go on.
   * @returns Whether to go on.
   */
  async readTo(end: number, push: (chunk: Buffer) => boolean): Promise<boolean> {
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
   * @param push Returns whether to go on.
   * @param over When to read what is left, and stop.
   * @param look Called before each look, with the size.
   */
  async follow(
    push: (chunk: Buffer) => boolean,
    over: Promise<unknown>,
    look: (size: number) => Promise<void> = async () => {},
  ) {
    let isOver = false
    const ending = over.then(() => {
      isOver = true
    })
    for (;;) {
      // Anything written from now on is left for the next round, or not read at all.
      const isLast = isOver
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      const size = await this.size()
      // oxlint-disable-next-line no-await-in-loop -- the same
      await look(size)
      // oxlint-disable-next-line no-await-in-loop -- the same
      const goesOn = await this.readTo(size, push)
      if (!goesOn || isLast) return
      // oxlint-disable-next-line no-await-in-loop -- the same
      if (!isOver) await Promise.race([ending, wait(WATCH_MS)])
    }
  }

  async readEnd(maxBytes: number) {
    const size = await this.size()
    this.#position = Math.max(0, size - maxBytes)
    const chunks: Buffer[] = []
    await this.readTo(size, (chunk) => chunks.push(chunk) > 0)
    return (this.#lost + Buffer.concat(chunks).toString()).slice(-maxBytes)
  }

  close() {
    return this.#handle.close()
  }
}

/** With less free space than this, what a program has written may be lost. */
const MIN_FREE_BYTES = 16 * 1024

export const isDiskFull = async () => {
  try {
    const { bavail, bsize } = await statfs(tmpdir())
    return bavail * bsize < MIN_FREE_BYTES
  } catch {
    // Not every system can tell.
    return false
  }
}

export const openOutputFiles = () =>
  inNewDirectory(async (directory) => {
    // Every writer appends.
    const openNew = async (name: string) =>
      new OutputFile(await open(directory.fileNamed(name), 'ax+', OWNER_ONLY_FILE))
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
