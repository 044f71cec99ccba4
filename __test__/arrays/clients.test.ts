/** A real client of each SDK sends the requests to a stand-in on loopback. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { generateText } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import OpenAI from 'openai'
import { type RequestInput, buildPrompt } from 'promptmason'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { brokenByRequest } from './made.js'

const ANSWERS: Record<string, object> = {
  '/v1/messages': {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Done.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  '/v1/responses': {
    id: 'resp_1',
    object: 'response',
    output: [
      {
        type: 'message',
        id: 'm',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
      },
    ],
  },
  '/v1/chat/completions': {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Done.' } }],
  },
  '/v1beta/models/m:generateContent': {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'STOP' }],
  },
}

const received: { path: string; body: any }[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname
    received.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(ANSWERS[path] ?? {}))
  })
})
let base = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const input: RequestInput = {
  systemInstructionText: 'You are Sarah.',
  contextMessages: [
    { from: 'kailai', content: 'Where do the tokens live? 中文 👍🏽' },
    {
      from: 'sarah',
      content: '',
      parts: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', id: '1', name: 'read_file', input: { path: 'a.ts' } },
        { type: 'tool-result', id: '1', output: 'const a = 1' },
      ],
    },
  ],
  message: 'Go on.',
  recipient: 'sarah',
}
const lastBody = () => received.at(-1)?.body

it('sends to Anthropic', async () => {
  const request = buildPrompt(input, { as: 'anthropic' })
  const client = new Anthropic({ apiKey: 'k', baseURL: base, maxRetries: 0 })
  const answer = await client.messages.create({ model: 'm', max_tokens: 100, ...request })
  expect(answer.content).toEqual([{ type: 'text', text: 'Done.' }])
  expect(lastBody()).toEqual({ model: 'm', max_tokens: 100, ...request })
  expect(brokenByRequest('anthropic', lastBody())).toEqual([])
})

it('sends to Responses of OpenAI', async () => {
  const request = buildPrompt(input, { as: 'openai' })
  const client = new OpenAI({ apiKey: 'k', baseURL: `${base}/v1`, maxRetries: 0 })
  const answer = await client.responses.create({ model: 'm', ...request })
  expect(answer.output_text).toBe('Done.')
  expect(lastBody()).toEqual({ model: 'm', ...request })
  expect(brokenByRequest('openai', lastBody())).toEqual([])
})

it('sends to Chat Completions of OpenAI', async () => {
  const request = buildPrompt(input, { as: 'openai-chat' })
  const client = new OpenAI({ apiKey: 'k', baseURL: `${base}/v1`, maxRetries: 0 })
  const answer = await client.chat.completions.create({ model: 'm', ...request })
  expect(answer.choices[0]?.message.content).toBe('Done.')
  expect(lastBody()).toEqual({ model: 'm', ...request })
  expect(brokenByRequest('openai-chat', lastBody())).toEqual([])
})

it('sends to Gemini', async () => {
  const { contents, systemInstruction } = buildPrompt(input, { as: 'gemini' })
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: base } })
  const config = systemInstruction === undefined ? {} : { systemInstruction }
  const answer = await client.models.generateContent({ model: 'm', contents, config })
  expect(answer.text).toBe('Done.')
  expect(lastBody().contents).toEqual(contents)
  expect(lastBody().systemInstruction).toMatchObject({ parts: [{ text: 'You are Sarah.' }] })
  expect(brokenByRequest('gemini', { contents: lastBody().contents })).toEqual([])
})

it('sends through the AI SDK', async () => {
  const model = new MockLanguageModelV3({
    doGenerate: {
      content: [{ type: 'text', text: 'Done.' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  })
  const request = buildPrompt(input, { as: 'ai-sdk' })
  const { text } = await generateText({ model, ...request })
  expect(text).toBe('Done.')
  const prompt = model.doGenerateCalls[0]?.prompt ?? []
  expect(prompt.map(({ role }) => role)).toEqual(['system', ...request.messages.map(({ role }) => role)])
  expect(prompt.slice(1)).toMatchObject(request.messages)
})
