import { ContextManager, type ContextManagerOptions, GeminiContextAssembler, PlainTextAssembler } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { byAi, contentsOf, keepingLogger, managerWith, numbered, spoken } from '../support/conversation.js'

type Assemblers = ContextManagerOptions['assemblers']

describe('getContextForAgent', () => {
  it('returns the latest message, the window before it, and the task, in the documented shape', () => {
    const manager = managerWith([
      spoken('hi', { routing: { resolvedAddressees: ['max', 'sarah'] } }),
      byAi('max', 'yes'),
      spoken('go'),
    ])
    manager.setTeamTask('build')
    expect(manager.getContextForAgent('sarah', 'claude-code')).toStrictEqual({
      contextMessages: [
        { from: 'Kailai', to: 'max, sarah', content: 'hi' },
        { from: 'Max', to: 'all', content: 'yes' },
      ],
      currentMessage: 'go',
      teamTask: 'build',
      systemInstruction: undefined,
      instructionFileText: undefined,
      maxBytes: 768 * 1024,
    })
  })

  it('returns an empty context, an empty message and the team task without messages', () => {
    const manager = new ContextManager({ maxBytes: 1000 })
    manager.setTeamTask('build')
    expect(manager.getContextForAgent('sarah', 'claude-code')).toEqual({
      contextMessages: [],
      currentMessage: '',
      teamTask: 'build',
      maxBytes: 1000,
    })
    expect(manager.assembleForAgent('sarah', 'claude-code').prompt).toBe('[TEAM_TASK]\nbuild')
  })

  it.each<[string, ContextManagerOptions, number | undefined, string[]]>([
    ['5 by default', {}, undefined, ['m4', 'm5', 'm6', 'm7', 'm8']],
    ['as many as contextWindowSize says', { contextWindowSize: 2 }, undefined, ['m7', 'm8']],
    ['none with 0', { contextWindowSize: 0 }, undefined, []],
    [
      'all with more than there are',
      { contextWindowSize: 99 },
      undefined,
      ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8'],
    ],
    ['windowSizeOverride instead', { contextWindowSize: 99 }, 1, ['m8']],
    ['none with an override of 0', {}, 0, []],
    ['more with a larger override', { contextWindowSize: 0 }, 3, ['m6', 'm7', 'm8']],
  ])('the window: %s', (_, options, windowSizeOverride, expected) => {
    const { contextMessages, currentMessage } = managerWith(numbered(9), options).getContextForAgent('a', 'codex', {
      windowSizeOverride,
    })
    expect([contentsOf(contextMessages), currentMessage]).toEqual([expected, 'm9'])
  })

  it.each<[string, unknown, string]>([
    ['nobody', undefined, 'all'],
    ['an empty list', { resolvedAddressees: [] }, 'all'],
    ['null', { resolvedAddressees: null }, 'all'],
    ['names', { resolvedAddressees: ['max', 'sarah'] }, 'max, sarah'],
    [
      'objects',
      { resolvedAddressees: [{ identifier: 'a', name: 'b' }, { name: 'c', id: 'd' }, { id: 'e' }] },
      'a, c, e',
    ],
    ['addressees', { addressees: ['lee'] }, 'lee'],
    ['both, of which the resolved ones count', { addressees: ['lee'], resolvedAddressees: ['max'] }, 'max'],
    ['both, of which the resolved ones are none', { addressees: ['lee'], resolvedAddressees: [] }, 'lee'],
    ['both, of which the resolved ones are blank', { addressees: ['lee'], resolvedAddressees: [''] }, 'lee'],
    ['two empty lists', { addressees: [], resolvedAddressees: [] }, 'all'],
    ['memberId', { resolvedAddressees: [{ memberId: 'm' }, { memberId: 'n', id: 'o' }] }, 'm, o'],
    ['blank ones left out', { resolvedAddressees: ['', 'max'] }, 'max'],
  ])('to: %s', (_, routing, to) => {
    const manager = managerWith([spoken('a', { routing: untyped(routing) }), spoken('b')])
    expect(manager.getContextForAgent('a', 'b').contextMessages).toStrictEqual([{ from: 'Kailai', to, content: 'a' }])
  })

  it('uses the name as from, or the id without a name', () => {
    const manager = managerWith([
      spoken('a', { speaker: { id: 'x', name: 'X', displayName: 'Mr X' } }),
      spoken('b', { speaker: { id: 'y' } }),
      spoken('c'),
    ])
    expect(manager.getContextForAgent('a', 'b').contextMessages.map(({ from }) => from)).toEqual(['X', 'y'])
  })

  it('filters by recipient first, then takes the newest', () => {
    const to = (...names: string[]) => ({ routing: { resolvedAddressees: names } })
    const manager = managerWith([
      spoken('1 to max', to('max')),
      spoken('2 to all'),
      spoken('3 to lee', to('lee')),
      byAi('max', '4 by max', { resolvedAddressees: ['lee'] }),
      spoken('5 to lee and max', to('lee', 'MAX ')),
      spoken('6 to lee', to('lee')),
      spoken('7 to lee', to('lee')),
      spoken('now', to('lee')),
    ])
    const seen = (windowSizeOverride: number) =>
      contentsOf(manager.getContextForAgent('max', 'claude', { recipient: ' Max', windowSizeOverride }).contextMessages)
    expect(seen(2)).toEqual(['2 to all', '4 by max'])
    expect(seen(9)).toEqual(['1 to max', '2 to all', '4 by max'])
    expect(manager.getContextForAgent('max', 'claude', { recipient: 'max' }).currentMessage).toBe('5 to lee and max')
    expect(manager.getContextForAgent('max', 'claude', { recipient: 'lee' }).currentMessage).toBe('now')
  })

  it.each([['You are Max'], [['a', ' b ']], ['']])('returns systemInstruction unchanged: %j', (systemInstruction) => {
    const context = managerWith(numbered(1)).getContextForAgent('a', 'b', {
      systemInstruction,
      instructionFileText: ' file ',
    })
    expect(context.systemInstruction).toBe(systemInstruction)
    expect(context.instructionFileText).toBe(' file ')
  })

  it('leaves out a message that the latest message of an AI repeats', () => {
    const window = (...messages: Parameters<typeof managerWith>[0]) =>
      contentsOf(managerWith(messages).getContextForAgent('x', 'b').contextMessages)
    expect(window(spoken('q'), byAi('max', 'yes'), byAi('max', 'yes'))).toEqual(['q'])
    expect(window(spoken('q'), byAi('max', 'yes [NEXT:a]'), byAi('max', 'yes'))).toEqual(['q'])
    expect(window(byAi('max', 'yes'), byAi('max', 'yes'), byAi('max', 'yes'))).toEqual(['yes'])
    expect(window(spoken('q'), byAi('max', 'yes'), byAi('sarah', 'yes'))).toEqual(['q', 'yes'])
    expect(window(spoken('q'), byAi('max', 'yes'), byAi('max', 'yes!'))).toEqual(['q', 'yes'])
    expect(window(byAi('max', 'yes'), spoken('q'), byAi('max', 'yes'))).toEqual(['yes', 'q'])
    expect(window(spoken('yes'), spoken('yes'))).toEqual(['yes'])
    expect(window(byAi('max', 'yes'), spoken('yes', { speaker: { id: 'max', type: 'human' } }))).toEqual(['yes'])
  })

  it.each<[unknown[], string, string]>([
    [[5, 'claude'], 'TypeError', 'agentId must be a string, got number'],
    [['a', undefined], 'TypeError', 'agentType must be a string, got undefined'],
    [['a', 'b', 5], 'TypeError', 'options must be an object, got number'],
    [['a', 'b', { windowSizeOverride: '1' }], 'TypeError', 'options.windowSizeOverride must be a number, got string'],
    [
      ['a', 'b', { windowSizeOverride: -1 }],
      'RangeError',
      'options.windowSizeOverride must be a non-negative integer, got -1',
    ],
    [
      ['a', 'b', { windowSizeOverride: 1.5 }],
      'RangeError',
      'options.windowSizeOverride must be a non-negative integer, got 1.5',
    ],
    [
      ['a', 'b', { systemInstruction: 5 }],
      'TypeError',
      'options.systemInstruction must be a string or an array of strings, got number',
    ],
    [
      ['a', 'b', { systemInstruction: ['a', 5] }],
      'TypeError',
      'options.systemInstruction[1] must be a string, got number',
    ],
    [['a', 'b', { instructionFileText: [] }], 'TypeError', 'options.instructionFileText must be a string, got array'],
    [['a', 'b', { recipient: 5 }], 'TypeError', 'options.recipient must be a string, got number'],
  ])('refuses %j', (given, name, message) => {
    const manager = managerWith(numbered(2))
    expect(thrownBy(() => Reflect.apply(manager.getContextForAgent, manager, given))).toMatchObject({ name, message })
    const [agentId, agentType, options] = given
    for (const form of [undefined, { report: true }, { as: 'buffer' }]) {
      expect(
        thrownBy(() => Reflect.apply(manager.assembleForAgent, manager, [agentId, agentType, options, form])),
      ).toMatchObject({ name, message })
    }
  })
})

