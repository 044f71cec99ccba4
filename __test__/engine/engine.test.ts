import { describe, expect, it } from 'vitest'
import { told } from '../support/child.js'
import { isDeno, isNode } from '../support/runtime.js'

const PATIENCE_MS = 120_000

/** `all()` uses every quick method in every form, and returns the prompts or the exceptions. */
const USE = `
  const { toString } = Buffer.prototype
  const textOf = (made) => typeof made === 'string' ? made : made instanceof Uint8Array ? toString.call(made) : 'no text: ' + String(made)
  const messages = [
    { from: 'max', to: 'sarah', content: 'plain' }, { from: '张三', content: '中文内容' }, { from: 'a', to: null, content: 'half \\ud83d' },
    { from: 'b', content: '\\udc4d half' }, { from: 'c', content: '' },
  ]
  const input = { contextMessages: messages, currentMessage: '中文消息', teamTask: 'task', systemInstruction: 'system', maxBytes: 100000 }
  const large = { ...input, currentMessage: 'now', contextMessages: Array.from({ length: 90 }, (_, i) => ({ from: 'm' + i % 3, content: i + 'é'.padEnd(1000, '.') })) }
  const { setPrototypeOf } = Object
  const all = (pm) => {
    const found = setPrototypeOf([], null)
    const attempt = (work) => {
      let text
      try { text = textOf(work()) } catch (error) { text = 'thrown: ' + error.message }
      found[found.length] = text
    }
    const memory = Buffer.alloc(200000)
    const written = (bytes) => toString.call(memory, 'utf8', 0, bytes)
    for (const Class of [pm.ClaudeContextAssembler, pm.CodexContextAssembler, pm.GeminiContextAssembler, pm.PlainTextAssembler]) {
      const assembler = new Class()
      for (const given of [input, large]) {
        attempt(() => assembler.assemble(given).prompt)
        attempt(() => assembler.assemble(given, { as: 'buffer' }).prompt)
        attempt(() => written(assembler.assemble(given, { into: memory }).bytes))
        attempt(() => assembler.assemble(given, { report: true }).prompt)
      }
    }
    const manager = new pm.ContextManager()
    for (const { from, to, content } of messages) {
      attempt(() => manager.addMessage({ speaker: { id: from }, content: content + '.', routing: { addressees: [to ?? 'all'] } }).content)
    }
    attempt(() => manager.assembleForAgent('a', 'codex').prompt)
    attempt(() => manager.assembleForAgent('a', 'gemini', { systemInstruction: '中文' }, { as: 'buffer' }).prompt)
    attempt(() => written(manager.assembleForAgent('a', 'claude', null, { into: memory }).bytes))
    return found
  }
`
const ALL = told<string[]>(`${USE} tell(all(require('promptmason')))`)

describe('an engine in its usual state', () => {
  it('returns the same prompt in every form', () => {
    expect(ALL).toHaveLength(40)
    expect(ALL.filter((text) => text.startsWith('thrown') || text.startsWith('no text'))).toEqual([])
    for (let at = 0; at < 32; at += 4) expect(new Set(ALL.slice(at, at + 4)).size).toBe(1)
  })
})

// Options of V8 and of Node. V8 has dropped one of them.
const hasAlwaysTurbofan = Number(process.versions.node.split('.')[0]) < 25

describe.skipIf(!isNode)('an engine with options', { timeout: PATIENCE_MS }, () => {
  it.each([
    ['--disallow-code-generation-from-strings'],
    ['--frozen-intrinsics'],
    ['--disable-proto=delete'],
    ['--disable-proto=throw'],
    ['--no-opt'],
    ...(hasAlwaysTurbofan ? [['--always-turbofan']] : []),
    ['--jitless'],
    ['--stress-compaction'],
    ['--frozen-intrinsics', '--disallow-code-generation-from-strings', '--disable-proto=throw'],
  ])('works with %s', (...args) => {
    expect(told(`${USE} tell(all(require('promptmason')))`, { args, mayWarn: true })).toEqual(ALL)
  })
})

