/** How often a call of `assemble` or `buildPrompt` calls native code, whatever the number of messages. */
import { createRequire } from 'node:module'
import { CodexContextAssembler, buildPrompt, type PromptContextMessage } from 'promptmason'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { said } from '../support/assemblers.js'

const native = createRequire(import.meta.url)('../../binding.js') as Record<string, { prototype: object }>
const METHODS = { NativeAssembler: ['assemble', 'buildPrompt'], NativeReading: ['pass', 'countTexts'] }
const FUNCTIONS = ['newestThatFit', 'writeTexts']

let crossings = 0
const restored: (() => void)[] = []

const countCalls = (given: object | undefined, names: readonly string[]): void => {
  const functions = given as Record<string, (...passed: unknown[]) => unknown>
  for (const name of names) {
    const own = functions[name]
    if (own === undefined) throw new Error(`there is no ${name}`)
    functions[name] = function count(this: unknown, ...passed: unknown[]) {
      crossings += 1
      return Reflect.apply(own, this, passed)
    }
    restored.push(() => {
      functions[name] = own
    })
  }
}

beforeAll(() => {
  for (const [name, methods] of Object.entries(METHODS)) countCalls(native[name]?.prototype, methods)
  countCalls(native, FUNCTIONS)
})
afterAll(() => {
  for (const restore of restored) restore()
})

const crossingsOf = (call: () => unknown): number => {
  crossings = 0
  call()
  return crossings
}

const conversation = (count: number, text: string): PromptContextMessage[] =>
  Array.from({ length: count }, (_, index) =>
    said(['max', 'sarah', 'kai'][index % 3] ?? '', text.repeat(index % 9), 'all'),
  )

const FORMS = [undefined, { as: 'buffer' }, { into: Buffer.alloc(2 ** 20) }, { report: true }] as const
const TEXTS = { ASCII: 'some words ', CJK: '中文内容。', mixed: 'some words 中文 ' }

describe.each(Object.entries(TEXTS))('messages in %s', (__, text) => {
  it.each([0, 5, 500, 20_000])('%i of them take two calls at most, in every form', (count) => {
    const assembler = new CodexContextAssembler()
    const input = {
      contextMessages: conversation(count, text),
      currentMessage: 'now',
      teamTask: null,
      maxBytes: 100_000,
    }
    for (const form of FORMS) {
      const isReported = form !== undefined && 'report' in form
      const most = text !== TEXTS.ASCII && isReported ? 3 : 2
      expect(crossingsOf(() => assembler.assemble(input, form))).toBeLessThanOrEqual(most)
    }
  })

  it('a window takes one call at most', () => {
    const input = { agentType: 'codex', contextMessages: conversation(20_000, text), message: 'now' }
    for (const maxContextMessages of [undefined, 50])
      expect(crossingsOf(() => buildPrompt({ ...input, maxContextMessages }))).toBeLessThanOrEqual(1)
  })

  it('a window for one member takes few', () => {
    const contextMessages = Array.from({ length: 20_000 }, (_, index) =>
      said('max', text.repeat(index % 9), index % 50 === 0 ? 'all' : 'somebody'),
    )
    const input = { agentType: 'codex', contextMessages, message: 'now', recipient: 'eve' }
    expect(crossingsOf(() => buildPrompt(input))).toBeLessThanOrEqual(12)
  })
})
