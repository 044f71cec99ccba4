/** A store that fails on request, before or after it has done something. */
import { type ConversationStore, memoryStore } from 'promptmason'

export class FlakyStore implements ConversationStore {
  readonly inner: Required<ConversationStore>
  /** How the next appends fail. */
  failures: ('before' | 'after' | undefined)[] = []
  /** Whether nothing works. */
  isAway = false
  appended = 0

  constructor(inner: Required<ConversationStore> = memoryStore()) {
    this.inner = inner
  }

  #check(): void {
    if (this.isAway) throw new Error('the store is away')
  }

  async load(id: string) {
    this.#check()
    return this.inner.load(id)
  }

  async acquire(id: string, owner: string, ttlMs: number) {
    this.#check()
    return this.inner.acquire(id, owner, ttlMs)
  }

  async append(...args: Parameters<ConversationStore['append']>) {
    this.#check()
    const failure = this.failures.shift()
    if (failure === 'before') throw new Error('the store failed')
    const version = await this.inner.append(...args)
    this.appended += 1
    if (failure === 'after') throw new Error('the answer was lost')
    return version
  }

  async release(id: string, fence: number) {
    this.#check()
    return this.inner.release(id, fence)
  }

  async compact(...args: Parameters<Required<ConversationStore>['compact']>) {
    this.#check()
    const failure = this.failures.shift()
    if (failure === 'before') throw new Error('the store failed')
    const version = await this.inner.compact(...args)
    if (failure === 'after') throw new Error('the answer was lost')
    return version
  }
}
