/* oxlint-disable no-await-in-loop -- one step after another */
/** The log of a conversation: what is written, how much work it is, and that it says everything. */
import fc from 'fast-check'
import {
  ContextManager,
  type Conversation,
  type ConversationEvent,
  memoryStore,
  type StoredConversation,
} from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { FlakyStore } from '../support/flaky-store.js'
import { Agent, failureOf, quiet, said, team } from '../support/team.js'
import { runs } from '../support/runs.js'

type Store = ReturnType<typeof memoryStore>

/** A store with the same entries, as another process would find them if this one died now. */
const copyOf = async (store: Store) => {
  const copy = memoryStore()
  const { entries = [] } = (await store.load('a')) ?? {}
  const { fence } = await copy.acquire('a', 'x', 1000)
  await copy.append('a', { version: 0, fence }, entries as never)
  await copy.release('a', fence)
  return copy
}

const entriesOf = async (store: { load(id: string): Promise<StoredConversation | null> }) =>
  ((await store.load('a'))?.entries ?? []) as { type: string; [field: string]: unknown }[]

/** Everything that a conversation is, for a comparison. */
const stateOf = ({ manager }: Conversation): unknown => ({ ...manager.exportSnapshot(), timestamp: 0 })

/** What makes a manager do work for each message of the conversation. */
const wholesale = () =>
  (['exportSnapshot', 'importSnapshot', 'getMessages'] as const).map((name) => vi.spyOn(ContextManager.prototype, name))

describe('a change', () => {
  it('does not look at the whole conversation', async () => {
    const { talk } = await team({ id: 'a', store: memoryStore() })
    for (let index = 0; index < 20; index++) await talk.say('kailai', `text ${index}`)
    await talk.send('sarah')
    const spies = wholesale()
    await talk.say('kailai', 'a reply', { replyTo: 'msg-3', to: 'sarah', private: true })
    await talk.update('msg-3', { text: 'another text' })
    await talk.remove('msg-4')
    await talk.pin('msg-5')
    await talk.setTask('T')
    await talk.send('sarah')
    await talk.addMember('lee', { human: true })
    await talk.removeMember('lee' as 'max')
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0])
    vi.restoreAllMocks()
  })

  it('is written as one entry that does not grow with the conversation', async () => {
    const store = memoryStore()
    const { talk } = await team({ id: 'a', store })
    const changes = async () => {
      const before = (await entriesOf(store)).length
      const { id } = await talk.say('kailai', 'text')
      await talk.update(id, { text: 'other' })
      await talk.pin(id)
      await talk.send('sarah')
      await talk.remove(id)
      return (await entriesOf(store)).slice(before)
    }
    await changes()
    const few = await changes()
    expect(few.map(({ type }) => type)).toEqual(['message', 'update', 'pin', 'begun', 'turn', 'remove'])
    for (let index = 0; index < 200; index++) await talk.say('kailai', `text ${index}`)
    await talk.remove('msg-20')
    const many = await changes()
    const size = (entries: unknown[]) => JSON.stringify(entries).length
    expect(size(many)).toBeLessThan(size(few) + 200)
  })

  it('by a turn is written with what its member was shown, and not with what others were', async () => {
    const store = memoryStore()
    const names = Array.from({ length: 25 }, (_, index) => `member-${index}`)
    const more = Object.fromEntries(names.map((name) => [name, { run: new Agent(name).run }]))
    const { talk } = await team({ id: 'a', store, markers: 'fence' }, { more })
    for (const name of names) {
      await talk.say('kailai', `for ${name}`, { to: name })
      await talk.send(name)
    }
    const turns = (await entriesOf(store)).filter(({ type }) => type === 'turn')
    expect(turns).toHaveLength(names.length)
    expect(turns.at(-1)).toMatchObject({ member: 'member-24', shown: { session: { agentId: 'member-24' } } })
    for (const turn of turns) expect(JSON.stringify(turn).length).toBeLessThan(1000)
  })

  it('that is invalid, or that the store does not take, is not written and changes nothing', async () => {
    const store = new FlakyStore()
    const { talk } = await team({ id: 'a', store })
    await talk.say('kailai', 'SECRET', { to: 'sarah', private: true })
    await talk.say('kailai', 'two')
    await talk.send('sarah')
    await talk.addMember('lee', { human: true })
    const [before, { length }] = [stateOf(talk), await entriesOf(store)]
    const invalid = [
      () => talk.update('msg-9', { text: 'x' }),
      () => talk.update('msg-1', { to: 'max' }),
      () => talk.remove('msg-9'),
      () => talk.pin('msg-9'),
      () => talk.say('kailai', 'x', { replyTo: 'msg-9' }),
    ]
    for (const change of invalid) await failureOf(change())
    const changes = [
      () => talk.update('msg-1', { text: 'x' }),
      () => talk.remove('msg-1'),
      () => talk.unpin('msg-1'),
      () => talk.setTask('T'),
      () => talk.removeMember('lee' as 'max'),
      () => talk.say('kailai', 'x'),
    ]
    for (const change of changes) {
      store.failures = ['before']
      expect(await failureOf(change())).toMatchObject({ message: 'the store failed' })
    }
    expect(stateOf(talk)).toEqual(before)
    expect(talk.members()).toContain('lee')
    expect(await entriesOf(store)).toHaveLength(length)
  })

  it('that makes a message private is not undone by one that was made at the same time', async () => {
    const { talk } = await team()
    await talk.say('kailai', 'one', { to: 'sarah' })
    const [first, second] = await Promise.allSettled([
      talk.update('msg-1', { private: true }),
      talk.update('msg-1', { to: 'max' }),
    ])
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
    expect(said(talk)).toEqual(['msg-1 kailai>sarah (private): one'])
  })
})

