import {
  type AssemblerInput,
  ClaudeContextAssembler,
  CodexContextAssembler,
  GeminiContextAssembler,
  PlainTextAssembler,
  type PromptInput,
  buildPrompt,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { untyped } from '../support/assemblers.js'
import { FAMILY } from '../support/generators.js'

/** Many budgets take a while. The duration is not tested. */
const PATIENCE_MS = 120_000
const bytes = (text: string | undefined): number => Buffer.byteLength(text ?? '')

const base: PromptInput = {
  agentType: 'claude-code',
  systemInstructionText: 'You are Max',
  instructionFileText: 'Always be helpful',
  contextMessages: [
    { from: 'kailai', to: 'max', content: 'one' },
    { from: 'max', content: 'two', timestamp: new Date() },
  ],
  message: 'three',
}

const file = (size: number): string => {
  const rules = Array.from({ length: size / 16 }, (_, index) => `rule ${String(index).padStart(10, '0')}`)
  return `FIRST RULE\n${rules.join('\n')}\nLAST RULE`
}

describe('the layout of the agent', () => {
  it('is Claude with the system text beside the prompt', () => {
    expect(buildPrompt(base)).toStrictEqual({
      prompt: '[CONTEXT]\n- kailai -> max: one\n- max -> all: two\n\n[MESSAGE]\nthree',
      systemFlag: 'You are Max\n\nAlways be helpful',
    })
  })

  it('is Codex with everything inline', () => {
    expect(buildPrompt({ ...base, agentType: 'openai-codex' })).toStrictEqual({
      prompt:
        '[SYSTEM]\nYou are Max\n\nAlways be helpful\n\n[CONTEXT]\n- kailai -> max: one\n- max -> all: two\n\n[MESSAGE]\nthree',
      systemFlag: undefined,
    })
  })

  const layouts = [
    ['claude-code', ClaudeContextAssembler],
    ['claude', ClaudeContextAssembler],
    ['Claude-Code', ClaudeContextAssembler],
    ['openai-codex', CodexContextAssembler],
    ['CODEX', CodexContextAssembler],
    ['google-gemini', GeminiContextAssembler],
    ['gemini', GeminiContextAssembler],
    ['opencode', CodexContextAssembler],
    ['Qwen', CodexContextAssembler],
    ['qwen-code', CodexContextAssembler],
    ['copilot', CodexContextAssembler],
    ['GitHub-Copilot', CodexContextAssembler],
    ['kimi', CodexContextAssembler],
    ['somebody', PlainTextAssembler],
    ['', PlainTextAssembler],
    ['claude-code-next', PlainTextAssembler],
  ] as const
  it.each(layouts)('of %j is that of the assembler', (agentType, Assembler) => {
    const input: AssemblerInput = {
      contextMessages: base.contextMessages,
      currentMessage: base.message,
      teamTask: 'task',
      summary: 'before',
      systemInstruction: base.systemInstructionText,
      instructionFileText: base.instructionFileText,
      maxBytes: 768 * 1024,
    }
    expect(buildPrompt({ ...base, teamTask: 'task', summary: 'before', agentType })).toStrictEqual(
      new Assembler().assemble(input),
    )
  })

  it.each([
    [undefined, undefined, undefined],
    ['You are Max', undefined, 'You are Max'],
    [undefined, 'file', 'file'],
    ['You are Max', 'file', 'You are Max\n\nfile'],
    ['  ', 'file', 'file'],
    [['a', ' ', 'b '], null, 'a\nb'],
  ])('joins instruction %j and file %j', (systemInstructionText, instructionFileText, systemFlag) => {
    expect(buildPrompt({ ...base, systemInstructionText, instructionFileText }).systemFlag).toBe(systemFlag)
  })

  it('takes assembler options', () => {
    const options = { systemPlacement: 'inline', headings: { message: '## Now' } } as const
    const { prompt, systemFlag } = buildPrompt({ ...base, options })
    expect(prompt).toMatch(/^\[SYSTEM\]\nYou are Max\n\n/)
    expect(prompt).toMatch(/## Now\nthree$/)
    expect(systemFlag).toBeUndefined()
    expect(() => buildPrompt({ ...base, agentType: 'codex', options: { systemPlacement: 'flag' } })).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' }),
    )
  })
})

describe('the window', () => {
  const contextMessages = Array.from({ length: 12 }, (_, index) => ({ from: `m${index}`, content: `c${index}` }))
  const kept = (input: Partial<PromptInput>): string[] =>
    [...buildPrompt({ ...base, contextMessages, ...input }).prompt.matchAll(/^- (\w+) -> /gm)].map(([, from]) => from!)

  it('is the newest five by default', () => {
    expect(kept({})).toEqual(['m7', 'm8', 'm9', 'm10', 'm11'])
  })
  it.each([0, 1, 3, 12, 99])('is the newest %i if set', (maxContextMessages) => {
    expect(kept({ maxContextMessages })).toEqual(
      contextMessages.map(({ from }) => from).slice(Math.max(0, 12 - maxContextMessages)),
    )
  })
  it('has no title when it is empty', () => {
    expect(buildPrompt({ ...base, maxContextMessages: 0 }).prompt).toBe('[MESSAGE]\nthree')
  })
  it("is reported with the caller's indices", () => {
    const { report } = buildPrompt({ ...base, contextMessages, maxBytes: 110 }, { report: true })
    expect(report.decisions[0]).toBe('[CONTEXT] 7 older messages are outside maxContextMessages (5)')
    expect(report.dropped.at(-1)?.index).toBe(7)
    expect(report.dropped.length).toBeGreaterThan(0)
  })
  it('never reads messages outside it', () => {
    const trap = {
      get from(): string {
        throw new Error('read')
      },
      content: '',
    }
    expect(() => buildPrompt({ ...base, contextMessages: [trap, ...contextMessages.slice(-5)] })).not.toThrow()
    expect(() => buildPrompt({ ...base, contextMessages: [trap], maxContextMessages: 1 })).toThrow('read')
  })
})

describe('recipient', () => {
  const contextMessages = [
    { from: 'kailai', to: 'all', content: 'to all' },
    { from: 'kailai', content: 'to nobody in particular' },
    { from: 'kailai', to: null, content: 'to null' },
    { from: 'kailai', to: '', content: 'to the empty string' },
    { from: 'kailai', to: 'max', content: 'to max alone' },
    { from: 'kailai', to: 'max, sarah', content: 'to max and sarah' },
    { from: 'kailai', to: ' SARAH ', content: 'to sarah, shouted' },
    { from: 'Sarah', to: 'max', content: 'from sarah' },
    { from: 'max', to: 'carol,dave', content: 'between others' },
    { from: 'max', to: 'sarahs', content: 'to a longer name' },
  ]
  const prompt = (recipient: string | undefined, more: Partial<PromptInput> = {}): string =>
    buildPrompt({ ...base, contextMessages, maxContextMessages: 99, recipient, ...more }).prompt

  it('sees what was sent to all, to it, and by it, and nothing else', () => {
    const seen = contextMessages
      .filter(({ content }) => prompt('sarah').includes(content))
      .map(({ content }) => content)
    expect(seen).toEqual([
      'to all',
      'to nobody in particular',
      'to null',
      'to the empty string',
      'to max and sarah',
      'to sarah, shouted',
      'from sarah',
    ])
  })
  it('is compared without regard to case and surrounding space', () => {
    expect(prompt(' sArAh\n')).toBe(prompt('sarah'))
  })
  it('never gets a private message of others, in any form', () => {
    const input = { ...base, contextMessages, maxContextMessages: 99, recipient: 'eve' }
    const buffer = Buffer.alloc(4096)
    const { bytes: length } = buildPrompt(input, { into: buffer })
    for (const text of [
      buildPrompt(input).prompt,
      JSON.stringify(buildPrompt(input, { report: true })),
      buildPrompt(input, { as: 'buffer' }).prompt.toString(),
      buffer.toString('utf8', 0, length),
    ]) {
      for (const secret of ['max alone', 'max and sarah', 'sarah, shouted', 'from sarah', 'between others']) {
        expect(text).not.toContain(secret)
      }
    }
  })
  it('counts the window after filtering', () => {
    expect(prompt('sarah', { maxContextMessages: 2 })).toContain('to sarah, shouted')
    expect(prompt('sarah', { maxContextMessages: 2 })).not.toContain('to max and sarah')
  })
  it('sees only what is for all when it is blank', () => {
    expect(prompt('')).toContain('to all')
    expect(prompt('')).not.toContain('between others')
  })
  it('sees everything when it is not given', () => {
    for (const { content } of contextMessages) expect(prompt(undefined)).toContain(content)
  })
  it('is not shown more than a sum of what was not for it', () => {
    const { report } = buildPrompt(
      { ...base, contextMessages, maxContextMessages: 99, recipient: 'sarah' },
      { report: true },
    )
    expect(report.decisions).toEqual(['[CONTEXT] 3 messages are not for sarah'])
  })
})

describe('roleSummary', () => {
  it('is the first line of the system text', () => {
    expect(buildPrompt({ ...base, roleSummary: ' backend\nengineer ' }).systemFlag).toBe(
      'Role: backend engineer\nYou are Max\n\nAlways be helpful',
    )
    const alone = { ...base, systemInstructionText: undefined, instructionFileText: undefined }
    expect(buildPrompt({ ...alone, roleSummary: 'x' }).systemFlag).toBe('Role: x')
    expect(buildPrompt({ ...alone, roleSummary: ' ' }).systemFlag).toBeUndefined()
  })
  it('is cut to 512 bytes between characters', () => {
    const { systemFlag } = buildPrompt({ ...base, roleSummary: '👩‍🚀'.repeat(100) })
    const [first] = systemFlag!.split('\n')
    expect(first).toBe(`Role: ${'👩‍🚀'.repeat(46)}`)
  })
  it('survives the shortening of the system text', () => {
    const { systemFlag } = buildPrompt({
      ...base,
      roleSummary: 'dev',
      instructionFileText: file(40_000),
      maxBytes: 4096,
    })
    expect(systemFlag).toMatch(/^Role: dev\nYou are Max\n\nFIRST RULE\n/)
  })
})

describe('when it does not fit', { timeout: PATIENCE_MS }, () => {
  it('keeps the instruction, both ends of the file, the newest context and the message', () => {
    const message = 'The message. '.repeat(20).trim()
    const input = {
      ...base,
      instructionFileText: file(40 * 1024),
      contextMessages: [...base.contextMessages, { from: 'sarah', to: 'max', content: 'newest' }],
      message,
      maxBytes: 8192,
    }
    const { prompt, systemFlag, report } = buildPrompt(input, { report: true })
    expect(systemFlag).toMatch(/^You are Max\n\nFIRST RULE\n.*\n\[… \d+ bytes omitted …\]\n.*LAST RULE$/s)
    expect(bytes(systemFlag)).toBeLessThanOrEqual(4096)
    expect(bytes(systemFlag)).toBeGreaterThan(4000)
    expect(prompt).toContain('- sarah -> max: newest')
    expect(prompt.endsWith(message)).toBe(true)
    expect(bytes(prompt) + bytes(systemFlag)).toBeLessThanOrEqual(8192)
    expect(report.decisions).toContain('[SYSTEM] shortened to 4 KB of 40 KB')
    expect(report.neededBytes).toBeGreaterThan(40 * 1024)
  })

  it('keeps the system text within systemMaxBytes', () => {
    const least = bytes('You are Max\n\n') + 2048
    for (const systemMaxBytes of [least, least + 1, 3000]) {
      const { systemFlag } = buildPrompt({ ...base, instructionFileText: file(8000), systemMaxBytes })
      expect(bytes(systemFlag)).toBeLessThanOrEqual(systemMaxBytes)
      expect(bytes(systemFlag)).toBeGreaterThanOrEqual(least)
      expect(systemFlag).toMatch(/^You are Max\n\nF[^]* bytes omitted …\]\n/)
    }
  })

  it.each<[string, Partial<PromptInput>, number]>([
    ['no file', { instructionFileText: undefined }, 500],
    ['a short file', { instructionFileText: 'x'.repeat(2048) }, 502 + 2048],
    ['a long file', { instructionFileText: 'x'.repeat(9000) }, 502 + 2048],
  ])('throws if systemMaxBytes is less than what may not be cut, and says so: %s', (_, fields, least) => {
    const input = { ...base, systemInstructionText: 'I'.repeat(500), ...fields }
    const attempt = (systemMaxBytes: number): unknown => buildPrompt({ ...input, systemMaxBytes })
    for (const systemMaxBytes of [0, 100, least - 1])
      expect(() => attempt(systemMaxBytes)).toThrow(
        expect.objectContaining({
          name: 'RangeError',
          code: 'ERR_BUDGET_EXCEEDED',
          unit: 'bytes',
          message: expect.stringMatching(
            new RegExp(`^the system text needs at least ${least} bytes, but systemMaxBytes is ${systemMaxBytes}: `),
          ),
          requiredBytes: least,
          systemMaxBytes,
          maxBytes: 768 * 1024,
          sections: { system: least },
        }),
      )
    expect(() => attempt(least)).not.toThrow()
  })

  it('gives the system text more than half of the budget before it drops instructions', () => {
    const input = {
      ...base,
      contextMessages: [],
      systemInstructionText: 'I'.repeat(5000),
      instructionFileText: 'F'.repeat(3000),
      message: 'M'.repeat(5080),
    }
    const least = 5000 + 2 + 2048 + bytes('[MESSAGE]\n') + 5080
    for (
      let maxBytes = 10_000;
      maxBytes < 13_000;
      maxBytes += maxBytes > least - 40 && maxBytes < least + 40 ? 1 : 37
    ) {
      const attempt = () => buildPrompt({ ...input, maxBytes })
      if (maxBytes < least) expect(attempt).toThrow(expect.objectContaining({ requiredBytes: least }))
      else expect(bytes(attempt().systemFlag)).toBeGreaterThanOrEqual(5000 + 2 + 2048)
    }
  })

  it.each<[string, Partial<PromptInput>]>([
    ['half of the budget', {}],
    ['a share of its own', { systemMaxBytes: 3000 }],
    ['a small share', { systemMaxBytes: 2100 }],
    ['no instruction', { systemInstructionText: undefined }],
    ['a long instruction', { systemInstructionText: 'I'.repeat(1500) }],
    ['both places', { options: { systemPlacement: 'both' } }],
    ['in the prompt', { agentType: 'codex' }],
    ['a short file', { instructionFileText: 'short' }],
    ['families', { instructionFileText: FAMILY.repeat(300) }],
    ['long graphemes', { instructionFileText: `e${'\u0301'.repeat(400)}`.repeat(9) }],
    ['a file that cannot be cut', { instructionFileText: `e${'\u0301'.repeat(3000)}` }],
    ['a long message', { message: 'm'.repeat(5000) }],
    ['a summary', { summary: 's'.repeat(2500) }],
    ['a short summary', { summary: 's' }],
  ])('requiredBytes is the smallest budget that succeeds: %s', (_, fields) => {
    for (const size of [0, 40, 70, 500, 3000, 9000]) {
      const input = { ...base, instructionFileText: file(size), ...fields }
      for (const maxBytes of [1, 100, 500, 1500]) {
        const attempt = (budget: number) => () => buildPrompt({ ...input, maxBytes: budget })
        let required: number
        try {
          attempt(maxBytes)()
          continue
        } catch (error) {
          required = untyped<{ requiredBytes: number }>(error).requiredBytes
        }
        expect(required).toBeGreaterThan(maxBytes)
        expect(attempt(required)).not.toThrow()
        for (let less = required - 1; less > Math.max(maxBytes, required - 200); less--)
          expect(attempt(less), `${less} of ${required}`).toThrow()
      }
    }
  })

  it('drops context, oldest first, before it shortens the file further', () => {
    const instructionFileText = file(4000)
    const input = { ...base, instructionFileText, systemMaxBytes: 5000, maxContextMessages: 9 }
    const whole = buildPrompt(input, { report: true }).report.totalBytes
    const context = 'one'.length + '- kailai -> max: \n'.length
    const without = buildPrompt({ ...input, maxBytes: whole - 1 }, { report: true })
    expect(without.prompt).toBe('[CONTEXT]\n- max -> all: two\n\n[MESSAGE]\nthree')
    expect(without.report.totalBytes).toBe(whole - context)
    expect(without.systemFlag).toContain(instructionFileText)
    const tight = buildPrompt({ ...input, maxBytes: 3000 }, { report: true })
    expect(tight.prompt).toBe('[MESSAGE]\nthree')
    expect(tight.systemFlag).toContain('bytes omitted')
    expect(tight.report.totalBytes).toBeLessThanOrEqual(3000)
    expect(tight.report.totalBytes).toBeGreaterThan(2980)
  })

  it('shortens the file to 2 KiB and no further', () => {
    const input = { ...base, instructionFileText: file(8000), systemMaxBytes: 9999, contextMessages: [] }
    const least = bytes('You are Max\n\n') + 2048 + bytes('[MESSAGE]\nthree')
    expect(bytes(buildPrompt({ ...input, maxBytes: least }).systemFlag)).toBeGreaterThan(2048)
    expect(() => buildPrompt({ ...input, maxBytes: least - 20 })).toThrow(
      expect.objectContaining({ code: 'ERR_BUDGET_EXCEEDED' }),
    )
    const small = { ...input, instructionFileText: 'x'.repeat(2000) }
    expect(() => buildPrompt({ ...small, maxBytes: 2000 })).toThrow(
      expect.objectContaining({ code: 'ERR_BUDGET_EXCEEDED' }),
    )
  })

  it('counts both copies of the system text when there are two', () => {
    const input = {
      ...base,
      instructionFileText: file(8000),
      systemMaxBytes: 9999,
      options: { systemPlacement: 'both' } as const,
    }
    const { prompt, systemFlag, report } = buildPrompt({ ...input, maxBytes: 6000 }, { report: true })
    expect(prompt).toContain(systemFlag)
    expect(report.totalBytes).toBe(bytes(prompt) + bytes(systemFlag))
    expect(report.totalBytes).toBeLessThanOrEqual(6000)
    expect(report.totalBytes).toBeGreaterThan(5960)
  })

  it('never cuts the message: throws with the sizes of all sections', () => {
    const message = 'm'.repeat(9000)
    const attempt = (): unknown => buildPrompt({ ...base, teamTask: 'the task', message, maxBytes: 8192 })
    expect(attempt).toThrow(RangeError)
    expect(attempt).toThrow(
      /needs 9\d+ bytes, but maxBytes is 8192: system 30 bytes, teamTask 20 bytes, message 9010 bytes/,
    )
    expect(attempt).toThrow(
      expect.objectContaining({
        code: 'ERR_BUDGET_EXCEEDED',
        maxBytes: 8192,
        requiredBytes: 9062,
        sections: { system: 30, teamTask: 20, message: 9010 },
      }),
    )
    expect(buildPrompt({ ...base, teamTask: 'the task', message, maxBytes: 9062 }).prompt).toContain(message)
  })

  it('stays within budget with an uncut message, or throws', () => {
    const input = {
      ...base,
      teamTask: '任务',
      roleSummary: '后端',
      summary: '之前👩‍🚀\n'.repeat(120),
      instructionFileText: '规则👩‍🚀\n'.repeat(400),
      message: '请继续 🇨🇳',
    }
    for (const agentType of ['claude', 'codex', 'gemini', 'other']) {
      const { totalBytes } = buildPrompt({ ...input, agentType }, { report: true }).report
      let fitted = 0
      for (let maxBytes = 1; maxBytes <= totalBytes + 1; maxBytes += 1) {
        try {
          const { prompt, systemFlag } = buildPrompt({ ...input, agentType, maxBytes })
          expect(bytes(prompt) + bytes(systemFlag)).toBeLessThanOrEqual(maxBytes)
          expect((prompt + systemFlag).isWellFormed()).toBe(true)
          expect(prompt).toContain(input.message)
          expect(systemFlag ?? prompt).toContain('Role: 后端\nYou are Max')
          fitted += 1
        } catch (error) {
          expect(error).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED', maxBytes })
        }
      }
      expect(fitted).toBeGreaterThan(1000)
    }
  })

  it('has a budget of 768 KiB by default, half of it for the system text', () => {
    const { report, systemFlag } = buildPrompt({ ...base, instructionFileText: file(1024 * 1024) }, { report: true })
    expect(report.maxBytes).toBe(768 * 1024)
    expect(bytes(systemFlag)).toBeLessThanOrEqual(384 * 1024)
    expect(bytes(systemFlag)).toBeGreaterThan(384 * 1024 - 50)
  })
})

