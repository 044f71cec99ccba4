/** Pinned messages of a `ContextManager`: how they are pinned, who sees them, and what survives. Random conversations are in the properties. */
import {
  ContextManager,
  type AgentContextOptions,
  type ContextManagerOptions,
  type NewConversationMessage,
  type RouteContextOptions,
} from 'promptmason'
import { afterEach, describe, expect, it } from 'vitest'
import { bytesOf, checkAccount } from '../support/account.js'
import { byteLength, thrownBy, untyped } from '../support/assemblers.js'
import { byAi, managerWith, numbered, spoken, stateOf } from '../support/conversation.js'
import { pollute, unpollute } from '../support/pollution.js'
import { GAP_LINE } from '../support/reference.js'

afterEach(unpollute)

const TYPES = ['claude-code', 'openai-codex', 'google-gemini', 'plain'] as const
const assemblers = untyped<NonNullable<ContextManagerOptions['assemblers']>>({ plain: {} })

const talk = (messages: NewConversationMessage[], options?: ContextManagerOptions): ContextManager =>
  managerWith(messages, { assemblers, ...options })

/** The contents that a context shows, and `…` for a line that says that some are missing. */
const shownIn = (prompt: string): string =>
  prompt
    .split('\n')
    .flatMap((line) => (line === GAP_LINE ? ['…'] : (/: (\w+)$/.exec(line)?.slice(1) ?? [])))
    .join(' ')

type Turn = (manager: ContextManager, agentType: string, form: 'text' | 'report' | 'buffer' | 'into') => string

const agentTurn =
  (options: AgentContextOptions): Turn =>
  (manager, agentType, form) => {
    if (form === 'buffer') return manager.assembleForAgent('a', agentType, options, { as: 'buffer' }).prompt.toString()
    if (form === 'report') return manager.assembleForAgent('a', agentType, options, { report: true }).prompt
    if (form === 'text') return manager.assembleForAgent('a', agentType, options).prompt
    const memory = Buffer.alloc(1e5)
    return memory.toString('utf8', 0, manager.assembleForAgent('a', agentType, options, { into: memory }).bytes)
  }

const routeTurn =
  (parentMessageId: string, targetMemberId: string, options: RouteContextOptions = {}): Turn =>
  (manager, agentType, form) => {
    const route = { parentMessageId, targetMemberId }
    if (form === 'buffer')
      return manager.assembleForRoute('a', agentType, route, options, { as: 'buffer' }).prompt.toString()
    if (form === 'report') return manager.assembleForRoute('a', agentType, route, options, { report: true }).prompt
    if (form === 'text') return manager.assembleForRoute('a', agentType, route, options).prompt
    const memory = Buffer.alloc(1e5)
    return memory.toString('utf8', 0, manager.assembleForRoute('a', agentType, route, options, { into: memory }).bytes)
  }

/** What a turn shows, after checking that all forms and layouts agree on it. */
const shownBy = (manager: ContextManager, turn: Turn): string => {
  const contexts = TYPES.map((agentType) => {
    const prompts = (['text', 'report', 'buffer', 'into'] as const).map((form) => turn(manager, agentType, form))
    expect(new Set(prompts).size).toBe(1)
    return shownIn(prompts[0]!)
  })
  expect(new Set(contexts).size).toBe(1)
  return contexts[0]!
}
const shown = (manager: ContextManager, options: AgentContextOptions = {}): string =>
  shownBy(manager, agentTurn(options))

const pinnedIn = (manager: ContextManager): string[] =>
  manager
    .getMessages()
    .filter(({ pinned }) => pinned)
    .map(({ content }) => content)

