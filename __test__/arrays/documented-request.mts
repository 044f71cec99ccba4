import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages'
import type { GenerateContentParameters } from '@google/genai'
import type { ModelMessage } from 'ai'
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses'
import { ContextManager, SystemPrompt } from 'promptmason'

// The agent, its environment, and the instruction files of the project: a list of system messages.
const systemInstruction = await SystemPrompt.build({
  agent: { name: 'reviewer', prompt: 'You review changes. Be brief.' },
  modelID: 'claude-sonnet-4-5',
  directory: process.cwd(),
})

const manager = new ContextManager({ contextWindowSize: 100, evictionStep: 40 })
manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: 'Please review src/parser.ts.' })
const turn = ['reviewer', 'claude', { systemInstruction }] as const

const toAnthropic: MessageCreateParamsNonStreaming = {
  model: 'claude-sonnet-4-5',
  max_tokens: 1024,
  ...manager.assembleForAgent(...turn, { as: 'anthropic', model: 'claude-sonnet-4-5' }),
}
const toOpenAi: ResponseCreateParamsNonStreaming = {
  model: 'gpt-5',
  ...manager.assembleForAgent(...turn, { as: 'openai' }),
}
const { systemInstruction: forGemini, contents } = manager.assembleForAgent(...turn, { as: 'gemini' })
const toGemini: GenerateContentParameters = {
  model: 'gemini-3-pro',
  contents,
  ...(forGemini && { config: { systemInstruction: forGemini } }),
}
const toAiSdk: { system?: string; messages: ModelMessage[] } = manager.assembleForAgent(...turn, { as: 'ai-sdk' })

console.log(toOpenAi.instructions === systemInstruction.join('\n'), toAiSdk.system === toOpenAi.instructions)
console.log(JSON.stringify(toAnthropic.messages))
console.log(JSON.stringify(toGemini.contents))
