'use strict'
/** Conversations in Redis, through the caller's client from `redis` or `ioredis`. */
const { randomUUID } = require('node:crypto')
const { fields } = require('../../checks/fields.js')
const { optional, string } = require('../../checks/kinds.js')
const { wrongType } = require('../../checks/problems.js')
const { checkAcquire, checkAppend, checkId, checkRelease, notOwner, openElsewhere, otherVersion } =
  require('./contract.js')
const { ACQUIRE, APPEND, COMPACT, LOAD, RELEASE } = require('./redis-scripts.js')

/** @typedef {import('../../../types/stores.js').ConversationStore} ConversationStore */
/** @typedef {(script: string, keys: string[], args: string[]) => Promise<unknown>} Evaluate */

/** Items of the stream that are read at a time. */
const PAGE = 256

const options = fields({ prefix: optional(string, 'promptmason') })

/**
 * The two packages differ in how a script gets its keys and arguments.
 * @param {any} client
 * @returns {Evaluate}
 */
const evaluateWith = (client) => {
  if (typeof client?.evalSha === 'function') {
    return (script, keys, args) => client.eval(script, { keys, arguments: args })
  }
  if (typeof client?.evalsha === 'function') {
    return (script, keys, args) => client.eval(script, keys.length, ...keys, ...args)
  }
  return wrongType("a client of the package 'redis' or 'ioredis'", client, '', 'client')
}

/** A version as the id of an item. @param {number} version */
const itemId = (version) => `${version}-0`

/** @param {string} id */
const versionOf = (id) => Number.parseInt(id, 10)

class RedisStore {
  #evaluate
  #prefix

  /** @param {any} client @param {any} given */
  constructor(client, given) {
    this.#evaluate = evaluateWith(client)
    this.#prefix = options(given, '', 'options').prefix
  }

  /** @param {string} id */
  async load(id) {
    const { log } = this.#keysOf(checkId(id))
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- again if its owner has compacted it meanwhile
      const loaded = await this.#loadPages(log)
      if (loaded !== undefined) return loaded
    }
  }

  /** @param {string} id @param {string} owner @param {number} ttlMs */
  async acquire(id, owner, ttlMs) {
    checkAcquire(id, owner, ttlMs)
    const { lease, fence } = this.#keysOf(id)
    const [word, given] = await this.#run(ACQUIRE, [lease, fence], [owner, `${ttlMs}`])
    if (word !== 'ok') throw openElsewhere(id)
    return { fence: Number(given) }
  }

  /** @param {string} id @param {any} at @param {readonly unknown[]} entries */
  async append(id, at, entries) {
    return this.#write(APPEND, checkAppend(id, at, entries))
  }

  /** @param {string} id @param {any} at @param {readonly unknown[]} entries */
  async compact(id, at, entries) {
    return this.#write(COMPACT, checkAppend(id, at, entries))
  }

  /** @param {string} id @param {number} fence */
  async release(id, fence) {
    checkRelease(id, fence)
    await this.#run(RELEASE, [this.#keysOf(id).lease], [`${fence}`])
  }

  /** @param {string} script @param {ReturnType<typeof checkAppend>} checked */
  async #write(script, { id, at: { version, fence }, entries }) {
    const { lease, log } = this.#keysOf(id)
    const next = version + 1
    const args = [`${fence}`, itemId(version), itemId(next), randomUUID(), `[${entries.join(',')}]`]
    const [word, newest = ''] = await this.#run(script, [lease, log], args)
    if (word === 'lease') throw notOwner(id)
    if (word === 'version') throw otherVersion(id, version, versionOf(newest))
    return next
  }

  /** Undefined if it was replaced while it was read. @param {string} log */
  async #loadPages(log) {
    /** @type {unknown[]} */
    const entries = []
    /** @type {string | undefined} */
    let first
    let last = ''
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one page after another
      const [start = '', ...items] = await this.#run(LOAD, [log], [last === '' ? '-' : `(${last}`, `${PAGE}`])
      if (first !== undefined && first !== start) return undefined
      first = start
      for (let index = 0; index < items.length; index += 2) {
        last = /** @type {string} */ (items[index])
        for (const entry of JSON.parse(/** @type {string} */ (items[index + 1]))) entries.push(entry)
      }
      if (items.length < 2 * PAGE) return last === '' ? null : { version: versionOf(last), entries }
    }
  }

  /**
   * What a script returns, as strings: a client may be set up to return buffers.
   * @param {string} script
   * @param {string[]} keys
   * @param {string[]} args
   */
  async #run(script, keys, args) {
    return /** @type {unknown[]} */ (await this.#evaluate(script, keys, args)).map(String)
  }

  /** The braces keep the keys of a conversation on one node of a cluster. @param {string} id */
  #keysOf(id) {
    const key = `${this.#prefix}:{${id.replaceAll(/[%{}]/g, encodeURIComponent)}}`
    return { log: `${key}:log`, lease: `${key}:lease`, fence: `${key}:fence` }
  }
}

/**
 * @param {any} client
 * @param {any} [given]
 * @returns {Required<ConversationStore>}
 */
const redisStore = (client, given) => new RedisStore(client, given)

module.exports = { redisStore }
