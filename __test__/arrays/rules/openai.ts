/**
 * What the Responses API of OpenAI refuses, as far as we know (2026-11-18). Not compared with the API
 * itself, which accepts an assistant that speaks first or last; others that take this form do not.
 */
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { type Rule, areUnique, brokenRules, isText } from './broken.js'

export interface OpenAiRequest {
  instructions?: string | null
  input: ResponseInputItem[]
}

const isMessage = (item: any): boolean => item.type === undefined || item.type === 'message'
const calls = (input: readonly any[]) => input.filter(({ type }) => type === 'function_call')
const outputs = (input: readonly any[]) => input.filter(({ type }) => type === 'function_call_output')
const textsOf = ({ content }: any): unknown[] =>
  typeof content === 'string' ? [content] : content.map(({ text }: any) => text)
const isSystem = (item: any) => item.role === 'system' || item.role === 'developer'

export const RULES: readonly Rule<OpenAiRequest>[] = [
  ['there is an item', ({ input }) => input.length > 0],
  [
    'roles are known',
    ({ input }) =>
      input.every((item: any) => !isMessage(item) || /^(system|developer|user|assistant)$/.test(item.role)),
  ],
  [
    'the conversation begins with the user',
    ({ input }) => (input.find((item) => !isSystem(item)) as any)?.role === 'user',
  ],
  ['the last item is not the assistant’s', ({ input }) => !['assistant'].includes((input.at(-1) as any).role)],
  ['no text is blank', ({ input }) => input.every((item) => !isMessage(item) || textsOf(item).every(isText))],
  ['ids of calls are unique', ({ input }) => areUnique(calls(input).map(({ call_id }) => call_id))],
  [
    'each call has one output',
    ({ input }) =>
      calls(input).every(({ call_id }) => outputs(input).filter((output) => output.call_id === call_id).length === 1),
  ],
  [
    'an output comes after its call',
    ({ input }) =>
      input.every(
        (item: any, at) =>
          item.type !== 'function_call_output' ||
          calls(input.slice(0, at)).some(({ call_id }) => call_id === item.call_id),
      ),
  ],
  ['arguments are JSON', ({ input }) => calls(input).every((call) => JSON.parse(call.arguments) !== undefined)],
  [
    'reasoning is followed by what the model wrote next',
    ({ input }) =>
      input.every((item: any, at) => {
        const next: any = input[at + 1]
        return (
          item.type !== 'reasoning' ||
          next?.type === 'function_call' ||
          next?.role === 'assistant' ||
          next?.type === 'reasoning'
        )
      }),
  ],
  ['names of functions are well-formed', ({ input }) => calls(input).every(({ name }) => /^[\w-]{1,64}$/.test(name))],
  [
    'instructions are not blank',
    ({ instructions }) => instructions === undefined || instructions === null || isText(instructions),
  ],
]

export const brokenByOpenAi = (request: OpenAiRequest): string[] => brokenRules(RULES, request)
