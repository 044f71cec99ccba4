import { readFileSync } from 'node:fs'
import { ContextManager, type MessagePart, buildPrompt } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { examplesOf } from '../support/documents.js'
import { APIS } from './lists.js'

const managerOf = (options = {}) => {
  const manager = new ContextManager({ contextWindowSize: 50, ...options })
  const say = (id: string, said: string | MessagePart[]) =>
    manager.addMessage({
      speaker: { id, name: id, type: id === 'kailai' ? 'human' : 'ai' },
      ...(typeof said === 'string' ? { content: said } : { parts: said }),
    } as any)
  return { manager, say }
}

const call = (id: string, path: string): MessagePart => ({ type: 'tool-call', id, name: 'read_file', input: { path } })
const result = (id: string, output: string): MessagePart => ({ type: 'tool-result', id, output })

/** Sarah, whose request it is, has called two tools side by side; Max has called one. */
const talk = () => {
  const { manager, say } = managerOf()
  manager.setTeamTask('Design the login')
  say('kailai', 'Where do the tokens live?')
  say('sarah', [{ type: 'text', text: 'Let me look.' }, call('1', 'a.ts'), call('2', 'b.ts')])
  say('sarah', [result('1', 'a'), { ...result('2', 'no such file'), isError: true } as MessagePart])
  say('sarah', 'In a.ts.')
  say('max', [call('1', 'c.ts'), result('1', 'c')])
  say('kailai', 'Go on.')
  return manager
}
const TASK = 'Team task:\nDesign the login'
const TITLE = 'Conversation so far:'
const ASKED = 'From kailai to all:\nWhere do the tokens live?'
const MAX = 'From max to all:\n→ read_file {"path":"c.ts"}\n← result\nc'
const LAST = 'From kailai to all:\nGo on.'
const OPTIONS = { systemInstruction: 'You are Sarah.' }

