import { ContextManager, type ContextSnapshot, type ConversationMessage } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import {
  byAi,
  contentsOf,
  DATE,
  keepingLogger,
  managerWith,
  numbered,
  spoken,
  stateOf,
} from '../support/conversation.js'
import { told } from '../support/child.js'

/** A routed conversation with everything a message may have. */
const filled = (options = {}): ContextManager => {
  const manager = managerWith(
    [
      spoken('the question [NEXT:max] 中文 \ud800', {
        routing: { resolvedAddressees: [{ identifier: 'max' }, 'sarah'] },
      }),
      byAi('max', 'first  reply\n\n\n  indented', { parentMessageId: 'msg-1', intent: 'review' }),
      untyped({ ...byAi('sarah', 'second reply', { parentMessageId: 'msg-1' }), extra: { deep: [1, null, 'x'] } }),
      spoken('no date', { timestamp: undefined }),
    ],
    options,
  )
  manager.setTeamTask('build 中文')
  return manager
}

const throughJson = (snapshot: ContextSnapshot): ContextSnapshot => JSON.parse(JSON.stringify(snapshot))

const withIds = (...ids: string[]): ContextSnapshot => ({
  messages: ids.map((id) => Object.assign(spoken(`content of ${id}`), { id })),
  teamTask: null,
  timestamp: 0,
  version: 1,
})

const imported = (snapshot: unknown, options = {}): ContextManager => {
  const manager = new ContextManager(options)
  manager.importSnapshot(untyped(snapshot))
  return manager
}

describe('exportSnapshot', () => {
  it('has messages, task, time and version, and nothing else', () => {
    const snapshot = filled().exportSnapshot()
    expect(snapshot).toStrictEqual({
      messages: filled().getMessages(),
      teamTask: 'build 中文',
      timestamp: expect.any(Number),
      version: 1,
    })
  })

  it('has the time at which it was made', () => {
    expect(
      told("Date.now = () => 1234; tell(new (require('promptmason').ContextManager)().exportSnapshot().timestamp)"),
    ).toBe(1234)
  })

  it('can be of an empty conversation', () => {
    const snapshot = new ContextManager().exportSnapshot()
    expect(snapshot).toStrictEqual({ messages: [], teamTask: null, timestamp: expect.any(Number), version: 1 })
    expect(stateOf(imported(throughJson(snapshot)))).toEqual(stateOf(new ContextManager()))
  })

  it('does not change when the conversation continues', () => {
    const manager = filled()
    const snapshot = manager.exportSnapshot()
    const copy = structuredClone(snapshot)
    manager.addMessage(spoken('more'))
    manager.setTeamTask('other')
    manager.clear()
    expect(snapshot).toEqual(copy)
  })
})

