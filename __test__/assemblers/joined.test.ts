import fc from 'fast-check'
import {
  ContextManager,
  buildPrompt,
  type AssemblerBufferOutput,
  type AssemblerIntoOutput,
  type AssemblerOutput,
  type PromptContextMessage,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { AGENTS, byteLength, create, said, type Agent, type Assembler } from '../support/assemblers.js'
import { told } from '../support/child.js'
import { spoken } from '../support/conversation.js'
import { expectSame, simplePrompt, type Simple } from '../support/simple-reference.js'
import { runs } from '../support/runs.js'

const KIB = 1024
const PATIENCE_MS = 120_000
const TYPES: Record<Agent, string> = {
  claude: 'claude-code',
  codex: 'openai-codex',
  gemini: 'google-gemini',
  plain: 'other',
}
const LAYOUTS: Record<Agent, Assembler> = {
  claude: create('claude', { systemPlacement: 'inline' }),
  codex: create('codex'),
  gemini: create('gemini'),
  plain: create('plain'),
}

const filled = (text: string, units: number): string => text.repeat(Math.ceil(units / text.length)).slice(0, units)

/** Contents; of `halves`, each ends with one half of a character and begins with the other. */
const SCRIPTS: Record<string, (index: number, units: number) => string> = {
  ascii: (index, units) => filled(`${index} plain text, `, units),
  latin: (index, units) => filled(`${index}é à ü ñ`, units),
  cjk: (index, units) => filled(`${index}中文内容`, units),
  mixed: (index, units) => filled(`${index} mixed 中文 é text in many scripts, `, units),
  emoji: (index, units) => filled(index % 2 ? '👍🏽' : '👨‍👩‍👧‍👦😀', units),
  halves: (index, units) => filled(`\udc4d${'ab中'[index % 3]}`, units) + (index % 4 ? '\ud83d' : ''),
  switching: (index, units) => filled(index % 40 < 20 ? `${index} plain text, ` : '中文内容', units),
}

/** Messages of about this many bytes; some are empty, some are long. */
const conversationOf = (script: string, bytes: number): PromptContextMessage[] => {
  const content = SCRIPTS[script] ?? (() => '')
  const messages: PromptContextMessage[] = []
  const longest = Math.max(40, Math.min(8000, bytes / 20))
  for (let index = 0, written = 0; written < bytes; index++) {
    const units = index % 9 === 4 ? 0 : Math.trunc((((index * 7919) % 101) / 101) * longest)
    const message = said(
      ['max', 'sarah', 'kailai'][index % 3] ?? '',
      content(index, units),
      ['all', 'max', null][index % 3],
    )
    messages.push(message)
    written += byteLength(message.content) + 16
  }
  return messages
}

const inputOf = (script: string, maxBytes: number, text = maxBytes * 1.1): Simple => ({
  contextMessages: conversationOf(script, text),
  currentMessage: SCRIPTS[script]?.(5, 50).trim().toWellFormed() || 'hello',
  teamTask: 'the task',
  systemInstruction: 'You are Max é',
  maxBytes,
})

/** The string form is what is expected, and every other form is the same. */
const expectForms = (agent: Agent, input: Simple, step = 1, assembler = LAYOUTS[agent]): void => {
  const { prompt } = assembler.assemble(input)
  expectSame(prompt, simplePrompt(agent, input, step))
  expect(prompt.isWellFormed()).toBe(true)
  const bytes = byteLength(prompt)
  expect(bytes).toBeLessThanOrEqual(input.maxBytes)
  const buffer = assembler.assemble(input, { as: 'buffer' }).prompt
  expect(buffer.length).toBe(bytes)
  expectSame(buffer.toString(), prompt)
  const memory = Buffer.alloc(bytes + 3, 7)
  expect(assembler.assemble(input, { into: memory, offset: 2 }).bytes).toBe(bytes)
  expect(memory.compare(buffer, 0, bytes, 2, bytes + 2)).toBe(0)
  expect([memory[0], memory[1], memory[bytes + 2]]).toEqual([7, 7, 7])
}

const expectReport = (agent: Agent, input: Simple): void => {
  const { prompt, report } = LAYOUTS[agent].assemble(input, { report: true })
  expectSame(prompt, LAYOUTS[agent].assemble(input).prompt)
  expect(report.promptBytes).toBe(byteLength(prompt))
}

describe.each(Object.keys(SCRIPTS))('messages in %s', { timeout: PATIENCE_MS }, (script) => {
  it.each(AGENTS)('%s: are the same in every form, for budgets around the size of a piece', (agent) => {
    for (const delta of [-3, -1, 0, 1, 2, 5]) expectForms(agent, inputOf(script, 64 * KIB + delta))
    for (const text of [0, 10, 1000, 64 * KIB, 65 * KIB]) {
      expectForms(agent, inputOf(script, 768 * KIB, text))
      expectReport(agent, inputOf(script, 768 * KIB, text))
    }
  })

  it.each([1, 7, 16])('are the same in every form when messages are dropped %i at a time', (evictionStep) => {
    for (const agent of AGENTS) {
      const assembler =
        agent === 'claude'
          ? create(agent, { systemPlacement: 'inline', evictionStep })
          : create(agent, { evictionStep })
      for (const maxBytes of [16 * KIB, 64 * KIB, 768 * KIB])
        expectForms(agent, inputOf(script, maxBytes), evictionStep, assembler)
    }
  })

  it('are the same in every form for megabytes', () => {
    for (const agent of ['codex', 'plain'] as const) expectForms(agent, inputOf(script, 8 * KIB * KIB))
    expectReport('gemini', inputOf(script, 2 * KIB * KIB))
  })

  it('change only where text that looks like structure is escaped', () => {
    for (const maxBytes of [16 * KIB, 200 * KIB]) {
      const input = inputOf(script, maxBytes)
      expectForms('codex', input, 1, create('codex', { markers: 'escape' }))
      const { prompt, report } = create('codex', { markers: 'escape' }).assemble(input, { report: true })
      expectSame(prompt, LAYOUTS.codex.assemble(input).prompt)
      expect(report.promptBytes).toBe(byteLength(prompt))
    }
  })

  it.each(AGENTS)('buildPrompt for %s: are the same as bytes and with a report', (agent) => {
    for (const maxBytes of [16 * KIB, 200 * KIB]) {
      const { contextMessages, currentMessage, teamTask, systemInstruction } = inputOf(script, maxBytes)
      const options = agent === 'claude' ? { systemPlacement: 'inline' as const } : {}
      const input = {
        agentType: TYPES[agent],
        contextMessages,
        message: currentMessage,
        teamTask,
        systemInstructionText: systemInstruction,
        maxBytes,
        maxContextMessages: contextMessages.length,
        options,
      }
      for (const recipient of [undefined, 'max']) {
        const seen = contextMessages.filter(
          ({ from, to }) => !recipient || !to || to === 'all' || [from, to].includes(recipient),
        )
        const expected = simplePrompt(agent, {
          contextMessages: seen,
          currentMessage,
          teamTask,
          systemInstruction,
          maxBytes,
        })
        expectSame(buildPrompt({ ...input, recipient }, { as: 'buffer' }).prompt.toString(), expected)
        const { prompt, report } = buildPrompt({ ...input, recipient }, { report: true })
        expectSame(prompt, expected)
        expect(report.promptBytes).toBe(byteLength(expected))
        const memory = Buffer.alloc(maxBytes)
        const { bytes } = buildPrompt({ ...input, recipient }, { into: memory })
        expectSame(memory.toString('utf8', 0, bytes), expected)
      }
    }
  })

  it('a manager: are the same in every form, within the budget', () => {
    for (const maxBytes of [16 * KIB, 64 * KIB, 768 * KIB]) {
      const messages = conversationOf(script, maxBytes * 1.1)
      const manager = new ContextManager({ maxBytes, contextWindowSize: messages.length })
      for (const { from, content } of messages) manager.addMessage(spoken(content, { speaker: { id: from } }))
      manager.setTeamTask(SCRIPTS[script]?.(1, 900).trim() || 'task')
      for (const agentType of ['openai-codex', 'google-gemini']) {
        const { prompt } = manager.assembleForAgent('max', agentType)
        expect(prompt.isWellFormed()).toBe(true)
        const bytes = byteLength(prompt)
        expect(bytes).toBeLessThanOrEqual(maxBytes)
        const assembler = create(agentType === 'openai-codex' ? 'codex' : 'gemini')
        expectSame(prompt, assembler.assemble(manager.getContextForAgent('max', agentType)).prompt)
        expectSame(manager.assembleForAgent('max', agentType, undefined, { as: 'buffer' }).prompt.toString(), prompt)
        const memory = Buffer.alloc(bytes)
        expect(manager.assembleForAgent('max', agentType, null, { into: memory }).bytes).toBe(bytes)
        expectSame(memory.toString(), prompt)
        const reported = manager.assembleForAgent('max', agentType, undefined, { report: true })
        expectSame(reported.prompt, prompt)
        expect(reported.report.promptBytes).toBe(bytes)
      }
    }
  })
})

describe('a character that two messages have half of each', () => {
  it.each(AGENTS)('%s: stays two replacement characters, however large the prompt is', (agent) => {
    for (const filler of ['', 'x'.repeat(70 * KIB), '中'.repeat(30 * KIB)]) {
      for (const message of ['hello', '中文消息']) {
        const contextMessages = [
          said('a', `${filler}\ud83d`),
          said('\udc4d', '\udc4d'),
          said('\ud83d', `\udc4d${filler}\ud83d`),
          said('\udc4d', ''),
        ]
        const input: Simple = { contextMessages, currentMessage: message, teamTask: null, maxBytes: 1024 * KIB }
        expectForms(agent, input)
        expect(LAYOUTS[agent].assemble(input).prompt).not.toContain('👍')
      }
    }
  })
})

describe('a text of several pieces', { timeout: PATIENCE_MS }, () => {
  const PIECE = 64 * KIB
  it.each(['é', '中', '😀', 'a中', 'aé😀'])('%s stays whole wherever a piece may end', (character) => {
    for (const shift of [0, 1, 2, 3, 4, 5]) {
      const text = 's'.repeat(shift) + character.repeat(Math.ceil((3 * PIECE) / byteLength(character)))
      for (const field of ['currentMessage', 'systemInstruction', 'teamTask', 'summary'] as const) {
        for (const contextMessages of [[], [said('a', 'plain'), said('b', '中文')]]) {
          const input: Simple = {
            contextMessages,
            currentMessage: 'hello',
            teamTask: null,
            maxBytes: 8 * KIB * KIB,
            [field]: text,
          }
          const { prompt } = LAYOUTS.codex.assemble(input)
          expectSame(prompt, simplePrompt('codex', input))
          expectSame(prompt, LAYOUTS.codex.assemble(input, { as: 'buffer' }).prompt.toString())
        }
      }
    }
  })

  it('stays whole at every length around the size of a piece', () => {
    for (const character of ['a', 'é', '中', '😀']) {
      for (let bytes = PIECE - 30; bytes <= PIECE + 8; bytes += 1) {
        const text =
          'x'.repeat(bytes % byteLength(character)) + character.repeat(Math.trunc(bytes / byteLength(character)))
        const input: Simple = {
          contextMessages: [said('a', '中')],
          currentMessage: text,
          teamTask: 'é',
          maxBytes: KIB * KIB,
        }
        expectSame(LAYOUTS.gemini.assemble(input).prompt, simplePrompt('gemini', input))
      }
    }
  })

  it('as the content of one message, stays whole', () => {
    for (const character of ['a', 'é', '中', '😀', '\ud83d']) {
      const content = `x${character.repeat(PIECE)}`
      for (const currentMessage of ['hello', '中文']) {
        for (const agent of AGENTS) {
          expectForms(agent, {
            contextMessages: [said('a', 'first'), said('a', content), said('b', 'last')],
            currentMessage,
            teamTask: null,
            maxBytes: KIB * KIB,
          })
        }
      }
    }
  })
})

describe('everything else that may be long', { timeout: PATIENCE_MS }, () => {
  const long = (character: string, bytes: number): string =>
    `<${filled(character, Math.ceil(bytes / byteLength(character)) * character.length)}>`

  it.each(AGENTS)(
    '%s: a quote, a reply, a title, a flag and a message that is cut are the same in every form',
    (agent) => {
      for (const character of ['a', 'é', '中', '😀', 'a中', '\udc4d', '\ud83d']) {
        for (const maxBytes of [70 * KIB, 200 * KIB, 1024 * KIB]) {
          const assembler = create(agent, {
            headings: { context: `标题 ${character}`, message: filled(character, 200) },
          })
          for (const fields of [
            { parentContext: said('p', long(character, 100 * KIB)) },
            { siblingContext: [said('s', long(character, 30 * KIB)), said('t', long(character, 66 * KIB))] },
            { currentMessage: long(character, 300 * KIB) },
            { currentMessage: long(character, 2048 * KIB) },
            { systemInstruction: [long(character, 20 * KIB), 'x', long(character, 40 * KIB)] },
          ]) {
            const input = {
              contextMessages: conversationOf('switching', 90 * KIB),
              currentMessage: '中文',
              teamTask: character,
              maxBytes,
              ...fields,
            }
            const { prompt, systemFlag } = assembler.assemble(input)
            expect(prompt.isWellFormed()).toBe(true)
            expect(byteLength(prompt) + byteLength(systemFlag ?? '')).toBeLessThanOrEqual(maxBytes)
            const inBytes = assembler.assemble(input, { as: 'buffer' })
            expectSame(inBytes.prompt.toString(), prompt)
            expect(inBytes.prompt.length).toBe(byteLength(prompt))
            expectSame(inBytes.systemFlag ?? '', systemFlag ?? '')
          }
        }
      }
    },
  )

  it('assemblePrompt and the forms for a route are the same', () => {
    for (const script of Object.keys(SCRIPTS)) {
      const input = inputOf(script, 200 * KIB)
      const manager = new ContextManager({
        maxBytes: 200 * KIB,
        contextWindowSize: 1000,
        parentReinsertionMaxBytes: 100 * KIB,
        siblingContentMaxLength: 50 * KIB,
      })
      expectSame(manager.assemblePrompt('codex', input).prompt, simplePrompt('codex', input))
      expectSame(manager.assemblePrompt('gemini', input).prompt, simplePrompt('gemini', input))
      for (const { from, content } of input.contextMessages)
        manager.addMessage(spoken(content, { speaker: { id: from } }))
      const parent = manager.addMessage(spoken(SCRIPTS[script]?.(1, 30_000) ?? ''))
      for (const id of ['max', 'sarah'])
        manager.addMessage(
          spoken(SCRIPTS[script]?.(2, 20_000) ?? '', {
            speaker: { id, type: 'ai' },
            routing: { parentMessageId: parent.id },
          }),
        )
      const route = { parentMessageId: parent.id, targetMemberId: 'carol' }
      const { prompt } = manager.assembleForRoute('carol', 'codex', route)
      expect(prompt.isWellFormed()).toBe(true)
      expectSame(
        manager.assembleForRoute('carol', 'codex', route, undefined, { as: 'buffer' }).prompt.toString(),
        prompt,
      )
      expectSame(manager.assembleForRoute('carol', 'codex', route, undefined, { report: true }).prompt, prompt)
      expectSame(create('codex').assemble(manager.getContextForRoute('carol', 'codex', route)).prompt, prompt)
    }
  })
})

describe('generated messages', () => {
  const piece = fc.constantFrom(
    'a',
    'plain text ',
    'é',
    '中文',
    '😀',
    '\ud83d',
    '\udc4d',
    '\n',
    'x'.repeat(3000),
    '中'.repeat(1000),
    'é'.repeat(9000),
  )
  const content = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  const message = fc.record({
    from: fc.constantFrom('max', 'sarah', '张三', '\ud83d', ''),
    to: fc.constantFrom(null, undefined, '', 'all', 'max', '李四'),
    content,
  })

  it('give what is expected in every form', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...AGENTS),
        fc.array(message, { maxLength: 60 }),
        fc.constantFrom('hello', '中文消息', 'é'),
        fc.integer({ min: 300, max: 300 * KIB }),
        fc.integer({ min: 1, max: 20 }),
        (agent, contextMessages, currentMessage, maxBytes, evictionStep) => {
          const options = agent === 'claude' ? { systemPlacement: 'inline' as const, evictionStep } : { evictionStep }
          expectForms(
            agent,
            { contextMessages, currentMessage, teamTask: '任务', maxBytes },
            evictionStep,
            create(agent, options),
          )
        },
      ),
      runs(60),
    )
  })
})

