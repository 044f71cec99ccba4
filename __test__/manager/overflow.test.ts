/** `overflow`: what an agent's next prompt would leave out, and so is to be summarised. */
import { ContextManager, type ContextManagerOptions, type LayoutDefinition } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { byteLength, thrownBy, untyped } from '../support/assemblers.js'
import { byAi, contentsOf, managerWith, numbered, spoken, stateOf } from '../support/conversation.js'

const NOTHING = { messages: [], bytes: 0, upTo: null }
const overflowOf = (manager: ContextManager, options = {}): string[] =>
  contentsOf(manager.overflow('a', 'codex', options).messages)
const shown = (manager: ContextManager, options = {}): string[] =>
  manager.assembleForAgent('a', 'codex', options).prompt.match(/\bm\d+\b/g) ?? []
const range = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `m${first + index}`)

it('is empty as long as everything is shown', () => {
  expect(new ContextManager().overflow('a', 'codex')).toEqual(NOTHING)
  for (const count of [1, 5, 6]) expect(managerWith(numbered(count)).overflow('a', 'codex')).toEqual(NOTHING)
})

it('has the messages of the manager, their bytes, and the id of the last one', () => {
  const manager = managerWith([spoken('中'), ...numbered(7)])
  const { messages, bytes, upTo } = manager.overflow('a', 'codex')
  expect(messages).toEqual(manager.getMessages().slice(0, 2))
  expect(messages[0]).toBe(manager.getMessages()[0])
  expect([bytes, upTo]).toEqual([5, 'msg-2'])
})

it('follows windowSizeOverride; with a window of 0, all but the message to act on', () => {
  const manager = managerWith(numbered(8))
  expect(overflowOf(manager, { windowSizeOverride: 2 })).toEqual(range(1, 5))
  expect(overflowOf(manager, { windowSizeOverride: 0 })).toEqual(range(1, 7))
  expect(overflowOf(manager, { windowSizeOverride: 50 })).toEqual([])
})

it.each<[string, ContextManagerOptions]>([
  ['the window', { contextWindowSize: 7 }],
  ['an eviction step', { contextWindowSize: 20, evictionStep: 8 }],
  ['the budget', { contextWindowSize: 1000, maxBytes: 120 }],
  ['all three', { contextWindowSize: 20, evictionStep: 8, maxBytes: 120 }],
])('with what is shown, it is the conversation, whatever leaves out: %s', (_, options) => {
  const manager = new ContextManager(options)
  let most = 0
  for (const message of numbered(40)) {
    manager.addMessage(message)
    const overflow = overflowOf(manager)
    expect([...overflow, ...shown(manager)]).toEqual(contentsOf(manager.getMessages()))
    most = Math.max(most, overflow.length)
  }
  expect(most).toBeGreaterThan(10)
})

it('has what a summary does not cover, if anything', () => {
  const manager = managerWith(numbered(12), { contextWindowSize: 4 })
  manager.setSummary({ upTo: 'msg-3', text: 'first' })
  expect(overflowOf(manager)).toEqual(range(4, 7))
  manager.setSummary({ upTo: manager.overflow('a', 'codex').upTo ?? '', text: 'second' })
  expect(manager.overflow('a', 'codex')).toEqual(NOTHING)
  expect(shown(manager)).toEqual(range(8, 12))
  manager.addMessage(spoken('m13'))
  expect(manager.overflow('a', 'codex')).toMatchObject({ messages: [{ content: 'm8' }], upTo: 'msg-8' })
})

it.each([1, 4, 16])(
  'can be summarised repeatedly, with each message in a summary or shown, with a step of %i',
  (evictionStep) => {
    const manager = new ContextManager({ contextWindowSize: 20, evictionStep })
    const covered: string[] = []
    for (const message of numbered(200)) {
      manager.addMessage(message)
      const { messages, upTo } = manager.overflow('a', 'codex')
      covered.push(...contentsOf(messages))
      if (upTo !== null) manager.setSummary({ upTo, text: `${covered.length} before` })
      expect([...covered, ...shown(manager)]).toEqual(contentsOf(manager.getMessages()))
    }
  },
)

it('respects a recipient and its summary', () => {
  const to = (name: string, content: string) => spoken(content, { routing: { resolvedAddressees: [name] } })
  const manager = managerWith(
    [to('max', 'm1'), to('sarah', 'secret'), to('max', 'm3'), spoken('m4'), spoken('m5'), spoken('m6')],
    { contextWindowSize: 1 },
  )
  expect(overflowOf(manager, { recipient: 'max' })).toEqual(['m1', 'm3', 'm4'])
  expect(overflowOf(manager, { recipient: 'sarah' })).toEqual(['secret', 'm4'])
  manager.setSummary({ upTo: 'msg-3', text: 'for max', recipient: 'max' })
  expect(overflowOf(manager, { recipient: 'max' })).toEqual(['m4'])
  expect(overflowOf(manager, { recipient: 'sarah' })).toEqual(['secret', 'm4'])
  expect(contentsOf(manager.overflow('max', 'codex').messages)).toEqual(['m4'])
})

it('has no pinned messages: they are shown', () => {
  const manager = managerWith(numbered(9), { contextWindowSize: 3 })
  manager.pin('msg-2')
  manager.pin('msg-7')
  expect(overflowOf(manager)).toEqual(['m1', 'm3', 'm4', 'm5'])
})

