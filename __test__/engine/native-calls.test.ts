import { buildPrompt, CodexContextAssembler, ContextManager, GeminiContextAssembler } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { inputOf, said, thrownBy, untyped } from '../support/assemblers.js'
import { told } from '../support/child.js'
import { managerWith, numbered, spoken } from '../support/conversation.js'
import { isBun } from '../support/runtime.js'
import { expectSame } from '../support/simple-reference.js'

const PATIENCE_MS = 120_000

describe('buildPrompt', () => {
  it.each([
    ['wide', '中文内容', 3],
    ['large', 'x'.repeat(1000), 100],
    ['large and wide', '中文'.repeat(500), 100],
  ])('keeps the contents of messages that are %s', (_, content, count) => {
    for (const agentType of ['claude', 'codex', 'gemini', 'other']) {
      for (const recipient of [undefined, 'b']) {
        const contextMessages = Array.from({ length: count }, (_none, index) =>
          said('a', index + content, index % 3 ? 'b' : 'c'),
        )
        const input = { agentType, contextMessages, message: content.slice(0, 20), maxContextMessages: 1000, recipient }
        expectSame(buildPrompt(input).prompt, buildPrompt(input, { as: 'buffer' }).prompt.toString())
      }
    }
  })
})

describe('names', () => {
  it('keep the sender of hundreds of messages to different addressees', () => {
    const program = `
      const { CodexContextAssembler } = require('promptmason')
      const wrong = []
      for (let round = 0; round < 300; round++) {
        const others = Array.from({ length: round }, (_, index) => ({ from: 'other ' + round + ' ' + index, content: 'x' }))
        const messages = Array.from({ length: 300 }, (_, index) => ({ from: 'human ' + round, to: 'agent ' + round + ' ' + index, content: 'c' }))
        const input = { contextMessages: [...messages, ...others], currentMessage: 'x', teamTask: null, maxBytes: 1e6 }
        const lines = new CodexContextAssembler().assemble(input).prompt.split('\\n').slice(1, 301)
        wrong.push(...lines.filter((line, index) => line !== '- human ' + round + ' -> agent ' + round + ' ' + index + ': c'))
      }
      tell(wrong)
    `
    expect(told(program)).toEqual([])
  })
})

describe('the engine', { timeout: PATIENCE_MS }, () => {
  const use = `
    const input = { contextMessages: [{ from: 'a', content: 'hi' }], currentMessage: 'x', teamTask: null, maxBytes: 100 }
    const use = (pm) => {
      const assembler = new pm.PlainTextAssembler()
      return [assembler.assemble(input).prompt, assembler.assemble(input, { as: 'buffer' }).prompt.toString()]
    };
  `
  it('runs several copies of the addon with messages and buffers', () => {
    const program = `${use}
      const file = require.resolve('promptmason')
      const copies = [0, 1, 2].map(() => {
        for (const path of Object.keys(require.cache)) delete require.cache[path]
        return require(file)
      })
      tell(copies.map(use))
    `
    expect(told(program)).toEqual(Array.from({ length: 3 }, () => ['a: hi\n\nx', 'a: hi\n\nx']))
  })

  it('gets no global names, and is not affected by them', () => {
    const program = `${use}
      require('node:vm').runInThisContext('const numbers = 1, numberOf = 2, allocUnsafe = 3')
      tell(use(require('promptmason')))
    `
    expect(told(program)).toEqual(['a: hi\n\nx', 'a: hi\n\nx'])
    expect(
      told(`${use} use(require('promptmason')); tell([typeof numbers, typeof numberOf, typeof allocUnsafe])`),
    ).toEqual(['undefined', 'undefined', 'undefined'])
  })

  it('survives a worker that changes the shared environment', () => {
    const program = `${use}
      const { Worker, SHARE_ENV } = require('node:worker_threads')
      const pm = require('promptmason')
      const work = "for (let i = 0; i < 120000; i++) { process.env['V' + i % 1000] = 'x'.repeat(i % 50); if (i % 3 === 0) delete process.env['V' + (i * 7) % 1000] }"
      let done = false
      new Worker(work, { eval: true, env: SHARE_ENV }).once('exit', () => { done = true })
      const found = new Set()
      while (!done) { for (let i = 0; i < 2000; i++) found.add(use(pm).join('|')); await new Promise((resolve) => setImmediate(resolve)) }
      tell([...found])
    `
    expect(told(program)).toEqual(['a: hi\n\nx|a: hi\n\nx'])
  })

  it('may have functions replaced after the addon was loaded', () => {
    const program = `${use}
      const pm = require('promptmason')
      Object.assign = JSON.parse = JSON.stringify = Reflect.apply = Reflect.construct = () => undefined
      const manager = new pm.ContextManager()
      manager.addMessage({ speaker: { id: 'a' }, content: 'x' })
      const found = [...use(pm), manager.assembleForAgent('a', 'codex', null, { report: true }).report.promptBytes, manager.exportSnapshot().messages.length]
      tell(found)
    `
    expect(told(program)).toEqual(['a: hi\n\nx', 'a: hi\n\nx', '[MESSAGE]\nx'.length, 1])
  })

  // JavaScriptCore, Bun's engine, has strings of twice that length.
  it.skipIf(isBun)('throws if the engine rejects a call', () => {
    const program = `
      const pm = require('promptmason')
      const half = 'x'.repeat(300e6)
      const attempt = (work) => { try { return typeof work() } catch { return 'thrown' } }
      const assembler = new pm.ClaudeContextAssembler()
      const input = { contextMessages: [], currentMessage: 'x', teamTask: null, systemInstruction: [half, half], maxBytes: 2e9 }
      tell([attempt(() => assembler.assemble(input)), attempt(() => assembler.assemble(input, { as: 'buffer' }))])
    `
    expect(told(program)).toEqual(['thrown', 'thrown'])
  })
})

describe('a constructor that fails', () => {
  it('does not initialize the object it was called on', () => {
    const stranger = Object.assign(new ContextManager(), { assemble: () => undefined })
    expect(thrownBy(() => Reflect.apply(untyped<() => void>(CodexContextAssembler), stranger, []))).toBeInstanceOf(
      Error,
    )
    const own = new GeminiContextAssembler()
    expect(own.assemble(inputOf()).prompt).toBe('Last message:\nhello')
    expect(() => CodexContextAssembler.prototype.assemble.call(untyped(stranger), inputOf())).toThrow()
  })

  it('does not let one object write into the conversation of another', () => {
    const stranger = Object.assign(new GeminiContextAssembler(), { addMessage: () => undefined })
    expect(thrownBy(() => Reflect.apply(untyped<() => void>(ContextManager), stranger, []))).toBeInstanceOf(Error)
    const manager = managerWith(numbered(1))
    expect(
      thrownBy(() => ContextManager.prototype.addMessage.call(untyped(stranger), spoken('stranger'))),
    ).toBeInstanceOf(TypeError)
    expect(manager.getLatestMessage()?.content).toBe('m1')
    expect(manager.assembleForAgent('a', 'codex').prompt).toBe('[MESSAGE]\nm1')
  })
})
