/** docs/migration.md, "What to look for in your own tests": each row, in its order. */
import {
  buildPrompt,
  CodexContextAssembler,
  ContextManager,
  DEFAULT_CONTEXT_WINDOW_SIZE,
  DEFAULT_MAX_BYTES,
  isPromptmasonError,
  MAX_TEAM_TASK_BYTES,
  type NewConversationMessage,
  SilentLogger,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { inputOf, thrownBy, untyped } from '../support/assemblers.js'
import { byAi, managerWith, numbered, spoken } from '../support/conversation.js'

const current = (content: string): string =>
  managerWith([spoken(content)]).getContextForAgent('max', 'codex').currentMessage

describe('what a coordinator may notice', () => {
  it('stripping closes only the gap of the marker', () => {
    expect(current('one  two [NEXT:max]\n\n\n    three')).toBe('one  two\n\n\n    three')
  })

  it('a task title in the middle of a line stays', () => {
    expect(current('about [TEAM_TASK] as such')).toBe('about [TEAM_TASK] as such')
    expect(current('[TEAM_TASK: build] go')).toBe('go')
    expect(current('go\n\n[TEAM_TASK]\nbuild')).toBe('go')
  })

  it('a marker in code stays', () => {
    expect(current('write `[NEXT:max]` [NEXT:max]')).toBe('write `[NEXT:max]`')
    expect(current('```\n[NEXT:max]\n```')).toBe('```\n[NEXT:max]\n```')
    const keeping = managerWith([spoken('go [NEXT:max]')], { stripMarkers: false })
    expect(keeping.getContextForAgent('max', 'codex').currentMessage).toBe('go [NEXT:max]')
  })

  it('a message without addressee is sent to all', () => {
    const input = inputOf({ contextMessages: [{ from: 'max', content: 'hi' }] })
    expect(new CodexContextAssembler().assemble(input).prompt).toContain('- max -> all: hi')
  })

  it('siblings exclude the own reply of the target', () => {
    const routing = { parentMessageId: 'msg-1' }
    const manager = managerWith([
      spoken('question'),
      byAi('max', 'by max', routing),
      byAi('sarah', 'by sarah', routing),
    ])
    const { siblingContext } = manager.getContextForRoute('max', 'codex', {
      parentMessageId: 'msg-1',
      targetMemberId: 'max',
    })
    expect(siblingContext.map(({ content }) => content)).toEqual(['by sarah'])
  })

  it('the window has 5 messages', () => {
    expect(managerWith(numbered(9)).getContextForAgent('max', 'codex').contextMessages).toHaveLength(5)
  })

  it('there is no latest message at first: null', () => {
    expect(new ContextManager().getLatestMessage()).toBeNull()
  })

  it('systemFlag is always a key', () => {
    expect(Object.keys(new CodexContextAssembler().assemble(inputOf()))).toEqual(['prompt', 'systemFlag'])
  })

  it('a system text that is too large is an error', () => {
    const input = inputOf({ systemInstruction: 'x'.repeat(100), maxBytes: 50 })
    expect(thrownBy(() => new CodexContextAssembler().assemble(input))).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED' })
  })

  it('ids are assigned, not accepted', () => {
    const message = untyped<NewConversationMessage>({ ...spoken('hi'), id: 'mine' })
    expect(new ContextManager().addMessage(message).id).toBe('msg-1')
    expect(new ContextManager({ ids: 'keep' }).addMessage(message).id).toBe('mine')
  })

  it('prompts contain the text as it was added', () => {
    const manager = new ContextManager()
    const message = manager.addMessage(spoken('before'))
    message.content = 'after'
    expect(manager.assembleForAgent('max', 'codex').prompt).toContain('before')
  })

  it('error messages start as before, and have a code', () => {
    const error = thrownBy(() => new ContextManager().addMessage(untyped({ ...spoken(''), content: 1 })))
    expect(error).toMatchObject({
      message: expect.stringMatching(/^Message content must be a string/),
      code: 'ERR_INVALID_ARG_TYPE',
    })
  })

  it('a snapshot is independent, and a wrong one changes nothing', () => {
    const manager = managerWith([spoken('one')])
    const snapshot = manager.exportSnapshot()
    manager.addMessage(spoken('two'))
    expect(snapshot.messages).toHaveLength(1)
    snapshot.messages.pop()
    expect(manager.getMessages()).toHaveLength(2)
    expect(() => manager.importSnapshot(untyped({ messages: 'none' }))).toThrow('Invalid snapshot format')
    expect(manager.getMessages()).toHaveLength(2)
  })
})

describe('what differs from a PromptBuilder', () => {
  const contextMessages = numbered(9).map(({ content }) => ({ from: 'max', content: `${content} [NEXT:x]` }))
  it('is the window, the markers and the error', () => {
    const input = { agentType: 'codex', contextMessages, message: 'Go on.' }
    const shown = (prompt: string) => prompt.match(/\[NEXT:x\]/g)
    expect(shown(buildPrompt(input).prompt)).toHaveLength(5)
    expect(shown(buildPrompt({ ...input, maxContextMessages: 99 }).prompt)).toHaveLength(9)
    const error = thrownBy(() => buildPrompt({ ...input, maxBytes: 1 }))
    expect(isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')).toBe(true)
  })
})

describe('what coordinators import beside the classes', () => {
  it('are the defaults, a limit and a silent logger', () => {
    const manager = new ContextManager({ logger: new SilentLogger() })
    manager.setTeamTask('x'.repeat(MAX_TEAM_TASK_BYTES + 1))
    expect(manager.getTeamTask()).toHaveLength(MAX_TEAM_TASK_BYTES)
    for (const message of numbered(9)) manager.addMessage(message)
    const { contextMessages, maxBytes } = manager.getContextForAgent('max', 'codex')
    expect([contextMessages.length, maxBytes]).toEqual([DEFAULT_CONTEXT_WINDOW_SIZE, DEFAULT_MAX_BYTES])
  })
})
