/**
 * Fetches the text of one URL, with Node's `fetch` or the caller's own. Redirects are followed here,
 * because each one is checked. A failure is returned as a reason in words, never thrown.
 */
import { clearTimeout, setTimeout } from 'node:timers'
import { hostOf, isAllowed, isWeb, parseUrl, redirectProblem } from './url-rules.js'
import type { UrlResponse as Response } from '../../binding.js'
import type { InstructionFetch, InstructionResponse } from './options.js'

type Limits = { timeoutMs: number; maxUrlBytes: number; allowHosts?: string[]; userAgent: string }

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

const REFUSED = 'the connection was refused'
const NOT_FOUND = 'the host was not found'
const CLOSED = 'the server closed the connection early'

const REASONS = new Map([
  ['ECONNREFUSED', REFUSED],
  ['ENOTFOUND', NOT_FOUND],
  ['EAI_AGAIN', NOT_FOUND],
  ['ECONNRESET', CLOSED],
  ['ECONNABORTED', CLOSED],
  ['EPIPE', CLOSED],
  ['UND_ERR_SOCKET', CLOSED],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', CLOSED],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection took too long'],
])

/** The same by message, for runtimes whose errors have no code, such as Deno. */
const MESSAGES = [
  [/Connection refused|os error (?:61|111|10061)\b/, REFUSED],
  [/\bdns error\b/, NOT_FOUND],
  [/error reading a body from connection|connection closed before/, CLOSED],
] as const

const UNTRUSTED = /^.*(?:CERT|SIGNATURE|ISSUER).*$/s

const failed = (reason: string, bytes: number = 0): Response => ({ reason, bytes })

/** @param redirects How many redirects led there. */
const notAllowed = (url: URL, redirects: number): Response => ({
  reason: `${redirects === 0 ? 'is on' : 'redirects to'} ${hostOf(url)}, which is not in allowHosts`,
  refused: true,
})

/** The user name and password of a URL as a header. They are percent-encoded in a URL, and bytes. */
const authorization = ({ username, password }: URL) => {
  if (username === '' && password === '') return {}
  const bytes = `${username}:${password}`.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
  return { authorization: `Basic ${Buffer.from(bytes, 'latin1').toString('base64')}` }
}

/** The address to request, without credentials, which go into a header, and without the fragment. */
const plainAddress = (url: URL) => Object.assign(new URL(url), { username: '', password: '', hash: '' }).href

/**
 * Why a request failed. Messages of errors may contain the URL, so they are only used if nothing in it can be secret.
 */
const reasonOf = (error: unknown, mayQuote: boolean) => {
  try {
    // Anything can be thrown.
    let cause = error as { cause?: unknown; code?: unknown; message?: unknown } | null | undefined
    while (typeof cause?.cause === 'object' && cause.cause !== null && cause.code === undefined) cause = cause.cause
    const code = typeof cause?.code === 'string' ? cause.code : undefined
    const said = typeof cause?.message === 'string' ? cause.message : ''
    const known = code === undefined ? MESSAGES.find(([pattern]) => pattern.test(said))?.[1] : REASONS.get(code)
    if (known !== undefined) return known
    const certificate =
      code === undefined ? /invalid peer certificate: (\w+)/.exec(said)?.[1] : UNTRUSTED.exec(code)?.[0]
    if (certificate !== undefined) return `the certificate is not trusted (${certificate})`
    const message = mayQuote && said !== '' ? said : code
    return `the request failed${message ? `: ${message}` : ''}`
  } catch {
    return 'the request failed'
  }
}

/**
 * Where a response was fetched from, if that is not the URL that was requested: a caller-supplied
 * `fetch` may follow redirects itself. Null if that is not known.
 * @param answered The `url` of the response.
 */
const originOf = (answered: unknown, redirected: boolean, url: URL): URL | null | undefined => {
  if (typeof answered !== 'string' || answered === '') return redirected ? null : undefined
  const origin = parseUrl(answered, url)
  return origin === undefined ? null : plainAddress(origin) === plainAddress(url) ? undefined : origin
}

/** A caller-supplied `fetch` can return anything. */
const isResponse = (given: Partial<InstructionResponse> | null | undefined): given is InstructionResponse =>
  typeof given?.status === 'number' && typeof given.headers?.get === 'function'

const isAsyncIterable = (body: unknown): body is AsyncIterable<unknown> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

