import {
  ContextManager,
  type ContextManagerOptions,
  type ConversationMessage,
  type IContextProvider,
} from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { contentsOf, DATE, keepingLogger, managerWith, numbered, spoken, stateOf } from '../support/conversation.js'
import { FAMILY } from '../support/generators.js'

describe('addMessage', () => {
  it('numbers messages from msg-1 on, and returns the full message', () => {
    const manager = new ContextManager()
    expect(manager.addMessage(spoken('a'))).toStrictEqual({ ...spoken('a'), id: 'msg-1' })
    expect(manager.addMessage(spoken('b')).id).toBe('msg-2')
    expect(manager.addMessage(spoken('c')).id).toBe('msg-3')
  })

  it('ignores a caller-supplied id', () => {
    const manager = new ContextManager()
    expect(manager.addMessage(untyped({ ...spoken('a'), id: 'mine' })).id).toBe('msg-1')
    expect(manager.getMessages().map(({ id }) => id)).toEqual(['msg-1'])
  })

  it('keeps every other field and the same objects, and does not change the given message', () => {
    const manager = new ContextManager()
    const key = Symbol('key')
    const given = Object.freeze({
      ...spoken('a', { routing: { intent: 'x' } }),
      extra: { deep: [1] },
      [key]: 1,
      nothing: undefined,
    })
    const added = untyped<typeof given & ConversationMessage>(manager.addMessage(given))
    expect(added).toStrictEqual({ ...given, id: 'msg-1' })
    expect(added.timestamp).toBe(DATE)
    expect(added.extra).toBe(given.extra)
    expect(added.speaker).toBe(given.speaker)
    expect(added.routing).toBe(given.routing)
    expect(given).not.toHaveProperty('id')
  })

  it('accepts a minimal message', () => {
    const manager = new ContextManager()
    expect(manager.addMessage({ speaker: { id: 'max' }, content: '' })).toStrictEqual({
      id: 'msg-1',
      speaker: { id: 'max' },
      content: '',
    })
    expect(manager.getContextForAgent('a', 'claude').currentMessage).toBe('')
  })

  it.each<[unknown, string]>([
    [null, 'Message cannot be null or undefined'],
    [undefined, 'Message cannot be null or undefined'],
    [{}, 'Message content must be a string'],
    ['text', 'Message content must be a string'],
    [5, 'Message content must be a string'],
    [{ speaker: { id: 'a' } }, 'Message content must be a string'],
    [{ speaker: { id: 'a' }, content: 5 }, 'Message content must be a string'],
    [{ speaker: { id: 'a' }, content: null }, 'Message content must be a string'],
    [{ speaker: { id: 'a' }, content: ['x'] }, 'Message content must be a string'],
    [{ content: 'x' }, 'Message speaker is required'],
    [{ content: 'x', speaker: null }, 'Message speaker is required'],
    [{ content: 'x', speaker: {} }, 'Message speaker.id is required'],
    [{ content: 'x', speaker: { id: '' } }, 'Message speaker.id is required'],
    [{ content: 'x', speaker: { id: 5 } }, 'Message speaker.id is required'],
    [{ content: 'x', speaker: { id: 'a', name: 5 } }, 'Message speaker.name must be a string'],
    [
      { content: 'x', speaker: { id: 'a' }, routing: { resolvedAddressees: 'max' } },
      'Message routing.resolvedAddressees must be an array',
    ],
    [
      { content: 'x', speaker: { id: 'a' }, routing: { parentMessageId: 5 } },
      'Message routing.parentMessageId must be a string',
    ],
  ])('refuses %j: %s, and stores nothing', (message, text) => {
    const onMessageAdded = vi.fn()
    const manager = managerWith([spoken('before')], { onMessageAdded })
    const before = stateOf(manager)
    const error = thrownBy(() => manager.addMessage(untyped(message)))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.code).toBe('ERR_INVALID_ARG_TYPE')
    expect(error.message.startsWith(text)).toBe(true)
    expect(stateOf(manager)).toEqual(before)
    expect(onMessageAdded).toHaveBeenCalledTimes(1)
    expect(manager.addMessage(spoken('after')).id).toBe('msg-2')
  })

  it.each<[string, unknown]>([
    ['a text', 'never'],
    ['NaN', NaN],
    ['an object', {}],
    ['an array', []],
    ['true', true],
    ['a bigint', 5n],
    ['a symbol', Symbol('x')],
    ['an invalid Date', new Date(NaN)],
    ['what only looks like a Date', Object.create(Date.prototype)],
  ])('refuses a timestamp with which its snapshot could not be imported: %s', (_, timestamp) => {
    const manager = managerWith([spoken('a')])
    const before = stateOf(manager)
    const expected = {
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message: 'Message timestamp must be a Date, or a text or number that is one',
    }
    expect(thrownBy(() => manager.addMessage(untyped({ ...spoken('x'), timestamp })))).toMatchObject(expected)
    expect(thrownBy(() => manager.updateMessage('msg-1', untyped({ timestamp })))).toMatchObject(expected)
    expect(stateOf(manager)).toEqual(before)
  })

  it.each([undefined, null, new Date(0), '2026-02-26T08:00:00.000Z', 5])(
    'keeps the timestamp %s as it is',
    (timestamp) => {
      const manager = managerWith([untyped({ ...spoken('a'), timestamp })])
      expect(manager.getLatestMessage()?.timestamp).toBe(timestamp)
      expect(() => new ContextManager().importSnapshot(manager.exportSnapshot())).not.toThrow()
    },
  )

  it('reads each field once, also one that has side effects', () => {
    const reads: string[] = []
    const counted = new Proxy<object>(spoken('x'), {
      get: (target, key, receiver) => {
        reads.push(String(key))
        return key === 'content'
          ? `read ${reads.filter((name) => name === 'content').length} times`
          : Reflect.get(target, key, receiver)
      },
    })
    const manager = new ContextManager()
    expect(manager.addMessage(untyped(counted)).content).toBe('read 1 times')
    expect(manager.getContextForAgent('a', 'claude').currentMessage).toBe('read 1 times')
    expect(reads).toEqual(['speaker', 'content', 'timestamp'])
  })

  it('rethrows the error of a getter and stores nothing; a getter may use the manager', () => {
    const manager = managerWith([spoken('a')])
    const own = new Error('own')
    expect(
      thrownBy(() =>
        manager.addMessage({
          ...spoken('x'),
          get content(): string {
            throw own
          },
        }),
      ),
    ).toBe(own)
    expect(manager.getMessages()).toHaveLength(1)
    const given = Object.defineProperty(spoken(''), 'content', {
      enumerable: true,
      get: () => manager.addMessage(spoken('inner')).id,
    })
    expect(manager.addMessage(given)).toMatchObject({ id: 'msg-3', content: 'msg-2' })
    expect(contentsOf(manager.getMessages())).toEqual(['a', 'inner', 'msg-2'])
  })
})

