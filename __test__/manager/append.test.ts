import {
  ContextManager,
  type ContextManagerOptions,
  type ContextSnapshot,
  type ConversationMessage,
  type NewConversationMessage,
} from 'promptmason'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { byAi, contentsOf, keepingLogger, managerWith, numbered, spoken, stateOf } from '../support/conversation.js'
import { pollute, unpollute } from '../support/pollution.js'

afterEach(unpollute)

const throughJson = (snapshot: ContextSnapshot): ContextSnapshot => JSON.parse(JSON.stringify(snapshot))

const part = (after: string | undefined, ids: string[], fields: object = {}): ContextSnapshot => ({
  messages: ids.map((id) => Object.assign(spoken(`content of ${id}`), { id })),
  ...(after === undefined ? {} : { after }),
  teamTask: null,
  timestamp: 0,
  version: 1,
  ...fields,
})

const imported = (snapshot: unknown, options: ContextManagerOptions = {}): ContextManager => {
  const manager = new ContextManager(options)
  manager.importSnapshot(untyped(snapshot))
  return manager
}

const withIds = (...ids: string[]): ContextManager => imported(part(undefined, ids))

const idsOf = (manager: ContextManager): string[] => manager.getMessages().map(({ id }) => id)

const append = (manager: ContextManager, snapshot: unknown): void =>
  manager.importSnapshot(untyped(snapshot), { append: true })

/** Fails unless a call is refused with this code and leaves everything as it was. */
const expectRefused = (manager: ContextManager, run: () => unknown, code: string): string => {
  const [before, messages] = [stateOf(manager), manager.getMessages()]
  const error = thrownBy(run)
  expect([error.code, error.message]).toEqual([code, error.message])
  expect(stateOf(manager)).toEqual(before)
  for (const [index, message] of manager.getMessages().entries()) expect(message).toBe(messages[index])
  return error.message
}

describe('exportSnapshot with after', () => {
  it('has only later messages, and everything else completely', () => {
    const manager = managerWith(numbered(5))
    manager.setTeamTask('build')
    const snapshot = manager.exportSnapshot({ after: 'msg-3' })
    const later = manager.getMessages().slice(3)
    expect(snapshot).toStrictEqual({
      messages: later,
      after: 'msg-3',
      pinned: [],
      teamTask: 'build',
      timestamp: expect.any(Number),
      version: 1,
    })
    expect(snapshot.messages[0]).not.toBe(later[0])
    expect(manager.exportSnapshot({ after: 'msg-5' })).toMatchObject({
      messages: [],
      after: 'msg-5',
      teamTask: 'build',
    })
  })

  it.each([[undefined], [null], [{}], [{ after: undefined }], [{ after: null }]])(
    'has all messages with %j',
    (options) => {
      const snapshot = managerWith(numbered(2)).exportSnapshot(options)
      expect(Object.keys(snapshot).toSorted()).toEqual(['messages', 'teamTask', 'timestamp', 'version'])
      expect(contentsOf(snapshot.messages)).toEqual(['m1', 'm2'])
    },
  )

  it.each(['msg-0', 'msg-4', 'msg-02', 'mine', '', 'msg-9007199254740993'])('rejects an unknown id: %j', (after) => {
    const manager = managerWith(numbered(3))
    expectRefused(manager, () => manager.exportSnapshot({ after }), 'ERR_UNKNOWN_MESSAGE')
  })

  it('rejects an id that was removed: the store has to be rewritten', () => {
    const manager = managerWith(numbered(3))
    manager.removeMessage('msg-2')
    expectRefused(manager, () => manager.exportSnapshot({ after: 'msg-2' }), 'ERR_UNKNOWN_MESSAGE')
    expect(contentsOf(manager.exportSnapshot({ after: 'msg-1' }).messages)).toEqual(['m3'])
  })

  it.each<[unknown, RegExp]>([
    [5, /^options must be an object, got number/],
    ['msg-1', /^options must be an object, got string/],
    [{ after: 1 }, /^options\.after must be a string, got number/],
    [{ after: { id: 'msg-1' } }, /^options\.after must be a string, got object/],
  ])('refuses %j', (options, message) => {
    const manager = managerWith(numbered(1))
    expect(expectRefused(manager, () => manager.exportSnapshot(untyped(options)), 'ERR_INVALID_ARG_TYPE')).toMatch(
      message,
    )
  })

  it('finds any id, also after messages before it were removed', () => {
    const manager = withIds('mine', 'msg-9', '\ud800', 'msg-3', 'msg-03', 'yours')
    manager.removeMessage('msg-9')
    for (const [index, after] of ['mine', '\ud800', 'msg-3', 'msg-03', 'yours'].entries()) {
      const snapshot = manager.exportSnapshot({ after })
      expect([snapshot.after, snapshot.messages.length]).toEqual([after, 4 - index])
    }
  })
})

