/** `session: 'delta'`: a CLI that resumes its own session gets only what it has not been shown. Random sequences are in properties.test.ts. */
import {
  ContextManager,
  isPromptmasonError,
  type AgentContextOptions,
  type ContextSnapshot,
  type LayoutDefinition,
  type MessageChanges,
  type RouteContextOptions,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { byAi, managerWith, numbered, promptOfAllForms, spoken, stateOf } from '../support/conversation.js'

const DELTA = { session: 'delta' } as const
const AGENT_TYPES = ['claude-code', 'openai-codex', 'google-gemini', 'plain']
const quiet = { logger: { debug() {}, info() {}, warn() {}, error() {} } }
const throughJson = (snapshot: ContextSnapshot): ContextSnapshot => JSON.parse(JSON.stringify(snapshot))
const namesIn = (prompt: string): string[] => prompt.match(/\b(?:m\d+|SYS\d*|TASK\d*|SUM\d+|own\d*|secret)\b/g) ?? []

/** The names in an agent's next prompt. */
const next = (manager: ContextManager, options: AgentContextOptions = {}, agent = 'a'): string[] =>
  namesIn(manager.assembleForAgent(agent, 'codex', { ...DELTA, ...options }).prompt)
/** The same, and the CLI accepts it. */
const delivered = (manager: ContextManager, options: AgentContextOptions = {}, agent = 'a'): string[] => {
  const names = next(manager, options, agent)
  expect(manager.confirm(agent)).toBe(true)
  return names
}
const routed = (manager: ContextManager, parent: string, options: RouteContextOptions = {}): string[] =>
  namesIn(
    manager.assembleForRoute('a', 'codex', { parentMessageId: parent, targetMemberId: 'a' }, { ...DELTA, ...options })
      .prompt,
  )

/** A conversation whose first two messages the agent has been shown. */
const begun = (options = {}): ContextManager => {
  const manager = managerWith(numbered(2), { contextWindowSize: 50, ...options })
  delivered(manager)
  return manager
}
/** A message that agent a may not see. */
const privately = (content: string) => spoken(content, { routing: { resolvedAddressees: ['b'] } })
const say = (manager: ContextManager, ...contents: string[]): void =>
  contents.forEach((content) => manager.addMessage(spoken(content)))

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

  it("has none of the agent's own messages: the CLI wrote them", () => {
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

  it('does not take the messages of somebody who has the id of the agent as a name for its own', () => {
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

describe('what goes by a flag', () => {
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

  it("has its copy in the prompt only if it is another one, with 'both'", () => {
    const turn = placed('both')
    expect(['SYS1', 'SYS1', 'SYS2', 'SYS2', 'SYS1'].map(turn)).toEqual([
      [true, 'SYS1', 0],
      [false, 'SYS1', 0],
      [true, 'SYS2', 0],
      [false, 'SYS2', 0],
      [true, 'SYS1', 0],
    ])
  })

  it("is nothing with 'inline'", () => {
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

  it('brings new messages, with a line in their place, whatever was sent before', () => {
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

  it('that was cut counts as sent, one that was dropped does not', () => {
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

  it('that begins a session does the same', () => {
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

  it('to a message that is not there can have nothing to send', () => {
    expect(thrownBy(() => routed(begun(quiet), 'msg-9'))).toHaveProperty('code', 'ERR_NOTHING_TO_SEND')
  })
})

describe('what there was no room for', () => {
  const GAP = '[… messages omitted …]'

  it('is left out for good, and said to be missing in the prompt, the account and overflow', () => {
    const manager = managerWith(numbered(2), { maxBytes: 120 })
    delivered(manager)
    say(manager, 'm3', `m4 ${'x'.repeat(60)}`, 'm5', 'm6')
    const { prompt, report } = manager.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(prompt).toBe(`[CONTEXT]\n${GAP}\n- Kailai -> all: m5\n\n[MESSAGE]\nm6`)
    const reasons = () =>
      manager
        .assembleForAgent('a', 'codex', DELTA, { report: true })
        .report.leftOut.filter(({ reason }) => reason !== 'seen')
        .map(({ id, reason }) => [id, reason])
    expect(report.sections.find(({ name }) => name === 'context')).toMatchObject({ itemsBefore: 3, itemsAfter: 1 })
    expect(reasons()).toEqual([
      ['msg-4', 'budget'],
      ['msg-3', 'budget'],
    ])
    const missed = () => manager.overflow('a', 'codex', DELTA).messages.map(({ id }) => id)
    expect(missed()).toEqual(['msg-3', 'msg-4'])
    manager.confirm('a')
    expect(missed()).toEqual(['msg-3', 'msg-4'])
    say(manager, 'm7')
    expect(reasons()).toEqual([
      ['msg-4', 'window'],
      ['msg-3', 'window'],
    ])
    expect(delivered(manager)).toEqual(['m7'])
    manager.setSummary({ upTo: 'msg-4', text: 'SUM1' })
    expect(missed()).toEqual([])
    say(manager, 'm8')
    expect(next(manager)).toEqual(['SUM1', 'm8'])
  })

  it('is announced even if there is room for nothing else', () => {
    const manager = managerWith(numbered(1), { maxBytes: 60 })
    delivered(manager)
    say(manager, `m2 ${'x'.repeat(60)}`, 'm3')
    expect(manager.assembleForAgent('a', 'codex', DELTA).prompt).toBe(`[CONTEXT]\n${GAP}\n\n[MESSAGE]\nm3`)
    const small = managerWith(numbered(1), { maxBytes: 49 })
    delivered(small)
    say(small, `m2 ${'x'.repeat(60)}`, 'm3')
    const error = thrownBy(() => next(small))
    expect(error).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED', requiredBytes: 50, sections: { context: 36 } })
  })

  it('is limited by the budget alone, not by window or eviction step', () => {
    const manager = managerWith(numbered(2), { contextWindowSize: 1, evictionStep: 4 })
    delivered(manager)
    say(manager, 'm3', 'm4', 'm5', 'm6', 'm7')
    expect(next(manager)).toEqual(['m3', 'm4', 'm5', 'm6', 'm7'])
  })

  it('a message that was cut was shown', () => {
    const manager = managerWith([spoken(`m1 ${'x'.repeat(2000)}`)], { maxBytes: 1000 })
    expect(delivered(manager)).toEqual(['m1'])
    say(manager, 'm2')
    expect(next(manager)).toEqual(['m2'])
    const { report } = manager.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(report.leftOut).toEqual([expect.objectContaining({ id: 'msg-1', reason: 'seen' })])
  })

  it('includes what an eviction step dropped from the first prompt', () => {
    const manager = managerWith(numbered(7), { contextWindowSize: 5, evictionStep: 4 })
    expect(delivered(manager)).toEqual(['m5', 'm6', 'm7'])
    expect(manager.exportSnapshot().sessions).toMatchObject([{ missed: [['msg-1', 'msg-4']] }])
  })

  it('holds for budgets in tokens, too', () => {
    const manager = managerWith(numbered(1), { maxTokens: 40 })
    delivered(manager)
    say(manager, `m2 ${'word '.repeat(30)}`, 'm3', 'm4')
    const { prompt } = manager.assembleForAgent('a', 'codex', DELTA)
    expect(prompt).toBe(`[CONTEXT]\n${GAP}\n- Kailai -> all: m3\n\n[MESSAGE]\nm4`)
  })

  it('becomes one run if there are too many', () => {
    const manager = managerWith(numbered(1), { maxBytes: 120 })
    delivered(manager)
    for (let turn = 0; turn < 200; turn++) {
      say(manager, `m2 ${'x'.repeat(90)}`, 'm3')
      expect(delivered(manager)).toEqual(['m3'])
    }
    const { missed = [] } = manager.exportSnapshot().sessions![0]!
    expect(missed).toHaveLength(64)
    expect(missed[0]![0]).toBe('msg-2')
    expect(missed.at(-1)).toEqual(['msg-400', 'msg-400'])
  })
})

describe('earlier messages', () => {
  const NOTES: [string, string, string][] = [
    ['codex', '(earlier messages, pinned or changed since)', '(new messages)'],
    ['gemini', 'Earlier messages (pinned or changed since):', 'New messages:'],
    ['plain', 'Earlier messages (pinned or changed since):', 'New messages:'],
    ['mine', 'FROM BEFORE', 'SINCE THEN'],
    ['yours', '(earlier messages, pinned or changed since)', '(new messages)'],
  ]
  const own = (agentType: string, notes?: { earlier: string; new: string }) => ({
    agentType,
    sections: [{ part: 'context' as const }, { part: 'message' as const }],
    messageLine: {},
    notes,
  })
  const layouts = [own('mine', { earlier: 'FROM BEFORE', new: 'SINCE THEN' }), own('yours')]

  it.each(NOTES)('stand under a note, in the layout of %s', (agentType, earlier, later) => {
    const manager = managerWith(numbered(4), { contextWindowSize: 1, layouts, ...quiet })
    manager.assembleForAgent('a', agentType, DELTA)
    manager.confirm('a')
    manager.pin('msg-1')
    manager.updateMessage('msg-3', { content: 'm33' })
    say(manager, 'm5', 'm6')
    const lines = promptOfAllForms(manager, 'a', agentType, DELTA).split('\n')
    const shown = lines
      .map((line) => namesIn(line)[0] ?? line)
      .filter((line) => /^m\d/.test(line) || NOTES.flat().includes(line))
    expect(shown).toEqual([earlier, 'm1', 'm33', later, 'm5', 'm6'])
  })

  it('need no second note if nothing stands behind them', () => {
    const manager = managerWith(numbered(4), { contextWindowSize: 1 })
    delivered(manager)
    manager.pin('msg-1')
    say(manager, 'm5')
    expect(manager.assembleForAgent('a', 'codex', DELTA).prompt).toBe(
      '[CONTEXT]\n(earlier messages, pinned or changed since)\n- Kailai -> all: m1\n\n[MESSAGE]\nm5',
    )
  })

  it.each([
    [{ earlier: 'two\nlines' }, 'notes.earlier must be a single line'],
    [{ later: 'x' }, 'notes'],
  ])('a layout with the notes %j is refused', (notes, message) => {
    const layout = untyped<LayoutDefinition>({ ...own('mine'), notes })
    expect(thrownBy(() => new ContextManager({ layouts: [layout] })).message).toContain(message)
  })

  it('give way to new ones if they were changed, and not if they are pinned', () => {
    const manager = managerWith(numbered(4), { contextWindowSize: 1, maxBytes: 200 })
    delivered(manager)
    manager.updateMessage('msg-3', { content: `m33 ${'x'.repeat(150)}` })
    say(manager, 'm5', 'm6')
    expect(delivered(manager)).toEqual(['m5', 'm6'])
    manager.pin('msg-3')
    say(manager, 'm7')
    expect(thrownBy(() => next(manager))).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED' })
    manager.updateMessage('msg-3', { content: 'm34' })
    expect(next(manager)).toEqual(['m34', 'm7'])
  })
})

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

  it('confirm takes the last prompt, as it was made', () => {
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

  it('a prompt without session, and what an agent sees, are neither delta nor to be confirmed', () => {
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

  it.each(['confirm', 'forget'] as const)('%s refuses an id that is no string', (method) => {
    expect(thrownBy(() => begun()[method](untyped(5)))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: 'agentId must be a string, got number',
    })
  })

  it.each([['whole'], ['DELTA'], [''], [true], [5], [{}]])('session %j is refused, and changes nothing', (session) => {
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
  it('says which part of a session it is, and what was left out because it was seen', () => {
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

describe('messages that change', () => {
  it('an updated message is to be shown again, also if the prompt with it is not confirmed yet', () => {
    const manager = begun()
    say(manager, 'm3')
    manager.updateMessage('msg-1', { content: 'm11' })
    expect(next(manager)).toEqual(['m11', 'm3'])
    manager.updateMessage('msg-1', { content: 'm12' })
    manager.confirm('a')
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m12', 'm4'])
  })

  it.each([
    ['a pin', { pinned: true }],
    ['what it answers', { routing: { parentMessageId: 'msg-2' } }],
    ['a marker that is stripped', { content: 'm1 [NEXT:b]' }],
    ['the display name of its speaker', { speaker: { id: 'kailai', name: 'Kailai', displayName: 'K.' } }],
    ['a caller-defined field', untyped<MessageChanges>({ mood: 'calm' })],
  ])('is not shown again if only %s has changed', (_, changes: MessageChanges) => {
    const manager = begun()
    manager.updateMessage('msg-1', changes)
    say(manager, 'm3')
    expect(next(manager)).toEqual(['m3'])
    manager.updateMessage('msg-3', { ...changes, ...(changes.content !== undefined && { content: 'm3 [NEXT:b]' }) })
    manager.confirm('a')
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m4'])
  })

  it.each([
    ['its speaker', { speaker: { id: 'kim' } }],
    ['its intent', { routing: { intent: 'review' } }],
  ])('is shown again if %s has changed', (_, changes) => {
    const manager = begun()
    manager.updateMessage('msg-1', changes)
    say(manager, 'm3')
    expect(next(manager)).toEqual(['m1', 'm3'])
  })

  it('is shown again if another one is addressed, but not if it was addressed late', () => {
    const manager = begun()
    manager.updateMessage('msg-1', { routing: { resolvedAddressees: ['b'] } })
    say(manager, 'm3')
    expect(next(manager)).toEqual(['m3'])
    manager.updateMessage('msg-1', { routing: { resolvedAddressees: ['c'] } })
    expect(next(manager)).toEqual(['m1', 'm3'])
  })

  it.each([
    ['msg-1', 'msg-3'],
    ['msg-3', 'msg-2'],
    ['msg-4', 'msg-3'],
    ['msg-5', 'msg-3'],
  ])('removal of %s keeps the rest as it was', (id, since) => {
    const manager = begun()
    say(manager, 'm3')
    delivered(manager)
    say(manager, 'm4', 'm5')
    next(manager)
    manager.removeMessage(id)
    say(manager, 'm6')
    const left = ['m4', 'm5', 'm6'].filter((name) => name !== id.replace('msg-', 'm'))
    expect(next(manager)).toEqual(left)
    expect(manager.assembleForAgent('a', 'codex', DELTA, { report: true }).report.session).toEqual({
      mode: 'delta',
      since,
    })
  })

  it('removal between a prompt and its confirmation', () => {
    const manager = begun()
    say(manager, 'm3', 'm4')
    next(manager)
    manager.removeMessage('msg-1')
    manager.removeMessage('msg-4')
    say(manager, 'm5')
    manager.confirm('a')
    say(manager, 'm6')
    expect(next(manager)).toEqual(['m5', 'm6'])
  })

  it('clear forgets all sessions', () => {
    const manager = begun()
    manager.clear()
    say(manager, 'm1', 'm2', 'm3')
    expect(manager.confirm('a')).toBe(false)
    expect(next(manager)).toEqual(['m1', 'm2', 'm3'])
  })
})

describe('a prompt that onAssembled kept from its caller', () => {
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

  it('is no prompt of another agent, nor one without a session', () => {
    const { manager, hook } = hooked()
    next(manager)
    hook.run = fail
    expect(() => manager.assembleForAgent('b', 'codex', DELTA)).toThrow('own')
    expect(() => manager.assembleForAgent('a', 'codex')).toThrow('own')
    expect([manager.confirm('b'), manager.confirm('a')]).toEqual([false, true])
  })

  it('does not take back what the hook itself made, confirmed or forgot', () => {
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

describe('recipients', () => {
  it('what a member may not see does not count as seen by it', () => {
    const manager = new ContextManager()
    manager.addMessage(privately('secret'))
    say(manager, 'm2')
    expect(delivered(manager, { recipient: 'a' })).toEqual(['m2'])
    manager.updateMessage('msg-1', { routing: {} })
    say(manager, 'm3')
    expect(next(manager, { recipient: 'a' })).toEqual(['secret', 'm3'])
  })
})

describe('what is older than the window of the first prompt', () => {
  it('is not shown later, and the account says so, unless it is pinned', () => {
    const manager = new ContextManager({ contextWindowSize: 2 })
    for (const text of ['m1', 'm2', 'm3', 'm4', 'm5']) say(manager, text)
    expect(delivered(manager)).toEqual(['m3', 'm4', 'm5'])
    say(manager, 'm6')
    expect(next(manager)).toEqual(['m6'])
    const { report } = manager.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(report.leftOut.filter(({ reason }) => reason === 'window').map(({ id }) => id)).toEqual(['msg-2', 'msg-1'])
    manager.pin('msg-1')
    expect(next(manager)).toEqual(['m1', 'm6'])
    const restored = new ContextManager({ contextWindowSize: 2 })
    restored.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    expect(next(restored)).toEqual(['m1', 'm6'])
    manager.removeMessage('msg-2')
    expect(next(manager)).toEqual(['m1', 'm6'])
  })
})

describe('sessions in snapshots', () => {
  const filled = (): ContextManager => {
    const manager = begun()
    manager.setTeamTask('TASK1')
    delivered(manager, { systemInstruction: 'SYS1' }, 'b')
    say(manager, 'm3')
    return manager
  }

  it.each([
    ['whole', (snapshot: ContextSnapshot) => snapshot],
    ['through JSON', throughJson],
  ])('go on after a restart, %s', (_, carry) => {
    const manager = filled()
    const restored = new ContextManager()
    restored.importSnapshot(carry(manager.exportSnapshot()))
    expect(stateOf(restored)).toEqual(stateOf(manager))
    expect(next(restored)).toEqual(['TASK1', 'm3'])
    expect(next(restored, { systemInstruction: 'SYS1' }, 'b')).toEqual(['m3'])
  })

  it('have ids and fingerprints, and nothing of a prompt that is not confirmed', () => {
    const manager = filled()
    next(manager)
    expect(manager.exportSnapshot().sessions).toEqual([
      { agentId: 'a', since: 'msg-2', begun: 'msg-2' },
      {
        agentId: 'b',
        since: 'msg-2',
        begun: 'msg-2',
        system: expect.stringMatching(/^fnv1a128:[\da-f]{32}$/),
        teamTask: expect.stringMatching(/^fnv1a128:[\da-f]{32}$/),
      },
    ])
    const restored = new ContextManager()
    restored.importSnapshot(manager.exportSnapshot())
    expect(restored.confirm('a')).toBe(false)
  })

  it('with fingerprints of another form are restored, and the texts are sent again', () => {
    const { sessions = [], ...rest } = filled().exportSnapshot()
    for (const system of ['0123456789abcdef0123456789abcdef', 'other1:00', '']) {
      const restored = new ContextManager()
      restored.importSnapshot({ ...rest, sessions: sessions.map((session) => Object.assign({}, session, { system })) })
      expect(next(restored, { systemInstruction: 'SYS1' }, 'b')).toEqual(['SYS1', 'm3'])
    }
  })

  it('are whole in each part: the newest part counts', () => {
    const manager = filled()
    const copy = new ContextManager()
    copy.importSnapshot(manager.exportSnapshot())
    delivered(manager)
    manager.forget('b')
    say(manager, 'm4')
    copy.importSnapshot(throughJson(manager.exportSnapshot({ after: 'msg-3' })), { append: true })
    expect(stateOf(copy)).toEqual(stateOf(manager))
    expect([next(copy), next(copy, {}, 'b')]).toEqual([['m4'], ['TASK1', 'm1', 'm2', 'm3', 'm4']])
  })

  it('an import without sessions forgets them', () => {
    const manager = begun()
    const { sessions: _, ...rest } = manager.exportSnapshot()
    manager.importSnapshot(rest)
    expect(next(manager)).toEqual(['m1', 'm2'])
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
    // Without a session, it is the latest message, as ever.
    expect(namesIn(manager.assembleForAgent('a', 'codex').prompt)).toEqual(['m1', 'm2', 'own1', 'own2'])
  })

  it('of an agent that has only heard itself is about its own message', () => {
    const manager = managerWith([])
    manager.addMessage({ speaker: { id: 'a' }, content: 'own1' })
    expect(next(manager)).toEqual(['own1'])
  })
})
