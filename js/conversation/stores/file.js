'use strict'
/**
 * Conversations in a directory: `<id>.jsonl` for each, and `<id>.lock`, which the owner keeps locked
 * while the conversation is open. The operating system holds the lock. It ends with the process, so
 * there is no lease, and `ttlMs` has no effect.
 *
 * The lock is a separate file because Windows lets nobody read a file that somebody else has locked.
 */
const { mkdir } = require('node:fs/promises')
const path = require('node:path')
const native = require('../../../binding.js')
const { string } = require('../../checks/kinds.js')
const { errorOf } = require('../../errors.js')
const { checkAcquire, checkAppend, checkId, checkRelease, notOwner, openElsewhere, otherVersion } =
  require('./contract.js')
const { fileNameOf } = require('./file-names.js')
const { LogFile, syncDirectory } = require('./log-file.js')

/** @typedef {import('../../../types/stores.js').ConversationStore} ConversationStore */
/** @typedef {InstanceType<typeof native.NativeFileLock>} FileLock */
/** @typedef {{ owner: string, lock: FileLock, log: InstanceType<typeof LogFile>, isLoaded: boolean }} Held */

const OWNER_ONLY = 0o700

/** Makes a directory and its missing parents. @param {string} directory */
const makeDirectory = async (directory) => {
  const first = await mkdir(directory, { recursive: true, mode: OWNER_ONLY })
  if (first === undefined) return
  for (let made = directory; made.length >= first.length; made = path.dirname(made)) {
    // oxlint-disable-next-line no-await-in-loop -- from the inside out
    await syncDirectory(path.dirname(made))
  }
}

class FileStore {
  #directory
  /** @type {Map<string, Held>} */
  #held = new Map()
  /** @type {Map<string, Promise<unknown>>} The last thing to do with each conversation. */
  #queues = new Map()

  /** @param {string} directory */
  constructor(directory) {
    this.#directory = path.resolve(string(directory, '', 'directory'))
  }

  /** @param {string} id */
  async load(id) {
    checkId(id)
    return this.#inTurn(id, async () => {
      const held = this.#held.get(id)
      if (held === undefined) return LogFile.read(this.#fileOf(id, 'jsonl'))
      const content = await held.log.load()
      held.isLoaded = true
      return content
    })
  }

  /** @param {string} id @param {string} owner @param {number} ttlMs */
  async acquire(id, owner, ttlMs) {
    checkAcquire(id, owner, ttlMs)
    return this.#inTurn(id, async () => {
      const held = this.#held.get(id)
      if (held !== undefined && held.owner !== owner) throw openElsewhere(id)
      if (held !== undefined) return { fence: held.lock.fence }
      await makeDirectory(this.#directory)
      const lock = await native.lockFile(this.#fileOf(id, 'lock')).catch((error) => Promise.reject(errorOf(error)))
      if (!lock) throw openElsewhere(id)
      const log = new LogFile(id, this.#fileOf(id, 'jsonl'))
      this.#held.set(id, { owner, lock, log, isLoaded: false })
      return { fence: lock.fence }
    })
  }

  /** @param {string} id @param {any} at @param {readonly unknown[]} entries */
  async append(id, at, entries) {
    const checked = checkAppend(id, at, entries)
    return this.#inTurn(id, async () => (await this.#owned(id, checked.at)).append(checked.entries))
  }

  /** @param {string} id @param {any} at @param {readonly unknown[]} entries */
  async compact(id, at, entries) {
    const checked = checkAppend(id, at, entries)
    return this.#inTurn(id, async () => (await this.#owned(id, checked.at)).compact(checked.entries))
  }

  /** @param {string} id @param {number} fence */
  async release(id, fence) {
    checkRelease(id, fence)
    return this.#inTurn(id, async () => {
      const held = this.#held.get(id)
      if (held === undefined || held.lock.fence !== fence) return
      this.#held.delete(id)
      try {
        await held.log.close()
      } finally {
        held.lock.unlock()
      }
    })
  }

  /**
   * The log, if this owner may change it from this version.
   * @param {string} id
   * @param {import('./contract.js').StorePosition} at
   */
  async #owned(id, { version, fence }) {
    const held = this.#held.get(id)
    if (held === undefined || held.lock.fence !== fence) throw notOwner(id)
    if (!held.isLoaded) await held.log.load()
    held.isLoaded = true
    if (held.log.version !== version) throw otherVersion(id, version, held.log.version)
    return held.log
  }

  /**
   * Runs the operations on a conversation one at a time.
   * @template T
   * @param {string} id
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #inTurn(id, work) {
    const before = this.#queues.get(id)
    const result = (async () => {
      await before
      return work()
    })()
    const settled = result.then(
      () => {},
      () => {},
    )
    this.#queues.set(id, settled)
    try {
      return await result
    } finally {
      if (this.#queues.get(id) === settled) this.#queues.delete(id)
    }
  }

  /** @param {string} id @param {string} ending */
  #fileOf(id, ending) {
    return path.join(this.#directory, `${fileNameOf(id)}.${ending}`)
  }
}

/**
 * @param {string} directory
 * @returns {Required<ConversationStore>}
 */
const fileStore = (directory) => new FileStore(directory)

module.exports = { fileStore }
