/* oxlint-disable no-await-in-loop -- one step after another */
/** What every store must do, as checks for any test runner. They need no runner, and only the store under test. */
import assert = require('node:assert/strict')
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fields } from '../../checks/fields.js'
import { boolean, func, optional } from '../../checks/kinds.js'
import { type ConversationStore, isConflict, type JsonValue } from './contract.js'

/** For owners that never wait for a lease to expire. */
const LONG_MS = 60_000
/** For leases whose expiry a check waits for. */
const SHORT_MS = 300
/** For leases that must not expire before they are renewed, however slow the store is. */
const RENEWED_MS = 1500
const PATIENCE_MS = 20_000

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

const checkOptions = fields<StoreCheckOptions>()(
  { open: func<StoreCheckOptions['open']>(), holdsLock: optional(boolean, false) },
  { required: true },
)

/** A check of a store, for any test runner: `test(check.name, check.run)`. */
export interface StoreCheck {
  name: string
  /** Rejects if the store misbehaves. */
  run: () => Promise<void>
}

/** Opens the store as another process would. */
type Open = () => Promise<ConversationStore>

const refused = async (action: () => Promise<unknown>, what: string) => {
  const error = await action().then(
    (value) => assert.fail(`${what} must be refused, and returned ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  )
  if (!isConflict(error)) throw error
}

/** Values that get lost when something is not JSON, or not Unicode, on the way. */
const VALUES: readonly JsonValue[] = [
  { type: 'message', text: 'naïve 😀 \u{2028} \u{2029} \r\n \0 "quoted" \\ {braces} %s $&', at: 1.5e-7 },
  ['a', null, true, [], {}, -0.25],
  { ['__proto__x']: 1, nested: { deep: [{ er: 'x' }] } },
  '\u{d800} is half of something',
  '',
  0,
]

/** Each of these is a separate conversation, although some systems consider them equal, or a path. */
const IDS = [
  'a',
  'A',
  'a.',
  ' a',
  'a/b',
  'a\\b',
  '../a',
  '..',
  'con',
  'CON',
  'nul.txt',
  '{a}',
  '}a{',
  'a:b',
  '%61',
  'a*?',
]
const MORE_IDS = ['\u{e9}', 'e\u{301}', '会话', '😀', 'x'.repeat(300), `${'x'.repeat(300)}y`, 'a\0b', '~', '-rf']

const owned = async (open: Open) => {
  const store = await open()
  const id = randomUUID()
  return { store, id, ...(await store.acquire(id, 'anna', LONG_MS)) }
}

/** Acquires a conversation as soon as its lease expires. */
const takeOver = async (store: ConversationStore, id: string) => {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await store.acquire(id, 'ben', LONG_MS)
    } catch (error) {
      if (!isConflict(error) || Date.now() > end) throw error
    }
    await sleep(20)
  }
}

type Check = (open: Open) => Promise<void>

const CHECKS: Record<string, Check> = {
  'a conversation that was never written is null': async (open) => {
    const { store, id } = await owned(open)
    assert.equal(await store.load(id), null)
    assert.equal(await store.load(randomUUID()), null)
  },

  'everything that was appended is loaded, in order, by anybody': async (open) => {
    const { store, id, fence } = await owned(open)
    const appended: JsonValue[] = []
    let version = 0
    for (const value of VALUES) {
      const entries = [value, { after: version }]
      const next = await store.append(id, { version, fence }, entries)
      assert.ok(next > version, `append must return a higher version than ${version}, got ${next}`)
      appended.push(...entries)
      version = next
    }
    assert.deepEqual((await loaded(store, id)).entries, appended)
    assert.equal((await loaded(store, id)).version, version)
    const other = await open()
    assert.deepEqual(await other.load(id), await store.load(id))
  },

  'many entries and long ones are kept': async (open) => {
    const { store, id, fence } = await owned(open)
    const many = Array.from({ length: 2000 }, (_, index) => ({ index, text: 'é'.repeat(index % 50) }))
    const version = await store.append(id, { version: 0, fence }, many)
    const long = { text: '0123456789abcde\n'.repeat(100_000) }
    let newest = await store.append(id, { version, fence }, [long])
    for (let index = 0; index < 300; index++) {
      newest = await store.append(id, { version: newest, fence }, [index])
    }
    const numbers = Array.from({ length: 300 }, (_, index) => index)
    assert.deepEqual((await loaded(store, id)).entries, [...many, long, ...numbers])
  },

  'what is loaded can be changed without changing the store': async (open) => {
    const { store, id, fence } = await owned(open)
    const entry = { text: 'one' }
    await store.append(id, { version: 0, fence }, [entry])
    entry.text = 'two'
    const first = await loaded(store, id)
    Object.assign(first.entries[0] ?? {}, { text: 'three' })
    first.entries.push('four')
    assert.deepEqual((await loaded(store, id)).entries, [{ text: 'one' }])
  },

  'an append from another version is a conflict, and changes nothing': async (open) => {
    const { store, id, fence } = await owned(open)
    const version = await store.append(id, { version: 0, fence }, ['one'])
    await refused(() => store.append(id, { version: 0, fence }, ['two']), 'an append from an old version')
    await refused(() => store.append(id, { version: version + 1, fence }, ['two']), 'an append from a later version')
    assert.deepEqual(await store.load(id), { version, entries: ['one'] })
    await store.append(id, { version, fence }, ['two'])
    assert.deepEqual((await loaded(store, id)).entries, ['one', 'two'])
  },

  'of several appends from one version, one succeeds': async (open) => {
    const { store, id, fence } = await owned(open)
    const tries = Array.from({ length: 8 }, (_, index) => store.append(id, { version: 0, fence }, [index]))
    const results = await Promise.allSettled(tries)
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of results) if (result.status === 'rejected' && !isConflict(result.reason)) throw result.reason
    assert.equal((await loaded(store, id)).entries.length, 1)
  },

  'a conversation has one owner': async (open) => {
    const { store, id } = await owned(open)
    const other = await open()
    await refused(() => other.acquire(id, 'ben', LONG_MS), 'a second owner')
    await refused(() => store.acquire(id, 'ben', LONG_MS), 'a second owner')
  },

  'of several that want a conversation, one gets it': async (open) => {
    const id = randomUUID()
    const stores = await Promise.all(Array.from({ length: 8 }, () => open()))
    const results = await Promise.allSettled(stores.map((store, index) => store.acquire(id, `${index}`, LONG_MS)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of results) if (result.status === 'rejected' && !isConflict(result.reason)) throw result.reason
  },

  'an owner that acquires again keeps its fence': async (open) => {
    const { store, id, fence } = await owned(open)
    assert.equal((await store.acquire(id, 'anna', LONG_MS)).fence, fence)
    await store.append(id, { version: 0, fence }, ['one'])
  },

  'after a release, the next owner gets a higher fence, and the last one cannot append': async (open) => {
    const { store, id, fence } = await owned(open)
    const version = await store.append(id, { version: 0, fence }, ['one'])
    await store.release(id, fence)
    await store.release(id, fence)
    await refused(() => store.append(id, { version, fence }, ['two']), 'an append after a release')
    const other = await open()
    const next = await other.acquire(id, 'ben', LONG_MS)
    assert.ok(next.fence > fence, `the fence must be higher than ${fence}, got ${next.fence}`)
    await refused(() => store.append(id, { version, fence }, ['two']), 'an append of the last owner')
    await store.release(id, fence)
    await refused(() => store.acquire(id, 'anna', LONG_MS), 'a second owner')
    await other.append(id, { version, fence: next.fence }, ['three'])
    assert.deepEqual((await loaded(store, id)).entries, ['one', 'three'])
  },

  'an append of somebody who never acquired is a conflict': async (open) => {
    const { store, id, fence } = await owned(open)
    const other = await open()
    await refused(() => other.append(id, { version: 0, fence: fence + 1 }, ['one']), 'an append without a lease')
    await refused(() => store.append(randomUUID(), { version: 0, fence }, ['one']), 'an append without a lease')
    assert.equal(await store.load(id), null)
  },

  'similar ids are different conversations': async (open) => {
    const store = await open()
    const other = await open()
    const run = randomUUID()
    for (const ending of [...IDS, ...MORE_IDS]) {
      for (const id of new Set([`${run}${ending}`, `${ending}${run}`])) {
        const { fence } = await store.acquire(id, 'anna', LONG_MS)
        await store.append(id, { version: 0, fence }, [id])
        assert.deepEqual((await loaded(other, id)).entries, [id])
      }
    }
  },

  'compact, if there is one, replaces what was there': async (open) => {
    const { store, id, fence } = await owned(open)
    if (store.compact === undefined) return
    const version = await store.append(id, { version: 0, fence }, ['one', 'two'])
    await refused(async () => store.compact?.(id, { version: 0, fence }, ['three']), 'compacting an old version')
    const next = await store.compact(id, { version, fence }, ['three', { four: 4 }])
    assert.ok(next > version, `compact must return a higher version than ${version}, got ${next}`)
    await refused(() => store.append(id, { version, fence }, ['five']), 'an append from an old version')
    await store.append(id, { version: next, fence }, ['five'])
    assert.deepEqual((await loaded(store, id)).entries, ['three', { four: 4 }, 'five'])
    await store.release(id, fence)
    await refused(async () => store.compact?.(id, { version: next, fence }, []), 'compacting after a release')
  },
}

/** For stores whose owners have a lease. */
const LEASE_CHECKS: Record<string, Check> = {
  'a lease is over after its time, and its owner cannot append': async (open) => {
    const store = await open()
    const id = randomUUID()
    const { fence } = await store.acquire(id, 'anna', SHORT_MS)
    await sleep(2 * SHORT_MS)
    await refused(() => store.append(id, { version: 0, fence }, ['late']), 'an append after the lease')
    const other = await open()
    const next = await takeOver(other, id)
    assert.ok(next.fence > fence, `the fence must be higher than ${fence}, got ${next.fence}`)
    await refused(() => store.append(id, { version: 0, fence }, ['late']), 'an append of the last owner')
    await refused(() => store.acquire(id, 'anna', LONG_MS), 'a second owner')
    await store.release(id, fence)
    await other.append(id, { version: 0, fence: next.fence }, ['one'])
    assert.deepEqual((await loaded(store, id)).entries, ['one'])
  },

  'a lease that is renewed goes on': async (open) => {
    const store = await open()
    const other = await open()
    const id = randomUUID()
    const { fence } = await store.acquire(id, 'anna', RENEWED_MS)
    assert.equal((await store.acquire(id, 'anna', LONG_MS)).fence, fence)
    await sleep(RENEWED_MS + 100)
    await refused(() => other.acquire(id, 'ben', LONG_MS), 'a second owner')
    await store.append(id, { version: 0, fence }, ['one'])
  },

  'an owner whose lease was over can have it again, with a higher fence': async (open) => {
    const store = await open()
    const id = randomUUID()
    const { fence } = await store.acquire(id, 'anna', SHORT_MS)
    await sleep(2 * SHORT_MS)
    const again = await store.acquire(id, 'anna', LONG_MS)
    assert.ok(again.fence > fence, `the fence must be higher than ${fence}, got ${again.fence}`)
    await store.append(id, { version: 0, fence: again.fence }, ['one'])
  },
}

/** What is there. */
const loaded = async (store: ConversationStore, id: string) => (await store.load(id)) ?? assert.fail('nothing was kept')

/** Runs a check, and then releases whatever it has acquired. */
const runCheck = async (check: Check, open: StoreCheckOptions['open']) => {
  const releases: (() => Promise<void>)[] = []
  const watched = (store: ConversationStore): ConversationStore => ({
    load: (id) => store.load(id),
    acquire: async (id, owner, ttlMs) => {
      const acquired = await store.acquire(id, owner, ttlMs)
      releases.push(() => store.release(id, acquired.fence))
      return acquired
    },
    append: (id, at, entries) => store.append(id, at, entries),
    release: (id, fence) => store.release(id, fence),
    ...(typeof store.compact === 'function' && {
      compact: (id, at, entries) => (store as Required<ConversationStore>).compact(id, at, entries),
    }),
  })
  try {
    await check(async () => watched(await open()))
  } finally {
    await Promise.allSettled(releases.map((release) => release()))
  }
}

/** Returns the checks that every store must pass. They use conversations with random ids and do not remove them. */
export function storeChecks(options: StoreCheckOptions): StoreCheck[] {
  const { open, holdsLock } = checkOptions(options, '', 'options')
  const all = holdsLock ? CHECKS : { ...CHECKS, ...LEASE_CHECKS }
  return Object.entries(all).map(([name, check]) => ({
    name,
    run: () => runCheck(check, () => Reflect.apply(open, options, [])),
  }))
}