describe('instances that come and go', { timeout: PATIENCE_MS }, () => {
  it('are not confused when their numbers are reused', () => {
    const program = `
      const pm = require('promptmason')
      const Classes = [pm.CodexContextAssembler, pm.GeminiContextAssembler, pm.PlainTextAssembler]
      const opening = ['[MESSAGE]\\n', 'Last message:\\n', '']
      const turn = () => new Promise((resolve) => setImmediate(resolve))
      let kept = []
      let wrong = 0
      let collected = 0
      const registry = new FinalizationRegistry(() => { collected += 1 })
      for (let round = 0; round < 12; round++) {
        for (let i = 0; i < 400; i++) {
          const name = round + '-' + i
          const manager = new pm.ContextManager({ contextWindowSize: i % 3 })
          for (let j = 0; j < 4; j++) manager.addMessage({ speaker: { id: name }, content: name + ' ' + j })
          const assembler = new Classes[i % 3]()
          registry.register(manager)
          registry.register(assembler)
          if (i % 7 === round % 7) kept.push({ name, manager, assembler, kind: i % 3, window: i % 3 })
        }
        kept = kept.filter((_, index) => (index + round) % 5 > 0)
        for (let i = 0; i < 3; i++) { globalThis.gc(); await turn() }
        for (const { name, manager, assembler, kind, window } of kept) {
          const lines = [0, 1, 2].slice(3 - window).map((j) => '- ' + name + ' -> all: ' + name + ' ' + j).join('\\n')
          const expected = (lines && '[CONTEXT]\\n' + lines + '\\n\\n') + '[MESSAGE]\\n' + name + ' 3'
          if (manager.assembleForAgent('a', 'codex').prompt !== expected) wrong += 1
          if (manager.assembleForAgent('a', 'codex', undefined, { as: 'buffer' }).prompt.toString() !== expected) wrong += 1
          if (manager.getMessages().length !== 4 || manager.getLatestMessage().content !== name + ' 3') wrong += 1
          const input = { contextMessages: [], currentMessage: name, teamTask: null, maxBytes: 1000 }
          if (assembler.assemble(input).prompt !== opening[kind] + name) wrong += 1
        }
      }
      tell({ wrong, kept: kept.length > 100, collected: collected > 5000 })
    `
    expect(told(program, { args: ['--expose-gc'] })).toEqual({ wrong: 0, kept: true, collected: true })
  })

  it('may be collected while a getter or a hook of theirs runs', () => {
    const program = `
      const pm = require('promptmason')
      const { gc } = globalThis
      const flood = () => { for (let i = 0; i < 50; i++) { new pm.CodexContextAssembler(); new pm.ContextManager() } gc() }
      const found = []
      for (let i = 0; i < 20; i++) {
        const contextMessages = [{ from: 'a', get content() { flood(); return '中文' } }, { from: 'b', get content() { flood(); return 'x' } }]
        found.push(new pm.GeminiContextAssembler().assemble({ contextMessages, get currentMessage() { flood(); return '消息' }, teamTask: null, maxBytes: 1000 }).prompt)
        found.push(new pm.ContextManager({ onMessageAdded: flood }).addMessage({ speaker: { id: 'a' }, get content() { flood(); return 'c' } }).id)
        found.push(new pm.ContextManager().assembleForAgent('a', 'codex', { get systemInstruction() { flood(); return 's' } }).prompt)
        await new Promise((resolve) => setImmediate(resolve))
      }
      tell([...new Set(found)])
    `
    expect(told(program, { args: ['--expose-gc'] })).toEqual([
      'Conversation so far:\n- a: 中文\n- b: x\n\nLast message:\n消息',
      'msg-1',
      '[SYSTEM]\ns',
    ])
  })
})

