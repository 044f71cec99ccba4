/** The checkers find violations: a checker that accepts everything would prove nothing. */
import { describe, expect, it } from 'vitest'
import { APIS, type Api, brokenBy, conversationOf, listOf } from './lists.js'

/** A conversation whose first turn has steps, and which ends with a question. */
const conversation = Array.from({ length: 50 }, (_, seed) => conversationOf(seed)).find(
  ({ turns, isWorking }) => !isWorking && turns.length > 2 && (turns[0]?.steps[0]?.calls.length ?? 0) > 1,
)

const isSystem = ({ role }: any) => role === 'system' || role === 'developer'
const hasCall = (message: any) =>
  /tool_use"|"function_call"|tool_calls|functionCall|"tool-call"/.test(JSON.stringify(message))
const hasResult = (message: any) =>
  /tool_result|function_call_output|"role":"tool"|functionResponse|"tool-result"/.test(JSON.stringify(message))
const without = (list: any[], index: number) => list.filter((_, at) => at !== index)

const CHANGES: [string, (list: any[], api: Api) => any[], string][] = [
  ['nothing', () => [], 'there is'],
  [
    'no question at the start',
    (list) =>
      without(
        list,
        list.findIndex((message) => !isSystem(message)),
      ),
    'user',
  ],
  ['no result', (list) => without(list, list.findIndex(hasResult)), ''],
  ['no call', (list) => without(list, list.findIndex(hasCall)), ''],
  ['a result twice', (list) => list.flatMap((message) => (hasResult(message) ? [message, message] : [message])), ''],
  [
    'results after the next question',
    (list, api) => {
      if (api === 'openai') return [...list.filter(hasResult), ...list.filter((message) => !hasResult(message))]
      return [...list.filter((message) => !hasResult(message)), ...list.filter(hasResult)]
    },
    '',
  ],
  ['the model speaks last', (list) => list.slice(0, -1), 'last'],
  [
    'a blank text',
    (list, api) => [
      ...list.slice(0, -1),
      api === 'gemini' ? { role: 'user', parts: [{ text: ' ' }] } : { role: 'user', content: ' ' },
    ],
    '',
  ],
  ['an unknown role', (list) => [...list.slice(0, -1), { ...list.at(-1), role: 'robot' }], ''],
  [
    'the same ids again',
    (list, api) =>
      api === 'gemini'
        ? [...list, ...list]
        : [...list, { role: 'assistant', content: 'Done.' }, ...list.filter((message) => !isSystem(message))],
    '',
  ],
]

describe.each(APIS)('the rules of %s', (api) => {
  it('accept a valid list', () => {
    expect(conversation).toBeDefined()
    expect(brokenBy(api, listOf(api, conversation!))).toEqual([])
  })

  it.each(CHANGES)('are broken by: %s', (_, change, named) => {
    const broken = brokenBy(api, change(listOf(api, conversation!), api))
    expect(broken).not.toEqual([])
    expect(broken.join('; ')).toContain(named)
  })
})

it('allow four cache marks at Anthropic, and not five', () => {
  const block = { type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }
  const marked = (count: number) => [{ role: 'user', content: Array.from({ length: count }, () => block) }]
  expect(brokenBy('anthropic', marked(4))).toEqual([])
  expect(brokenBy('anthropic', marked(5))).toEqual(['there are at most four cache marks'])
})
