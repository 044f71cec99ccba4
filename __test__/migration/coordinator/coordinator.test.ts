/** The coordinator's tests: they pass with its own modules, and with promptmason in their place. */
import { describe, expect, it, vi } from 'vitest'
import { ClaudeContextAssembler, CodexContextAssembler, GeminiContextAssembler, PlainTextAssembler } from './context/assemblers.js'
import { ContextManager } from './context/ContextManager.js'
import type { AssemblerInput, AssemblerOutput, IContextAssembler } from './context/types.js'
import { ConversationCoordinator, type Member } from './ConversationCoordinator.js'

const INPUT: AssemblerInput = {
  contextMessages: [
    { from: 'kailai', to: 'max', content: 'Hi, please help.\n  - indented' },
    { from: 'max', content: '好的 🔑' },
  ],
  currentMessage: ' What do you think? ',
  teamTask: 'Design the login',
  systemInstruction: 'You are Sarah.',
  instructionFileText: 'Be brief.\n',
  maxBytes: 768 * 1024,
}

const bracketed = '[TEAM_TASK]\nDesign the login\n\n[CONTEXT]\n- kailai -> max: Hi, please help.\n  - indented\n- max -> all: 好的 🔑\n\n[MESSAGE]\nWhat do you think?'
const system = 'You are Sarah.\n\nBe brief.'

describe('assemblers', () => {
  it.each<[IContextAssembler, string, AssemblerOutput]>([
    [new ClaudeContextAssembler(), 'claude-code', { prompt: bracketed, systemFlag: system }],
    [new ClaudeContextAssembler({ systemPlacement: 'both' }), 'claude-code', { prompt: `[SYSTEM]\n${system}\n\n${bracketed}`, systemFlag: system }],
    [new CodexContextAssembler(), 'openai-codex', { prompt: `[SYSTEM]\n${system}\n\n${bracketed}`, systemFlag: undefined }],
    [new GeminiContextAssembler(), 'google-gemini', {
      prompt: `Instructions:\n${system}\n\nTeam Task:\nDesign the login\n\nConversation so far:\n- kailai: Hi, please help.\n  - indented\n- max: 好的 🔑\n\nLast message:\nWhat do you think?`,
      systemFlag: undefined,
    }],
    [new PlainTextAssembler(), 'unknown', {
      prompt: `${system}\n\nDesign the login\n\nkailai: Hi, please help.\n  - indented\nmax: 好的 🔑\n\nWhat do you think?`,
      systemFlag: undefined,
    }],
  ])('assembles %#', (assembler, agentType, expected) => {
    expect(assembler.getAgentType()).toBe(agentType)
    expect(assembler.assemble(INPUT)).toEqual(expected)
  })

  it('leaves empty sections out', () => {
    const input = { contextMessages: [], currentMessage: 'Hello', teamTask: null, maxBytes: 100 }
    expect(new ClaudeContextAssembler().assemble(input)).toEqual({ prompt: '[MESSAGE]\nHello', systemFlag: undefined })
  })

  it('drops the oldest messages when the budget is full', () => {
    const contextMessages = Array.from({ length: 50 }, (_, index) => ({ from: 'max', content: `message ${index} 中文` }))
    const { prompt } = new CodexContextAssembler().assemble({ ...INPUT, contextMessages, maxBytes: 400 })
    expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(400)
    expect(prompt).toContain('message 49')
    expect(prompt).not.toContain('message 0 ')
    expect(prompt).toContain('[SYSTEM]\nYou are Sarah.')
  })
})

describe('ContextManager', () => {
  const said = (content: string) => ({ timestamp: new Date(0), speaker: { id: 'human', name: 'Human', type: 'human' }, content })

  it('numbers messages and calls hooks', () => {
    const onMessageAdded = vi.fn()
    const onTeamTaskChanged = vi.fn()
    const manager = new ContextManager({ onMessageAdded, onTeamTaskChanged })
    expect(manager.getLatestMessage()).toBeNull()
    expect(manager.addMessage(said('one'))).toEqual({ ...said('one'), id: 'msg-1' })
    expect(manager.addMessage(said('two')).id).toBe('msg-2')
    expect(onMessageAdded).toHaveBeenCalledTimes(2)
    manager.setTeamTask('build')
    manager.clear()
    expect(onTeamTaskChanged.mock.calls).toEqual([['build'], [null]])
    expect(manager.getMessages()).toEqual([])
  })

  it('returns the window before the latest message, without markers', () => {
    const manager = new ContextManager({ contextWindowSize: 2 })
    for (const content of ['one', 'two [NEXT:max]', 'three', 'four [NEXT:max]']) manager.addMessage(said(content))
    expect(manager.getContextForAgent('max', 'claude-code')).toMatchObject({
      contextMessages: [{ from: 'Human', to: 'all', content: 'two' }, { from: 'Human', to: 'all', content: 'three' }],
      currentMessage: 'four',
      teamTask: null,
    })
  })

  it('rejects what is not a message', () => {
    const manager = new ContextManager()
    expect(() => manager.addMessage({ ...said('x'), content: 1 as never })).toThrow('Message content must be a string')
    expect(() => manager.addMessage({ speaker: { id: '' }, content: 'x' })).toThrow('Message speaker.id is required')
    expect(() => manager.importSnapshot({} as never)).toThrow('Invalid snapshot format')
  })

  it('uses plain text for an agent that it does not know, and warns', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    expect(new ContextManager().assemblePrompt('other', { ...INPUT, contextMessages: [] }).prompt).toContain('You are Sarah.')
    expect(warn.mock.calls[0]?.[0]).toContain('[ContextManager] Unknown agentType "other"')
    warn.mockRestore()
  })

  it('continues from a snapshot', () => {
    const manager = new ContextManager()
    manager.addMessage(said('one'))
    manager.setTeamTask('build')
    const restored = new ContextManager()
    restored.importSnapshot(manager.exportSnapshot())
    expect(restored.addMessage(said('two')).id).toBe('msg-2')
    expect(restored.getTeamTask()).toBe('build')
  })
})

describe('ConversationCoordinator', () => {
  it('sends each member its prompt, until nobody is next', async () => {
    const max: Member = { id: 'max', name: 'Max', agentType: 'claude-code', instruction: 'You are Max.' }
    const sarah: Member = { id: 'sarah', name: 'Sarah', agentType: 'openai-codex', instruction: 'You are Sarah.' }
    const sent: [string, AssemblerOutput][] = []
    const coordinator = new ConversationCoordinator([max, sarah], async ({ id }, output) => {
      sent.push([id, output])
      return id === 'max' ? 'One service. [NEXT:sarah]' : 'Agreed.'
    })
    coordinator.context.setTeamTask('Design the login')
    await coordinator.say('How many services? [NEXT:max]')
    expect(sent).toEqual([
      ['max', {
        prompt: '[SYSTEM]\nYou are Max.\n\n[TEAM_TASK]\nDesign the login\n\n[MESSAGE]\nHow many services?',
        systemFlag: 'You are Max.',
      }],
      ['sarah', {
        prompt: '[SYSTEM]\nYou are Sarah.\n\n[TEAM_TASK]\nDesign the login\n\n[CONTEXT]\n- Human -> max: How many services?\n\n[YOUR TURN]\nOne service.',
        systemFlag: undefined,
      }],
    ])
    expect(coordinator.context.getLatestMessage()?.content).toBe('Agreed.')
  })
})