describe('a task', () => {
  it('that is too long is written once, however often the conversation is opened with it', async () => {
    const store = memoryStore()
    const options = { id: 'a', store, task: 'x'.repeat(10_000) }
    for (let index = 0; index < 3; index++) {
      const { talk } = await team(options)
      expect(talk.manager.getTeamTask()).toHaveLength(5120)
      // Enough for the log to be compacted.
      await talk.say('kailai', 'one')
      for (let nth = 0; nth < 15; nth++) await talk.update('msg-1', { text: `${nth}`.repeat(10_000) })
      await talk.update('msg-1', { text: 'short' })
      await talk.close()
      const entries = await entriesOf(store)
      expect(entries.filter(({ type }) => type === 'task').length).toBeLessThan(2)
    }
    expect((await entriesOf(store)).some(({ compacted }) => compacted !== undefined)).toBe(true)
  })
})

describe('the definition and the log', () => {
  it('of a task: the definition counts when it changes, and setTask after that', async () => {
    const store = memoryStore()
    const taskAfter = async (task: string | undefined, change?: (talk: Conversation) => Promise<unknown>) => {
      const { talk } = await team({ id: 'a', store, task })
      await change?.(talk)
      const now = talk.manager.getTeamTask()
      await talk.close()
      return now
    }
    const rewrite = async (talk: Conversation) => {
      await talk.say('kailai', 'one')
      for (let index = 0; index < 20; index++) await talk.update('msg-1', { text: `${index}`.repeat(10_000) })
    }
    expect(await taskAfter('T')).toBe('T')
    expect(await taskAfter('T', (talk) => talk.setTask('T2'))).toBe('T2')
    expect(await taskAfter('T')).toBe('T2')
    expect(await taskAfter(undefined)).toBe('T2')
    expect(await taskAfter('T', rewrite)).toBe('T2')
    expect((await entriesOf(store)).some(({ compacted }) => compacted !== undefined)).toBe(true)
    expect(await taskAfter('T')).toBe('T2')
    expect(await taskAfter('T3')).toBe('T3')
    expect(await taskAfter('T3', (talk) => talk.setTask(null))).toBeNull()
    expect(await taskAfter('T3')).toBeNull()
  })

  it('of members: the definition says who they are, and the log what they have been shown', async () => {
    const store = memoryStore()
    const [sarah, max, lee] = [new Agent('sarah'), new Agent('max'), new Agent('lee')]
    const first = (await team({ id: 'a', store }, { sarah, max })).talk
    await first.addMember('lee', { run: lee.run })
    await first.change('sarah', { system: 'Be kind.' })
    await first.say('kailai', 'SECRET', { to: ['max', 'lee', 'sarah'], private: true })
    await first.sendAll(['sarah', 'max', 'lee'])
    await first.removeMember('max')
    await first.close()
    // Added and changed members are as they are defined now.
    const second = (await team({ id: 'a', store }, { sarah, max })).talk
    expect(second.members()).toEqual(['kailai', 'sarah', 'max'])
    await second.say('kailai', 'two')
    await second.sendAll(['sarah', 'max'])
    expect(sarah.last).toMatchObject({ resume: 'sarah-session-1', prompt: expect.not.stringContaining('Be kind.') })
    // Somebody of this name was removed, so this is somebody else.
    expect(max.last.resume).toBeUndefined()
    expect(max.last.prompt).not.toContain('SECRET')
    await second.close()
    // One who was not defined for a while is still the same.
    const third = (await team({ id: 'a', store }, { sarah, max, more: { lee: { run: lee.run } } })).talk
    await third.send('lee')
    expect(lee.last.resume).toBe('lee-session-1')
  })
})

