/** Values that are not lists, and objects that are meant to break their reader. */
import { type TrimMessagesOptions, isPromptmasonError, trimMessages } from 'promptmason'
import { expect, it } from 'vitest'
import { APIS, type Api } from './lists.js'

const options = (as: Api): TrimMessagesOptions => ({ as, maxTokens: 1000, tokenizer: 'o200k' })
const codeOf = (call: () => unknown): unknown => {
  try {
    call()
  } catch (error) {
    return isPromptmasonError(error) ? error.code : error
  }
  return 'no error'
}

/** A message of the user with this part or content, in the form of an API. */
const contentOf = (as: Api, content: unknown): any =>
  as === 'gemini' ? { role: 'user', parts: content } : { role: 'user', content }
/** A message that calls a tool with this input, and its result. */
const calling = (as: Api, input: unknown): any[] => {
  switch (as) {
    case 'anthropic':
      return [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
      ]
    case 'openai':
      return [
        { type: 'function_call', call_id: 'a', name: 'f', arguments: input },
        { type: 'function_call_output', call_id: 'a', output: 'x' },
      ]
    case 'openai-chat':
      return [
        { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: input } }] },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ]
    case 'gemini':
      return [
        { role: 'model', parts: [{ functionCall: { name: 'f', args: input } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ]
    default:
      return [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'f', output: { type: 'text', value: 'x' } }],
        },
      ]
  }
}

const nested = (depth: number): unknown => {
  let value: unknown = {}
  for (let level = 0; level < depth; level++) value = { value }
  return value
}
const cycle: any = {}
cycle.self = cycle

it.each(APIS)('%s: rejects wrong values with a path and a code', (as) => {
  const wrong: [unknown, string][] = [
    [undefined, 'messages must be an array, got undefined'],
    [{ length: 1 }, 'messages must be an array, got object'],
    [[null], 'messages[0] must be an object, got null'],
    [['hi'], 'messages[0] must be an object, got string'],
    [Array(3), 'messages[0] must be an object, got undefined'],
    [[contentOf(as, 7)], 'must be a string or an array of parts, got number'],
    [[contentOf(as, [null])], '[0] must be an object, got null'],
    [[contentOf(as, Array(4e9))], '[0] must be an object, got undefined'],
    [[contentOf(as, [{ type: 'text', text: 7 }])], as === 'openai' ? 'no error' : 'text must be a string, got number'],
  ]
  for (const [list, message] of wrong) {
    if (message === 'no error') continue
    const call = () => trimMessages(list as object[], options(as))
    expect(call).toThrow(message)
    expect(codeOf(call)).toBe('ERR_INVALID_ARG_TYPE')
  }
})

it.each(APIS)('%s: rejects inputs that are not JSON, with a code', (as) => {
  const question = contentOf(as, as === 'gemini' ? [{ text: 'Go on.' }] : 'Go on.')
  const code = (input: unknown) => codeOf(() => trimMessages([question, ...calling(as, input)], options(as)))
  for (const input of [cycle, { big: 1n }]) expect(code(input)).toBe('ERR_INVALID_ARG_TYPE')
  // Too deep for JSON in older engines; in newer ones, too large for the budget.
  expect(['ERR_INVALID_ARG_TYPE', 'ERR_BUDGET_EXCEEDED']).toContain(code(nested(100_000)))
  expect(trimMessages([question, ...calling(as, nested(100))], options(as)).messages).toHaveLength(3)
})

it.each(APIS)('%s: rethrows the exception of a getter', (as) => {
  const mine = new Error('mine')
  const thrower = Object.defineProperty({}, 'value', {
    enumerable: true,
    get: () => {
      throw mine
    },
  })
  const question = contentOf(as, as === 'gemini' ? [{ text: 'Go on.' }] : 'Go on.')
  expect(codeOf(() => trimMessages([question, ...calling(as, thrower)], options(as)))).toBe(mine)
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw mine
      },
    },
  )
  expect(codeOf(() => trimMessages([hostile], options(as)))).toBe(mine)
})

