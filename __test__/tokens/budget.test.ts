/** Budgets in tokens: what counts, what is reported, and what is rejected. */
import {
  buildPrompt,
  calibrate,
  ClaudeContextAssembler,
  CodexContextAssembler,
  ContextManager,
  countTokens,
  GeminiContextAssembler,
  LayoutAssembler,
  PlainTextAssembler,
  type ContextManagerOptions,
  type Tokenizer,
} from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { history, inputOf, ROOMY, thrownBy, untyped } from '../support/assemblers.js'

const WORDS = 'The quick brown fox jumps over the lazy dog. '
const conversation = history(40, (index) => `${index}: ${WORDS.repeat(4)}`)
const input = inputOf({
  contextMessages: conversation,
  systemInstruction: 'You are Max.',
  teamTask: 'Build it',
  maxTokens: 500,
})
const lengthOver4 = (text: string): number => Math.ceil(text.length / 4)

/** A manager with the messages of the conversation. */
const managerOf = (options: ContextManagerOptions): ContextManager => {
  const manager = new ContextManager({ contextWindowSize: 100, ...options })
  for (const { content } of conversation)
    manager.addMessage({ speaker: { id: 'a', name: 'a', type: 'human' }, content })
  return manager
}

describe('which tokenizer counts', () => {
  it('Codex has o200k', () => {
    const { prompt, report } = new CodexContextAssembler().assemble(input, { report: true })
    expect(report).toMatchObject({
      tokenizer: 'o200k',
      tokensExact: true,
      maxTokens: 500,
      totalTokens: countTokens(prompt, 'o200k'),
      limitedBy: 'tokens',
    })
    expect(
      buildPrompt({ agentType: 'codex', contextMessages: conversation, message: 'm', maxTokens: 90 }, { report: true })
        .report.tokenizer,
    ).toBe('o200k')
  })

  it.each([
    ['claude-code', () => new ClaudeContextAssembler().assemble(input)],
    ['google-gemini', () => new GeminiContextAssembler().assemble(input)],
    ['unknown', () => new PlainTextAssembler().assemble(input)],
    ['opencode', () => LayoutAssembler.for('opencode').assemble(input)],
    ['claude-code', () => buildPrompt({ agentType: 'claude', contextMessages: [], message: 'm', maxTokens: 10 })],
    ['google-gemini', () => managerOf({ maxTokens: 100 }).assembleForAgent('a', 'gemini')],
    ['google-gemini', () => managerOf({}).assembleForAgent('a', 'gemini', { maxTokens: 100 })],
  ])('a limit for %s without a tokenizer is an error that names the choices', (agentType, run) => {
    const error = thrownBy(run)
    expect(error).toBeInstanceOf(TypeError)
    expect(error.code).toBe('ERR_INVALID_ARG_TYPE')
    for (const part of [
      agentType,
      "'o200k'",
      "'cl100k'",
      '{ bytesPerToken }',
      'a function',
      'vocabulary is not public',
    ])
      expect(error.message).toContain(part)
  })

  it('that of the call, the input, the agent type or the manager, in this order', () => {
    const named = { agentType: 'codex', contextMessages: [], message: 'm' } as const
    const tokenizerOf = (given: { tokenizer?: Tokenizer; options?: { tokenizer: Tokenizer } }) =>
      buildPrompt({ ...named, ...given }, { report: true }).report.tokenizer
    expect(tokenizerOf({ tokenizer: 'cl100k' })).toBe('cl100k')
    expect(tokenizerOf({ options: { tokenizer: 'cl100k' } })).toBe('cl100k')
    expect(tokenizerOf({ tokenizer: { bytesPerToken: 4 }, options: { tokenizer: 'cl100k' } })).toBe('estimate')
    expect(tokenizerOf({})).toBeUndefined()
    const manager = managerOf({
      maxTokens: 200,
      tokenizer: 'cl100k',
      assemblers: { gemini: { tokenizer: { bytesPerToken: 3 } } },
    })
    expect(manager.assembleForAgent('a', 'codex', undefined, { report: true }).report.tokenizer).toBe('cl100k')
    expect(manager.assembleForAgent('a', 'gemini', undefined, { report: true }).report.tokenizer).toBe('estimate')
    expect(
      manager.assembleForAgent('a', 'gemini', { tokenizer: 'o200k', maxTokens: 90 }, { report: true }).report,
    ).toMatchObject({ tokenizer: 'o200k', maxTokens: 90 })
    expect(manager.assembleForAgent('a', 'gemini', undefined, { report: true }).report).toMatchObject({
      tokenizer: 'estimate',
      maxTokens: 200,
    })
  })

  it('a calibrated estimate can be used in the next turn', () => {
    const manager = managerOf({ maxTokens: 400 })
    const first = manager.assembleForAgent('a', 'claude', { tokenizer: { bytesPerToken: 4 } }, { report: true })
    const learned = calibrate({ bytesPerToken: 4 }, { bytes: first.report.totalBytes, tokens: 600 })
    const second = manager.assembleForAgent('a', 'claude', { tokenizer: learned }, { report: true })
    expect(second.report.totalTokens).toBeLessThanOrEqual(400)
    expect(second.report.totalBytes).toBeLessThan(first.report.totalBytes * 0.75)
  })

  it.each([0, -1, 1.5, Number.NaN, Infinity])('a limit of %s is out of range', (maxTokens) => {
    expect(thrownBy(() => new CodexContextAssembler().assemble({ ...input, maxTokens }))).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: expect.stringContaining('maxTokens'),
    })
    expect(thrownBy(() => new ContextManager({ maxTokens }))).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: expect.stringContaining('options.maxTokens'),
    })
    expect(thrownBy(() => managerOf({}).assembleForAgent('a', 'codex', { maxTokens }))).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: expect.stringContaining('options.maxTokens'),
    })
  })

  it.each(['gpt2', 4, true, []])('%j is not a tokenizer', (given) => {
    const tokenizer = untyped<Tokenizer>(given)
    expect(thrownBy(() => new ClaudeContextAssembler({ tokenizer }))).toMatchObject({
      message: expect.stringContaining('options.tokenizer'),
    })
    expect(thrownBy(() => new ContextManager({ tokenizer }))).toMatchObject({
      message: expect.stringContaining('options.tokenizer'),
    })
    expect(
      thrownBy(() => buildPrompt({ agentType: 'codex', contextMessages: [], message: '', tokenizer })),
    ).toMatchObject({ message: expect.stringContaining('tokenizer') })
  })
})

