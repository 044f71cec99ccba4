import fc from 'fast-check'
import { buildPrompt, type PromptContextMessage } from 'promptmason'
import { describe, expect, it } from 'vitest'
import {
  AGENTS,
  byteLength,
  create,
  said,
  thrownBy,
  untyped,
  type Agent,
  type Assembler,
} from '../support/assemblers.js'
import { expectSame, simplePrompt, type Simple } from '../support/simple-reference.js'

const ASSEMBLERS: Record<Agent, Assembler> = {
  claude: create('claude'),
  codex: create('codex'),
  gemini: create('gemini'),
  plain: create('plain'),
}
const TYPES: Record<Agent, string> = {
  claude: 'claude-code',
  codex: 'openai-codex',
  gemini: 'google-gemini',
  plain: 'other',
}

const inputOf = (contextMessages: PromptContextMessage[]): Simple => ({
  contextMessages,
  currentMessage: 'hello',
  teamTask: null,
  maxBytes: 2 ** 22,
})

/** Senders and addressees are right in all forms. */
const expectNames = (agent: Agent, contextMessages: PromptContextMessage[]): void => {
  const input = inputOf(contextMessages)
  const assembler = ASSEMBLERS[agent]
  const expected = simplePrompt(agent, input)
  expectSame(assembler.assemble(input).prompt, expected)
  expectSame(assembler.assemble(input, { as: 'buffer' }).prompt.toString(), expected)
  const memory = Buffer.alloc(byteLength(expected))
  expect(assembler.assemble(input, { into: memory }).bytes).toBe(memory.length)
  expectSame(memory.toString(), expected)
  expectSame(assembler.assemble(input, { report: true }).prompt, expected)
}

/** Created at run time, so that no two are the same object. */
const fresh = (name: string): string => [...name].join('')

