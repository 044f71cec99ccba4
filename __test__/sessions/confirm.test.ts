/** `confirm` and `forget`, and what the report of a session says. */
import { ContextManager, type AgentContextOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { byAi, managerWith, numbered, stateOf } from '../support/conversation.js'
import { DELTA, namesIn, next, delivered, begun, say } from '../support/sessions.js'

describe('confirm and forget', () => {
  it('a prompt that is not confirmed changes nothing', () => {
    const manager = begun()
    say(manager, 'm3')
    const before = stateOf(manager)
    expect([next(manager), next(manager)]).toEqual([['m3'], ['m3']])
    expect(stateOf(manager)).toEqual(before)
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m3', 'm4'])
  })

  it('confirm applies to the last prompt, as it was assembled', () => {
    const manager = begun()
    say(manager, 'm3')
    next(manager)
    say(manager, 'm4', 'm5')
    expect([manager.confirm('a'), manager.confirm('a'), manager.confirm('b')]).toEqual([true, false, false])
    expect(next(manager)).toEqual(['m4', 'm5'])
  })

  it.each<[string, (manager: ContextManager) => unknown, string]>([
    [
      'its buffer was too small',
      (manager) => manager.assembleForAgent('a', 'codex', DELTA, { into: Buffer.alloc(3) }),
      'ERR_OUT_OF_RANGE',
    ],
    [
      'it was over the budget',
      (manager) => manager.assembleForAgent('a', 'codex', { ...DELTA, systemInstruction: 'x'.repeat(2000) }),
      'ERR_BUDGET_EXCEEDED',
    ],
    [
      'an option was wrong',
      (manager) => manager.assembleForAgent('a', 'codex', untyped({ ...DELTA, windowSizeOverride: -1 })),
      'ERR_OUT_OF_RANGE',
    ],
    [
      'a route had a buffer that was too small',
      (manager) =>
        manager.assembleForRoute('a', 'codex', { parentMessageId: 'msg-4', targetMemberId: 'a' }, DELTA, {
          into: Buffer.alloc(3),
        }),
      'ERR_OUT_OF_RANGE',
    ],
  ])('a prompt that was not made does not take the place of the last one: %s', (_, fail, code) => {
    const manager = begun({ maxBytes: 1000 })
    say(manager, 'm3')
    next(manager)
    say(manager, 'm4')
    expect(thrownBy(() => fail(manager)).code).toBe(code)
    expect(manager.confirm('a')).toBe(true)
    say(manager, 'm5')
    expect(next(manager)).toEqual(['m4', 'm5'])
  })

  it('a prompt without session and a context are neither deltas nor confirmed', () => {
    const manager = begun()
    say(manager, 'm3')
    for (const session of [undefined, null])
      expect(namesIn(manager.assembleForAgent('a', 'codex', { session }).prompt)).toEqual(['m1', 'm2', 'm3'])
    expect(manager.getContextForAgent('a', 'codex', DELTA)).toEqual(manager.getContextForAgent('a', 'codex'))
    const route = { parentMessageId: 'msg-3', targetMemberId: 'a' }
    expect(manager.getContextForRoute('a', 'codex', route, DELTA)).toEqual(
      manager.getContextForRoute('a', 'codex', route),
    )
    expect(manager.getContextForAgent('a', 'codex', DELTA).contextMessages).toHaveLength(2)
    expect(manager.confirm('a')).toBe(false)
    expect(next(manager)).toEqual(['m3'])
  })

  it('forget: the next prompt is whole, and a prompt from before cannot be confirmed', () => {
    const manager = begun()
    say(manager, 'm3')
    next(manager)
    expect([manager.forget('a'), manager.confirm('a'), manager.forget('a'), manager.forget('b')]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect(next(manager)).toEqual(['m1', 'm2', 'm3'])
    expect(manager.forget('a')).toBe(true)
    expect(manager.exportSnapshot()).not.toHaveProperty('sessions')
  })

  it('agents share nothing', () => {
    const manager = begun()
    expect([next(manager, {}, 'b'), next(manager, {}, 'A')]).toEqual([
      ['m1', 'm2'],
      ['m1', 'm2'],
    ])
    manager.confirm('b')
    say(manager, 'm3')
    manager.forget('a')
    expect([next(manager), next(manager, {}, 'b')]).toEqual([['m1', 'm2', 'm3'], ['m3']])
  })

  it.each(['confirm', 'forget'] as const)('%s rejects an id that is not a string', (method) => {
    expect(thrownBy(() => begun()[method](untyped(5)))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: 'agentId must be a string, got number',
    })
  })

  it.each([['whole'], ['DELTA'], [''], [true], [5], [{}]])('session %j is rejected, and changes nothing', (session) => {
    const manager = begun()
    say(manager, 'm3')
    const route = { parentMessageId: 'msg-1', targetMemberId: 'a' }
    const options = untyped<AgentContextOptions>({ session })
    for (const make of [
      () => manager.assembleForAgent('a', 'codex', options),
      () => manager.assembleForRoute('a', 'codex', route, options),
      () => manager.getContextForAgent('a', 'codex', options),
    ]) {
      expect(thrownBy(make)).toMatchObject({
        code: 'ERR_INVALID_ARG_TYPE',
        message: expect.stringMatching(/^options\.session must be /),
      })
    }
    expect(next(manager)).toEqual(['m3'])
  })
})

describe('the report', () => {
  it('says whether it is a delta, and what was left out because it was seen', () => {
    const manager = managerWith(numbered(2))
    manager.setTeamTask('TASK')
    manager.setSummary({ upTo: 'msg-1', text: 'SUM1' })
    const options = { ...DELTA, systemInstruction: 'SYS' }
    const whole = manager.assembleForAgent('a', 'codex', options, { report: true }).report
    expect(whole.session).toEqual({ mode: 'whole' })
    manager.confirm('a')
    say(manager, 'm3', 'm4')
    const { report } = manager.assembleForAgent('a', 'codex', options, { report: true })
    expect(report.session).toEqual({ mode: 'delta', since: 'msg-2' })
    expect(report.leftOut.map(({ part, reason, bytes, id }) => [part, reason, bytes, id])).toEqual([
      ['system', 'seen', 3, undefined],
      ['teamTask', 'seen', 4, undefined],
      ['summary', 'seen', 4, undefined],
      ['context', 'seen', 2, 'msg-2'],
      ['context', 'summary', 2, 'msg-1'],
    ])
    expect(report.account).toEqual({ givenBytes: 19, sentBytes: 4, leftOutBytes: 15 })
    expect(report.sections.map(({ name }) => name).filter((name) => name === 'context' || name === 'message')).toEqual([
      'context',
      'message',
    ])
    expect(manager.assembleForAgent('a', 'codex', undefined, { report: true }).report).not.toHaveProperty('session')
  })
})

describe('the account of a long session', () => {
  it.each([
    ['without a summary', 0],
    ['with a summary', 30],
  ])('sums up what is not listed as it lists the rest, %s', (_, covered) => {
    const manager = new ContextManager({ contextWindowSize: 20, maxBytes: 400 })
    const turn = (count: number): void => {
      for (let number = 0; number < count; number++) {
        manager.addMessage(byAi(number % 5 === 2 ? 'a' : 'b', `m${number} ${'x'.repeat(number % 30)}`))
      }
      say(manager, 'm0')
      delivered(manager)
    }
    for (let number = 0; number < 60; number++) say(manager, `m${number}`)
    if (covered > 0) manager.setSummary({ upTo: `msg-${covered}`, text: 'SUM1' })
    turn(3)
    for (const count of [9, 40, 3, 2, 60, 1]) turn(count)
    manager.pin('msg-3')
    turn(4)
    say(manager, ...Array.from({ length: 5 }, (_message, number) => `m${number}`))
    // With a recipient who may see everything, each message is looked at.
    const told = (recipient?: string) =>
      manager.assembleForAgent('a', 'codex', { ...DELTA, recipient }, { report: true }).report
    const [summed, looked] = [told(), told('nobody')]
    expect(summed.leftOut.some(({ count }) => count > 20)).toBe(true)
    const sorted = ({ leftOut }: typeof summed) => leftOut.map((entry) => JSON.stringify(entry)).toSorted()
    expect(sorted(summed)).toEqual(sorted(looked))
    expect(summed.account).toEqual(looked.account)
  })
})

describe('a prompt whose onAssembled hook threw', () => {
  /** A manager whose hook does what the test says. */
  const hooked = () => {
    const hook = { run: () => {} }
    const manager = managerWith(numbered(2), { contextWindowSize: 50, onAssembled: () => hook.run() })
    return { manager, hook }
  }
  const fail = (): never => {
    throw new Error('own')
  }
  const forms: [string, (manager: ContextManager) => object][] = [
    ['text', (manager) => manager.assembleForAgent('a', 'codex', DELTA)],
    ['report', (manager) => manager.assembleForAgent('a', 'codex', DELTA, { report: true })],
    ['buffer', (manager) => manager.assembleForAgent('a', 'codex', DELTA, { as: 'buffer' })],
    ['into', (manager) => manager.assembleForAgent('a', 'codex', DELTA, { into: Buffer.alloc(999) })],
    [
      'route',
      (manager) => manager.assembleForRoute('a', 'codex', { parentMessageId: 'msg-2', targetMemberId: 'a' }, DELTA),
    ],
  ]

  it.each(forms)('cannot be confirmed: %s', (_, assemble) => {
    const { manager, hook } = hooked()
    hook.run = fail
    expect(() => assemble(manager)).toThrow('own')
    expect(manager.confirm('a')).toBe(false)
    hook.run = () => {}
    expect(next(manager)).toEqual(['m1', 'm2'])
  })

  it.each(forms)('leaves the one before it to be confirmed: %s', (_, assemble) => {
    const { manager, hook } = hooked()
    expect(next(manager)).toEqual(['m1', 'm2'])
    say(manager, 'm3')
    hook.run = fail
    expect(() => assemble(manager)).toThrow('own')
    hook.run = () => {}
    expect(manager.confirm('a')).toBe(true)
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m3', 'm4'])
  })

  it('does not affect other agents, nor prompts without a session', () => {
    const { manager, hook } = hooked()
    next(manager)
    hook.run = fail
    expect(() => manager.assembleForAgent('b', 'codex', DELTA)).toThrow('own')
    expect(() => manager.assembleForAgent('a', 'codex')).toThrow('own')
    expect([manager.confirm('b'), manager.confirm('a')]).toEqual([false, true])
  })

  it('does not undo what the hook itself assembled, confirmed or forgot', () => {
    const { manager, hook } = hooked()
    const inner = (then: () => void) => () => {
      hook.run = () => {}
      then()
      fail()
    }
    hook.run = inner(() => void next(manager))
    expect(() => next(manager)).toThrow('own')
    expect(manager.confirm('a')).toBe(true)
    say(manager, 'm3')
    hook.run = inner(() => void manager.confirm('a'))
    expect(() => next(manager)).toThrow('own')
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m4'])
    hook.run = inner(() => void manager.forget('a'))
    expect(() => next(manager)).toThrow('own')
    expect(manager.confirm('a')).toBe(false)
    hook.run = inner(() => {
      manager.importSnapshot(manager.exportSnapshot())
      next(manager)
    })
    expect(() => next(manager)).toThrow('own')
    expect(manager.confirm('a')).toBe(true)
  })
})
