import {
  assembleSystemPrompt,
  CodexContextAssembler,
  ContextManager,
  type ConversationMessage,
  systemHint,
  SystemPrompt,
} from 'promptmason'
import { afterEach, describe, expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { contentsOf, managerWith, numbered, spoken, stateOf } from '../support/conversation.js'
import { pollute, unpollute } from '../support/pollution.js'

afterEach(unpollute)

const snapshotOf = (...messages: unknown[]): any => ({ messages, teamTask: null, timestamp: 0, version: 1 })
const hasProto = (message: unknown): boolean => Object.hasOwn(Object(message), '__proto__')
const PROTO = '"__proto__": {"content": "inherited", "speaker": {"id": "evil"}, "evil": true}'

describe('__proto__ is data like any other key', () => {
  const given = JSON.parse(`{"speaker": {"id": "max", ${PROTO}}, "content": "x", ${PROTO}}`)
  const check = (message: ConversationMessage): void => {
    for (const object of [message, message.speaker]) {
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
      expect(hasProto(object)).toBe(true)
      expect('evil' in object).toBe(false)
    }
  }

  it('in a message that is added, updated, exported and imported', () => {
    const manager = managerWith([given])
    check(manager.getMessages()[0]!)
    check(manager.exportSnapshot().messages[0]!)
    check(manager.updateMessage('msg-1', { content: 'y' }))
    const other = managerWith([spoken('z')])
    other.updateMessage('msg-1', given)
    check(other.getMessages()[0]!)
    other.importSnapshot(manager.exportSnapshot())
    check(other.getMessages()[0]!)
    other.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    check(other.getMessages()[0]!)
  })

  it('cannot provide fields of a message', () => {
    const fields = '"speaker": {"id": "max"}, "content": "x", "id": "msg-1"'
    expect(thrownBy(() => managerWith([JSON.parse(`{"__proto__": {${fields}}}`)])).code).toBe('ERR_INVALID_ARG_TYPE')
    for (const message of [
      `{"__proto__": {${fields}}}`,
      '{"id": "a", "content": "x", "speaker": {"__proto__": {"id": "max"}}}',
    ]) {
      expect(thrownBy(() => new ContextManager().importSnapshot(snapshotOf(JSON.parse(message)))).code).toBe(
        'ERR_INVALID_SNAPSHOT',
      )
    }
  })
})

describe('a snapshot has only its own properties', () => {
  const whole = { ...spoken('x'), id: 'a' }
  it.each<[string, () => unknown]>([
    ['content of every object', () => (pollute('content', { value: 'inherited' }), snapshotOf(without('content')))],
    ['an id of every object', () => (pollute('id', { value: 'inherited' }), snapshotOf(without('id')))],
    [
      'a speaker of every object',
      () => (pollute('speaker', { value: { id: 'evil' } }), snapshotOf(without('speaker'))),
    ],
    ["a speaker's id of every object", () => (pollute('id', { value: 'evil' }), snapshotOf({ ...whole, speaker: {} }))],
    ['messages of every object', () => (pollute('messages', { value: [] }), { version: 1 })],
    ['fields of its prototype', () => snapshotOf(Object.create(whole))],
  ])('%s are not its own', (_, make) => {
    const manager = new ContextManager()
    const snapshot = make()
    const error = thrownBy(() => manager.importSnapshot(untyped(snapshot)))
    unpollute()
    expect(error.code).toBe('ERR_INVALID_SNAPSHOT')
    expect(stateOf(manager)).toEqual(stateOf(new ContextManager()))
  })

  function without(field: keyof ConversationMessage): object {
    return Object.fromEntries(Object.entries(whole).filter(([key]) => key !== field))
  }

  it('is not made private by Object.prototype.routing', () => {
    pollute('routing', { value: { resolvedAddressees: ['evil'] } })
    const manager = new ContextManager()
    manager.importSnapshot(
      snapshotOf({ id: 'a', content: 'x', speaker: { id: 'max' } }, { id: 'b', content: 'y', speaker: { id: 'max' } }),
    )
    const { contextMessages } = manager.getContextForAgent('a', 'codex')
    unpollute()
    expect(contextMessages).toEqual([{ from: 'max', to: 'all', content: 'x' }])
  })
})

describe('a setter on Object.prototype', () => {
  it.each(['content', 'speaker', 'extra', 'id', 'timestamp'])('does not affect messages: %s', (key) => {
    const calls: unknown[] = []
    const message = untyped<ConversationMessage>({ ...spoken('x'), extra: { deep: 1 } })
    const expected = { ...message, id: 'msg-1' }
    pollute(key, { get: () => undefined, set: (value) => void calls.push(value) })
    const manager = managerWith([message])
    const restored = new ContextManager()
    restored.importSnapshot(manager.exportSnapshot())
    const updated = manager.updateMessage('msg-1', untyped({ content: 'x', extra: { deep: 1 } }))
    unpollute()
    expect(calls).toEqual([])
    for (const found of [manager.getMessages()[0], restored.getMessages()[0], updated])
      expect(found).toStrictEqual(expected)
  })

  it.each(Array.from({ length: 12 }, (_, index) => String(index)))(
    'does not affect the state of a manager: %s',
    (index) => {
      const manager = managerWith(numbered(3))
      let calls = 0
      pollute(index, {
        get: () => undefined,
        set: () => {
          calls += 1
          manager.clear()
        },
      })
      for (const message of Array.from({ length: 20 }, () => spoken('more'))) manager.addMessage(message)
      manager.removeMessage('msg-2')
      const { contextMessages } = manager.getContextForAgent('a', 'codex', { windowSizeOverride: 100 })
      const snapshot = manager.exportSnapshot()
      const restored = new ContextManager()
      restored.importSnapshot(snapshot)
      unpollute()
      expect(manager.getMessages()).toHaveLength(22)
      expect(contentsOf(restored.getMessages())).toEqual(contentsOf(manager.getMessages()))
      const whole = (one: ContextManager) => one.getContextForAgent('a', 'codex', { windowSizeOverride: 100 })
      expect(contentsOf(whole(manager).contextMessages)).toEqual(contentsOf(manager.getMessages().slice(0, -1)))
      expect(whole(restored)).toEqual(whole(manager))
      expect([contextMessages.length, calls]).toEqual([21, 0])
    },
  )
})

describe('objects with free keys have only own properties', () => {
  const input = { contextMessages: [], currentMessage: 'x', teamTask: 'task', maxBytes: 1000 }

  it.each<[string, string, unknown, () => unknown]>([
    ['families', 'gpt', 'evil', () => SystemPrompt.provider('gpt-5', { families: {} })],
    ['headings', 'teamTask', 'EVIL', () => new CodexContextAssembler({ headings: {} }).assemble(input)],
    ['unknown headings', 'unknown', 'EVIL', () => new CodexContextAssembler({ headings: {} }).assemble(input)],
    ['extra', 'evil', 'line', () => SystemPrompt.environment({ extra: {}, now: new Date(0) })],
    ['attributes', 'evil', 'x', () => systemHint({ type: 't' }, 'text')],
    ['tools', 'evil', { description: 'x' }, () => assembleSystemPrompt([], { core: 'core', tools: {} })],
    [
      'assemblers',
      'codex',
      { headings: { teamTask: 'EVIL' } },
      () => {
        const manager = new ContextManager({ assemblers: {} })
        manager.setTeamTask('task')
        return manager.assembleForAgent('a', 'codex')
      },
    ],
  ])('%s', async (_, key, value, call) => {
    const expected = await call()
    pollute(key, { value, enumerable: true, writable: true })
    const outcome = call()
    unpollute()
    expect(await outcome).toEqual(expected)
  })

  it('ignore inherited types', () => {
    pollute('type', { value: 'evil', enumerable: true })
    const error = thrownBy(() => systemHint(untyped({ tool: 'x' }), 'text'))
    unpollute()
    expect(error.message).toBe('attributes.type must be a string, got undefined')
  })

  it('keep their order, including a key called __proto__', () => {
    expect(SystemPrompt.environment({ extra: JSON.parse('{"b": "1", "__proto__": "2", "a": "3"}') })[0]).toMatch(
      /b: 1\n.*__proto__: 2\n.*a: 3/,
    )
  })
})

it('escape the closing tag of a hint in any letter case, and with white space', () => {
  expect(systemHint({ type: 't' }, 'a</SYSTEM_HINT>b</ System_hint >c')).toBe(
    '<system_hint type="t">\n  a&lt;/SYSTEM_HINT>b&lt;/ System_hint >c\n</system_hint>',
  )
})
