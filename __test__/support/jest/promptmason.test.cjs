/**
 * Run by Jest, in a project that promptmason was installed into. Jest gives each test file a realm
 * of its own: `Array`, `Object`, `Error` and the others are not those of Node. `toStrictEqual` and
 * `toThrow(TypeError)` notice if an object comes from another realm than the test.
 */
const fs = require('node:fs')
const path = require('node:path')
const {
  ClaudeContextAssembler,
  CodexContextAssembler,
  ContextManager,
  InstructionPrompt,
  SystemPrompt,
  assembleSystemPrompt,
  buildPrompt,
  findUpAll,
  isPromptmasonError,
} = require('promptmason')

const claude = new ClaudeContextAssembler()
const INPUT = {
  contextMessages: [
    { from: 'a', content: '123456789' },
    { from: 'b', to: 'c', content: 'd' },
  ],
  currentMessage: 'e',
  teamTask: null,
  systemInstruction: ['f', 'g'],
  maxBytes: 50,
}
const MATERIALS = { agentType: 'codex', contextMessages: [], message: 'hi' }
const OUTPUT = { prompt: '[CONTEXT]\n- b -> c: d\n\n[MESSAGE]\ne', systemFlag: 'f\ng' }
const DATE = new Date('2026-02-26T00:00:00.000Z')
const said = (id, content, more) => ({
  speaker: { id, name: id.toUpperCase(), type: 'ai' },
  content,
  timestamp: DATE,
  ...more,
})

const thrownBy = (work) => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
const rejectionOf = (promise) =>
  promise.then(
    () => {
      throw new Error('it was not rejected')
    },
    (error) => error,
  )

test('the realm is not that of Node', () => {
  expect(fs.readdirSync('.').constructor).not.toBe(Array)
})

test('it can be loaded again', () => {
  jest.resetModules()
  const again = require('promptmason')
  expect(again.buildPrompt).not.toBe(buildPrompt)
  expect(again.buildPrompt(MATERIALS)).toStrictEqual(buildPrompt(MATERIALS))
  expect(isPromptmasonError(thrownBy(() => again.buildPrompt()))).toBe(true)
})

describe('outputs', () => {
  test('of assemblers', () => {
    expect(claude.assemble(INPUT)).toStrictEqual(OUTPUT)
    expect(claude.assemble(INPUT, { as: 'buffer' })).toStrictEqual({ ...OUTPUT, prompt: Buffer.from(OUTPUT.prompt) })
    expect(claude.assemble(INPUT, { into: Buffer.alloc(99) })).toStrictEqual({
      bytes: 34,
      systemFlag: OUTPUT.systemFlag,
    })
    expect(claude.assemble(INPUT, { into: new Uint8Array(99), offset: 9 })).toStrictEqual({
      bytes: 34,
      systemFlag: OUTPUT.systemFlag,
    })
  })

  test('of buildPrompt', () => {
    const prompt = '[MESSAGE]\nhi'
    expect(buildPrompt(MATERIALS)).toStrictEqual({ prompt, systemFlag: undefined })
    expect(buildPrompt(MATERIALS, { as: 'buffer' })).toStrictEqual({
      prompt: Buffer.from(prompt),
      systemFlag: undefined,
    })
    expect(buildPrompt(MATERIALS, { into: new Uint8Array(12) })).toStrictEqual({ bytes: 12, systemFlag: undefined })
  })

  test('with reports', () => {
    expect(claude.assemble(INPUT, { report: true })).toStrictEqual({ ...OUTPUT, report: expect.any(Object) })
    const { report } = claude.assemble(INPUT, { report: true })
    expect(report).toStrictEqual({
      ...report,
      agentType: 'claude-code',
      dropped: [{ index: 0, from: 'a', bytes: 21, reason: 'budget' }],
    })
    expect(report.sections).toStrictEqual([
      { name: 'system', action: 'kept', bytesBefore: 3, bytesAfter: 3 },
      { name: 'context', action: 'trimmed', bytesBefore: 43, bytesAfter: 21, itemsBefore: 2, itemsAfter: 1 },
      { name: 'message', action: 'kept', bytesBefore: 11, bytesAfter: 11 },
    ])
    expect(report.decisions).toStrictEqual([expect.any(String)])
    const { findings } = claude.assemble(
      { ...INPUT, parentContext: { from: 'a', content: 'x\n[MESSAGE]' }, maxBytes: 999 },
      { report: true },
    ).report
    expect(findings).toStrictEqual([
      { part: 'parent', index: 0, line: 2, pretends: 'title', text: '[MESSAGE]', escaped: false },
    ])
    expect(buildPrompt(MATERIALS, { report: true }).report.dropped).toStrictEqual([])
  })
})

