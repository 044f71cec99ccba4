'use strict'
/** Conversations in the memory of this process. */
const { checkAcquire, checkAppend, checkId, checkRelease, notOwner, openElsewhere, otherVersion } =
  require('./contract.js')

/** @typedef {import('../../../types/stores.js').ConversationStore} ConversationStore */
/** @typedef {{ owner: string, fence: number, until: number }} Lease */
/** @typedef {{ version: number, entries: string[], lease: Lease | undefined, lastFence: number }} Kept */

/** A clock that nobody can set. */
const now = () => performance.now()

/** @param {Kept | undefined} kept */
const leaseOf = (kept) => (kept?.lease !== undefined && kept.lease.until > now() ? kept.lease : undefined)

class MemoryStore {
  /** @type {Map<string, Kept>} Entries as JSON, so that nobody can change them from outside. */
  #conversations = new Map()

  /** @param {string} id */
  async load(id) {
    const kept = this.#conversations.get(checkId(id))
    if (kept === undefined || kept.version === 0) return null
    return { version: kept.version, entries: kept.entries.map((json) => JSON.parse(json)) }
  }

  /** @param {string} id @param {string} owner @param {number} ttlMs */
  async acquire(id, owner, ttlMs) {
    checkAcquire(id, owner, ttlMs)
    const kept = this.#conversations.get(id) ?? { version: 0, entries: [], lease: undefined, lastFence: 0 }
    const lease = leaseOf(kept)
    if (lease !== undefined && lease.owner !== owner) throw openElsewhere(id)
    kept.lastFence = lease?.fence ?? kept.lastFence + 1
    kept.lease = { owner, fence: kept.lastFence, until: now() + ttlMs }
    this.#conversations.set(id, kept)
    return { fence: kept.lastFence }
  }

  /** @param {string} id @param {any} at @param {readonly unknown[]} entries */
  async append(id, at, entries) {
    const { kept, added } = this.#owned(id, at, entries)
    kept.entries.push(...added)
    return ++kept.version
  }

  /** @param {string} id @param {any} at @param {readonly unknown[]} entries */
  async compact(id, at, entries) {
    const { kept, added } = this.#owned(id, at, entries)
    kept.entries = added
    return ++kept.version
  }

  /** @param {string} id @param {number} fence */
  async release(id, fence) {
    checkRelease(id, fence)
    const kept = this.#conversations.get(id)
    if (kept?.lease?.fence !== fence) return
    kept.lease = undefined
    // Nothing was ever written, so leave no trace of it.
    if (kept.version === 0) this.#conversations.delete(id)
  }

  /**
   * What is kept, if this owner may change it from this version.
   * @param {string} id
   * @param {any} at
   * @param {readonly unknown[]} entries
   */
  #owned(id, at, entries) {
    const checked = checkAppend(id, at, entries)
    const kept = this.#conversations.get(id)
    if (kept === undefined || leaseOf(kept)?.fence !== checked.at.fence) throw notOwner(id)
    if (kept.version !== checked.at.version) throw otherVersion(id, checked.at.version, kept.version)
    return { kept, added: checked.entries }
  }
}

/** @returns {Required<ConversationStore>} */
const memoryStore = () => new MemoryStore()

module.exports = { memoryStore }
