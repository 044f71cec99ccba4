/** Agent types that look misspelled are named in warnings, and names that somebody may have chosen are not. */
import { ContextManager, LayoutAssembler, buildPrompt, planDelivery } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { documentText } from '../support/documents.js'

/** A layout that only shows the message. */
const layoutNamed = (agentType: string) => ({
  agentType,
  sections: [{ part: 'message' as const }],
  messageLine: { open: '', colon: ': ' },
})

const decisionsFor = (agentType: string) =>
  buildPrompt({ agentType, contextMessages: [], message: 'Hello.' }, { report: true }).report.decisions

const meantBy = (agentType: string) => /did you mean '(.*)'\?$/.exec(decisionsFor(agentType)[0] ?? '')?.[1]

/** The names that the types offer. */
const offered = [
  ...(/type AgentName =(.*?)\n\n/s.exec(documentText('lib/prompts/agents.ts'))?.[1] ?? '').matchAll(/'(.+)'/g),
]
  .map(([, name]) => name ?? '')
  .toSorted()

describe('an agent type', () => {
  it.each([
    ['cluade', 'claude'],
    [' CLUADE ', 'claude'],
    ['claud', 'claude'],
    ['claudde', 'claude'],
    ['claudecode', 'claude-code'],
    ['Claude Code', 'claude-code'],
    ['claude_code', 'claude-code'],
    ['cluade-code', 'claude-code'],
    ['codx', 'codex'],
    ['cdoex', 'codex'],
    ['gemni', 'gemini'],
    ['gemimi', 'gemini'],
    ['google_gemni', 'google-gemini'],
    ['open-code', 'opencode'],
    ['copliot', 'copilot'],
    ['githubcopilot', 'github-copilot'],
    ['gork', 'grok'],
    ['qewn', 'qwen'],
  ])('%j looks like %s', (agentType, meant) => {
    expect(meantBy(agentType)).toBe(meant)
  })

  it.each([
    'unknown',
    'coder',
    'code',
    'codec',
    'codex-mini',
    'groq',
    'kiro',
    'kiro-code',
    'roo-code',
    'qwen-coder',
    'opencoder',
    'opencodex',
    'claude2',
    'claude-2',
    'claudia',
    'gemma',
    'ip',
    'aider',
    'cursor',
    'my-agent',
    '',
    '--',
    '$&',
    'claude'.repeat(100_000),
  ])('%.20s may be a custom name', (agentType) => {
    expect(decisionsFor(agentType)).toEqual([])
  })

  it('is offered by the types, if it is known', () => {
    expect(offered.length).toBeGreaterThan(10)
    for (const name of offered) {
      expect(decisionsFor(name)).toEqual([])
      expect(LayoutAssembler.for(name).getAgentType()).toContain(name)
      expect(planDelivery({ prompt: 'Hello.' }, { agentType: name }).output).not.toBe('text')
    }
    const wrong = offered
      .filter((name) => name.length > 3)
      .map((name) => `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}`)
    expect(wrong.map(meantBy)).not.toContain(undefined)
  })
})

describe('a misspelled agent type', () => {
  it('is reported in one line', () => {
    expect(decisionsFor(' claude\nCode')).toEqual([
      "agent type 'claude Code' is not known, so the prompt is plain text: did you mean 'claude-code'?",
    ])
  })

  it('is not checked if there is a layout', () => {
    const input = { layout: layoutNamed('cluade'), agentType: 'cluade', contextMessages: [], message: 'Hello.' }
    expect(buildPrompt(input, { report: true }).report.decisions).toEqual([])
  })

  it('causes a warning of a plan, unless the plan has a profile', () => {
    const plan = (options: object) => planDelivery({ prompt: 'Hello.' }, { agentType: 'cluade', ...options })
    expect(plan({}).warnings).toEqual([
      {
        code: 'unknown-agent',
        message: "agent type 'cluade' is unknown, so a program of that name is run: did you mean 'claude'?",
      },
    ])
    expect(plan({ profile: { command: 'x' } }).warnings).toEqual([])
  })

  const managerWith = (options: object) => {
    const told: string[] = []
    const tell = (text: string) => void told.push(text)
    const logger = { debug: tell, info: tell, warn: tell, error: tell }
    const onAssembled = ({ report }: { report: { decisions: string[] } }) => void told.push(...report.decisions)
    const manager = new ContextManager({ logger, onAssembled, ...options })
    manager.addMessage({ speaker: { id: 'kailai' }, content: 'Hello.' })
    return { manager, told }
  }

  it('is reported in reports, hooks and the log of a manager', () => {
    const { manager, told } = managerWith({})
    const sentence = "agent type 'cluade' is not known, so the prompt is plain text: did you mean 'claude'?"
    const { report } = manager.assembleForAgent('sarah', 'cluade', {}, { report: true })
    expect(report.decisions).toEqual([sentence])
    expect(told[0]).toMatch(/^\[ContextManager\] Unknown agentType "cluade" .* Did you mean "claude"\?$/)
    expect(told.slice(1)).toEqual([sentence])
    const input = { contextMessages: [], currentMessage: 'Hello.', teamTask: null, maxBytes: 100 }
    expect(manager.assemblePrompt('cluade', input, { report: true }).report.decisions).toEqual([sentence])
  })

  it('is accepted by a manager that has an assembler or a layout for it', () => {
    for (const options of [{ assemblers: { cluade: {} } }, { layouts: [layoutNamed('cluade')] }]) {
      const { manager, told } = managerWith(options)
      expect(manager.assembleForAgent('sarah', 'cluade', {}, { report: true }).report.decisions).toEqual([])
      expect(told).toEqual([])
    }
  })
})
