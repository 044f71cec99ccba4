/** How often a call of `assemble` or `buildPrompt` calls native code, whatever the number of messages. */
import { createRequire } from 'node:module'
import { CodexContextAssembler, buildPrompt, type PromptContextMessage } from 'promptmason'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { said } from '../support/assemblers.js'

const native = createRequire(import.meta.url)('../../binding.js') as Record<string, { prototype: object }>
const METHODS = { NativeAssembler: ['assemble', 'buildPrompt'], NativeReading: ['pass', 'countTexts'] }

let crossings = 0
const restored: (() => void)[] = []

beforeAll(() => {
  for (const [name, methods] of Object.entries(METHODS)) {
    const prototype = native[name]?.prototype as Record<string, (...given: unknown[]) => unknown>
    for (const method of methods) {
      const own = prototype[method]
      if (own === undefined) throw new Error(`${name} has no ${method}`)
      prototype[method] = function count(this: unknown, ...given: unknown[]) {
        crossings += 1
        return Reflect.apply(own, this, given)
      }
      restored.push(() => {
        prototype[method] = own
      })
    }
  }
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
    const most = text === TEXTS.ASCII ? 2 : 3
    for (const form of FORMS) expect(crossingsOf(() => assembler.assemble(input, form))).toBeLessThanOrEqual(most)
  })

  it('a window takes one call', () => {
    const input = { agentType: 'codex', contextMessages: conversation(20_000, text), message: 'now' }
    for (const maxContextMessages of [undefined, 50])
      expect(crossingsOf(() => buildPrompt({ ...input, maxContextMessages }))).toBe(1)
  })

  it('a window for one member takes few', () => {
    const contextMessages = Array.from({ length: 20_000 }, (_, index) =>
      said('max', text.repeat(index % 9), index % 50 === 0 ? 'all' : 'somebody'),
    )
    const input = { agentType: 'codex', contextMessages, message: 'now', recipient: 'eve' }
    expect(crossingsOf(() => buildPrompt(input))).toBeLessThanOrEqual(12)
  })
})
