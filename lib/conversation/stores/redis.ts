/** Conversations in Redis, through the caller's client from `redis` or `ioredis`. */
import { randomUUID } from 'node:crypto'
import { recordOf } from '../../checks/fields.js'
import { optional, string } from '../../checks/kinds.js'
import { wrongType } from '../../checks/problems.js'
import { checkAcquire, checkAppend, checkId, checkRelease, notOwner, openElsewhere, otherVersion } from './contract.js'
import { ACQUIRE, APPEND, COMPACT, LOAD, RELEASE } from './redis-scripts.js'
import type { ConversationStore } from './types.js'

export type Evaluate = (script: string, keys: string[], args: string[]) => Promise<unknown>

/** Items of the stream that are read at a time. */
const PAGE = 256

const options = recordOf({ prefix: optional(string, 'promptmason') })

/** The two packages differ in how a script gets its keys and arguments. */
const evaluateWith = (client: any): Evaluate => {
  if (typeof client?.evalSha === 'function') {
    return (script, keys, args) => client.eval(script, { keys, arguments: args })
  }
  if (typeof client?.evalsha === 'function') {
    return (script, keys, args) => client.eval(script, keys.length, ...keys, ...args)
  }
  return wrongType("a client of the package 'redis' or 'ioredis'", client, '', 'client')
}

/** A version as the id of an item. */
const itemId = (version: number) => `${version}-0`

const versionOf = (id: string) => Number.parseInt(id, 10)

class RedisStore {
  #evaluate
  #prefix

  constructor(client: any, given: any) {
    this.#evaluate = evaluateWith(client)
    this.#prefix = options(given, '', 'options').prefix
  }

  async load(id: string) {
    const { log } = this.#keysOf(checkId(id))
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- again if its owner has compacted it meanwhile
      const loaded = await this.#loadPages(log)
      if (loaded !== undefined) return loaded
    }
  }

  async acquire(id: string, owner: string, ttlMs: number) {
    checkAcquire(id, owner, ttlMs)
    const { lease, fence } = this.#keysOf(id)
    const [word, given] = await this.#run(ACQUIRE, [lease, fence], [owner, `${ttlMs}`])
    if (word !== 'ok') throw openElsewhere(id)
    return { fence: Number(given) }
  }

  async append(id: string, at: any, entries: readonly unknown[]) {
    return this.#write(APPEND, checkAppend(id, at, entries))
  }

  async compact(id: string, at: any, entries: readonly unknown[]) {
    return this.#write(COMPACT, checkAppend(id, at, entries))
  }

  async release(id: string, fence: number) {
    checkRelease(id, fence)
    await this.#run(RELEASE, [this.#keysOf(id).lease], [`${fence}`])
  }

  async #write(script: string, { id, at: { version, fence }, entries }: ReturnType<typeof checkAppend>) {
    const { lease, log } = this.#keysOf(id)
    const next = version + 1
    const args = [`${fence}`, itemId(version), itemId(next), randomUUID(), `[${entries.join(',')}]`]
    const [word, newest = ''] = await this.#run(script, [lease, log], args)
    if (word === 'lease') throw notOwner(id)
    if (word === 'version') throw otherVersion(id, version, versionOf(newest))
    return next
  }

  /** Undefined if it was replaced while it was read. */
  async #loadPages(log: string) {
    const entries: unknown[] = []
    let first: string | undefined
    let last = ''
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one page after another
      const [start = '', ...items] = await this.#run(LOAD, [log], [last === '' ? '-' : `(${last}`, `${PAGE}`])
      if (first !== undefined && first !== start) return undefined
      first = start
      for (let index = 0; index < items.length; index += 2) {
        last = items[index] as string
        for (const entry of JSON.parse(items[index + 1] as string)) entries.push(entry)
      }
      if (items.length < 2 * PAGE) return last === '' ? null : { version: versionOf(last), entries }
    }
  }

  /** What a script returns, as strings: a client may be set up to return buffers. */
  async #run(script: string, keys: string[], args: string[]) {
    return ((await this.#evaluate(script, keys, args)) as unknown[]).map(String)
  }

  /** The braces keep the keys of a conversation on one node of a cluster. */
  #keysOf(id: string) {
    const key = `${this.#prefix}:{${id.replaceAll(/[%{}]/g, encodeURIComponent)}}`
    return { log: `${key}:log`, lease: `${key}:lease`, fence: `${key}:fence` }
  }
}

export const redisStore = (client: any, given?: any): Required<ConversationStore> => new RedisStore(client, given)