describe('a content that is different each time it is read', () => {
  it.each(['hello', '中文'])('is read once, and the budget holds (current message %s)', (currentMessage) => {
    const forms: ((input: Simple) => AssemblerOutput | AssemblerBufferOutput | AssemblerIntoOutput)[] = [
      (input) => LAYOUTS.codex.assemble(input),
      (input) => LAYOUTS.codex.assemble(input, { as: 'buffer' }),
      (input) => LAYOUTS.codex.assemble(input, { into: Buffer.alloc(200 * KIB) }),
    ]
    for (const assemble of forms) {
      let most = 0
      const tricky = (short: string, long: string): PromptContextMessage => {
        let mine = 0
        return {
          from: 'a',
          get content() {
            most = Math.max(most, ++mine)
            return mine === 1 ? short : long
          },
        }
      }
      const contextMessages = Array.from({ length: 100 }, (_, index) =>
        tricky(index % 2 ? 'é中\ud83d'.repeat(400) : 'short'.repeat(300), '长'.repeat(100_000)),
      )
      const input: Simple = { contextMessages, currentMessage, teamTask: null, maxBytes: 200 * KIB }
      const output = assemble(input)
      const bytes = 'bytes' in output ? output.bytes : Buffer.byteLength(output.prompt)
      expect(most).toBe(1)
      expect(bytes).toBeLessThanOrEqual(200 * KIB)
      expect(bytes).toBeGreaterThan(150 * KIB)
      if ('prompt' in output) expect(output.prompt.toString()).not.toContain('长')
    }
  })
})