describe('importSnapshot with append', () => {
  const MESSAGES = [
    spoken('the question [NEXT:max] 中文 \ud800', {
      routing: { resolvedAddressees: [{ identifier: 'max' }, 'sarah'] },
    }),
    byAi('max', 'first reply', { parentMessageId: 'msg-1', intent: 'review' }),
    untyped<NewConversationMessage>({
      ...byAi('sarah', 'second reply', { parentMessageId: 'msg-1' }),
      extra: { deep: [1, null] },
    }),
    spoken('no date', { timestamp: undefined }),
  ]

  it.each([
    ['as it is', (snapshot: ContextSnapshot) => snapshot],
    ['through JSON', throughJson],
  ])('creates the same conversation, %s', (_, carry) => {
    const [original, copy] = [new ContextManager(), new ContextManager()]
    for (const [index, message] of MESSAGES.entries()) {
      const after = original.getLatestMessage()?.id
      original.addMessage(message)
      original.setTeamTask(`step ${index}`)
      append(copy, carry(original.exportSnapshot({ after })))
      expect(stateOf(copy)).toEqual(stateOf(original))
    }
    expect(copy.addMessage(spoken('x')).id).toBe('msg-5')
  })

  it('into an empty conversation is the same as importing', () => {
    const [original, copy] = [managerWith(MESSAGES), new ContextManager()]
    append(copy, original.exportSnapshot())
    expect(stateOf(copy)).toEqual(stateOf(original))
  })

  it.each<[string, string[], string | undefined, string[], string]>([
    ['the next number, without after', ['msg-1'], undefined, ['msg-2', 'msg-3'], 'msg-4'],
    ['numbers with a gap between, after the last', ['msg-1'], 'msg-1', ['msg-4', 'msg-9'], 'msg-10'],
    ['nothing', ['msg-1'], 'msg-1', [], 'msg-2'],
    ['nothing, without after', ['msg-1'], undefined, [], 'msg-2'],
    ['ids of others', ['mine'], 'mine', ['yours', 'msg-1', 'msg-01'], 'msg-2'],
    ['after the last one, which has not the highest number', ['msg-9', 'msg-3'], 'msg-3', ['msg-10'], 'msg-11'],
  ])('takes %s', (_, here, after, added, next) => {
    const manager = withIds(...here)
    append(manager, part(after, added))
    expect(idsOf(manager)).toEqual([...here, ...added])
    for (const id of added) {
      expect(
        manager.getContextForRoute('a', 'codex', { parentMessageId: id, targetMemberId: 'b' }).currentMessage,
      ).toBe(`content of ${id}`)
    }
    expect(manager.addMessage(spoken('x')).id).toBe(next)
  })

  it('keeps known speakers, and what was assembled before', () => {
    const manager = managerWith([byAi('max', 'a'), spoken('b')], { contextWindowSize: 10 })
    const { prompt } = manager.assembleForAgent('max', 'codex', { recipient: 'sarah' }, { report: true })
    append(manager, part('msg-2', ['msg-3']))
    manager.addMessage(byAi('max', 'c'))
    expect(manager.assembleForAgent('max', 'codex', { recipient: 'sarah' }).prompt).toBe(
      '[CONTEXT]\n- Max -> all: a\n- Kailai -> all: b\n- Kailai -> all: content of msg-3\n\n[MESSAGE]\nc',
    )
    const { report } = manager.assembleForAgent('max', 'codex', { recipient: 'sarah' }, { report: true })
    expect(report.stablePrefixBytes).toBe(prompt.indexOf('\n[MESSAGE]'))
  })

  it('copies messages, and does not change the snapshot', () => {
    const manager = managerWith(numbered(1))
    const snapshot = throughJson(part('msg-1', ['msg-2']))
    const copy = structuredClone(snapshot)
    append(manager, snapshot)
    expect(snapshot).toEqual(copy)
    untyped<{ content: string }>(snapshot.messages[0]).content = 'changed'
    expect(contentsOf(manager.getMessages())).toEqual(['m1', 'content of msg-2'])
  })

  it('calls onTeamTaskChanged only if the task differs, and never onMessageAdded', () => {
    const [onTeamTaskChanged, onMessageAdded] = [vi.fn(), vi.fn()]
    const manager = new ContextManager({ onTeamTaskChanged, onMessageAdded })
    for (const [index, teamTask] of [null, 'a', 'a', 'b', null, null].entries()) {
      append(manager, part(index === 0 ? undefined : `msg-${index}`, [`msg-${index + 1}`], { teamTask }))
      expect(manager.getTeamTask()).toBe(teamTask)
    }
    expect(onTeamTaskChanged.mock.calls).toEqual([['a'], ['b'], [null]])
    expect(onMessageAdded).not.toHaveBeenCalled()
  })

  it('applies the task limit, with its warning', () => {
    const { logger, warnings } = keepingLogger()
    const onTeamTaskChanged = vi.fn()
    const manager = new ContextManager({ logger, onTeamTaskChanged })
    for (const after of [undefined, 'msg-1'])
      append(manager, part(after, [after ? 'msg-2' : 'msg-1'], { teamTask: '中'.repeat(2000) }))
    expect(warnings).toHaveLength(2)
    expect(onTeamTaskChanged.mock.calls).toEqual([['中'.repeat(1706)]])
  })

  it('rethrows the error of a hook, with the messages added', () => {
    const manager = new ContextManager({
      onTeamTaskChanged: () => {
        throw new Error('own')
      },
    })
    expect(() => append(manager, part(undefined, ['msg-1', 'msg-2'], { teamTask: 'a' }))).toThrow('own')
    expect([idsOf(manager), manager.getTeamTask()]).toEqual([['msg-1', 'msg-2'], 'a'])
    expect(manager.addMessage(spoken('x')).id).toBe('msg-3')
  })

  it.each<[unknown, RegExp]>([
    [5, /^options must be an object, got number/],
    [{ append: 'yes' }, /^options\.append must be a boolean, got string/],
    [{ append: 1 }, /^options\.append must be a boolean, got number/],
  ])('refuses %j', (options, message) => {
    const manager = managerWith(numbered(1))
    expect(
      expectRefused(
        manager,
        () => manager.importSnapshot(part(undefined, ['a']), untyped(options)),
        'ERR_INVALID_ARG_TYPE',
      ),
    ).toMatch(message)
  })

  it.each([[undefined], [null], [{}], [{ append: null }], [{ append: false }]])(
    'replaces the conversation with %j',
    (options) => {
      const manager = managerWith(numbered(3))
      manager.importSnapshot(part(undefined, ['a']), options)
      expect(idsOf(manager)).toEqual(['a'])
    },
  )
})