describe('what is shown', () => {
  const pinning = (count: number, pins: number[], options: ContextManagerOptions = {}): ContextManager => {
    const manager = talk(numbered(count), options)
    for (const pin of pins) manager.pin(`msg-${pin}`)
    return manager
  }

  it('pinned messages outlive the window, in their places', () => {
    const manager = pinning(10, [2, 3, 6])
    expect(shown(manager, { windowSizeOverride: 2 })).toBe('2 3 … 6 … 8 9'.replaceAll(/\d/g, 'm$&'))
    expect(shown(manager, { windowSizeOverride: 3 })).toBe('m2 m3 … m6 m7 m8 m9')
    expect(shown(manager, { windowSizeOverride: 0 })).toBe('m2 m3 … m6')
    expect(shown(manager, { windowSizeOverride: 1000 })).toBe('m1 m2 m3 m4 m5 m6 m7 m8 m9')
    expect(shown(pinning(10, [], { contextWindowSize: 2 }))).toBe('m8 m9')
  })

  it('an eviction step, and the budget', () => {
    expect(shown(pinning(12, [1, 5], { evictionStep: 4, contextWindowSize: 5 }))).toBe('m1 … m5 … m9 m10 m11')
    const manager = talk(
      Array.from({ length: 12 }, (_, index) => spoken(`m${index + 1}_${'x'.repeat(60)}`)),
      { maxBytes: 400, contextWindowSize: 50 },
    )
    manager.pin('msg-2')
    const kept = shownIn(manager.assembleForAgent('a', 'codex').prompt).replaceAll(/_x+/g, '')
    expect(kept).toBe('m2 … m10 m11')
  })

  it('the current message is not shown twice, nor is it missing: there is no gap for it', () => {
    expect(shown(pinning(4, [4]), { windowSizeOverride: 1 })).toBe('m3')
    const manager = pinning(5, [1, 3])
    expect(shownBy(manager, routeTurn('msg-2', 'x', { windowSizeOverride: 0 }))).toBe('m1 m3')
    expect(shownBy(manager, routeTurn('msg-4', 'x', { windowSizeOverride: 0 }))).toBe('m1 … m3')
  })

  it('there is no gap for messages that the recipient may not see, nor before the first message', () => {
    const manager = new ContextManager({ assemblers, contextWindowSize: 1 })
    const tell = (content: string, to: string, pinned = false): void => {
      manager.addMessage(spoken(content, { routing: { resolvedAddressees: [to] }, pinned }))
    }
    tell('m1', 'sarah')
    tell('m2', 'max', true)
    tell('m3', 'sarah')
    tell('m4', 'sarah', true)
    tell('m5', 'max', true)
    tell('m6', 'max')
    tell('m7', 'max')
    tell('m8', 'max')
    expect(shown(manager, { recipient: 'max' })).toBe('m2 m5 … m7')
    expect(shown(manager)).toBe('m2 … m4 m5 … m7')
    const { report, prompt } = manager.assembleForAgent('a', 'codex', { recipient: 'max' }, { report: true })
    expect(prompt).not.toContain('m4')
    expect(report.leftOut).toEqual([
      {
        part: 'context',
        action: 'dropped',
        reason: 'window',
        bytes: 2,
        count: 1,
        index: 5,
        id: 'msg-6',
        from: 'Kailai',
      },
      { part: 'context', action: 'dropped', reason: 'recipient', bytes: 6, count: 3 },
    ])
    checkAccount(report, 16)
  })

  it('there is no gap for a message between two pins that the recipient may not see, or that a route leaves out', () => {
    const hidden = { routing: { resolvedAddressees: ['sarah'] } }
    const conversation = talk(
      [
        spoken('m1', { pinned: true }),
        spoken('m2', hidden),
        spoken('m3', { pinned: true }),
        spoken('m4'),
        spoken('m5'),
      ],
      { contextWindowSize: 0 },
    )
    expect(shown(conversation, { recipient: 'max' })).toBe('m1 m3')
    expect(shown(conversation)).toBe('m1 … m3')
    const long = ['a', 'b', 'c'].map((letter) => spoken(letter.repeat(300)))
    const routed = talk(
      [spoken('m1', { pinned: true }), byAi('max', 'm2'), spoken('m3', { pinned: true }), ...long, spoken('m7')],
      { contextWindowSize: 99, maxBytes: 600 },
    )
    expect(shownBy(routed, routeTurn('msg-7', 'max')).replaceAll(/(\w)\1+/g, '$1')).toBe('m1 m3 … c')
    expect(shownBy(routed, routeTurn('msg-7', 'sarah')).replaceAll(/(\w)\1+/g, '$1')).toBe('m1 … m3 … c')
  })

  it('a text that is repeated is left out without a gap, pinned or not', () => {
    for (const pinned of [false, true]) {
      const manager = talk([spoken('m1', { pinned: true }), byAi('max', 'same'), byAi('max', 'same')], {
        contextWindowSize: 9,
      })
      if (pinned) manager.pin('msg-2')
      expect(shown(manager)).toBe('m1')
      const other = talk([spoken('m1', { pinned: true }), spoken('m2'), byAi('max', 'same'), byAi('max', 'same')], {
        contextWindowSize: 9,
      })
      expect(shown(other)).toBe('m1 m2')
    }
  })

  it('a route leaves out what the target said last, without a gap, but shows it if it is pinned', () => {
    const conversation = () =>
      talk([spoken('m1', { pinned: true }), byAi('max', 'm2'), spoken('m3'), spoken('m4')], { contextWindowSize: 9 })
    const route = routeTurn('msg-4', 'max')
    expect(shownBy(conversation(), route)).toBe('m1 m3')
    const manager = conversation()
    manager.pin('msg-2')
    expect(shownBy(manager, route)).toBe('m1 m2 m3')
  })

  it('a route shows what is pinned after its parent, too', () => {
    const manager = pinning(9, [1, 6, 7, 9])
    expect(shownBy(manager, routeTurn('msg-5', 'x', { windowSizeOverride: 2 }))).toBe('m1 … m3 m4 m6 m7 … m9')
    expect(shownBy(manager, routeTurn('msg-4', 'x', { windowSizeOverride: 1 }))).toBe('m1 … m3 … m6 m7 … m9')
  })

  it('pins that do not fit are an error with a section of their own', () => {
    const manager = talk([spoken('x'.repeat(300), { pinned: true }), ...numbered(9)], { maxBytes: 200 })
    const refused = thrownBy(() => manager.assembleForAgent('a', 'codex'))
    const section = byteLength(`[CONTEXT]\n- Kailai -> all: ${'x'.repeat(300)}`)
    expect(refused).toMatchObject({
      code: 'ERR_BUDGET_EXCEEDED',
      maxBytes: 200,
      sections: { pinned: section, message: 12 },
      requiredBytes: section + 2 + 12,
    })
    manager.unpin('msg-1')
    expect(shown(manager)).toBe('m4 m5 m6 m7 m8')
  })

  it('getContextForAgent includes them, and assemblePrompt returns the same prompt', () => {
    const manager = pinning(12, [2, 3, 7])
    const context = manager.getContextForAgent('a', 'codex', { windowSizeOverride: 3 })
    expect(context).toMatchObject({
      contextMessages: [2, 3, 7, 9, 10, 11].map((number) => ({ content: `m${number}` })),
      pinned: [0, 1, 2],
      gapsBefore: [2, 3],
    })
    const route = { parentMessageId: 'msg-5', targetMemberId: 'x' }
    for (const agentType of TYPES) {
      expect(manager.assemblePrompt(agentType, context)).toEqual(
        manager.assembleForAgent('a', agentType, { windowSizeOverride: 3 }),
      )
      const routed = manager.getContextForRoute('a', agentType, route, { windowSizeOverride: 1 })
      expect(routed).toMatchObject({ pinned: [0, 1, 3], gapsBefore: [3] })
      expect(manager.assemblePrompt(agentType, routed)).toEqual(
        manager.assembleForRoute('a', agentType, route, { windowSizeOverride: 1 }),
      )
    }
    const without = pinning(12, []).getContextForAgent('a', 'codex')
    expect(without).not.toHaveProperty('pinned')
    expect(without).not.toHaveProperty('gapsBefore')
  })

  it.each([1, 16, 500])(
    'the account adds up with pins and more than a hundred messages dropped, step %i',
    (evictionStep) => {
      const manager = pinning(1000, [1, 2, 300, 850, 851, 990], { evictionStep })
      for (const [windowSizeOverride, maxBytes] of [
        [0, 0],
        [5, 0],
        [200, 0],
        [2000, 1500],
        [500, 1500],
      ] as const) {
        const limited = maxBytes === 0 ? manager : pinning(1000, [1, 2, 300, 850, 851, 990], { evictionStep, maxBytes })
        for (const recipient of [undefined, 'max']) {
          const { prompt, report } = limited.assembleForAgent(
            'a',
            'codex',
            { windowSizeOverride, recipient },
            { report: true },
          )
          checkAccount(report, bytesOf(numbered(1000).map(({ content }) => content)))
          const kept = shownIn(prompt).match(/m\d+/g) ?? []
          expect(kept).toEqual(expect.arrayContaining(['m1', 'm2', 'm300', 'm850', 'm851', 'm990']))
          expect(report.leftOut.reduce((sum, { count }) => sum + count, 0)).toBe(999 - kept.length)
          expect(report.account.sentBytes).toBe(bytesOf('m1000', kept))
        }
      }
    },
  )
})

