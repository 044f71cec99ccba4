import { buildPrompt, ContextManager, type LeftOut } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { bytesOf, checkAccount } from '../support/account.js'
import { create, history, inputOf, reportOf, said } from '../support/assemblers.js'
import { byAi, contentsOf, keepingLogger, managerWith, numbered, spoken } from '../support/conversation.js'

/** What an entry says, without who and where. */
const brief = ({ part, action, reason, bytes, count }: LeftOut): unknown[] => [part, action, reason, bytes, count]

describe('what the assemblers leave out', () => {
  it('nothing, if everything is sent', () => {
    const { leftOut, account, decisions } = reportOf('codex', {
      contextMessages: history(3),
      teamTask: 't',
      systemInstruction: ['a', 'b'],
      instructionFileText: 'f',
    })
    expect({ leftOut, account, decisions }).toEqual({
      leftOut: [],
      account: { givenBytes: 15, sentBytes: 15, leftOutBytes: 0 },
      decisions: [],
    })
  })

  it('white space at the ends, without a sentence', () => {
    const report = reportOf('claude', {
      currentMessage: ' hi\n',
      teamTask: '\t',
      systemInstruction: [' a', ''],
      routeMeta: { intent: 'x\r\ny ' },
    })
    expect(report.leftOut.map(brief)).toEqual([
      ['system', 'trimmed', 'space', 1, 1],
      ['teamTask', 'trimmed', 'space', 1, 1],
      ['message', 'trimmed', 'space', 2, 1],
      ['routing', 'trimmed', 'space', 2, 1],
    ])
    expect(report.decisions).toEqual([])
  })

  it('a system text in both places is given and sent once', () => {
    const { report } = create('claude', { systemPlacement: 'both' }).assemble(
      inputOf({ systemInstruction: 'abc', instructionFileText: 'de' }),
      { report: true },
    )
    expect(report.account).toEqual({ givenBytes: 10, sentBytes: 10, leftOutBytes: 0 })
  })

  it('messages by budget and by step, the newest 100 by name and the rest in one sum each', () => {
    const contextMessages = history(250, () => 'x'.repeat(10))
    const { leftOut, dropped } = create('codex', { evictionStep: 100 }).assemble(
      inputOf({ contextMessages, maxBytes: 1000 }),
      { report: true },
    ).report
    const single = leftOut.filter(({ from }) => from !== undefined)
    expect(single).toHaveLength(100)
    expect(single[0]).toEqual({
      part: 'context',
      action: 'dropped',
      reason: 'step',
      bytes: 10,
      count: 1,
      index: 249,
      from: 'a',
    })
    expect(dropped[0]).toEqual({ index: 249, from: 'a', bytes: 20, reason: 'step' })
    expect(leftOut.filter(({ from }) => from === undefined).map(brief)).toEqual([
      ['context', 'dropped', 'budget', 1500, 150],
    ])
  })

  it('a parent that is the current message, and one that is cut or dropped', () => {
    const parent = (content: string, maxBytes = 1e6) =>
      reportOf('codex', { currentMessage: 'same', parentContext: said('p', content), maxBytes })
    expect(parent(' same ').leftOut).toEqual([
      { part: 'parent', action: 'dropped', reason: 'same', bytes: 6, count: 1, from: 'p' },
    ])
    expect(parent(' same ').decisions).toEqual(['[PARENT_CONTEXT] left out: same as the current message'])
    expect(parent(' ').leftOut.map(brief)).toEqual([['parent', 'trimmed', 'space', 1, 1]])
    const cut = parent('x'.repeat(9000), 3000)
    const omitted =
      9000 -
      (
        create('codex')
          .assemble(inputOf({ currentMessage: 'same', parentContext: said('p', 'x'.repeat(9000)), maxBytes: 3000 }))
          .prompt.match(/x{9,}/g) ?? []
      ).join('').length
    expect(cut.leftOut.map(brief)).toEqual([['parent', 'cut', 'budget', omitted, 1]])
    expect(parent('x'.repeat(9000), 500).leftOut.map(brief)).toEqual([['parent', 'dropped', 'budget', 9000, 1]])
  })

  it('routing data where the layout has none', () => {
    const report = reportOf('plain', { routeMeta: { parentMessageId: 'msg-1', intent: 'review' } })
    expect(report.leftOut.map(brief)).toEqual([['routing', 'dropped', 'layout', 11, 2]])
    expect(report.decisions).toEqual(['[ROUTING_META] left out: the layout has no such part'])
  })

  it('what is omitted from a message of megabytes, of which only the ends are read', () => {
    const currentMessage = ` ${'word '.repeat(1_000_000)}`
    const report = reportOf('codex', { currentMessage, maxBytes: 5000 })
    checkAccount(report, bytesOf(currentMessage))
    expect(report.leftOut.map(({ reason }) => reason)).toEqual(['budget', 'space'])
  })
})

