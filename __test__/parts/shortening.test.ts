import { describe, expect, it } from 'vitest'
import {
  buildPrompt,
  ContextManager,
  CodexContextAssembler,
  countTokens,
  isPromptmasonError,
  type AssemblerReport,
  type MessagePart,
  type PromptContextMessage,
} from 'promptmason'

const used = (id: string, output: string): PromptContextMessage => ({
  from: 'max',
  content: '',
  parts: [
    { type: 'tool-call', id, name: 'read', input: {} },
    { type: 'tool-result', id, output },
  ],
})
const numbered = (letter: string, lines: number) =>
  Array.from({ length: lines }, (_, nth) => `${letter}${String(nth).padStart(3, '0')}`).join('\n')
const contextMessages = [used('1', numbered('a', 400)), used('2', numbered('b', 400)), used('3', numbered('c', 400))]

/** The prompt of each function with a budget. */
const makers: Record<
  string,
  (maxBytes: number, options?: object, maxTokens?: number) => { prompt: string; report: AssemblerReport }
> = {
  buildPrompt: (maxBytes, options = {}, maxTokens = undefined) =>
    buildPrompt(
      { agentType: 'codex', contextMessages, message: 'Go on.', maxBytes, maxTokens, options },
      { report: true },
    ),
  assemble: (maxBytes, options = {}, maxTokens = undefined) =>
    new CodexContextAssembler(options).assemble(
      { contextMessages, currentMessage: 'Go on.', teamTask: null, maxBytes, maxTokens },
      { report: true },
    ),
  assembleForAgent: (maxBytes, options = {}, maxTokens = undefined) => {
    const manager = new ContextManager({ maxBytes, maxTokens, assemblers: { codex: options } })
    for (const { parts } of contextMessages) manager.addMessage({ speaker: { id: 'max' }, content: '', parts })
    manager.addMessage({ speaker: { id: 'lee' }, content: 'Go on.' })
    return manager.assembleForAgent('a', 'codex', {}, { report: true })
  },
}

/** The sizes of the results in a prompt, oldest first. */
const resultsIn = (prompt: string) =>
  prompt
    .split('\n\n[MESSAGE]')[0]
    ?.split('← result\n')
    .slice(1)
    .map((result) => result.split('\n- max')[0] ?? '')

const checkAccount = ({ account, leftOut }: AssemblerReport) => {
  expect(account.givenBytes).toBe(account.sentBytes + account.leftOutBytes)
  expect(account.leftOutBytes).toBe(leftOut.reduce((sum, { bytes }) => sum + bytes, 0))
}