describe('compaction', () => {
  it('during a turn keeps that it has begun, so that its session is not resumed after a crash', async () => {
    const store = memoryStore()
    const events: ConversationEvent[] = []
    const { talk, sarah } = await team({ id: 'a', store })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.say('kailai', 'two')
    let crashed: Store | undefined
    sarah.next(async () => {
      for (let index = 0; index < 20; index++) await talk.update('msg-1', { text: `${index} ${'x'.repeat(10_000)}` })
      crashed = await copyOf(store)
      return { text: 'too late', session: 'sarah-session-1' }
    })
    await talk.send('sarah')
    expect((await entriesOf(crashed ?? store)).some(({ compacted }) => compacted !== undefined)).toBe(true)
    const other = new Agent('sarah')
    const onEvent = (event: ConversationEvent) => events.push(event)
    const again = await team({ id: 'a', store: crashed ?? null, onEvent }, { sarah: other })
    expect(events).toEqual([{ type: 'in-doubt', member: 'sarah' }])
    await again.talk.send('sarah')
    expect(other.last.resume).toBeUndefined()
    // This process has the answer, so it resumes the session.
    await talk.say('kailai', 'three')
    await talk.send('sarah')
    expect(sarah.last.resume).toBe('sarah-session-1')
  })

  it('pays for itself, also if messages have grown by updates', async () => {
    const store = new FlakyStore()
    const compact = vi.spyOn(store, 'compact')
    const { talk } = await team({ id: 'a', store })
    await talk.say('kailai', 'one')
    await talk.say('kailai', 'two')
    let written = 0
    for (let index = 0; index < 60; index++) {
      const text = `${index} ${'x'.repeat(50_000)}`
      written += text.length
      await talk.update(index % 2 === 0 ? 'msg-1' : 'msg-2', { text })
    }
    const rewritten = compact.mock.calls.reduce((sum, [, , entries]) => sum + JSON.stringify(entries).length, 0)
    expect(compact.mock.calls.length).toBeGreaterThan(2)
    expect(rewritten).toBeLessThan(written)
  })

  it('comes after many small changes, too, as they take time when they are read', async () => {
    const store = memoryStore()
    const { talk } = await team({ id: 'a', store })
    await talk.say('kailai', 'x'.repeat(200_000))
    await talk.say('kailai', 'two')
    for (let index = 0; index < 1100; index++) await talk.update('msg-2', { text: `${index}` })
    expect((await entriesOf(store)).length).toBeLessThan(200)
  })
})

describe('a log that cannot be compacted', () => {
  const rewrite = async (talk: Conversation) => {
    await talk.say('kailai', 'one')
    for (let index = 0; index < 40; index++) await talk.update('msg-1', { text: `${index} ${'x'.repeat(10_000)}` })
  }

  it('because the store cannot is not prepared for it', async () => {
    const store = Object.assign(memoryStore(), { compact: undefined })
    const { talk } = await team({ id: 'a', store: store as never })
    const spies = wholesale()
    await rewrite(talk)
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0])
    vi.restoreAllMocks()
  })

  it('because that fails is not prepared for it with every change', async () => {
    const inner = memoryStore()
    const warnings: string[] = []
    const store = new FlakyStore(inner)
    inner.compact = async () => {
      throw new Error('too large')
    }
    const logger = { ...quiet, warn: (text: string) => void warnings.push(text) }
    const { talk } = await team({ id: 'a', store, logger })
    await rewrite(talk)
    expect(warnings[0]).toContain("the log of the conversation 'a' was not compacted: too large")
    expect(warnings.length).toBeLessThan(5)
    expect(said(talk)[0]).toContain('39 x')
  })
})

