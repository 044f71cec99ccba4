import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import {
  ClaudeContextAssembler,
  CodexContextAssembler,
  ContextManager,
  PlainTextAssembler,
  buildPrompt,
  type AgentContextOptions,
  type AssemblerInput,
  type NewConversationMessage,
  type PromptContextMessage,
  type PromptForm,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import {
  AGENTS,
  CLASSES,
  create,
  history,
  inputOf,
  said,
  thrownBy,
  untyped,
  type Agent,
} from '../support/assemblers.js'
import { byAi, managerWith, numbered, spoken } from '../support/conversation.js'

type Method = (this: unknown, ...given: unknown[]) => unknown
const methodsOf = (prototype: object, names: readonly string[]): [string, Method][] =>
  names.map((name) => [name, untyped<Record<string, Method>>(prototype)[name] ?? (() => undefined)])

const METHODS = ['assemble', 'getAgentType'] as const
const assemblerMethods = (agent: Agent) => methodsOf(CLASSES[agent].prototype, METHODS)
const managerMethods = methodsOf(ContextManager.prototype, [
  'addMessage',
  'assembleForAgent',
  'assembleForRoute',
  'assemblePrompt',
])

/** Arguments that all methods accept. */
const buffer = Buffer.alloc(1000)
const argumentsOf = (name: string): unknown[] => {
  if (name === 'addMessage') return [spoken('x')]
  return name === 'assembleForAgent' ? ['max', 'codex', null, { into: buffer }] : [inputOf(), { into: buffer }]
}

describe('methods', () => {
  it.each(AGENTS)('%s: keep their names, and are functions like the others', (agent) => {
    const prototype: object = Object.getPrototypeOf(CLASSES[agent].prototype)
    for (const [name, method] of assemblerMethods(agent)) expect(method.name).toBe(name)
    expect(Object.getOwnPropertyNames(CLASSES[agent].prototype)).toEqual(['constructor'])
    expect(Object.getOwnPropertyNames(prototype).toSorted()).toEqual([...METHODS, 'constructor'].toSorted())
    const { value: _, ...like } = Object.getOwnPropertyDescriptor(prototype, 'getAgentType') ?? {}
    for (const name of METHODS) expect(Object.getOwnPropertyDescriptor(prototype, name)).toMatchObject(like)
  })

  it('of a manager keep their names, and are functions like the others', () => {
    for (const [name, method] of managerMethods) expect(method.name).toBe(name)
    const { value: _, ...like } = Object.getOwnPropertyDescriptor(ContextManager.prototype, 'getMessages') ?? {}
    for (const [name] of managerMethods)
      expect(Object.getOwnPropertyDescriptor(ContextManager.prototype, name)).toMatchObject(like)
  })

  const strangers: [string, (own: object) => unknown][] = [
    ['nothing', () => undefined],
    ['null', () => null],
    ['a number', () => 5],
    ['a string', () => 'x'],
    ['a symbol', () => Symbol('x')],
    ['a plain object', () => ({})],
    ['a function', () => () => undefined],
    ['a Proxy', (own) => new Proxy(own, {})],
    ['an object with the same prototype', (own) => Object.create(Object.getPrototypeOf(own))],
    ['an heir', (own) => Object.create(own)],
    ['the prototype', (own) => Object.getPrototypeOf(own)],
    ['the class', (own) => own.constructor],
    ['a copy', (own) => Object.assign(Object.create(Object.getPrototypeOf(own)), own)],
  ]
  it.each(strangers)('called on %s, throw a TypeError', (_, make) => {
    for (const agent of AGENTS) {
      for (const [name, method] of assemblerMethods(agent)) {
        expect(thrownBy(() => method.apply(make(create(agent)), argumentsOf(name)))).toBeInstanceOf(TypeError)
      }
    }
    const manager = managerWith(numbered(2))
    for (const [name, method] of managerMethods) {
      expect(thrownBy(() => method.apply(make(manager), argumentsOf(name)))).toBeInstanceOf(TypeError)
    }
    expect(manager.getMessages()).toHaveLength(2)
  })

  it('of one class throw a TypeError on objects of the other', () => {
    const manager = managerWith(numbered(2))
    for (const agent of AGENTS) {
      const assembler = create(agent)
      for (const [name, method] of assemblerMethods(agent))
        expect(thrownBy(() => method.apply(manager, argumentsOf(name)))).toBeInstanceOf(TypeError)
      for (const [name, method] of managerMethods)
        expect(thrownBy(() => method.apply(assembler, argumentsOf(name)))).toBeInstanceOf(TypeError)
      expect(assembler.assemble(inputOf()).prompt).toContain('hello')
    }
    expect(manager.assembleForAgent('max', 'codex').prompt).toContain('m2')
  })

  it('of one assembler work on another, with the layout of the latter', () => {
    const input = inputOf({ contextMessages: history(3), systemInstruction: 's' })
    for (const mine of AGENTS) {
      const own = create(mine)
      for (const other of AGENTS) {
        const { assemble } = CLASSES[other].prototype
        expect(assemble.call(own, input)).toEqual(own.assemble(input))
      }
    }
  })

  it('throw when called without their object', () => {
    const { assemble } = create('codex')
    const { addMessage } = new ContextManager()
    expect(thrownBy(() => assemble(inputOf()))).toBeInstanceOf(TypeError)
    expect(thrownBy(() => addMessage(spoken('x')))).toBeInstanceOf(TypeError)
    expect(assemble.call(create('codex'), inputOf()).prompt).toBe('[MESSAGE]\nhello')
    expect(addMessage.bind(new ContextManager())(spoken('x')).id).toBe('msg-1')
  })

  it('work on frozen objects', () => {
    for (const agent of AGENTS) {
      const frozen = Object.freeze(create(agent))
      expect(frozen.assemble(inputOf())).toEqual(create(agent).assemble(inputOf()))
      expect(frozen.assemble(inputOf(), { as: 'buffer' })).toEqual(create(agent).assemble(inputOf(), { as: 'buffer' }))
    }
    const manager = Object.freeze(new ContextManager())
    manager.addMessage(spoken('one'))
    expect(manager.assembleForAgent('a', 'codex').prompt).toBe('[MESSAGE]\none')
  })

  it('accept frozen input, and do not change it', () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
      return value
    }
    const text = inputOf({
      contextMessages: history(5),
      systemInstruction: ['a', 'b'],
      parentContext: said('p', 'q'),
      siblingContext: history(2),
    })
    const message = byAi('max', 'hi', { resolvedAddressees: ['a', { name: 'b' }], parentMessageId: 'x', intent: 'y' })
    const [input, frozen] = [freeze(structuredClone(text)), freeze(structuredClone(message))]
    for (const agent of AGENTS) expect(create(agent).assemble(input)).toEqual(create(agent).assemble(text))
    const manager = new ContextManager()
    expect(manager.addMessage(frozen)).toEqual({ ...message, id: 'msg-1' })
    expect(manager.addMessage(frozen)).not.toBe(frozen)
    expect(frozen).toEqual(message)
    const options: AgentContextOptions = { systemInstruction: ['s'], recipient: 'max' }
    expect(manager.assembleForAgent('a', 'codex', freeze({ ...options }))).toEqual(
      manager.assembleForAgent('a', 'codex', options),
    )
  })
})

