/** `memoryStore`. */
import { checkAcquire, checkAppend, checkId, checkRelease, notOwner, openElsewhere, otherVersion } from './contract.js'
import type { ConversationStore, JsonValue, StorePosition } from './contract.js'

type Lease = { owner: string; fence: number; until: number }
type Kept = { version: number; entries: string[]; lease: Lease | undefined; lastFence: number }

/** A clock that nobody can set. */
const now = () => performance.now()

const leaseOf = (kept: Kept | undefined) =>
  kept?.lease !== undefined && kept.lease.until > now() ? kept.lease : undefined

class MemoryStore implements Required<ConversationStore> {
  /** Entries as JSON, so that nobody can change them from outside. */
  #conversations: Map<string, Kept> = new Map()

  async load(id: string) {
    const kept = this.#conversations.get(checkId(id))
    if (kept === undefined || kept.version === 0) return null
    return { version: kept.version, entries: kept.entries.map((json): unknown => JSON.parse(json)) }
  }

  async acquire(id: string, owner: string, ttlMs: number) {
    checkAcquire(id, owner, ttlMs)
    const kept = this.#conversations.get(id) ?? { version: 0, entries: [], lease: undefined, lastFence: 0 }
    const lease = leaseOf(kept)
    if (lease !== undefined && lease.owner !== owner) throw openElsewhere(id)
    kept.lastFence = lease?.fence ?? kept.lastFence + 1
    kept.lease = { owner, fence: kept.lastFence, until: now() + ttlMs }
    this.#conversations.set(id, kept)
    return { fence: kept.lastFence }
  }

  async append(id: string, at: StorePosition, entries: readonly JsonValue[]) {
    const { kept, added } = this.#owned(id, at, entries)
    kept.entries.push(...added)
    return ++kept.version
  }

  async compact(id: string, at: StorePosition, entries: readonly JsonValue[]) {
    const { kept, added } = this.#owned(id, at, entries)
    kept.entries = added
    return ++kept.version
  }

  async release(id: string, fence: number) {
    checkRelease(id, fence)
    const kept = this.#conversations.get(id)
    if (kept?.lease?.fence !== fence) return
    kept.lease = undefined
    // Nothing was ever written, so leave no trace of it.
    if (kept.version === 0) this.#conversations.delete(id)
  }

  /** What is kept, if this owner may change it from this version. */
  #owned(id: string, at: StorePosition, entries: readonly JsonValue[]) {
    const checked = checkAppend(id, at, entries)
    const kept = this.#conversations.get(id)
    if (kept === undefined || leaseOf(kept)?.fence !== checked.at.fence) throw notOwner(id)
    if (kept.version !== checked.at.version) throw otherVersion(id, checked.at.version, kept.version)
    return { kept, added: checked.entries }
  }
}

/** Keeps conversations in the memory of this process. */
export function memoryStore(): Required<ConversationStore> {
  return new MemoryStore()
}
