import vm from 'node:vm'
import type { AssemblerInput, AssemblerOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { AGENTS, CLASSES, create, history, inputOf, promptOf, said, thrownBy, untyped } from '../support/assemblers.js'

const assembleAny = (fields: Record<string, unknown>) => () => create('codex').assemble(inputOf(untyped(fields)))
const createAny = (options: unknown) => () => create('claude', untyped(options))

/** Ten good messages, the fourth replaced. */
const withFourth = (message: unknown) => ({ contextMessages: history(10).with(3, untyped(message)) })

describe('a field that is missing or of the wrong type is named by its path', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'content of message 3 of 10',
      withFourth({ from: 'a', content: 5 }),
      'contextMessages[3].content must be a string, got number',
    ],
    ['missing content', withFourth({ from: 'a' }), 'contextMessages[3].content must be a string, got undefined'],
    ['missing sender', withFourth({ content: 'x' }), 'contextMessages[3].from must be a string, got undefined'],
    ['null sender', withFourth({ from: null, content: 'x' }), 'contextMessages[3].from must be a string, got null'],
    [
      'addressee',
      withFourth({ from: 'a', to: { b: 1 }, content: 'x' }),
      'contextMessages[3].to must be a string or an array of strings, got object',
    ],
    [
      'addressee in a list',
      withFourth({ from: 'a', to: ['b', 5], content: 'x' }),
      'contextMessages[3].to[1] must be a string, got number',
    ],
    [
      'symbol',
      withFourth({ from: 'a', content: Symbol('x') }),
      'contextMessages[3].content must be a string, got symbol',
    ],
    ['bigint', withFourth({ from: 'a', content: 1n }), 'contextMessages[3].content must be a string, got bigint'],
    ['boolean', withFourth({ from: 'a', content: true }), 'contextMessages[3].content must be a string, got boolean'],
    [
      'function',
      withFourth({ from: 'a', content: () => 'x' }),
      'contextMessages[3].content must be a string, got function',
    ],
    [
      'String object',
      withFourth({ from: 'a', content: Object('x') }),
      'contextMessages[3].content must be a string, got object',
    ],
    ['null message', withFourth(null), 'contextMessages[3] must be an object, got null'],
    ['string message', withFourth('hi'), 'contextMessages[3] must be an object, got string'],
    [
      'a hole',
      // oxlint-disable-next-line no-sparse-arrays
      { contextMessages: [said('a', 'x'), , said('b', 'y')] },
      'contextMessages[1] must be an object, got undefined',
    ],
    ['no messages', { contextMessages: undefined }, 'contextMessages must be an array, got undefined'],
    ['null messages', { contextMessages: null }, 'contextMessages must be an array, got null'],
    ['array-like', { contextMessages: { length: 0 } }, 'contextMessages must be an array, got object'],
    ['string messages', { contextMessages: 'abc' }, 'contextMessages must be an array, got string'],
    ['no current message', { currentMessage: undefined }, 'currentMessage must be a string, got undefined'],
    ['null current message', { currentMessage: null }, 'currentMessage must be a string, got null'],
    ['array current message', { currentMessage: ['a'] }, 'currentMessage must be a string, got array'],
    ['team task', { teamTask: 5 }, 'teamTask must be a string, got number'],
    ['summary', { summary: ['a'] }, 'summary must be a string, got array'],
    [
      'system instruction',
      { systemInstruction: {} },
      'systemInstruction must be a string or an array of strings, got object',
    ],
    ['its element', { systemInstruction: ['a', 5] }, 'systemInstruction[1] must be a string, got number'],
    ['instruction file', { instructionFileText: ['a'] }, 'instructionFileText must be a string, got array'],
    ['string budget', { maxBytes: '100' }, 'maxBytes must be a number, got string'],
    ['no budget', { maxBytes: undefined }, 'maxBytes must be a number, got undefined'],
    ['null budget', { maxBytes: null }, 'maxBytes must be a number, got null'],
    ['bigint budget', { maxBytes: 100n }, 'maxBytes must be a number, got bigint'],
    ['parent', { parentContext: 'hi' }, 'parentContext must be an object, got string'],
    ['parent content', { parentContext: { from: 'a' } }, 'parentContext.content must be a string, got undefined'],
    ['siblings', { siblingContext: {} }, 'siblingContext must be an array, got object'],
    ['sibling', { siblingContext: [said('a', 'x'), null] }, 'siblingContext[1] must be an object, got null'],
    [
      'sibling sender',
      { siblingContext: [{ from: 1, content: 'x' }] },
      'siblingContext[0].from must be a string, got number',
    ],
    ['route', { routeMeta: 'x' }, 'routeMeta must be an object, got string'],
    ['intent', { routeMeta: { intent: 5 } }, 'routeMeta.intent must be a string, got number'],
    ['parent id', { routeMeta: { parentMessageId: 5 } }, 'routeMeta.parentMessageId must be a string, got number'],
  ])('%s', (_, fields, message) => {
    const error = thrownBy(assembleAny(fields))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE', message })
  })

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [5, 'number'],
    ['x', 'string'],
    [() => 5, 'function'],
    [Symbol('x'), 'symbol'],
  ])('input %s', (input, kind) => {
    for (const agent of AGENTS) {
      const error = thrownBy(() => create(agent).assemble(untyped(input)))
      expect(error).toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
        message: `input must be an object, got ${kind}`,
      })
    }
  })

  it.each<[unknown, string]>([
    [5, 'options must be an object, got number'],
    [{ systemPlacement: 5 }, 'options.systemPlacement must be a string, got number'],
    [{ systemPlacement: 'Flag' }, "options.systemPlacement must be 'flag', 'inline' or 'both', got 'Flag'"],
    [{ markers: 'remove' }, "options.markers must be 'verbatim', 'escape' or 'fence', got 'remove'"],
    [{ markers: true }, 'options.markers must be a string, got boolean'],
    [{ evictionStep: '16' }, 'options.evictionStep must be a number, got string'],
    [{ headings: 'x' }, 'options.headings must be an object, got string'],
    [{ headings: { message: 5 } }, 'options.headings.message must be a string, got number'],
    [{ headings: { message: 'two\nlines' } }, "options.headings.message must be a single line, got 'two\nlines'"],
    [
      { headings: { messages: 'x' } },
      "options.headings must be an object with keys of system, teamTask, summary, context, parent, siblings, message, routing, got 'messages'",
    ],
  ])('options %j', (options, message) => {
    const error = thrownBy(createAny(options))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE', message })
  })

  it.each(['codex', 'gemini', 'plain'] as const)('%s rejects any systemPlacement but inline', (agent) => {
    for (const systemPlacement of ['flag', 'both'] as const) {
      const error = thrownBy(() => create(agent, { systemPlacement }))
      expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' })
      expect(error.message).toMatch(/^options\.systemPlacement must be 'inline'/)
    }
  })

  it('options of undefined and null, and options that are undefined or null, are the defaults', () => {
    const options = { systemPlacement: undefined, headings: null, evictionStep: null, markers: undefined }
    for (const given of [undefined, null, {}, options]) {
      expect(create('claude', untyped<AssemblerOptions>(given)).assemble(inputOf()).prompt).toBe('[MESSAGE]\nhello')
    }
  })

  it('throws an error about the field for a length that is not a number', () => {
    for (const length of ['x', 2n, {}, null]) {
      const contextMessages = new Proxy([], { get: (_, key) => (key === 'length' ? length : undefined) })
      const error = thrownBy(assembleAny({ contextMessages }))
      expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' })
      expect(error.message).toContain('contextMessages')
    }
  })
})