describe.each(AGENTS)('%s', (agent) => {
  it.each([255, 256, 257, 300, 1000])('distinguishes %i senders in repeated calls', (count) => {
    const messages = Array.from({ length: count }, (_, index) => said(`sender ${index}`, `c${index}`))
    for (let round = 0; round < 3; round++) expectNames(agent, messages)
    expectNames(agent, [...messages, ...messages])
    expectNames(agent, messages.toReversed())
  })

  it.each([127, 128, 129, 300, 700])('distinguishes %i pairs in repeated calls', (count) => {
    const messages = Array.from({ length: count }, (_, index) =>
      said(`sender ${index}`, `c${index}`, `addressee ${index}`),
    )
    for (let round = 0; round < 3; round++) expectNames(agent, messages)
    expectNames(agent, [...messages, ...messages])
  })

  it('distinguishes as many names in small calls as in a large one', () => {
    for (let index = 0; index < 700; index++) {
      const input = inputOf([said(`one ${index}`, 'x'), said(`two ${index % 90}`, 'y')])
      expectSame(ASSEMBLERS[agent].assemble(input).prompt, simplePrompt(agent, input))
    }
  })

  it('accepts names of any length', () => {
    for (const character of ['n', 'é', '名', '😀', '\ud83d']) {
      for (const units of [0, 1, 62, 63, 64, 65, 66, 255, 256, 257, 10_000]) {
        const name = character.repeat(units).slice(0, units)
        expectNames(agent, [
          said(name, 'a', 'b'),
          said('a', 'b', name),
          said(name, 'c', name),
          said(name, '中文'),
          said(fresh(name), 'd', fresh(name)),
        ])
      }
    }
  })

  it('distinguishes long names with the same beginning', () => {
    const messages = Array.from({ length: 300 }, (_, index) =>
      said(`${'n'.repeat(63)}${index}`, 'x', `${'n'.repeat(60)}${index}`),
    )
    expectNames(agent, messages)
    expectNames(agent, messages)
  })

  it('keeps any name unchanged', () => {
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'undefined',
      'null',
      '0',
      '-1',
      'NaN',
      '',
      ' ',
      '\0',
      'a\0b',
      'é',
      'e\u0301',
      '张三',
      '👨‍👩‍👧‍👦',
      '\ud83d',
      '\udc4d',
      '\ud83d\udc4d',
      '\ufffd',
      'all',
      'ALL',
      '\ufeff',
      ' -> ',
      ': ',
      '\n',
    ]
    const messages = names.flatMap((from) => names.map((to) => said(from, `${from}|${to}`, to)))
    expectNames(agent, messages)
    expectNames(agent, messages)
  })

  it('addresses a message without addressee to all', () => {
    const messages = [
      said('a', '1'),
      { from: 'a', content: '2' },
      said('a', '3', null),
      said('a', '4', undefined),
      said('a', '5', ''),
      said('a', '6', 'all'),
      said('', '7'),
      said('n'.repeat(65), '8'),
      said('n'.repeat(65), '9', null),
      said('n'.repeat(65), '10', ''),
      said('a', '11', fresh('')),
    ]
    expectNames(agent, messages)
    if (agent === 'codex')
      expect(ASSEMBLERS.codex.assemble(inputOf(messages)).prompt.match(/ -> all: /g)).toHaveLength(11)
  })

  it('treats equal strings as the same name', () => {
    const messages = Array.from({ length: 600 }, (_, index) =>
      said(`ma${index < 1e9 ? 'x' : ''}`, 'c', fresh(`sa${'rah'}`)),
    )
    const sliced = 'the name is max and so on'.slice(12, 15)
    expectNames(agent, [...messages, said(sliced, 'd', sliced)])
  })

  it('buildPrompt distinguishes names, with and without a recipient', () => {
    const contextMessages = Array.from({ length: 600 }, (_, index) =>
      said(`sender ${index}`, `c${index}`, index % 3 ? 'max' : `addressee ${index}`),
    )
    for (const recipient of [undefined, 'max', 'sender 30']) {
      const seen = contextMessages.filter(
        ({ from, to }) => recipient === undefined || from === recipient || to === recipient,
      )
      const input = { agentType: TYPES[agent], contextMessages, message: 'hello', maxContextMessages: 1000, recipient }
      expectSame(buildPrompt(input).prompt, simplePrompt(agent, inputOf(seen)))
    }
  })

  it('is not affected by a getter that uses hundreds of other names', () => {
    const others = Array.from({ length: 700 }, (_, index) => said(`other ${index}`, 'x', `another ${index}`))
    const plain = Array.from({ length: 20 }, (_, index) => said(`sender ${index}`, `c${index}`, `addressee ${index}`))
    const messages = plain.map(({ from, to, content }) => ({
      from,
      to,
      get content() {
        expectNames(agent, others)
        return content
      },
    }))
    expectSame(ASSEMBLERS[agent].assemble(inputOf(messages)).prompt, simplePrompt(agent, inputOf(plain)))
  })

  it('throws for a name that is not a string each time, also next to known names', () => {
    for (let round = 0; round < 3; round++) {
      for (const wrong of [5, 0, false, {}, [], Object('max'), Symbol('max'), 5n]) {
        expectNames(agent, [said('max', 'x', 'sarah')])
        const kind = Array.isArray(wrong) ? 'array' : typeof wrong
        expect(thrownBy(() => ASSEMBLERS[agent].assemble(inputOf([said(untyped(wrong), 'x', 'max')])))).toMatchObject({
          code: 'ERR_INVALID_ARG_TYPE',
          message: `contextMessages[0].from must be a string, got ${kind}`,
        })
        if (Array.isArray(wrong)) continue
        expect(thrownBy(() => ASSEMBLERS[agent].assemble(inputOf([said('max', 'x', untyped(wrong))])))).toMatchObject({
          code: 'ERR_INVALID_ARG_TYPE',
          message: `contextMessages[0].to must be a string or an array of strings, got ${kind}`,
        })
      }
    }
  })
})

describe('generated names', () => {
  const name = fc.oneof(
    fc.nat(400).map((index) => `name ${index}`),
    fc.constantFrom('', 'all', '张三', '\ud83d', '\udc4d', '__proto__', 'n'.repeat(64), 'n'.repeat(65), 'é'.repeat(64)),
    fc.string({ unit: 'binary', maxLength: 70 }),
  )
  const message = fc.record({
    from: name.map((from) => `from ${from}`),
    to: fc.option(name),
    content: fc.string({ maxLength: 5 }),
  })

  it('are those of the messages', () => {
    fc.assert(
      fc.property(fc.constantFrom(...AGENTS), fc.array(message, { maxLength: 200 }), (agent, messages) => {
        const input = inputOf(messages)
        expectSame(ASSEMBLERS[agent].assemble(input).prompt, simplePrompt(agent, input))
      }),
      { numRuns: 200 },
    )
  })
})