describe('lines that are kept together', () => {
  it('are those of the pinned messages after every change', () => {
    const manager = talk(numbered(9), { contextWindowSize: 1 })
    const steps: [() => unknown, string][] = [
      [() => manager.pin('msg-2'), 'm2 … m8'],
      [() => manager.pin('msg-3'), 'm2 m3 … m8'],
      [() => manager.pin('msg-6'), 'm2 m3 … m6 … m8'],
      [() => manager.updateMessage('msg-3', { content: 'changed' }), 'm2 changed … m6 … m8'],
      [() => manager.removeMessage('msg-4'), 'm2 changed … m6 … m8'],
      [() => manager.removeMessage('msg-5'), 'm2 changed m6 … m8'],
      [() => manager.unpin('msg-3'), 'm2 … m6 … m8'],
      [() => manager.addMessage(spoken('m10', { pinned: true })), 'm2 … m6 … m9'],
      [() => manager.addMessage(spoken('m11')), 'm2 … m6 … m10'],
      [() => manager.addMessage(spoken('m12')), 'm2 … m6 … m10 m11'],
      [
        () =>
          manager.importSnapshot({ ...manager.exportSnapshot(), messages: manager.exportSnapshot().messages.slice(2) }),
        'm6 … m10 m11',
      ],
    ]
    for (const [change, expected] of steps) {
      change()
      expect(shown(manager)).toBe(expected)
    }
  })

  it('are not kept if they are long', () => {
    const long = 'y'.repeat(700_000)
    const manager = talk(
      [spoken(`${long}1`, { pinned: true }), spoken('m2'), spoken(`${long}3`, { pinned: true }), ...numbered(3)],
      { contextWindowSize: 1, maxBytes: 2e6 },
    )
    const line = (text: string): string => `- Kailai -> all: ${text}`
    expect(manager.assembleForAgent('a', 'codex').prompt).toBe(
      ['[CONTEXT]', line(`${long}1`), GAP_LINE, line(`${long}3`), GAP_LINE, line('m2'), '', '[MESSAGE]', 'm3'].join(
        '\n',
      ),
    )
  })
})

