/** `redisStore`. */
import { randomUUID } from 'node:crypto'
import { fields } from '../../checks/fields.js'
import { optional, string } from '../../checks/kinds.js'
import { wrongType } from '../../checks/problems.js'
import { checkAcquire, checkAppend, checkId, checkRelease, notOwner, openElsewhere, otherVersion } from './contract.js'
import type { ConversationStore, JsonValue, StorePosition } from './contract.js'
import { ACQUIRE, APPEND, COMPACT, LOAD, RELEASE } from './redis-scripts.js'

/** A client or cluster client from the package `redis`, version 4 or later. */
export interface NodeRedisClient {
  evalSha(sha1: string, options?: { keys?: string[]; arguments?: string[] }): Promise<unknown>
  eval(script: string, options?: { keys?: string[]; arguments?: string[] }): Promise<unknown>
}

/** A client or cluster client from the package `ioredis`, version 5 or later. */
export interface IoRedisClient {
  evalsha(sha1: string, numkeys: number, ...args: string[]): Promise<unknown>
  eval(script: string, numkeys: number, ...args: string[]): Promise<unknown>
}

export interface RedisStoreOptions {
  /** The prefix of all keys. @default 'promptmason' */
  prefix?: string | null | undefined
}

const storeOptions = fields<RedisStoreOptions>()({ prefix: optional(string, 'promptmason') })

type Evaluate = (script: string, keys: string[], args: string[]) => Promise<unknown>

/** Items of the stream that are read at a time. */
const PAGE = 256

type Client = NodeRedisClient | IoRedisClient

const isNodeRedis = (client: Client): client is NodeRedisClient =>
  typeof (client as Partial<NodeRedisClient> | null | undefined)?.evalSha === 'function'

const isIoRedis = (client: Client): client is IoRedisClient =>
  typeof (client as Partial<IoRedisClient> | null | undefined)?.evalsha === 'function'

/** The two packages differ in how a script gets its keys and arguments. */
const evaluateWith = (client: Client): Evaluate => {
  if (isNodeRedis(client)) return (script, keys, args) => client.eval(script, { keys, arguments: args })
  if (isIoRedis(client)) return (script, keys, args) => client.eval(script, keys.length, ...keys, ...args)
  return wrongType("a client of the package 'redis' or 'ioredis'", client, '', 'client')
}

/** A version as the id of an item. */
const itemId = (version: number) => `${version}-0`

const versionOf = (id: string) => Number.parseInt(id, 10)

class RedisStore implements Required<ConversationStore> {
  #evaluate
  #prefix

  constructor(client: Client, given: RedisStoreOptions | null | undefined) {
    this.#evaluate = evaluateWith(client)
    this.#prefix = storeOptions(given, '', 'options').prefix
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

  async append(id: string, at: StorePosition, entries: readonly JsonValue[]) {
    return this.#write(APPEND, checkAppend(id, at, entries))
  }

  async compact(id: string, at: StorePosition, entries: readonly JsonValue[]) {
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
        const [id = '', json = '[]'] = items.slice(index, index + 2)
        last = id
        for (const entry of JSON.parse(json) as unknown[]) entries.push(entry)
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

/**
 * Keeps conversations in Redis, for several machines: one stream for each, which a script on the server
 * appends to. It uses your connected client and never closes it. Durability depends on your server: with
 * `appendonly yes`, conversations survive a restart of the server.
 */
export function redisStore(
  client: NodeRedisClient | IoRedisClient,
  options?: RedisStoreOptions | null,
): Required<ConversationStore> {
  return new RedisStore(client, options)
}
