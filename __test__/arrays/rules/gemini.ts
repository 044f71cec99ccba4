/** What `generateContent` of Gemini refuses, as far as we know (2026-11-18). Not compared with the API itself. */
import type { Content, GenerateContentParameters, Part } from '@google/genai'
import { type Rule, brokenRules, isText, sameElements } from './broken.js'

export interface GeminiRequest {
  contents: Content[]
  systemInstruction?: NonNullable<GenerateContentParameters['config']>['systemInstruction']
}

const partsOf = (content?: Content): Part[] => content?.parts ?? []
const callsOf = (content?: Content) =>
  partsOf(content).flatMap(({ functionCall }) => (functionCall ? [`${functionCall.name}`] : []))
const answersOf = (content?: Content) =>
  partsOf(content).flatMap(({ functionResponse }) => (functionResponse ? [`${functionResponse.name}`] : []))
const KINDS = [
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
]

export const RULES: readonly Rule<GeminiRequest>[] = [
  ['there is a content', ({ contents }) => contents.length > 0],
  ['roles are user or model', ({ contents }) => contents.every(({ role }) => role === 'user' || role === 'model')],
  ['the first content is the user’s', ({ contents }) => contents[0]?.role === 'user'],
  ['the last content is the user’s', ({ contents }) => contents.at(-1)?.role === 'user'],
  ['roles alternate', ({ contents }) => contents.every(({ role }, at) => at === 0 || role !== contents[at - 1]?.role)],
  ['every content has parts', ({ contents }) => contents.every((content) => partsOf(content).length > 0)],
  [
    'every part is of one kind',
    ({ contents }) => contents.flatMap(partsOf).every((part) => KINDS.filter((kind) => kind in part).length === 1),
  ],
  [
    'no text is blank',
    ({ contents }) => contents.flatMap(partsOf).every(({ text }) => text === undefined || isText(text)),
  ],
  [
    'calls are the model’s, responses are the user’s',
    ({ contents }) =>
      contents.every((content) => (content.role === 'user' ? callsOf(content) : answersOf(content)).length === 0),
  ],
  [
    'the next content has as many responses as there are calls, by their names',
    ({ contents }) =>
      contents.every((content, at) => sameElements(callsOf(content), answersOf(contents[at + 1]))) &&
      answersOf(contents[0]).length === 0,
  ],
  [
    'responses are objects',
    ({ contents }) =>
      contents
        .flatMap(partsOf)
        .every(({ functionResponse }) => !functionResponse || typeof functionResponse.response === 'object'),
  ],
]

export const brokenByGemini = (request: GeminiRequest): string[] => brokenRules(RULES, request)
