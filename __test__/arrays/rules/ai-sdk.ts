/** What the AI SDK or a provider behind it refuses. The SDK's own schema is one of the rules. */
import { type ModelMessage, modelMessageSchema } from 'ai'
import { type Rule, areUnique, brokenRules, isText, sameElements } from './broken.js'

export interface AiSdkRequest {
  system?: string
  messages: ModelMessage[]
}

const partsOf = ({ content }: ModelMessage): any[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content as any[])
const idsOf = (message: ModelMessage, type: string): string[] =>
  partsOf(message)
    .filter((part) => part.type === type && part.providerExecuted !== true)
    .map(({ toolCallId }) => toolCallId)

/** The ids of the results in the tool messages that follow a message directly. */
const answersTo = (messages: ModelMessage[], at: number): string[] => {
  const answers: string[] = []
  for (const message of messages.slice(at + 1)) {
    if (message.role !== 'tool') break
    answers.push(...idsOf(message, 'tool-result'))
  }
  return answers
}
const withoutSystem = (messages: ModelMessage[]) => messages.filter(({ role }) => role !== 'system')

export const RULES: readonly Rule<AiSdkRequest>[] = [
  [
    'the schema of the SDK accepts every message',
    ({ messages }) => messages.every((message) => modelMessageSchema.safeParse(message).success),
  ],
  ['there is a message', ({ messages }) => withoutSystem(messages).length > 0],
  ['the conversation begins with the user', ({ messages }) => withoutSystem(messages)[0]?.role === 'user'],
  ['the last message is not the assistant’s', ({ messages }) => messages.at(-1)?.role !== 'assistant'],
  ['no content is empty', ({ messages }) => messages.every(({ content }) => content.length > 0)],
  [
    'no text is blank',
    ({ messages }) => messages.flatMap(partsOf).every((part) => part.type !== 'text' || isText(part.text)),
  ],
  [
    'only assistants call',
    ({ messages }) =>
      messages.every((message) => message.role === 'assistant' || idsOf(message, 'tool-call').length === 0),
  ],
  [
    'the results of all calls follow them directly, and no others',
    ({ messages }) =>
      messages.every(
        (message, at) => message.role === 'tool' || sameElements(idsOf(message, 'tool-call'), answersTo(messages, at)),
      ) && messages[0]?.role !== 'tool',
  ],
  ['ids of calls are unique', ({ messages }) => areUnique(messages.flatMap((message) => idsOf(message, 'tool-call')))],
  [
    'a result has the name of its call',
    ({ messages }) => {
      const names = new Map(
        messages
          .flatMap(partsOf)
          .filter(({ type }) => type === 'tool-call')
          .map((part) => [part.toolCallId, part.toolName]),
      )
      return messages
        .flatMap(partsOf)
        .every((part) => part.type !== 'tool-result' || names.get(part.toolCallId) === part.toolName)
    },
  ],
]

export const brokenByAiSdk = (request: AiSdkRequest): string[] => brokenRules(RULES, request)
