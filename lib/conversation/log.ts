/**
 * The log of an open conversation in its store. Entries are appended one batch after another: the caller
 * waits for one before it appends the next.
 *
 * 1. The lease is renewed while the log is open. An owner that has lost it to somebody else can never
 *    write again.
 * 2. If an append fails, it may still have been carried out: the response may have been lost. Its caller
 *    was told that it failed. Before anything else is written, the log is read again, and if the append
 *    was carried out, it is made void.
 */
import { randomUUID } from 'node:crypto'
import { makeError } from '../errors.js'
import { type Entry, unreadable } from './entries.js'
import { isConflict, lostEntries, notOwner, returned } from './stores/contract.js'
import type { ConversationStore, JsonValue, StoredConversation, StorePosition } from './stores/contract.js'

/** Makes the entries before it void. */
type Retraction = { type: 'void'; count: number }
type Unsure = { entries: readonly Entry[]; replaces?: boolean }

/** How many times a lease is renewed before it would expire. */
const RENEWALS = 3
/** Smaller logs are not compacted. */
const MIN_COMPACTED_BYTES = 64 * 1024
/** How many times larger than its content a log may grow. */
const MAX_RATIO = 4
/** How many changed and removed messages it may have: reading them takes longer than reading others. */
const MAX_EDITS = 1000

const { stringify } = JSON

const bytesOf = (entries: readonly unknown[]) =>
  entries.reduce((sum: number, entry) => sum + stringify(entry).length, 0)

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((entry, index) => stringify(entry) === stringify(b[index]))

/** A store writes entries as JSON, with dates as strings. */
const written = (entries: readonly unknown[]) => entries as readonly JsonValue[]

/** The entries that remain once voided ones are removed. */
const withoutVoid = (entries: readonly (Entry | Retraction)[]) => {
  const valid: Entry[] = []
  for (const entry of entries) {
    if (entry?.type !== 'void') valid.push(entry)
    else if (entry.count >= 0 && entry.count <= valid.length) valid.length -= entry.count
    else throw unreadable('an entry makes more void than there is')
  }
  return valid
}

export class Log {
  #store
  #id
  #leaseMs
  #owner = randomUUID()
  #fence = 0
  #version = 0
  /** How many entries there are, and how large they are. */
  #count = 0
  #bytes = 0
  /** How large it must be before it is compacted again, if that has failed. */
  #retryBytes = 0
  /** What may have been written. */
  #unsure: Unsure | undefined
  /** Why nothing can be written any more. */
  #lost: unknown
  #isReleased = false
  #timer: NodeJS.Timeout | undefined
  /** The last one. */
  #renewal: Promise<void> | undefined
  #onLost: (error: unknown) => void

  constructor(store: ConversationStore, id: string, leaseMs: number, onLost: (error: unknown) => void) {
    this.#store = store
    this.#id = id
    this.#leaseMs = leaseMs
    this.#onLost = onLost
  }

  /** Becomes the owner and reads the log. */
  async open(): Promise<Entry[]> {
    await this.#acquire()
    try {
      const loaded = await this.#load()
      this.#adopt(loaded)
      const renew = () => {
        this.#renewal = this.#renew()
      }
      this.#timer = setInterval(renew, Math.ceil(this.#leaseMs / RENEWALS))
      this.#timer.unref()
      return withoutVoid((loaded?.entries ?? []) as (Entry | Retraction)[])
    } catch (error) {
      await this.#release().catch(() => {})
      throw error
    }
  }

