/** What trimming costs: how much is read and counted, and that nothing grows faster than its input. */
import { type ListApi, trimMessages } from 'promptmason'
import { describe, expect, it } from 'vitest'

const user = (content: string) => ({ role: 'user', content })
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'x' })
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** Milliseconds, the least of some runs. */
const timed = (run: () => unknown) => {
  let least = Infinity
  for (let runs = 0; runs < 3; runs++) {
    const start = performance.now()
    run()
    least = Math.min(least, performance.now() - start)
  }
  return least
}

/** Lists that grow in one way each. */
const GROWING: Record<string, [ListApi, (count: number) => object[]]> = {
  'outputs whose calls are before many user messages': [
    'openai',
    (count) => [
      ...times(count, (at) => call(`${at}`)),
      ...times(count, (at) => user(`${at}`)),
      ...times(count, (at) => output(`${at}`)),
      user('end'),
    ],
  ],
  'outputs without calls': ['openai', (count) => [...times(count, (at) => output(`${at}`)), user('end')]],
  'outputs of one call': ['openai', (count) => [call('a'), ...times(count, () => output('a')), user('end')]],
  'calls without outputs': ['openai', (count) => [user('one'), ...times(count, (at) => call(`${at}`)), user('end')]],
  'pairs with the same id': [
    'openai',
    (count) => [...times(count, () => [user('on'), call('a'), output('a')]).flat(), user('end')],
  ],
  'parts of a message': [
    'anthropic',
    (count) => [{ role: 'user', content: times(count, () => ({ type: 'text', text: 'x' })) }],
  ],
  'calls of a message': [
    'anthropic',
    (count) => [
      user('one'),
      { role: 'assistant', content: times(count, (id) => ({ type: 'tool_use', id, name: 'f', input: {} })) },
      { role: 'user', content: times(count, (id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })) },
    ],
  ],
  'messages of the model before the first turn': [
    'anthropic',
    (count) => [...times(count, () => ({ role: 'assistant', content: 'x' })), user('end')],
  ],
  instructions: ['openai-chat', (count) => [...times(count, () => ({ role: 'system', content: 'x' })), user('end')]],
}

it.each(Object.entries(GROWING))('takes linear time: %s', (_, [as, make]) => {
  const [small, large] = [make(4000), make(32_000)].map((list) =>
    timed(() => trimMessages(list, { as, maxTokens: 1e8, tokenizer: 'o200k' })),
  ) as [number, number]
  // Eight times as much, and the garbage of a busy machine. A quadratic one takes many times as long.
  expect(large).toBeLessThan(small * 24 + 2000)
})

describe('what must stay', () => {
  it.each(['word '.repeat(40_000_000), 'a'.repeat(200_000_000)])('is not counted without end', (text) => {
    const start = performance.now()
    let thrown
    try {
      trimMessages([user(text)], { as: 'openai', maxTokens: 100 })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED', unit: 'tokens', maxTokens: 100 })
    expect(thrown).not.toHaveProperty('requiredTokens')
    expect(String(thrown)).toContain('needs more than 100 tokens, but maxTokens is 100')
    // Counting all of it takes ten seconds or more.
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it('is counted up to four times the budget', () => {
    const trim = (words: number) => () =>
      trimMessages([user('word '.repeat(words))], { as: 'openai', maxTokens: 50_000 })
    expect(trim(190_000)).toThrow('needs 190009 tokens, but maxTokens is 50000')
    expect(trim(210_000)).toThrow('needs more than 50000 tokens, but maxTokens is 50000')
  })
})

it('reads no more of the messages that it drops than their roles', () => {
  const touched = new Set<number>()
  const list = times(4000, (index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    get content() {
      touched.add(index)
      return 'some words of a message'
    },
  }))
  const { messages } = trimMessages(list, { as: 'anthropic', maxTokens: 1000, tokenizer: 'o200k' })
  expect(messages.length).toBeGreaterThan(50)
  expect(Math.min(...touched)).toBeGreaterThan(4000 - 3 * messages.length)
})

it('does not reject a message that it does not need', () => {
  const list = [{ role: 'user', content: 7 }, ...times(400, (at) => user(`message ${at}`))]
  const trim = (maxTokens: number) => trimMessages(list, { as: 'anthropic', maxTokens, tokenizer: 'o200k' }).messages
  expect(trim(2000).length).toBeLessThan(400)
  expect(() => trim(100_000)).toThrow('messages[0].content must be a string or an array of parts, got number')
})
