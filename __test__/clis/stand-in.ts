/**
 * A server on loopback that stands in for the providers' APIs: it records what the CLIs send, and
 * sends the given answers.
 */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Api, ERRORS, type Failure } from './provider-errors.js'
import { type Step, TOKENS, anthropic, completions, gemini, responses } from './provider-streams.js'

export { TOKENS } from './provider-streams.js'

/** What the API answers to every request: an answer or an error. */
export type Reply = 'answer' | Failure

export interface SeenRequest {
  path: string
  body: any
}

/** What the API does with one request. */
export type Response = Step | { fails: Failure; retryAfterSeconds?: number }

export interface StandIn {
  url: string
  /** The requests for answers since the last `take`, in order. */
  take(): SeenRequest[]
  reply: Reply
  /** The next answer; each is used for one request, and after that the last one again. */
  answers: string[]
  /** Decides about a request before `reply` and `answers` do; they do if it returns nothing. */
  respond: ((request: SeenRequest) => Response | undefined) | undefined
  close(): Promise<void>
}

/** The delay between events, so that a CLI that shows partial text has some to show. */
const BETWEEN_EVENTS_MS = 20

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

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

const eventsOf = (path: string, step: Step, stream: boolean): string[] => {
  if (path.startsWith('/v1/messages')) return anthropic(step)
  if (path.endsWith('/responses')) return responses(step)
  return path.endsWith('/chat/completions') ? completions(step, stream) : gemini(step, stream)
}

const isStreamed = (path: string, body: any): boolean =>
  path.startsWith('/v1/messages') ||
  path.endsWith('/responses') ||
  path.includes(':streamGenerateContent') ||
  body?.stream === true

export const startStandIn = async (): Promise<StandIn> => {
  const seen: SeenRequest[] = []
  const standIn: Pick<StandIn, 'reply' | 'answers' | 'respond'> = {
    reply: 'answer',
    answers: ['ANSWER'],
    respond: undefined,
  }

  const fail = (response: ServerResponse, api: Api, fails: Failure, retryAfterSeconds?: number): void => {
    const [status, error] = ERRORS[fails][api]
    response.setHeader('content-type', 'application/json')
    if (retryAfterSeconds === undefined) response.setHeader('x-should-retry', 'false')
    else response.setHeader('retry-after', retryAfterSeconds)
    response.writeHead(status)
    response.end(JSON.stringify(error))
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const path = new URL(request.url ?? '/', 'http://loopback').pathname
    const body = await bodyOf(request)
    const api = apiOf(path)
    if (path.endsWith('/count_tokens')) return send(200, { input_tokens: TOKENS.input })
    if (path.endsWith(':countTokens')) return send(200, { totalTokens: TOKENS.input })
    if (api === undefined || request.method !== 'POST') return send(404, {})
    seen.push({ path, body })

    const decided = standIn.respond?.({ path, body })
    if (decided !== undefined && 'fails' in decided)
      return fail(response, api, decided.fails, decided.retryAfterSeconds)
    if (decided === undefined && standIn.reply !== 'answer') return fail(response, api, standIn.reply)
    const step = decided ?? {
      text: (standIn.answers.length > 1 ? standIn.answers.shift() : standIn.answers[0]) ?? '',
    }

    const stream = isStreamed(path, body)
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    for (const [index, event] of eventsOf(path, step, stream).entries()) {
      // Only if chunks were requested: everything else should be fast.
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (index > 0 && decided !== undefined) await pause(BETWEEN_EVENTS_MS)
      response.write(event)
    }
    if (step.end !== 'silent') response.end()
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
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