describe('what buildPrompt leaves out', () => {
  it('a role summary over its limit, and an instruction file over its share and over the budget', () => {
    const base = { agentType: 'codex', contextMessages: [], message: 'm' }
    const role = buildPrompt({ ...base, roleSummary: 'a b  c'.padEnd(600, 'd') }, { report: true }).report
    expect(role.leftOut.map(brief)).toEqual([
      ['system', 'cut', 'limit', 87, 1],
      ['system', 'trimmed', 'space', 1, 1],
    ])
    expect(role.decisions).toEqual(['[SYSTEM] the role summary is cut to its limit: 87 bytes left out'])
    expect(role.sections[0]).toMatchObject({ name: 'system', action: 'shortened' })
    const file = buildPrompt(
      { ...base, instructionFileText: 'x'.repeat(9000), systemMaxBytes: 5000, maxBytes: 4000 },
      { report: true },
    ).report
    expect(file.leftOut.map(({ reason }) => reason)).toEqual(['limit', 'budget'])
    checkAccount(file, 9001)
  })

  it('messages outside maxContextMessages by name, and those for others only as a sum', () => {
    const contextMessages = [
      said('eve', 'secret', 'bob'),
      said('max', 'old', 'all'),
      said('eve', 'secret, too', 'bob'),
      said('max', 'new', 'ann'),
    ]
    const { report } = buildPrompt(
      { agentType: 'codex', contextMessages, message: 'm', recipient: 'Ann', maxContextMessages: 1 },
      { report: true },
    )
    expect(report.leftOut).toEqual([
      { part: 'context', action: 'dropped', reason: 'window', bytes: 3, count: 1, index: 1, from: 'max' },
      { part: 'context', action: 'dropped', reason: 'recipient', bytes: 17, count: 2 },
    ])
    expect(report.decisions).toEqual([
      '[CONTEXT] 1 older message is outside maxContextMessages (1)',
      '[CONTEXT] 2 messages are not for Ann',
    ])
    expect(JSON.stringify(report)).not.toContain('eve')
  })
})