describe('subclasses', () => {
  it('of an assembler can override methods and call the original', () => {
    class Loud extends CodexContextAssembler {
      readonly first = this.assemble(inputOf()).prompt
      override assemble(input: AssemblerInput, form?: PromptForm | null): any {
        if (form) return super.assemble(input, form)
        const { prompt, systemFlag } = super.assemble({ ...input, currentMessage: input.currentMessage.toUpperCase() })
        return { prompt: `${prompt}!`, systemFlag }
      }
    }
    class Louder extends Loud {
      override assemble(input: AssemblerInput, form?: PromptForm | null): any {
        return form ? super.assemble(input, form) : { prompt: `${super.assemble(input).prompt}!` }
      }
    }
    const louder = new Louder({ headings: { message: 'M' } })
    expect([louder.assemble(inputOf()).prompt, louder.first]).toEqual(['M\nHELLO!!', 'M\nHELLO!!'])
    expect(louder.assemble(inputOf(), { as: 'buffer' }).prompt.toString()).toBe('M\nhello')
    expect(louder).toBeInstanceOf(CodexContextAssembler)
  })

  it('of a manager can override methods and call the original', () => {
    class Counting extends ContextManager {
      #count = 0
      override addMessage(message: NewConversationMessage) {
        return super.addMessage({ ...message, content: `${++this.#count} ${message.content}` })
      }
      override assembleForAgent(
        agentId: string,
        agentType: string,
        options?: AgentContextOptions,
        form?: PromptForm | null,
      ): any {
        if (form) return super.assembleForAgent(agentId, agentType, options, form)
        return { prompt: super.assembleForAgent(agentId, agentType, options).prompt.toUpperCase() }
      }
    }
    const manager = new Counting()
    manager.addMessage(spoken('one'))
    expect(manager.addMessage(spoken('two'))).toMatchObject({ id: 'msg-2', content: '2 two' })
    expect(manager.assembleForAgent('a', 'codex').prompt).toBe('[CONTEXT]\n- KAILAI -> ALL: 1 ONE\n\n[MESSAGE]\n2 TWO')
    expect(manager.assembleForAgent('a', 'codex', undefined, { as: 'buffer' }).prompt.toString()).toContain('2 two')
  })

  it('can be constructed with another newTarget, and then have its layout', () => {
    const made: unknown = Reflect.construct(ClaudeContextAssembler, [], CodexContextAssembler)
    expect(untyped<CodexContextAssembler>(made).assemble(inputOf({ systemInstruction: 's' }))).toEqual({
      prompt: '[MESSAGE]\nhello',
      systemFlag: 's',
    })
  })
})

