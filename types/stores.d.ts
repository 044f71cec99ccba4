/** Where conversations are kept. */

/** What `JSON.stringify` and `JSON.parse` leave as it is. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** A conversation as a store has it. */
export interface StoredConversation {
  /** A number that every change increases. */
  version: number
  /** Everything that was appended, oldest first. */
  entries: unknown[]
}

/** From which state a conversation is changed, and by whom. */
export interface StorePosition {
  /** The newest version; 0 if nothing was ever appended. */
  version: number
  /** What `acquire` returned. */
  fence: number
}

/**
 * A store for conversations. `memoryStore`, `fileStore` and `redisStore` are the built-in ones; write
 * one of your own for another database, and check it with `storeChecks`.
 *
 * One owner at a time has a conversation open. Whoever acquires it gets a fence: a number that is higher
 * than that of every owner before. All methods reject with an error whose `code` is `'ERR_CONFLICT'` if
 * somebody else is the owner or has changed the conversation. Any other error says that the store cannot
 * be reached, or that it is full; an operation that was rejected may have been done if the answer was lost.
 */
export interface ConversationStore {
  /** A conversation, whoever owns it. Null if nothing was ever appended. */
  load(id: string): Promise<StoredConversation | null>
  /**
   * Makes `owner` the owner for `ttlMs` milliseconds, or renews that. An owner that still has its lease
   * keeps its fence; otherwise, the fence is a new one. `'ERR_CONFLICT'` if somebody else is the owner.
   */
  acquire(id: string, owner: string, ttlMs: number): Promise<{ fence: number }>
  /**
   * Appends entries, all or none of them, and resolves with the new version when they are safe.
   * `'ERR_CONFLICT'`, and nothing is changed, if the version is not the newest, or the fence is not that
   * of the owner, or its lease is over.
   */
  append(id: string, at: StorePosition, entries: readonly JsonValue[]): Promise<number>
  /** Ends the ownership, if the fence is that of the owner. Otherwise, it does nothing. */
  release(id: string, fence: number): Promise<void>
  /**
   * Replaces all entries by fewer that mean the same, under the conditions of `append`. Without it, a log
   * only grows.
   */
  compact?(id: string, at: StorePosition, entries: readonly JsonValue[]): Promise<number>
}

/** Keeps conversations in the memory of this process. */
export declare function memoryStore(): Required<ConversationStore>

/**
 * Keeps conversations in a directory on a local disk: a file of JSON lines for each, which is flushed to
 * the disk before an append resolves. The operating system locks a conversation for its owner, until the
 * owner releases it or its process ends: `ttlMs` has no meaning here. The directory is made if it is not
 * there. Other users cannot read its files.
 */
export declare function fileStore(directory: string): Required<ConversationStore>

/** A client or a cluster of the package `redis`, version 4 or later. */
export interface NodeRedisClient {
  evalSha(sha1: string, options?: { keys?: string[]; arguments?: string[] }): Promise<unknown>
  eval(script: string, options?: { keys?: string[]; arguments?: string[] }): Promise<unknown>
}

/** A client or a cluster of the package `ioredis`, version 5 or later. */
export interface IoRedisClient {
  evalsha(sha1: string, numkeys: number, ...args: string[]): Promise<unknown>
  eval(script: string, numkeys: number, ...args: string[]): Promise<unknown>
}

export interface RedisStoreOptions {
  /** What the names of all keys begin with. @default 'promptmason' */
  prefix?: string | null | undefined
}

/**
 * Keeps conversations in Redis, for several machines: a stream for each, which a script on the server
 * appends to. It uses your own client, connected, and never closes it. What was appended is as safe as
 * your server keeps it: with `appendonly yes`, it survives a restart of the server.
 */
export declare function redisStore(
  client: NodeRedisClient | IoRedisClient,
  options?: RedisStoreOptions | null,
): Required<ConversationStore>

export interface StoreCheckOptions {
  /**
   * Opens the store. Called several times: each time, return a store that has the same conversations, as
   * another process would have it.
   */
  open: () => ConversationStore | Promise<ConversationStore>
  /**
   * Whether an owner keeps a conversation until it releases it or its process ends, as with `fileStore`,
   * and not until its lease is over.
   * @default false
   */
  holdsLock?: boolean | null | undefined
}

/** A check of a store, for any test runner: `test(check.name, check.run)`. */
export interface StoreCheck {
  name: string
  /** Rejects if the store does something else. */
  run: () => Promise<void>
}

/**
 * The checks that every store must pass. They use conversations with random ids and do not remove them.
 */
export declare function storeChecks(options: StoreCheckOptions): StoreCheck[]
