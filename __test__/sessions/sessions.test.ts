/** `session: 'delta'`: a CLI that resumes its own session gets only what it has not been shown. Random sequences are in properties.test.ts. */
import { ContextManager, isPromptmasonError, type AgentContextOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '../support/assemblers.js'
import { byAi, managerWith, numbered, promptOfAllForms } from '../support/conversation.js'
import {
  DELTA,
  AGENT_TYPES,
  quiet,
  namesIn,
  next,
  delivered,
  routed,
  begun,
  privately,
  say,
} from '../support/sessions.js'

describe('a session', () => {
  it.each(AGENT_TYPES)(
    'of %s is whole until a prompt is confirmed, then has only what is new, in all forms, for turns and routes',
    (agentType) => {
      const manager = managerWith(numbered(3), quiet)
      manager.setTeamTask('TASK1')
      manager.setSummary({ upTo: 'msg-1', text: 'SUM1' })
      const options = { systemInstruction: 'SYS1' }
      const whole = promptOfAllForms(manager, 'a', agentType, options)
      for (let attempt = 0; attempt < 2; attempt++)
        expect(promptOfAllForms(manager, 'a', agentType, { ...DELTA, ...options })).toBe(whole)
      manager.confirm('a')
      say(manager, 'm4', 'm5')
      const prompt = promptOfAllForms(manager, 'a', agentType, { ...DELTA, ...options })
      expect(namesIn(prompt)).toEqual(['m4', 'm5'])
      const route = { parentMessageId: 'msg-5', targetMemberId: 'a' }
      const answer = promptOfAllForms(manager, 'a', agentType, { ...DELTA, ...options }, route)
      expect(namesIn(answer).slice(0, 2)).toEqual(['m4', 'm5'])
    },
  )

  it.each<[string, (manager: ContextManager) => unknown]>([
    ['nothing', () => {}],
    ['an own message', (manager) => manager.addMessage(byAi('a', 'own1'))],
    ['a message for somebody else', (manager) => manager.addMessage(privately('m3'))],
    ['another task', (manager) => manager.setTeamTask('TASK1')],
    ['a summary', (manager) => manager.setSummary({ upTo: 'msg-2', text: 'SUM1' })],
    ['a pin', (manager) => manager.pin('msg-1')],
    ['a changed message', (manager) => manager.updateMessage('msg-2', { content: 'm22' })],
  ])('has nothing to send if there is no message that is new to it: %s', (_, change) => {
    const manager = begun()
    change(manager)
    const options = { ...DELTA, recipient: 'a', systemInstruction: 'SYS1' }
    for (const form of [{}, { report: true }, { as: 'buffer' }, { into: Buffer.alloc(999) }] as const) {
      const error = thrownBy(() => manager.assembleForAgent('a', 'codex', options, form))
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject({ code: 'ERR_NOTHING_TO_SEND', message: expect.stringContaining('"a"') })
      expect(isPromptmasonError(error, 'ERR_NOTHING_TO_SEND')).toBe(true)
    }
    expect(manager.confirm('a')).toBe(false)
    say(manager, 'm9')
    expect(next(manager, { recipient: 'a' })).toContain('m9')
  })

  it('with nothing confirmed is whole, also without a message', () => {
    expect(new ContextManager().assembleForAgent('a', 'codex', DELTA).prompt).toBe('')
  })

  it("omits the agent's messages, since the CLI wrote them", () => {
    const manager = begun()
    manager.addMessage(byAi('a', 'own1'))
    say(manager, 'm4')
    manager.addMessage(byAi('A', 'own2'))
    manager.addMessage(byAi('b', 'm6'))
    say(manager, 'm7')
    expect(next(manager)).toEqual(['m4', 'm6', 'm7'])
    const { report } = manager.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(report.leftOut.map(({ id, reason }) => [id, reason])).toEqual([
      ['msg-5', 'own'],
      ['msg-3', 'own'],
      ['msg-2', 'seen'],
      ['msg-1', 'seen'],
    ])
  })

  it("does not confuse messages of somebody named like the agent's id with its own", () => {
    const manager = begun()
    manager.addMessage({ speaker: { id: 'u1', name: 'A', displayName: 'a' }, content: 'm3' })
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m3', 'm4'])
  })

  it.each<[string, (manager: ContextManager, number: number) => AgentContextOptions]>([
    ['system text', (_, number) => ({ systemInstruction: `SYS${number}` })],
    ['instruction file', (_, number) => ({ systemInstruction: 'SYS', instructionFileText: `SYS${number}` })],
    ['team task', (manager, number) => (manager.setTeamTask(`TASK${number}`), {})],
  ])('shows %s again only if it is another one', (_, set) => {
    const manager = begun()
    const more = (number: number): number => {
      say(manager, 'm9')
      return delivered(manager, set(manager, number)).filter((name) => /[A-Z]/.test(name)).length
    }
    expect([more(1), more(1), more(2), more(2), more(1)].map((count) => count > 0)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
  })

  it('shows a changed text until the prompt that has it is confirmed', () => {
    const manager = begun()
    manager.setTeamTask('TASK1')
    say(manager, 'm3')
    expect([next(manager), delivered(manager)]).toEqual([
      ['TASK1', 'm3'],
      ['TASK1', 'm3'],
    ])
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m4'])
  })

  it('does not repeat pins that were shown', () => {
    const manager = begun()
    manager.pin('msg-1')
    say(manager, 'm3', 'm4', 'm5')
    manager.pin('msg-3')
    expect(delivered(manager, { windowSizeOverride: 0 })).toEqual(['m3', 'm4', 'm5'])
    say(manager, 'm6')
    expect(next(manager)).toEqual(['m6'])
  })
})

describe('a system flag', () => {
  const placed = (systemPlacement: 'flag' | 'inline' | 'both') => {
    const manager = managerWith(numbered(1), { assemblers: { claude: { systemPlacement } } })
    let number = 1
    return (systemInstruction: string) => {
      say(manager, `m${++number}`)
      const { prompt, systemFlag, report } = manager.assembleForAgent(
        'a',
        'claude',
        { ...DELTA, systemInstruction },
        { report: true },
      )
      manager.confirm('a')
      expect(report.account.givenBytes).toBe(report.account.sentBytes + report.account.leftOutBytes)
      const seen = report.leftOut.filter(({ part, reason }) => part === 'system' && reason === 'seen')
      return [prompt.includes(systemInstruction), systemFlag, seen.length]
    }
  }

  it('is in every prompt, and no account says that the session has it', () => {
    const turn = placed('flag')
    expect(['SYS1', 'SYS1', 'SYS2', 'SYS1'].map(turn)).toEqual([
      [false, 'SYS1', 0],
      [false, 'SYS1', 0],
      [false, 'SYS2', 0],
      [false, 'SYS1', 0],
    ])
  })

  it("is copied into the prompt only if it has changed, with 'both'", () => {
    const turn = placed('both')
    expect(['SYS1', 'SYS1', 'SYS2', 'SYS2', 'SYS1'].map(turn)).toEqual([
      [true, 'SYS1', 0],
      [false, 'SYS1', 0],
      [true, 'SYS2', 0],
      [false, 'SYS2', 0],
      [true, 'SYS1', 0],
    ])
  })

  it("does not exist with 'inline'", () => {
    const turn = placed('inline')
    expect(['SYS1', 'SYS1', 'SYS2'].map(turn)).toEqual([
      [true, undefined, 0],
      [false, undefined, 1],
      [true, undefined, 0],
    ])
  })
})

describe('a summary', () => {
  it('is sent only if it covers a message that the session was not shown, and once', () => {
    const manager = managerWith(numbered(4), { contextWindowSize: 1 })
    expect(delivered(manager)).toEqual(['m3', 'm4'])
    manager.setSummary({ upTo: 'msg-2', text: 'SUM1' })
    const turn = (content: string): string[] => (say(manager, content), delivered(manager))
    expect(turn('m5')).toEqual(['SUM1', 'm5'])
    expect(turn('m6')).toEqual(['m6'])
    manager.setSummary({ upTo: 'msg-4', text: 'SUM2' })
    expect(turn('m7')).toEqual(['SUM2', 'm7'])
    expect(turn('m8')).toEqual(['m8'])
    const all = begun()
    all.setSummary({ upTo: 'msg-2', text: 'SUM1' })
    say(all, 'm3')
    expect(next(all)).toEqual(['m3'])
    const { report } = all.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(report.leftOut).toContainEqual(expect.objectContaining({ part: 'summary', reason: 'seen' }))
  })

  it('does not count what the agent may not see or wrote itself', () => {
    const manager = begun()
    manager.addMessage(privately('secret'))
    say(manager, 'm4')
    delivered(manager, { recipient: 'a' })
    manager.addMessage(byAi('a', 'own1'))
    manager.setSummary({ upTo: 'msg-5', text: 'SUM1' })
    say(manager, 'm6')
    expect(next(manager, { recipient: 'a' })).toEqual(['m6'])
  })

  it('replaces new messages with a line, whatever was sent before', () => {
    const manager = begun()
    manager.setSummary({ upTo: 'msg-1', text: 'SUM1' })
    say(manager, 'm3', 'm4')
    manager.setSummary({ upTo: 'msg-3', text: 'SUM1' })
    const { prompt, report } = manager.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(prompt).toBe('[SUMMARY]\nSUM1\n\n[CONTEXT]\n[… messages omitted …]\n\n[MESSAGE]\nm4')
    expect(report.leftOut.map(({ id, reason }) => [id, reason])).toEqual([
      ['msg-3', 'summary'],
      ['msg-2', 'seen'],
      ['msg-1', 'seen'],
    ])
  })

  it('counts as sent if it was cut, but not if it was dropped', () => {
    const manager = managerWith(numbered(3), { contextWindowSize: 1, maxBytes: 1400 })
    manager.setSummary({ upTo: 'msg-1', text: `SUM1 ${'x'.repeat(2000)}` })
    expect(delivered(manager)).toContain('SUM1')
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m4'])
    const small = managerWith(numbered(3), { contextWindowSize: 1, maxBytes: 100 })
    small.setSummary({ upTo: 'msg-1', text: `SUM1 ${'x'.repeat(200)}` })
    expect(delivered(small)).not.toContain('SUM1')
    small.setSummary({ upTo: 'msg-1', text: 'SUM1' })
    say(small, 'm4')
    expect(next(small)).toContain('SUM1')
  })
})

describe('a route', () => {
  const replied = (): ContextManager => {
    const manager = begun({ siblingContentMaxLength: 20 })
    const reply = { parentMessageId: 'msg-2' }
    manager.addMessage(byAi('b', 'm3', reply))
    manager.addMessage(byAi('c', `m4 ${'x'.repeat(30)}`, reply))
    return manager
  }

  it('shows replies in the conversation, whole and in order, and once', () => {
    const manager = replied()
    const route = { parentMessageId: 'msg-2', targetMemberId: 'a' }
    const { prompt } = manager.assembleForRoute('a', 'codex', route, DELTA)
    expect(prompt).toBe(
      `[CONTEXT]\n- B -> all: m3\n- C -> all: m4 ${'x'.repeat(30)}\n\n[MESSAGE]\nm2\n\n[ROUTING_META]\nparentMessageId: msg-2`,
    )
    manager.confirm('a')
    expect(routed(manager, 'msg-2')).toEqual(['m2'])
    say(manager, 'm5')
    expect(next(manager)).toEqual(['m5'])
  })

  it('that starts a session does the same', () => {
    const manager = replied()
    manager.forget('a')
    expect(routed(manager, 'msg-2', { windowSizeOverride: 1 })).toEqual(['m1', 'm3', 'm4', 'm2'])
    manager.confirm('a')
    say(manager, 'm5')
    expect(delivered(manager)).toEqual(['m5'])
    expect(manager.exportSnapshot().sessions).toEqual([{ agentId: 'a', since: 'msg-5', begun: 'msg-4' }])
  })

  it('to a message that was missed shows that message, and only that', () => {
    const manager = managerWith(numbered(4), { contextWindowSize: 1 })
    delivered(manager)
    say(manager, 'm5')
    expect(routed(manager, 'msg-1')).toEqual(['m5', 'm1'])
    manager.confirm('a')
    manager.pin('msg-1')
    say(manager, 'm6')
    expect(next(manager)).toEqual(['m6'])
  })

  it('to a missing message may have nothing to send', () => {
    expect(thrownBy(() => routed(begun(quiet), 'msg-9'))).toHaveProperty('code', 'ERR_NOTHING_TO_SEND')
  })
})

describe('the first prompt of a session', () => {
  it('acts on the newest message that the agent did not write, after what it wrote itself', () => {
    const manager = managerWith([])
    for (const [id, content] of [
      ['k', 'm1'],
      ['b', 'm2'],
      ['a', 'own1'],
      ['a', 'own2'],
    ] as const)
      manager.addMessage({ speaker: { id }, content })
    expect(next(manager)).toEqual(['m1', 'own1', 'own2', 'm2'])
    expect(delivered(manager, { recipient: 'a' })).toEqual(['m1', 'own1', 'own2', 'm2'])
    expect(() => next(manager)).toThrow(expect.objectContaining({ code: 'ERR_NOTHING_TO_SEND' }))
    // Without a session, it is the latest message, as usual.
    expect(namesIn(manager.assembleForAgent('a', 'codex').prompt)).toEqual(['m1', 'm2', 'own1', 'own2'])
  })

  it('of an agent that only wrote itself acts on its own message', () => {
    const manager = managerWith([])
    manager.addMessage({ speaker: { id: 'a' }, content: 'own1' })
    expect(next(manager)).toEqual(['own1'])
  })
})
