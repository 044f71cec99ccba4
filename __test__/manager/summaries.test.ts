/** `setSummary`: a summary replaces the messages that it covers in prompts. overflow.test.ts tests what has to be summarised. */
import { ContextManager, type ContextSnapshot } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { bytesOf, checkAccount } from '../support/account.js'
import { thrownBy, untyped } from '../support/assemblers.js'
import { byAi, managerWith, numbered, promptOfAllForms, spoken, stateOf } from '../support/conversation.js'

const ROUTE = { parentMessageId: 'msg-6', targetMemberId: 'a' }
const shown = (manager: ContextManager, agent = 'a', options = {}): string[] =>
  manager.assembleForAgent(agent, 'codex', { windowSizeOverride: 50, ...options }).prompt.match(/\bm\d+\b|^SUM\S*/gm) ??
  []
const throughJson = (snapshot: ContextSnapshot): ContextSnapshot => JSON.parse(JSON.stringify(snapshot))

/** Six messages, of which the first three are covered. */
const summarised = (options = {}): ContextManager => {
  const manager = managerWith(numbered(6), options)
  manager.setSummary({ upTo: 'msg-3', text: 'SUM' })
  return manager
}

describe('the summary in a prompt', () => {
  it.each([
    [
      'claude-code',
      '[TEAM_TASK]\nT\n\n[SUMMARY]\nSUM\n\n[CONTEXT]\n- Kailai -> all: m4\n- Kailai -> all: m5\n\n[MESSAGE]\nm6',
    ],
    [
      'openai-codex',
      '[TEAM_TASK]\nT\n\n[SUMMARY]\nSUM\n\n[CONTEXT]\n- Kailai -> all: m4\n- Kailai -> all: m5\n\n[MESSAGE]\nm6',
    ],
    [
      'google-gemini',
      'Team Task:\nT\n\nSummary of the conversation so far:\nSUM\n\nConversation so far:\n- Kailai: m4\n- Kailai: m5\n\nLast message:\nm6',
    ],
    ['plain', 'T\n\nSUM\n\nKailai: m4\nKailai: m5\n\nm6'],
  ])(
    'of %s stands before the context, which begins after it, in all forms, for turns and routes',
    (agentType, expected) => {
      const manager = summarised({ logger: { debug() {}, info() {}, warn() {}, error() {} } })
      manager.setTeamTask('T')
      const prompt = promptOfAllForms(manager, 'a', agentType)
      expect(prompt).toBe(expected)
      expect(
        promptOfAllForms(manager, 'a', agentType, undefined, ROUTE).startsWith(expected.slice(0, -'m6'.length)),
      ).toBe(true)
    },
  )

  it('is part of the context, which gives the same prompt', () => {
    const manager = summarised()
    const context = manager.getContextForAgent('a', 'codex')
    expect(context).toMatchObject({ summary: 'SUM', contextMessages: [{ content: 'm4' }, { content: 'm5' }] })
    expect(manager.assemblePrompt('codex', context)).toEqual(manager.assembleForAgent('a', 'codex'))
    expect(manager.getContextForRoute('a', 'codex', ROUTE)).toMatchObject({
      summary: 'SUM',
      contextMessages: [{ content: 'm4' }, { content: 'm5' }],
    })
    manager.clearSummary()
    expect(manager.getContextForAgent('a', 'codex')).not.toHaveProperty('summary')
  })

  it('is in the report with its bytes, and what it covers is in the account', () => {
    const { report } = summarised().assembleForAgent('a', 'codex', undefined, { report: true })
    expect(report.sections[0]).toEqual({ name: 'summary', action: 'kept', bytesBefore: 13, bytesAfter: 13 })
    expect(report.leftOut).toEqual(
      [3, 2, 1].map((number) => ({
        part: 'context',
        action: 'dropped',
        reason: 'summary',
        bytes: 2,
        count: 1,
        id: `msg-${number}`,
        index: number - 1,
        from: 'Kailai',
      })),
    )
    expect(report.decisions).toEqual(['[CONTEXT] 3 messages are covered by the summary'])
    checkAccount(report, bytesOf('m1m2m3m4m5m6', 'SUM'))
  })

  it('counts what it covers separately from what is outside the window, also beyond the listed messages', () => {
    const manager = managerWith(numbered(900), { contextWindowSize: 300 })
    manager.setSummary({ upTo: 'msg-450', text: 'SUM' })
    const { report } = manager.assembleForAgent('a', 'codex', undefined, { report: true })
    const counted = (reason: string): number =>
      report.leftOut.filter((entry) => entry.reason === reason).reduce((sum, { count }) => sum + count, 0)
    expect([counted('window'), counted('summary')]).toEqual([149, 450])
    checkAccount(
      report,
      bytesOf(
        manager.getMessages().map(({ content }) => content),
        'SUM',
      ),
    )
  })

  it('leaves pinned messages where they are, also those that it covers', () => {
    const manager = summarised()
    manager.pin('msg-2')
    expect(shown(manager)).toEqual(['SUM', 'm2', 'm4', 'm5', 'm6'])
  })

  it('may cover everything: the message to act on is still shown', () => {
    const manager = managerWith(numbered(3))
    manager.setSummary({ upTo: 'msg-3', text: 'SUM' })
    expect(shown(manager)).toEqual(['SUM', 'm3'])
    manager.addMessage(spoken('m4'))
    expect(shown(manager)).toEqual(['SUM', 'm4'])
  })

  it.each([1, 4, 16])('does not make an eviction step of %i drop what comes after it', (evictionStep) => {
    const manager = managerWith(numbered(9), { contextWindowSize: 50, evictionStep })
    manager.setSummary({ upTo: 'msg-3', text: 'SUM' })
    expect(shown(manager)).toEqual(['SUM', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9'])
  })
})

describe('setSummary, getSummary, clearSummary', () => {
  it('leave the messages in getMessages and in snapshots', () => {
    const manager = summarised()
    expect(manager.getMessages()).toEqual(managerWith(numbered(6)).getMessages())
    expect(manager.exportSnapshot()).toMatchObject({
      messages: manager.getMessages(),
      summaries: [{ upTo: 'msg-3', text: 'SUM' }],
    })
    manager.clearSummary()
    expect(stateOf(manager)).toEqual(stateOf(managerWith(numbered(6))))
    expect(manager.getSummary()).toBe(null)
    expect(() => manager.clearSummary()).not.toThrow()
  })

  it('a later summary replaces the previous one, also for the same messages', () => {
    const manager = summarised()
    manager.setSummary({ upTo: 'msg-3', text: 'SUM2' })
    expect(manager.getSummary()).toEqual({ upTo: 'msg-3', text: 'SUM2' })
    manager.setSummary({ upTo: 'msg-5', text: 'SUM3' })
    expect(shown(manager)).toEqual(['SUM3', 'm6'])
  })

  it.each([
    ['unknown', 'msg-9', /there is no message with the id "msg-9"/],
    ['before that of the current one', 'msg-2', /msg-2/],
  ])('an upTo that is %s is ERR_UNKNOWN_MESSAGE, and changes nothing', (_, upTo, message) => {
    const manager = summarised()
    const before = stateOf(manager)
    expect(thrownBy(() => manager.setSummary({ upTo, text: 'x' }))).toMatchObject({
      code: 'ERR_UNKNOWN_MESSAGE',
      message: expect.stringMatching(message),
    })
    expect(stateOf(manager)).toEqual(before)
    manager.clearSummary()
    if (upTo === 'msg-2') expect(() => manager.setSummary({ upTo, text: 'x' })).not.toThrow()
  })

  it.each([
    [undefined, 'summary must be an object, got undefined'],
    ['x', 'summary must be an object, got string'],
    [{ text: 'x' }, 'summary.upTo must be a string, got undefined'],
    [{ upTo: 'msg-1' }, 'summary.text must be a string, got undefined'],
    [{ upTo: 'msg-1', text: 5 }, 'summary.text must be a string, got number'],
    [{ upTo: 'msg-1', text: 'x', recipient: 5 }, 'summary.recipient must be a string, got number'],
  ])('rejects %j', (summary, message) => {
    expect(thrownBy(() => managerWith(numbered(1)).setSummary(untyped(summary)))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message,
    })
  })

  it('reject a recipient that is not a string', () => {
    const message = 'recipient must be a string, got number'
    expect(thrownBy(() => summarised().getSummary(untyped(5)))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE', message })
    expect(thrownBy(() => summarised().clearSummary(untyped(5)))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message,
    })
  })
})

describe('a summary for one member', () => {
  const withOwn = (): ContextManager => {
    const manager = summarised()
    const speaker = { id: 'id-max', name: 'Max', displayName: 'Max M', type: 'ai' as const }
    manager.addMessage({ speaker, content: 'm7' })
    manager.addMessage(byAi('sarah', 'm8'))
    return manager
  }

  it.each(['id-max', 'Max', 'max m', ' MAX '])(
    'given to %j is seen by that member, by each of its names, and by nobody else',
    (recipient) => {
      const manager = withOwn()
      manager.setSummary({ upTo: 'msg-4', text: 'SUM-max', recipient })
      for (const name of ['id-max', 'Max', 'Max M']) {
        expect(manager.getSummary(name)).toEqual({ upTo: 'msg-4', text: 'SUM-max', recipient })
        expect(shown(manager, name)).toEqual(['SUM-max', 'm5', 'm6', 'm7', 'm8'])
        expect(shown(manager, 'coordinator', { recipient: name })[0]).toBe('SUM-max')
      }
      for (const name of ['sarah', 'nobody', 'id', 'coordinator']) {
        expect(manager.getSummary(name)).toEqual({ upTo: 'msg-3', text: 'SUM' })
        expect(shown(manager, name)).toEqual(['SUM', 'm4', 'm5', 'm6', 'm7', 'm8'])
        expect(JSON.stringify(manager.getContextForAgent(name, 'codex'))).not.toContain('SUM-max')
      }
      expect(shown(manager, 'id-max', { recipient: 'sarah' })[0]).toBe('SUM')
      manager.clearSummary('Max')
      expect(manager.getSummary('id-max')?.text).toBe('SUM')
    },
  )

  it('stays with its member, and is not for another one of the same name', () => {
    const manager = withOwn()
    manager.setSummary({ upTo: 'msg-4', text: 'SUM-max', recipient: 'Max' })
    manager.addMessage({ speaker: { id: 'other', name: 'Max' }, content: 'm9' })
    expect([shown(manager, 'other')[0], shown(manager, 'id-max')[0]]).toEqual(['SUM', 'SUM-max'])
  })

  it('may cover less than the one for all, and is replaced separately', () => {
    const manager = withOwn()
    manager.setSummary({ upTo: 'msg-2', text: 'SUM-max', recipient: 'Max' })
    expect(shown(manager, 'id-max').slice(0, 2)).toEqual(['SUM-max', 'm3'])
    expect(thrownBy(() => manager.setSummary({ upTo: 'msg-1', text: 'x', recipient: 'id-max' })).code).toBe(
      'ERR_UNKNOWN_MESSAGE',
    )
    manager.clearSummary()
    expect([manager.getSummary(), manager.getSummary('max')?.text, manager.getSummary('sarah')]).toEqual([
      null,
      'SUM-max',
      null,
    ])
  })
})

describe('messages that are changed', () => {
  it('removal of a covered message keeps the rest covered', () => {
    const manager = summarised()
    manager.removeMessage('msg-3')
    expect(manager.getSummary()).toEqual({ upTo: 'msg-2', text: 'SUM' })
    manager.removeMessage('msg-1')
    expect(shown(manager)).toEqual(['SUM', 'm4', 'm5', 'm6'])
    manager.removeMessage('msg-2')
    expect(manager.getSummary()).toEqual({ upTo: null, text: 'SUM' })
    expect(shown(manager)).toEqual(['SUM', 'm4', 'm5', 'm6'])
    manager.removeMessage('msg-4')
    expect(shown(manager)).toEqual(['SUM', 'm5', 'm6'])
    const restored = new ContextManager()
    restored.importSnapshot(throughJson(manager.exportSnapshot()))
    expect(stateOf(restored)).toEqual(stateOf(manager))
  })

  it('an update of a covered message is not shown', () => {
    const manager = summarised()
    manager.updateMessage('msg-2', { content: 'other' })
    expect(shown(manager)).toEqual(['SUM', 'm4', 'm5', 'm6'])
    expect(manager.getMessages()[1]?.content).toBe('other')
  })

  it('clear forgets it', () => {
    const manager = summarised()
    manager.clear()
    expect(manager.getSummary()).toBe(null)
    expect(manager.exportSnapshot()).not.toHaveProperty('summaries')
  })
})

describe('summaries in snapshots', () => {
  const both = (): ContextManager => {
    const manager = summarised()
    manager.setSummary({ upTo: 'msg-5', text: 'SUM-max \ud800 中', recipient: 'Max' })
    return manager
  }

  it.each([
    ['whole', (snapshot: ContextSnapshot) => snapshot],
    ['through JSON', throughJson],
  ])('are restored, %s', (_, carry) => {
    const restored = managerWith(numbered(1))
    restored.setSummary({ upTo: 'msg-1', text: 'gone' })
    restored.importSnapshot(carry(both().exportSnapshot()))
    expect(stateOf(restored)).toEqual(stateOf(both()))
    expect(restored.getSummary('max')).toEqual({ upTo: 'msg-5', text: 'SUM-max \ufffd 中', recipient: 'Max' })
  })

  it('are whole in each part: the newest part counts', () => {
    const manager = managerWith(numbered(4))
    const copy = new ContextManager()
    copy.importSnapshot(manager.exportSnapshot())
    for (const message of numbered(2)) manager.addMessage(message)
    manager.setSummary({ upTo: 'msg-5', text: 'SUM' })
    copy.importSnapshot(throughJson(manager.exportSnapshot({ after: 'msg-4' })), { append: true })
    expect(stateOf(copy)).toEqual(stateOf(manager))
    manager.clearSummary()
    copy.importSnapshot(manager.exportSnapshot({ after: 'msg-6' }), { append: true })
    expect(copy.getSummary()).toBe(null)
  })
})

describe('a member who turns out to have two summaries', () => {
  /** Two names that turn out to be those of one member. */
  const joined = (): ContextManager => {
    const manager = managerWith(numbered(3))
    manager.setSummary({ upTo: 'msg-1', text: 'by name', recipient: 'Sarah' })
    manager.setSummary({ upTo: 'msg-2', text: 'by id', recipient: 'u1' })
    manager.addMessage({ speaker: { id: 'u1', name: 'Sarah' }, content: 'm4' })
    return manager
  }

  it('sees the one that covers more, and can replace and clear both', () => {
    const manager = joined()
    for (const name of ['u1', 'Sarah']) expect(manager.getSummary(name)?.text).toBe('by id')
    manager.setSummary({ upTo: 'msg-2', text: 'new', recipient: 'Sarah' })
    for (const name of ['u1', 'Sarah']) expect(manager.getSummary(name)?.text).toBe('new')
    expect(manager.exportSnapshot().summaries).toHaveLength(1)
    manager.clearSummary('u1')
    expect(manager.getSummary('sarah')).toBeNull()
    const other = joined()
    other.clearSummary('u1')
    expect(other.getSummary('Sarah')).toBeNull()
  })

  it.each([
    ['as they are', () => {}],
    ['one replaced', (manager: ContextManager) => manager.setSummary({ upTo: 'msg-3', text: 'new', recipient: 'u1' })],
  ])('has a snapshot that a manager accepts: %s', (_, change) => {
    const manager = joined()
    change(manager)
    const restored = new ContextManager()
    restored.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    expect(stateOf(restored)).toEqual(stateOf(manager))
    expect(restored.getSummary('sarah')).toEqual(manager.getSummary('u1'))
  })
})

describe('hostile memory in a snapshot', () => {
  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
  it.each([
    ['summaries', {}, 'summaries must be an array'],
    ['summaries', 'x', 'summaries must be an array'],
    ['summaries', Object.assign([], { length: 2 ** 32 - 1 }), 'summaries[0]: invalid type: null, expected an object'],
    ['summaries', [null], 'summaries[0]: invalid type: null, expected an object'],
    ['summaries', [{ upTo: 'msg-1' }], 'summaries[0]: missing field `text`'],
    ['summaries', [{ upTo: 'msg-1', text: 1n }], 'summaries[0]: invalid type: null, expected a string'],
    ['summaries', [{ upTo: 'msg-9', text: 'x' }], 'summaries: there is no message "msg-9"'],
    [
      'summaries',
      [
        { upTo: 'msg-1', text: 'x' },
        { upTo: 'msg-2', text: 'y' },
      ],
      'summaries: there are two for the same member, or two for all',
    ],
    [
      'summaries',
      [
        { upTo: 'msg-1', text: 'x', recipient: 'max' },
        { upTo: 'msg-1', text: 'y', recipient: ' MAX' },
      ],
      'summaries: there are two for the same member, or two for all',
    ],
    ['summaries', cyclic, 'summaries[0]: '],
    ['summaries', deep, 'summaries[0]: '],
    ['sessions', 5, 'sessions must be an array'],
    ['sessions', [5], 'sessions[0]: invalid type: integer `5`, expected an object'],
    ['sessions', [{ except: [] }], 'sessions[0]: missing field `agentId`'],
    [
      'sessions',
      [{ agentId: 'a', except: Object.assign([], { length: 2 ** 32 - 1 }) }],
      'sessions[0]: invalid type: null',
    ],
    ['sessions', [{ agentId: 'a', missed: [] }], 'sessions[0]: unknown field `missed`'],
    ['sessions', [{ agentId: 'a', except: [['missed', 'msg-1']] }], 'sessions[0]: invalid length 2'],
    ['sessions', [{ agentId: 'a', except: [['lost', 'msg-1', 'msg-1']] }], 'sessions[0]: unknown variant `lost`'],
    ['sessions', [{ agentId: 'a', except: [['shown', 5, 'msg-1']] }], 'sessions[0]: invalid type: integer `5`'],
    ['sessions', [{ agentId: 'a', except: [[{}, 'msg-1', 'msg-1']] }], 'sessions[0]: '],
    ['sessions', [{ agentId: 'a', except: [['missed', 'msg-1', 'msg-9']] }], 'sessions: there is no message "msg-9"'],
    ['sessions', [{ agentId: 'a', since: 'msg-9' }], 'sessions: there is no message "msg-9"'],
    ['sessions', [{ agentId: 'a', recipient: 5 }], 'sessions[0]: invalid type: integer `5`'],
    ['sessions', [{ agentId: 'a', begun: 'msg-9' }], 'sessions: there is no message "msg-9"'],
    ...[
      { except: [['missed', 'msg-1', 'msg-3']] },
      { except: [['changed', 'msg-2', 'msg-1']] },
      {
        except: [
          ['shown', 'msg-2', 'msg-2'],
          ['revealed', 'msg-1', 'msg-1'],
        ],
      },
      {
        except: [
          ['missed', 'msg-1', 'msg-2'],
          ['changed', 'msg-2', 'msg-2'],
        ],
      },
      { begun: 'msg-3' },
    ].map((wrong): [string, unknown, string] => [
      'sessions',
      [{ agentId: 'a', since: 'msg-2', ...wrong }],
      'sessions: that of "a" has messages out of order, or after "since"',
    ]),
    ['sessions', [{ agentId: 'a' }, { agentId: 'a' }], 'sessions: there are two for "a"'],
    ['pinned', 'msg-1', 'pinned must be an array'],
    ['pinned', [1], 'pinned[0]: invalid type: integer `1`, expected a string'],
    ['pinned', ['msg-9'], 'pinned: there is no message "msg-9"'],
  ])('%s, case %#', (field, value, message) => {
    const manager = summarised()
    manager.assembleForAgent('a', 'codex', { session: 'delta' })
    manager.confirm('a')
    const before = stateOf(manager)
    const own = managerWith(numbered(6))
    const [whole, part] = [undefined, 'msg-6'].map((after) =>
      Object.assign(own.exportSnapshot({ after }), { version: 2 }),
    )
    const expected = {
      code: 'ERR_INVALID_SNAPSHOT',
      message: expect.stringContaining(`Invalid snapshot format: ${message}`),
    }
    expect(thrownBy(() => manager.importSnapshot(untyped({ ...whole, [field]: value })))).toMatchObject(expected)
    expect(
      thrownBy(() => manager.importSnapshot(untyped({ ...part, [field]: value }), { append: true })),
    ).toMatchObject(expected)
    expect(stateOf(manager)).toEqual(before)
  })

  it.each(['summaries', 'sessions', 'pinned'])('%s may be null or missing, and is not inherited', (field) => {
    const snapshot = managerWith(numbered(2)).exportSnapshot()
    const manager = new ContextManager()
    for (const value of [null, undefined]) manager.importSnapshot(untyped({ ...snapshot, [field]: value }))
    expect(manager.exportSnapshot()).not.toHaveProperty(field)
  })

  it('rethrows the error of a getter unchanged', () => {
    const own = new Error('mine')
    const snapshot = {
      ...managerWith(numbered(2)).exportSnapshot(),
      summaries: [
        {
          upTo: null,
          get text(): string {
            throw own
          },
        },
      ],
    }
    expect(thrownBy(() => new ContextManager().importSnapshot(snapshot))).toBe(own)
  })
})