describe('a request', () => {
  it("to Anthropic has the member's tool calls as blocks, and those of others as text", () => {
    const text = (said: string) => ({ type: 'text', text: said })
    const use = (id: string, path: string) => ({ type: 'tool_use', id, name: 'read_file', input: { path } })
    expect(talk().assembleForAgent('sarah', 'claude', OPTIONS, { as: 'anthropic' })).toEqual({
      system: [text('You are Sarah.')],
      messages: [
        { role: 'user', content: [text(TASK), text(`\n${TITLE}`), text(`\n${ASKED}`)] },
        { role: 'assistant', content: [text('Let me look.'), use('1', 'a.ts'), use('2', 'b.ts')] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: '1', content: 'a' },
            { type: 'tool_result', tool_use_id: '2', content: 'no such file', is_error: true },
          ],
        },
        { role: 'assistant', content: [text('In a.ts.')] },
        { role: 'user', content: [text(MAX), text(`\n${LAST}`)] },
      ],
    })
  })

  it('to Responses of OpenAI has an item for each', () => {
    const item = (id: string, path: string) => ({
      type: 'function_call',
      call_id: id,
      name: 'read_file',
      arguments: JSON.stringify({ path }),
    })
    expect(talk().assembleForAgent('sarah', 'codex', OPTIONS, { as: 'openai', cache: 'none' })).toEqual({
      instructions: 'You are Sarah.',
      input: [
        ...[TASK, TITLE, ASKED].map((content) => ({ role: 'user', content })),
        { role: 'assistant', content: 'Let me look.' },
        item('1', 'a.ts'),
        item('2', 'b.ts'),
        { type: 'function_call_output', call_id: '1', output: 'a' },
        { type: 'function_call_output', call_id: '2', output: 'Error: no such file' },
        { role: 'assistant', content: 'In a.ts.' },
        ...[MAX, LAST].map((content) => ({ role: 'user', content })),
      ],
    })
  })

  it('to Chat Completions has calls in the message of the assistant', () => {
    const { messages } = talk().assembleForAgent('sarah', 'codex', OPTIONS, { as: 'openai-chat' })
    const tool = (id: string, path: string) => ({
      id,
      type: 'function',
      function: { name: 'read_file', arguments: JSON.stringify({ path }) },
    })
    expect(messages[0]).toEqual({ role: 'system', content: 'You are Sarah.' })
    expect(messages.slice(4, 8)).toEqual([
      { role: 'assistant', content: 'Let me look.', tool_calls: [tool('1', 'a.ts'), tool('2', 'b.ts')] },
      { role: 'tool', tool_call_id: '1', content: 'a' },
      { role: 'tool', tool_call_id: '2', content: 'Error: no such file' },
      { role: 'assistant', content: 'In a.ts.' },
    ])
    expect(messages.at(-1)).toEqual({ role: 'user', content: LAST })
  })

  it('to Gemini has parts', () => {
    const functionCall = (path: string) => ({ functionCall: { name: 'read_file', args: { path } } })
    const request = talk().assembleForAgent('sarah', 'gemini', OPTIONS, { as: 'gemini' })
    expect(request.systemInstruction).toEqual({ parts: [{ text: 'You are Sarah.' }] })
    expect(request.contents.slice(1, 3)).toEqual([
      { role: 'model', parts: [{ text: 'Let me look.' }, functionCall('a.ts'), functionCall('b.ts')] },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'read_file', response: { output: 'a' } } },
          { functionResponse: { name: 'read_file', response: { error: 'no such file' } } },
        ],
      },
    ])
  })

  it('of the AI SDK has messages of a tool', () => {
    const { system, messages } = talk().assembleForAgent('sarah', 'claude', OPTIONS, { as: 'ai-sdk' })
    expect(system).toBe('You are Sarah.')
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    expect(messages[2]?.content[1]).toEqual({
      type: 'tool-result',
      toolCallId: '2',
      toolName: 'read_file',
      output: { type: 'error-text', value: 'no such file' },
    })
  })

  it.each(APIS)('to %s differs for each member', (as) => {
    const text = JSON.stringify(talk().assembleForAgent('max', 'codex', {}, { as }))
    expect(text).toContain('From sarah to all:')
    expect(text).not.toContain('From max to all:')
  })

  it.each(APIS)('to %s shows nobody what is not for them', (as) => {
    const { manager, say } = managerOf()
    say('kailai', 'For everybody.')
    manager.addMessage({
      speaker: { id: 'max' },
      routing: { rawNextMarkers: '', resolvedAddressees: [{ identifier: 'kailai' }] },
      parts: [call('1', 'secret.ts'), result('1', 'the secret')],
    } as any)
    say('kailai', 'Go on.')
    const text = JSON.stringify(manager.assembleForAgent('sarah', 'x', { recipient: 'sarah' }, { as, report: true }))
    expect(text).not.toContain('secret')
    expect(text).toContain('For everybody.')
  })

  it('describes an open call as text, and lists it', () => {
    const { manager, say } = managerOf()
    say('sarah', [call('1', 'a.ts')])
    say('kailai', 'Well?')
    const { report, ...request } = manager.assembleForAgent('sarah', 'x', {}, { as: 'openai-chat', report: true })
    expect(request.messages[1]).toEqual({ role: 'assistant', content: '→ read_file {"path":"a.ts"}' })
    expect(report.findings).toMatchObject([{ pretends: 'call' }])
  })

  it('always ends with the user', () => {
    const contextMessages = [{ from: 'sarah', content: 'Done.' }]
    const input = { contextMessages, message: '', recipient: 'sarah' }
    expect(buildPrompt(input, { as: 'openai-chat' }).messages).toEqual([
      { role: 'user', content: TITLE },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Go on.' },
    ])
    const nothing = new ContextManager().assembleForAgent('sarah', 'x', {}, { as: 'openai-chat' })
    expect(nothing.messages).toEqual([{ role: 'user', content: 'Go on.' }])
  })

  it('does not warn about the agent type, and assemblers reject the form', () => {
    const warnings: string[] = []
    const logger = { debug() {}, info() {}, error() {}, warn: (text: string) => warnings.push(text) }
    new ContextManager({ logger }).assembleForAgent('sarah', 'my-api', {}, { as: 'gemini' })
    expect(warnings).toEqual([])
    const input = { contextMessages: [], currentMessage: 'Hi', teamTask: null, maxBytes: 1000 }
    const assemble = () => new ContextManager().assemblePrompt('claude', input, { as: 'gemini' } as any)
    expect(assemble).toThrow("form.as must be 'string' or 'buffer'")
  })

  it('has the texts of a caller-supplied layout', () => {
    const layout = {
      agentType: 'ours',
      sections: [
        { part: 'message' as const, title: 'Nachricht:' },
        { part: 'context' as const, title: 'Gespräch:' },
      ],
      messageLine: { open: '* ', arrow: ' an ', colon: ': ' },
    }
    const contextMessages = [{ from: 'max', content: 'Done.' }]
    const { messages } = buildPrompt({ layout, contextMessages, message: 'Weiter.' }, { as: 'openai-chat' })
    expect(messages.map(({ content }) => content)).toEqual(['Gespräch:', '* max an all: Done.', 'Nachricht:\nWeiter.'])
  })
})

it('documents the code whose types are checked', () => {
  const example = readFileSync(new URL('documented-request.mts', import.meta.url), 'utf8')
  expect(examplesOf('docs/arrays.md').map(({ code }) => code.trim())).toContain(example.trim())
})

it.each(APIS)("to %s shows messages of a former member of the same name as somebody else's", (as) => {
  const { manager, say } = managerOf()
  say('sarah', [call('1', 'old.ts'), result('1', 'old')])
  say('kailai', 'Sarah leaves.')
  manager.removeMember('sarah')
  say('sarah', [call('2', 'new.ts'), result('2', 'new')])
  say('kailai', 'Go on.')
  const text = JSON.stringify(manager.assembleForAgent('sarah', 'x', {}, { as, cache: 'none' }))
  expect(text).toContain('From sarah to all:')
  const told = (path: string) => JSON.stringify(`→ read_file {"path":"${path}"}`).slice(1, -1)
  expect(text).toContain(told('old.ts'))
  expect(text).not.toContain(told('new.ts'))
})
