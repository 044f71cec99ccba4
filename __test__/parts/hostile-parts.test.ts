/** Tool calls and results that are made to break whoever reads them, or to show somebody what is not for them. */
import {
  buildPrompt,
  CodexContextAssembler,
  ContextManager,
  isPromptmasonError,
  type MessagePart,
  type ModelApi,
  memoryStore,
  openConversation,
  type PromptContextMessage,
} from 'promptmason'
import { describe, expect, it } from 'vitest'

const APIS: ModelApi[] = ['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk']
const BUDGET = { maxBytes: 100_000_000, maxTokens: 100_000_000, tokenizer: { bytesPerToken: 4 } }

const call = (input: unknown, id = 'a'): MessagePart => ({ type: 'tool-call', id, name: 'f', input })
const result = (output: unknown, id = 'a'): MessagePart => ({ type: 'tool-result', id, output })

/** Every way in which parts come in: each makes a prompt or a request of them. */
const WAYS: Record<string, (messages: PromptContextMessage[]) => unknown> = {
  buildPrompt: (contextMessages) =>
    buildPrompt({ agentType: 'codex', contextMessages, message: 'go', ...BUDGET }, { report: true }),
  assemble: (contextMessages) =>
    new CodexContextAssembler().assemble({
      contextMessages,
      currentMessage: 'go',
      teamTask: '',
      maxBytes: BUDGET.maxBytes,
    }),
  ...Object.fromEntries(
    APIS.map((as) => [
      as,
      (contextMessages: PromptContextMessage[]) =>
        buildPrompt({ agentType: 'codex', contextMessages, message: 'go', recipient: 'max', ...BUDGET }, { as }),
    ]),
  ),
  ContextManager: (messages) => {
    const manager = managerOf(messages)
    const before = manager.assembleForAgent('max', 'codex')
    const copy = new ContextManager(BUDGET)
    copy.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    expect(copy.assembleForAgent('max', 'codex')).toEqual(before)
    manager.removeMessage('msg-1')
    return [before, APIS.map((as) => manager.assembleForAgent('max', 'codex', null, { as }))]
  },
}

const managerOf = (messages: PromptContextMessage[]) => {
  const manager = new ContextManager(BUDGET)
  for (const { from, to, content, parts } of messages) {
    const addressees = to === undefined || to === null ? [] : [to].flat()
    manager.addMessage({
      speaker: { id: from, type: 'ai' },
      ...(parts === undefined || parts === null ? { content } : { parts }),
      routing: { addressees },
    } as never)
  }
  return manager
}

const conversationWith = (input: unknown, output: unknown): PromptContextMessage[] => [
  { from: 'ann', content: 'Read it.' },
  { from: 'max', content: '', parts: [call(input)] },
  { from: 'max', content: '', parts: [result(output)] },
  { from: 'ann', content: 'Thanks.' },
]

const nested = (levels: number, wrap: (value: unknown) => unknown): unknown => {
  let value: unknown = 'leaf'
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}
const cyclic: any = {}
cyclic.self = cyclic
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const mine = new Error('mine')
const throwMine = () => {
  throw mine
}
class Itself {
  toJSON(): this {
    return this
  }
}

const REFUSED: [string, () => unknown, RegExp][] = [
  ['nested 1,001 levels deep', () => nested(1001, (value) => ({ value })), /nested at most 1000 levels deep/],
  ['nested 10,000 levels deep', () => nested(10_000, (value) => [value]), /nested (at most 1000 levels|too) deep/],
  ['nested a million levels deep', () => nested(1e6, (value) => ({ value })), /nested (at most 1000 levels|too) deep/],
  ['with a toJSON that nests', () => ({ toJSON: () => nested(2000, (value) => [value]) }), /nested at most/],
  ['cyclic', () => cyclic, /circular/],
  ['with a BigInt', () => ({ big: 1n }), /BigInt/],
  ['a BigInt', () => 1n, /BigInt/],
  ['a typed array of BigInt', () => new BigInt64Array(1), /BigInt/],
  ['a function', () => () => 1, /got function/],
  ['a symbol', () => Symbol('x'), /got symbol/],
  ['with a toJSON that returns undefined', () => ({ toJSON: () => undefined }), /got object/],
  ['a revoked proxy', revoked, /revoked/],
  ['with a revoked proxy', () => ({ inner: revoked() }), /revoked/],
]

const THROWING: [string, () => unknown][] = [
  ['a toJSON that throws', () => ({ toJSON: throwMine })],
  ['a getter that throws', () => Object.defineProperty({}, 'x', { enumerable: true, get: throwMine })],
  ['a proxy that throws', () => new Proxy({}, { ownKeys: throwMine })],
]