describe('what is counted', () => {
  it('the flag is a text of its own', () => {
    const { prompt, systemFlag, report } = new ClaudeContextAssembler({
      tokenizer: 'o200k',
      systemPlacement: 'both',
    }).assemble(input, { report: true })
    expect(report.systemFlagTokens).toBe(countTokens(systemFlag ?? '', 'o200k'))
    expect(report.promptTokens).toBe(countTokens(prompt, 'o200k'))
    expect(report.totalTokens).toBe((report.promptTokens ?? 0) + (report.systemFlagTokens ?? 0))
  })

  it('sections and dropped messages, where they were counted', () => {
    const { report, prompt } = new CodexContextAssembler().assemble(
      { ...input, summary: WORDS.repeat(100), maxTokens: 330 },
      { report: true },
    )
    const summary = report.sections.find(({ name }) => name === 'summary')
    expect(summary).toMatchObject({
      action: 'shortened',
      tokensBefore: countTokens(`[SUMMARY]\n${WORDS.repeat(100).trim()}`, 'o200k'),
    })
    expect(summary?.tokensAfter).toBeLessThan(summary?.tokensBefore ?? 0)
    expect(report.totalTokens).toBe(countTokens(prompt, 'o200k'))
    expect(report.decisions.join()).toContain('[CONTEXT] dropped, all 40 messages')
    const trimmed = new CodexContextAssembler().assemble(input, { report: true }).report
    const left = 500 - (trimmed.totalTokens ?? 0)
    expect(trimmed.decisions.join()).toContain(
      `[CONTEXT] trimmed to ${40 - trimmed.dropped.length} of 40 messages: the next one needs ${trimmed.dropped[0]?.tokens} tokens, ${left} tokens left`,
    )
    expect(report.dropped[0]?.tokens).toBe(countTokens(`- a -> b: ${conversation.at(-1)?.content}`, 'o200k'))
  })

  it('nothing without a budget or a report', () => {
    const { report } = new CodexContextAssembler().assemble({ ...input, maxTokens: undefined }, { report: true })
    expect(Object.keys(report).filter((key) => /token/i.test(key))).toEqual([])
    expect(report.sections.every((section) => !('tokensAfter' in section))).toBe(true)
    expect(report.limitedBy).toBeUndefined()
    const counted = new CodexContextAssembler({ tokenizer: 'o200k' }).assemble(
      { ...input, maxTokens: undefined },
      { report: true },
    )
    expect(counted.report.totalTokens).toBe(countTokens(counted.prompt, 'o200k'))
    expect(counted.report).not.toHaveProperty('maxTokens')
  })

  it('messages beyond the budget are neither counted nor read', () => {
    const read: number[] = []
    const contextMessages = conversation.map((message, index) => ({
      ...message,
      get content() {
        read.push(index)
        return message.content
      },
    }))
    new CodexContextAssembler().assemble({ ...input, contextMessages, maxTokens: 120 })
    expect(Math.min(...read)).toBeGreaterThan(35)
  })
})

