import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AGENTS } from './support/assemblers.js'
import { byAi, managerWith, numbered, spoken } from './support/conversation.js'

const root = join(import.meta.dirname, '..')

describe('the report of a manager', () => {
  it('names messages by their index in getMessages()', () => {
    const manager = managerWith(
      [...numbered(6), spoken('x'.repeat(100)), spoken('y\n[MESSAGE]\nz'), spoken('now')],
      { contextWindowSize: 3, maxBytes: 100 },
    )
    const { report } = manager.assembleForAgentWithReport('a', 'codex')
    const line = (content: string) => Buffer.byteLength(`- Kailai -> all: ${content}`)
    expect(report.dropped).toEqual([{ index: 6, from: 'Kailai', bytes: line('x'.repeat(100)) }, { index: 5, from: 'Kailai', bytes: line('m6') }])
    expect(report.findings).toMatchObject([{ part: 'context', index: 7, line: 2, pretends: 'title', text: '[MESSAGE]', escaped: false }])
    expect(report.sections.find(({ name }) => name === 'context')).toMatchObject({ action: 'trimmed', itemsBefore: 3, itemsAfter: 1 })
  })

  it('says how many messages are outside the window', () => {
    const { report } = managerWith(numbered(9), { contextWindowSize: 3 }).assembleForAgentWithReport('a', 'codex')
    expect(report.decisions.join('\n')).toContain('5 older messages are outside the window')
    expect(managerWith(numbered(4)).assembleForAgentWithReport('a', 'codex').report.decisions).toEqual([])
  })

  it('counts exactly what is sent, with parent, siblings and route', () => {
    const manager = managerWith([spoken('q'), byAi('max', 'r1', { parentMessageId: 'msg-1' }), byAi('lee', 'r2', { parentMessageId: 'msg-1' })])
    manager.setTeamTask('t')
    const route = { parentMessageId: 'msg-1', targetMemberId: 'sarah', intent: 'i' }
    for (const agentType of ['claude-code', 'openai-codex', 'google-gemini']) {
      const { prompt, systemFlag, report } = manager.assembleForRouteWithReport('sarah', agentType, route, { systemInstruction: 's' })
      expect(report).toMatchObject({ agentType, maxBytes: 768 * 1024, promptBytes: Buffer.byteLength(prompt), systemFlagBytes: (systemFlag ?? '').length })
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
      expect(Object.keys(manager.assembleForRouteWithReport('a', agentType, route))).toEqual(['prompt', 'systemFlag', 'report'])
      const buffer = manager.assembleForRouteToBuffer('a', agentType, route)
      expect([Object.keys(buffer), Buffer.isBuffer(buffer.prompt)]).toEqual([['prompt', 'systemFlag'], true])
      expect(Object.keys(manager.assembleForRouteInto('a', agentType, route, null, Buffer.alloc(999)))).toEqual(['bytes', 'systemFlag'])
    }
  })

  it('writes into a buffer from the offset on, and nothing else', () => {
    const manager = managerWith(numbered(3))
    const expected = Buffer.from(manager.assembleForAgent('a', 'claude').prompt)
    const memory = Buffer.alloc(expected.length + 10, 7)
    expect(manager.assembleForAgentInto('a', 'claude', undefined, memory, 4).bytes).toBe(expected.length)
    expect(memory).toEqual(Buffer.concat([Buffer.alloc(4, 7), expected, Buffer.alloc(6, 7)]))
  })

  it('DEBUG shows every form of an assembly on stderr, and asking for the context shows nothing', () => {
    const program = `
      const { ContextManager } = require('promptmason')
      const manager = new ContextManager()
      for (const content of ['one', 'two']) manager.addMessage({ speaker: { id: 'a' }, content })
      const route = { parentMessageId: 'msg-1', targetMemberId: 'b' }
      manager.getContextForAgent('a', 'claude')
      manager.getContextForRoute('a', 'claude', route)
      manager.assembleForAgent('a', 'claude')
      manager.assembleForAgentWithReport('a', 'claude')
      manager.assembleForAgentToBuffer('a', 'claude')
      manager.assembleForAgentInto('a', 'claude', null, Buffer.alloc(999))
      manager.assembleForRoute('a', 'codex', route)
      manager.assembleForRouteWithReport('a', 'codex', route)
      manager.assembleForRouteToBuffer('a', 'codex', route)
      manager.assembleForRouteInto('a', 'codex', route, null, Buffer.alloc(999))
      manager.assemblePrompt('gemini', manager.getContextForAgent('a', 'gemini'))
    `
    const stderrOf = (DEBUG: string | undefined): string =>
      spawnSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8', env: { ...process.env, DEBUG } }).stderr
    const sent = stderrOf('promptmason').match(/\[Debug\]\[Send\] [\w-]+/g)
    expect(sent).toEqual([
      ...Array.from({ length: 4 }, () => '[Debug][Send] claude-code'),
      ...Array.from({ length: 4 }, () => '[Debug][Send] openai-codex'),
      '[Debug][Send] google-gemini',
    ])
    expect(stderrOf(undefined)).toBe('')
  })
})
