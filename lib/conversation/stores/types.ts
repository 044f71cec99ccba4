/** Stores for conversations. */

/** A value that `JSON.stringify` and `JSON.parse` preserve. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** A stored conversation. */
export interface StoredConversation {
  /** A number that every change increases. */
  version: number
  /** Everything that was appended, oldest first. */
  entries: unknown[]
}

/** The state that a change is based on, and its owner. */
export interface StorePosition {
  /** The newest version; 0 if nothing has been appended yet. */
  version: number
  /** What `acquire` returned. */
  fence: number
}

/**
 * A store for conversations. `memoryStore`, `fileStore` and `redisStore` are built in. You can write one
 * for another database and test it with `storeChecks`.
 *
 * A conversation has one owner at a time. Acquiring it returns a fence: a number higher than that of
 * every previous owner. All methods reject with an error whose `code` is `'ERR_CONFLICT'` if somebody
 * else is the owner or has changed the conversation. Any other error means that the store is unreachable
 * or full; a rejected operation may still have been carried out if the response was lost.
 */
export interface ConversationStore {
  /** Returns a conversation, whoever owns it; null if nothing has been appended yet. */
  load(id: string): Promise<StoredConversation | null>
  /**
   * Makes `owner` the owner for `ttlMs` milliseconds, or renews its lease. An owner whose lease is still
   * valid keeps its fence; otherwise the fence is new. Rejects with `'ERR_CONFLICT'` if somebody else is
   * the owner.
   */
  acquire(id: string, owner: string, ttlMs: number): Promise<{ fence: number }>
  /**
   * Appends entries, all or none of them, and resolves with the new version once they are durable.
   * Rejects with `'ERR_CONFLICT'`, and changes nothing, if the version is not the newest, the fence is
   * not the owner's, or the lease has expired.
   */
  append(id: string, at: StorePosition, entries: readonly JsonValue[]): Promise<number>
  /** Ends the ownership if the fence is the owner's. Otherwise does nothing. */
  release(id: string, fence: number): Promise<void>
  /**
   * Replaces all entries with fewer equivalent ones, under the conditions of `append`. Without it, a log
   * only grows.
   */
  compact?(id: string, at: StorePosition, entries: readonly JsonValue[]): Promise<number>
}

/** Keeps conversations in the memory of this process. */
export declare function memoryStore(): Required<ConversationStore>

/**
 * Keeps conversations in a directory on a local disk, each in a file of JSON lines that is flushed to
 * disk before an append resolves. The operating system locks a conversation for its owner until the
 * owner releases it or its process ends, so `ttlMs` has no effect. The directory is created if needed.
 * Other users cannot read the files.
 */
export declare function fileStore(directory: string): Required<ConversationStore>

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
  /**
   * The prefix of all keys.
   * @default 'promptmason'
   */
  prefix?: string | null | undefined
}

/**
 * Keeps conversations in Redis, for several machines: one stream for each, which a script on the server
 * appends to. It uses your connected client and never closes it. Durability depends on your server: with
 * `appendonly yes`, conversations survive a restart of the server.
 */
export declare function redisStore(
  client: NodeRedisClient | IoRedisClient,
  options?: RedisStoreOptions | null,
): Required<ConversationStore>

export interface StoreCheckOptions {
  /**
   * Opens the store. Called several times: each call must return a store with the same conversations, as
   * another process would see them.
   */
  open: () => ConversationStore | Promise<ConversationStore>
  /**
   * Whether an owner keeps a conversation until it releases it or its process ends, as with `fileStore`,
   * rather than until its lease expires.
   * @default false
   */
  holdsLock?: boolean | null | undefined
}

/** A check of a store, for any test runner: `test(check.name, check.run)`. */
export interface StoreCheck {
  name: string
  /** Rejects if the store misbehaves. */
  run: () => Promise<void>
}

/**
 * Returns the checks that every store must pass. They use conversations with random ids and do not
 * remove them.
 */
export declare function storeChecks(options: StoreCheckOptions): StoreCheck[]