describe('trimming', () => {
  it('follows the tighter budget', () => {
    const codex = new CodexContextAssembler()
    expect(codex.assemble({ ...input, maxBytes: 900, maxTokens: 100_000 }, { report: true }).report.limitedBy).toBe(
      'bytes',
    )
    expect(codex.assemble({ ...input, maxTokens: 200 }, { report: true }).report.limitedBy).toBe('tokens')
    expect(codex.assemble({ ...input, maxTokens: 100_000 }, { report: true }).report.limitedBy).toBeUndefined()
  })

  it('cuts the message visibly, and no more than is needed', () => {
    const { prompt, report } = new CodexContextAssembler().assemble(
      inputOf({ currentMessage: WORDS.repeat(500), maxTokens: 1000 }),
      { report: true },
    )
    expect(prompt).toMatch(/\[… \d+ bytes omitted …\]/)
    expect(report.totalTokens).toBeLessThanOrEqual(1000)
    expect(report.totalTokens).toBeGreaterThan(990)
  })

  it('never cuts the message in buildPrompt; the error has the required tokens', () => {
    const message = WORDS.repeat(20)
    const given = {
      agentType: 'codex',
      contextMessages: conversation,
      message,
      systemInstructionText: 'You are Max.',
    } as const
    const error = thrownBy(() => buildPrompt({ ...given, maxTokens: 50 }))
    expect(error).toMatchObject({
      code: 'ERR_BUDGET_EXCEEDED',
      unit: 'tokens',
      maxTokens: 50,
      maxBytes: ROOMY,
      sections: { system: expect.any(Number), message: countTokens(`[MESSAGE]\n${message.trim()}`, 'o200k') },
    })
    expect(error.message).toContain(`needs ${error.requiredTokens} tokens, but maxTokens is 50: system`)
    expect(buildPrompt({ ...given, maxTokens: error.requiredTokens }, { report: true }).report.totalTokens).toBe(
      error.requiredTokens,
    )
    expect(thrownBy(() => buildPrompt({ ...given, maxTokens: (error.requiredTokens ?? 0) - 1 })).unit).toBe('tokens')
    expect(thrownBy(() => buildPrompt({ ...given, maxBytes: 50, maxTokens: 50 }))).toMatchObject({
      unit: 'bytes',
      maxTokens: 50,
    })
  })

  it('leaves half of the tokens to what is not the system text, unless systemMaxBytes says otherwise', () => {
    const given = {
      agentType: 'codex',
      contextMessages: conversation,
      maxContextMessages: 40,
      message: 'm',
      instructionFileText: WORDS.repeat(2000),
      maxTokens: 2000,
    } as const
    const system = (systemMaxBytes?: number) =>
      buildPrompt({ ...given, systemMaxBytes }, { report: true }).report.sections.find(({ name }) => name === 'system')
        ?.tokensAfter ?? 0
    expect(system()).toBeGreaterThan(900)
    expect(system()).toBeLessThanOrEqual(1010)
    expect(system(2100)).toBeLessThan(600)
  })

  it('keeps pins before anything else, or throws', () => {
    const codex = new CodexContextAssembler()
    const pinned = codex.assemble({ ...input, pinned: [0], maxTokens: 200 }, { report: true })
    expect(pinned.prompt).toContain('0: The quick')
    expect(pinned.prompt).toContain('[… messages omitted …]')
    expect(countTokens(pinned.prompt, 'o200k')).toBeLessThanOrEqual(200)
    const error = thrownBy(() => codex.assemble({ ...input, pinned: [0, 1, 2, 3], maxTokens: 100 }))
    expect(error).toMatchObject({ unit: 'tokens', sections: { pinned: expect.any(Number) } })
  })
})

describe('a manager', () => {
  it('counts each message once, with its current content', () => {
    const manager = managerOf({ maxTokens: 300 })
    const check = (): void => {
      const { prompt, report } = manager.assembleForAgent('a', 'codex', undefined, { report: true })
      expect(report.totalTokens).toBe(countTokens(prompt, 'o200k'))
    }
    check()
    manager.updateMessage('msg-39', { content: '中文 '.repeat(30) })
    check()
    manager.removeMessage('msg-38')
    check()
    manager.importSnapshot(manager.exportSnapshot())
    manager.pin('msg-2')
    check()
  })

  it('reports what does not fit any more', () => {
    const manager = managerOf({ maxTokens: 300 })
    const { messages } = manager.overflow('a', 'codex')
    const kept =
      manager
        .assembleForAgent('a', 'codex', undefined, { report: true })
        .report.sections.find(({ name }) => name === 'context')?.itemsAfter ?? 0
    expect(messages).toHaveLength(39 - kept)
    expect(manager.getContextForAgent('a', 'codex')).toMatchObject({ maxTokens: 300 })
    expect(new ContextManager().getContextForAgent('a', 'codex')).not.toHaveProperty('maxTokens')
  })

  it('assembles an input within the budget of that input', () => {
    const manager = managerOf({ tokenizer: lengthOver4 })
    const { prompt } = manager.assemblePrompt('claude', { ...input, maxTokens: 200 })
    expect(lengthOver4(prompt)).toBeLessThanOrEqual(200)
    expect(lengthOver4(prompt)).toBeGreaterThan(100)
  })
})