const readBody = async (response: InstructionResponse, maxBytes: number, signal: AbortSignal): Promise<Response> => {
  const tooLarge = `is larger than ${maxBytes} bytes`
  // The length of a body that arrives compressed says nothing: it counts what `fetch` returns.
  const announced = response.headers.get('content-encoding')
    ? NaN
    : Number(response.headers.get('content-length') ?? NaN)
  if (announced > maxBytes) return failed(tooLarge, Number.isSafeInteger(announced) ? announced : 0)
  if (response.body === null || response.body === undefined) return { body: new Uint8Array() }
  if (!isAsyncIterable(response.body)) return failed('has a body that cannot be read: it must be a stream')
  const chunks = []
  let bytes = 0
  for await (const chunk of response.body) {
    if (signal.aborted) break
    if (!ArrayBuffer.isView(chunk)) return failed('has a body that is not bytes')
    bytes += chunk.byteLength
    if (bytes > maxBytes) return failed(tooLarge, bytes)
    chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
  }
  return { body: Buffer.concat(chunks) }
}

/**
 * No compression is requested. Deno does not decompress a body if any encoding was requested explicitly,
 * so there `fetch` chooses what it can read.
 */
const ENCODING = process.versions['deno'] === undefined ? { 'accept-encoding': 'identity' } : {}

export interface Request {
  limits: Limits
  fetch: InstructionFetch
  signal: AbortSignal
  /** Whether nothing in the URLs so far can be secret. */
  mayQuote: boolean
}

/**
 * Requests a URL and what it redirects to.
 * @param redirects How many there were before.
 */
const follow = async (
  request: Request,
  url: URL,
  credentials: { authorization?: string },
  redirects: number,
): Promise<Response> => {
  const { fetch, signal, limits } = request
  const { allowHosts, maxUrlBytes, userAgent } = limits
  if (!isAllowed(url, allowHosts)) return notAllowed(url, redirects)
  request.mayQuote &&= url.search === '' && url.username === '' && url.password === ''
  const headers = { 'user-agent': userAgent, accept: 'text/*, */*;q=0.1', ...ENCODING, ...credentials }
  const response = await fetch(plainAddress(url), { method: 'GET', headers, redirect: 'manual', signal })
  if (!isResponse(response)) return failed('the fetch option did not return a Response')
  const redirected = Boolean(response.redirected)
  const origin = originOf(response.url, redirected, url)
  if (origin === null) return failed('was redirected, but the response of the fetch option does not say where (url)')
  if (origin !== undefined) {
    const problem = redirected ? redirectProblem(url, origin) : undefined
    if (problem !== undefined) return failed(problem)
    if (!isAllowed(origin, allowHosts)) return notAllowed(origin, redirects + 1)
  }
  const location = !redirected && REDIRECTS.has(response.status) ? response.headers.get('location') : null
  if (location !== null && location !== undefined) {
    const target = parseUrl(location, url)
    if (target === undefined) return failed('redirects to something that is not a valid URL')
    const problem = redirectProblem(url, target)
    if (problem !== undefined) return failed(problem)
    if (!isAllowed(target, allowHosts)) return notAllowed(target, redirects + 1)
    if (redirects === MAX_REDIRECTS) return failed(`redirects more than ${MAX_REDIRECTS} times`)
    // Nobody is waiting any more.
    if (signal.aborted) return failed('was aborted')
    // A password is only for the server it was given for.
    const isSameServer = target.origin === url.origin && target.username === ''
    return follow(request, target, isSameServer ? credentials : authorization(target), redirects + 1)
  }
  if (response.status < 200 || response.status > 299) return failed(`HTTP ${response.status}`)
  return readBody(response, maxUrlBytes, signal)
}

const bodyOf = async (address: string, request: Request): Promise<Response> => {
  const url = parseUrl(address)
  if (url === undefined || !isWeb(url)) return failed('is not a valid URL')
  try {
    return await follow(request, url, authorization(url), 0)
  } catch (error) {
    return failed(reasonOf(error, request.mayQuote))
  }
}

/** The body of a URL, or why there is none. The time limit also applies to a `fetch` that ignores its signal. */
export const fetchUrl = async (address: string, limits: Limits, fetch: InstructionFetch): Promise<Response> => {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late: Promise<Response> = new Promise((resolve) => {
    timer = setTimeout(() => resolve(failed(`timed out after ${limits.timeoutMs} ms`)), limits.timeoutMs)
  })
  try {
    return await Promise.race([bodyOf(address, { limits, fetch, signal: controller.signal, mayQuote: true }), late])
  } finally {
    clearTimeout(timer)
    // Closes what is still open: a body that is too large, the bodies of redirects.
    controller.abort()
  }
}
