/** Common mistakes are reported by name. */
import {
  ClaudeContextAssembler,
  CodexContextAssembler,
  ContextManager,
  InstructionPrompt,
  SystemPrompt,
  buildPrompt,
  isPromptmasonError,
  systemHint,
} from 'promptmason'
import vm from 'node:vm'
import { describe, expect, it } from 'vitest'
import { inputOf, thrownBy, untyped } from '../support/assemblers.js'
import { managerWith, numbered, spoken } from '../support/conversation.js'

const codex = new CodexContextAssembler()
const prompt = (fields: object) => () =>
  buildPrompt(untyped({ agentType: 'codex', contextMessages: [], message: 'hi', ...fields }))

describe('a Promise, a Map or a Set in the wrong place', () => {
  const promise = Promise.resolve([])
  it.each<[string, () => unknown, string]>([
    [
      'messages that were not awaited',
      () => codex.assemble(inputOf({ contextMessages: untyped(promise) })),
      'contextMessages must be an array, got a Promise: did you forget to await it?',
    ],
    [
      'a message that was not awaited',
      () => codex.assemble(inputOf({ currentMessage: untyped(promise) })),
      'currentMessage must be a string, got a Promise: did you forget to await it?',
    ],
    [
      'instructions that were not awaited',
      () => codex.assemble(inputOf({ systemInstruction: untyped(promise) })),
      'systemInstruction must be a string or an array of strings, got a Promise: did you forget to await it?',
    ],
    ['a Set of messages', prompt({ contextMessages: new Set() }), 'contextMessages must be an array, got a Set'],
    ['a Map of messages', prompt({ contextMessages: new Map() }), 'contextMessages must be an array, got a Map'],
    [
      'a Map of another realm',
      prompt({ contextMessages: vm.runInNewContext('new Map()') }),
      'contextMessages must be an array, got a Map',
    ],
    [
      'a task that was not awaited',
      () => new ContextManager().setTeamTask(untyped(promise)),
      'task must be a string or null, got a Promise: did you forget to await it?',
    ],
  ])('%s', (_, run, message) => {
    expect(thrownBy(run)).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE', message })
  })
})

describe('a field that belongs to the other function', () => {
  const expectMisnamed = (run: () => unknown, wrong: string, right: string): void =>
    expect(thrownBy(run)).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message: `${wrong} is not read here: did you mean ${right}?`,
    })

  it('is named with the right one', () => {
    expectMisnamed(prompt({ systemInstruction: 'Be brief.' }), 'systemInstruction', 'systemInstructionText')
    expectMisnamed(
      prompt({ systemInstruction: ['Be brief.'], systemInstructionText: null }),
      'systemInstruction',
      'systemInstructionText',
    )
    for (const form of [undefined, { report: true }, { as: 'buffer' }]) {
      expectMisnamed(
        () => codex.assemble(untyped({ ...inputOf(), systemInstructionText: 'x' }), untyped(form)),
        'systemInstructionText',
        'systemInstruction',
      )
    }
    const manager = managerWith(numbered(2))
    const options = { systemInstructionText: 'x' }
    expectMisnamed(
      () => manager.assembleForAgent('a', 'codex', untyped(options)),
      'options.systemInstructionText',
      'options.systemInstruction',
    )
    // Also after a call with otherwise equal options.
    manager.assembleForAgent('a', 'codex', {})
    expectMisnamed(
      () => manager.assembleForAgent('a', 'codex', untyped(options)),
      'options.systemInstructionText',
      'options.systemInstruction',
    )
    expectMisnamed(
      () => manager.getContextForAgent('a', 'codex', untyped(options)),
      'options.systemInstructionText',
      'options.systemInstruction',
    )
  })

  it('is ignored beside the right one, or if it is empty', () => {
    expect(prompt({ systemInstruction: 'x', systemInstructionText: 'y' })()).toMatchObject({
      prompt: '[SYSTEM]\ny\n\n[MESSAGE]\nhi',
    })
    expect(prompt({ systemInstruction: undefined })()).toMatchObject({ prompt: '[MESSAGE]\nhi' })
    expect(prompt({ systemInstruction: null })()).toMatchObject({ prompt: '[MESSAGE]\nhi' })
    expect(
      codex.assemble(untyped({ ...inputOf(), systemInstruction: 's', systemInstructionText: 'x' })).prompt,
    ).toContain('[SYSTEM]\ns\n')
  })
})

