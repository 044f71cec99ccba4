/** The server of the playground: which requests it answers, and how. */
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_WAITING } from '../../dist/play/engine.js'
import { playPage } from '../../dist/play/page.js'
import { MAX_BODY_BYTES, startServer } from '../../dist/play/server.js'

type Headers = Record<string, string>
interface Reply {
  status: number
  headers: Record<string, unknown>
  text: string
}

let server: Awaited<ReturnType<typeof startServer>>
let url: URL
beforeAll(async () => {
  server = await startServer(playPage(null))
  url = new URL(server.url)
})
afterAll(() => server.close())

const ask = (method: string, path: string, headers: Headers = {}, body?: string | Buffer): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: url.port, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
/** As the page asks. */
const own = (): Headers => ({ Origin: url.origin, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' })
const post = (body: unknown, headers: Headers = own()): Promise<Reply> =>
  ask('POST', `${url.pathname}prompt`, headers, typeof body === 'string' ? body : JSON.stringify(body))
const CONVERSATION = JSON.stringify({ contextMessages: [{ from: 'max', content: 'Hello.' }], message: 'Go on.' })
const problemOf = ({ text }: Reply) => (JSON.parse(text) as { problem?: { code: string; message: string } }).problem

describe('the page', () => {
  it('is served on loopback, below a random path, with a strict policy', async () => {
    expect(url.hostname).toBe('127.0.0.1')
    expect(url.pathname).toMatch(/^\/[\w-]{22}\/$/)
    const { status, headers, text } = await ask('GET', url.pathname)
    expect(status).toBe(200)
    expect(text).toContain('<title>promptmason playground</title>')
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; connect-src 'self'; frame-ancestors 'none'$/,
    )
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  it('has another path each time', async () => {
    const other = await startServer(playPage(null))
    expect(new URL(other.url).pathname).not.toBe(url.pathname)
    await other.close()
  })

  it('contains a given conversation as data that cannot end a tag', () => {
    const { html } = playPage({ name: '</script><script>alert(1)</script>', text: '</script><img src=x>' })
    expect(html.match(/<\/?script/g)).toHaveLength(4)
    expect(html).not.toContain('<img')
  })
})

describe('a request', () => {
  it('of the page is answered with a prompt', async () => {
    const reply = await post({ conversation: CONVERSATION, choices: { agent: 'codex', 'max-bytes': '500' } })
    expect(reply.status).toBe(200)
    expect(JSON.parse(reply.text)).toMatchObject({
      kind: 'buildPrompt',
      turn: { report: { agentType: 'openai-codex', maxBytes: 500 } },
      prompt: expect.stringContaining('Go on.'),
    })
  })

  it.each<[string, () => Headers]>([
    ['another host, as after DNS rebinding', () => ({ ...own(), Host: `attacker.example:${url.port}` })],
    ['localhost, which a browser could be told to look up', () => ({ ...own(), Host: `localhost:${url.port}` })],
    ['another port', () => ({ ...own(), Host: '127.0.0.1:1' })],
    ['another origin', () => ({ ...own(), Origin: 'https://attacker.example' })],
    ['another port of this machine', () => ({ ...own(), Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' })],
    ['a page that has no origin', () => ({ ...own(), Origin: 'null' })],
    ['nobody', () => ({ 'Content-Type': 'application/json' })],
    ['another site', () => ({ ...own(), 'Sec-Fetch-Site': 'cross-site' })],
  ])('for or from %s is refused', async (_, headers) => {
    const reply = await post({ conversation: CONVERSATION, choices: {} }, headers())
    expect([reply.status, problemOf(reply)?.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it.each<[string, Headers, number]>([
    ['a frame or an image of another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }, 403],
    [
      'a script of another site',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors', Origin: 'https://a.example' },
      403,
    ],
    ['another host', { Host: 'attacker.example' }, 403],
    ['a user who follows a link', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }, 200],
    ['a user who types the address', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }, 200],
  ])('for the page by %s gets what it may have', async (_, headers, status) => {
    expect((await ask('GET', url.pathname, headers)).status).toBe(status)
  })

  it('with another path, method or type is rejected', async () => {
    expect((await ask('GET', '/')).status).toBe(404)
    expect((await ask('GET', `${url.pathname}..%2f`)).status).toBe(404)
    expect((await ask('POST', '/prompt', own(), '{}')).status).toBe(404)
    expect((await ask('OPTIONS', `${url.pathname}prompt`, own())).status).toBe(404)
    expect((await ask('PUT', `${url.pathname}prompt`, own(), '{}')).status).toBe(404)
    expect((await post('{}', { ...own(), 'Content-Type': 'text/plain' })).status).toBe(415)
  })

  it.each([
    '',
    'null',
    '[]',
    '{',
    '{"conversation": 1, "choices": {}}',
    '{"conversation": "{}"}',
    '{"conversation": "{}", "choices": {"agent": {}}}',
  ])('with the body %j is rejected', async (body) => {
    const reply = await post(body)
    expect([reply.status, problemOf(reply)?.code]).toEqual([200, 'ERR_REQUEST'])
  })

  it('that is too large is rejected, and the next one is answered', async () => {
    const reply = await post(Buffer.alloc(MAX_BODY_BYTES + 1, ' ').toString())
    expect([reply.status, problemOf(reply)]).toEqual([
      413,
      {
        code: 'ERR_TOO_LARGE',
        message: 'a conversation here has at most 32 MiB; promptmason explain reads larger ones',
      },
    ])
    expect((await post({ conversation: CONVERSATION, choices: {} })).status).toBe(200)
  })

  it('among many is answered, or rejected as one too many', async () => {
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        post({ conversation: CONVERSATION, choices: { 'max-bytes': String(500 + at) } }),
      ),
    )
    const made = replies.filter(({ status }) => status === 200)
    expect(made.length).toBeGreaterThan(MAX_WAITING)
    for (const reply of replies) {
      if (reply.status === 200) continue
      expect([reply.status, problemOf(reply)?.code]).toEqual([503, 'ERR_BUSY'])
    }
    // Each got its own.
    const sizes = new Set(
      made.map(({ text }) => (JSON.parse(text) as { turn: { report: { maxBytes: number } } }).turn.report.maxBytes),
    )
    expect(sizes.size).toBe(made.length)
  })

  it('whose sender disconnects does not affect the server', async () => {
    for (const start of [
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc',
      'GET',
      '\u0000\u0001\r\n\r\n',
    ]) {
      const socket = connect(Number(url.port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(start, () => socket.destroy())
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => socket.on('close', resolve).resume())
    }
    const asked = request({
      host: '127.0.0.1',
      port: url.port,
      method: 'POST',
      path: `${url.pathname}prompt`,
      headers: own(),
      agent: false,
    })
    asked.on('error', () => {})
    asked.write('{"conversation": "')
    await new Promise((resolve) => asked.on('socket', (socket) => socket.on('connect', resolve)))
    asked.destroy()
    expect((await post({ conversation: CONVERSATION, choices: {} })).status).toBe(200)
  })
})

it('closes with pending requests', async () => {
  const ended = await startServer(playPage(null))
  const { port, pathname, origin } = new URL(ended.url)
  const large = JSON.stringify({
    contextMessages: Array.from({ length: 20_000 }, (_, at) => ({ from: 'a', content: `message ${at}` })),
    message: 'Go on.',
    maxContextMessages: 20_000,
  })
  const replies = Array.from(
    { length: 4 },
    () =>
      new Promise((resolve) => {
        const headers = { Origin: origin, 'Content-Type': 'application/json' }
        const asked = request(
          { host: '127.0.0.1', port, method: 'POST', path: `${pathname}prompt`, headers },
          (response) => {
            response.resume().on('close', () => resolve('answered'))
          },
        )
        asked.on('error', () => resolve('ended'))
        asked.end(JSON.stringify({ conversation: large, choices: {} }), () => setTimeout(() => void ended.close(), 20))
      }),
  )
  await Promise.all(replies)
  await ended.close()
  const refused = await new Promise((resolve) => connect(Number(port), '127.0.0.1').on('error', () => resolve(true)))
  expect(refused).toBe(true)
})