describe('a part that does not fit changes nothing', () => {
  const HERE = ['msg-1', 'msg-2', 'mine', 'msg-4']

  it.each<[string, unknown]>([
    ['a gap', part('msg-5', ['msg-6'])],
    ['a part after an earlier message', part('msg-2', ['msg-5'])],
    ['a part after an id of another conversation', part('other', ['msg-5'])],
    ['a part after an empty id', part('', ['msg-5'])],
    ['no after, and not the next number', part(undefined, ['msg-6'])],
    ['no after, and an id of others', part(undefined, ['yours'])],
    ['no after, and the whole conversation again', part(undefined, HERE)],
    ['the last message again', part('msg-4', ['msg-4'])],
    ['an earlier message again', part('msg-4', ['msg-5', 'msg-1'])],
    ['a foreign id again', part('msg-4', ['msg-5', 'mine'])],
    ['a number that came before', part('msg-4', ['msg-3'])],
    ['numbers in another order', part('msg-4', ['msg-6', 'msg-5'])],
    ['one id twice', part('msg-4', ['x', 'x'])],
    ['a number beyond 2^53', part('msg-4', ['msg-9007199254740992'])],
    ['after that is no string', part(undefined, ['msg-5'], { after: 4 })],
    ['after that is an object', part(undefined, ['msg-5'], { after: {} })],
    ...[0, -1, 1.5, NaN, Infinity, '9', 2 ** 53, {}, 4n].map((lastNumber): [string, unknown] => [
      `lastNumber ${typeof lastNumber} ${String(lastNumber)}`,
      part('msg-4', [], { lastNumber }),
    ]),
    ['numbering that has not come so far', part('msg-4', ['msg-5'], { lastNumber: 4 })],
    ['numbering that has come further here', part('msg-4', [], { lastNumber: 3 })],
    [
      'a bad message at the end',
      part('msg-4', ['msg-5'], { messages: [{ ...spoken('x'), id: 'msg-5' }, { id: 'msg-6' }] }),
    ],
    ['holes', part('msg-4', [], { messages: Array(5) })],
    ['a task that is no string', part('msg-4', ['msg-5'], { teamTask: 5 })],
    ['another version', part('msg-4', ['msg-5'], { version: 3 })],
    ['no snapshot', undefined],
  ])('%s', (_, snapshot) => {
    const onTeamTaskChanged = vi.fn()
    const manager = imported(part(undefined, HERE), { onTeamTaskChanged })
    onTeamTaskChanged.mockClear()
    expect(expectRefused(manager, () => append(manager, snapshot), 'ERR_INVALID_SNAPSHOT')).toMatch(
      /^Invalid snapshot format: /,
    )
    expect(onTeamTaskChanged).not.toHaveBeenCalled()
    expect(manager.addMessage(spoken('x')).id).toBe('msg-5')
  })

  it('to an empty conversation: the part is not its beginning', () => {
    const manager = new ContextManager()
    const message = expectRefused(manager, () => append(manager, part('msg-1', ['msg-2'])), 'ERR_INVALID_SNAPSHOT')
    expect(message).toContain('there is no message here')
    expect(manager.addMessage(spoken('x')).id).toBe('msg-1')
  })

  it('and cannot be imported as a whole: the error says what to do', () => {
    const manager = managerWith(numbered(2))
    const message = expectRefused(
      manager,
      () => manager.importSnapshot(manager.exportSnapshot({ after: 'msg-1' })),
      'ERR_INVALID_SNAPSHOT',
    )
    expect(message).toContain('append')
    manager.importSnapshot(untyped({ ...part(undefined, ['a']), after: null }))
    expect(idsOf(manager)).toEqual(['a'])
  })

  it('of a conversation that has diverged: an id is not used for two messages', () => {
    const [one, other] = [managerWith(numbered(2)), managerWith(numbered(2))]
    one.addMessage(spoken('mine'))
    other.addMessage(spoken('yours'))
    other.removeMessage('msg-3')
    expectRefused(other, () => append(other, one.exportSnapshot({ after: 'msg-2' })), 'ERR_INVALID_SNAPSHOT')
  })
})