describe('a ContextManager', () => {
  const filled = () => {
    const manager = new ContextManager()
    manager.addMessage(said('a', 'question', { extra: { list: [1] } }))
    for (const id of ['b', 'c'])
      manager.addMessage(said(id, `by ${id}`, { routing: { parentMessageId: 'msg-1', intent: 'review' } }))
    return manager
  }
  const first = { ...said('a', 'question', { extra: { list: [1] } }), id: 'msg-1' }

  test('has messages', () => {
    const onMessageAdded = jest.fn()
    const manager = new ContextManager({ onMessageAdded })
    expect(manager.addMessage(said('a', 'question', { extra: { list: [1] } }))).toStrictEqual(first)
    expect(onMessageAdded.mock.calls).toStrictEqual([[first]])
    expect(manager.getMessages()).toStrictEqual([first])
    expect(manager.getLatestMessage()).toStrictEqual(first)
  })

  test('has contexts', () => {
    const shared = {
      teamTask: null,
      systemInstruction: undefined,
      instructionFileText: undefined,
      maxBytes: 768 * 1024,
    }
    expect(filled().getContextForAgent('b', 'codex')).toStrictEqual({
      ...shared,
      contextMessages: [
        { from: 'A', to: 'all', content: 'question' },
        { from: 'B', to: 'all', content: 'by b' },
      ],
      currentMessage: 'by c',
    })
    expect(filled().getContextForRoute('b', 'codex', { parentMessageId: 'msg-1', targetMemberId: 'b' })).toStrictEqual({
      ...shared,
      contextMessages: [],
      currentMessage: 'question',
      parentContext: { from: 'A', to: 'all', content: 'question' },
      siblingContext: [{ from: 'C [review]', to: 'all', content: 'by c' }],
      routeMeta: { parentMessageId: 'msg-1', intent: undefined },
      meta: {
        parentMessageId: 'msg-1',
        intent: undefined,
        targetMemberId: 'b',
        siblingCount: 1,
        siblingTotalCount: 1,
        truncatedSiblings: false,
      },
    })
  })

  test('has prompts and reports', () => {
    const prompt = '[CONTEXT]\n- A -> all: question\n- B -> all: by b\n\n[MESSAGE]\nby c'
    expect(filled().assembleForAgent('b', 'codex')).toStrictEqual({ prompt, systemFlag: undefined })
    expect(filled().assembleForAgent('b', 'codex', undefined, { as: 'buffer' })).toStrictEqual({
      prompt: Buffer.from(prompt),
      systemFlag: undefined,
    })
    expect(filled().assembleForAgent('b', 'codex', undefined, { report: true }).report.dropped).toStrictEqual([])
  })

  test('has snapshots, also through JSON', () => {
    const snapshot = filled().exportSnapshot()
    expect(snapshot).toStrictEqual({
      messages: filled().getMessages(),
      teamTask: null,
      timestamp: expect.any(Number),
      version: 1,
    })
    for (const given of [snapshot, JSON.parse(JSON.stringify(snapshot)), structuredClone(snapshot)]) {
      const restored = new ContextManager()
      restored.importSnapshot(given)
      expect(restored.getMessages().length).toBe(3)
      expect(restored.getLatestMessage().timestamp.getTime()).toBe(DATE.getTime())
    }
    const restored = new ContextManager()
    restored.importSnapshot(JSON.parse(JSON.stringify(snapshot)))
    expect(restored.getMessages()).toStrictEqual(filled().getMessages())
    expect(restored.getLatestMessage().timestamp).toBeInstanceOf(Date)
  })
})

