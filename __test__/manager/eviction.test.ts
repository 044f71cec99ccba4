import { ContextManager, type ContextManagerOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { untyped } from '../support/assemblers.js'
import { managerWith, numbered, spoken } from '../support/conversation.js'
import { FAMILY } from '../support/generators.js'

const TYPES = ['claude-code', 'openai-codex', 'google-gemini', 'plain'] as const
const assemblers = untyped<NonNullable<ContextManagerOptions['assemblers']>>({ plain: {} })

/** The numbers of the messages that stand in a prompt, without that of the current one. */
const shown = (prompt: string): number[] => [...prompt.matchAll(/: m(\d+)(?!\d)/g)].map(([, number]) => Number(number))

/** What the context of each prompt is while a conversation grows, message by message. */
const grow = (agentType: string, count: number, options: ContextManagerOptions): number[][] => {
  const manager = new ContextManager({ assemblers, ...options })
  return numbered(count).map((message) => {
    manager.addMessage(message)
    return shown(manager.assembleForAgent('a', agentType).prompt)
  })
}

const commonPrefix = (one: string, other: string): number => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  const differs = a.findIndex((byte, index) => byte !== b[index])
  return differs < 0 ? a.length : differs
}

describe.each(TYPES)('evictionStep for %s', (agentType) => {
  it('1, the default: the window slides with every message', () => {
    expect(grow(agentType, 6, { contextWindowSize: 3 })).toEqual([[], [1], [1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]])
    expect(grow(agentType, 6, { contextWindowSize: 3, evictionStep: 0 })).toEqual([
      [],
      [1],
      [1, 2],
      [1, 2, 3],
      [2, 3, 4],
      [3, 4, 5],
    ])
  })

  it('counts what is left out from the beginning of the whole history', () => {
    expect(grow(agentType, 12, { contextWindowSize: 5, evictionStep: 3 })).toEqual([
      [],
      [1],
      [1, 2],
      [1, 2, 3],
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
      [4, 5, 6],
      [4, 5, 6, 7],
      [4, 5, 6, 7, 8],
      [7, 8, 9],
      [7, 8, 9, 10],
      [7, 8, 9, 10, 11],
    ])
  })

  it('larger than the window counts as the window: something is always shown', () => {
    expect(grow(agentType, 9, { contextWindowSize: 3, evictionStep: 16 })).toEqual([
      [],
      [1],
      [1, 2],
      [1, 2, 3],
      [4],
      [4, 5],
      [4, 5, 6],
      [7],
      [7, 8],
    ])
    expect(grow(agentType, 3, { contextWindowSize: 0, evictionStep: 16 })).toEqual([[], [], []])
  })

  it('rounds what the budget leaves out, too', () => {
    const contexts = grow(agentType, 60, { contextWindowSize: 1000, evictionStep: 8, maxBytes: 400 })
    for (const context of contexts) if (context[0] !== undefined) expect((context[0] - 1) % 8).toBe(0)
    expect(contexts.at(-1)?.[0]).toBeGreaterThan(1)
    expect(contexts.at(-1)?.at(-1)).toBe(59)
  })

  it.each([
    ['by the window', { contextWindowSize: 20 }],
    ['by the budget', { contextWindowSize: 1000, maxBytes: 600 }],
  ])('between two evictions %s, prompts have the same bytes up to the newest message', (_, options) => {
    const manager = new ContextManager({ assemblers, evictionStep: 8, ...options })
    manager.setTeamTask('build')
    let previous = ''
    let evictions = 0
    for (const message of numbered(100)) {
      manager.addMessage(message)
      const { prompt } = manager.assembleForAgent('a', agentType)
      const [before, now] = [shown(previous), shown(prompt)]
      if (before[0] === now[0]) {
        const context = previous.slice(0, previous.lastIndexOf(`: m${before.at(-1)}`) + `: m${before.at(-1)}`.length)
        if (before.length > 0) expect(prompt.startsWith(`${context}\n`)).toBe(true)
      } else if (before.length > 0) {
        evictions += 1
      }
      previous = prompt
    }
    expect(evictions).toBeGreaterThan(5)
    expect(evictions).toBeLessThanOrEqual(100 / 8)
  })

  it.each([
    ['by the window', { contextWindowSize: 200 }, undefined],
    ['by the budget', { contextWindowSize: 1000, maxBytes: 40_000 }, undefined],
    ['for one recipient', { contextWindowSize: 150 }, 'max'],
  ])(
    'with pins, over 340 turns, a prompt only changes before its newest messages when a step or a pin changes: %s',
    (_, options, recipient) => {
      const TURNS = 340
      const pinChanges = new Map<number, (manager: ContextManager) => void>([
        [3, (manager) => void manager.pin('msg-2')],
        [120, (manager) => void manager.pin('msg-60')],
        [250, (manager) => void manager.pin('msg-30')],
        [300, (manager) => void manager.unpin('msg-60')],
      ])
      const manager = new ContextManager({ assemblers, evictionStep: 16, ...options })
      manager.setTeamTask('build')
      let previous: Buffer = Buffer.alloc(0)
      let evictions = 0
      let hasGap = false
      const shares: number[] = []
      for (let turn = 1; turn <= TURNS; turn++) {
        const others = { routing: { resolvedAddressees: ['lee'] } }
        manager.addMessage(spoken(`m${turn} ${'x'.repeat(200)}`, turn % 5 === 0 ? others : {}))
        pinChanges.get(turn)?.(manager)
        const prompt = manager.assembleForAgent('a', agentType, { recipient }, { as: 'buffer' }).prompt
        const [before, now] = [previous, prompt].map((bytes) =>
          [...bytes.toString().matchAll(/: m(\d+) x+$/gm)].map(([, number]) => Number(number)),
        )
        const same = commonPrefix(prompt.toString(), previous.toString())
        const isEvicted = before!.some((number) => !now!.includes(number)) && !pinChanges.has(turn)
        if (isEvicted) evictions += 1
        if (!isEvicted && !pinChanges.has(turn) && before!.length > 0) {
          const line = `m${before!.at(-1)} ${'x'.repeat(200)}`
          expect(same).toBeGreaterThanOrEqual(previous.lastIndexOf(line) + line.length)
          // Shorter prompts are mostly their newest message.
          if (now!.length > 40) expect(same / prompt.length).toBeGreaterThanOrEqual(0.9)
        }
        if (now!.length > 40) shares.push(same / prompt.length)
        hasGap ||= prompt.includes('[… messages omitted …]')
        previous = prompt
      }
      expect(hasGap).toBe(true)
      expect(evictions).toBeGreaterThan(5)
      expect(evictions).toBeLessThanOrEqual(TURNS / 16)
      // Also with the turns in which something has changed.
      expect(shares.length).toBeGreaterThan(250)
      expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThanOrEqual(0.9)
    },
  )

  it('applies to what one recipient sees', () => {
    const manager = new ContextManager({ assemblers, evictionStep: 4, contextWindowSize: 4 })
    const firsts: (number | undefined)[] = []
    for (let number = 1; number <= 24; number++) {
      manager.addMessage(spoken('for others', { routing: { resolvedAddressees: ['lee'] } }))
      manager.addMessage(spoken(`m${number}`))
      firsts.push(shown(manager.assembleForAgent('a', agentType, { recipient: 'max' }).prompt)[0])
    }
    expect(firsts.slice(1)).toEqual(
      Array.from({ length: 23 }, (_, index) => (index < 4 ? 1 : Math.floor(index / 4) * 4 + 1)),
    )
  })
})

