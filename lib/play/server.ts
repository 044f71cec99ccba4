/**
 * The server of the playground. Only its page can talk to it:
 *
 * 1. It listens on loopback, on a free port, and below a random path, which only the user knows.
 * 2. `Host` must be its own address: a name that a stranger's DNS points at loopback gets nothing.
 * 3. Conversations are taken only from its own origin, as JSON. There are no CORS headers: browsers do
 *    not let other pages send requests or read answers.
 * 4. It writes no file, and keeps nothing of what it was sent.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage as Request, type ServerResponse as Response } from 'node:http'
import { startEngine, type Job } from './engine.js'
import type { AddressInfo } from 'node:net'

/** The size limit of a request, and how much is read in all: a client sees the answer only once its request was read. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024
const MAX_READ_BYTES = 8 * MAX_BODY_BYTES
const MAX_CONNECTIONS = 32
const HOST = '127.0.0.1'

const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** Whether two texts are equal, in constant time. */
const isSame = (one: string, other: string) => {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

const refuse = (response: Response, status: number, code: string, message: string) => {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'application/json', Connection: 'close' })
  response.end(JSON.stringify({ problem: { code, message } }))
}

const bodyOf = async (request: Request): Promise<Buffer | undefined> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MAX_READ_BYTES) break
    if (bytes > MAX_BODY_BYTES) chunks.length = 0
    else chunks.push(chunk)
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks)
}

const TOO_LARGE = `a conversation here has at most ${MAX_BODY_BYTES / 1024 / 1024} MiB; promptmason explain reads larger ones`

/** Whether a request is from the page of this server, or opens it. */
const isOurs = ({ method, headers }: Request, address: string) => {
  if (headers.host !== address) return false
  const origin = `http://${address}`
  if (headers.origin !== undefined && headers.origin !== origin) return false
  // Browsers say where a request comes from. Others say nothing, but have to know the path.
  const site = headers['sec-fetch-site']
  if (method === 'GET') return site === undefined || headers['sec-fetch-mode'] === 'navigate'
  return headers.origin === origin && (site === undefined || site === 'same-origin')
}

export const startServer = async ({ html, policy }: { html: string; policy: string }) => {
  const engine = startEngine()
  const path = `/${randomBytes(16).toString('base64url')}/`
  let address = ''

  const takeConversation = async (request: Request, response: Response) => {
    if (request.headers['content-type'] !== 'application/json')
      return refuse(response, 415, 'ERR_REQUEST', 'a conversation is sent as application/json')
    const body = await bodyOf(request)
    if (body === undefined) return refuse(response, 413, 'ERR_TOO_LARGE', TOO_LARGE)
    const job: Job = {
      body,
      done(answer) {
        response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/json' })
        response.end(answer)
      },
    }
    response.on('close', () => engine.drop(job))
    if (!engine.add(job)) refuse(response, 503, 'ERR_BUSY', 'too many requests are waiting')
  }

  const serve = async (request: Request, response: Response) => {
    if (!isOurs(request, address))
      return refuse(response, 403, 'ERR_FORBIDDEN', 'only the page of this server is answered')
    const { method, url = '' } = request
    if (method === 'GET' && isSame(url, path)) {
      const type = 'text/html; charset=utf-8'
      const allowed = `${policy}; frame-ancestors 'none'`
      response.writeHead(200, { ...HEADERS, 'Content-Type': type, 'Content-Security-Policy': allowed })
      return response.end(html)
    }
    if (method === 'POST' && isSame(url, `${path}prompt`)) return takeConversation(request, response)
    return refuse(response, 404, 'ERR_NOT_FOUND', 'there is nothing here')
  }

  const server = createServer((request, response) => {
    // A client that disconnects ends only its own request.
    serve(request, response).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, HOST, () => resolve(undefined))
  })
  const { port } = server.address() as AddressInfo
  address = `${HOST}:${port}`
  return {
    url: `http://${address}${path}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await engine.close()
      await closed
    },
  }
}