describe('the addon loaded twice in one thread', { timeout: PATIENCE_MS }, () => {
  it('returns two copies that work and reject each other’s objects', () => {
    const program = `
      const file = require.resolve('promptmason')
      const first = require(file)
      for (const path of Object.keys(require.cache)) delete require.cache[path]
      const second = require(file)
      // Loads the JavaScript side again over a loaded binary, as Jest does.
      for (const path of Object.keys(require.cache)) if (!path.endsWith('binding.js') && !path.endsWith('.node')) delete require.cache[path]
      const copies = [first, second, require(file)]
      const input = { contextMessages: [], currentMessage: 'hello', teamTask: null, systemInstruction: 's', maxBytes: 1000 }
      const answers = []
      const managers = copies.map((pm, index) => {
        const manager = new pm.ContextManager()
        manager.addMessage({ speaker: { id: 'a' }, content: 'one of ' + index })
        return manager
      })
      for (const [index, pm] of copies.entries()) {
        managers[index].addMessage({ speaker: { id: 'a' }, content: 'two of ' + index })
        answers.push(managers[index].assembleForAgent('a', 'codex').prompt)
        answers.push([new pm.ClaudeContextAssembler(), new pm.PlainTextAssembler()].map((assembler) => assembler.assemble(input)))
        for (const other of copies) {
          if (other === pm) continue
          try {
            answers.push(other.ContextManager.prototype.assembleForAgent.call(managers[index], 'a', 'codex'))
          } catch (error) { answers.push(error.name) }
          try {
            answers.push(other.CodexContextAssembler.prototype.assemble.call(new pm.CodexContextAssembler(), input))
          } catch (error) { answers.push(error.name) }
        }
      }
      tell([new Set(copies).size, ...answers])
    `
    const answersOf = (index: number) => [
      `[CONTEXT]\n- a -> all: one of ${index}\n\n[MESSAGE]\ntwo of ${index}`,
      [{ prompt: '[MESSAGE]\nhello', systemFlag: 's' }, { prompt: 's\n\nhello' }],
      'TypeError',
      'TypeError',
      'TypeError',
      'TypeError',
    ]
    expect(told(program)).toEqual([3, ...answersOf(0), ...answersOf(1), ...answersOf(2)])
  })
})

describe('replaced built-ins', { timeout: PATIENCE_MS }, () => {
  const replacements: Record<string, string> = {
    'Array.prototype.push that throws': "Array.prototype.push = () => { throw new Error('mine') }",
    'Array.prototype.push that does nothing': 'Array.prototype.push = () => 5',
    'Array.prototype.join that answers a number': 'Array.prototype.join = () => 5',
    // Deno itself fails.
    ...(isDeno
      ? {}
      : {
          'Array.prototype setters':
            "for (const at of [0, 1, 2]) Object.defineProperty(Array.prototype, at, { configurable: true, set() {}, get: () => 'mine' })",
        }),
    'Map.prototype.get that throws': "Map.prototype.get = () => { throw new Error('mine') }",
    'Map.prototype.get that answers a large number': 'Map.prototype.get = () => 1e9',
    'Map.prototype.get that answers a negative number': 'Map.prototype.get = () => -1',
    'Map.prototype.get that answers NaN': 'Map.prototype.get = () => NaN',
    'Map.prototype.get that answers a string': "Map.prototype.get = () => 'x'",
    'Map.prototype.set that throws': "Map.prototype.set = () => { throw new Error('mine') }",
    'Map.prototype.clear that throws': "Map.prototype.clear = () => { throw new Error('mine') }",
    'toWellFormed that throws': "String.prototype.toWellFormed = () => { throw new Error('mine') }",
    'toWellFormed that answers an object': 'String.prototype.toWellFormed = () => ({})',
    'no toWellFormed': 'delete String.prototype.toWellFormed',
    'charCodeAt that returns a constant': 'String.prototype.charCodeAt = () => 77',
    'Buffer.allocUnsafe that throws': "Buffer.allocUnsafe = () => { throw new Error('mine') }",
    'Buffer.allocUnsafe that answers nothing': 'Buffer.allocUnsafe = () => undefined',
    'Buffer.allocUnsafe that answers too little':
      'const { alloc } = Buffer; Buffer.allocUnsafe = (bytes) => alloc(bytes - 1)',
    'Buffer.allocUnsafe that answers too much':
      'const { alloc } = Buffer; Buffer.allocUnsafe = (bytes) => alloc(bytes + 1)',
    'Buffer.allocUnsafe that answers other arrays': 'Buffer.allocUnsafe = (bytes) => new Uint16Array(bytes)',
    'Buffer.allocUnsafe that answers a detached array': `Buffer.allocUnsafe = (bytes) => {
      const memory = new Uint8Array(bytes)
      structuredClone(memory.buffer, { transfer: [memory.buffer] })
      return memory
    }`,
    'Object.assign that throws': "Object.assign = () => { throw new Error('mine') }",
    'Object.values that answers nothing': 'Object.values = () => []',
    'arrays that cannot be iterated': "Array.prototype[Symbol.iterator] = () => { throw new Error('mine') }",
    'Reflect.construct that does nothing': 'Reflect.construct = () => undefined',
    'Reflect.construct that throws': "Reflect.construct = () => { throw new Error('mine') }",
    'a getter of Object.prototype':
      "Object.defineProperty(Object.prototype, 'systemInstruction', { configurable: true, get: () => 'mine' })",
    'a getter of Object.prototype that throws':
      "Object.defineProperty(Object.prototype, 'recipient', { configurable: true, get() { throw new Error('mine') } })",
    'setters of Object.prototype': `for (const key of ['id', 'prompt', 'systemFlag', 'bytes', 'report']) {
      Object.defineProperty(Object.prototype, key, { configurable: true, set() {}, get: () => undefined })
    }`,
    'no process': 'delete globalThis.process',
  }
  /** Memory is zeroed or filled, never uninitialized. */
  const isFine = (text: string): boolean =>
    text.startsWith('thrown: ') ||
    text.startsWith('no text: ') ||
    /^[\0\n -~中文内容消息张三é\ufffd]*$/.test(text.toWellFormed())

  it.each(Object.entries(replacements))('%s: never crash the process', (_, replace) => {
    const load = "const pm = require('promptmason');"
    const attempt = (work: string): string =>
      `let found; try { ${work} } catch (error) { found = setPrototypeOf(['thrown: ' + error.message], null) } tell(found)`
    const before = told<string[]>(`${USE} ${replace}; ${attempt(`${load} found = all(pm)`)}`, { mayWarn: true })
    const after = told<string[]>(`${USE} ${load} all(pm); ${replace}; ${attempt('found = all(pm)')}`, { mayWarn: true })
    for (const found of [before, after]) {
      expect(found.length).toBeGreaterThan(0)
      expect(found.filter((text) => !isFine(text))).toEqual([])
    }
  })

  it('are used again when they are restored', () => {
    const program = `${USE}
      const pm = require('promptmason')
      const { get } = Map.prototype
      const { push } = Array.prototype
      Map.prototype.get = () => 1e9
      Array.prototype.push = () => { throw new Error('mine') }
      const meanwhile = all(pm)
      Map.prototype.get = get
      Array.prototype.push = push
      tell(all(pm))
    `
    expect(told(program, { mayWarn: true })).toEqual(ALL)
  })

  it('may be fields of Object.prototype, which are inherited like any others', () => {
    const program = `
      const pm = require('promptmason')
      const manager = new pm.ContextManager()
      Object.defineProperty(Object.prototype, 'systemInstruction', { configurable: true, get: () => 'inherited' })
      Object.defineProperty(Object.prototype, 'id', { configurable: true, set() {} })
      const added = manager.addMessage({ speaker: { id: 'a' }, content: 'x' })
      const found = [
        new pm.CodexContextAssembler().assemble({ contextMessages: [], currentMessage: 'x', teamTask: null, maxBytes: 100 }).prompt,
        manager.assembleForAgent('a', 'codex', {}).prompt, manager.assembleForAgent('a', 'codex').prompt, added.content, manager.getMessages().length,
      ]
      tell(found)
    `
    expect(told(program)).toEqual([
      '[SYSTEM]\ninherited\n\n[MESSAGE]\nx',
      '[SYSTEM]\ninherited\n\n[MESSAGE]\nx',
      expect.stringContaining('[MESSAGE]\nx'),
      'x',
      1,
    ])
  })
})

