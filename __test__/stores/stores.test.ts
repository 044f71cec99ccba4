import { type ConversationStore, fileStore, isPromptmasonError, memoryStore, storeChecks } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { newDirectory } from '../support/processes.js'

const shared = memoryStore()
const directory = newDirectory()
const STORES = {
  memoryStore: storeChecks({ open: () => shared }),
  fileStore: storeChecks({ open: () => fileStore(directory), holdsLock: true }),
}

describe.each(Object.entries(STORES))('%s', (_, checks) => {
  it.each(checks)('$name', ({ run }) => run())
})

// Most of the time is spent waiting for leases to end.
describe.concurrent('storeChecks', () => {
  /** Which checks a store fails. */
  const failed = async (change: (store: ConversationStore) => Partial<ConversationStore>) => {
    const store = memoryStore()
    const base = {
      load: store.load.bind(store),
      acquire: store.acquire.bind(store),
      append: store.append.bind(store),
      release: store.release.bind(store),
      compact: store.compact.bind(store),
    }
    const results = await Promise.all(
      storeChecks({ open: () => ({ ...base, ...change(base) }) }).map(async ({ name, run }) => {
        try {
          await run()
          return undefined
        } catch {
          return name
        }
      }),
    )
    return results.filter((name) => name !== undefined)
  }

  it('pass for a correct store, also without compact', async () => {
    expect(await failed(() => ({}))).toEqual([])
    expect(await failed(() => ({ compact: undefined as never }))).toEqual([])
  })

  it.each<[string, (store: ConversationStore) => Partial<ConversationStore>]>([
    ['loses an entry', (store) => ({ append: (id, at, entries) => store.append(id, at, entries.slice(1)) })],
    ['has no owners', () => ({ acquire: async () => ({ fence: 1 }) })],
    ['never ends a lease', (store) => ({ acquire: (id, owner) => store.acquire(id, owner, 2 ** 40) })],
    [
      'takes ids for the same that differ in case',
      (store) => ({
        append: (id, at, entries) => store.append(id.toLowerCase(), at, entries),
        acquire: (id, owner, ttl) => store.acquire(id.toLowerCase(), owner, ttl),
        load: (id) => store.load(id.toLowerCase()),
        release: (id, fence) => store.release(id.toLowerCase(), fence),
      }),
    ],
    [
      'throws something else',
      (store) => ({
        append: (id, at, entries) =>
          store.append(id, at, entries).catch(() => Promise.reject(new Error('no, thank you'))),
      }),
    ],
    ['does not release', () => ({ release: async () => {} })],
    ['does not compact', () => ({ compact: async (_, { version }) => version + 1 })],
  ])('fail for a store that %s', async (_, change) => {
    expect(await failed(change)).not.toEqual([])
  })

  it('skip leases for a store that holds a lock', () => {
    const all = storeChecks({ open: memoryStore }).length
    expect(storeChecks({ open: memoryStore, holdsLock: true }).length).toBe(all - 3)
  })
})

describe('the arguments of a store', () => {
  const store = memoryStore()
  const at = { version: 0, fence: 1 }
  const call = (method: string, ...args: unknown[]) => (store as any)[method](...args)

  it.each<[string, unknown[], string]>([
    ['load', [1], 'id must be a string, got number'],
    ['load', [''], "id must be a well-formed string that is not empty, got ''"],
    ['load', ['\u{d800}'], 'id must be a well-formed string'],
    ['acquire', ['a', '', 1], "owner must be a string that is not empty, got ''"],
    ['acquire', ['a', 'b', 0], 'ttlMs must be a positive safe integer, got 0'],
    ['append', ['a', undefined, []], 'at must be an object, got undefined'],
    ['append', ['a', { version: 0 }, []], 'at.fence must be a number, got undefined'],
    ['append', ['a', { fence: 1, version: -1 }, []], 'at.version must be a non-negative integer, got -1'],
    ['append', ['a', at, 'x'], 'entries must be an array, got string'],
    ['append', ['a', at, [1, undefined]], 'entries[1] must be a JSON value, got undefined'],
    ['append', ['a', at, [() => 1]], 'entries[0] must be a JSON value, got function'],
    ['release', ['a', null], 'fence must be a number, got null'],
  ])('%s %j', async (method, args, message) => {
    const error = await call(method, ...args).catch((thrown: unknown) => thrown)
    expect(isPromptmasonError(error)).toBe(true)
    expect(error.message).toContain(message)
  })

  it('are named in errors', async () => {
    await store.acquire('design', 'anna', 1000)
    const error = await store.acquire('design', 'ben', 1000).catch((thrown: unknown) => thrown)
    if (!isPromptmasonError(error, 'ERR_CONFLICT')) throw error
    expect(error.conversation).toBe('design')
    expect(error.message).toContain("the conversation 'design' is open elsewhere")
  })
})