describe('hooks', () => {
  it('onMessageAdded gets the full message, which is already stored', () => {
    const seen: unknown[][] = []
    const manager: ContextManager = new ContextManager({
      onMessageAdded: (...given) => void seen.push([...given, manager.getLatestMessage()]),
    })
    const added = manager.addMessage(spoken('a'))
    expect(seen).toEqual([[added, added]])
    expect(seen[0]?.[0]).toBe(added)
  })

  it('the error of onMessageAdded is rethrown; the message stays, and numbering continues', () => {
    const own = new Error('own')
    const onMessageAdded = vi.fn().mockImplementationOnce(() => {
      throw own
    })
    const manager = new ContextManager({ onMessageAdded })
    expect(thrownBy(() => manager.addMessage(spoken('a')))).toBe(own)
    expect(manager.addMessage(spoken('b')).id).toBe('msg-2')
    expect(contentsOf(manager.getMessages())).toEqual(['a', 'b'])
    expect(contentsOf(manager.getContextForAgent('x', 'claude').contextMessages)).toEqual(['a'])
  })

  it('may call the manager: messages that a hook adds come after the one it was called for', () => {
    const manager: ContextManager = new ContextManager({
      onMessageAdded: ({ content }) => {
        if (content.length < 4) manager.addMessage(spoken(`${content}!`))
      },
    })
    expect(manager.addMessage(spoken('a')).id).toBe('msg-1')
    expect(manager.getMessages().map(({ id, content }) => [id, content])).toEqual([
      ['msg-1', 'a'],
      ['msg-2', 'a!'],
      ['msg-3', 'a!!'],
      ['msg-4', 'a!!!'],
    ])
  })

  it('may clear the manager while a message is being added', () => {
    const manager: ContextManager = new ContextManager({ onMessageAdded: () => manager.clear() })
    expect(manager.addMessage(spoken('a')).id).toBe('msg-1')
    expect(manager.getMessages()).toEqual([])
    expect(manager.addMessage(spoken('b')).id).toBe('msg-1')
  })

  it('the error of onTeamTaskChanged is rethrown, and the task is set', () => {
    const manager = new ContextManager({
      onTeamTaskChanged: () => {
        throw new Error('own')
      },
    })
    expect(() => manager.setTeamTask('t')).toThrow('own')
    expect(manager.getTeamTask()).toBe('t')
    manager.addMessage(spoken('a'))
    expect(() => manager.clear()).toThrow('own')
    expect([manager.getTeamTask(), manager.getMessages()]).toEqual([null, []])
  })

  it('a logger that clears the conversation does not confuse the assembly that warned', () => {
    const logger = { ...keepingLogger().logger, warn: () => manager.clear() }
    const manager: ContextManager = managerWith(numbered(4), { logger })
    const route = { parentMessageId: 'msg-2', targetMemberId: 'max' }
    expect(manager.assembleForRoute('max', 'custom', route)).toEqual({ prompt: '', systemFlag: undefined })
    expect(manager.getMessages()).toEqual([])
  })
})