/** Uses every form with these messages; each answers with its prompt, or throws. */
const formsWith = (agent: Agent, input: AssemblerInput): [string, () => string][] => {
  const assembler = create(agent)
  const memory = Buffer.alloc(2 ** 21)
  const { contextMessages, currentMessage: message, maxBytes } = input
  const request = { agentType: assembler.getAgentType(), contextMessages, message, maxBytes, maxContextMessages: 1000 }
  return [
    ['assemble', () => assembler.assemble(input).prompt],
    ['assemble as a buffer', () => assembler.assemble(input, { as: 'buffer' }).prompt.toString()],
    ['assemble into a buffer', () => memory.toString('utf8', 0, assembler.assemble(input, { into: memory }).bytes)],
    ['assemble with a report', () => assembler.assemble(input, { report: true }).prompt],
    ['assemblePrompt', () => new ContextManager().assemblePrompt(agent === 'plain' ? 'codex' : agent, input).prompt],
    ['buildPrompt', () => buildPrompt(request).prompt],
    ['buildPrompt as a buffer', () => buildPrompt(request, { as: 'buffer' }).prompt.toString()],
    ['buildPrompt into a buffer', () => memory.toString('utf8', 0, buildPrompt(request, { into: memory }).bytes)],
    ['buildPrompt with a report', () => buildPrompt(request, { report: true }).prompt],
    ['buildPrompt for a recipient', () => buildPrompt({ ...request, recipient: 'b' }).prompt],
  ]
}

