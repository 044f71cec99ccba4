/** Directories that nobody else can read or write. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm, rmdir, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path = require('node:path')
import { isMainThread } from 'node:worker_threads'
import native = require('../../binding.js')
import { prepareGuard } from './guard.js'
import { beforeExit } from './unfinished.js'

export const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/** A new directory. It is removed when this thread ends, unless that has already happened. */
export interface PrivateDirectory {
  path: string
  /** The path of a file that is going to be in it. */
  fileNamed: (name: string) => string
  remove: () => Promise<void>
  /** Leaves its removal to somebody else. */
  release: () => void
}

/**
 * It is watched before it is made: a worker that is terminated in between would leave it behind.
 * Nobody can guess its name.
 */
const newDirectory = (): PrivateDirectory => {
  prepareGuard()
  const directory = path.resolve(tmpdir(), `promptmason-${randomUUID()}`)
  const number = native.watchDirectory(directory, !isMainThread)
  const forget = beforeExit(() => {})
  const release = () => {
    native.forgetUnfinished(number)
    forget()
  }
  try {
    // If the system refuses, Node's error says why.
    if (!native.makePrivateDirectory(directory)) mkdirSync(directory, OWNER_ONLY_DIRECTORY)
  } catch (error) {
    release()
    throw error
  }
  const files: string[] = []
  return {
    path: directory,
    fileNamed(name) {
      const file = path.join(directory, name)
      files.push(file)
      return file
    },
    release,
    async remove() {
      // To list a directory takes a file descriptor, of which there may be none.
      await Promise.all(files.map((file) => unlink(file).catch(() => {})))
      await rmdir(directory).catch(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }))
      release()
    },
  }
}

/** Makes a new directory and lets `fill` put something into it. If that fails, nothing is left. */
export const inNewDirectory = async <T>(fill: (directory: PrivateDirectory) => Promise<T>): Promise<T> => {
  const directory = newDirectory()
  try {
    return await fill(directory)
  } catch (error) {
    // It stays listed if it cannot be removed now.
    await directory.remove().catch(() => {})
    throw error
  }
}
