import { runInNewContext } from 'node:vm'
import {
  ContextManager,
  type ContextSnapshot,
  type ConversationMessage,
  type NewConversationMessage,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { untyped } from '../support/assemblers.js'
import { DATE, managerWith, numbered, spoken, stateOf } from '../support/conversation.js'

interface Rich extends ConversationMessage {
  extra: any
}

const routing = () => ({ resolvedAddressees: ['max', { name: 'Sarah' }], intent: 'review', hops: [1, { deep: true }] })
const rich = (extra: unknown): NewConversationMessage =>
  untyped({
    ...spoken('x', { routing: routing(), timestamp: new Date(DATE) }),
    speaker: { id: 'max', name: 'Max' },
    extra,
  })
const richManager = (extra: unknown): ContextManager<Rich> => untyped(managerWith([rich(extra), spoken('last')]))

/** Changes everything in a snapshot that can be changed. */
const spoil = (snapshot: ContextSnapshot): void => {
  for (const message of snapshot.messages) {
    Object.assign(message.speaker, { id: 'spoiled', name: 'spoiled' })
    message.timestamp?.setTime(0)
    if (message.routing) Object.assign(message.routing, { intent: 'spoiled' })
    untyped<unknown[] | undefined>(message.routing?.resolvedAddressees)?.splice(0)
    message.content = 'spoiled'
    message.id = 'spoiled'
  }
  snapshot.messages.length = 0
}

/** The first message's `extra` after an export and import. */
const exported = (extra: unknown): any => richManager(extra).exportSnapshot().messages[0]!.extra
const imported = (extra: unknown): any => {
  const manager = new ContextManager<Rich>()
  manager.importSnapshot(untyped({ messages: [{ ...rich(extra), id: 'a' }], teamTask: null, timestamp: 0, version: 1 }))
  return manager.getMessages()[0]!.extra
}
const WAYS: [string, (extra: unknown) => any][] = [
  ['exported', exported],
  ['imported', imported],
]

describe('a snapshot shares nothing with the manager', () => {
  it('when it is exported', () => {
    const manager = managerWith([rich({ deep: [1] }), spoken('last')])
    const before = structuredClone(stateOf(manager))
    const prompts = () => ['claude', 'codex'].map((type) => manager.assembleForAgent('a', type))
    const prompted = prompts()
    spoil(manager.exportSnapshot())
    expect(stateOf(manager)).toEqual(before)
    expect(prompts()).toEqual(prompted)
  })

  it('when it is imported', () => {
    const snapshot = managerWith([rich({ deep: [1] }), spoken('last')]).exportSnapshot()
    const manager = new ContextManager()
    manager.importSnapshot(snapshot)
    const before = structuredClone(stateOf(manager))
    spoil(snapshot)
    expect(stateOf(manager)).toEqual(before)
  })

  it('but getMessages returns the messages themselves, in a new array', () => {
    const manager = managerWith(numbered(3))
    const messages = manager.getMessages()
    expect(manager.getMessages()).not.toBe(messages)
    expect(manager.getMessages().every((message, index) => message === messages[index])).toBe(true)
    messages.length = 0
    expect(manager.getMessages()).toHaveLength(3)
  })
})

describe.each(WAYS)('what is %s', (_, copied) => {
  it.each<[string, () => any, (value: any) => unknown]>([
    ['an object', () => ({ a: 1, b: { c: [2] } }), (value) => (value.b.c[0] = 'new')],
    [
      'an object without a prototype',
      () => Object.assign(Object.create(null), { a: [1] }),
      (value) => (value.a[0] = 'new'),
    ],
    ['an array', () => [1, [2, { a: 3 }]], (value) => (value[1][1].a = 'new')],
    ['a Date', () => new Date(DATE), (value) => value.setTime(0)],
    [
      'a Map',
      () =>
        new Map<unknown, unknown>([
          ['a', [1]],
          [{ key: 1 }, 2],
        ]),
      (value) => value.get('a').push(2),
    ],
    ['a Set', () => new Set([[1]]), (value) => value.add('new')],
    ['a Uint8Array', () => new Uint8Array([1, 2]), (value) => (value[0] = 9)],
    ['a Buffer', () => Buffer.from('ab'), (value) => (value[0] = 9)],
    ['a Float64Array', () => new Float64Array([1.5]), (value) => (value[0] = 9)],
    ['a BigInt64Array', () => new BigInt64Array([1n]), (value) => (value[0] = 9n)],
    ['an ArrayBuffer', () => new Uint8Array([1, 2]).buffer, (value) => (new Uint8Array(value)[0] = 9)],
    [
      'a part of a DataView',
      () => new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 1),
      (value) => value.setUint8(0, 9),
    ],
    ['an object of another realm', () => runInNewContext('({ a: [1] })'), (value) => value.a.push(2)],
    ['under a symbol', () => ({ [Symbol.for('s')]: [1] }), (value) => value[Symbol.for('s')].push(2)],
  ])('%s is a copy', (_name, make, change) => {
    const [original, untouched] = [make(), make()]
    const copy = copied(original)
    expect(copy === original).toBe(false)
    expect(copy).toEqual(untouched)
    expect(Object.prototype.toString.call(copy)).toBe(Object.prototype.toString.call(untouched))
    expect(Buffer.isBuffer(copy)).toBe(Buffer.isBuffer(untouched))
    change(copy)
    expect(original).toEqual(untouched)
  })

  it('a function, a symbol and an instance of a class is kept', () => {
    class Own {
      #private = 1
      get value() {
        return this.#private
      }
    }
    const kept = {
      function: () => 1,
      symbol: Symbol('s'),
      own: new Own(),
      shared: new SharedArrayBuffer(1),
      pattern: /x/g,
      nothing: null,
    }
    const copy = copied(kept)
    expect(copy).not.toBe(kept)
    for (const [name, value] of Object.entries(kept)) expect(copy[name]).toBe(value)
    expect(copy.own.value).toBe(1)
  })

  it('cycles and repeated parts keep their form', () => {
    const cyclic: any = { list: [], map: new Map(), set: new Set() }
    cyclic.self = cyclic
    cyclic.list.push(cyclic, cyclic.list)
    cyclic.map.set(cyclic, cyclic.map)
    cyclic.set.add(cyclic.set)
    const copy = copied(cyclic)
    expect(copy === cyclic).toBe(false)
    const same = [
      copy.self === copy,
      copy.list[0] === copy,
      copy.list[1] === copy.list,
      copy.map.get(copy) === copy.map,
      copy.set.has(copy.set),
    ]
    expect(same).toEqual([true, true, true, true, true])
  })

  it('what is nested deeper than the stack is copied', () => {
    let deep: any = {}
    const innermost = deep
    for (let depth = 0; depth < 200_000; depth++) deep = depth % 2 ? [deep] : { deep }
    let copy = copied(deep)
    for (let depth = 0; depth < 200_000; depth++) copy = Array.isArray(copy) ? copy[0] : copy.deep
    expect(copy).toEqual({})
    expect(copy).not.toBe(innermost)
  })

  it('what is shared many times is copied in linear time', () => {
    let tree: any = {}
    for (let depth = 0; depth < 1000; depth++) tree = { left: tree, right: tree }
    const copy = copied(tree)
    // Compared here: `expect` would print them.
    expect([copy.left === copy.right, copy.left === tree.left]).toEqual([true, false])
  })

  it('an array of nothing but holes takes no time', () => {
    const copy = copied(Object.assign([{ first: true }], { length: 2 ** 32 - 1 }))
    expect([copy.length, Object.keys(copy), copy[0]]).toEqual([2 ** 32 - 1, ['0'], { first: true }])
  })

  it('an array of more than a million elements is copied as any other, without its other properties', () => {
    const long = Object.assign([...Array(1_000_001).keys()], { note: 'x', '01': 'y' })
    const copy = copied(long)
    expect(copy).not.toBe(long)
    expect([copy.length, copy[0], copy.at(-1), Object.keys(copy).length]).toEqual([1_000_001, 0, 1_000_000, 1_000_001])
  })

  it('detached memory stays as it is', () => {
    const detached = new Uint8Array(8)
    structuredClone(detached.buffer, { transfer: [detached.buffer] })
    const resizable: ArrayBuffer & { resize(bytes: number): void } = Reflect.construct(ArrayBuffer, [
      64,
      { maxByteLength: 64 },
    ])
    const [outside, view] = [new Uint16Array(resizable, 32, 8), new DataView(resizable, 32, 8)]
    resizable.resize(8)
    const copy = copied({ detached, outside, view, buffer: detached.buffer })
    expect([
      copy.detached === detached,
      copy.outside === outside,
      copy.view === view,
      copy.buffer === detached.buffer,
    ]).toEqual([true, true, true, true])
  })

  it('a hole in an array stays one', () => {
    // oxlint-disable-next-line no-sparse-arrays
    const copy = copied([1, , 3])
    expect([copy.length, 1 in copy, copy[2]]).toEqual([3, false, 3])
  })
})

it('an exported snapshot is as safe for JSON as its messages', () => {
  const manager = richManager({ date: DATE, list: [undefined, 1], nothing: undefined })
  expect(JSON.stringify(manager.exportSnapshot().messages)).toBe(JSON.stringify(manager.getMessages()))
})

it('a speaker that is an instance of a class survives a snapshot', () => {
  class Member {
    #id: string
    constructor(id: string) {
      this.#id = id
    }
    get id() {
      return this.#id
    }
    get name() {
      return this.#id.toUpperCase()
    }
  }
  const manager = managerWith([spoken('x', { speaker: new Member('max') }), spoken('y')])
  const other = new ContextManager()
  other.importSnapshot(manager.exportSnapshot())
  expect(other.assembleForAgent('a', 'codex')).toEqual(manager.assembleForAgent('a', 'codex'))
})
