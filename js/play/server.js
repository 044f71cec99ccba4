'use strict'
/**
 * The server of the playground. Only its page can talk to it:
 *
 * 1. It listens on loopback, on a free port, and below a random path, which only the user knows.
 * 2. `Host` must be its own address: a name that a stranger's DNS points at loopback gets nothing.
 * 3. Conversations are taken only from its own origin, as JSON. There are no CORS headers: browsers do
 *    not let other pages send requests or read answers.
 * 4. It writes no file, and keeps nothing of what it was sent.
 */
const { createHash, randomBytes, timingSafeEqual } = require('node:crypto')
const { createServer } = require('node:http')
const { startEngine } = require('./engine.js')

/** The size limit of a request, and how much is read in all: a client sees the answer only once its request was read. */
const MAX_BODY_BYTES = 32 * 1024 * 1024
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

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

/** Whether two texts are equal, in constant time. @param {string} one @param {string} other */
const isSame = (one, other) => {
  const hash = (/** @type {string} */ text) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

/** @param {Response} response @param {number} status @param {string} code @param {string} message */
const refuse = (response, status, code, message) => {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'application/json', Connection: 'close' })
  response.end(JSON.stringify({ problem: { code, message } }))
}

/**
 * The body of a request; undefined if it is too large.
 * @param {Request} request
 * @returns {Promise<Buffer | undefined>}
 */
const bodyOf = async (request) => {
  /** @type {Uint8Array[]} */
  const chunks = []
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

/**
 * Whether a request is from the page of this server, or opens it.
 * @param {Request} request
 * @param {string} address
 */
const isOurs = ({ method, headers }, address) => {
  if (headers.host !== address) return false
  const origin = `http://${address}`
  if (headers.origin !== undefined && headers.origin !== origin) return false
  // Browsers say where a request comes from. Others say nothing, but have to know the path.
  const site = headers['sec-fetch-site']
  if (method === 'GET') return site === undefined || headers['sec-fetch-mode'] === 'navigate'
  return headers.origin === origin && (site === undefined || site === 'same-origin')
}

/**
 * @param {{ html: string, policy: string }} page
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
const startServer = async ({ html, policy }) => {
  const engine = startEngine()
  const path = `/${randomBytes(16).toString('base64url')}/`
  let address = ''

  /** @param {Request} request @param {Response} response */
  const takeConversation = async (request, response) => {
    if (request.headers['content-type'] !== 'application/json')
      return refuse(response, 415, 'ERR_REQUEST', 'a conversation is sent as application/json')
    const body = await bodyOf(request)
    if (body === undefined) return refuse(response, 413, 'ERR_TOO_LARGE', TOO_LARGE)
    /** @type {import('./engine.js').Job} */
    const job = {
      body,
      done(answer) {
        response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/json' })
        response.end(answer)
      },
    }
    response.on('close', () => engine.drop(job))
    if (!engine.add(job)) refuse(response, 503, 'ERR_BUSY', 'too many requests are waiting')
  }

  /** @param {Request} request @param {Response} response */
  const serve = async (request, response) => {
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
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
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

module.exports = { MAX_BODY_BYTES, startServer }