/** What is taken, and what it becomes as JSON. */
const TAKEN: [string, () => unknown, string][] = [
  ['nested 1,000 levels deep', () => nested(1000, (value) => [value]), `${'['.repeat(1000)}"leaf"${']'.repeat(1000)}`],
  ['many brackets in a string', () => [`\\"${'['.repeat(3000)}`], JSON.stringify([`\\"${'['.repeat(3000)}`])],
  ['with undefined, a function and a symbol', () => ({ u: undefined, f: () => 1, s: Symbol('x') }), '{}'],
  ['a Date', () => new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['a Map', () => new Map([[1, 2]]), '{}'],
  ['a typed array', () => new Uint8Array([7]), '{"0":7}'],
  ['a toJSON that returns itself', () => Object.assign(new Itself(), { a: 1 }), '{"a":1}'],
  ['lone surrogates', () => ({ '\ud800': '\udc00' }), '{"\\ud800":"\\udc00"}'],
  ['__proto__', () => JSON.parse('{"__proto__":{"polluted":1}}'), '{"__proto__":{"polluted":1}}'],
  ['null', () => null, 'null'],
  ['100,000 keys', () => Object.fromEntries(Array.from({ length: 1e5 }, (_, key) => [`k${key}`, 0])), ''],
]

describe.each(Object.entries(WAYS))('%s', (_, make) => {
  const codeOf = (messages: PromptContextMessage[]) => {
    try {
      make(messages)
    } catch (error) {
      return error
    }
    return 'no error'
  }

  it.each(REFUSED)('refuses an input or output that is %s', (_name, value, reason) => {
    for (const [field, messages] of [
      ['input', conversationWith(value(), 'x')],
      ['output', conversationWith({}, value())],
    ] as const) {
      const error: any = codeOf(messages)
      expect(isPromptmasonError(error, 'ERR_INVALID_ARG_TYPE'), String(error?.stack)).toBe(true)
      expect(error.message).toMatch(new RegExp(`parts\\[0\\]\\.${field} must be `))
      expect(error.message).toMatch(reason)
    }
  })

  it.each(THROWING)('passes on the exception of %s', (_name, value) => {
    expect(codeOf(conversationWith(value(), 'x'))).toBe(mine)
    expect(codeOf(conversationWith({}, value()))).toBe(mine)
  })

  it.each(TAKEN)('takes %s', (_name, value) => {
    for (const messages of [conversationWith(value(), 'x'), conversationWith({}, value())]) make(messages)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('takes ids that are long, have line breaks or occur again', () => {
    const ids = ['x'.repeat(100_000), 'a\nb\r\u2028c', '__proto__', 'constructor', '\ud800', ' ']
    for (const id of ids) {
      make([
        { from: 'ann', content: 'Go.' },
        {
          from: 'max',
          content: '',
          parts: [call({}, id), call({}, id), result('one', id), result('two', id), result('three', id)],
        },
        { from: 'max', content: '', parts: [result('four', id), call({}, id)] },
      ])
    }
  })

  it('takes results before their calls, and nothing but these', () => {
    make([
      { from: 'max', content: '', parts: [result('early')] },
      { from: 'max', content: '', parts: [call({})] },
    ])
    make([{ from: 'max', content: '', parts: [result('lost', 'b')] }])
  })

  it('refuses an empty id', () => {
    expect(() => make([{ from: 'max', content: '', parts: [call({}, '')] }])).toThrow(
      'parts[0].id must be a string that is not',
    )
  })
})

it.each(TAKEN.filter(([, , json]) => json !== ''))('shows an input with %s as JSON', (_name, value, json) => {
  const { prompt } = buildPrompt({
    agentType: 'codex',
    contextMessages: conversationWith(value(), 'x'),
    message: 'go',
    ...BUDGET,
  })
  expect(prompt).toContain(`→ f ${json}\n`)
})

it('reads an input that changes only once', () => {
  let reads = 0
  const changing = { toJSON: () => ({ reads: ++reads }) }
  const manager = managerOf(conversationWith(changing, 'x'))
  const { prompt } = manager.assembleForAgent('max', 'codex')
  expect(prompt).toContain('→ f {"reads":1}')
  expect(manager.getMessages()[1]?.parts).toEqual([call({ reads: 1 })])
  expect(JSON.stringify(manager.exportSnapshot())).not.toContain('"reads":2')
  expect(reads).toBe(1)
})

it('keeps the deepest input in a store', async () => {
  const store = memoryStore()
  const deep = nested(1000, (value) => [value])
  const open = () =>
    openConversation({ id: 'deep', store, members: { ann: { human: true }, max: { run: () => 'done' } } })
  const messages = [
    { id: '1', speaker: { id: 'user', type: 'human' as const }, content: 'Read it.' },
    { id: '2', speaker: { id: 'claude', type: 'ai' as const }, content: '', parts: [call(deep), result(deep)] },
  ]
  const talk = await open()
  await talk.adopt('max', { agent: 'claude', session: 's', messages })
  await talk.close()
  const again = await open()
  expect(JSON.stringify(again.messages())).toContain('['.repeat(1000))
  await again.say('ann', 'Go on.')
  expect((await again.preview('max')).prompt).toContain('['.repeat(1000))
  await again.close()
})

describe('nobody sees a call or result that is not for them', () => {
  const secretCall = (id = 'a'): MessagePart => ({ type: 'tool-call', id, name: 'SECRET_f', input: { path: 'SECRET' } })
  const open = 'This is for everybody.'
  const CASES: Record<string, PromptContextMessage[]> = {
    'a private call with a private result': [
      { from: 'ann', to: 'max', content: '', parts: [secretCall()] },
      { from: 'ann', to: 'max', content: '', parts: [result('SECRET')] },
    ],
    'both in one private message': [{ from: 'ann', to: 'max', content: '', parts: [secretCall(), result('SECRET')] }],
    'a private call whose result is public': [
      { from: 'ann', to: 'max', content: '', parts: [secretCall()] },
      { from: 'ann', content: '', parts: [result('public')] },
    ],
    'a public call whose result is private': [
      { from: 'ann', content: '', parts: [call({})] },
      { from: 'ann', to: 'max', content: '', parts: [result('SECRET')] },
    ],
    'a private call with the id of a public one': [
      { from: 'ann', content: '', parts: [call({})] },
      { from: 'ann', to: 'max', content: '', parts: [secretCall()] },
      { from: 'ann', content: '', parts: [result('public')] },
      { from: 'ann', to: 'max', content: '', parts: [result('SECRET')] },
    ],
    'a private result before its call': [
      { from: 'ann', to: 'max', content: '', parts: [result('SECRET')] },
      { from: 'ann', content: '', parts: [call({})] },
    ],
    'a private call that nobody answers': [{ from: 'ann', to: 'max', content: '', parts: [secretCall('SECRET')] }],
    'a private result of no call': [{ from: 'ann', to: 'max', content: '', parts: [result('SECRET', 'SECRET')] }],
  }
  const framed = (messages: PromptContextMessage[]) => [
    { from: 'ann', content: open },
    ...messages,
    { from: 'ann', content: open },
  ]

  it.each(Object.entries(CASES))('%s, in a stateless call', (_name, messages) => {
    for (const agentType of ['claude-code', 'codex', 'gemini', 'unknown']) {
      for (const maxBytes of [400, BUDGET.maxBytes]) {
        const input = { agentType, contextMessages: framed(messages), message: 'go', recipient: 'bob', maxBytes }
        expect(JSON.stringify(buildPrompt(input, { report: true }))).not.toContain('SECRET')
        for (const as of APIS) {
          const given = { ...input, maxBytes: BUDGET.maxBytes, maxTokens: 100_000, tokenizer: BUDGET.tokenizer }
          expect(JSON.stringify(buildPrompt(given, { as, report: true }))).not.toContain('SECRET')
        }
      }
    }
  })

  it.each(Object.entries(CASES))('%s, in a manager', (_name, messages) => {
    const manager = managerOf(framed(messages))
    const expectHidden = () => {
      const options = { recipient: 'bob' }
      for (const agentType of ['claude-code', 'codex', 'gemini']) {
        const seen = [
          manager.assembleForAgent('bob', agentType, options, { report: true }),
          manager.getContextForAgent('bob', agentType, options),
          manager.overflow('bob', agentType, { ...options, windowSizeOverride: 1 }),
          ...APIS.map((as) => manager.assembleForAgent('bob', agentType, options, { as, report: true })),
          manager.assembleForAgent('bob', agentType, { ...options, session: 'delta' }, { report: true }),
        ]
        expect(JSON.stringify(seen)).not.toContain('SECRET')
      }
    }
    expectHidden()
    // Every message is changed once, which pairs its calls and results again.
    for (const { id, parts } of manager.getMessages()) if (parts !== undefined) manager.updateMessage(id, { parts })
    expectHidden()
    manager.removeMessage('msg-1')
    expectHidden()
  })
})
