/** Every single rule is broken by a violation that is planted into a request which obeys all of them. */
import { buildPrompt } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { type Api, APIS } from './lists.js'
import { brokenByRequest } from './made.js'
import { RULES as aiSdk } from './rules/ai-sdk.js'
import { RULES as anthropic } from './rules/anthropic.js'
import { RULES as gemini } from './rules/gemini.js'
import { RULES as openAiChat } from './rules/openai-chat.js'
import { RULES as openAi } from './rules/openai.js'

const used = (id: string) => [
  { type: 'tool-call' as const, id, name: 'read_file', input: { path: id } },
  { type: 'tool-result' as const, id, output: `contents of ${id}` },
]
/** A user, an assistant with two calls, their results, an assistant, a user. */
const requestTo = (as: Api): any =>
  structuredClone(
    buildPrompt(
      {
        systemInstructionText: 'You are Sarah.',
        contextMessages: [
          { from: 'kailai', content: 'Where do the tokens live?' },
          {
            from: 'sarah',
            content: '',
            parts: [
              { type: 'text', text: 'Let me look.' },
              ...used('a'),
              ...used('b'),
              { type: 'text', text: 'There.' },
            ],
          },
        ],
        message: 'Go on.',
        messageFrom: 'kailai',
        recipient: 'sarah',
      },
      { as, cache: 'none' },
    ),
  )

type Violations = Record<string, (request: any) => void>
const mark = { cache_control: { type: 'ephemeral' } }

