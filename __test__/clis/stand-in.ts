/**
 * A server on loopback that stands in for the providers' APIs: it keeps what the CLIs send, and
 * answers what it is told to.
 */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the API answers. The errors are those that the providers document. */
export type Reply = 'answer' | 'too-long' | 'not-logged-in' | 'rate-limit' | 'other'

export interface SeenRequest {
  path: string
  body: any
}

export interface StandIn {
  url: string
  /** The requests for answers since the last `take`, in order. */
  take(): SeenRequest[]
  reply: Reply
  /** The next answer; each is used for one request, and after that the last one again. */
  answers: string[]
  close(): Promise<void>
}

/** Tokens that every answer claims: the recorded streams have the same. */
export const TOKENS = { input: 101, cached: 7, output: 23 }

type Send = (status: number, body: string, type?: string) => void

const sse = (events: object[], named = false): string =>
  events
    .map((event) => `${named ? `event: ${(event as { type: string }).type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('')

const anthropic = (text: string): string => {
  const usage = {
    input_tokens: TOKENS.input,
    cache_read_input_tokens: TOKENS.cached,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  }
  return sse(
    [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'stand-in',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: TOKENS.output },
      },
      { type: 'message_stop' },
    ],
    true,
  )
}

const responses = (text: string): string => {
  const item = { type: 'message', role: 'assistant', id: 'item_1', content: [{ type: 'output_text', text }] }
  const usage = {
    input_tokens: TOKENS.input,
    input_tokens_details: { cached_tokens: TOKENS.cached },
    output_tokens: TOKENS.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: TOKENS.input + TOKENS.output,
  }
  return sse(
    [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response: { id: 'resp_1', usage } },
    ],
    true,
  )
}

const completions = (text: string, stream: boolean): string => {
  const usage = {
    prompt_tokens: TOKENS.input,
    completion_tokens: TOKENS.output,
    total_tokens: TOKENS.input + TOKENS.output,
    prompt_tokens_details: { cached_tokens: TOKENS.cached },
  }
  const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'stand-in' }
  if (!stream) {
    return JSON.stringify({
      ...chunk,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage,
    })
  }
  return (
    sse([
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...chunk, choices: [], usage },
    ]) + 'data: [DONE]\n\n'
  )
}

const gemini = (text: string, stream: boolean): string => {
  const response = {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: TOKENS.input,
      cachedContentTokenCount: TOKENS.cached,
      candidatesTokenCount: TOKENS.output,
      totalTokenCount: TOKENS.input + TOKENS.output,
    },
    modelVersion: 'stand-in',
  }
  return stream ? sse([response]) : JSON.stringify(response)
}

type Api = 'anthropic' | 'gemini' | 'openai'

/** Status and body of each error, as the provider has it. */
const ERRORS: Record<Exclude<Reply, 'answer'>, Record<Api, [status: number, body: object]>> = {
  'too-long': {
    anthropic: [
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 250000 tokens > 200000 maximum' },
      },
    ],
    gemini: [
      400,
      {
        error: {
          code: 400,
          message: 'The input token count exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    openai: [
      400,
      {
        error: {
          message: 'Your input exceeds the context window of this model.',
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
        },
      },
    ],
  },
  'not-logged-in': {
    anthropic: [401, { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }],
    gemini: [
      400,
      { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    ],
    openai: [
      401,
      { error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' } },
    ],
  },
  'rate-limit': {
    anthropic: [
      429,
      { type: 'error', error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' } },
    ],
    gemini: [429, { error: { code: 429, message: 'You exceeded your current quota.', status: 'RESOURCE_EXHAUSTED' } }],
    openai: [
      429,
      { error: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' } },
    ],
  },
  other: {
    anthropic: [
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'messages: something is wrong' } },
    ],
    gemini: [400, { error: { code: 400, message: 'Something is wrong.', status: 'INVALID_ARGUMENT' } }],
    openai: [400, { error: { message: 'Something is wrong.', type: 'invalid_request_error', code: null } }],
  },
}

const apiOf = (path: string): Api | undefined => {
  if (path.startsWith('/v1/messages')) return 'anthropic'
  if (/:(stream)?generateContent/i.test(path)) return 'gemini'
  if (path.endsWith('/chat/completions') || path.endsWith('/responses')) return 'openai'
  return undefined
}

const bodyOf = async (request: IncomingMessage): Promise<any> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : JSON.parse(text)
}

const answer = (path: string, body: any, text: string, send: Send): void => {
  const events = 'text/event-stream'
  if (path.startsWith('/v1/messages')) return send(200, anthropic(text), events)
  if (path.endsWith('/responses')) return send(200, responses(text), events)
  const stream = body?.stream === true || path.includes(':streamGenerateContent')
  const make = path.endsWith('/chat/completions') ? completions : gemini
  send(200, make(text, stream), stream ? events : 'application/json')
}

export const startStandIn = async (): Promise<StandIn> => {
  const seen: SeenRequest[] = []
  const standIn: Pick<StandIn, 'reply' | 'answers'> = { reply: 'answer', answers: ['ANSWER'] }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send: Send = (status, text, type = 'application/json') => {
      response.writeHead(status, { 'content-type': type, 'x-should-retry': 'false' })
      response.end(text)
    }
    const path = new URL(request.url ?? '/', 'http://loopback').pathname
    const body = await bodyOf(request)
    const api = apiOf(path)
    if (path.endsWith('/count_tokens')) return send(200, JSON.stringify({ input_tokens: TOKENS.input }))
    if (path.endsWith(':countTokens')) return send(200, JSON.stringify({ totalTokens: TOKENS.input }))
    if (api === undefined || request.method !== 'POST') return send(404, '{}')
    seen.push({ path, body })
    if (standIn.reply !== 'answer') {
      const [status, error] = ERRORS[standIn.reply][api]
      return send(status, JSON.stringify(error))
    }
    const text = (standIn.answers.length > 1 ? standIn.answers.shift() : standIn.answers[0]) ?? ''
    answer(path, body, text, send)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500)
      response.end(String(error))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return Object.assign(standIn, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => seen.splice(0),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  })
}