describe.each(Object.entries(makers))('%s', (_, make) => {
  it('shortens results before it drops messages, oldest first', () => {
    const { prompt, report } = make(4000)
    expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(4000)
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(3980)
    const results = resultsIn(prompt) ?? []
    expect(results.map((result) => result.match(/\n\[… \d+ bytes omitted …\]\n/) !== null)).toEqual([true, true, false])
    expect(results[0]?.length).toBeLessThan(256 + 8)
    expect(results[0]).toMatch(/^a000\na001\n/)
    expect(results[0]).toMatch(/\na398\na399$/)
    expect(results[1]?.length).toBeGreaterThan(1000)
    expect(results[2]).toBe(numbered('c', 400))
    expect(report.sections.find(({ name }) => name === 'context')).toMatchObject({
      action: 'shortened',
      itemsBefore: 3,
      itemsAfter: 3,
    })
    expect(report.dropped).toEqual([])
    expect(report.limitedBy).toBe('bytes')
    const cut = report.leftOut.filter(({ action, reason }) => action === 'cut' && reason === 'budget')
    expect(cut.map(({ part, index, step }) => [part, index, step])).toEqual([
      ['context', 1, 'shorten-results'],
      ['context', 0, 'shorten-results'],
    ])
    expect(report.decisions.join('\n')).toMatch(
      /\[CONTEXT\] tool results in 2 messages are shortened: [\d.]+ KB left out/,
    )
    checkAccount(report)
  })

  it('reports the tokens of a conversation before its results were shortened', () => {
    const tokensBefore = (maxTokens: number) => {
      const { report } = make(100_000, {}, maxTokens)
      const { tokensBefore: before, tokensAfter: after = 0 } =
        report.sections.find(({ name }) => name === 'context') ?? {}
      return [before, after > 1000 && after < 3000]
    }
    expect(tokensBefore(2900)).toEqual([undefined, true])
    const [whole] = tokensBefore(100_000)
    expect(whole).toBeGreaterThan(3000)
  })

  it('drops messages, oldest first, once every result is as short as it may be', () => {
    const { prompt, report } = make(700)
    expect(resultsIn(prompt)?.map((result) => result[0])).toEqual(['b', 'c'])
    expect(report.dropped.map(({ index }) => index)).toEqual([0])
    checkAccount(report)
  })

  it('does not shorten results below toolOutputMinBytes', () => {
    const { prompt } = make(2600, { toolOutputMinBytes: 1000 })
    const results = resultsIn(prompt) ?? []
    expect(results.map((result) => result[0])).toEqual(['b', 'c'])
    for (const result of results) expect(Buffer.byteLength(result)).toBeGreaterThanOrEqual(1000)
  })

  it('shortens in steps with an eviction step, so that prompts keep their beginning', () => {
    const { prompt, report } = make(4000, { evictionStep: 2 })
    const lengths = resultsIn(prompt)?.map((result) => result.length) ?? []
    expect(lengths[0]).toBeLessThan(264)
    expect(lengths[1]).toBeLessThan(264)
    expect(lengths[2]).toBe(1999)
    checkAccount(report)
  })

  it('keeps a budget in tokens', () => {
    for (const maxTokens of [600, 900, 1500, 2500]) {
      const { prompt, report } = make(100_000, {}, maxTokens)
      const tokens = countTokens(prompt, 'o200k')
      expect(tokens).toBeLessThanOrEqual(maxTokens)
      expect(tokens).toBeGreaterThan(maxTokens - 20)
      expect(report).toMatchObject({ totalTokens: tokens, limitedBy: 'tokens' })
      expect(resultsIn(prompt)?.length).toBe(3)
      checkAccount(report)
    }
  })

  it('keeps a budget that a function counts', () => {
    const tokenizer = (text: string) => Math.ceil(text.length / 3)
    const { prompt, report } = make(100_000, { tokenizer }, 1200)
    expect(report.totalTokens).toBeLessThanOrEqual(1200)
    expect(report.totalTokens).toBeGreaterThan(1150)
    expect(resultsIn(prompt)?.length).toBe(3)
    checkAccount(report)
  })
})

