import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ContextManager, type AssembledEvent, type ContextManagerOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { AGENTS, untyped } from '../support/assemblers.js'
import { byAi, managerWith, numbered, spoken } from '../support/conversation.js'

const root = join(import.meta.dirname, '..', '..')

describe('the report of a manager', () => {
  it('names messages by their index in getMessages()', () => {
    const manager = managerWith([...numbered(6), spoken('x'.repeat(100)), spoken('y\n[MESSAGE]\nz'), spoken('now')], {
      contextWindowSize: 3,
      maxBytes: 100,
    })
    const { report } = manager.assembleForAgent('a', 'codex', undefined, { report: true })
    const line = (content: string) => Buffer.byteLength(`- Kailai -> all: ${content}`)
    expect(report.dropped).toEqual([
      { id: 'msg-7', index: 6, from: 'Kailai', bytes: line('x'.repeat(100)), reason: 'budget' },
      { id: 'msg-6', index: 5, from: 'Kailai', bytes: line('m6'), reason: 'budget' },
    ])
    expect(report.findings).toMatchObject([
      { part: 'context', index: 7, line: 2, pretends: 'title', text: '[MESSAGE]', escaped: false },
    ])
    expect(report.sections.find(({ name }) => name === 'context')).toMatchObject({
      action: 'trimmed',
      itemsBefore: 3,
      itemsAfter: 1,
    })
  })

  it('says how many messages are outside the window', () => {
    const { report } = managerWith(numbered(9), { contextWindowSize: 3 }).assembleForAgent('a', 'codex', undefined, {
      report: true,
    })
    expect(report.decisions.join('\n')).toContain('5 older messages are outside the window')
    expect(
      managerWith(numbered(4)).assembleForAgent('a', 'codex', undefined, { report: true }).report.decisions,
    ).toEqual([])
  })

  it('counts exactly what is sent, with parent, siblings and route', () => {
    const manager = managerWith([
      spoken('q'),
      byAi('max', 'r1', { parentMessageId: 'msg-1' }),
      byAi('lee', 'r2', { parentMessageId: 'msg-1' }),
    ])
    manager.setTeamTask('t')
    const route = { parentMessageId: 'msg-1', targetMemberId: 'sarah', intent: 'i' }
    for (const agentType of ['claude-code', 'openai-codex', 'google-gemini']) {
      const { prompt, systemFlag, report } = manager.assembleForRoute(
        'sarah',
        agentType,
        route,
        { systemInstruction: 's' },
        { report: true },
      )
      expect(report).toMatchObject({
        agentType,
        maxBytes: 768 * 1024,
        promptBytes: Buffer.byteLength(prompt),
        systemFlagBytes: (systemFlag ?? '').length,
      })
      expect(report.totalBytes).toBe(report.promptBytes + report.systemFlagBytes)
      expect(report.sections.map(({ name }) => name)).toEqual(['system', 'teamTask', 'siblings', 'message', 'routing'])
    }
  })

  it('has the keys of an assembly and no others, in every form', () => {
    const manager = managerWith(numbered(3))
    const route = { parentMessageId: 'msg-2', targetMemberId: 'sarah' }
    for (const agentType of AGENTS.slice(0, 3)) {
      expect(Object.keys(manager.assembleForAgent('a', agentType))).toEqual(['prompt', 'systemFlag'])
      expect(Object.keys(manager.assembleForRoute('a', agentType, route))).toEqual(['prompt', 'systemFlag'])
      expect(Object.keys(manager.assembleForRoute('a', agentType, route, undefined, { report: true }))).toEqual([
        'prompt',
        'systemFlag',
        'report',
      ])
      const buffer = manager.assembleForRoute('a', agentType, route, undefined, { as: 'buffer' })
      expect([Object.keys(buffer), Buffer.isBuffer(buffer.prompt)]).toEqual([['prompt', 'systemFlag'], true])
      expect(Object.keys(manager.assembleForRoute('a', agentType, route, null, { into: Buffer.alloc(999) }))).toEqual([
        'bytes',
        'systemFlag',
      ])
    }
  })

  it('writes into a buffer only from the offset on', () => {
    const manager = managerWith(numbered(3))
    const expected = Buffer.from(manager.assembleForAgent('a', 'claude').prompt)
    const memory = Buffer.alloc(expected.length + 10, 7)
    expect(manager.assembleForAgent('a', 'claude', undefined, { into: memory, offset: 4 }).bytes).toBe(expected.length)
    expect(memory).toEqual(Buffer.concat([Buffer.alloc(4, 7), expected, Buffer.alloc(6, 7)]))
  })

  it('DEBUG writes every form of an assembly to stderr, and nothing for a context', () => {
    const program = `
      const { ContextManager } = require('promptmason')
      const manager = new ContextManager()
      for (const content of ['one', 'two']) manager.addMessage({ speaker: { id: 'a' }, content })
      const route = { parentMessageId: 'msg-1', targetMemberId: 'b' }
      manager.getContextForAgent('a', 'claude')
      manager.getContextForRoute('a', 'claude', route)
      manager.assembleForAgent('a', 'claude')
      manager.assembleForAgent('a', 'claude', undefined, { report: true })
      manager.assembleForAgent('a', 'claude', undefined, { as: 'buffer' })
      manager.assembleForAgent('a', 'claude', null, { into: Buffer.alloc(999) })
      manager.assembleForRoute('a', 'codex', route)
      manager.assembleForRoute('a', 'codex', route, undefined, { report: true })
      manager.assembleForRoute('a', 'codex', route, undefined, { as: 'buffer' })
      manager.assembleForRoute('a', 'codex', route, null, { into: Buffer.alloc(999) })
      manager.assemblePrompt('gemini', manager.getContextForAgent('a', 'gemini'))
    `
    const stderrOf = (DEBUG: string | undefined): string =>
      spawnSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8', env: { ...process.env, DEBUG } })
        .stderr
    const sent = stderrOf('promptmason').match(/\[Debug\]\[Send\] [^:]+/g)
    expect(sent).toEqual([
      ...Array.from({ length: 4 }, () => '[Debug][Send] a (claude-code)'),
      ...Array.from({ length: 4 }, () => '[Debug][Send] a (openai-codex)'),
      '[Debug][Send] google-gemini',
    ])
    expect(stderrOf(undefined)).toBe('')
  })

  it('names the agent, with singular and plural', () => {
    const manager = managerWith(numbered(7))
    expect(manager.assembleForAgent('sarah', 'codex', undefined, { report: true }).report).toMatchObject({
      agentId: 'sarah',
      agentType: 'openai-codex',
    })
    const decisionsWith = (windowSizeOverride: number) =>
      manager.assembleForAgent('a', 'codex', { windowSizeOverride }, { report: true }).report.decisions
    expect(decisionsWith(5)).toEqual(['[CONTEXT] 1 older message is outside the window'])
    expect(decisionsWith(4)).toEqual(['[CONTEXT] 2 older messages are outside the window'])
  })

  it('remembers the prompts of a limited number of agents', () => {
    const manager = managerWith([spoken('x'.repeat(700_000))])
    for (let index = 0; index < 300; index++)
      manager.assembleForAgent(`agent ${index}`, 'codex', undefined, { report: true })
    expect(
      manager.assembleForAgent('agent 299', 'codex', undefined, { report: true }).report.stablePrefixBytes,
    ).toBeGreaterThan(700_000)
    expect(
      manager.assembleForAgent('agent 1', 'codex', undefined, { report: true }).report.stablePrefixBytes,
    ).toBeUndefined()
  })
})

