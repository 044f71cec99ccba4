/** The message to act on, as it stands in a conversation. */
import { type MessagePromptInput, type PromptContextMessage, buildPrompt, renderReport } from 'promptmason'
import { describe, expect, it } from 'vitest'

const history: PromptContextMessage[] = [
  { from: 'max', content: 'The login is done.' },
  { from: 'kailai', to: ['sarah', 'carol'], content: 'Please review it.' },
]
const [first, last] = history as [PromptContextMessage, PromptContextMessage]
const base = { agentType: 'codex', recipient: 'sarah' } as const
const EXPECTED =
  '[CONTEXT]\n- max -> all: The login is done.\n\n[MESSAGE]\n(from kailai to sarah, carol)\nPlease review it.'

describe('the message to act on', () => {
  it('may be a message, and is by default the last one', () => {
    expect(buildPrompt({ ...base, contextMessages: [first], message: last }).prompt).toBe(EXPECTED)
    expect(buildPrompt({ ...base, contextMessages: history }).prompt).toBe(EXPECTED)
    expect(buildPrompt({ ...base, contextMessages: history, message: null }).prompt).toBe(EXPECTED)
    const fenced = { options: { markers: 'fence' }, fenceKey: 'k7m2q9x4w3ab' } as const
    expect(buildPrompt({ ...base, contextMessages: history, ...fenced }).prompt).toContain(
      'from kailai to sarah, carol',
    )
  })

  it('does not show its sender if that is switched off, or if it is a text', () => {
    const { prompt } = buildPrompt({ ...base, contextMessages: history, options: { showSender: false } })
    expect(prompt).toBe(EXPECTED.replace('(from kailai to sarah, carol)\n', ''))
    expect(buildPrompt({ ...base, contextMessages: [first], message: last.content }).prompt).toBe(prompt)
  })

  it('may be shown with other names', () => {
    const { prompt } = buildPrompt({ ...base, contextMessages: history, messageFrom: 'Kai', messageTo: 'you' })
    expect(prompt).toContain('(from Kai to you)')
  })

  it('is not counted twice, and not among the newest messages', () => {
    const input = { ...base, contextMessages: history, maxContextMessages: 1, pinned: [1] }
    const { prompt, report } = buildPrompt(input, { report: true })
    expect(prompt).toBe(EXPECTED)
    expect(report.account).toEqual({ givenBytes: 35, sentBytes: 35, leftOutBytes: 0 })
    expect(buildPrompt({ ...base, contextMessages: [last] }).prompt).toBe(EXPECTED.slice(EXPECTED.indexOf('[MESSAGE]')))
  })

  it('may have parts if they are texts', () => {
    const text = { type: 'text', text: 'Please review it.' } as const
    const message = { ...last, content: '', parts: [text] }
    expect(buildPrompt({ ...base, contextMessages: [first], message }).prompt).toBe(EXPECTED)
    const parts = [text, { type: 'reasoning', text: 'Hm.' }] as const
    expect(() => buildPrompt({ ...base, contextMessages: [first], message: { ...message, parts } })).toThrow(
      'message.parts must be texts',
    )
  })

  it('is one that the recipient may see', () => {
    const contextMessages = [...history, { from: 'max', to: 'kailai', content: 'Between us.' }]
    const expected = 'contextMessages[2] must be a message that sarah may see, got one from max to kailai'
    expect(() => buildPrompt({ ...base, contextMessages })).toThrow(expected)
    expect(() => buildPrompt({ ...base, contextMessages: [], message: { ...last, to: ['a, sarah'] } })).toThrow(
      'message must be a message that sarah may see',
    )
    for (const recipient of ['max', 'KAILAI', undefined])
      expect(buildPrompt({ ...base, contextMessages, recipient }).prompt).toContain('Between us.')
  })

  it.each<[string, object]>([
    ['message must be given, because contextMessages is empty', {}],
    ['message must be a string, got number', { message: 5 }],
    ['message.from must be a string, got undefined', { message: { content: 'x' } }],
    ['message.content must be a string, got undefined', { message: { from: 'x' } }],
    ['message.to[0] must be a string, got number', { message: { from: 'x', content: 'x', to: [1] } }],
    ['contextMessages[0].from must be a string, got undefined', { contextMessages: [{ content: 'x' }] }],
    ['contextMessages[0] must be an object, got null', { contextMessages: [null] }],
  ])('is checked: %s', (problem, fields) => {
    const input = { ...base, contextMessages: [], ...fields } as MessagePromptInput
    expect(() => buildPrompt(input)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE', message: problem }),
    )
  })

  it('is on the page of the prompt', () => {
    const input = { ...base, contextMessages: [...history.slice(0, 1), ...history], pinned: [0, 2] }
    const page = renderReport({ ...buildPrompt(input, { report: true }), input })
    const table = (html: string) => /"table":(\{[^}]*\})/.exec(html)?.[1]
    const explicit = { ...input, contextMessages: input.contextMessages.slice(0, 2), message: last, pinned: [0] }
    expect(table(page)).toBe(table(renderReport({ ...buildPrompt(explicit, { report: true }), input: explicit })))
    expect(page).toContain('Please review it.')
  })
})