describe('importSnapshot', () => {
  it.each([
    ['as it is', (snapshot: ContextSnapshot) => snapshot],
    ['through JSON', throughJson],
    ['through structuredClone', (snapshot: ContextSnapshot) => structuredClone(snapshot)],
    [
      'through JSON twice',
      (snapshot: ContextSnapshot) => throughJson(imported(throughJson(snapshot)).exportSnapshot()),
    ],
  ])('restores everything, %s', (_, carry) => {
    const restored = imported(carry(filled().exportSnapshot()))
    expect(stateOf(restored)).toEqual(stateOf(filled()))
    expect(restored.addMessage(spoken('x')).id).toBe('msg-5')
  })

  it('converts strings from JSON to dates, and keeps Date objects', () => {
    const timestamps = (manager: ContextManager) => manager.getMessages().map(({ timestamp }) => timestamp)
    expect(timestamps(imported(throughJson(filled().exportSnapshot())))).toStrictEqual([DATE, DATE, DATE, undefined])
    expect(timestamps(imported(filled().exportSnapshot()))[0]).toEqual(DATE)
    const odd = {
      messages: [
        { ...spoken('a'), id: 'a', timestamp: DATE.getTime() },
        { ...spoken('b'), id: 'b', timestamp: null },
      ],
    }
    expect(timestamps(imported({ ...withIds(), ...odd }))).toEqual([DATE, null])
  })

  it('replaces the conversation, and does not change the snapshot', () => {
    const manager = managerWith(numbered(20))
    manager.setTeamTask('old')
    const snapshot = throughJson(filled().exportSnapshot())
    const copy = structuredClone(snapshot)
    manager.importSnapshot(snapshot)
    expect(stateOf(manager)).toEqual(stateOf(filled()))
    expect(snapshot).toEqual(copy)
    manager.addMessage(spoken('more'))
    expect(snapshot).toEqual(copy)
  })

  it.each([
    [['msg-1', 'msg-2'], 'msg-3'],
    [['msg-7', 'msg-3'], 'msg-8'],
    [['mine', 'yours'], 'msg-1'],
    [['msg-5', 'mine', 'msg-x', 'MSG-50', 'xmsg-60', 'msg-70x', 'msg--80', 'msg-'], 'msg-6'],
    [[], 'msg-1'],
  ])('continues numbering after the highest msg-N: %j, then %s', (ids, next) => {
    const manager = imported(withIds(...ids))
    expect(manager.getMessages().map(({ id }) => id)).toEqual(ids)
    expect(manager.addMessage(spoken('x')).id).toBe(next)
    expect(manager.getLatestMessage()?.id).toBe(next)
  })

  it('never reuses an id, however high the numbers are', () => {
    const manager = imported(withIds('a', 'msg-9007199254740990'))
    expect(manager.addMessage(spoken('the last one')).id).toBe('msg-9007199254740991')
    for (const message of numbered(2)) {
      const error = thrownBy(() => manager.addMessage(message))
      expect([error.code, error.message]).toEqual([
        'ERR_INVALID_ARG_TYPE',
        expect.stringMatching(/^Message cannot be added: the ids end at 9007199254740991/),
      ])
    }
    expect(contentsOf(manager.getMessages()).slice(2)).toEqual(['the last one'])
    expect(manager.getContextForAgent('a', 'codex').currentMessage).toBe('the last one')
    manager.clear()
    expect(manager.addMessage(spoken('x')).id).toBe('msg-1')
  })

  it.each(['mine', 'msg-9', 'msg-3', '会话-1', 'msg-', 'msg-03'])('finds messages under foreign ids: %j', (id) => {
    const manager = imported(withIds('first', 'msg-9', 'mine', 'msg-3', '会话-1', 'msg-', 'msg-03'))
    manager.addMessage(byAi('max', 'reply', { parentMessageId: id }))
    const { currentMessage, siblingContext } = manager.getContextForRoute('a', 'codex', {
      parentMessageId: id,
      targetMemberId: 'sarah',
    })
    expect([currentMessage, contentsOf(siblingContext)]).toEqual([`content of ${id}`, ['reply']])
  })

  it('calls onTeamTaskChanged with the task, and does not call onMessageAdded', () => {
    const onTeamTaskChanged = vi.fn()
    const onMessageAdded = vi.fn()
    const manager = imported(filled().exportSnapshot(), { onTeamTaskChanged, onMessageAdded })
    manager.importSnapshot(withIds('a'))
    expect(onTeamTaskChanged.mock.calls).toEqual([['build 中文'], [null]])
    expect(onMessageAdded).not.toHaveBeenCalled()
  })

  it('applies the task limit, with its warning', () => {
    const { logger, warnings } = keepingLogger()
    const onTeamTaskChanged = vi.fn()
    const manager = imported({ ...withIds('a'), teamTask: '中'.repeat(2000) }, { logger, onTeamTaskChanged })
    expect(manager.getTeamTask()).toBe('中'.repeat(1706))
    expect(warnings).toEqual([['[ContextManager] TeamTask exceeded 5KB limit (6000 bytes), truncated to 5118 bytes']])
    expect(onTeamTaskChanged.mock.calls).toEqual([['中'.repeat(1706)]])
  })

  it('rethrows the error of a hook, with the snapshot restored', () => {
    const manager = managerWith(numbered(1), {
      onTeamTaskChanged: () => {
        throw new Error('own')
      },
    })
    expect(() => manager.importSnapshot(filled().exportSnapshot())).toThrow('own')
    expect(stateOf(manager)).toEqual(stateOf(filled()))
  })

  it('reads each field once, also one that has side effects', () => {
    const reads: string[] = []
    const counted = <T extends object>(object: T): T =>
      new Proxy(object, {
        get: (target, key, receiver) => (reads.push(String(key)), Reflect.get(target, key, receiver)),
      })
    imported({ ...withIds(), messages: [counted({ ...spoken('x'), id: 'x', timestamp: DATE.toJSON() })] })
    expect(reads.toSorted()).toEqual(['content', 'id', 'speaker', 'timestamp'])
  })

  it('a hook may import again', () => {
    const onTeamTaskChanged = (task: string | null) => {
      if (task === 'again') manager.importSnapshot(withIds('second'))
    }
    const manager: ContextManager = new ContextManager({ onTeamTaskChanged })
    manager.importSnapshot({ ...withIds('first'), teamTask: 'again' })
    expect(contentsOf(manager.getMessages())).toEqual(['content of second'])
  })
})

