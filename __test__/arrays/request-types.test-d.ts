/** Requests have the types of the SDKs, without a cast. */
import type Anthropic from '@anthropic-ai/sdk'
import type { GoogleGenAI } from '@google/genai'
import type { ModelMessage, generateText } from 'ai'
import type OpenAI from 'openai'
import { type AssemblerReport, type Conversation, ContextManager, buildPrompt, openConversation } from 'promptmason'

declare const anthropic: Anthropic
declare const openai: OpenAI
declare const gemini: GoogleGenAI
declare const generate: typeof generateText

const input = { contextMessages: [], message: 'Hi', recipient: 'sarah' }
const manager = new ContextManager()

export const send = async (): Promise<void> => {
  const request = buildPrompt(input, { as: 'anthropic' })
  await anthropic.messages.create({ model: 'claude-sonnet-4-5', max_tokens: 1024, ...request })
  await openai.responses.create({ model: 'gpt-5', ...buildPrompt(input, { as: 'openai' }) })
  await openai.chat.completions.create({ model: 'gpt-5', ...buildPrompt(input, { as: 'openai-chat' }) })
  const { contents, systemInstruction } = buildPrompt(input, { as: 'gemini' })
  const config = systemInstruction === undefined ? {} : { systemInstruction }
  await gemini.models.generateContent({ model: 'gemini-3-pro', contents, config })
  await generate({ model: 'anthropic/claude-sonnet-4.5', ...buildPrompt(input, { as: 'ai-sdk' }) })
}

/** Members of a conversation that send requests: `as` determines the argument of `run`. */
export const talk: Promise<Conversation<'kailai' | 'claude' | 'gpt' | 'chat' | 'gemini' | 'any' | 'cli'>> =
  openConversation({
    members: {
      kailai: { human: true },
      claude: {
        as: 'anthropic',
        model: 'claude-sonnet-4-5',
        cache: { ttl: '1h' },
        run: async ({ request, signal }) => {
          const body = { model: 'claude-sonnet-4-5', max_tokens: 1024, ...request }
          const { content, usage } = await anthropic.messages.create(body, { signal })
          const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
          return { text, usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } }
        },
      },
      gpt: {
        as: 'openai',
        run: async ({ request, resume }) => {
          const previous_response_id = resume ?? null
          const { output_text, id } = await openai.responses.create({
            model: 'gpt-5',
            previous_response_id,
            ...request,
          })
          return { text: output_text, session: id }
        },
      },
      chat: {
        as: 'openai-chat',
        run: async ({ request }) => {
          const { choices } = await openai.chat.completions.create({ model: 'gpt-5', ...request })
          return choices[0]?.message.content ?? ''
        },
      },
      gemini: {
        as: 'gemini',
        run: async ({ request: { contents, ...config } }) => {
          const { text } = await gemini.models.generateContent({ model: 'gemini-3-pro', contents, config })
          return text ?? ''
        },
      },
      any: { as: 'ai-sdk', run: async ({ request }) => (await generate({ model: 'openai/gpt-5', ...request })).text },
      cli: { run: ({ prompt }) => prompt },
    },
  })
void openConversation({
  // @ts-expect-error -- a member that asks for requests is given no prompt
  members: { a: { as: 'anthropic', run: ({ prompt }: { prompt: string }) => prompt } },
})
void openConversation({
  // @ts-expect-error -- and one that does not, no request
  members: { a: { run: ({ request }: { request: object }) => String(request) } },
})

const ofManager = manager.assembleForAgent('sarah', 'claude', {}, { as: 'ai-sdk', report: true })
export const messages: ModelMessage[] = ofManager.messages
export const report: AssemblerReport = ofManager.report
export const prompt: string = manager.assembleForAgent('sarah', 'claude').prompt