describe('options that are remembered', () => {
  it('are checked in every call', () => {
    const manager = managerWith(numbered(2))
    const { prompt: expected } = manager.assembleForAgent('a', 'codex')
    expect(thrownBy(() => manager.assembleForAgent('a', 'codex', untyped(5))).message).toBe(
      'options must be an object, got number',
    )
    expect(thrownBy(() => manager.assembleForAgent('a', 'codex', { windowSizeOverride: -1 })).code).toBe(
      'ERR_OUT_OF_RANGE',
    )
    expect(manager.assembleForAgent('a', 'codex').prompt).toBe(expected)
    expect(thrownBy(() => manager.assembleForAgent(untyped(5), 'codex')).message).toBe(
      'agentId must be a string, got number',
    )
    expect(thrownBy(() => manager.assembleForAgent('a', untyped(null))).message).toBe(
      'agentType must be a string, got null',
    )
  })

  it('are not confused with those of another agent, another call, or a changed array', () => {
    const manager = managerWith(numbered(3))
    const of = (id: string, systemInstruction?: string | string[]) =>
      manager.assembleForAgent(id, 'codex', { systemInstruction })
    const instructions = ['one']
    expect(of('a', instructions).prompt).toContain('[SYSTEM]\none\n')
    instructions[0] = 'two'
    expect(of('a', instructions).prompt).toContain('[SYSTEM]\ntwo\n')
    for (let round = 0; round < 3; round++) {
      for (const id of Array.from({ length: 200 }, (_, index) => `agent ${index}`)) {
        expect(of(id, `I am ${id}`).prompt).toContain(`[SYSTEM]\nI am ${id}\n`)
      }
    }
    expect(of('agent 7').prompt).not.toContain('[SYSTEM]')
    expect(manager.assembleForAgent('agent 7', 'gemini').prompt).toContain('Conversation so far:')
  })

  it('are kept when a logger assembles another prompt during the call', () => {
    const prompts: string[] = []
    const warn = (): void => {
      if (prompts.length === 0)
        prompts.push('', manager.assembleForAgent('a', 'codex', { systemInstruction: 'inner' }).prompt)
    }
    const manager: ContextManager = managerWith(numbered(2), { logger: { debug: warn, info: warn, warn, error: warn } })
    expect(manager.assembleForAgent('a', 'mine', { systemInstruction: 'outer' }).prompt).toMatch(/^outer\n/)
    expect(prompts[1]).toContain('[SYSTEM]\ninner\n')
    prompts.length = 0
    const route = { parentMessageId: 'nothing', targetMemberId: 'max' }
    expect(manager.assembleForRoute('a', 'codex', route, { systemInstruction: 'outer' }).prompt).toContain(
      '[SYSTEM]\nouter\n',
    )
  })
})