describe('options that are getters', () => {
  const counting = <T extends object>(object: T): [T, string[]] => {
    const reads: string[] = []
    const get = (target: T, key: string | symbol, receiver: unknown) => {
      reads.push(String(key))
      return Reflect.get(target, key, receiver)
    }
    return [new Proxy(object, { get }), reads]
  }
  const OPTIONS = {
    windowSizeOverride: 1,
    systemInstruction: 's',
    instructionFileText: 'f',
    recipient: 'r',
    maxSiblings: 1,
    forceParentReinsertion: true,
    showSender: true,
    session: 'delta' as const,
    maxTokens: 10_000,
    tokenizer: 'o200k' as const,
  }
  const ROUTE = { parentMessageId: 'msg-1', targetMemberId: 'a', intent: 'i' }

  it.each(['getContextForAgent', 'assembleForAgent'] as const)('are read once by %s', (method) => {
    const [options, reads] = counting(OPTIONS)
    const manager: any = managerWith(numbered(2))
    manager[method]('a', 'claude', options)
    expect(reads.toSorted()).toEqual([...new Set(reads)].toSorted())
  })

  it.each(['getContextForRoute', 'assembleForRoute'] as const)(
    'are read once by %s, of a known and of an unknown message',
    (method) => {
      for (const parentMessageId of ['msg-1', 'msg-9']) {
        const [options, reads] = counting(OPTIONS)
        const [route, routeReads] = counting({ ...ROUTE, parentMessageId })
        managerWith(numbered(2), { logger: { ...keepingLogger().logger } })[method]('a', 'claude', route, options)
        expect(reads.toSorted()).toEqual(Object.keys(OPTIONS).toSorted())
        expect(routeReads.toSorted()).toEqual(Object.keys(ROUTE).toSorted())
      }
    },
  )

  it('are read once by the constructor', () => {
    const [options, reads] = counting({
      contextWindowSize: 1,
      maxBytes: 100,
      evictionStep: 1,
      logger: undefined,
      assemblers: undefined,
    })
    expect(new ContextManager(options).getMessages()).toEqual([])
    expect(reads.toSorted()).toEqual([...new Set(reads)].toSorted())
  })
})

