/* oxlint-disable no-await-in-loop -- one step after another */
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Conversation, type ConversationEvent, fileStore, memoryStore } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { FlakyStore } from '../support/flaky-store.js'
import { newDirectory } from '../support/processes.js'
import { Agent, coded, failureOf, said, team } from '../support/team.js'

/** Everything that a conversation is, for a comparison. */
const stateOf = ({ manager }: Conversation): unknown => ({ ...manager.exportSnapshot(), timestamp: 0 })

describe('a reopened conversation', () => {
  it('restores messages, task, pins, sessions, summaries, keys and estimates', async () => {
    const store = fileStore(newDirectory())
    const options = {
      id: 'a',
      store,
      task: 'T',
      contextWindowSize: 2,
      evictionStep: 1,
      markers: 'fence' as const,
      summarise: () => 'SUMMARY',
    }
    const agents = {
      sarah: new Agent('sarah'),
      max: new Agent('max'),
      maxIs: { session: 'none', maxTokens: 500, layout: 'claude' },
    }
    const first = await team(options, agents)
    for (const text of ['one', 'two', 'three']) {
      await first.talk.say('kailai', text, { pinned: text === 'one' })
      await first.talk.send('sarah')
    }
    agents.max.next({ text: 'ok', usage: { inputTokens: 40, outputTokens: 1 } })
    await first.talk.send('max')
    await first.talk.setTask('T2')
    await first.talk.say('kailai', 'secret', { to: 'sarah', private: true })
    await first.talk.say('kailai', 'for all')
    await first.talk.update('msg-2', { text: 'sarah 1!' })
    await first.talk.remove('msg-3')
    const [before, previews] = [
      stateOf(first.talk),
      [await first.talk.preview('sarah'), await first.talk.preview('max')],
    ]
    await first.talk.close()
    const { talk } = await team({ ...options, task: undefined }, agents)
    expect(stateOf(talk)).toEqual(before)
    const again = [await talk.preview('sarah'), await talk.preview('max')]
    expect(again.map(({ prompt }) => prompt)).toEqual(previews.map(({ prompt }) => prompt))
    expect(again[1]?.report.totalTokens).toBe(previews[1]?.report.totalTokens)
    await talk.say('kailai', 'four')
    await talk.send('sarah')
    expect(agents.sarah.last.resume).toBe('sarah-session-1')
    expect(said(talk).at(-2)).toMatch(/^msg-10 kailai: four/)
  })

  it('reports a conflict if it is open elsewhere', async () => {
    const store = fileStore(newDirectory())
    const { talk } = await team({ id: 'a', store })
    expect(await failureOf(team({ id: 'a', store }))).toMatchObject({ code: 'ERR_CONFLICT', conversation: 'a' })
    await talk.close()
    await team({ id: 'a', store })
  })

  it('does not resume the session of another agent, or of one in another directory', async () => {
    const store = memoryStore()
    const first = await team({ id: 'a', store })
    await first.talk.say('kailai', 'one')
    await first.talk.send('sarah')
    await first.talk.say('kailai', 'two')
    await first.talk.close()
    const { talk, sarah } = await team({ id: 'a', store }, { sarahIs: { cwd: '/tmp' } })
    await talk.send('sarah')
    expect(sarah.last.resume).toBeUndefined()
    expect(sarah.last.prompt).toContain('one')
  })

  it('does not resume a session whose turn was running', async () => {
    const inner = memoryStore()
    const events: ConversationEvent[] = []
    const sarah = new Agent('sarah')
    const first = await team({ id: 'a', store: inner, task: 'T', leaseMs: 1000 }, { sarah })
    await first.talk.say('kailai', 'one')
    await first.talk.send('sarah')
    await first.talk.say('kailai', 'two')
    let copy: ReturnType<typeof memoryStore> | undefined
    // The process dies while the CLI works: somebody else opens what is stored at that moment.
    sarah.next(async () => {
      copy = memoryStore()
      const { entries = [] } = (await inner.load('a')) ?? {}
      const { fence } = await copy.acquire('a', 'x', 1000)
      await copy.append('a', { version: 0, fence }, entries as never)
      await copy.release('a', fence)
      return { text: 'too late', session: 'sarah-session-1' }
    })
    await first.talk.send('sarah')
    const other = new Agent('sarah')
    const { talk } = await team(
      { id: 'a', store: copy ?? null, onEvent: (event) => events.push(event) },
      { sarah: other },
    )
    expect(events).toEqual([{ type: 'in-doubt', member: 'sarah' }])
    expect(said(talk)).toHaveLength(3)
    await talk.send('sarah')
    expect(other.last.resume).toBeUndefined()
    expect(other.last.prompt).toContain('[TEAM_TASK]\nT')
    expect(other.last.prompt).toContain('- kailai -> all: one')
  })

  it('is compacted when its log is several times its content', async () => {
    const directory = newDirectory()
    const store = fileStore(directory)
    const { talk, sarah } = await team({ id: 'a', store })
    const size = () => statSync(join(directory, 'a.jsonl')).size
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    let largest = 0
    for (let index = 0; index < 60; index++) {
      await talk.update('msg-1', { text: `${index} ${'x'.repeat(10_000)}` })
      largest = Math.max(largest, size())
    }
    expect(largest).toBeLessThan(120_000)
    const before = stateOf(talk)
    await talk.say('kailai', 'two')
    await talk.send('sarah')
    expect(sarah.last.resume).toBe('sarah-session-1')
    await talk.remove('msg-3')
    await talk.remove('msg-4')
    await talk.close()
    const again = await team({ id: 'a', store })
    expect(said(again.talk)).toHaveLength(2)
    expect(before).toBeDefined()
    await again.talk.say('kailai', 'three')
    expect(said(again.talk).at(-1)).toBe('msg-5 kailai: three')
  })

  it.each([
    ['of an older version', [{ type: 'message', message: {} }], 'it is not of format 2, the only one that'],
    ['of another format', [{ type: 'start', format: 3 }], 'it is not of format 2'],
    ['with an unknown entry', [{ type: 'start', format: 2 }, { type: 'from the future' }], 'Update promptmason'],
    [
      'with a broken message',
      [
        { type: 'start', format: 2 },
        { type: 'message', message: {} },
      ],
      'not as it was written',
    ],
    ['without an entry', [{ type: 'start', format: 2 }, null], 'of the type undefined'],
    [
      'about no message',
      [
        { type: 'start', format: 2 },
        { type: 'remove', id: 'x' },
      ],
      'there is no message',
    ],
    ['that voids too much', [{ type: 'void', count: 1 }], 'more void than there is'],
  ])('rejects a log %s', async (_, entries, problem) => {
    const store = memoryStore()
    const { fence } = await store.acquire('a', 'x', 1000)
    await store.append('a', { version: 0, fence }, entries)
    await store.release('a', fence)
    const error = await failureOf(team({ id: 'a', store }))
    expect(error).toMatchObject({ code: 'ERR_INVALID_SNAPSHOT', message: expect.stringContaining(problem) })
    // It is free again.
    await store.acquire('a', 'y', 1000)
  })

  it('is stored as plain lines', async () => {
    const directory = newDirectory()
    const { talk } = await team({ id: 'a', store: fileStore(directory) })
    await talk.say('kailai', 'one')
    const [line = ''] = readFileSync(join(directory, 'a.jsonl'), 'utf8').split('\n')
    const entries = [
      { type: 'start', format: 2 },
      { type: 'message', message: { content: 'one' } },
    ]
    expect(JSON.parse(line)).toMatchObject({ version: 1, entries })
  })
})