describe('speakers', () => {
  it('can be described in either form, also in one conversation, and are returned unchanged', () => {
    const role = { roleId: 'r1', roleName: 'Max', roleTitle: 'Engineer', type: 'ai' }
    const manager = managerWith([
      spoken('by a member'),
      untyped({ speaker: role, content: 'by a role' }),
      untyped({ speaker: { roleId: 'r2' }, content: 'nameless' }),
    ])
    expect(manager.getMessages()[1]?.speaker).toBe(role)
    expect(manager.getContextForAgent('a', 'codex').contextMessages).toEqual([
      { from: 'Kailai', to: 'all', content: 'by a member' },
      { from: 'Max', to: 'all', content: 'by a role' },
    ])
    const copy = new ContextManager()
    copy.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    expect(copy.assembleForAgent('a', 'codex')).toEqual(manager.assembleForAgent('a', 'codex'))
    expect(copy.getMessages()[1]?.speaker).toEqual(role)
    copy.addMessage(spoken('next'))
    expect(copy.assembleForAgent('a', 'codex').prompt).toContain('- r2 -> all: nameless')
    copy.addMessage(untyped({ speaker: role, content: 'again' }))
    copy.addMessage(untyped({ speaker: role, content: 'again' }))
    expect(copy.getContextForAgent('a', 'codex').contextMessages.map(({ content }) => content)).not.toContain('again')
  })

  it.each<[unknown, string]>([
    [{ roleId: '' }, 'Message speaker.roleId is required'],
    [{ roleName: 'Max' }, 'Message speaker.roleId is required'],
    [{ roleId: 5 }, 'Message speaker.roleId is required'],
    [{ roleId: 'a', roleName: 5 }, 'Message speaker.roleName must be a string'],
    [{}, 'Message speaker.id is required'],
    [{ id: '', roleId: 'a' }, 'Message speaker.id is required'],
  ])('%j is refused by the form that was used: %s', (speaker, message) => {
    const manager = new ContextManager()
    expect(thrownBy(() => manager.addMessage(untyped({ speaker, content: 'x' }))).message).toContain(message)
    expect(manager.getMessages()).toEqual([])
  })

  it('with one id and different names keep their names', () => {
    const manager = new ContextManager({ contextWindowSize: 9 })
    for (const [name, type, to] of [
      ['A', 'ai', 'x'],
      ['B', 'ai', 'x'],
      ['A', 'human', 'x'],
      ['A', 'ai', 'y'],
      ['A', 'ai', 'x'],
    ] as const) {
      manager.addMessage({
        speaker: { id: 'same', name, type },
        content: `${name} ${type}`,
        routing: { resolvedAddressees: [to] },
      })
    }
    manager.addMessage(spoken('end'))
    expect(manager.assembleForAgent('a', 'codex').prompt).toBe(
      '[CONTEXT]\n- A -> x: A ai\n- B -> x: B ai\n- A -> x: A human\n- A -> y: A ai\n- A -> x: A ai\n\n[MESSAGE]\nend',
    )
  })

  it('are distinguished, however many there are', () => {
    const manager = new ContextManager({ contextWindowSize: 1 })
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 1500; index++) {
        manager.addMessage({ speaker: { id: `id ${index}`, name: `name ${index}` }, content: String(index) })
        const {
          contextMessages: [before],
        } = manager.getContextForAgent('a', 'codex')
        if (index > 0) expect(before).toEqual({ from: `name ${index - 1}`, to: 'all', content: String(index - 1) })
      }
    }
  })
})

describe('hooks', () => {
  it('are called as methods of their options object', () => {
    const seen: unknown[] = []
    const options = {
      onMessageAdded(): void {
        seen.push(this)
      },
      onTeamTaskChanged(): void {
        seen.push(this)
      },
    }
    const manager = new ContextManager(options)
    manager.addMessage(spoken('x'))
    manager.setTeamTask('task')
    expect(seen).toHaveLength(2)
    for (const self of seen) expect(self).toBe(options)
  })

  it('a setter on Object.prototype does not get the id', () => {
    // oxlint-disable-next-line no-extend-native -- that is what is tried
    Object.defineProperty(Object.prototype, 'id', {
      configurable: true,
      set() {
        throw new Error('mine')
      },
      get: () => 'inherited',
    })
    try {
      expect(new ContextManager().addMessage({ speaker: { id: 'a' }, content: 'x' }).id).toBe('msg-1')
    } finally {
      delete untyped<{ id?: unknown }>(Object.prototype).id
    }
  })
})