describe('the conversation', () => {
  it('is empty at first', () => {
    const manager: IContextProvider = new ContextManager()
    expect([manager.getMessages(), manager.getLatestMessage(), manager.getTeamTask()]).toEqual([[], null, null])
    expect(Object.keys(manager)).toEqual([])
  })

  it('is returned in a new array each time', () => {
    const manager = managerWith(numbered(2))
    manager.getMessages().pop()
    manager.exportSnapshot().messages.pop()
    expect(contentsOf(manager.getMessages())).toEqual(['m1', 'm2'])
    expect(manager.getLatestMessage()).toBe(manager.getMessages()[1])
  })

  it('clear resets messages, task and numbering, and calls onTeamTaskChanged(null)', () => {
    const onTeamTaskChanged = vi.fn()
    const manager = managerWith(numbered(3), { onTeamTaskChanged })
    manager.setTeamTask('t')
    manager.clear()
    expect([manager.getMessages(), manager.getLatestMessage(), manager.getTeamTask()]).toEqual([[], null, null])
    expect(onTeamTaskChanged.mock.calls).toEqual([['t'], [null]])
    expect(manager.assembleForAgent('a', 'claude').prompt).toBe('')
    expect(manager.addMessage(spoken('a')).id).toBe('msg-1')
  })
})

describe('a manager', () => {
  it('can be extended', () => {
    class Loud extends ContextManager {
      override addMessage(message: Parameters<ContextManager['addMessage']>[0]) {
        return super.addMessage({ ...message, content: `${message.content}!` })
      }
    }
    const manager = new Loud({ contextWindowSize: 1 })
    expect(manager.addMessage(spoken('a')).content).toBe('a!')
    expect(manager.getContextForAgent('x', 'claude').currentMessage).toBe('a!')
  })

  it.each([undefined, null, {}, new Proxy(new ContextManager(), {})])(
    'is required by its methods: on %s they throw',
    (other) => {
      expect(thrownBy(() => Reflect.apply(ContextManager.prototype.addMessage, other, [spoken('a')]))).toBeInstanceOf(
        TypeError,
      )
      expect(thrownBy(() => Reflect.apply(ContextManager.prototype.exportSnapshot, other, []))).toBeInstanceOf(
        TypeError,
      )
    },
  )
})

