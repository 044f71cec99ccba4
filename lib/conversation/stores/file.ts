/**
 * Conversations in a directory: `<id>.jsonl` for each, and `<id>.lock`, which the owner keeps locked
 * while the conversation is open. The operating system holds the lock. It ends with the process, so
 * there is no lease, and `ttlMs` has no effect.
 *
 * The lock is a separate file because Windows lets nobody read a file that somebody else has locked.
 */
import { mkdir } from 'node:fs/promises'
import path = require('node:path')
import native = require('../../../binding.js')
import { string } from '../../checks/kinds.js'
import { errorOf } from '../../errors.js'
import { checkAcquire, checkAppend, checkId, checkRelease, notOwner, openElsewhere, otherVersion } from './contract.js'
import type { ConversationStore, JsonValue, StorePosition } from './contract.js'
import { fileNameOf } from './file-names.js'
import { LogFile, syncDirectory } from './log-file.js'

type Held = { owner: string; lock: native.NativeFileLock; log: LogFile; isLoaded: boolean }

const OWNER_ONLY = 0o700

/** Makes a directory and its missing parents. */
const makeDirectory = async (directory: string) => {
  const first = await mkdir(directory, { recursive: true, mode: OWNER_ONLY })
  if (first === undefined) return
  for (let made = directory; made.length >= first.length; made = path.dirname(made)) {
    // oxlint-disable-next-line no-await-in-loop -- from the inside out
    await syncDirectory(path.dirname(made))
  }
}

class FileStore implements Required<ConversationStore> {
  #directory
  #held: Map<string, Held> = new Map()
  /** The last thing to do with each conversation. */
  #queues: Map<string, Promise<unknown>> = new Map()

  constructor(directory: string) {
    this.#directory = path.resolve(string(directory, '', 'directory'))
  }

  async load(id: string) {
    checkId(id)
    return this.#inTurn(id, async () => {
      const held = this.#held.get(id)
      if (held === undefined) return LogFile.read(this.#fileOf(id, 'jsonl'))
      const content = await held.log.load()
      held.isLoaded = true
      return content
    })
  }

  async acquire(id: string, owner: string, ttlMs: number) {
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

  async append(id: string, at: StorePosition, entries: readonly JsonValue[]) {
    const checked = checkAppend(id, at, entries)
    return this.#inTurn(id, async () => (await this.#owned(id, checked.at)).append(checked.entries))
  }

  async compact(id: string, at: StorePosition, entries: readonly JsonValue[]) {
    const checked = checkAppend(id, at, entries)
    return this.#inTurn(id, async () => (await this.#owned(id, checked.at)).compact(checked.entries))
  }

  async release(id: string, fence: number) {
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

  /** The log, if this owner may change it from this version. */
  async #owned(id: string, { version, fence }: StorePosition) {
    const held = this.#held.get(id)
    if (held === undefined || held.lock.fence !== fence) throw notOwner(id)
    if (!held.isLoaded) await held.log.load()
    held.isLoaded = true
    if (held.log.version !== version) throw otherVersion(id, version, held.log.version)
    return held.log
  }

  /** Runs the operations on a conversation one at a time. */
  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#queues.get(id) ?? Promise.resolve()).then(work)
    const settled = result
      .catch(() => {})
      .then(() => {
        if (this.#queues.get(id) === settled) this.#queues.delete(id)
      })
    this.#queues.set(id, settled)
    return result
  }

  #fileOf(id: string, ending: string) {
    return path.join(this.#directory, `${fileNameOf(id)}.${ending}`)
  }
}

/**
 * Keeps conversations in a directory on a local disk, each in a file of JSON lines that is flushed to disk before an
 * append resolves. The operating system locks a conversation for its owner until the owner releases it or its process
 * ends, so `ttlMs` has no effect. The directory is created if needed. Other users cannot read the files.
 */
export function fileStore(directory: string): Required<ConversationStore> {
  return new FileStore(directory)
}