const ANTHROPIC: Violations = {
  'there is a message': (sent) => (sent.messages = []),
  'roles are user or assistant': (sent) => (sent.messages[3].role = 'tool'),
  'the first message is the user’s': (sent) => sent.messages.shift(),
  'the last message is the user’s': (sent) => sent.messages.pop(),
  'roles alternate': (sent) => sent.messages.push(sent.messages[4]),
  'no content is empty, and no text is blank': (sent) => (sent.messages[0].content[0].text = ' '),
  'calls are the assistant’s, results are the user’s': (sent) =>
    sent.messages[4].content.push(sent.messages[1].content[1]),
  'the next message has the results of all calls, and no others': (sent) => sent.messages[2].content.pop(),
  'results come first in their message': (sent) => sent.messages[2].content.splice(1, 0, { type: 'text', text: 'Hm.' }),
  'ids of calls are unique': (sent) => {
    for (const block of sent.messages[1].content) if (block.id) block.id = 'a'
  },
  'ids of calls are well-formed': (sent) => (sent.messages[1].content[1].id = 'a b'),
  'there are at most four cache marks': (sent) =>
    (sent.system = Array.from({ length: 5 }, () => ({ type: 'text', text: 'x', ...mark }))),
  'the system text is not blank': (sent) => (sent.system = []),
}
const OPENAI: Violations = {
  'there is an item': (sent) => (sent.input = []),
  'roles are known': (sent) => (sent.input[0].role = 'robot'),
  'the conversation begins with the user': (sent) => sent.input.unshift({ role: 'assistant', content: 'Hi.' }),
  'the last item is not the assistant’s': (sent) => sent.input.pop(),
  'no text is blank': (sent) => (sent.input[0].content = '\n'),
  'ids of calls are unique': (sent) => sent.input.push(sent.input.find(({ type }: any) => type === 'function_call')),
  'each call has one output': (sent) =>
    (sent.input = sent.input.filter(({ type, call_id }: any) => type !== 'function_call_output' || call_id !== 'a')),
  'an output comes after its call': (sent) =>
    sent.input.splice(
      1,
      0,
      ...sent.input.splice(
        sent.input.findIndex(({ type }: any) => type === 'function_call_output'),
        1,
      ),
    ),
  'arguments are JSON': (sent) => (sent.input.find(({ type }: any) => type === 'function_call').arguments = '{'),
  'reasoning is followed by what the model wrote next': (sent) =>
    sent.input.unshift({ type: 'reasoning', summary: [] }),
  'names of functions are well-formed': (sent) =>
    (sent.input.find(({ type }: any) => type === 'function_call').name = 'fs.read'),
  'instructions are not blank': (sent) => (sent.instructions = ' '),
}
const CHAT: Violations = {
  'there is a message': (sent) => (sent.messages = []),
  'roles are known': (sent) => (sent.messages[1].role = 'robot'),
  'a message that is no instruction comes': (sent) => sent.messages.splice(1),
  'the conversation begins with the user': (sent) => sent.messages.splice(1, 2),
  'the last message is not the assistant’s': (sent) => sent.messages.pop(),
  'an assistant has a text or calls': (sent) => sent.messages.splice(2, 0, { role: 'assistant', content: null }),
  'other messages have a content': (sent) => (sent.messages[1].content = ''),
  'a list of calls is not empty': (sent) =>
    sent.messages.splice(2, 0, { role: 'assistant', content: 'x', tool_calls: [] }),
  'the results of all calls follow them directly, and no others': (sent) =>
    sent.messages.splice(
      sent.messages.findIndex(({ role }: any) => role === 'tool'),
      1,
    ),
  'ids of calls are unique': (sent) => {
    for (const call of sent.messages.find(({ tool_calls }: any) => tool_calls).tool_calls) call.id = 'a'
  },
  'arguments are JSON': (sent) =>
    (sent.messages.find(({ tool_calls }: any) => tool_calls).tool_calls[0].function.arguments = 'path'),
}
const GEMINI: Violations = {
  'there is a content': (sent) => (sent.contents = []),
  'roles are user or model': (sent) => (sent.contents[1].role = 'assistant'),
  'the first content is the user’s': (sent) => sent.contents.shift(),
  'the last content is the user’s': (sent) => sent.contents.pop(),
  'roles alternate': (sent) => sent.contents.push(sent.contents[4]),
  'every content has parts': (sent) => (sent.contents[4].parts = []),
  'every part is of one kind': (sent) =>
    (sent.contents[1].parts[0].functionCall = sent.contents[1].parts[1].functionCall),
  'no text is blank': (sent) => (sent.contents[0].parts[0].text = ''),
  'calls are the model’s, responses are the user’s': (sent) => sent.contents[4].parts.push(sent.contents[1].parts[1]),
  'the next content has as many responses as there are calls, by their names': (sent) => sent.contents[2].parts.pop(),
  'responses are objects': (sent) => (sent.contents[2].parts[0].functionResponse.response = 'contents'),
}
const AI_SDK: Violations = {
  'the schema of the SDK accepts every message': (sent) => (sent.messages[0].role = 'robot'),
  'there is a message': (sent) => (sent.messages = []),
  'the conversation begins with the user': (sent) => sent.messages.shift(),
  'the last message is not the assistant’s': (sent) => sent.messages.pop(),
  'no content is empty': (sent) => (sent.messages[0].content = []),
  'no text is blank': (sent) => (sent.messages[0].content[0].text = ' '),
  'only assistants call': (sent) => sent.messages[4].content.push(sent.messages[1].content[1]),
  'the results of all calls follow them directly, and no others': (sent) => sent.messages[2].content.pop(),
  'ids of calls are unique': (sent) => {
    for (const part of sent.messages[1].content) if (part.toolCallId) part.toolCallId = 'a'
  },
  'a result has the name of its call': (sent) => (sent.messages[2].content[0].toolName = 'bash'),
}
const PLANTED: Record<Api, [readonly (readonly [string, unknown])[], Violations]> = {
  anthropic: [anthropic, ANTHROPIC],
  openai: [openAi, OPENAI],
  'openai-chat': [openAiChat, CHAT],
  gemini: [gemini, GEMINI],
  'ai-sdk': [aiSdk, AI_SDK],
}

describe.each(APIS)('the rules of %s', (api) => {
  const [rules, violations] = PLANTED[api]

  it('number ten or more, hold for a request, and have a violation each', () => {
    expect(rules.length).toBeGreaterThanOrEqual(10)
    expect(brokenByRequest(api, requestTo(api))).toEqual([])
    expect(Object.keys(violations)).toEqual(rules.map(([rule]) => rule))
  })

  it.each(Object.entries(violations))('are broken: %s', (rule, plant) => {
    const request = requestTo(api)
    plant(request)
    expect(brokenByRequest(api, request)).toContain(rule)
  })
})