describe('with DEBUG', () => {
  it('the prompt is the same', () => {
    const program = `
      const pm = require('promptmason')
      const messages = (text) => Array.from({ length: 300 }, (_, i) => ({ from: 'm' + i % 5, to: i % 2 ? 'all' : null, content: i + text.repeat(i) }))
      const prompts = () => {
        const found = []
        for (const text of ['plain', 'é', '中文', '\\ud83d', '\\udc4d中']) {
          for (const name of ['Claude', 'Codex', 'Gemini']) {
            const assembler = new pm[name + 'ContextAssembler']()
            for (const maxBytes of [16384, 65536, 200000]) {
              const input = { contextMessages: messages(text), currentMessage: 'now ' + text, teamTask: null, maxBytes }
              found.push(assembler.assemble(input).prompt, assembler.assemble(input, { as: 'buffer' }).prompt.toString())
            }
          }
          const manager = new pm.ContextManager({ contextWindowSize: 300 })
          for (const { from, content } of messages(text)) manager.addMessage({ speaker: { id: from }, content })
          found.push(manager.assembleForAgent('a', 'codex').prompt)
        }
        return found
      }
      const without = prompts()
      process.env.DEBUG = '1'
      const withIt = prompts()
      tell([without.length, without.filter((prompt, index) => prompt !== withIt[index]).length, process.env.DEBUG])
    `
    expect(told(program, { mayWarn: true })).toEqual([95, 0, '1'])
  })
})