describe('a bad snapshot changes nothing', () => {
  const good = withIds('a', 'b', 'c')
  const withMessage = (message: unknown) => ({ ...good, messages: [...good.messages, message] })
  const without = (field: keyof ConversationMessage) => ({ ...spoken('x'), id: 'x', [field]: undefined })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', JSON.stringify(good)],
    ['a number', 5],
    ['an empty object', {}],
    ['an array', []],
    ['no version', { ...good, version: undefined }],
    ['another version', { ...good, version: 3 }],
    ['sessions in version 1', { ...good, sessions: [] }],
    ['a version that is a string', { ...good, version: '1' }],
    ['no messages', { ...good, messages: undefined }],
    ['messages that are null', { ...good, messages: null }],
    ['messages that are no array', { ...good, messages: { length: 0 } }],
    ['a task that is no string', { ...good, teamTask: 5 }],
    ['a message that is undefined', withMessage(undefined)],
    ['a message that is null', withMessage(null)],
    ['a message that is a string', withMessage('x')],
    ['a message without an id', withMessage(without('id'))],
    ['a message with an empty id', withMessage({ ...without('id'), id: '' })],
    ['a message with an id that is a number', withMessage({ ...without('id'), id: 5 })],
    ['a message without a speaker', withMessage(without('speaker'))],
    ['a message whose speaker has no id', withMessage({ ...without('id'), id: 'x', speaker: { name: 'x' } })],
    ['a message whose speaker has an empty id', withMessage({ ...without('id'), id: 'x', speaker: { id: '' } })],
    ['a message without content', withMessage(without('content'))],
    ['a message with content that is no string', withMessage({ ...without('content'), content: 5 })],
    ['a date that is none', withMessage({ ...without('timestamp'), timestamp: 'yesterday' })],
    ['a Date that is none', withMessage({ ...without('timestamp'), timestamp: new Date(NaN) })],
    ['a date that is an object', withMessage({ ...without('timestamp'), timestamp: {} })],
    ['addressees that are no array', withMessage({ ...spoken('x'), id: 'x', routing: { resolvedAddressees: 'max' } })],
    ['two messages of one id', withIds('a', 'msg-2', 'a')],
    ['two messages of one number', withIds('msg-2', 'a', 'msg-2')],
    ...['msg-9007199254740992', 'msg-9007199254740993', 'msg-18446744073709551615', `msg-${'9'.repeat(40)}`].map(
      (id): [string, unknown] => [`an id beyond 2^53: ${id}`, withIds('a', id)],
    ),
    ['a bad message before good ones', { ...good, messages: [null, ...good.messages] }],
  ])('%s', (_, snapshot) => {
    const onTeamTaskChanged = vi.fn()
    const manager = filled({ onTeamTaskChanged })
    onTeamTaskChanged.mockClear()
    const messages = manager.getMessages()
    const before = stateOf(manager)
    const reported = manager.assembleForAgent('max', 'claude', undefined, { report: true }).prompt

    const error = thrownBy(() => manager.importSnapshot(untyped(snapshot)))
    expect(error.name).toBe('Error')
    expect(error.code).toBe('ERR_INVALID_SNAPSHOT')
    expect(error.message).toMatch(/^Invalid snapshot format/)

    expect(stateOf(manager)).toEqual(before)
    for (const [index, message] of manager.getMessages().entries()) expect(message).toBe(messages[index])
    expect(onTeamTaskChanged).not.toHaveBeenCalled()
    expect(manager.assembleForAgent('max', 'claude', undefined, { report: true }).report.stablePrefixBytes).toBe(
      Buffer.byteLength(reported),
    )
    expect(manager.addMessage(spoken('next')).id).toBe('msg-5')
  })

  it('names the message and the field', () => {
    const error = thrownBy(() => imported(withMessage({ ...without('content'), content: 5 })))
    expect(error.message).toMatch(/^Invalid snapshot format: messages\[3\].*content must be a string, got number/)
  })

  it('rethrows the error of a getter, also in the middle', () => {
    const own = new Error('own')
    const manager = filled()
    const before = stateOf(manager)
    const hostile = {
      ...spoken('x'),
      id: 'x',
      get content(): string {
        throw own
      },
    }
    expect(thrownBy(() => manager.importSnapshot(untyped(withMessage(hostile))))).toBe(own)
    expect(stateOf(manager)).toEqual(before)
  })

  it('keeps what a getter of it adds to the conversation', () => {
    const manager = filled()
    const sneaky = {
      id: 'x',
      speaker: { id: 'x' },
      get content() {
        return manager.addMessage(spoken('sneaked in')).id
      },
    }
    expect(thrownBy(() => manager.importSnapshot(untyped({ ...good, messages: [sneaky, null] }))).code).toBe(
      'ERR_INVALID_SNAPSHOT',
    )
    expect(contentsOf(manager.getMessages()).slice(3)).toEqual(['no date', 'sneaked in'])
    expect(manager.getContextForAgent('a', 'b').currentMessage).toBe('sneaked in')
  })
})

it('rethrows the error of a getter unchanged, also if it is one of this package', () => {
  const own = thrownBy(() => new ContextManager({ maxBytes: 0 }))
  const message = {
    id: 'a',
    speaker: { id: 'max' },
    get content(): string {
      throw own
    },
  }
  const snapshot = untyped<ContextSnapshot>({ version: 1, messages: [message], teamTask: null, timestamp: 0 })
  expect(thrownBy(() => new ContextManager().importSnapshot(snapshot))).toBe(own)
})