describe('wrong input', () => {
  const cases: [string, unknown, string, RegExp][] = [
    ['agentType', undefined, 'ERR_INVALID_ARG_TYPE', /^agentType must be a string, got undefined/],
    ['message', 5, 'ERR_INVALID_ARG_TYPE', /^message must be a string, got number/],
    ['contextMessages', {}, 'ERR_INVALID_ARG_TYPE', /^contextMessages must be an array, got object/],
    [
      'contextMessages',
      [{ from: 'a', content: 1 }],
      'ERR_INVALID_ARG_TYPE',
      /^contextMessages\[0\]\.content must be a string/,
    ],
    [
      'systemInstructionText',
      ['a', 5],
      'ERR_INVALID_ARG_TYPE',
      /^systemInstructionText\[1\] must be a string, got number/,
    ],
    ['recipient', 7, 'ERR_INVALID_ARG_TYPE', /^recipient must be a string/],
    ['roleSummary', {}, 'ERR_INVALID_ARG_TYPE', /^roleSummary must be a string/],
    ['summary', 5, 'ERR_INVALID_ARG_TYPE', /^summary must be a string, got number/],
    ['options', 'escape', 'ERR_INVALID_ARG_TYPE', /^options must be an object, got string/],
    ['maxBytes', 0, 'ERR_OUT_OF_RANGE', /^maxBytes must be a positive safe integer, got 0/],
    ['maxContextMessages', -1, 'ERR_OUT_OF_RANGE', /^maxContextMessages must be a non-negative integer, got -1/],
    ['maxContextMessages', 1.5, 'ERR_OUT_OF_RANGE', /got 1\.5/],
    ['maxContextMessages', Number.NaN, 'ERR_OUT_OF_RANGE', /got NaN/],
    ['systemMaxBytes', Infinity, 'ERR_OUT_OF_RANGE', /^systemMaxBytes must be .* got Infinity/],
  ]
  it.each(cases)('in %s (%j) is %s', (field, value, code, message) => {
    const attempt = (): unknown => buildPrompt({ ...base, [field]: value } as PromptInput)
    expect(attempt).toThrow(expect.objectContaining({ code }))
    expect(attempt).toThrow(message)
  })
})