it.each(TYPES)('uses the same step for a context and its prompt as for the turn, for %s', (agentType) => {
  for (const [contextWindowSize, evictionStep, maxBytes] of [
    [3, 2, 9999],
    [5, 3, 9999],
    [3, 16, 9999],
    [20, 4, 150],
  ] as const) {
    const manager = new ContextManager({ contextWindowSize, evictionStep, maxBytes, assemblers })
    for (let number = 1; number <= 17; number++) {
      manager.addMessage(spoken(`m${number}`))
      const context = manager.getContextForAgent('a', agentType)
      expect(manager.assemblePrompt(agentType, context)).toEqual(manager.assembleForAgent('a', agentType))
      const route = { parentMessageId: `msg-${Math.max(1, number - 1)}`, targetMemberId: 'a' }
      const { meta: _, ...routed } = manager.getContextForRoute('a', agentType, route)
      expect(manager.assemblePrompt(agentType, routed)).toEqual(manager.assembleForRoute('a', agentType, route))
    }
  }
})

it('prefers evictionStep of an agent type to that of the manager', () => {
  const options = untyped<ContextManagerOptions>({
    contextWindowSize: 4,
    evictionStep: 2,
    assemblers: { claude: { evictionStep: 4 }, gemini: {} },
  })
  const manager = managerWith(numbered(6), options)
  expect(shown(manager.assembleForAgent('a', 'claude').prompt)).toEqual([5])
  expect(shown(manager.assembleForAgent('a', 'gemini').prompt)).toEqual([3, 4, 5])
  expect(shown(manager.assembleForAgent('a', 'codex').prompt)).toEqual([3, 4, 5])
})