describe('a number that is out of range', () => {
  it.each([
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [-Infinity, '-Infinity'],
    [-1, '-1'],
    [1.5, '1.5'],
    [0, '0'],
    [2 ** 53, '9007199254740992'],
  ])('maxBytes %d', (maxBytes, printed) => {
    const error = thrownBy(assembleAny({ maxBytes }))
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: `maxBytes must be a positive safe integer, got ${printed}`,
    })
    expect(error).not.toHaveProperty('requiredBytes')
  })

  it.each([NaN, Infinity, -1, 1.5, 2 ** 53])('evictionStep %d', (evictionStep) => {
    const error = thrownBy(createAny({ evictionStep }))
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: `options.evictionStep must be a non-negative integer, got ${evictionStep}`,
    })
  })

  it.each([1e21, 1.5e-7, -0])('is printed as JavaScript prints it: %d', (maxBytes) => {
    expect(thrownBy(assembleAny({ maxBytes })).message).toBe(
      `maxBytes must be a positive safe integer, got ${maxBytes}`,
    )
  })

  it('the largest safe integer is in range', () => {
    expect(promptOf('plain', { maxBytes: Number.MAX_SAFE_INTEGER })).toBe('hello')
  })
})

describe('a budget that is exceeded', () => {
  it('reports the required size, the budget, and the size of each section', () => {
    const given = {
      systemInstruction: 's'.repeat(3000),
      teamTask: 't'.repeat(50),
      currentMessage: '中文',
      contextMessages: history(3),
      maxBytes: 100,
    }
    const sections = { system: 3009, teamTask: 62, message: 16 }
    const error = thrownBy(() => promptOf('codex', given))
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED', requiredBytes: 3009 + 2 + 62 + 2 + 16, maxBytes: 100 })
    expect(error.sections).toStrictEqual(sections)
    expect(error.message).toContain(
      'needs 3091 bytes, but maxBytes is 100: system 3009 bytes, teamTask 62 bytes, message 16 bytes',
    )
    expect(promptOf('codex', { ...given, maxBytes: 3091 })).toContain('[MESSAGE]\n中文')
  })
})