describe('one wrong message among 300', () => {
  const cases: [string, unknown, string][] = [
    ['null', null, ' must be an object, got null'],
    ['undefined', undefined, ' must be an object, got undefined'],
    ['a number', 5, ' must be an object, got number'],
    ['a string', 'hi', ' must be an object, got string'],
    ['a function', () => 'hi', ' must be an object, got function'],
    ['no content', { from: 'a', to: 'b' }, '.content must be a string, got undefined'],
    ['content null', { from: 'a', to: 'b', content: null }, '.content must be a string, got null'],
    ['content a String', { from: 'a', to: 'b', content: Object('x') }, '.content must be a string, got object'],
    ['no sender', { to: 'b', content: 'x' }, '.from must be a string, got undefined'],
    ['sender 5', { from: 5, to: 'b', content: 'x' }, '.from must be a string, got number'],
    ['sender a String', { from: Object('a'), to: 'b', content: 'x' }, '.from must be a string, got object'],
    ['addressee 5', { from: 'a', to: 5, content: 'x' }, '.to must be a string or an array of strings, got number'],
    [
      'addressee false',
      { from: 'a', to: false, content: 'x' },
      '.to must be a string or an array of strings, got boolean',
    ],
    ['an array', [], '.from must be a string, got undefined'],
  ]
  it.each(cases)('%s: is reported by its path in every form', (_, wrong, problem) => {
    for (const text of ['plain', '中文', 'x'.repeat(1000)]) {
      for (const agent of AGENTS) {
        const good = history(300, (index) => text + index)
        const input = inputOf({ contextMessages: good.with(137, untyped(wrong)), currentMessage: text })
        for (const [form, run] of formsWith(agent, input)) {
          const error = thrownBy(run)
          expect({ form, name: error.name, code: error.code, message: error.message }).toEqual({
            form,
            name: 'TypeError',
            code: 'ERR_INVALID_ARG_TYPE',
            message: `contextMessages[137]${problem}`,
          })
        }
        expect(create(agent).assemble({ ...input, contextMessages: good }).prompt).toContain(`${text}137`)
      }
    }
  })

  it('is not read when the budget does not reach it', () => {
    const contextMessages = history(300, (index) => `中文${index}`).with(137, untyped(null))
    for (const agent of AGENTS) {
      const input = inputOf({ contextMessages, maxBytes: 1000 })
      for (const [form, run] of formsWith(agent, input))
        if (!form.includes('with a report') && form !== 'buildPrompt for a recipient') expect(run).not.toThrow()
    }
  })

  it('rethrows the exception of a getter, and later calls work', () => {
    for (const text of ['plain', '中文', 'x'.repeat(1000)]) {
      for (const agent of AGENTS) {
        for (const key of ['from', 'to', 'content']) {
          const mine = new Error('mine')
          const good = history(300, (index) => text + index)
          const bad = Object.defineProperty(said('a', 'x', 'b'), key, {
            get: () => {
              throw mine
            },
          })
          const input = inputOf({ contextMessages: good.with(137, bad), currentMessage: text })
          for (const [, run] of formsWith(agent, input)) expect(thrownBy(run)).toBe(mine)
          expect(create(agent).assemble({ ...input, contextMessages: good }).prompt).toContain(`${text}137`)
        }
      }
    }
  })
})

