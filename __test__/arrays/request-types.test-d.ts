/** Requests are what the SDKs take, without a cast. */
import type Anthropic from '@anthropic-ai/sdk'
import type { GoogleGenAI } from '@google/genai'
import type { ModelMessage, generateText } from 'ai'
import type OpenAI from 'openai'
import { type AssemblerReport, ContextManager, buildPrompt } from 'promptmason'

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

const ofManager = manager.assembleForAgent('sarah', 'claude', {}, { as: 'ai-sdk', report: true })
export const messages: ModelMessage[] = ofManager.messages
export const report: AssemblerReport = ofManager.report
export const prompt: string = manager.assembleForAgent('sarah', 'claude').prompt