describe('pin and unpin', () => {
  it('return the message, and change the one that getMessages shows', () => {
    const manager = talk([spoken('m1', untyped({ extra: 7 })), spoken('m2')])
    const before = manager.getMessages()[0]
    const pinned = manager.pin('msg-1')
    expect(pinned).toEqual({ ...before, pinned: true })
    expect(manager.getMessages()[0]).toBe(pinned)
    expect(manager.pin('msg-1')).toEqual(pinned)
    expect(manager.unpin('msg-1')).toStrictEqual(before)
    expect(manager.unpin('msg-1')).not.toHaveProperty('pinned')
    expect(manager.getMessages()[0]).not.toHaveProperty('pinned')
  })

  it('an id that is not there, or is no string, is an error and changes nothing', () => {
    const manager = talk(numbered(3))
    manager.pin('msg-2')
    const before = stateOf(manager)
    for (const change of ['pin', 'unpin'] as const) {
      expect(thrownBy(() => manager[change]('msg-9'))).toMatchObject({
        name: 'Error',
        code: 'ERR_UNKNOWN_MESSAGE',
        message: expect.stringContaining('"msg-9"') as string,
      })
      for (const wrong of [undefined, null, 2, {}, Symbol('x')])
        expect(thrownBy(() => manager[change](untyped(wrong)))).toMatchObject({
          name: 'TypeError',
          code: 'ERR_INVALID_ARG_TYPE',
        })
      expect(thrownBy(() => ContextManager.prototype[change].call(untyped({}), 'msg-1'))).toBeInstanceOf(TypeError)
    }
    expect(stateOf(manager)).toEqual(before)
  })

  it('a change takes effect in the next turn, also for what is remembered of earlier ones', () => {
    const manager = talk(numbered(9), { contextWindowSize: 1 })
    for (const recipient of [undefined, 'max']) {
      expect(shown(manager, { recipient })).toBe('m8')
      manager.pin('msg-4')
      expect(shown(manager, { recipient })).toBe('m4 … m8')
      manager.unpin('msg-4')
    }
  })

  it('updateMessage({ pinned }) does the same, and other changes leave a pin as it is', () => {
    const manager = talk(numbered(5), { contextWindowSize: 1 })
    expect(manager.updateMessage('msg-1', { pinned: true })).toMatchObject({ content: 'm1', pinned: true })
    manager.updateMessage('msg-1', { content: 'n1' })
    expect(shown(manager)).toBe('n1 … m4')
    for (const off of [false, null, undefined]) {
      manager.pin('msg-1')
      manager.updateMessage('msg-1', { pinned: off })
      expect(shown(manager)).toBe('m4')
    }
    manager.pin('msg-2')
    const before = stateOf(manager)
    for (const wrong of [1, 'true', {}, []]) {
      expect(
        thrownBy(() => manager.updateMessage('msg-2', { content: 'changed', pinned: untyped(wrong) })),
      ).toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
        message: expect.stringContaining('pinned') as string,
      })
    }
    expect(stateOf(manager)).toEqual(before)
  })

  it('removeMessage removes the pin, and keeps those of later messages', () => {
    const manager = talk(numbered(8), { contextWindowSize: 0 })
    for (const id of ['msg-2', 'msg-4', 'msg-5']) manager.pin(id)
    expect(manager.removeMessage('msg-1').pinned).toBeUndefined()
    expect(shown(manager)).toBe('m2 … m4 m5')
    expect(manager.removeMessage('msg-4').pinned).toBe(true)
    expect(shown(manager)).toBe('m2 … m5')
    manager.removeMessage('msg-3')
    expect(shown(manager)).toBe('m2 m5')
  })

  it('clear forgets pins', () => {
    const manager = talk([spoken('m1', { pinned: true })])
    manager.clear()
    for (const message of numbered(9)) manager.addMessage(message)
    expect(shown(manager, { windowSizeOverride: 1 })).toBe('m8')
  })
})