  throwIfLost() {
    if (this.#lost !== undefined) throw this.#lost
  }

  async append(entries: readonly Entry[]) {
    await this.#write({ entries }, async (at) =>
      returned.append(await this.#store.append(this.#id, at, written(entries))),
    )
    this.#count += entries.length
    this.#bytes += bytesOf(entries)
  }

  /** Whether the log can be compacted, and is several times larger than its content or has many edits. */
  isWasteful({ bytes, edits }: { bytes: number; edits: number }) {
    if (typeof this.#store.compact !== 'function' || this.#bytes < this.#retryBytes) return false
    return edits > MAX_EDITS || this.#bytes > Math.max(MIN_COMPACTED_BYTES, MAX_RATIO * bytes)
  }

  /** Replaces everything with equivalent entries. */
  async compact(entries: readonly Entry[]) {
    const { compact } = this.#store
    if (typeof compact !== 'function') return
    this.#retryBytes = 2 * this.#bytes
    await this.#write({ entries, replaces: true }, async (at) =>
      returned.compact(await Reflect.apply(compact, this.#store, [this.#id, at, written(entries)])),
    )
    this.#count = entries.length
    this.#bytes = bytesOf(entries)
    this.#retryBytes = 0
  }

  /** Gives up ownership, also of a log that cannot be written. If the store fails, the call can be repeated. */
  async close() {
    if (this.#isReleased) return
    if (this.#lost === undefined && this.#unsure !== undefined) {
      const unsettled = await this.#settle(this.#unsure).catch((error: unknown) => ({ error }))
      if (unsettled !== undefined && this.#lost === undefined) throw unsettled.error
    }
    clearInterval(this.#timer)
    await this.#renewal
    this.#lost ??= notOwner(this.#id)
    await this.#release()
    this.#isReleased = true
  }

  async #write(change: Unsure, write: (at: StorePosition) => Promise<number>) {
    this.throwIfLost()
    if (this.#unsure !== undefined) await this.#settle(this.#unsure)
    try {
      this.#version = await this.#asOwner(write)
    } catch (error) {
      if (this.#lost === undefined) this.#unsure = change
      throw error
    }
  }

  /** Writes as the owner. If the lease has expired and nobody else has taken it, it is acquired again. */
  async #asOwner(write: (at: StorePosition) => Promise<number>) {
    const attempt = (fence: number) => write({ version: this.#version, fence })
    // The lease may be renewed meanwhile.
    const fence = this.#fence
    try {
      return await attempt(fence)
    } catch (error) {
      if (!isConflict(error)) throw error
      await this.#acquire().catch((refused) => this.#fail(refused))
      if (this.#fence === fence) this.#fail(error)
      return await attempt(this.#fence).catch((again) => this.#fail(again))
    }
  }

  /** Finds out whether the last write was carried out, and voids it. */
  async #settle(unsure: Unsure) {
    await this.#acquire().catch((error) => this.#fail(error))
    const loaded = await this.#load()
    const entries = loaded?.entries ?? []
    const { length } = unsure.entries
    const retraction: Retraction = { type: 'void', count: length }
    if (unsure.replaces === true) {
      const isDone = isSame(entries, unsure.entries)
      if (!isDone && entries.length !== this.#count) this.#fail(notOwner(this.#id))
      this.#adopt(loaded)
    } else {
      if (entries.length < this.#count) this.#fail(lostEntries(this.#id))
      const added = entries.slice(this.#count)
      const isDone = length > 0 && isSame(added, unsure.entries)
      if (!isDone && added.length > 0 && !isSame(added, [...unsure.entries, retraction])) this.#fail(notOwner(this.#id))
      const count = this.#count
      this.#adopt(loaded)
      if (isDone) {
        // Until the retraction is stored, the log is known to end here.
        this.#count = count
        this.#version = await this.#asOwner(async (at) =>
          returned.append(await this.#store.append(this.#id, at, [retraction])),
        )
        this.#count = entries.length + 1
      }
    }
    this.#unsure = undefined
  }

  async #acquire() {
    const { fence } = returned.acquire(await this.#store.acquire(this.#id, this.#owner, this.#leaseMs))
    // Answers may come in another order.
    this.#fence = Math.max(this.#fence, fence)
  }

  async #load() {
    return returned.load(await this.#store.load(this.#id))
  }

  async #release() {
    await this.#store.release(this.#id, this.#fence)
  }

  async #renew() {
    try {
      await this.#acquire()
    } catch (error) {
      // Any other error may pass. If not, the next append reports it.
      if (isConflict(error)) this.#lose(error)
    }
  }

  #fail(error: unknown): never {
    if (!isConflict(error)) throw error
    this.#lose(error)
    throw this.#lost
  }

  #lose(error: unknown) {
    if (this.#lost !== undefined) return
    clearInterval(this.#timer)
    const message = error instanceof Error ? error.message : notOwner(this.#id).message
    this.#lost = makeError('Error', message, { code: 'ERR_CONFLICT', conversation: this.#id, cause: error })
    Object.defineProperty(this.#lost, 'cause', { enumerable: false })
    this.#onLost(this.#lost)
  }

  #adopt(loaded: StoredConversation | null) {
    this.#version = loaded?.version ?? 0
    this.#count = loaded?.entries.length ?? 0
    this.#bytes = bytesOf(loaded?.entries ?? [])
  }
}