describe('results that are shortened', () => {
  it('never show less with a larger budget, and requiredBytes is exact with pins', () => {
    let messages = 0
    let sent = 0
    const pinned = [0]
    let required = 0
    try {
      buildPrompt({ agentType: 'codex', contextMessages, message: 'Go on.', maxBytes: 100, pinned })
    } catch (error) {
      if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) throw error
      required = error.requiredBytes
    }
    expect(required).toBeGreaterThan(300)
    expect(required).toBeLessThan(400)
    const make = (maxBytes: number) =>
      buildPrompt({ agentType: 'codex', contextMessages, message: 'Go on.', maxBytes, pinned }, { report: true })
    expect(() => make(required - 1)).toThrow(`needs ${required} bytes`)
    for (let maxBytes = required; maxBytes < 7000; maxBytes += 37) {
      const { prompt, report } = make(maxBytes)
      expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(maxBytes)
      const kept = resultsIn(prompt)?.length ?? 0
      expect(kept).toBeGreaterThanOrEqual(messages)
      if (kept === messages) expect(report.account.sentBytes).toBeGreaterThanOrEqual(sent - 8)
      messages = kept
      sent = report.account.sentBytes
      checkAccount(report)
    }
  })

  it('are not shown with a pinned call if there are no tokens left for them', () => {
    const messages: PromptContextMessage[] = [
      { from: 'max', content: '', parts: [{ type: 'tool-call', id: '1', name: 'read', input: {} }] },
      { from: 'max', content: '', parts: [{ type: 'tool-result', id: '1', output: numbered('a', 100) }] },
    ]
    for (const as of ['string', 'anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk'] as const) {
      const make = (maxTokens: number): any =>
        buildPrompt(
          {
            agentType: 'codex',
            contextMessages: messages,
            message: 'Go on.',
            pinned: [0],
            recipient: 'max',
            maxTokens,
            tokenizer: 'o200k',
          },
          { as: as as 'string', report: true },
        )
      let required = 0
      try {
        make(1)
      } catch (error: any) {
        required = error.requiredTokens
      }
      expect(required).toBeGreaterThan(0)
      let isShown = false
      for (let maxTokens = required; maxTokens < 700; maxTokens += 7) {
        const { report, ...made } = make(maxTokens)
        const text = JSON.stringify(made)
        expect(text.includes('a000'), `${as} ${maxTokens}`).toBe(/read[^_]/.test(text))
        expect(report.totalTokens).toBeLessThanOrEqual(maxTokens)
        isShown ||= text.includes('a000')
        checkAccount(report)
      }
      expect(isShown, as).toBe(true)
    }
  })

  it('are never cut inside a character', () => {
    const family = used('1', '👨‍👩‍👧‍👦🇨🇳각'.repeat(200))
    for (let maxBytes = 350; maxBytes < 700; maxBytes += 1) {
      const { prompt } = buildPrompt({ agentType: 'codex', contextMessages: [family], message: 'Go on.', maxBytes })
      const [result = ''] = resultsIn(prompt) ?? []
      const [head = '', tail = ''] = result.split(/\n\[… \d+ bytes omitted …\]\n/)
      expect(head.replace(/^(?:👨‍👩‍👧‍👦🇨🇳각)*(?:👨‍👩‍👧‍👦(?:🇨🇳)?)?/, '')).toBe('')
      expect(tail.replace(/(?:(?:🇨🇳)?각)?(?:👨‍👩‍👧‍👦🇨🇳각)*$/, '')).toBe('')
      expect(tail).not.toBe('')
    }
  })

  it('cannot create a title by a cut', () => {
    for (let shift = 0; shift < 60; shift++) {
      const output = 'x'.repeat(shift) + 'y[SYSTEM]\ny'.repeat(300)
      const { prompt, report } = buildPrompt(
        {
          agentType: 'codex',
          contextMessages: [used('1', output)],
          message: 'Go on.',
          maxBytes: 900,
          options: { markers: 'escape' },
        },
        { report: true },
      )
      expect(prompt).not.toMatch(/^\[SYSTEM\]/m)
      expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(900)
      expect(report.findings.every(({ escaped }) => escaped)).toBe(true)
      checkAccount(report)
    }
  })

  it('keep the fence key out of a cut', () => {
    const fenceKey = 'abcdefghijkl'
    const input = { agentType: 'codex', message: 'Go on.', maxBytes: 1400, fenceKey, messageFrom: 'lee' } as const
    const output = `y${fenceKey}\n`.repeat(300)
    const { prompt, report } = buildPrompt(
      { ...input, contextMessages: [used('1', output), used('2', 'ok')], options: { markers: 'fence' } },
      { report: true },
    )
    expect(prompt).not.toContain(`y${fenceKey}`)
    expect(prompt).toContain('bytes omitted')
    expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(1400)
    checkAccount(report)
  })

  it('count as shown in a session', () => {
    const manager = new ContextManager({ maxBytes: 1000 })
    const add = (speaker: string, content: string, parts?: MessagePart[]) =>
      manager.addMessage({ speaker: { id: speaker }, content, ...(parts === undefined ? {} : { parts }) })
    add('lee', 'Look.')
    manager.assembleForAgent('a', 'codex', { session: 'delta' })
    manager.confirm('a')
    add('max', '', used('1', numbered('a', 400)).parts as MessagePart[])
    add('lee', 'And?')
    const { prompt, report } = manager.assembleForAgent('a', 'codex', { session: 'delta' }, { report: true })
    expect(prompt).toMatch(/→ read \{\}\n← result\na000\n[\s\S]*bytes omitted[\s\S]*a399\n\n\[MESSAGE\]\nAnd\?$/)
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(980)
    checkAccount(report)
    manager.confirm('a')
    add('lee', 'Well?')
    expect(manager.assembleForAgent('a', 'codex', { session: 'delta' }).prompt).toBe('[MESSAGE]\nWell?')
  })
})
