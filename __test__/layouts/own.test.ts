/** Custom layouts in assemblers, buildPrompt and ContextManager. */
import {
  ContextManager,
  LayoutAssembler,
  buildPrompt,
  type AgentType,
  type AssemblerInput,
  type LayoutDefinition,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { AGENTS, create, inputOf, outcomeOfAllForms, said, thrownBy } from '../support/assemblers.js'
import { LAYOUTS } from '../support/reference.js'

const EVERYTHING: AssemblerInput = inputOf({
  contextMessages: [said('kai', 'one', 'max'), said('max', 'two')],
  currentMessage: 'now',
  teamTask: 'task',
  systemInstruction: ['be', 'brief'],
  instructionFileText: 'file',
  parentContext: said('kai', 'question', 'max'),
  siblingContext: [said('lee', 'newest', 'kai'), said('ann', 'older')],
  routeMeta: { parentMessageId: 'msg-1', intent: 'review' },
})

/** What never changes first, what changes every turn last. */
const OWN: LayoutDefinition = {
  agentType: 'Aider',
  aliases: ['aider-chat'],
  systemPlacement: 'flag',
  sections: [
    { part: 'system', title: '# Rules' },
    { part: 'teamTask', title: '# Task' },
    { part: 'routing', title: '# Route' },
    { part: 'context', title: '# Chat', note: '(oldest first)' },
    { part: 'siblings', note: '(said already)' },
    { part: 'message' },
  ],
  messageLine: { open: '* ', arrow: ' to ', colon: ' | ' },
  quoteLine: { open: '> ' },
  labels: { intent: 'Wanted: ' },
}

const OWN_PROMPT = `# Task
task

# Route
parentMessageId: msg-1
Wanted: review

# Chat
(oldest first)
* kai to max | one
* max to all | two

(said already)
> lee | newest
> ann | older

now`

describe('LayoutAssembler', () => {
  const assembler = new LayoutAssembler(OWN)

  it('has the sections, titles and lines of the layout, in all four forms', () => {
    expect(outcomeOfAllForms(assembler, EVERYTHING)).toEqual({ prompt: OWN_PROMPT, systemFlag: 'be\nbrief\n\nfile' })
    expect(assembler.getAgentType()).toBe('Aider')
  })

  it('reports in the order of the layout, and leaves out what is not listed', () => {
    const { report } = assembler.assemble(EVERYTHING, { report: true })
    expect(report.agentType).toBe('Aider')
    expect(report.sections.map(({ name }) => name)).toEqual([
      'system',
      'teamTask',
      'routing',
      'context',
      'siblings',
      'message',
    ])
  })

  it('accepts options: titles by part, and the place of the system text', () => {
    const made = (options: object) => new LayoutAssembler(OWN, options).assemble(inputOf({ systemInstruction: 's' }))
    expect(made({ systemPlacement: 'inline' })).toEqual({ prompt: '# Rules\ns\n\nhello', systemFlag: undefined })
    expect(made({ systemPlacement: 'both', headings: { system: '', message: 'NOW' } })).toEqual({
      prompt: 's\n\nNOW\nhello',
      systemFlag: 's',
    })
    const inline: LayoutDefinition = { ...OWN, systemPlacement: 'inline' }
    const error = thrownBy(() => new LayoutAssembler(inline, { systemPlacement: 'flag' }))
    expect([error.name, error.message]).toEqual([
      'TypeError',
      "options.systemPlacement must be 'inline', as this agent has no system flag, got 'flag'",
    ])
  })

  it('reports the exact required budget', () => {
    const error = thrownBy(() => assembler.assemble({ ...EVERYTHING, maxBytes: 10 }))
    expect(error).toMatchObject({
      code: 'ERR_BUDGET_EXCEEDED',
      sections: { system: 14, teamTask: 11, routing: 45, message: 3 },
    })
    const least = { ...EVERYTHING, maxBytes: error.requiredBytes ?? 0 }
    expect(assembler.assemble(least).prompt).toBe(
      '# Task\ntask\n\n# Route\nparentMessageId: msg-1\nWanted: review\n\nnow',
    )
    expect(thrownBy(() => assembler.assemble({ ...least, maxBytes: least.maxBytes - 1 })).code).toBe(
      'ERR_BUDGET_EXCEEDED',
    )
  })

  it('has defaults: no titles, lines as in plain text, the usual labels', () => {
    const parts = ['message', 'siblings', 'context', 'routing', 'parent', 'system'] as const
    const plain = new LayoutAssembler({ agentType: 'x', sections: parts.map((part) => ({ part })), messageLine: {} })
    expect(plain.assemble(EVERYTHING)).toEqual({
      prompt:
        'now\n\nlee: newest\nann: older\n\nkai: one\nmax: two\n\nparentMessageId: msg-1\nintent: review\n\nkai: question\n\nbe\nbrief\n\nfile',
      systemFlag: undefined,
    })
  })

  it('accepts null and undefined for everything optional', () => {
    const nothing: LayoutDefinition = {
      agentType: 'x',
      aliases: null,
      systemPlacement: undefined,
      sections: [{ part: 'context', title: null, note: undefined }, { part: 'message' }],
      messageLine: { open: null, arrow: null, colon: undefined },
      quoteLine: null,
      labels: { intent: null },
    }
    expect(new LayoutAssembler(nothing, null).assemble(EVERYTHING).prompt).toBe('kai: one\nmax: two\n\nnow')
  })

  it('shows a parent that equals the message, if the message is not shown', () => {
    const layout: LayoutDefinition = { agentType: 'x', sections: [{ part: 'parent' }], messageLine: {} }
    expect(new LayoutAssembler(layout).assemble(inputOf({ parentContext: said('a', 'hello') })).prompt).toBe('a: hello')
  })

  it('may have nothing to show', () => {
    const layout: LayoutDefinition = { agentType: 'x', sections: [], messageLine: {} }
    expect(outcomeOfAllForms(new LayoutAssembler(layout), { ...EVERYTHING, maxBytes: 1 })).toEqual({
      prompt: '',
      systemFlag: undefined,
    })
  })

  it('lists findings in the order of the layout', () => {
    const layout: LayoutDefinition = {
      agentType: 'x',
      sections: (['siblings', 'message', 'context', 'parent'] as const).map((part) => ({ part, title: `# ${part}` })),
      messageLine: {},
    }
    const forged = said('a', 'x\n# message')
    const input = inputOf({ contextMessages: [forged], siblingContext: [forged, forged], parentContext: forged })
    const { findings } = new LayoutAssembler(layout).assemble(input, { report: true }).report
    expect(findings.map(({ part, index }) => [part, index])).toEqual([
      ['siblings', 0],
      ['siblings', 1],
      ['context', 0],
      ['parent', 0],
    ])
  })

  it('can be extended', () => {
    class Mine extends LayoutAssembler {
      constructor() {
        super(OWN)
      }
      twice(input: AssemblerInput): string {
        return this.assemble(input).prompt.repeat(2)
      }
    }
    expect(new Mine().twice(inputOf())).toBe('hellohello')
    expect(new Mine().getAgentType()).toBe('Aider')
  })
})

describe('the layouts of this package are the same data', () => {
  it.each(AGENTS)('%s, written as a definition, returns the same prompts', (agent) => {
    const own = new LayoutAssembler(LAYOUTS[agent])
    expect(own.getAgentType()).toBe(create(agent).getAgentType())
    for (let maxBytes = 1; maxBytes < 700; maxBytes += 7) {
      expect(outcomeOfAllForms(own, { ...EVERYTHING, maxBytes })).toEqual(
        outcomeOfAllForms(create(agent), { ...EVERYTHING, maxBytes }),
      )
    }
  })

  const known: [AgentType, ...AgentType[]][] = [
    ['opencode', 'OpenCode '],
    ['qwen-code', 'qwen', 'Qwen'],
    ['github-copilot', 'copilot', 'GitHub-Copilot'],
    ['pi', 'Pi'],
    ['grok', 'Grok'],
    ['kimi-code', 'kimi', 'Kimi-Code'],
    ['kilo-code', 'kilo', 'Kilo'],
  ]
  it.each(known)('%s uses the Codex layout under all of its names, without a warning', (agentType, ...names) => {
    const expected = create('codex').assemble(EVERYTHING)
    const warnings: string[] = []
    const warn = (message: string) => void warnings.push(message)
    const manager = new ContextManager({ logger: { debug: warn, info: warn, warn, error: warn } })
    for (const name of [agentType, ...names]) {
      const assembler = LayoutAssembler.for(name)
      expect(assembler).toBeInstanceOf(LayoutAssembler)
      expect(assembler.getAgentType()).toBe(agentType)
      expect(outcomeOfAllForms(assembler, EVERYTHING)).toEqual(expected)
      expect(manager.assemblePrompt(name, EVERYTHING)).toEqual(expected)
      const { report } = buildPrompt({ agentType: name, contextMessages: [], message: 'x' }, { report: true })
      expect(report.agentType).toBe(agentType)
      expect(thrownBy(() => LayoutAssembler.for(name, { systemPlacement: 'flag' })).code).toBe('ERR_INVALID_ARG_TYPE')
    }
    expect(warnings).toEqual([])
  })

  it('LayoutAssembler.for creates an assembler of every type, with options', () => {
    for (const agent of AGENTS) {
      const type = create(agent).getAgentType()
      const options = { headings: { message: 'NOW' } }
      expect(LayoutAssembler.for(type, options).assemble(EVERYTHING)).toEqual(
        create(agent, options).assemble(EVERYTHING),
      )
    }
    expect(LayoutAssembler.for('CLAUDE', { systemPlacement: 'both' }).assemble(EVERYTHING).systemFlag).toBe(
      'be\nbrief\n\nfile',
    )
  })

  it.each([['kimi-2'], [''], [5], [undefined], [LAYOUTS.codex]])(
    'LayoutAssembler.for(%j) is an error that names the types',
    (name) => {
      const error = thrownBy(() => LayoutAssembler.for(name as string))
      expect([error.name, error.code]).toEqual(['TypeError', 'ERR_INVALID_ARG_TYPE'])
      expect(error.message).toMatch(
        typeof name === 'string'
          ? /^agentType must be one of claude-code, .*, unknown, got '/
          : /^agentType must be a string, got /,
      )
    },
  )
})

describe('buildPrompt with a layout', () => {
  const input = { layout: OWN, systemInstructionText: 's', contextMessages: [said('kai', 'one')], message: 'now' }
  const expected = '# Chat\n(oldest first)\n* kai to all | one\n\nnow'

  it('uses it instead of an agent type, in all four forms', () => {
    expect(buildPrompt(input)).toEqual({ prompt: expected, systemFlag: 's' })
    expect(buildPrompt(input, { report: true })).toMatchObject({ prompt: expected, report: { agentType: 'Aider' } })
    expect(buildPrompt(input, { as: 'buffer' }).prompt.toString()).toBe(expected)
    const buffer = Buffer.alloc(100)
    expect(buffer.toString('utf8', 0, buildPrompt(input, { into: buffer }).bytes)).toBe(expected)
    expect(buildPrompt({ ...input, options: { systemPlacement: 'inline', headings: { system: '' } } }).prompt).toBe(
      `s\n\n${expected}`,
    )
  })

  it('accepts an agent type beside it only if it is a name of the layout', () => {
    for (const agentType of ['aider', ' AIDER-CHAT', null, undefined])
      expect(buildPrompt({ ...input, agentType }).prompt).toBe(expected)
    expect(thrownBy(() => buildPrompt({ ...input, agentType: 'codex' })).message).toBe(
      "agentType must be left out, or a name of the layout that is given, got 'codex'",
    )
  })
})

describe('a ContextManager with layouts', () => {
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const logger = { debug: warn, info: warn, warn, error: warn }

  it('finds them by type and alias in every method, without a warning', () => {
    const types: string[] = []
    const layouts = [{ ...OWN, agentType: 'other', aliases: null }, OWN]
    const manager = new ContextManager({ layouts, logger, onAssembled: ({ report }) => types.push(report.agentType) })
    const question = manager.addMessage({ speaker: { id: 'kai' }, content: 'question' })
    manager.addMessage({ speaker: { id: 'lee' }, content: 'answer', routing: { parentMessageId: question.id } })
    const route = { parentMessageId: question.id, targetMemberId: 'max', intent: 'review' }
    for (const name of ['Aider', ' aider', 'AIDER-CHAT']) {
      expect(manager.assembleForAgent('max', name).prompt).toBe(
        '# Chat\n(oldest first)\n* kai to all | question\n\nanswer',
      )
      expect(manager.assembleForRoute('max', name, route).prompt).toBe(
        '# Route\nparentMessageId: msg-1\nWanted: review\n\n(said already)\n> lee | answer\n\nquestion',
      )
      expect(manager.assemblePrompt(name, EVERYTHING).prompt).toBe(OWN_PROMPT)
    }
    expect(new Set(types)).toEqual(new Set(['Aider']))
    expect(warnings.splice(0)).toEqual([])
    manager.assembleForAgent('max', 'aider-2')
    expect(warnings.splice(0)).toHaveLength(1)
  })

  it('applies assembler options to them, under any of their names', () => {
    for (const name of ['aider', 'Aider-Chat']) {
      const manager = new ContextManager({
        layouts: [OWN],
        assemblers: { [name]: { headings: { message: 'NOW' }, systemPlacement: 'both' } },
      })
      manager.addMessage({ speaker: { id: 'kai' }, content: 'go' })
      expect(manager.assembleForAgent('max', 'AIDER', { systemInstruction: 's' })).toEqual({
        prompt: '# Rules\ns\n\nNOW\ngo',
        systemFlag: 's',
      })
    }
  })
})
