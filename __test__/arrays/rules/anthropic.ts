/** What the Messages API of Anthropic refuses, as far as we know (2026-11-18). Not compared with the API itself. */
import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages'
import { type Rule, areUnique, brokenRules, isText, sameElements } from './broken.js'

export type AnthropicRequest = Pick<MessageCreateParams, 'system' | 'messages'>

const blocksOf = ({ content }: AnthropicRequest['messages'][number]): any[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content
const idsOf = (message: AnthropicRequest['messages'][number] | undefined, type: string, key: string): string[] =>
  message === undefined
    ? []
    : blocksOf(message)
        .filter((block) => block.type === type)
        .map((block) => block[key])
const callsOf = (message?: AnthropicRequest['messages'][number]) => idsOf(message, 'tool_use', 'id')
const resultsOf = (message?: AnthropicRequest['messages'][number]) => idsOf(message, 'tool_result', 'tool_use_id')
const marks = (value: unknown): number => JSON.stringify(value ?? null).split('"cache_control":{').length - 1

export const RULES: readonly Rule<AnthropicRequest>[] = [
  ['there is a message', ({ messages }) => messages.length > 0],
  [
    'roles are user or assistant',
    ({ messages }) => messages.every(({ role }) => role === 'user' || role === 'assistant'),
  ],
  ['the first message is the user’s', ({ messages }) => messages[0]?.role === 'user'],
  ['the last message is the user’s', ({ messages }) => messages.at(-1)?.role === 'user'],
  ['roles alternate', ({ messages }) => messages.every(({ role }, at) => at === 0 || role !== messages[at - 1]?.role)],
  [
    'no content is empty, and no text is blank',
    ({ messages }) =>
      messages.every((message) => {
        const blocks = blocksOf(message)
        return blocks.length > 0 && blocks.every((block) => block.type !== 'text' || isText(block.text))
      }),
  ],
  [
    'calls are the assistant’s, results are the user’s',
    ({ messages }) =>
      messages.every((message) => (message.role === 'user' ? callsOf(message) : resultsOf(message)).length === 0),
  ],
  [
    'the next message has the results of all calls, and no others',
    ({ messages }) =>
      messages.every((message, at) => sameElements(callsOf(message), resultsOf(messages[at + 1]))) &&
      resultsOf(messages[0]).length === 0,
  ],
  [
    'results come first in their message',
    ({ messages }) =>
      messages.every((message) => {
        const types = blocksOf(message).map(({ type }) => type === 'tool_result')
        return !types.some((isResult, at) => isResult && at > 0 && types[at - 1] === false)
      }),
  ],
  ['ids of calls are unique', ({ messages }) => areUnique(messages.flatMap(callsOf))],
  ['ids of calls are well-formed', ({ messages }) => messages.flatMap(callsOf).every((id) => /^[\w-]+$/.test(id))],
  ['there are at most four cache marks', ({ system, messages }) => marks(system) + marks(messages) <= 4],
  ['the system text is not blank', ({ system }) => system === undefined || system.length > 0],
]

export const brokenByAnthropic = (request: AnthropicRequest): string[] => brokenRules(RULES, request)
