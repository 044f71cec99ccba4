import { ClaudeContextAssembler, PlainTextAssembler, type AssemblerInput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { inputOf, said } from '../support/assemblers.js'

describe('the Claude document', () => {
  const assembler = new ClaudeContextAssembler()
  const full: AssemblerInput = {
    contextMessages: [
      { from: 'kailai', to: 'max', content: 'Hi, please help design a feature' },
      { from: 'max', to: 'sarah', content: 'I suggest using a microservice architecture' },
    ],
    currentMessage: 'What do you think about this approach?',
    teamTask: 'Design a user authentication system',
    systemInstruction: 'You are Sarah, a backend engineer',
    instructionFileText: 'Focus on security and scalability',
    maxBytes: 768 * 1024,
  }

  it('getAgentType returns claude-code', () => {
    expect(assembler.getAgentType()).toBe('claude-code')
  })

  it('example: the full output, with systemFlag beside the prompt', () => {
    expect(assembler.assemble(full)).toStrictEqual({
      prompt: `[TEAM_TASK]
Design a user authentication system

[CONTEXT]
- kailai -> max: Hi, please help design a feature
- max -> sarah: I suggest using a microservice architecture

[MESSAGE]
What do you think about this approach?`,
      systemFlag: `You are Sarah, a backend engineer

Focus on security and scalability`,
    })
  })

  it('example: empty parts are left out with their titles', () => {
    const output = assembler.assemble({
      contextMessages: [],
      currentMessage: 'Hello',
      teamTask: null,
      systemInstruction: 'You are Max',
      maxBytes: 768 * 1024,
    })
    expect(output).toStrictEqual({ prompt: '[MESSAGE]\nHello', systemFlag: 'You are Max' })
  })

  it('example: no system instruction', () => {
    const output = assembler.assemble({
      contextMessages: [],
      currentMessage: 'Hello',
      teamTask: 'Build a feature',
      systemInstruction: undefined,
      instructionFileText: undefined,
      maxBytes: 768 * 1024,
    })
    expect(output).toStrictEqual({
      prompt: '[TEAM_TASK]\nBuild a feature\n\n[MESSAGE]\nHello',
      systemFlag: undefined,
    })
  })

  it.each([
    [undefined, undefined, undefined],
    ['You are Max', undefined, 'You are Max'],
    [undefined, 'Always be helpful', 'Always be helpful'],
    ['You are Max', 'Always be helpful', 'You are Max\n\nAlways be helpful'],
    ['  ', 'text', 'text'],
    [' You are Max\n', '\tAlways be helpful ', 'You are Max\n\nAlways be helpful'],
    [' ', '\n', undefined],
  ])(
    'table: systemInstruction %j and instructionFileText %j make the flag %j',
    (systemInstruction, instructionFileText, flag) => {
      expect(assembler.assemble(inputOf({ systemInstruction, instructionFileText })).systemFlag).toBe(flag)
    },
  )

  it.each([
    ['contextMessages = []', { contextMessages: [] }, '[TEAM_TASK]\ntask\n\n[MESSAGE]\nhi'],
    ["currentMessage = ''", { currentMessage: '' }, '[TEAM_TASK]\ntask\n\n[CONTEXT]\n- a -> b: c'],
    ['teamTask = null', { teamTask: null }, '[CONTEXT]\n- a -> b: c\n\n[MESSAGE]\nhi'],
    ['white teamTask', { teamTask: '  ' }, '[CONTEXT]\n- a -> b: c\n\n[MESSAGE]\nhi'],
    ['everything empty', { contextMessages: [], currentMessage: '', teamTask: null }, ''],
  ])('table: %s leaves the section out', (_, fields, prompt) => {
    const given = { contextMessages: [said('a', 'c', 'b')], currentMessage: 'hi', teamTask: 'task' }
    expect(assembler.assemble(inputOf({ ...given, ...fields }))).toStrictEqual({ prompt, systemFlag: undefined })
  })

  it('special characters: keeps line breaks, brackets and Unicode unchanged', () => {
    const content = 'a\nb\r\n[x] [] \u{1F600} 中文 \u00a0 "\\n" <tag> & \u0000'
    expect(
      assembler.assemble(inputOf({ contextMessages: [said('a', content, 'b')], currentMessage: content })).prompt,
    ).toBe(`[CONTEXT]\n- a -> b: ${content}\n\n[MESSAGE]\n${content}`)
  })

  describe('byte budget', () => {
    it('returns the same within budget and at exactly the budget', () => {
      const { prompt, systemFlag } = assembler.assemble(full)
      const exact = Buffer.byteLength(prompt) + Buffer.byteLength(systemFlag ?? '')
      expect(assembler.assemble({ ...full, maxBytes: exact })).toStrictEqual({ prompt, systemFlag })
    })

    it('trims the oldest context message first, and keeps message, team task and flag', () => {
      const { prompt, systemFlag } = assembler.assemble(full)
      const exact = Buffer.byteLength(prompt) + Buffer.byteLength(systemFlag ?? '')
      expect(assembler.assemble({ ...full, maxBytes: exact - 1 })).toStrictEqual({
        prompt: prompt.replace('- kailai -> max: Hi, please help design a feature\n', ''),
        systemFlag,
      })
    })

    it('shortens the message when no context is left, and never the flag', () => {
      const output = assembler.assemble({ ...full, currentMessage: 'x'.repeat(1000), maxBytes: 500 })
      expect(output.systemFlag).toBe('You are Sarah, a backend engineer\n\nFocus on security and scalability')
      expect(output.prompt).not.toContain('[CONTEXT]')
      expect(output.prompt).toContain('[TEAM_TASK]\nDesign a user authentication system\n\n[MESSAGE]\nxxx')
    })
  })
})

describe('the plain text document', () => {
  const assembler = new PlainTextAssembler()
  const full: AssemblerInput = {
    contextMessages: [
      { from: 'kailai', to: 'agent', content: 'Hello, how are you?' },
      { from: 'max', to: 'agent', content: 'I am doing well, thanks!' },
    ],
    currentMessage: 'What can you help me with?',
    teamTask: 'Assist with general questions',
    systemInstruction: 'You are a helpful assistant',
    instructionFileText: 'Be concise and friendly',
    maxBytes: 768 * 1024,
  }
  const fullPrompt = `You are a helpful assistant

Be concise and friendly

Assist with general questions

kailai: Hello, how are you?
max: I am doing well, thanks!

What can you help me with?`

  it('getAgentType returns unknown', () => {
    expect(assembler.getAgentType()).toBe('unknown')
  })

  it('example: the full output, without markers and without the addressee', () => {
    expect(assembler.assemble(full)).toStrictEqual({ prompt: fullPrompt, systemFlag: undefined })
  })

  it('example: the smallest output', () => {
    const output = assembler.assemble({
      contextMessages: [],
      currentMessage: 'Hello',
      teamTask: null,
      systemInstruction: undefined,
      maxBytes: 768 * 1024,
    })
    expect(output).toStrictEqual({ prompt: 'Hello', systemFlag: undefined })
  })

  it('example: system instruction and message alone', () => {
    const output = assembler.assemble({
      contextMessages: [],
      currentMessage: 'What is 2+2?',
      teamTask: null,
      systemInstruction: 'You are a math tutor',
      maxBytes: 768 * 1024,
    })
    expect(output).toStrictEqual({ prompt: 'You are a math tutor\n\nWhat is 2+2?', systemFlag: undefined })
  })

  it.each([
    ['no systemInstruction', { systemInstruction: undefined }, 'file\n\ntask\n\na: c\n\nhi'],
    ['no instructionFileText', { instructionFileText: undefined }, 'system\n\ntask\n\na: c\n\nhi'],
    ['neither', { systemInstruction: undefined, instructionFileText: ' ' }, 'task\n\na: c\n\nhi'],
    ['contextMessages = []', { contextMessages: [] }, 'system\n\nfile\n\ntask\n\nhi'],
    ["currentMessage = ''", { currentMessage: '' }, 'system\n\nfile\n\ntask\n\na: c'],
    ['teamTask = null', { teamTask: null }, 'system\n\nfile\n\na: c\n\nhi'],
  ])('table: %s leaves that part out', (_, fields, prompt) => {
    const given = {
      contextMessages: [said('a', 'c', 'b')],
      currentMessage: 'hi',
      teamTask: 'task',
      systemInstruction: 'system',
      instructionFileText: 'file',
    }
    expect(assembler.assemble(inputOf({ ...given, ...fields }))).toStrictEqual({ prompt, systemFlag: undefined })
  })

  it('table: returns an empty prompt if everything is empty', () => {
    expect(assembler.assemble(inputOf({ currentMessage: '' }))).toStrictEqual({ prompt: '', systemFlag: undefined })
  })

  it('byte budget: trims the oldest context first, and keeps system text and team task', () => {
    const whole = Buffer.byteLength(fullPrompt)
    expect(assembler.assemble({ ...full, maxBytes: whole }).prompt).toBe(fullPrompt)
    expect(assembler.assemble({ ...full, maxBytes: whole - 1 }).prompt).toBe(
      fullPrompt.replace('kailai: Hello, how are you?\n', ''),
    )
  })
})