describe('isPromptmasonError', () => {
  it('recognizes errors of this package, optionally by code', () => {
    const budget = thrownBy(() => new ClaudeContextAssembler().assemble(inputOf({ maxBytes: 1, teamTask: 'long' })))
    expect([
      isPromptmasonError(budget),
      isPromptmasonError(budget, 'ERR_BUDGET_EXCEEDED'),
      isPromptmasonError(budget, 'ERR_OUT_OF_RANGE'),
    ]).toEqual([true, true, false])
    const receiver = thrownBy(() => Reflect.apply(codex.assemble, undefined, [inputOf()]))
    expect(isPromptmasonError(receiver, 'ERR_INVALID_ARG_TYPE')).toBe(true)
    const nodes = thrownBy(() => Buffer.from(untyped(5)))
    expect(nodes.code).toBe('ERR_INVALID_ARG_TYPE')
    expect(isPromptmasonError(budget, null)).toBe(true)
    const hostile = new Proxy(
      {},
      {
        has: () => {
          throw new Error('mine')
        },
      },
    )
    for (const other of [
      hostile,
      nodes,
      new Error('x'),
      null,
      undefined,
      5,
      'ERR_OUT_OF_RANGE',
      { code: 'ERR_OUT_OF_RANGE' },
    ])
      expect(isPromptmasonError(other)).toBe(false)
  })

  it('recognizes errors of promises and of every function', async () => {
    const rejected = await InstructionPrompt.system(untyped(5)).catch((error: unknown) => error)
    expect(isPromptmasonError(rejected, 'ERR_INVALID_ARG_TYPE')).toBe(true)
    for (const run of [
      () => SystemPrompt.provider(untyped(5)),
      () => systemHint(untyped(5), ''),
      () => buildPrompt(untyped(5), { report: true }),
      () => new ContextManager().importSnapshot(untyped(5)),
    ]) {
      expect(isPromptmasonError(thrownBy(run))).toBe(true)
    }
  })

  it('adds no visible properties', () => {
    expect(Object.keys(thrownBy(() => codex.assemble(untyped(5))))).toEqual(['code'])
  })
})

describe('null', () => {
  it('is the same as undefined for an offset', () => {
    const buffer = Buffer.alloc(1000)
    const manager = managerWith(numbered(2))
    const request = { agentType: 'codex', contextMessages: [], message: 'hi' }
    for (const { bytes } of [
      codex.assemble(inputOf(), { into: buffer, offset: null }),
      buildPrompt(request, { into: buffer, offset: null }),
      manager.assembleForAgent('a', 'codex', null, { into: buffer, offset: null }),
      manager.assembleForRoute('a', 'codex', { parentMessageId: 'msg-1', targetMemberId: 'x' }, null, {
        into: buffer,
        offset: null,
      }),
    ])
      expect(buffer.toString('utf8', 0, bytes)).toMatch(/^\[/)
  })
})

describe('a manager', () => {
  it('has no visible internal properties', () => {
    const manager = managerWith(numbered(1), { onMessageAdded: () => undefined })
    expect(Reflect.ownKeys(manager)).toEqual([])
    expect(Reflect.ownKeys(codex)).toEqual([])
  })

  it.each([
    'getMessages',
    'getLatestMessage',
    'getTeamTask',
    'setTeamTask',
    'clear',
    'exportSnapshot',
    'importSnapshot',
    'getContextForAgent',
    'getContextForRoute',
    'assemblePrompt',
    'assembleForRoute',
  ])('%s throws a TypeError with a code on other objects', (name) => {
    const method =
      untyped<Record<string, (...given: unknown[]) => unknown>>(ContextManager.prototype)[name] ?? (() => undefined)
    for (const receiver of [undefined, {}, codex, new Proxy(new ContextManager(), {})]) {
      expect(thrownBy(() => Reflect.apply(method, receiver, []))).toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
      })
    }
  })
})