describe('exceptions of getters are rethrown unchanged', () => {
  const thrown = [new Error('mine'), 'a string', null, undefined, 5, Symbol('mine')]
  const fields = [
    'contextMessages',
    'currentMessage',
    'teamTask',
    'summary',
    'systemInstruction',
    'instructionFileText',
    'maxBytes',
    'parentContext',
    'siblingContext',
    'routeMeta',
  ]
  const throwing = (key: string, what: unknown) =>
    Object.defineProperty({ from: 'a', content: 'x' }, key, {
      enumerable: true,
      get: () => {
        throw what
      },
    })
  const caught = (run: () => unknown): unknown => {
    try {
      run()
    } catch (error) {
      return error
    }
    return 'nothing was thrown'
  }

  it.each(thrown.map((what) => [String(what), what]))('%s', (_, what) => {
    const inputs = [
      ...fields.map((field) =>
        Object.defineProperty(inputOf(), field, {
          get: () => {
            throw what
          },
        }),
      ),
      ...['from', 'to', 'content'].map((key) => inputOf({ contextMessages: [untyped(throwing(key, what))] })),
      inputOf({ parentContext: untyped(throwing('content', what)) }),
      inputOf({ siblingContext: [untyped(throwing('from', what))] }),
      inputOf({ routeMeta: untyped(throwing('intent', what)) }),
      inputOf({
        contextMessages: new Proxy(history(3), {
          get: () => {
            throw what
          },
        }),
      }),
      inputOf({
        systemInstruction: new Proxy(['x'], {
          get: () => {
            throw what
          },
        }),
      }),
      new Proxy(inputOf(), {
        get: () => {
          throw what
        },
      }),
    ]
    for (const agent of AGENTS) {
      const assembler = create(agent)
      for (const input of inputs) {
        expect(caught(() => assembler.assemble(input))).toBe(what)
        expect(caught(() => assembler.assemble(input, { into: Buffer.alloc(100) }))).toBe(what)
      }
      expect(assembler.assemble(inputOf()).prompt).toContain('hello')
      for (const key of ['systemPlacement', 'headings', 'evictionStep', 'markers']) {
        expect(caught(() => create(agent, untyped(throwing(key, what))))).toBe(what)
      }
      expect(
        caught(() =>
          create(agent, {
            headings: untyped(
              new Proxy(
                {},
                {
                  ownKeys: () => {
                    throw what
                  },
                },
              ),
            ),
          }),
        ),
      ).toBe(what)
    }
  })

  it('throws the engine’s TypeError for a revoked proxy', () => {
    const revoked = <T extends object>(target: T): T => {
      const { proxy, revoke } = Proxy.revocable(target, {})
      revoke()
      return proxy
    }
    for (const input of [
      revoked(inputOf()),
      inputOf({ contextMessages: revoked([]) }),
      inputOf({ contextMessages: [revoked(said('a', 'b'))] }),
    ]) {
      const error = thrownBy(() => create('claude').assemble(input))
      expect(error).toBeInstanceOf(TypeError)
      expect(error.message).toMatch(/revoked/)
    }
  })
})

