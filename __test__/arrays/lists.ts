/**
 * Conversations of an agent, written in the form of each API. Turns begin with the user and end with an
 * answer; between them are steps with tool calls. The last message is the user's or a tool's.
 */
import { brokenByAiSdk } from './rules/ai-sdk.js'
import { brokenByAnthropic } from './rules/anthropic.js'
import { brokenByGemini } from './rules/gemini.js'
import { brokenByOpenAi } from './rules/openai.js'
import { brokenByOpenAiChat } from './rules/openai-chat.js'

export interface Step {
  text: string
  calls: { id: string; name: string; input: object; output: string }[]
}
export interface Turn {
  question: string
  steps: Step[]
  answer: string
}
export interface Conversation {
  system: string
  turns: Turn[]
  /** Whether the last turn ends with its tool results. Otherwise, with its question. */
  isWorking: boolean
}

/** Pseudo-random numbers below `limit`, the same for every seed everywhere. */
export const numbersOf = (seed: number) => {
  let state = (seed * 2654435761 + 12345) >>> 0
  return (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const WORDS = ['read', 'the', 'file', 'tests', 'pass', '中文', 'why?', 'error:', '0x1f', 'done', '👍🏽', 'const x = 1']

/** A conversation of up to `maxTurns` turns. */
export const conversationOf = (seed: number, maxTurns = 8): Conversation => {
  const number = numbersOf(seed)
  const text = (most: number) => Array.from({ length: 1 + number(most) }, () => WORDS[number(WORDS.length)]).join(' ')
  let calls = 0
  const step = (): Step => ({
    text: number(2) === 0 ? text(12) : '',
    calls: Array.from({ length: 1 + number(3) }, () => ({
      id: `call_${calls++}`,
      name: ['read_file', 'bash', 'search'][number(3)] ?? 'bash',
      input: { path: text(3) },
      output: text(40),
    })),
  })
  const turns = Array.from({ length: 1 + number(maxTurns) }, () => ({
    question: text(20),
    steps: Array.from({ length: number(5) }, step),
    answer: text(30),
  }))
  const last = turns.at(-1)
  return { system: text(20), turns, isWorking: last !== undefined && last.steps.length > 0 && number(2) === 0 }
}

/** Calls a writer for everything that is said, in order. */
const write = (
  { turns, isWorking }: Conversation,
  user: (text: string) => void,
  step: (step: Step) => void,
  answer: (text: string) => void,
) => {
  for (const [at, turn] of turns.entries()) {
    user(turn.question)
    const isLast = at === turns.length - 1
    if (isLast && !isWorking) return
    for (const each of turn.steps) step(each)
    if (!isLast) answer(turn.answer)
  }
}

const texts = (text: string, part: object) => (text === '' ? [] : [part])

const FORMS = {
  anthropic: (conversation: Conversation) => {
    const messages: any[] = []
    write(
      conversation,
      (text) => messages.push({ role: 'user', content: text }),
      ({ text, calls }) => {
        const blocks = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
        messages.push({ role: 'assistant', content: [...texts(text, { type: 'text', text }), ...blocks] })
        const content = calls.map(({ id, output }) => ({ type: 'tool_result', tool_use_id: id, content: output }))
        messages.push({ role: 'user', content })
      },
      (text) => messages.push({ role: 'assistant', content: [{ type: 'text', text }] }),
    )
    return messages
  },
  openai: (conversation: Conversation) => {
    const input: any[] = [{ role: 'developer', content: conversation.system }]
    let reasonings = 0
    write(
      conversation,
      (text) => input.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
      ({ text, calls }) => {
        input.push({
          type: 'reasoning',
          id: `rs_${reasonings++}`,
          summary: texts(text, { type: 'summary_text', text }),
        })
        for (const { id, name, input: given } of calls) {
          input.push({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(given) })
        }
        for (const { id, output } of calls) input.push({ type: 'function_call_output', call_id: id, output })
      },
      (text) => input.push({ role: 'assistant', content: text }),
    )
    return input
  },
  'openai-chat': (conversation: Conversation) => {
    const messages: any[] = [{ role: 'system', content: conversation.system }]
    write(
      conversation,
      (content) => messages.push({ role: 'user', content }),
      ({ text, calls }) => {
        const tool_calls = calls.map(({ id, name, input }) => {
          return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
        })
        messages.push({ role: 'assistant', content: text === '' ? null : text, tool_calls })
        for (const { id, output } of calls) messages.push({ role: 'tool', tool_call_id: id, content: output })
      },
      (content) => messages.push({ role: 'assistant', content }),
    )
    return messages
  },
  gemini: (conversation: Conversation) => {
    const contents: any[] = []
    write(
      conversation,
      (text) => contents.push({ role: 'user', parts: [{ text }] }),
      ({ text, calls }) => {
        const parts = calls.map(({ name, input }) => ({ functionCall: { name, args: input } }))
        contents.push({ role: 'model', parts: [...texts(text, { text }), ...parts] })
        const answers = calls.map(({ name, output }) => ({ functionResponse: { name, response: { output } } }))
        contents.push({ role: 'user', parts: answers })
      },
      (text) => contents.push({ role: 'model', parts: [{ text }] }),
    )
    return contents
  },
  'ai-sdk': (conversation: Conversation) => {
    const messages: any[] = [{ role: 'system', content: conversation.system }]
    write(
      conversation,
      (content) => messages.push({ role: 'user', content }),
      ({ text, calls }) => {
        const parts = calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input }))
        messages.push({ role: 'assistant', content: [...texts(text, { type: 'text', text }), ...parts] })
        const content = calls.map(({ id, name, output }) => {
          return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: output } }
        })
        messages.push({ role: 'tool', content })
      },
      (content) => messages.push({ role: 'assistant', content }),
    )
    return messages
  },
}

export const APIS = ['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk'] as const
export type Api = (typeof APIS)[number]

export const listOf = (api: Api, conversation: Conversation): any[] => FORMS[api](conversation)

/** The rules of an API that a list breaks. */
export const brokenBy = (api: Api, list: any[]): string[] => {
  switch (api) {
    case 'anthropic':
      return brokenByAnthropic({ messages: list })
    case 'openai':
      return brokenByOpenAi({ input: list })
    case 'openai-chat':
      return brokenByOpenAiChat({ messages: list })
    case 'gemini':
      return brokenByGemini({ contents: list })
    default:
      return brokenByAiSdk({ messages: list })
  }
}
