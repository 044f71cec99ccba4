/**
 * A conversation that several processes share through Redis. One of them owns it at a time.
 *
 * | key (of `conversation:{name}`) | what it holds                                                     |
 * | ------------------------------ | ----------------------------------------------------------------- |
 * | `:log`, a stream               | the conversation in parts, as `exportSnapshot({ after })` made them |
 * | `:inbox`, a stream             | what humans have said and no owner has taken yet                  |
 * | `:lease`                       | the token of the owner; it expires unless it is renewed           |
 * | `:token`                       | the last token that was given out                                 |
 *
 * Nobody takes a lease before the last one is over. Each owner gets a higher token than the one
 * before, and only the highest may write. A process that was stopped for a while does not know that
 * its lease is over, but its writes are refused (the token is a fencing token).
 *
 * A part of the log also says how far the inbox was read. Both are written in one step, so whoever
 * takes over goes on exactly where the log ends, wherever the last owner was stopped.
 */
/* oxlint-disable no-await-in-loop -- one step after another */
import { ContextManager, type ContextManagerOptions, type ContextSnapshotJson } from 'promptmason'
import type { createClient } from 'redis'

export type Redis = Pick<ReturnType<typeof createClient>, 'eval' | 'xAdd' | 'xRange' | 'del'>

/** Another process owns the conversation now. What was not written yet is to be forgotten. */
export class StaleOwnerError extends Error {
  override readonly name = 'StaleOwnerError'
}

/** The braces keep all keys of a conversation on one node of a cluster. */
const keysOf = (name: string) => {
  const key = `conversation:{${name}}`
  return { lease: `${key}:lease`, token: `${key}:token`, log: `${key}:log`, inbox: `${key}:inbox` }
}

// A script runs as one step: no other client comes between its commands.
const TAKE = `
  if redis.call('EXISTS', KEYS[1]) == 1 then return false end
  local token = redis.call('INCR', KEYS[2])
  redis.call('SET', KEYS[1], token, 'PX', ARGV[1])
  return token`
const RENEW = `
  if redis.call('GET', KEYS[2]) ~= ARGV[1] then return false end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`
const APPEND = `
  if redis.call('GET', KEYS[2]) ~= ARGV[1] then return false end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return redis.call('XADD', KEYS[3], '*', 'token', ARGV[1], 'inbox', ARGV[3], 'snapshot', ARGV[4])`
const RELEASE = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`

/** One part of a conversation, as it is in the log. */
export interface LogEntry {
  /** The token of the owner that wrote it. */
  token: number
  /** The id of the last message of the inbox that was taken. */
  inbox: string
  snapshot: ContextSnapshotJson
}

const PAGE = 100

/** The log of a conversation, oldest part first. */
export async function* readLog(redis: Redis, name: string): AsyncGenerator<LogEntry> {
  const { log } = keysOf(name)
  for (let start = '-'; ; ) {
    const page = (await redis.xRange(log, start, '+', { COUNT: PAGE })) ?? []
    for (const { message } of page) {
      const { token, inbox = '', snapshot = '' } = message
      yield { token: Number(token), inbox, snapshot: JSON.parse(snapshot) }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    start = `(${last.id}`
  }
}

/** Adds a part of the log to a conversation. A whole one replaces what was there. */
export const addPart = (manager: ContextManager, { snapshot }: LogEntry): void =>
  manager.importSnapshot(snapshot, { append: typeof snapshot.after === 'string' })

/** Says something in a conversation, whoever owns it. */
export const say = (redis: Redis, name: string, from: string, content: string): Promise<string> =>
  redis.xAdd(keysOf(name).inbox, '*', { from, content })

export const removeConversation = async (redis: Redis, name: string): Promise<void> =>
  void (await redis.del(Object.values(keysOf(name))))

export interface OwnerOptions {
  /** How long the conversation is out of reach for others if this process dies. */
  leaseMs: number
  manager?: ContextManagerOptions
}

export class OwnedConversation {
  readonly manager: ContextManager
  readonly token: number
  readonly #redis: Redis
  readonly #name: string
  readonly #leaseMs: number
  readonly #lost = new AbortController()
  #heartbeat: NodeJS.Timeout | undefined
  /** The last message in the log. */
  #stored: string | undefined
  /** The last message of the inbox that was taken. */
  #inbox = '0-0'

  private constructor(redis: Redis, name: string, token: number, { leaseMs, manager }: OwnerOptions) {
    this.#redis = redis
    this.#name = name
    this.token = token
    this.#leaseMs = leaseMs
    this.manager = new ContextManager(manager)
  }

  /** Becomes the owner, and restores the conversation from its log. Undefined while it has another owner. */
  static async take(redis: Redis, name: string, options: OwnerOptions): Promise<OwnedConversation | undefined> {
    const { lease, token } = keysOf(name)
    const given = await redis.eval(TAKE, { keys: [lease, token], arguments: [String(options.leaseMs)] })
    if (given === null) return undefined
    const conversation = new OwnedConversation(redis, name, Number(given), options)
    conversation.#heartbeat = setInterval(() => void conversation.renew().catch(() => {}), options.leaseMs / 3)
    try {
      await conversation.#restore()
    } catch (error) {
      await conversation.release()
      throw error
    }
    return conversation
  }

  /** Aborted as soon as it is known that another process owns the conversation. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** The next message of the inbox. It counts as taken when it is committed. */
  async nextRequest(): Promise<{ id: string; from: string; content: string } | undefined> {
    const [next] = (await this.#redis.xRange(keysOf(this.#name).inbox, `(${this.#inbox}`, '+', { COUNT: 1 })) ?? []
    return next && { id: next.id, from: next.message['from'] ?? '', content: next.message['content'] ?? '' }
  }

  /**
   * Writes what came since the last time, and that the inbox was taken up to `inbox`. After a message
   * was changed or removed, write the whole conversation: it replaces all earlier parts.
   */
  async commit({ inbox = this.#inbox, whole = false }: { inbox?: string; whole?: boolean } = {}): Promise<void> {
    const snapshot = JSON.stringify(this.manager.exportSnapshot({ after: whole ? undefined : this.#stored }))
    const last = this.manager.getLatestMessage()?.id
    await this.#asOwner(APPEND, [inbox, snapshot])
    this.#stored = last
    this.#inbox = inbox
  }

  /** Extends the lease. */
  async renew(): Promise<void> {
    await this.#asOwner(RENEW, [])
  }

  /** Lets another process own the conversation at once. */
  async release(): Promise<void> {
    clearInterval(this.#heartbeat)
    await this.#redis.eval(RELEASE, { keys: [keysOf(this.#name).lease], arguments: [String(this.token)] })
  }

  async #restore(): Promise<void> {
    for await (const part of readLog(this.#redis, this.#name)) {
      addPart(this.manager, part)
      this.#inbox = part.inbox
    }
    this.#stored = this.manager.getLatestMessage()?.id
  }

  async #asOwner(script: string, values: string[]): Promise<void> {
    const { lease, token, log } = keysOf(this.#name)
    const owner = [String(this.token), String(this.#leaseMs)]
    const reply = await this.#redis.eval(script, { keys: [lease, token, log], arguments: [...owner, ...values] })
    if (reply !== null) return
    clearInterval(this.#heartbeat)
    const error = new StaleOwnerError(`${this.#name} has another owner than the one with token ${this.token}`)
    this.#lost.abort(error)
    throw error
  }
}
