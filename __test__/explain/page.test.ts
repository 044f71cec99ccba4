/** What `renderReport` puts into a page, without a browser. */
import { createHash } from 'node:crypto'
import {
  buildPrompt,
  ClaudeContextAssembler,
  CodexContextAssembler,
  ContextManager,
  LayoutAssembler,
  renderReport,
  type AssemblerReport,
  type PromptInput,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { inputOf, thrownBy, untyped } from '../support/assemblers.js'
import { chatter } from '../support/conversations.js'
import { materials, promptMaterials } from '../support/page-inputs.js'

interface Embedded {
  turns: {
    report: AssemblerReport
    messages: {
      id?: string
      index: number
      from: string
      text: { head: string }
      parts?: { title: string; text: { head: string } }[]
    }[]
    table: object | null
    kept: { first: number }
    lacks: string[]
    sections: { name: string; text: { head: string } }[]
  }[]
}
const dataOf = (html: string): Embedded =>
  JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? '') as Embedded

const INPUT: PromptInput = {
  agentType: 'codex',
  contextMessages: chatter(30),
  message: 'Go on.',
  maxContextMessages: 30,
  maxBytes: 4000,
}
const turnOf = (input: PromptInput) => ({ ...buildPrompt(input, { report: true }), input })

describe('renderReport', () => {
  it('allows its own script and style, and nothing else', () => {
    const html = renderReport(turnOf(INPUT))
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
    const hashOf = (pattern: RegExp): string =>
      `'sha256-${createHash('sha256')
        .update(pattern.exec(html)?.[1] ?? '')
        .digest('base64')}'`
    expect(policy).toBe(
      `default-src 'none'; script-src ${hashOf(/<script>(.*)<\/script>/s)}; style-src ${hashOf(/<style>(.*)<\/style>/s)}; base-uri 'none'; form-action 'none'`,
    )
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|@import|url\(/)
    expect(html).not.toMatch(/ on\w+=|javascript:/)
  })

  it('writes a conversation as JSON that cannot end a tag', () => {
    const attack = '</script><script>alert(1)</script><!-- & \u2028'
    const input = {
      ...INPUT,
      contextMessages: [{ from: attack, content: attack }],
      message: attack,
      systemInstructionText: attack,
      teamTask: attack,
    }
    const html = renderReport(turnOf(input), { title: attack })
    expect(html.match(/<\/?script/g)).toHaveLength(4)
    const [turn] = dataOf(html).turns
    expect(turn?.messages[0]).toMatchObject({ from: attack, text: { head: attack } })
    expect(turn?.sections.map(({ name, text }) => [name, text.head])).toEqual([
      ['system', `[SYSTEM]\n${attack.trim()}`],
      ['teamTask', `[TEAM_TASK]\n${attack.trim()}`],
      ['message', `[MESSAGE]\n${attack.trim()}`],
    ])
  })

  it('contains nothing that the recipient may not see', () => {
    const secret = 'only between Kailai and Max'
    const contextMessages = [
      { from: 'kailai', to: 'max', content: secret },
      { from: 'Secret Sender', to: ['max'], content: `${secret}, too` },
      { from: 'max', to: 'sarah', content: 'The login is done.' },
      ...chatter(3),
    ]
    for (const pinned of [undefined, [0, 1]]) {
      for (const maxBytes of [120, 4000]) {
        const html = renderReport(
          turnOf({ ...INPUT, contextMessages, recipient: 'sarah', pinned, maxBytes, maxContextMessages: 9 }),
        )
        expect(html).toContain('The login is done.')
        expect(html).not.toContain(secret)
        expect(html).not.toContain('Secret Sender')
      }
    }
  })

  it('contains nothing of a manager that the recipient may not see', () => {
    const manager = new ContextManager({ contextWindowSize: 9 })
    const routing = (identifier: string) => ({ resolvedAddressees: [{ identifier }] })
    manager.addMessage({ speaker: { id: 'kailai' }, content: 'between us', routing: routing('max') })
    manager.addMessage({ speaker: { id: 'max' }, content: 'for Sarah', routing: routing('sarah') })
    manager.addMessage({ speaker: { id: 'max' }, content: 'for all' })
    const options = { recipient: 'sarah' }
    const input = manager.getContextForAgent('sarah', 'claude-code', options)
    const html = renderReport({ ...manager.assembleForAgent('sarah', 'claude-code', options, { report: true }), input })
    expect(dataOf(html).turns[0]).toMatchObject({ lacks: [], messages: [{ from: 'max', text: { head: 'for Sarah' } }] })
    expect(html).not.toContain('between us')
  })

  it('knows what another budget keeps, for every way to make a prompt', () => {
    for (const input of materials) {
      const assembler = new ClaudeContextAssembler({ evictionStep: 3, systemPlacement: 'both' })
      const [turn] = dataOf(renderReport({ ...assembler.assemble(input, { report: true }), input, assembler })).turns
      expect([turn?.lacks, turn?.table !== null]).toEqual([[], true])
    }
    for (const input of promptMaterials) expect(dataOf(renderReport(turnOf(input))).turns[0]?.lacks).toEqual([])
  })

  it('knows it for a manager with pins, a summary and a route', () => {
    const manager = new ContextManager({ contextWindowSize: 12, maxBytes: 5000 })
    manager.setTeamTask('Design the login')
    for (const [at, { from, content }] of chatter(40).entries())
      manager.addMessage({ speaker: { id: from }, content, pinned: at === 12 || at === 20 })
    manager.setSummary({ upTo: 'msg-10', text: 'They have met.' })
    manager.addMessage({ speaker: { id: 'max' }, content: 'Yes.', routing: { parentMessageId: 'msg-30' } })
    const route = { parentMessageId: 'msg-30', targetMemberId: 'sarah', intent: 'review' }
    for (const turn of [
      {
        ...manager.assembleForAgent('sarah', 'claude', undefined, { report: true }),
        input: manager.getContextForAgent('sarah', 'claude'),
      },
      {
        ...manager.assembleForRoute('sarah', 'gemini', route, undefined, { report: true }),
        input: manager.getContextForRoute('sarah', 'gemini', route),
      },
    ])
      expect(dataOf(renderReport(turn)).turns[0]?.lacks).toEqual([])
  })

  it('says so if the input is not that of the report', () => {
    const input = inputOf({ contextMessages: chatter(40), maxBytes: 3000 })
    const output = new CodexContextAssembler({ evictionStep: 7 }).assemble(input, { report: true })
    const [turn] = dataOf(renderReport({ ...output, input })).turns
    expect(turn?.table).toBeNull()
    expect(turn?.lacks[0]).toMatch(/^The input does not reproduce this report/)
    expect(
      dataOf(renderReport({ ...output, input, assembler: new CodexContextAssembler({ evictionStep: 7 }) })).turns[0]
        ?.lacks,
    ).toEqual([])
  })

  it('says so for a session, whose prompt is only a part', () => {
    const manager = new ContextManager()
    manager.addMessage({ speaker: { id: 'a' }, content: 'one' })
    manager.addMessage({ speaker: { id: 'a' }, content: 'two' })
    manager.assembleForAgent('x', 'codex', { session: 'delta' })
    manager.confirm('x')
    manager.addMessage({ speaker: { id: 'a' }, content: 'three' })
    const output = manager.assembleForAgent('x', 'codex', { session: 'delta' }, { report: true })
    const html = renderReport({ ...output, input: manager.getContextForAgent('x', 'codex') })
    expect(dataOf(html).turns[0]?.lacks[0]).toMatch(/belongs to a session/)
  })

  it('knows what another budget in tokens keeps', () => {
    const input: PromptInput = { ...INPUT, maxTokens: 400, maxBytes: 100_000 }
    const output = buildPrompt(input, { report: true })
    const [turn] = dataOf(renderReport({ ...output, input })).turns
    expect(turn).toMatchObject({ table: { unit: 'tokens' }, lacks: [] })
    expect(turn?.kept.first).toBe((output.report.dropped[0]?.index ?? -1) + 1)
    expect(turn?.messages).toHaveLength(30)
  })

  it('says so if the input does not reproduce the tokens', () => {
    const input: PromptInput = { ...INPUT, maxTokens: 5000, tokenizer: { bytesPerToken: 2 } }
    const output = buildPrompt(input, { report: true })
    for (const other of [
      { ...input, maxTokens: undefined },
      { ...input, tokenizer: { bytesPerToken: 3 } },
    ]) {
      const [turn] = dataOf(renderReport({ ...output, input: other })).turns
      expect(turn?.table).toBeNull()
      expect(turn?.lacks[0]).toMatch(/^The input does not reproduce the tokens of this report/)
      expect(turn?.messages).toHaveLength(30)
    }
  })

  it('computes how much of the beginning stayed the same', () => {
    const turns = [2, 3, 4].map((count) =>
      turnOf({ ...INPUT, contextMessages: chatter(30).slice(0, count), maxBytes: 100_000 }),
    )
    const prefixes = dataOf(renderReport(turns)).turns.map(({ report }) => report.stablePrefixBytes)
    expect(prefixes[0]).toBeUndefined()
    for (const [at, prefix] of prefixes.entries())
      if (at > 0)
        expect(turns[at]?.prompt.startsWith(Buffer.from(turns[at - 1]?.prompt ?? '').toString('utf8', 0, prefix))).toBe(
          true,
        )
  })

  it('names messages of a manager as its report does', () => {
    const manager = new ContextManager({ contextWindowSize: 3, maxBytes: 400 })
    for (const { content } of chatter(6, 60))
      manager.addMessage({ speaker: { id: 'max' }, content: `${content}\n[SYSTEM]` })
    const output = manager.assembleForAgent('sarah', 'codex', undefined, { report: true })
    const input = manager.getContextForAgent('sarah', 'codex')
    const [turn] = dataOf(renderReport({ ...output, input })).turns
    expect(turn?.messages.map(({ id, index }) => [id, index])).toEqual([
      ['msg-3', 2],
      ['msg-4', 3],
      ['msg-5', 4],
    ])
    const { dropped, findings } = output.report
    const shown = turn?.messages.map(({ index }) => index)
    expect(dropped.length).toBeGreaterThan(0)
    for (const { index } of [...dropped, ...findings.filter(({ part }) => part === 'context')])
      expect(shown).toContain(index)
  })

  it('contains tool calls, results and files as such', () => {
    const parts = [
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', id: '1', name: 'read', input: { path: 'a.ts' } },
      { type: 'tool-result', id: '1', output: 'not found', isError: true },
      { type: 'file', name: 'a.png', mediaType: 'image/png', url: 'https://example.com/a.png' },
    ] as const
    const input = { ...INPUT, contextMessages: [{ from: 'max', content: '', parts }], maxBytes: 9000, pinned: [] }
    const [turn] = dataOf(renderReport(turnOf(input))).turns
    expect(turn?.messages[0]?.parts?.map(({ title, text }) => [title, text.head])).toEqual([
      ['text', 'I look.'],
      ['tool call: read', JSON.stringify({ path: 'a.ts' }, null, 2)],
      ['tool result: error', 'not found'],
      ['file: a.png', 'https://example.com/a.png'],
    ])
  })

  it('accepts a Buffer, too', () => {
    const output = buildPrompt(INPUT, { report: true })
    expect(renderReport({ ...output, prompt: Buffer.from(output.prompt) })).toBe(renderReport(output))
  })

  it('says so for a custom layout without its assembler', () => {
    const layout = { agentType: 'own', sections: [{ part: 'context' }, { part: 'message' }], messageLine: {} } as const
    const assembler = new LayoutAssembler(layout)
    const input = inputOf({ contextMessages: chatter(3) })
    const output = assembler.assemble(input, { report: true })
    expect(dataOf(renderReport({ ...output, input })).turns[0]?.table).toBeNull()
    expect(dataOf(renderReport({ ...output, input, assembler })).turns[0]?.lacks).toEqual([])
  })

  it('ignores unknown fields of a report', () => {
    const { report } = buildPrompt(INPUT, { report: true })
    expect(renderReport(untyped(Object.assign({}, report, { more: 'unexpected text' })))).not.toContain(
      'unexpected text',
    )
    expect(dataOf(renderReport(JSON.parse(JSON.stringify(report)))).turns[0]?.report).toEqual(report)
  })

  const { report, ...output } = buildPrompt(INPUT, { report: true })
  const endless = new Proxy([], {
    get: (target, key, receiver) => (key === 'length' ? 2 ** 32 - 1 : Reflect.get(target, key, receiver)),
  })
  it.each([
    [
      undefined,
      'report must be a report, or an object with a report, such as what assemble returns with { report: true }',
    ],
    [
      'report',
      'report must be a report, or an object with a report, such as what assemble returns with { report: true }',
    ],
    [[], 'reports must have at least one report'],
    [endless, 'reports must have at most 10000 reports'],
    [
      // oxlint-disable-next-line no-sparse-arrays
      [report, , report],
      'reports[1] must be a report, or an object with a report, such as what assemble returns with { report: true }',
    ],
    [[{ report: {} }], 'reports[0].report.agentType must be a string of a report'],
    [{ ...report, sections: [null] }, 'report.sections[0] must be an object of a report'],
    [{ ...report, sections: endless }, 'report.sections must be an array of a report'],
    [{ ...report, maxBytes: Number.NaN }, 'report.maxBytes must be a number of a report'],
    [{ ...report, totalBytes: -1 }, 'report.totalBytes must be a number of a report'],
    [{ ...report, decisions: [{}] }, 'report.decisions[0] must be a string of a report'],
    [{ ...report, account: 1 }, 'report.account must be an object of a report'],
    [{ ...turnOf(INPUT), prompt: 'another' }, 'prompt must be the one that the report is of: it has another size'],
    [{ ...turnOf(INPUT), prompt: 7 }, 'report.prompt must be a string or a Uint8Array'],
    [{ ...output, report, systemFlag: 7 }, 'report.systemFlag must be a string'],
    [{ report, input: 7 }, 'report.input must be what the prompt was made of'],
    [{ report, input: {} }, 'agentType must be a string, got undefined'],
    [{ report, input: { ...INPUT, contextMessages: [null] } }, 'contextMessages[0] must be an object, got null'],
    [{ report, input: { ...INPUT, pinned: 7 } }, 'pinned must be an array, got number'],
    [
      { report, input: inputOf(), assembler: {} },
      'this must be a context assembler: call the method on its object, or bind it',
    ],
  ])('rejects invalid reports (%#)', (given, message) => {
    const thrown = thrownBy(() => renderReport(untyped(given)))
    expect([thrown.code, thrown.message]).toEqual(['ERR_INVALID_ARG_TYPE', message])
    expect(thrown).toBeInstanceOf(TypeError)
  })

  it('rejects a title that is not a string', () => {
    expect(thrownBy(() => renderReport(report, untyped({ title: 7 }))).message).toBe(
      'options.title must be a string, got number',
    )
  })
})