describe('stablePrefixBytes', () => {
  const report = (manager: ContextManager, agent = 'a') =>
    manager.assembleForAgent(agent, 'claude', undefined, { report: true })

  it('is absent in the first report for an agent', () => {
    expect(report(managerWith(numbered(3))).report).not.toHaveProperty('stablePrefixBytes')
  })

  it('is the whole prompt when nothing has changed', () => {
    const manager = managerWith(numbered(3))
    const { prompt } = report(manager)
    expect(report(manager).report.stablePrefixBytes).toBe(Buffer.byteLength(prompt))
  })

  it('is the number of leading bytes that equal the previous prompt', () => {
    const manager = new ContextManager({ contextWindowSize: 3, evictionStep: 2 })
    let previous: string | undefined
    for (const text of ['中文', '中中', FAMILY, 'é', 'e', '中文 again', `x${FAMILY}`, 'x👨', 'y']) {
      manager.addMessage(spoken(text))
      const { prompt, report: told } = report(manager)
      expect(told.stablePrefixBytes).toBe(previous === undefined ? undefined : commonPrefix(prompt, previous))
      previous = prompt
    }
  })

  it('may end inside a character', () => {
    const manager = managerWith([spoken('中')])
    report(manager)
    manager.clear()
    manager.setTeamTask('中')
    report(manager)
    manager.setTeamTask('丮')
    expect(report(manager).report.stablePrefixBytes).toBe('[TEAM_TASK]\n'.length + 2)
  })

  it('is reported per agent, for routes and turns alike', () => {
    const manager = managerWith(numbered(3))
    const first = report(manager, 'a')
    expect(report(manager, 'b').report).not.toHaveProperty('stablePrefixBytes')
    manager.addMessage(spoken('m4'))
    const second = report(manager, 'a')
    expect(second.report.stablePrefixBytes).toBe(commonPrefix(second.prompt, first.prompt))
    const routed = manager.assembleForRoute(
      'a',
      'claude',
      { parentMessageId: 'msg-2', targetMemberId: 'x' },
      undefined,
      { report: true },
    )
    expect(routed.report.stablePrefixBytes).toBe(commonPrefix(routed.prompt, second.prompt))
  })

  it('is forgotten by clear and importSnapshot', () => {
    const manager = managerWith(numbered(3))
    const snapshot = manager.exportSnapshot()
    report(manager)
    manager.importSnapshot(snapshot)
    expect(report(manager).report).not.toHaveProperty('stablePrefixBytes')
    manager.clear()
    expect(report(manager).report).not.toHaveProperty('stablePrefixBytes')
  })

  it('is far larger with a step than without', () => {
    const stable = (evictionStep: number): number => {
      const manager = new ContextManager({ contextWindowSize: 40, evictionStep })
      return numbered(200).reduce((sum, message) => {
        manager.addMessage(message)
        return sum + (report(manager).report.stablePrefixBytes ?? 0)
      }, 0)
    }
    expect(stable(20)).toBeGreaterThan(3 * stable(1))
    expect(stable(5)).toBeGreaterThan(2 * stable(1))
  })
})