it.each(APIS)('%s: requires the tokens of files, and counts images', (as) => {
  const image: any = {
    anthropic: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4000) } },
    openai: { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
    'openai-chat': { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    gemini: { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    'ai-sdk': { type: 'file', mediaType: 'image/png', data: 'AAAA' },
  }[as]
  const file: any = {
    anthropic: { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
    openai: { type: 'input_file', file_id: 'file-1' },
    'openai-chat': { type: 'file', file: { file_id: 'file-1' } },
    gemini: { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf' } },
    'ai-sdk': { type: 'file', mediaType: 'application/pdf', data: 'AAAA' },
  }[as]
  const total = (part: object, more: object = {}) => {
    const { report } = trimMessages([contentOf(as, [part])], { ...options(as), maxTokens: 1e5, report: true, ...more })
    return report?.totalTokens ?? 0
  }
  expect(total(image)).toBeGreaterThan(1000)
  expect(total(image, { fileTokens: 7 })).toBeLessThan(30)
  expect(() => total(file)).toThrow('pass fileTokens, a number or a function of the part')
  expect(total(file, { fileTokens: (part: unknown) => (part === file ? 500 : 0) })).toBeGreaterThan(500)
  expect(codeOf(() => total(file, { fileTokens: () => 0.5 }))).toBe('ERR_OUT_OF_RANGE')
})

it('names misspelled options and missing tokenizers', () => {
  const list = [{ role: 'user', content: 'hi' }]
  const trim = (given: object) => () => trimMessages(list, given as TrimMessagesOptions)
  expect(trim({ as: 'anthropic', maxTokens: 100 })).toThrow('options.tokenizer is required for anthropic')
  expect(trim({ as: 'gemini', maxTokens: 100 })).toThrow("pass 'o200k', 'cl100k', { bytesPerToken } or a function")
  expect(trim({ as: 'openai-chat', maxTokens: 100 })()).toEqual({ messages: list })
  expect(trim({ as: 'claude', maxTokens: 100 })).toThrow(
    "options.as must be 'anthropic', 'openai', 'openai-chat', 'gemini' or 'ai-sdk'",
  )
  expect(trim({ as: 'openai', maxToken: 100 })).toThrow('did you mean options.maxTokens')
  expect(trim({ as: 'openai', maxTokens: 100, fileToken: 1 })).toThrow('did you mean options.fileTokens')
  expect(trim({ as: 'openai', maxTokens: 1.5 })).toThrow('options.maxTokens must be a positive safe integer')
  expect(trim({ as: 'openai', maxTokens: 100, system: nested(1e5) as object })).toThrow('a string, a block with a text')
})

it('rejects a list that ends with a result whose call is missing', () => {
  const call = () =>
    trimMessages([{ role: 'user', content: 'hi' }, ...calling('openai-chat', '{}').slice(1)], options('openai-chat'))
  expect(call).toThrow("messages[1] must stay, but the tool call of the result 'a' is not in the list")
  expect(codeOf(call)).toBe('ERR_INVALID_ARG_TYPE')
  // A call that is not answered yet is allowed at the end of a list.
  const waiting = [{ role: 'user', content: 'hi' }, ...calling('openai-chat', '{}').slice(0, 1)]
  expect(trimMessages(waiting, options('openai-chat')).messages).toEqual(waiting)
})

it('reads a long list once', () => {
  let reads = 0
  const counting = (content: string) => ({
    role: 'assistant',
    get content() {
      reads += 1
      return content
    },
  })
  const list = [{ role: 'user', content: 'hi' }, ...Array.from({ length: 20_000 }, (_, at) => counting(`${at}`))]
  trimMessages(list, { as: 'anthropic', maxTokens: 500, tokenizer: 'o200k' })
  expect(reads).toBeLessThan(25_000)
})