describe('code of the caller that runs during the call', () => {
  const sneaky = (does: () => void) => {
    let isDone = false
    return {
      ...spoken('x'),
      id: 'msg-3',
      get content() {
        if (!isDone) {
          isDone = true
          does()
        }
        return 'read'
      },
    }
  }

  it('adds a message: the new message stays, and the part does not fit any more', () => {
    const manager = managerWith(numbered(2))
    const snapshot = { ...part('msg-2', []), messages: [sneaky(() => void manager.addMessage(spoken('sneaked in')))] }
    expect(thrownBy(() => append(manager, snapshot)).code).toBe('ERR_INVALID_SNAPSHOT')
    expect(contentsOf(manager.getMessages())).toEqual(['m1', 'm2', 'sneaked in'])
  })

  it('appends the same part: it is there once', () => {
    const manager = managerWith(numbered(2))
    const snapshot: ContextSnapshot = { ...part('msg-2', []), messages: [] }
    snapshot.messages.push(sneaky(() => append(manager, snapshot)))
    expect(thrownBy(() => append(manager, snapshot)).code).toBe('ERR_INVALID_SNAPSHOT')
    expect(contentsOf(manager.getMessages())).toEqual(['m1', 'm2', 'read'])
  })

  it('clears the conversation', () => {
    const manager = managerWith(numbered(2))
    expect(
      thrownBy(() => append(manager, { ...part('msg-2', []), messages: [sneaky(() => manager.clear())] })).code,
    ).toBe('ERR_INVALID_SNAPSHOT')
    expect(manager.getMessages()).toEqual([])
  })

  it('belongs to an object of a class, which is read last', () => {
    class Addressee {
      get name(): string {
        return manager.addMessage(spoken('sneaked in')).id
      }
    }
    const manager: ContextManager = managerWith(numbered(8))
    const message = { ...spoken('x'), id: 'msg-9', routing: { resolvedAddressees: [new Addressee()] } }
    expect(thrownBy(() => append(manager, { ...part('msg-8', []), messages: [message] })).code).toBe(
      'ERR_INVALID_SNAPSHOT',
    )
    expect(contentsOf(manager.getMessages()).slice(7)).toEqual(['m8', 'sneaked in'])
    expect(manager.getContextForAgent('a', 'codex').currentMessage).toBe('sneaked in')
  })

  it('throws: the error is rethrown, from the snapshot and from the options', () => {
    const manager = managerWith(numbered(2))
    const own = new Error('own')
    const before = stateOf(manager)
    const throwing = {
      get append(): boolean {
        throw own
      },
      get after(): string {
        throw own
      },
    }
    expect(
      thrownBy(() =>
        append(manager, {
          ...part('msg-2', []),
          messages: [
            sneaky(() => {
              throw own
            }),
          ],
        }),
      ),
    ).toBe(own)
    expect(thrownBy(() => manager.importSnapshot(part(undefined, []), throwing))).toBe(own)
    expect(thrownBy(() => manager.exportSnapshot(throwing))).toBe(own)
    expect(stateOf(manager)).toEqual(before)
  })

  it('is a setter on Object.prototype: it is not called, and both sides have the same messages', () => {
    const manager = managerWith(numbered(2))
    const snapshot = part(
      'msg-2',
      Array.from({ length: 40 }, (_, index) => `msg-${index + 3}`),
    )
    let calls = 0
    for (let index = 0; index < 80; index++)
      pollute(`${index}`, {
        get: () => undefined,
        set: () => {
          calls += 1
        },
      })
    append(manager, snapshot)
    unpollute()
    expect([calls, idsOf(manager).length]).toEqual([0, 42])
    expect(manager.getContextForAgent('a', 'codex').currentMessage).toBe('content of msg-42')
  })

  it('is data on Object.prototype: a snapshot has only own properties', () => {
    pollute('after', { value: 'msg-1' })
    pollute('lastNumber', { value: 50 })
    const manager = withIds('msg-1', 'msg-2')
    append(manager, part('msg-2', ['msg-3']))
    unpollute()
    expect(manager.addMessage(spoken('x')).id).toBe('msg-4')
  })
})

