/** Lists that are valid, but not as plain as generated ones. */
import { type ListApi, trimMessages } from 'promptmason'
import { describe, expect, it } from 'vitest'

/** Every list that some budget leaves of a list. */
const allTrimmed = (as: ListApi, list: any[]): any[][] => {
  const found = new Map<number, any[]>()
  for (let maxTokens = 1; ; maxTokens++) {
    try {
      const { messages, report } = trimMessages(list, { as, maxTokens, tokenizer: 'o200k', report: true })
      found.set(report.totalTokens, messages)
      if (messages.length === list.length) return [...found.values()]
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED' })
    }
  }
}

describe('Responses of OpenAI', () => {
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'done' })
  const user = (content: string) => ({ role: 'user', content })
  const reasoning = { type: 'reasoning', id: 'rs', summary: [] }

  it('keeps a call with an output that comes after another message', () => {
    const list = [user('one'), call('a'), user('two'), call('b'), output('b'), output('a'), user('three')]
    for (const messages of allTrimmed('openai', list)) {
      const ids = (type: string) =>
        messages
          .filter((item) => item.type === type)
          .map((item) => item.call_id)
          .toSorted()
      expect(ids('function_call')).toEqual(ids('function_call_output'))
      expect(messages[0].role).toBe('user')
    }
  })

  it('keeps reasoning together with what the model wrote after it', () => {
    const list = [user('one'), reasoning, call('a'), call('b'), output('a'), output('b'), user('two')]
    expect(allTrimmed('openai', list).map((messages) => messages.length)).toEqual([1, 7])
  })
})

it('keeps an AI SDK call that waits for approval together with the response', () => {
  const list = [
    { role: 'user', content: 'Delete it.' },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'rm', input: {} },
        { type: 'tool-approval-request', approvalId: 'x', toolCallId: 'a' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'x', approved: true }] },
  ]
  expect(allTrimmed('ai-sdk', list)).toEqual([list])
  // In the middle of a list, too.
  const longer = [...list, { role: 'user', content: 'And now?' }]
  expect(allTrimmed('ai-sdk', longer).map((messages) => messages.length)).toEqual([1, 4])
})

it('does not expect results of calls that the provider executes', () => {
  const list = [
    { role: 'user', content: 'Search.' },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'web', input: {}, providerExecuted: true },
        { type: 'tool-result', toolCallId: 'a', toolName: 'web', output: { type: 'text', value: 'found' } },
      ],
    },
    { role: 'user', content: 'Thanks.' },
  ]
  expect(allTrimmed('ai-sdk', list).map((messages) => messages.length)).toEqual([1, 3])
})

it('keeps instructions wherever they are', () => {
  const list = [
    { role: 'user', content: 'one' },
    { role: 'developer', content: 'Be brief.' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
  ]
  const [least] = allTrimmed('openai-chat', list)
  expect(least).toEqual([list[1], list[3]])
})

it('drops assistant messages before the first user message where the API rejects them', () => {
  const hello = { role: 'assistant', content: 'Hello!' }
  const list = [hello, { role: 'user', content: 'Hi.' }]
  const trim = (as: ListApi) => trimMessages(list, { as, maxTokens: 100, tokenizer: 'o200k', report: true })
  expect(trim('anthropic').messages).toEqual(list.slice(1))
  expect(trim('anthropic').report.dropped).toEqual([{ index: 0, reason: 'before-first-turn' }])
  expect(trim('openai-chat').messages).toEqual(list)
  expect(trim('ai-sdk').messages).toEqual(list)
})

it('accepts the older form of calls in Chat Completions', () => {
  const list = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    { role: 'function', name: 'f', content: 'done' },
    { role: 'user', content: 'two' },
  ]
  expect(allTrimmed('openai-chat', list).map((messages) => messages.length)).toEqual([1, 4])
})

it('accepts an empty list', () => {
  expect(trimMessages([], { as: 'openai', maxTokens: 10 })).toEqual({ messages: [] })
  expect(() => trimMessages([], { as: 'openai', maxTokens: 10, system: 'word '.repeat(20) })).toThrow(
    'system 29 tokens',
  )
})