describe('setTeamTask', () => {
  const KIB5 = 5 * 1024

  it('keeps a task and calls onTeamTaskChanged; null and undefined remove it', () => {
    const onTeamTaskChanged = vi.fn()
    const manager = new ContextManager({ onTeamTaskChanged })
    for (const task of ['build', '', null, 'again', undefined]) manager.setTeamTask(untyped(task))
    expect(onTeamTaskChanged.mock.calls).toEqual([['build'], [''], [null], ['again'], [null]])
    expect(manager.getTeamTask()).toBeNull()
  })

  it.each([
    ['exactly 5 KiB stays', 'x'.repeat(KIB5), KIB5],
    ['one byte more is cut', 'x'.repeat(KIB5 + 1), KIB5],
    ['between graphemes', 'x'.repeat(KIB5 - 1) + FAMILY, KIB5 - 1],
    ['between CJK characters', '中'.repeat(2000), 5118],
    ['counting a lone surrogate as 3 bytes', '\ud800'.repeat(2000), 5118],
  ])('%s', (_, task, bytes) => {
    const { logger, warnings } = keepingLogger()
    const onTeamTaskChanged = vi.fn()
    const manager = new ContextManager({ logger, onTeamTaskChanged })
    manager.setTeamTask(task)
    const kept = Buffer.from(task).subarray(0, bytes).toString()
    expect(manager.getTeamTask()).toBe(kept)
    expect(onTeamTaskChanged.mock.calls).toEqual([[kept]])
    const before = Buffer.byteLength(task)
    const warning = `[ContextManager] TeamTask exceeded 5KB limit (${before} bytes), truncated to ${bytes} bytes`
    expect(warnings).toEqual(before > bytes ? [[warning]] : [])
  })

  it('warns through console.warn without a logger', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    new ContextManager().setTeamTask('x'.repeat(6000))
    expect(warn.mock.calls).toEqual([
      ['[ContextManager] TeamTask exceeded 5KB limit (6000 bytes), truncated to 5120 bytes'],
    ])
    warn.mockRestore()
  })

  it('rethrows the error of a logger, with the task set', () => {
    const logger = {
      ...keepingLogger().logger,
      warn: () => {
        throw new Error('own')
      },
    }
    const manager = new ContextManager({ logger })
    expect(() => manager.setTeamTask('x'.repeat(6000))).toThrow('own')
    expect(manager.getTeamTask()).toBe('x'.repeat(KIB5))
  })

  it.each([5, {}, ['x'], true])('rejects %j and keeps the old one', (task) => {
    const manager = new ContextManager()
    manager.setTeamTask('old')
    expect(thrownBy(() => manager.setTeamTask(untyped(task)))).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
    })
    expect(manager.getTeamTask()).toBe('old')
  })
})

describe('options', () => {
  it.each([undefined, null, {}, { contextWindowSize: undefined, logger: null, assemblers: null }])(
    '%j is accepted',
    (options) => {
      expect(
        contentsOf(
          managerWith(numbered(9), untyped<ContextManagerOptions>(options)).getContextForAgent('a', 'b')
            .contextMessages,
        ),
      ).toHaveLength(5)
    },
  )

  const INTEGERS = [
    'contextWindowSize',
    'maxBytes',
    'defaultMaxSiblings',
    'siblingContentMaxLength',
    'parentReinsertionMaxBytes',
    'evictionStep',
  ]
  it.each(INTEGERS)('%s must be an integer of its range', (field) => {
    for (const value of [-1, 1.5, NaN, Infinity, ...(field === 'maxBytes' ? [0] : [])]) {
      const error = thrownBy(() => new ContextManager({ [field]: value }))
      expect(error).toMatchObject({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE' })
      expect(error.message).toContain(`options.${field} must be`)
    }
    expect(thrownBy(() => new ContextManager(untyped<ContextManagerOptions>({ [field]: '5' })))).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message: `options.${field} must be a number, got string`,
    })
  })

  it.each<[unknown, string]>([
    [5, 'options must be an object, got number'],
    [{ onMessageAdded: 'x' }, 'options.onMessageAdded must be a function, got string'],
    [{ onTeamTaskChanged: {} }, 'options.onTeamTaskChanged must be a function, got object'],
    [{ logger: 'x' }, 'options.logger must be an object, got string'],
    [{ defaultForceParentReinsertion: 1 }, 'options.defaultForceParentReinsertion must be a boolean, got number'],
    [{ stripMarkers: 'no' }, 'options.stripMarkers must be a boolean, got string'],
    [{ assemblers: 5 }, 'options.assemblers must be an object, got number'],
  ])('%j is refused', (options, message) => {
    expect(thrownBy(() => new ContextManager(untyped<ContextManagerOptions>(options)))).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message,
    })
  })
})