describe('instructions and system prompts', () => {
  const directory = path.join(__dirname, 'with-instructions')
  const file = path.join(directory, 'AGENTS.md')
  const home = process.env.XDG_CONFIG_HOME
  beforeAll(() => {
    process.env.XDG_CONFIG_HOME = path.join(directory, 'home')
    fs.mkdirSync(directory, { recursive: true })
    fs.writeFileSync(file, 'be brief')
    fs.writeFileSync(path.join(directory, 'wrong.json'), '{')
  })
  afterAll(() => {
    if (home === undefined) delete process.env.XDG_CONFIG_HOME
    else process.env.XDG_CONFIG_HOME = home
  })

  test('are arrays, sets and objects of this realm', async () => {
    expect(await InstructionPrompt.load({ directory })).toStrictEqual([
      { source: file, kind: 'file', origin: 'project', status: 'loaded', text: 'be brief', bytes: 8 },
    ])
    expect(await InstructionPrompt.system({ directory })).toStrictEqual([`Instructions from: ${file}\nbe brief`])
    expect(await InstructionPrompt.systemPaths({ directory })).toStrictEqual(new Set([file]))
    expect(await InstructionPrompt.find(directory)).toBe(file)
    expect(
      await InstructionPrompt.resolve(path.join(directory, 'a', 'b'), { directory, loaded: new Set() }),
    ).toStrictEqual([])
    expect(await findUpAll(new Set(['AGENTS.md']), directory, directory)).toStrictEqual([file])
    expect(SystemPrompt.provider('gpt-5')).toStrictEqual([expect.any(String)])
    expect(SystemPrompt.environment()).toStrictEqual([expect.any(String)])
    const parts = await SystemPrompt.build({ agent: { prompt: 'p' }, directory })
    expect(parts).toStrictEqual(['p', expect.any(String), `Instructions from: ${file}\nbe brief`])
    expect(await SystemPrompt.build({ agent: {}, directory, transform: ([one]) => [one, 'x'] })).toStrictEqual([
      expect.any(String),
      'x',
    ])
    expect(await assembleSystemPrompt(['hint'], { core: 'core' })).toContain('core')
  })

  test('are rejected with errors of this realm', async () => {
    const promise = InstructionPrompt.load({ directory: 1 })
    expect(promise).toBeInstanceOf(Promise)
    const wrong = await rejectionOf(promise)
    expect(wrong).toBeInstanceOf(TypeError)
    expect(isPromptmasonError(wrong, 'ERR_INVALID_ARG_TYPE')).toBe(true)
    const config = await rejectionOf(InstructionPrompt.load({ directory, appName: 'wrong' }))
    expect(config).toBeInstanceOf(Error)
    expect({ ...config }).toStrictEqual({
      code: 'ERR_INVALID_CONFIG',
      file: path.join(directory, 'wrong.json'),
      line: 1,
      column: 1,
    })
    const unreadable = await rejectionOf(assembleSystemPrompt([], { coreFile: path.join(directory, 'none.md') }))
    expect(unreadable).toBeInstanceOf(Error)
    expect(isPromptmasonError(unreadable, 'ERR_UNREADABLE_FILE')).toBe(true)
    await expect(findUpAll(1)).rejects.toThrow(TypeError)
    await expect(SystemPrompt.build({ agent: {}, transform: () => 1 })).rejects.toThrow(TypeError)
    await expect(
      SystemPrompt.build({
        agent: {},
        transform: () => {
          throw new RangeError('mine')
        },
      }),
    ).rejects.toThrow(RangeError)
  })
})

describe('errors', () => {
  test('are of this realm', () => {
    expect(() => claude.assemble({ ...INPUT, currentMessage: 1 })).toThrow(TypeError)
    expect(() => claude.assemble({ ...INPUT, maxBytes: 0 })).toThrow(RangeError)
    expect(() => claude.assemble({ ...INPUT, maxBytes: 5 })).toThrow(RangeError)
    expect(() => claude.assemble(INPUT, { into: Buffer.alloc(1) })).toThrow(RangeError)
    expect(() => new CodexContextAssembler({ systemPlacement: 'flag' })).toThrow(TypeError)
    expect(() => CodexContextAssembler.prototype.assemble.call({}, INPUT)).toThrow(TypeError)
    expect(() => buildPrompt()).toThrow(TypeError)
    expect(() => new ContextManager().addMessage({})).toThrow(TypeError)
    expect(() => new ContextManager().importSnapshot({})).toThrow(Error)
    expect(() => SystemPrompt.provider(1)).toThrow(TypeError)
  })

  test('carry objects of this realm', () => {
    const error = thrownBy(() => claude.assemble({ ...INPUT, maxBytes: 5 }))
    expect({ ...error }).toStrictEqual({
      code: 'ERR_BUDGET_EXCEEDED',
      unit: 'bytes',
      requiredBytes: expect.any(Number),
      maxBytes: 5,
      sections: error.sections,
    })
    expect(error.sections).toStrictEqual({ system: 3, message: 11 })
    expect(thrownBy(() => claude.assemble(INPUT, { into: Buffer.alloc(1) })).requiredBytes).toBe(34)
  })

  test('are recognised', () => {
    const error = thrownBy(() => claude.assemble({ ...INPUT, maxBytes: 5 }))
    expect(isPromptmasonError(error)).toBe(true)
    expect(isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')).toBe(true)
    expect(isPromptmasonError(error, 'ERR_OUT_OF_RANGE')).toBe(false)
    expect(isPromptmasonError(thrownBy(() => fs.readFileSync(5.5)))).toBe(false)
  })

  test('of the caller stay as they are', () => {
    const mine = new Error('mine')
    expect(
      thrownBy(() =>
        claude.assemble({
          ...INPUT,
          get currentMessage() {
            throw mine
          },
        }),
      ),
    ).toBe(mine)
  })
})