describe('what a manager leaves out', () => {
  it('markers, a duplicate, messages outside the window, by id', () => {
    const manager = managerWith(
      [spoken('one'), spoken('two'), spoken('three [NEXT:max]'), byAi('max', 'again'), byAi('max', 'again[FROM:x]')],
      { contextWindowSize: 2 },
    )
    const { report } = manager.assembleForAgent('max', 'codex', undefined, { report: true })
    expect(report.leftOut).toEqual([
      {
        part: 'context',
        action: 'dropped',
        reason: 'duplicate',
        bytes: 5,
        count: 1,
        id: 'msg-4',
        index: 3,
        from: 'Max',
      },
      {
        part: 'context',
        action: 'stripped',
        reason: 'marker',
        bytes: 11,
        count: 1,
        id: 'msg-3',
        index: 2,
        from: 'Kailai',
      },
      {
        part: 'context',
        action: 'dropped',
        reason: 'window',
        bytes: 3,
        count: 1,
        id: 'msg-2',
        index: 1,
        from: 'Kailai',
      },
      {
        part: 'context',
        action: 'dropped',
        reason: 'window',
        bytes: 3,
        count: 1,
        id: 'msg-1',
        index: 0,
        from: 'Kailai',
      },
      { part: 'message', action: 'stripped', reason: 'marker', bytes: 8, count: 1, id: 'msg-5', index: 4, from: 'Max' },
    ])
    expect(report.decisions).toEqual([
      '[CONTEXT] 1 message is left out: same text as the current one',
      '[CONTEXT] routing markers are stripped from 1 message: 11 bytes',
      '[CONTEXT] 2 older messages are outside the window',
      '[MESSAGE] routing markers are stripped from 1 message: 8 bytes',
    ])
    expect(report.sections.map(({ name, action }) => [name, action])).toEqual([
      ['context', 'shortened'],
      ['message', 'shortened'],
    ])
  })

  it('of a route: own messages, code and length of siblings, siblings over the limit, newer messages', () => {
    const manager = managerWith(
      [
        byAi('max', 'mine'),
        spoken('question'),
        byAi('max', 'my reply', { parentMessageId: 'msg-2' }),
        byAi('lee', 'too many', { parentMessageId: 'msg-2' }),
        byAi('ann', 'see ```code``` there', { parentMessageId: 'msg-2' }),
        spoken('newer'),
      ],
      { defaultMaxSiblings: 1, siblingContentMaxLength: 26 },
    )
    const { report } = manager.assembleForRoute(
      'max',
      'codex',
      { parentMessageId: 'msg-2', targetMemberId: 'max' },
      undefined,
      { report: true },
    )
    expect(report.leftOut.map((entry) => [entry.id, ...brief(entry)])).toEqual([
      ['msg-6', 'context', 'dropped', 'window', 5, 1],
      ['msg-3', 'context', 'dropped', 'own', 8, 1],
      ['msg-1', 'context', 'dropped', 'own', 4, 1],
      ['msg-5', 'siblings', 'cut', 'code', 10, 1],
      ['msg-5', 'siblings', 'cut', 'limit', 4, 1],
      ['msg-4', 'siblings', 'dropped', 'limit', 8, 1],
    ])
    expect(report.decisions).toEqual([
      '[CONTEXT] 1 message is outside the window',
      '[CONTEXT] 2 messages from the member itself are left out',
      '[RELATED_CONTEXT] code blocks are left out of 1 reply: 10 bytes',
      '[RELATED_CONTEXT] cut to the maximum length: 4 bytes left out',
      '[RELATED_CONTEXT] 1 reply over the maximum number is left out',
    ])
    expect(report.sections.find(({ name }) => name === 'siblings')).toMatchObject({ action: 'shortened' })
  })

  it('what was cut from a team task when it was set', () => {
    const { logger } = keepingLogger()
    const manager = managerWith([spoken('m')], { logger })
    manager.setTeamTask('x'.repeat(6000))
    const { report } = manager.assembleForAgent('max', 'codex', undefined, { report: true })
    expect(report.leftOut.map(brief)).toEqual([['teamTask', 'cut', 'limit', 880, 1]])
    expect(report.sections[0]).toMatchObject({
      name: 'teamTask',
      action: 'shortened',
      bytesBefore: '[TEAM_TASK]\n'.length + 6000,
      bytesAfter: '[TEAM_TASK]\n'.length + 5120,
    })
    expect(report.decisions).toEqual(['[TEAM_TASK] cut to the maximum length: 880 bytes left out'])
  })

  it('what was cut from a team task is not part of a snapshot', () => {
    const { logger } = keepingLogger()
    const manager = managerWith([spoken('m')], { logger })
    manager.setTeamTask('x'.repeat(6000))
    const check = (restored: ContextManager) => {
      const { report } = restored.assembleForAgent('max', 'codex', undefined, { report: true })
      checkAccount(report, bytesOf('x'.repeat(5120), contentsOf(restored.getMessages())))
      expect(report.leftOut).toEqual([])
    }
    const restored = new ContextManager()
    restored.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    check(restored)
    manager.addMessage(spoken('n'))
    restored.importSnapshot(manager.exportSnapshot({ after: 'msg-1' }), { append: true })
    check(restored)
    // The same task again, now as it was stored.
    manager.importSnapshot(restored.exportSnapshot({ after: 'msg-2' }), { append: true })
    check(manager)
  })

  it('the values of a route whose parent is missing', () => {
    const { logger } = keepingLogger()
    const { report } = managerWith([spoken('m')], { logger }).assembleForRoute(
      'max',
      'codex',
      { parentMessageId: 'gone', targetMemberId: 'max', intent: 'ask' },
      undefined,
      { report: true },
    )
    expect(report.leftOut.map(brief)).toEqual([['routing', 'dropped', 'window', 7, 1]])
    expect(report.decisions).toEqual(['[ROUTING_META] left out: the message to answer is missing'])
  })

  it('sums up what is older than the newest 100, and follows edits', () => {
    const manager = managerWith(numbered(400), { contextWindowSize: 3 })
    manager.updateMessage('msg-1', { content: 'x'.repeat(100) })
    manager.updateMessage('msg-396', { content: '中[NEXT:a]' })
    manager.removeMessage('msg-2')
    const given = bytesOf(manager.getMessages().map(({ content }) => content))
    const { report } = manager.assembleForAgent('max', 'codex', undefined, { report: true })
    checkAccount(report, given)
    expect(report.leftOut[0]).toMatchObject({ id: 'msg-396', bytes: 11, reason: 'window' })
    expect(report.leftOut.at(-1)).toMatchObject({ reason: 'window', count: 399 - 4 - 100 })
  })

  it('everything, for a recipient who may see nothing, as a sum', () => {
    const manager = managerWith([spoken('secret', { routing: { addressees: ['bob'] } })])
    const { prompt, report } = manager.assembleForAgent('ann', 'codex', { recipient: 'ann' }, { report: true })
    expect(prompt).toBe('')
    expect(report.leftOut).toEqual([{ part: 'context', action: 'dropped', reason: 'recipient', bytes: 6, count: 1 }])
    expect(report.decisions).toEqual(['[CONTEXT] 1 message is not for ann'])
  })

  it('a reply that the window shows counts once', () => {
    const manager = new ContextManager()
    manager.addMessage(byAi('lee', 'early reply', { parentMessageId: 'msg-2' }))
    manager.addMessage(spoken('question'))
    const { report } = manager.assembleForRoute(
      'max',
      'codex',
      { parentMessageId: 'msg-2', targetMemberId: 'max' },
      undefined,
      { report: true },
    )
    expect(report.account).toEqual({ givenBytes: 24, sentBytes: 24, leftOutBytes: 0 })
  })
})
