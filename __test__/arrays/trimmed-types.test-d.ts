/** Lists of the SDKs' own types can be trimmed, and what comes back can be sent. */
import type { MessageCreateParams, MessageParam } from '@anthropic-ai/sdk/resources/messages'
import type { Content, GenerateContentParameters } from '@google/genai'
import type { LanguageModelMiddleware, ModelMessage } from 'ai'
import type { ChatCompletionCreateParams, ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { ResponseCreateParams, ResponseInputItem } from 'openai/resources/responses/responses'
import { type TrimReport, contextBudget, trimMessages } from 'promptmason'

declare const anthropic: MessageParam[]
declare const responses: ResponseInputItem[]
declare const chat: ChatCompletionMessageParam[]
declare const contents: Content[]
declare const model: readonly ModelMessage[]

export const requests: [
  Pick<MessageCreateParams, 'messages'>,
  Pick<ResponseCreateParams, 'input'>,
  Pick<ChatCompletionCreateParams, 'messages'>,
  Pick<GenerateContentParameters, 'contents'>,
] = [
  trimMessages(anthropic, { as: 'anthropic', maxTokens: 1000, tokenizer: 'o200k' }),
  { input: trimMessages(responses, { as: 'openai', maxTokens: 1000 }).messages },
  trimMessages(chat, { as: 'openai-chat', maxTokens: 1000, system: null }),
  { contents: trimMessages(contents, { as: 'gemini', maxTokens: 1000, tokenizer: { bytesPerToken: 4 } }).messages },
]

export const messages: ModelMessage[] = trimMessages(model, {
  as: 'ai-sdk',
  maxTokens: 1000,
  tokenizer: 'o200k',
}).messages
export const report: TrimReport = trimMessages(chat, { as: 'openai-chat', maxTokens: 1000, report: true }).report
export const middleware: LanguageModelMiddleware = contextBudget({ maxTokens: 1000, tokenizer: 'o200k' })

// @ts-expect-error a report has to be asked for
export const none: TrimReport = trimMessages(chat, { as: 'openai-chat', maxTokens: 1000 }).report
// @ts-expect-error there is no such form
trimMessages(chat, { as: 'mistral', maxTokens: 1000 })
// @ts-expect-error the middleware needs a tokenizer
contextBudget({ maxTokens: 1000 })