describe('pinned in addMessage', () => {
  it('true pins; false and undefined do not', () => {
    const manager = talk([true, false, null, undefined].map((pinned, index) => spoken(`m${index}`, { pinned })))
    manager.addMessage(spoken('m4'))
    expect(shown(manager, { windowSizeOverride: 0 })).toBe('m0')
    expect(pinnedIn(manager)).toEqual(['m0'])
  })

  it.each([[1], [0], ['true'], [''], [{}], [[]], [Symbol('x')], [1n]])(
    '%s is an error, and nothing is stored',
    (pinned) => {
      const added: unknown[] = []
      const manager = talk(numbered(2), { onMessageAdded: (message) => added.push(message) })
      const before = stateOf(manager)
      const given = untyped<never>({ speaker: { id: 'new', name: 'New' }, content: 'x', pinned })
      expect(thrownBy(() => manager.addMessage(given))).toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
        message: expect.stringContaining('pinned') as string,
      })
      expect(stateOf(manager)).toEqual(before)
      expect(added).toHaveLength(2)
      expect(manager.addMessage(spoken('m3')).id).toBe('msg-3')
    },
  )
})

describe('snapshots', () => {
  const withPins = (): ContextManager => {
    const manager = talk([...numbered(3), spoken('m4', { pinned: true }), ...numbered(5)])
    manager.pin('msg-2')
    return manager
  }

  it('have pins, also through JSON', () => {
    const manager = withPins()
    for (const snapshot of [
      manager.exportSnapshot(),
      JSON.parse(JSON.stringify(manager.exportSnapshot())) as ReturnType<ContextManager['exportSnapshot']>,
    ]) {
      const restored = talk([spoken('other', { pinned: true })])
      restored.importSnapshot(snapshot)
      expect(stateOf(restored)).toEqual(stateOf(manager))
      expect(shown(restored, { windowSizeOverride: 1 })).toBe('m2 … m4 … m4')
      restored.unpin('msg-2')
      restored.pin('msg-1')
      expect(shown(restored, { windowSizeOverride: 0 })).toBe('m1 … m4')
    }
  })

  it('do not have what every object inherits', () => {
    pollute('pinned', { value: true })
    const manager = new ContextManager()
    manager.importSnapshot({
      messages: ['a', 'b'].map((id) => ({ id, speaker: { id: 'max' }, content: id })),
      teamTask: null,
      timestamp: 0,
      version: 1,
    })
    unpollute()
    expect(manager.assembleForAgent('a', 'codex', { windowSizeOverride: 0 }).prompt).toBe('[MESSAGE]\nb')
  })

  it.each([[1], ['true'], [{}], [[]]])('with pinned: %j are rejected, and nothing changes', (pinned) => {
    const manager = withPins()
    const before = stateOf(manager)
    const snapshot = talk(numbered(3)).exportSnapshot()
    snapshot.messages[2] = { ...snapshot.messages[2]!, pinned: untyped(pinned) }
    const { code, message } = thrownBy(() => manager.importSnapshot(snapshot))
    expect({ code, message }).toEqual({
      code: 'ERR_INVALID_SNAPSHOT',
      message: expect.stringContaining('pinned') as string,
    })
    expect(stateOf(manager)).toEqual(before)
  })
})