describe('reentrant getters', () => {
  const text = (index: number): string => (index % 2 ? `plain ${index}` : `中文 ${index}`)
  /** Messages whose getters call `act` first. */
  const acting = (messages: readonly PromptContextMessage[], act: (index: number) => void): PromptContextMessage[] =>
    messages.map(({ from, to, content }, index) => ({
      from,
      to,
      get content() {
        act(index)
        return content
      },
    }))

  it.each(AGENTS)('%s: the same assembler in any form, and both are right', (agent) => {
    const assembler = create(agent)
    const other = inputOf({
      contextMessages: history(40, (index) => `other ${text(index)}`.repeat(100)),
      currentMessage: '别的',
      systemInstruction: 'o',
    })
    const outer = inputOf({ contextMessages: history(30, text), systemInstruction: 's' })
    const [expectedOther, expected] = [assembler.assemble(other), assembler.assemble(outer)]
    let calls = 0
    const nested = {
      ...outer,
      contextMessages: acting(outer.contextMessages, () => {
        calls += 1
        expect(assembler.assemble(other)).toEqual(expectedOther)
        expect(assembler.assemble(other, { as: 'buffer' }).prompt.toString()).toBe(expectedOther.prompt)
        expect(thrownBy(() => assembler.assemble(untyped({ ...other, contextMessages: [null] }))).code).toBe(
          'ERR_INVALID_ARG_TYPE',
        )
      }),
    }
    expect(assembler.assemble(nested)).toEqual(expected)
    expect(assembler.assemble(nested, { as: 'buffer' }).prompt.toString()).toBe(expected.prompt)
    expect(calls).toBe(60)
  })

  it.each(AGENTS)('%s: into the same buffer, and both are right', (agent) => {
    const assembler = create(agent)
    const memory = Buffer.alloc(10_000)
    const other = inputOf({ contextMessages: history(9, (index) => `other ${index}`) })
    const outer = inputOf({ contextMessages: history(30, text) })
    const [expectedOther, expected] = [assembler.assemble(other).prompt, assembler.assemble(outer).prompt]
    const nested = {
      ...outer,
      contextMessages: acting(outer.contextMessages, () => {
        expect(memory.toString('utf8', 0, assembler.assemble(other, { into: memory }).bytes)).toBe(expectedOther)
      }),
    }
    expect(memory.toString('utf8', 0, assembler.assemble(nested, { into: memory }).bytes)).toBe(expected)
  })

  it('in any field of the input', () => {
    const assembler = create('codex')
    const outer = inputOf({
      contextMessages: history(3, text),
      systemInstruction: 's',
      teamTask: 't',
      summary: 'b',
      parentContext: said('p', 'q'),
      siblingContext: history(1),
      routeMeta: { intent: 'i' },
    })
    const expected = assembler.assemble(outer)
    const traps = Object.fromEntries(
      Object.entries(outer).map(([key, value]) => [
        key,
        {
          enumerable: true,
          get: () => {
            expect(assembler.assemble(outer)).toEqual(expected)
            return value
          },
        },
      ]),
    )
    const nested = untyped<AssemblerInput>(Object.defineProperties({}, traps))
    expect(assembler.assemble(nested)).toEqual(expected)
    expect(assembler.assemble(nested, { as: 'buffer' }).prompt.toString()).toBe(expected.prompt)
    const watching = new Proxy(outer, {
      get: (target, key) => {
        assembler.assemble(outer)
        return Reflect.get(target, key)
      },
    })
    expect(assembler.assemble(watching)).toEqual(expected)
  })

  it('addMessage of a manager, while an assembler reads', () => {
    const manager = new ContextManager()
    const outer = inputOf({ contextMessages: history(30, text) })
    const nested = {
      ...outer,
      contextMessages: acting(outer.contextMessages, (index) => void manager.addMessage(spoken(`added ${index}`))),
    }
    expect(create('codex').assemble(nested)).toEqual(create('codex').assemble(outer))
    expect(manager.getMessages().map(({ id, content }) => `${id} ${content}`)).toEqual(
      Array.from({ length: 30 }, (_, index) => `msg-${index + 1} added ${29 - index}`),
    )
  })

  it('addMessage of the same manager, while it reads options or a message', () => {
    const manager = managerWith(numbered(1))
    const options: AgentContextOptions = {
      get systemInstruction() {
        manager.addMessage(spoken('of options'))
        return 's'
      },
    }
    expect(manager.assembleForAgent('a', 'codex', options)).toEqual(
      manager.assembleForAgent('a', 'codex', { systemInstruction: 's' }),
    )
    expect(manager.assembleForAgent('a', 'codex', options, { as: 'buffer' }).prompt.toString()).toContain(
      '[MESSAGE]\nof options',
    )
    const nested = spoken('outer', {
      get routing() {
        manager.addMessage(spoken('inner'))
        return {
          resolvedAddressees: [
            {
              get name() {
                manager.addMessage(spoken('innermost'))
                return 'max'
              },
            },
          ],
        }
      },
    })
    const added = manager.addMessage(nested)
    expect(added.id).toBe(manager.getLatestMessage()?.id)
    const all = manager.getMessages()
    expect(all.map(({ content }) => content)).toEqual(['m1', 'of options', 'of options', 'inner', 'innermost', 'outer'])
    expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => `msg-${index + 1}`))
    expect(manager.assembleForAgent('a', 'codex').prompt).toContain('[MESSAGE]\nouter')
  })

  it('a hook of the manager may assemble and add', () => {
    const prompts: string[] = []
    const manager: ContextManager = new ContextManager({
      onMessageAdded: ({ content }) => {
        if (content.length < 4) manager.addMessage(spoken(`${content}x`))
        prompts.push(manager.assembleForAgent('a', 'plain').prompt)
      },
      assemblers: { plain: {} },
    })
    manager.addMessage(spoken('x'))
    expect(manager.getMessages().map(({ content }) => content)).toEqual(['x', 'xx', 'xxx', 'xxxx'])
    expect(new Set(prompts)).toEqual(new Set(['Kailai: x\nKailai: xx\nKailai: xxx\n\nxxxx']))
  })

  it('a message that cannot be added does not change the manager', () => {
    const manager = managerWith(numbered(2))
    const mine = new Error('mine')
    for (const bad of [
      null,
      undefined,
      5,
      'x',
      {},
      spoken(untyped(5)),
      { content: 'x' },
      spoken('x', { speaker: untyped(null) }),
      spoken('x', { speaker: { id: '' } }),
      spoken('x', { routing: { addressees: untyped('max') } }),
      {
        ...spoken('x'),
        speaker: {
          get id() {
            throw mine
          },
        },
      },
      Object.defineProperty({ speaker: { id: 'a' } }, 'content', {
        enumerable: true,
        get: () => {
          throw mine
        },
      }),
    ])
      expect(() => manager.addMessage(untyped(bad))).toThrow()
    expect(manager.getMessages()).toHaveLength(2)
    expect(manager.addMessage(spoken('m3')).id).toBe('msg-3')
  })
})