describe('a process that ends in the middle', { timeout: PATIENCE_MS }, () => {
  it.each([
    [
      'reading messages',
      "new pm.CodexContextAssembler().assemble({ contextMessages: [{ from: 'a', get content() { end() } }], currentMessage: 'x', teamTask: null, maxBytes: 100 })",
    ],
    [
      'reading the input',
      "new pm.CodexContextAssembler().assemble({ get contextMessages() { end() } }, { as: 'buffer' })",
    ],
    [
      'adding a message',
      "new pm.ContextManager({ onMessageAdded: end }).addMessage({ speaker: { id: 'a' }, content: 'x' })",
    ],
    ['making an assembler', 'new pm.CodexContextAssembler({ get headings() { end() } })'],
    ['making a manager', 'new pm.ContextManager({ get maxBytes() { end() } })'],
    [
      'building a prompt',
      "pm.buildPrompt({ agentType: 'codex', message: 'x', contextMessages: [{ get from() { end() }, content: 'x' }] })",
    ],
    [
      'its exit event',
      `process.on('exit', () => { new pm.ContextManager().addMessage({ speaker: { id: 'a' }, content: 'x' }); tell('ended') })`,
    ],
  ])('%s: exits normally', (_, program) => {
    expect(
      told(`const pm = require('promptmason'); const end = () => { tell('ended'); process.exit(0) }; ${program}`),
    ).toBe('ended')
  })
})
