/** `contextBudget` in the AI SDK itself, with its mock of a model. */
import {
  type LanguageModelMiddleware,
  type ModelMessage,
  generateText,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai'
import { MockLanguageModelV3, convertArrayToReadableStream } from 'ai/test'
import { type TrimReport, contextBudget } from 'promptmason'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { brokenBy, conversationOf, listOf } from './lists.js'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const finishReason = { unified: 'stop' as const, raw: 'stop' }
const answer = { content: [{ type: 'text' as const, text: 'Done.' }], finishReason, usage, warnings: [] }

it('trims what reaches the model, and reports what was dropped', async () => {
  const reports: TrimReport[] = []
  const middleware: LanguageModelMiddleware = contextBudget({
    maxTokens: 600,
    tokenizer: 'o200k',
    onTrim: (report) => reports.push(report),
  })
  const mock = new MockLanguageModelV3({ doGenerate: answer })
  const model = wrapLanguageModel({ model: mock, middleware })
  const [system, ...messages] = listOf('ai-sdk', conversationOf(3, 30)) as ModelMessage[]
  const { text } = await generateText({ model, system: String(system?.content), messages })
  expect(text).toBe('Done.')
  const prompt = mock.doGenerateCalls[0]?.prompt ?? []
  expect(brokenBy('ai-sdk', prompt)).toEqual([])
  expect(prompt[0]).toEqual(expect.objectContaining(system))
  expect(prompt.length).toBeLessThan(messages.length)
  expect(reports).toHaveLength(1)
  expect(reports[0]?.keptMessages).toBe(prompt.length)
  expect(reports[0]?.totalTokens).toBeLessThanOrEqual(600)
})

it('keeps an agent with tools inside its budget, step by step', async () => {
  const sizes: number[] = []
  const budget = contextBudget({
    maxTokens: 1400,
    tokenizer: 'o200k',
    onTrim: ({ totalTokens }) => sizes.push(totalTokens),
  })
  let step = 0
  const mock = new MockLanguageModelV3({
    doGenerate: async () => {
      step += 1
      if (step === 20) return answer
      const call = {
        type: 'tool-call' as const,
        toolCallId: `call_${step}`,
        toolName: 'read',
        input: '{"path":"a.ts"}',
      }
      return { ...answer, content: [call], finishReason: { unified: 'tool-calls' as const, raw: 'tool_use' } }
    },
  })
  const read = tool({ inputSchema: z.object({ path: z.string() }), execute: () => 'a line of the file\n'.repeat(20) })
  const { steps } = await generateText({
    model: wrapLanguageModel({ model: mock, middleware: budget }),
    prompt: 'Read the file twenty times.',
    tools: { read },
    stopWhen: stepCountIs(20),
  })
  expect(steps).toHaveLength(20)
  expect(sizes.length).toBeGreaterThan(10)
  for (const { prompt } of mock.doGenerateCalls) {
    expect(brokenBy('ai-sdk', prompt)).toEqual([])
    expect(JSON.stringify(prompt[0])).toContain('twenty times')
  }
})

it('works for streams, and fails with ERR_BUDGET_EXCEEDED', async () => {
  const chunks = [
    { type: 'text-start' as const, id: '1' },
    { type: 'text-delta' as const, id: '1', delta: 'Hi.' },
    { type: 'text-end' as const, id: '1' },
    { type: 'finish' as const, finishReason, usage },
  ]
  const doStream = async () => ({ stream: convertArrayToReadableStream(chunks) })
  const streaming = new MockLanguageModelV3({ doStream })
  const middleware = contextBudget({ maxTokens: 100, tokenizer: { bytesPerToken: 4 } })
  const { text } = streamText({ model: wrapLanguageModel({ model: streaming, middleware }), prompt: 'Hello.' })
  expect(await text).toBe('Hi.')
  const model = wrapLanguageModel({ model: new MockLanguageModelV3({ doGenerate: answer }), middleware })
  const tooLong = generateText({ model, prompt: 'word '.repeat(1000), maxRetries: 0 })
  await expect(tooLong).rejects.toMatchObject({ code: 'ERR_BUDGET_EXCEEDED', maxTokens: 100 })
})

it('rejects wrong options by name', () => {
  expect(() => contextBudget({ maxTokens: 1 } as any)).toThrow('options.tokenizer is required for ai-sdk')
  expect(() => contextBudget({ maxTokens: 0, tokenizer: 'o200k' })).toThrow('options.maxTokens must be a positive')
  expect(() => contextBudget({ maxTokens: 1, tokenizer: 'o200k', ontrim: () => {} } as any)).toThrow(
    'did you mean options.onTrim',
  )
})