describe('threads', () => {
  const require = createRequire(import.meta.url)
  const addon = require.resolve('promptmason')
  const { work } = untyped<{ work: (pm: object, name: string) => string[] }>(require('../support/thread-work.cjs'))
  const program = `
    const { parentPort, workerData } = require('node:worker_threads')
    const pm = require(workerData.addon)
    const { ContextManager, CodexContextAssembler } = pm
    const { work } = require(workerData.file)
  `
  const start = (name: string, rest: string): Worker =>
    new Worker(program + rest, {
      eval: true,
      workerData: { addon, name, file: require.resolve('../support/thread-work.cjs') },
    })
  const messageOf = (worker: Worker): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker
        .once('message', resolve)
        .once('error', reject)
        .once('exit', () => reject(new Error('no answer')))
    })

  it('two workers and the main thread can work at once', async () => {
    const answers = ['one', 'two'].map((name) =>
      messageOf(start(name, 'parentPort.postMessage(work(pm, workerData.name))')),
    )
    expect(work({ ContextManager, CodexContextAssembler }, 'main')).toEqual([])
    expect(await Promise.all(answers)).toEqual([[], []])
  })

  it('a worker may exit at any time', async () => {
    const endings = [
      "new CodexContextAssembler().assemble({ contextMessages: [{ from: 'a', get content() { process.exit(3) } }], currentMessage: 'x', teamTask: null, maxBytes: 100 })",
      "new CodexContextAssembler().assemble({ get contextMessages() { process.exit(3) }, currentMessage: 'x', teamTask: null, maxBytes: 100 }, { as: 'buffer' })",
      'const manager = new ContextManager({ onMessageAdded: () => process.exit(3) }); manager.addMessage({ speaker: { id: "a" }, content: "x" })',
      "new ContextManager().assembleForAgent('a', 'codex', { get systemInstruction() { process.exit(3) } })",
      "pm.buildPrompt({ agentType: 'codex', message: 'x', contextMessages: [{ get from() { process.exit(3) }, content: 'x' }] })",
    ]
    const exits = endings.map(
      (ending) =>
        new Promise((resolve, reject) => {
          start('short', ending).once('exit', resolve).once('error', reject)
        }),
    )
    expect(await Promise.all(exits)).toEqual(endings.map(() => 3))
    expect(work({ ContextManager, CodexContextAssembler }, 'main')).toEqual([])
  })

  it('a worker may be terminated while it works', async () => {
    const busy = start('busy', "parentPort.postMessage('busy'); for (;;) work(pm, workerData.name)")
    expect(await messageOf(busy)).toBe('busy')
    const other = messageOf(start('other', 'parentPort.postMessage(work(pm, workerData.name))'))
    await busy.terminate()
    expect(work({ ContextManager, CodexContextAssembler }, 'main')).toEqual([])
    expect(await other).toEqual([])
    expect(new PlainTextAssembler().assemble(inputOf()).prompt).toBe('hello')
  })
})