describe('numbering', () => {
  const emptied = (manager: ContextManager, ...ids: string[]): ContextManager => {
    for (const id of ids) manager.removeMessage(id)
    return manager
  }

  it('is in a snapshot only where the messages do not imply it', () => {
    expect(emptied(managerWith(numbered(3)), 'msg-3').exportSnapshot()).toMatchObject({ lastNumber: 3 })
    expect(emptied(managerWith(numbered(3)), 'msg-3', 'msg-1', 'msg-2').exportSnapshot()).toMatchObject({
      messages: [],
      lastNumber: 3,
    })
    for (const manager of [
      new ContextManager(),
      managerWith(numbered(3)),
      emptied(managerWith(numbered(3)), 'msg-2'),
      withIds('a'),
      withIds('msg-7', 'msg-3'),
      emptied(withIds('msg-7', 'a'), 'a'),
    ])
      expect(manager.exportSnapshot()).not.toHaveProperty('lastNumber')
    const again = emptied(managerWith(numbered(3)), 'msg-3')
    again.addMessage(spoken('x'))
    expect(again.exportSnapshot()).not.toHaveProperty('lastNumber')
    again.clear()
    expect(again.exportSnapshot()).not.toHaveProperty('lastNumber')
  })

  it('continues in a restored conversation: the id of a removed message is not reused', () => {
    const restored = imported(throughJson(emptied(managerWith(numbered(3)), 'msg-3').exportSnapshot()))
    expect(restored.exportSnapshot()).toMatchObject({ lastNumber: 3 })
    expect(restored.addMessage(spoken('x')).id).toBe('msg-4')
    expect(
      restored.getContextForRoute('a', 'codex', { parentMessageId: 'msg-4', targetMemberId: 'b' }).currentMessage,
    ).toBe('x')
  })

  it('continues in an appended one', () => {
    const manager = managerWith(numbered(3))
    const copy = imported(manager.exportSnapshot())
    manager.addMessage(spoken('x'))
    manager.removeMessage('msg-4')
    append(copy, throughJson(manager.exportSnapshot({ after: 'msg-3' })))
    expect([manager, copy].map((one) => one.addMessage(spoken('y')).id)).toEqual(['msg-5', 'msg-5'])
  })

  it('may be exhausted', () => {
    const manager = imported(part(undefined, ['a'], { lastNumber: Number.MAX_SAFE_INTEGER }))
    expect(thrownBy(() => manager.addMessage(spoken('x'))).message).toMatch(/the ids end at/)
    expect(imported(part(undefined, ['a'], { lastNumber: null })).addMessage(spoken('x')).id).toBe('msg-1')
  })

  it.each<[string, Partial<ContextSnapshot>]>([
    ['less than an id', { lastNumber: 1 }],
    ['no safe integer', { lastNumber: 2 ** 53 }],
  ])('that is %s is refused', (_, fields) => {
    const manager = managerWith(numbered(1))
    expectRefused(
      manager,
      () => manager.importSnapshot({ ...part(undefined, ['msg-1', 'msg-2']), ...fields }),
      'ERR_INVALID_SNAPSHOT',
    )
  })
})