describe('agent types', () => {
  const input = () => managerWith(numbered(2)).getContextForAgent('a', 'b', { systemInstruction: 'Be brief' })

  it.each(['claude-code', 'Claude', 'openai-codex', 'CODEX', 'google-gemini', ' gemini '])(
    '%j is known: no warning',
    (agentType) => {
      const { logger, warnings } = keepingLogger()
      const manager = new ContextManager({ logger })
      expect(manager.assemblePrompt(agentType, input()).prompt).not.toBe(
        new PlainTextAssembler().assemble(input()).prompt,
      )
      expect(warnings).toEqual([])
    },
  )

  it('an unknown one gets plain text, with a warning through the logger', () => {
    const { logger, warnings } = keepingLogger()
    const manager = new ContextManager({ logger })
    expect(manager.assemblePrompt('My-Agent', input())).toEqual(new PlainTextAssembler().assemble(input()))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.[0]).toMatch(/^\[ContextManager\] Unknown agentType "My-Agent" .*, using PlainTextAssembler\./)
    const { assemblers } = JSON.parse(
      `${/pass ({.*})$/.exec(`${warnings[0]?.[0]}`)?.[1]}`.replace('assemblers', '"assemblers"'),
    )
    expect(assemblers).toEqual({ 'my-agent': {} })
    new ContextManager({ logger, assemblers }).assemblePrompt('My-Agent', input())
    expect(warnings).toHaveLength(1)
  })

  it('an unknown one causes one console.warn without a logger, in any form', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const manager = managerWith(numbered(2))
    const route = { parentMessageId: 'msg-1', targetMemberId: 'a' }
    manager.assemblePrompt('x', input())
    manager.assembleForAgent('a', 'x')
    manager.assembleForAgent('a', 'x', undefined, { report: true })
    manager.assembleForAgent('a', 'x', undefined, { as: 'buffer' })
    manager.assembleForAgent('a', 'x', null, { into: Buffer.alloc(999) })
    manager.assembleForRoute('a', 'x', route)
    manager.assembleForRoute('a', 'x', route, undefined, { report: true })
    manager.assembleForRoute('a', 'x', route, undefined, { as: 'buffer' })
    manager.assembleForRoute('a', 'x', route, undefined, { into: Buffer.alloc(999) })
    manager.assemblePrompt(' X', input())
    expect(warn.mock.calls.map(([text]) => text.slice(0, 39))).toEqual(['[ContextManager] Unknown agentType "x" '])
    manager.assemblePrompt('y', input())
    expect(warn).toHaveBeenCalledTimes(2)
    warn.mockRestore()
  })

  it('the logger is called as a method of its object', () => {
    class Logger {
      #seen: string[] = []
      debug(): void {}
      info(): void {}
      error(): void {}
      warn(text: string): void {
        this.#seen.push(text)
      }
      get count(): number {
        return this.#seen.length
      }
    }
    const logger = new Logger()
    new ContextManager({ logger }).assemblePrompt('x', input())
    expect(logger.count).toBe(1)
  })

  it('options apply under any name of a type; a type with options is known', () => {
    const { logger, warnings } = keepingLogger()
    const assemblers = untyped<Assemblers>({
      CLAUDE: { systemPlacement: 'inline' },
      gemini: { headings: { message: 'NOW' } },
      'my-agent': { headings: { message: '# Now' } },
    })
    const manager = managerWith([spoken('hello')], { logger, assemblers })
    const options = { systemInstruction: 'Be brief' }
    for (const agentType of ['claude-code', 'claude']) {
      expect(manager.assembleForAgent('a', agentType, options)).toEqual({
        prompt: '[SYSTEM]\nBe brief\n\n[MESSAGE]\nhello',
        systemFlag: undefined,
      })
      expect(manager.assemblePrompt(agentType, manager.getContextForAgent('a', agentType, options)).prompt).toContain(
        '[SYSTEM]',
      )
    }
    expect(manager.assembleForAgent('a', 'google-gemini').prompt).toBe('NOW\nhello')
    expect(manager.assembleForAgent('a', 'My-Agent ').prompt).toBe('# Now\nhello')
    expect(manager.assembleForAgent('a', 'codex').prompt).toBe('[MESSAGE]\nhello')
    expect(warnings).toEqual([])
  })

  it('markers: escape escapes lines of messages as an assembler does', () => {
    const manager = managerWith([spoken('a\nLast message:\nb'), spoken('go')], {
      assemblers: untyped<Assemblers>({ gemini: { markers: 'escape' } }),
    })
    const expected = new GeminiContextAssembler({ markers: 'escape' }).assemble(
      manager.getContextForAgent('a', 'gemini'),
    )
    expect(manager.assembleForAgent('a', 'gemini')).toEqual(expected)
    expect(expected.prompt).toContain('\\Last message:')
    expect(manager.assembleForAgent('a', 'gemini', undefined, { report: true }).report.findings).toMatchObject([
      { part: 'context', index: 0, line: 2, escaped: true },
    ])
  })

  it.each<[unknown, string]>([
    [{ codex: { systemPlacement: 'flag' } }, 'systemPlacement'],
    [{ claude: { evictionStep: -1 } }, 'evictionStep'],
    [{ claude: { markers: 'x' } }, 'markers'],
    [{ claude: 5 }, 'must be an object'],
  ])('wrong options for a type are refused: %j', (assemblers, text) => {
    expect(thrownBy(() => new ContextManager(untyped<ContextManagerOptions>({ assemblers }))).message).toContain(text)
  })

  it('a budget that is too small is an error that changes nothing', () => {
    const manager = managerWith(numbered(3), { maxBytes: 20 })
    const error = thrownBy(() => manager.assembleForAgent('a', 'claude', { systemInstruction: 'x'.repeat(50) }))
    expect(error).toMatchObject({ name: 'RangeError', code: 'ERR_BUDGET_EXCEEDED', maxBytes: 20 })
    expect(manager.assembleForAgent('a', 'claude').prompt).toBe('[MESSAGE]\nm3')
  })

  it('a buffer that is too small is an error with requiredBytes, and nothing is written', () => {
    const manager = managerWith(numbered(3))
    const memory = Buffer.alloc(10, 7)
    const error = thrownBy(() => manager.assembleForAgent('a', 'claude', null, { into: memory }))
    expect(error).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      requiredBytes: Buffer.byteLength(manager.assembleForAgent('a', 'claude').prompt),
    })
    expect(memory.every((byte) => byte === 7)).toBe(true)
  })
})
