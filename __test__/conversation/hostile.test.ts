/** Misbehaving members, hooks, signals and stores. */
import { type ConversationStore, memoryStore, openConversation } from 'promptmason'
import { describe, expect, it } from 'vitest'

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const throwing = (): never => {
  throw new Error('mine')
}

/** What nobody should throw. */
const THROWN: [string, () => unknown][] = [
  ['undefined', () => undefined],
  ['a symbol', () => Symbol('x')],
  ['an object without a prototype', () => Object.create(null)],
  ['a proxy whose traps throw', () => new Proxy({}, { get: throwing, getPrototypeOf: throwing })],
  ['a revoked proxy', revoked],
  ['getters that throw', () => Object.defineProperties({}, { code: { get: throwing }, message: { get: throwing } })],
  ['toString that throws', () => ({ toString: throwing })],
  ['a frozen error', () => Object.freeze(new Error('frozen'))],
  ['fields of other types', () => Object.assign(new Error('x'), { delivered: 7, retryAfterMs: NaN, code: {} })],
]

/** `oxlint` does not want other things than errors to be thrown. */
const raise = (value: unknown): never => {
  throw value
}

/** A store with some methods of another one. */
const over = (inner: ConversationStore, own: Partial<ConversationStore>): ConversationStore => ({
  load: (id) => inner.load(id),
  acquire: (id, owner, ttlMs) => inner.acquire(id, owner, ttlMs),
  append: (id, at, entries) => inner.append(id, at, entries),
  release: (id, fence) => inner.release(id, fence),
  ...own,
})

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const kailai = { human: true } as const

describe.each(THROWN)('%s', (_, make) => {
  it('thrown by a member fails the turn, and its session is not resumed', async () => {
    const resumed: (string | undefined)[] = []
    const run = ({ resume }: { resume?: string | undefined }) => {
      resumed.push(resume)
      return resumed.length === 2 ? raise(make()) : { text: 'yes', session: 's' }
    }
    const talk = await openConversation({ members: { kailai, bot: { run } } })
    await talk.say('kailai', 'one')
    await talk.send('bot')
    await talk.say('kailai', 'two')
    await expect(talk.send('bot')).rejects.toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'other' })
    const { report } = await talk.send('bot')
    // It may have the prompt.
    expect([resumed, report.session?.mode]).toEqual([[undefined, 's', undefined], 'whole'])
    await talk.close()
  })

  it('thrown by hooks and stores becomes a promptmason error or a warning', async () => {
    const inner = memoryStore()
    let isBroken = false
    const store = over(inner, { append: (...args) => (isBroken ? raise(make()) : inner.append(...args)) })
    let parse = (text: string): { text: string } => ({ text })
    const talk = await openConversation({
      members: { kailai, bot: { run: () => 'yes' } },
      store,
      contextWindowSize: 1,
      logger: silent,
      onEvent: () => raise(make()),
      summarise: () => raise(make()),
      parseReply: (text) => parse(text),
    })
    for (const text of ['one', 'two', 'three']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await talk.say('kailai', text)
    }
    isBroken = true
    await expect(talk.send('bot')).rejects.toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'not-stored' })
    isBroken = false
    parse = () => raise(make())
    await expect(talk.send('bot')).rejects.toMatchObject({ code: 'ERR_TURN_FAILED', partialText: 'yes' })
    parse = (text) => ({ text })
    const { text, warnings } = await talk.send('bot')
    expect([text, warnings.map(({ code }) => code)]).toEqual(['yes', ['summary-failed']])
    expect(talk.messages()).toHaveLength(4)
    await talk.close()
  })
})

describe('a signal', () => {
  it('that is invalid is rejected, and the member stays available', async () => {
    const talk = await openConversation({ members: { kailai, bot: { run: () => 'yes' } } })
    await talk.say('kailai', 'one')
    const signals = [{}, 7, { aborted: true }]
    for (const signal of signals) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect(talk.send('bot', { signal: signal as never })).rejects.toMatchObject({
        code: 'ERR_INVALID_ARG_TYPE',
      })
    }
    await expect(talk.send('bot', { signal: { addEventListener: throwing } as never })).rejects.toThrow('mine')
    expect((await talk.send('bot')).text).toBe('yes')
    await talk.close()
  })

  it('that is already aborted: nobody is asked, and the session is kept', async () => {
    const resumed: (string | undefined)[] = []
    const run = ({ resume }: { resume?: string | undefined }) => {
      resumed.push(resume)
      return { text: 'yes', session: 's' }
    }
    let summaries = 0
    const summarise = async () => `${++summaries}`
    const talk = await openConversation({ members: { kailai, bot: { run } }, contextWindowSize: 1, summarise })
    await talk.say('kailai', 'one')
    await talk.send('bot')
    for (const text of ['two', 'three', 'four']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await talk.say('kailai', text)
    }
    const reason = Symbol('enough')
    const failure = { code: 'ERR_TURN_FAILED', reason: 'aborted', delivered: 'no', cause: reason }
    await expect(talk.send('bot', { signal: AbortSignal.abort(reason) })).rejects.toMatchObject(failure)
    expect([resumed, summaries]).toEqual([[undefined], 0])
    expect((await talk.send('bot')).report.session?.mode).toBe('delta')
    expect(resumed).toEqual([undefined, 's'])
    await talk.close()
  })

  it('that is aborted while a summary is created fails the turn', async () => {
    const controller = new AbortController()
    const talk = await openConversation({
      members: { kailai, bot: { run: () => 'yes' } },
      contextWindowSize: 1,
      summarise: async () => {
        controller.abort()
        return raise(controller.signal.reason)
      },
    })
    for (const text of ['one', 'two', 'three']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await talk.say('kailai', text)
    }
    const failure = { code: 'ERR_TURN_FAILED', reason: 'aborted', delivered: 'no' }
    await expect(talk.send('bot', { signal: controller.signal })).rejects.toMatchObject(failure)
    expect(talk.messages()).toHaveLength(3)
    await talk.close()
  })
})