it('finds messages of foreign ids by their index, also when many are appended one by one', () => {
  const manager = withIds('id-0')
  const added: ConversationMessage[] = []
  for (let index = 1; index < 300; index++) {
    append(manager, part(`id-${index - 1}`, [`id-${index}`]))
    added.push(...manager.exportSnapshot({ after: `id-${index - 1}` }).messages)
  }
  expect(added.map(({ id }) => id)).toEqual(idsOf(manager).slice(1))
})

describe('a getter in a snapshot that is appended', () => {
  const acts: Record<string, (manager: ContextManager) => unknown> = {
    'pins a message': (manager) => manager.pin('msg-1'),
    'unpins a message': (manager) => manager.unpin('msg-1'),
    'removes the last message': (manager) => manager.removeMessage(manager.getLatestMessage()?.id ?? ''),
    'adds a message': (manager) => manager.addMessage({ speaker: { id: 'x' }, content: 'z', pinned: true }),
    'clears the conversation': (manager) => manager.clear(),
  }
  it.each(Object.entries(acts))('and %s keeps getters, prompts and snapshots consistent', (_, act) => {
    for (const before of [0, 1, 2]) {
      for (const pinned of [undefined, [], ['msg-1'], ['msg-2']]) {
        const messages = Array.from({ length: 4 }, (__, index) => ({
          speaker: { id: 'x' },
          content: `c${index}`,
          pinned: index === 0 || index === 3,
        }))
        const [source, manager] = [new ContextManager(), new ContextManager()]
        for (const message of messages) source.addMessage(message)
        for (const message of messages.slice(0, before)) manager.addMessage(message)
        const { pinned: _pins, ...snapshot } = source.exportSnapshot({
          after: before > 0 ? `msg-${before}` : undefined,
        })
        Object.defineProperty(snapshot.messages[1], 'content', {
          enumerable: true,
          get() {
            if (manager.getMessages().length > 0) act(manager)
            return 'read'
          },
        })
        try {
          manager.importSnapshot({ ...snapshot, ...(pinned && { pinned }) }, { append: true })
        } catch (error) {
          expect(error).toMatchObject({ code: 'ERR_INVALID_SNAPSHOT' })
        }
        const all = manager.getMessages()
        const said = all.filter((message) => message.pinned === true).map(({ id }) => id)
        const context = manager.getContextForAgent('a', 'codex', { windowSizeOverride: 9 })
        expect(context.contextMessages).toHaveLength(Math.max(0, all.length - 1))
        expect(manager.exportSnapshot().messages).toEqual(all)
        if (all[0]) expect(manager.exportSnapshot({ after: all[0].id }).pinned).toEqual(said)
      }
    }
  })
})