describe('a store that fails', () => {
  it.each(['before', 'after'] as const)('%s a message is stored: the message is not added', async (failure) => {
    const store = new FlakyStore()
    const { talk } = await team({ id: 'a', store })
    await talk.say('kailai', 'one')
    store.failures = [failure]
    await expect(talk.say('kailai', 'two')).rejects.toThrow(/the store failed|the answer was lost/)
    expect(said(talk)).toEqual(['msg-1 kailai: one'])
    await talk.say('kailai', 'three')
    const expected = ['msg-1 kailai: one', 'msg-2 kailai: three']
    expect(said(talk)).toEqual(expected)
    await talk.close()
    expect(said((await team({ id: 'a', store })).talk)).toEqual(expected)
  })

  it.each(['before', 'after'] as const)(
    '%s an answer is stored: the turn fails, and its session is abandoned',
    async (failure) => {
      const store = new FlakyStore()
      const { talk, sarah } = await team({ id: 'a', store })
      await talk.say('kailai', 'one')
      await talk.send('sarah')
      await talk.say('kailai', 'two')
      store.failures = [undefined, failure]
      const error = await failureOf(talk.send('sarah'))
      expect(error).toMatchObject({
        code: 'ERR_TURN_FAILED',
        reason: 'not-stored',
        delivered: 'yes',
        partialText: 'sarah 2',
      })
      expect(said(talk)).toHaveLength(3)
      await talk.send('sarah')
      expect(sarah.last.resume).toBeUndefined()
      expect(sarah.last.prompt).toContain('one')
      const expected = said(talk)
      expect(expected).toHaveLength(4)
      await talk.close()
      expect(said((await team({ id: 'a', store })).talk)).toEqual(expected)
    },
  )

  it('before a turn: nothing is sent', async () => {
    const store = new FlakyStore()
    const { talk, sarah } = await team({ id: 'a', store })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.say('kailai', 'two')
    store.failures = ['before']
    expect(await failureOf(talk.send('sarah'))).toMatchObject({ reason: 'not-stored', delivered: 'no' })
    expect(sarah.asked).toHaveLength(1)
    await talk.send('sarah')
    expect(sarah.last.resume).toBe('sarah-session-1')
  })

  it('for a while: calls fail, and work again later', async () => {
    const store = new FlakyStore()
    const { talk, sarah } = await team({ id: 'a', store })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    store.isAway = true
    for (const work of [
      () => talk.say('kailai', 'x'),
      () => talk.setTask('x'),
      () => talk.pin('msg-1'),
      () => talk.update('msg-1', { text: 'x' }),
      () => talk.remove('msg-1'),
    ])
      await expect(work()).rejects.toThrow('the store is away')
    store.isAway = false
    expect(talk.manager.getTeamTask()).toBeNull()
    await talk.say('kailai', 'two')
    await talk.send('sarah')
    expect(sarah.last.resume).toBe('sarah-session-1')
    expect(said(talk)).toEqual([
      'msg-1 kailai: one',
      'msg-2 sarah: sarah 1',
      'msg-3 kailai: two',
      'msg-4 sarah: sarah 2',
    ])
  })

  it('with another owner: nothing can be written, and turns are ended', async () => {
    const store = memoryStore()
    const sarah = new Agent('sarah')
    const { talk } = await team({ id: 'a', store, leaseMs: 1000 }, { sarah })
    await talk.say('kailai', 'one')
    // A pause of the process: its lease is over, and somebody else has it.
    const stolen = new FlakyStore(store)
    const real = performance.now
    performance.now = () => real.call(performance) + 5000
    const { fence } = await stolen.acquire('a', 'thief', 60_000)
    performance.now = real
    expect(fence).toBe(2)
    for (const work of [() => talk.say('kailai', 'two'), () => talk.send('sarah'), () => talk.setTask('x')])
      expect(await failureOf(work())).toMatchObject({ code: 'ERR_CONFLICT' })
    expect(sarah.asked.length).toBeLessThanOrEqual(1)
    expect((await store.load('a'))?.entries).toHaveLength(2)
    await store.release('a', fence)
    expect(await failureOf(talk.say('kailai', 'three'))).toMatchObject({ code: 'ERR_CONFLICT' })
  })

  it('that was changed by another program: it can be opened again, in this process, too', async () => {
    const directory = newDirectory()
    const store = fileStore(directory)
    const { talk } = await team({ id: 'a', store })
    await talk.say('kailai', 'one')
    appendFileSync(join(directory, 'a.jsonl'), '\n')
    expect(await failureOf(talk.say('kailai', 'two'))).toMatchObject({ code: 'ERR_CONFLICT' })
    await talk.close()
    expect(said((await team({ id: 'a', store })).talk)).toEqual(['msg-1 kailai: one'])
  })

  it('to release: close can be called again', async () => {
    const store = new FlakyStore()
    const { talk } = await team({ id: 'a', store })
    await talk.say('kailai', 'one')
    store.isAway = true
    await expect(talk.close()).rejects.toThrow('the store is away')
    store.isAway = false
    await talk.close()
    await team({ id: 'a', store })
  })

  it('with a lease that is renewed while something is written after a pause: the conversation continues', async () => {
    const store = memoryStore()
    const { append } = store
    const real = performance.now
    const { talk } = await team({ id: 'a', store, leaseMs: 60 })
    await talk.say('kailai', 'one')
    // When the process continues, the renewal gets to the store first.
    store.append = async (...args) => {
      store.append = append
      performance.now = () => real.call(performance) + 5000
      await new Promise((resolve) => setTimeout(resolve, 50))
      return append.apply(store, args)
    }
    try {
      await talk.say('kailai', 'two')
      await talk.say('kailai', 'three')
    } finally {
      performance.now = real
    }
    expect(said(talk)).toHaveLength(3)
  })

  it('with a lost lease that nobody has taken: the conversation continues', async () => {
    const store = memoryStore()
    const { talk } = await team({ id: 'a', store, leaseMs: 1000 })
    await talk.say('kailai', 'one')
    const real = performance.now
    performance.now = () => real.call(performance) + 5000
    try {
      await talk.say('kailai', 'two')
    } finally {
      performance.now = real
    }
    expect(said(talk)).toHaveLength(2)
  })

  it('at any time: nothing is lost or duplicated', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('say' as const) }),
      fc.record({
        kind: fc.constant('send' as const),
        fails: fc.option(fc.constantFrom('rate-limit', 'other', 'session-not-found')),
      }),
      fc.record({ kind: fc.constantFrom('restart' as const, 'pin' as const, 'update' as const, 'remove' as const) }),
    )
    const failures = fc.array(
      fc.constantFrom('before' as const, 'after' as const, undefined, undefined, undefined, undefined),
      { maxLength: 40 },
    )
    let failed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), failures, async (steps, broken) => {
        const store = new FlakyStore()
        const sarah = new Agent('sarah')
        const options = { id: 'a', store, contextWindowSize: 5, evictionStep: 1 }
        let { talk } = await team(options, { sarah })
        store.failures = [...broken]
        const expected: string[] = []
        for (const [index, { kind, ...more }] of steps.entries()) {
          try {
            if (kind === 'say') {
              const { id, content } = await talk.say('kailai', `text ${index}`)
              expected.push(`${id} ${content}`)
            } else if (kind === 'send') {
              const cause = 'fails' in more ? more.fails : null
              if (cause) sarah.next(coded(cause))
              const { message } = await talk.send('sarah')
              expected.push(`${message.id} ${message.content}`)
            } else if (kind === 'restart') {
              await talk
                .close()
                .catch(() => talk.close())
                .catch(() => talk.close())
              const { failures: kept } = store
              store.failures = []
              ;({ talk } = await team(options, { sarah }))
              store.failures = kept
            } else {
              const { id = '', content = '' } = talk.messages().at(-1) ?? {}
              if (id === '') continue
              if (kind === 'pin') await talk.pin(id)
              else if (kind === 'update') {
                await talk.update(id, { text: `${content}!` })
                expected[expected.length - 1] = `${id} ${content}!`
              } else {
                await talk.remove(id)
                expected.pop()
              }
            }
          } catch (error) {
            failed += 1
            if (!/the store failed|the answer was lost|sarah's turn failed|nothing to send/.test(String(error)))
              throw error
          }
          expect(talk.messages().map(({ id, content }) => `${id} ${content}`)).toEqual(expected)
        }
        store.failures = []
        const before = stateOf(talk)
        // The next write settles whatever was in doubt.
        await talk.setTask('end')
        await talk.close()
        const again = await team(options, { sarah })
        expect(again.talk.messages()).toEqual((before as { messages: unknown[] }).messages)
        await again.talk.close()
      }),
      { numRuns: 150 },
    )
    expect(failed).toBeGreaterThan(50)
  })
})