it('has what the budget drops between pinned messages, and not what a summary covers', () => {
  const manager = managerWith(numbered(30), { contextWindowSize: 50, maxBytes: 200 })
  manager.pin('msg-4')
  manager.setSummary({ upTo: 'msg-6', text: 's' })
  expect([...overflowOf(manager), ...shown(manager).filter((text) => text !== 'm4')]).toEqual(range(7, 30))
  expect(shown(manager)[0]).toBe('m4')
})

it('in a session has only what the agent was not shown', () => {
  const manager = managerWith(numbered(6), { contextWindowSize: 2 })
  const session = { session: 'delta' as const }
  manager.assembleForAgent('a', 'codex', session)
  manager.confirm('a')
  // What was older than the first window does not come later by itself.
  expect(overflowOf(manager, session)).toEqual(range(1, 3))
  for (const message of numbered(12).slice(6)) manager.addMessage(message)
  manager.addMessage(byAi('a', 'own'))
  manager.addMessage(spoken('m14'))
  // A delta has all that is new, whatever the window is.
  expect(overflowOf(manager, session)).toEqual(range(1, 3))
})

it('excludes what is missing for other reasons: repeated, or not in the layout', () => {
  const manager = managerWith([...numbered(3), byAi('max', 'same'), byAi('max', 'same')], { contextWindowSize: 3 })
  expect(overflowOf(manager)).toEqual(['m1'])
  const layout: LayoutDefinition = {
    agentType: 'bare',
    sections: [{ part: 'message' }],
    messageLine: { open: '', colon: ': ' },
  }
  const bare = managerWith(numbered(9), { layouts: [layout] })
  expect(bare.overflow('a', 'bare')).toEqual(NOTHING)
})

it('changes nothing: neither the conversation nor the prompt that is to be confirmed', () => {
  const manager = managerWith(numbered(9), { contextWindowSize: 3 })
  const before = stateOf(manager)
  manager.overflow('a', 'codex', { session: 'delta' })
  expect(stateOf(manager)).toEqual(before)
  expect(manager.confirm('a')).toBe(false)
})

describe('with an eviction step, over 340 turns', () => {
  const STEP = 16
  it.each([
    ['at once', 1],
    ['at times that have nothing to do with the step', 37],
    ['never', Infinity],
  ])(
    'the prefix of a prompt changes only with a step or a summary, if what is left out is summarised %s',
    (_, every) => {
      const manager = new ContextManager({ contextWindowSize: 160, evictionStep: STEP })
      manager.setTeamTask('build')
      /** What stands before the newest line of the context: what a prompt cache can reuse. */
      const stable = (prompt: string): string => prompt.slice(0, prompt.indexOf('\n\n[MESSAGE]'))
      let [previous, steps, summaries, text] = ['', 0, 0, '']
      for (const [turn, message] of numbered(340).entries()) {
        manager.addMessage({ ...message, content: `${message.content} ${'x'.repeat(200)}` })
        const { upTo } = manager.overflow('a', 'codex')
        if (upTo !== null && turn % every === 0) {
          text = `all up to ${upTo}`
          manager.setSummary({ upTo, text })
        }
        const { prompt } = manager.assembleForAgent('a', 'codex')
        const [before, now] = [shown(manager)[0], /\bm\d+\b/.exec(previous)?.[0]]
        const isOtherSummary = !previous.includes(text)
        if (turn > 1 && before === now && !isOtherSummary) {
          expect(prompt.startsWith(stable(previous))).toBe(true)
          if (turn > 40) expect(byteLength(stable(previous))).toBeGreaterThan(0.9 * byteLength(prompt))
        } else if (turn > 1) {
          if (isOtherSummary) summaries += 1
          else steps += 1
        }
        previous = prompt
      }
      const evictions = Math.ceil((340 - 161) / STEP)
      expect({ changes: Math.max(steps, summaries) <= evictions, steps: steps > 0, summaries: summaries > 0 }).toEqual({
        changes: true,
        steps: every !== 1,
        summaries: every !== Infinity,
      })
    },
  )
})

describe('errors', () => {
  it('of a prompt that cannot be assembled', () => {
    const manager = managerWith(numbered(3), { maxBytes: 60 })
    const options = { systemInstruction: 'x'.repeat(100) }
    const { requiredBytes } = thrownBy(() => manager.assembleForAgent('a', 'codex', options))
    expect(thrownBy(() => manager.overflow('a', 'codex', options))).toMatchObject({
      code: 'ERR_BUDGET_EXCEEDED',
      requiredBytes,
    })
    expect(requiredBytes).toBeGreaterThan(byteLength(options.systemInstruction))
  })

  it.each([
    [[5, 'codex']],
    [['a', 5]],
    [['a', 'codex', 5]],
    [['a', 'codex', { windowSizeOverride: 'x' }]],
    [['a', 'codex', { session: 'x' }]],
  ])('of %j', (given) => {
    const manager = managerWith(numbered(3))
    expect(thrownBy(() => manager.overflow(...untyped<Parameters<ContextManager['overflow']>>(given))).code).toBe(
      'ERR_INVALID_ARG_TYPE',
    )
  })
})
