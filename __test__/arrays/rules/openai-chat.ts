/**
 * What the Chat Completions API of OpenAI refuses, as far as we know (2026-11-18). Not compared with the API
 * itself, which accepts an assistant that speaks first or last; others that take this form do not.
 */
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import { type Rule, areUnique, brokenRules, isText, sameElements } from './broken.js'

export type ChatRequest = Pick<ChatCompletionCreateParams, 'messages'>

const callsOf = (message: any): string[] => (message?.tool_calls ?? []).map(({ id }: { id: string }) => id)
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

/** The ids of the tool messages that follow a message directly. */
const answersTo = (messages: ChatRequest['messages'], at: number): string[] => {
  const answers: string[] = []
  for (const message of messages.slice(at + 1)) {
    if (message.role !== 'tool') break
    answers.push(message.tool_call_id)
  }
  return answers
}

export const RULES: readonly Rule<ChatRequest>[] = [
  ['there is a message', ({ messages }) => messages.length > 0],
  ['roles are known', ({ messages }) => messages.every(({ role }) => ROLES.has(role))],
  [
    'a message that is no instruction comes',
    ({ messages }) => messages.some(({ role }) => role !== 'system' && role !== 'developer'),
  ],
  [
    'the conversation begins with the user',
    ({ messages }) => messages.find(({ role }) => !/system|developer/.test(role))?.role === 'user',
  ],
  ['the last message is not the assistant’s', ({ messages }) => messages.at(-1)?.role !== 'assistant'],
  [
    'an assistant has a text or calls',
    ({ messages }) =>
      messages.every(
        (message) =>
          message.role !== 'assistant' ||
          isText(message.content) ||
          Array.isArray(message.content) ||
          callsOf(message).length > 0,
      ),
  ],
  [
    'other messages have a content',
    ({ messages }) =>
      messages.every(
        ({ role, content }) =>
          role === 'assistant' || isText(content) || (Array.isArray(content) && content.length > 0),
      ),
  ],
  [
    'a list of calls is not empty',
    ({ messages }) => messages.every((message) => !('tool_calls' in message) || callsOf(message).length > 0),
  ],
  [
    'the results of all calls follow them directly, and no others',
    ({ messages }) =>
      messages.every(
        (message, at) => message.role === 'tool' || sameElements(callsOf(message), answersTo(messages, at)),
      ) && messages[0]?.role !== 'tool',
  ],
  ['ids of calls are unique', ({ messages }) => areUnique(messages.flatMap(callsOf))],
  [
    'arguments are JSON',
    ({ messages }) =>
      messages.every((message: any) =>
        (message.tool_calls ?? []).every((call: any) => JSON.parse(call.function.arguments) !== undefined),
      ),
  ],
]

export const brokenByOpenAiChat = (request: ChatRequest): string[] => brokenRules(RULES, request)