it.each(['__proto__', 'constructor', 'hasOwnProperty'])('a member can be called %s', async (name) => {
  const store = memoryStore()
  const run = ({ resume }: { resume?: string | undefined }) => ({ text: `resumed ${resume}`, session: 's' })
  const members = Object.fromEntries<any>([
    ['kailai', kailai],
    [name, { run }],
  ])
  const first = await openConversation<string>({ id: 'a', store, members })
  await first.say('kailai', 'one', { to: [name], private: true })
  expect((await first.send(name)).text).toBe('resumed undefined')
  await first.say('kailai', 'two')
  await first.close()
  const second = await openConversation<string>({ id: 'a', store, members })
  expect((await second.send(name)).text).toBe('resumed s')
  await second.close()
})

it('treats an empty session id as none', async () => {
  const resumed: (string | undefined)[] = []
  const run = ({ resume }: { resume?: string | undefined }) => {
    resumed.push(resume)
    return { text: 'yes', session: '' }
  }
  const talk = await openConversation({ members: { kailai, bot: { run } } })
  await talk.say('kailai', 'one')
  await talk.send('bot')
  await talk.say('kailai', 'two')
  expect((await talk.send('bot')).session).toBeUndefined()
  expect(resumed).toEqual([undefined, undefined])
  await talk.close()
})

describe('a store', () => {
  const open = (store: unknown) =>
    openConversation({ members: { kailai, bot: { run: () => 'yes' } }, store: store as ConversationStore })
  const good = { acquire: () => ({ fence: 1 }), load: () => null, append: () => 1, release: () => {} }

  it.each<[string, object, string]>([
    ['has no methods', {}, 'options.store.load'],
    ['lacks one', { ...good, release: undefined }, 'options.store.release'],
    ['returns no fence', { ...good, acquire: () => undefined }, 'the result of store.acquire'],
    ['returns a fence that is no number', { ...good, acquire: () => ({ fence: 'x' }) }, 'store.acquire.fence'],
    ['returns no entries', { ...good, load: () => ({ version: 1 }) }, 'store.load.entries'],
    ['returns no version', { ...good, load: () => ({ entries: [] }) }, 'store.load.version'],
  ])('that %s is refused', async (_, store, path) => {
    const error = { code: 'ERR_INVALID_ARG_TYPE', message: expect.stringContaining(path) }
    await expect(open(store)).rejects.toMatchObject(error)
  })

  it('fails if append returns no version', async () => {
    const talk = await open({ ...good, append: () => undefined })
    await expect(talk.say('kailai', 'one')).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    expect(talk.messages()).toEqual([])
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['a type that every object has', { type: 'toString' }],
    ['no message', { type: 'message' }],
    ['no members', { type: 'start', format: 1, last: 0, task: null, members: null }],
    ['more void than there is', { type: 'void', count: 7 }],
    ['less than nothing void', { type: 'void', count: -1 }],
    ['sessions that are no list', { type: 'summary', fields: { sessions: 7 } }],
  ])('whose entries have %s cannot be read', async (_, entry) => {
    let released = 0
    const store = { ...good, load: () => ({ version: 1, entries: [entry] }), release: () => void released++ }
    await expect(open(store)).rejects.toMatchObject({ code: 'ERR_INVALID_SNAPSHOT' })
    expect(released).toBe(1)
  })

  it('fails the conversation if entries are missing when it is back', async () => {
    const inner = memoryStore()
    let isBroken = false
    const store = over(inner, {
      append: (...args) => (isBroken ? raise(new Error('the connection was lost')) : inner.append(...args)),
      // It was replaced by a server that has less.
      load: async (id) => {
        const loaded = await inner.load(id)
        if (!isBroken || loaded === null) return loaded
        return { version: loaded.version - 1, entries: loaded.entries.slice(0, -1) }
      },
    })
    const talk = await open(store)
    await talk.say('kailai', 'one')
    await talk.say('kailai', 'two')
    isBroken = true
    await expect(talk.say('kailai', 'three')).rejects.toThrow('the connection was lost')
    const conflict = { code: 'ERR_CONFLICT', message: expect.stringContaining('fewer entries') }
    await expect(talk.say('kailai', 'four')).rejects.toMatchObject(conflict)
    await expect(talk.send('bot')).rejects.toMatchObject(conflict)
    await talk.close()
  })
})