describe('a function that counts', () => {
  it('is called once for each text that is reached, and its counts are marked as inexact', () => {
    const tokenizer = vi.fn(lengthOver4)
    const {
      prompt,
      systemFlag = '',
      report,
    } = new ClaudeContextAssembler({ tokenizer }).assemble(input, { report: true })
    const texts = tokenizer.mock.calls.map(([text]) => text)
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts).toContain('You are Max.')
    expect(texts.length).toBeLessThan(20)
    expect(report).toMatchObject({ tokenizer: 'function', tokensExact: false })
    expect(report.totalTokens).toBeLessThanOrEqual(500)
    expect(Math.abs(lengthOver4(prompt) + lengthOver4(systemFlag) - (report.totalTokens ?? 0))).toBeLessThan(25)
  })

  it('is called once for each message of a manager, and not without a budget', () => {
    const tokenizer = vi.fn(lengthOver4)
    const manager = managerOf({ tokenizer, contextWindowSize: 50 })
    tokenizer.mockClear()
    manager.assembleForAgent('a', 'claude', { systemInstruction: 'You are Max.' })
    expect(tokenizer).not.toHaveBeenCalled()
    const options = { maxTokens: 500, systemInstruction: 'You are Max.' }
    expect(lengthOver4(manager.assembleForAgent('a', 'claude', options).prompt)).toBeLessThanOrEqual(500)
    expect(tokenizer).toHaveBeenCalledTimes(41)
    expect(tokenizer.mock.calls[0]?.[0]).toBe(conversation.at(-1)?.content)
    manager.assembleForAgent('a', 'claude', options)
    expect(tokenizer).toHaveBeenCalledTimes(41)
    manager.updateMessage('msg-40', { content: 'new' })
    manager.addMessage({ speaker: { id: 'a' }, content: 'newer' })
    manager.assembleForAgent('a', 'claude', options)
    expect(tokenizer.mock.calls.slice(41).map(([text]) => text)).toEqual(['newer', 'new'])
  })

  it.each([-1, 1.5, Number.NaN, '3', null, undefined])('may not return %s', (returned) => {
    const tokenizer = untyped<Tokenizer>(() => returned)
    expect(thrownBy(() => new ClaudeContextAssembler({ tokenizer }))).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: expect.stringContaining('the result of tokenizer'),
    })
    const onlyTexts = untyped<Tokenizer>((text: string) => (text.includes('Max') ? returned : 9))
    expect(thrownBy(() => new ClaudeContextAssembler({ tokenizer: onlyTexts }).assemble(input))).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
    })
  })

  it('may throw, and the manager is unchanged', () => {
    const mine = new Error('mine')
    let isBroken = false
    const tokenizer = (text: string): number => {
      if (isBroken) throw mine
      return lengthOver4(text)
    }
    const manager = managerOf({ tokenizer, maxTokens: 500 })
    const before = managerOf({ tokenizer, maxTokens: 500 }).assembleForAgent('a', 'claude')
    isBroken = true
    expect(thrownBy(() => manager.assembleForAgent('a', 'claude'))).toBe(mine)
    expect(thrownBy(() => new ClaudeContextAssembler({ tokenizer }))).toBe(mine)
    isBroken = false
    expect(manager.assembleForAgent('a', 'claude')).toEqual(before)
  })

  it('may change the conversation while it counts', () => {
    let manager: ContextManager | undefined
    const tokenizer = (text: string): number => {
      if (text.startsWith('5: ') && manager?.getMessages().some(({ id }) => id === 'msg-1'))
        manager.removeMessage('msg-1')
      return lengthOver4(text)
    }
    manager = managerOf({ tokenizer, maxTokens: 500 })
    expect(lengthOver4(manager.assembleForAgent('a', 'claude').prompt)).toBeLessThanOrEqual(510)
    expect(manager.getMessages()).toHaveLength(39)
  })

  it('cannot be set for one call of a manager', () => {
    const manager = managerOf({})
    expect(
      thrownBy(() => manager.assembleForAgent('a', 'claude', untyped({ maxTokens: 10, tokenizer: lengthOver4 }))),
    ).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE', message: expect.stringContaining('options.tokenizer') })
  })
})
