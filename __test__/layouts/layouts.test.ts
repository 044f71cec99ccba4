import type { AssemblerInput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { AGENTS, create, inputOf, promptOf, said } from '../support/assemblers.js'

const EVERYTHING: AssemblerInput = inputOf({
  contextMessages: [said('kai', 'one', 'max'), said('max', 'two')],
  currentMessage: 'now',
  teamTask: 'task',
  summary: ' before\n',
  systemInstruction: ['be', 'brief'],
  instructionFileText: 'file',
  parentContext: said('kai', 'question', 'max'),
  siblingContext: [said('lee', 'newest', 'kai'), said('ann', 'older')],
  routeMeta: { parentMessageId: 'msg-1', intent: 'review' },
})

const BRACKETED_PROMPT = `[TEAM_TASK]
task

[SUMMARY]
before

[CONTEXT]
- kai -> max: one
- max -> all: two

[PARENT_CONTEXT]
(the message you are replying to, repeated for context)
- kai: question

[RELATED_CONTEXT]
(other replies to that message, newest first; do not repeat them)
- lee: newest
- ann: older

[MESSAGE]
now

[ROUTING_META]
parentMessageId: msg-1
intent: review`

const SYSTEM = 'be\nbrief\n\nfile'

describe('every part at once', () => {
  it('Claude: bracketed titles, the system text in the flag without a title', () => {
    expect(create('claude').assemble(EVERYTHING)).toStrictEqual({ prompt: BRACKETED_PROMPT, systemFlag: SYSTEM })
  })

  it('Codex: bracketed titles, the system text first', () => {
    expect(create('codex').assemble(EVERYTHING)).toStrictEqual({
      prompt: `[SYSTEM]\n${SYSTEM}\n\n${BRACKETED_PROMPT}`,
      systemFlag: undefined,
    })
  })

  it('Gemini: titles in words, no addressee, no explaining lines', () => {
    expect(create('gemini').assemble(EVERYTHING)).toStrictEqual({
      prompt: `Instructions:
be
brief

file

Team Task:
task

Summary of the conversation so far:
before

Conversation so far:
- kai: one
- max: two

Original message (reinserted for context):
- kai: question

Related responses (avoid repeating):
- lee: newest
- ann: older

Last message:
now

Routing info:
Replying to: msg-1
Intent: review`,
      systemFlag: undefined,
    })
  })

  it('plain text: no titles, no routing data', () => {
    expect(create('plain').assemble(EVERYTHING)).toStrictEqual({
      prompt: `${SYSTEM}\n\ntask\n\nbefore\n\nkai: one\nmax: two\n\nkai: question\n\nlee: newest\nann: older\n\nnow`,
      systemFlag: undefined,
    })
  })

  it.each([
    ['claude', 'claude-code'],
    ['codex', 'openai-codex'],
    ['gemini', 'google-gemini'],
    ['plain', 'unknown'],
  ] as const)('getAgentType of %s returns %s', (agent, type) => {
    expect(create(agent).getAgentType()).toBe(type)
  })
})

describe('fields', () => {
  it.each([[undefined], [null], ['']])('an addressee of %j is written as all', (to) => {
    expect(promptOf('claude', { contextMessages: [{ from: 'a', to, content: 'c' }] })).toContain('- a -> all: c')
    expect(promptOf('codex', { contextMessages: [{ from: 'a', content: 'c' }] })).toContain('- a -> all: c')
  })

  it('the texts of messages are not trimmed', () => {
    const contextMessages = [said(' a ', '  x \n', ' b ')]
    expect(promptOf('codex', { contextMessages })).toBe('[CONTEXT]\n-  a  ->  b :   x \n\n\n[MESSAGE]\nhello')
  })

  it.each(AGENTS)('%s keeps a message without content as a line', (agent) => {
    const line = { claude: '- a -> b: ', codex: '- a -> b: ', gemini: '- a: ', plain: 'a: ' }[agent]
    expect(promptOf(agent, { contextMessages: [said('a', '', 'b')] })).toContain(`${line}\n\n`)
  })

  it('lists only the present fields of a route', () => {
    const routed = (agent: 'codex' | 'gemini', routeMeta: AssemblerInput['routeMeta']) =>
      promptOf(agent, { routeMeta, currentMessage: '' })
    expect(routed('codex', { parentMessageId: 'm' })).toBe('[ROUTING_META]\nparentMessageId: m')
    expect(routed('codex', { intent: 'ask' })).toBe('[ROUTING_META]\nintent: ask')
    expect(routed('gemini', { parentMessageId: null, intent: 'ask' })).toBe('Routing info:\nIntent: ask')
    expect(routed('gemini', { parentMessageId: 'm', intent: ' ' })).toBe('Routing info:\nReplying to: m')
    expect(routed('codex', {})).toBe('')
    expect(routed('codex', null)).toBe('')
  })

  it.each(AGENTS)('%s leaves out a parent that equals the current message', (agent) => {
    const alone = promptOf(agent, { currentMessage: 'same' })
    expect(promptOf(agent, { currentMessage: 'same', parentContext: said('a', 'same') })).toBe(alone)
    expect(promptOf(agent, { currentMessage: ' same\n', parentContext: said('a', '\tsame') })).toBe(alone)
    expect(promptOf(agent, { currentMessage: 'same', parentContext: said('a', 'same!') })).toContain('a: same!')
  })

  it.each(AGENTS)('%s leaves out a parent without text, and an empty list of siblings', (agent) => {
    const alone = promptOf(agent, {})
    expect(promptOf(agent, { parentContext: said('a', ' \n'), siblingContext: [] })).toBe(alone)
    expect(promptOf(agent, { parentContext: null, siblingContext: null, routeMeta: null })).toBe(alone)
  })

  it.each(AGENTS)('%s accepts undefined and null for every optional text', (agent) => {
    const nothing = { teamTask: undefined, summary: null, systemInstruction: null, instructionFileText: null }
    expect(create(agent).assemble(inputOf(nothing))).toStrictEqual(create(agent).assemble(inputOf()))
  })
})

describe('trimming is that of String.prototype.trim', () => {
  it.each(AGENTS)('%s strips U+FEFF and keeps U+0085', (agent) => {
    const text = (inner: string) => ({
      currentMessage: inner,
      teamTask: inner,
      summary: inner,
      systemInstruction: inner,
      instructionFileText: inner,
    })
    expect(create(agent).assemble(inputOf(text('\ufeff\u3000x\u2028\ufeff')))).toStrictEqual(
      create(agent).assemble(inputOf(text('x'))),
    )
    const kept = promptOf(agent, { currentMessage: '\u0085x\u0085' })
    expect(kept.endsWith('\u0085x\u0085')).toBe(true)
    expect(promptOf(agent, { currentMessage: '\ufeff' })).toBe('')
    expect(promptOf(agent, { currentMessage: '\u0085' })).not.toBe('')
  })

  it('trims every element of an array instruction, and drops empty ones', () => {
    const systemInstruction = [' one\n', '', '\ufeff', 'two\nlines', ' \t']
    expect(create('claude').assemble(inputOf({ systemInstruction })).systemFlag).toBe('one\ntwo\nlines')
    expect(create('claude').assemble(inputOf({ systemInstruction: [' ', ''] })).systemFlag).toBeUndefined()
    expect(create('claude').assemble(inputOf({ systemInstruction: [] })).systemFlag).toBeUndefined()
  })
})

describe('systemPlacement', () => {
  const given = inputOf({ systemInstruction: 'sys' })

  it.each([
    ['flag', { prompt: '[MESSAGE]\nhello', systemFlag: 'sys' }],
    ['inline', { prompt: '[SYSTEM]\nsys\n\n[MESSAGE]\nhello', systemFlag: undefined }],
    ['both', { prompt: '[SYSTEM]\nsys\n\n[MESSAGE]\nhello', systemFlag: 'sys' }],
  ] as const)('%s: Claude returns %j', (systemPlacement, output) => {
    expect(create('claude', { systemPlacement }).assemble(given)).toStrictEqual(output)
  })

  it('Claude defaults to flag, the others to inline', () => {
    expect(create('claude').assemble(given)).toStrictEqual(
      create('claude', { systemPlacement: 'flag' }).assemble(given),
    )
    for (const agent of AGENTS.slice(1)) {
      const inline = create(agent, { systemPlacement: 'inline' }).assemble(given)
      expect(create(agent).assemble(given)).toStrictEqual(inline)
      expect(inline.systemFlag).toBeUndefined()
      expect(inline.prompt).toContain('sys')
    }
  })
})

describe('headings', () => {
  const headings = {
    system: '# S',
    teamTask: '# T',
    summary: '# B',
    context: '# C',
    parent: '# P',
    siblings: '# R',
    message: '# M',
    routing: '# X',
  }

  it.each(AGENTS)('%s replaces titles by part, and an empty one removes the title', (agent) => {
    const prompt = create(agent, { headings }).assemble(EVERYTHING).prompt
    const shown = prompt.split('\n').filter((line) => line.startsWith('# '))
    const absent = { claude: ['# S'], codex: [], gemini: [], plain: ['# X'] }[agent] as string[]
    expect(shown).toEqual(Object.values(headings).filter((title) => !absent.includes(title)))

    const none = Object.fromEntries(Object.keys(headings).map((part) => [part, '']))
    expect(create(agent, { headings: none }).assemble(inputOf({ teamTask: 'task' })).prompt).toBe('task\n\nhello')
  })

  it('keeps titles that are not overridden', () => {
    expect(promptOf('gemini', { teamTask: 'task' }, { headings: { message: 'Answer this:' } })).toBe(
      'Team Task:\ntask\n\nAnswer this:\nhello',
    )
  })
})