describe('a reopened conversation', () => {
  const texts = fc.constantFrom('a', 'naïve 😀\u{2028}', '\u{d800} half', '[NEXT: max]', 'x'.repeat(300))
  const names = fc.constantFrom('sarah', 'max')
  const place = fc.nat({ max: 30 })
  const to = fc.constantFrom('all', 'sarah', 'max', ['sarah', 'max'])
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('say' as const), text: texts, to, isPrivate: fc.boolean() }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), name: names }) },
    fc.record({ kind: fc.constant('update' as const), place, text: texts }),
    // So much that the log is compacted.
    fc.record({ kind: fc.constant('rewrite' as const), place }),
    fc.record({ kind: fc.constant('address' as const), place, name: names }),
    fc.record({ kind: fc.constantFrom('remove' as const, 'pin' as const, 'unpin' as const), place }),
    fc.record({ kind: fc.constant('task' as const), text: fc.option(texts) }),
    fc.record({ kind: fc.constant('leave' as const), name: names }),
    fc.record({ kind: fc.constant('reopen' as const) }),
  )

  it('is as it was, whatever has happened', async () => {
    const visibility = fc.constantFrom('team' as const, 'addressed' as const)
    let compacted = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), visibility, async (steps, seen) => {
        const store = memoryStore()
        const agents = { sarah: new Agent('sarah'), max: new Agent('max') }
        const options = {
          id: 'a',
          store,
          visibility: seen,
          contextWindowSize: 3,
          evictionStep: 1,
          summarise: () => 'S',
        }
        let { talk } = await team(options, agents)
        const take = async (one: typeof step extends fc.Arbitrary<infer Step> ? Step : never) => {
          const id = 'place' in one ? (talk.messages()[one.place]?.id ?? 'msg-1') : ''
          if (one.kind === 'say') {
            const isPrivate = one.isPrivate && one.to !== 'all'
            await talk.say('kailai', one.text, { to: one.to, private: isPrivate })
          } else if (one.kind === 'send') await talk.send(one.name)
          else if (one.kind === 'update') await talk.update(id, { text: one.text })
          else if (one.kind === 'rewrite') {
            for (const text of ['x'.repeat(50_000), 'y'.repeat(50_000), 'z']) await talk.update(id, { text })
          } else if (one.kind === 'address') await talk.update(id, { to: one.name })
          else if (one.kind === 'task') await talk.setTask(one.text)
          else if (one.kind === 'leave') {
            await talk.removeMember(one.name)
            await talk.addMember(one.name, { run: agents[one.name as 'sarah'].run })
          } else if (one.kind !== 'reopen') await talk[one.kind](id)
          else {
            await talk.close()
            ;({ talk } = await team(options, agents))
          }
        }
        for (const one of [...steps, { kind: 'reopen' as const }]) {
          const before = stateOf(talk)
          await take(one).catch((error) => {
            if (!/nothing to send|no message|private|joined after/.test(String(error))) throw error
          })
          if (one.kind === 'reopen') expect(stateOf(talk)).toEqual(before)
        }
        const previews = ['sarah', 'max'].map((name) => talk.preview(name).catch(String))
        const other = (await team({ ...options, store: await copyOf(store) }, agents)).talk
        const again = ['sarah', 'max'].map((name) => other.preview(name).catch(String))
        expect(await Promise.all(again)).toEqual(await Promise.all(previews))
        compacted += (await entriesOf(store)).some((entry) => entry['compacted'] !== undefined) ? 1 : 0
        await Promise.all([talk.close(), other.close()])
      }),
      runs(80),
    )
    expect(compacted).toBeGreaterThan(runs(20).numRuns)
  })
})