describe('unusual but valid input', () => {
  it.each<[string, AssemblerInput]>([
    [
      'array proxies',
      inputOf({
        contextMessages: new Proxy(history(1), {}),
        systemInstruction: new Proxy(['s'], {}),
        siblingContext: new Proxy([], {}),
      }),
    ],
    [
      'proxies of messages',
      inputOf({ contextMessages: [new Proxy(said('a', 'm0', 'b'), {})], systemInstruction: 's' }),
    ],
    ['a proxy as input', new Proxy(inputOf({ contextMessages: history(1), systemInstruction: 's' }), {})],
    [
      'getters',
      {
        ...inputOf({ systemInstruction: 's' }),
        get contextMessages() {
          return history(1)
        },
      },
    ],
    ['inherited fields', Object.create(inputOf({ contextMessages: history(1), systemInstruction: 's' }))],
    [
      'no prototypes',
      Object.assign(
        Object.create(null),
        inputOf({
          contextMessages: history(1).map((m) => Object.assign(Object.create(null), m)),
          systemInstruction: 's',
        }),
      ),
    ],
    [
      'another realm',
      vm.runInNewContext(
        `({ contextMessages: [{ from: 'a', to: 'b', content: 'm0' }], currentMessage: 'hello', teamTask: null, systemInstruction: ['s'], maxBytes: 1000 })`,
      ),
    ],
    [
      'frozen, with more fields',
      Object.freeze(
        untyped<AssemblerInput>({
          ...inputOf({
            contextMessages: [untyped(Object.freeze({ ...said('a', 'm0', 'b'), timestamp: 'never', id: 5 }))],
            systemInstruction: 's',
          }),
          extra: Symbol('x'),
        }),
      ),
    ],
  ])('%s', (_, input) => {
    expect(create('claude').assemble(input)).toStrictEqual({
      prompt: '[CONTEXT]\n- a -> b: m0\n\n[MESSAGE]\nhello',
      systemFlag: 's',
    })
  })

  it('lets a getter use the same assembler', () => {
    const assembler = create('claude')
    const nested = {
      from: 'a',
      to: 'b',
      get content() {
        return assembler.assemble(inputOf({ currentMessage: 'inner' })).prompt
      },
    }
    expect(assembler.assemble(inputOf({ contextMessages: [nested] })).prompt).toBe(
      '[CONTEXT]\n- a -> b: [MESSAGE]\ninner\n\n[MESSAGE]\nhello',
    )
  })

  it('throws a RangeError for endless recursion in a getter', () => {
    const assembler = create('claude')
    const endless: AssemblerInput = {
      ...inputOf(),
      get currentMessage(): string {
        return assembler.assemble(endless).prompt
      },
    }
    expect(thrownBy(() => assembler.assemble(endless))).toBeInstanceOf(RangeError)
    expect(assembler.assemble(inputOf()).prompt).toBe('[MESSAGE]\nhello')
  })

  it('throws for a missing message if a getter empties the history', () => {
    const contextMessages = history(5)
    Object.defineProperty(contextMessages[4], 'content', {
      get: () => {
        contextMessages.length = 0
        return 'x'
      },
    })
    expect(thrownBy(assembleAny({ contextMessages }))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: 'contextMessages[3] must be an object, got undefined',
    })
  })
})

describe('calls that JavaScript forbids', () => {
  it.each(AGENTS)('%s: a method needs an assembler', (agent) => {
    const { assemble, getAgentType } = CLASSES[agent].prototype
    for (const method of [() => assemble.call(untyped({}), inputOf()), () => getAgentType.call(untyped({}))]) {
      expect(thrownBy(method)).toBeInstanceOf(TypeError)
      expect(thrownBy(method).code).toBe('ERR_INVALID_ARG_TYPE')
    }
    const other = create(agent === 'plain' ? 'codex' : 'plain')
    expect(getAgentType.call(untyped(other))).toBe(other.getAgentType())
  })

  it.each(AGENTS)('%s: the class needs new', (agent) => {
    expect(() => Reflect.apply(untyped<() => void>(CLASSES[agent]), {}, [])).toThrow(TypeError)
  })
})