describe('onAssembled', () => {
  const route = { parentMessageId: 'msg-1', targetMemberId: 'x' }
  const forms: [string, (manager: ContextManager) => object][] = [
    ['assembleForAgent', (manager) => manager.assembleForAgent('a', 'codex')],
    [
      'assembleForAgent with a report',
      (manager) => manager.assembleForAgent('a', 'codex', undefined, { report: true }),
    ],
    ['assembleForAgent as a buffer', (manager) => manager.assembleForAgent('a', 'codex', undefined, { as: 'buffer' })],
    [
      'assembleForAgent into a buffer',
      (manager) => manager.assembleForAgent('a', 'codex', null, { into: Buffer.alloc(999) }),
    ],
    ['assembleForRoute', (manager) => manager.assembleForRoute('a', 'codex', route)],
    [
      'assembleForRoute with a report',
      (manager) => manager.assembleForRoute('a', 'codex', route, undefined, { report: true }),
    ],
    [
      'assembleForRoute as a buffer',
      (manager) => manager.assembleForRoute('a', 'codex', route, undefined, { as: 'buffer' }),
    ],
    [
      'assembleForRoute into a buffer',
      (manager) => manager.assembleForRoute('a', 'codex', route, null, { into: Buffer.alloc(999) }),
    ],
    [
      'assemblePrompt',
      (manager) =>
        manager.assemblePrompt('codex', manager.getContextForAgent('a', 'codex', { systemInstruction: 's' })),
    ],
  ]
  it.each(forms)('%s: is called with the report, and changes nothing in the output', (name, run) => {
    const events: AssembledEvent[] = []
    const options = {
      onAssembled(event: AssembledEvent): void {
        expect(this).toBe(options)
        events.push(event)
      },
    }
    const messages = [spoken('one 中文'), spoken('two'), spoken('three')]
    const output = run(managerWith(messages, options))
    const plain = run(managerWith(messages))
    expect(output).toEqual(plain)
    expect(events).toHaveLength(1)
    const [{ agentId, agentType, report } = { agentId: '', agentType: '', report: undefined }] = events
    expect([agentId, agentType]).toEqual([name === 'assemblePrompt' ? undefined : 'a', 'codex'])
    expect(report?.promptBytes).toBe(
      'bytes' in output ? output.bytes : Buffer.byteLength((output as { prompt: string }).prompt),
    )
    expect(Object.keys(output)).toEqual(Object.keys(plain))
  })

  it('may throw, and may assemble again', () => {
    const own = new Error('own')
    const failing = managerWith(numbered(2), {
      onAssembled: () => {
        throw own
      },
    })
    expect(() => failing.assembleForAgent('a', 'codex')).toThrow(own)
    const seen: string[] = []
    const manager: ContextManager = managerWith(numbered(2), {
      onAssembled: ({ report }) => {
        seen.push(report.agentId ?? '')
        if (seen.length < 3) manager.assembleForAgent(`agent ${seen.length}`, 'codex', undefined, { as: 'buffer' })
      },
    })
    expect(manager.assembleForAgent('a', 'claude', { systemInstruction: 'flag' })).toEqual({
      prompt: '[CONTEXT]\n- Kailai -> all: m1\n\n[MESSAGE]\nm2',
      systemFlag: 'flag',
    })
    expect(seen).toEqual(['a', 'agent 1', 'agent 2'])
    expect(() => new ContextManager(untyped<ContextManagerOptions>({ onAssembled: 5 }))).toThrow(
      'options.onAssembled must be a function, got number',
    )
  })
})
