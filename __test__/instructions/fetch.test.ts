/** Whose `fetch` is used, and which redirects are followed. */
import { request, type Server } from 'node:http'
import { Readable } from 'node:stream'
import { InstructionPrompt, SystemPrompt, type InstructionFetch, type LoadedInstruction } from 'promptmason'
import { afterEach, describe, expect, it } from 'vitest'
import { told, toldAsync } from '../support/child.js'
import { useProject } from '../support/project.js'
import { isNode } from '../support/runtime.js'
import { serve } from '../support/server.js'

const project = useProject()

const load = async (url: string, more = {}): Promise<LoadedInstruction | undefined> => {
  const options = { directory: project.current.root, config: { instructions: [url] }, timeoutMs: 2000, ...more }
  return (await InstructionPrompt.load(options))[0]
}

const nodeFetch = globalThis.fetch
afterEach(() => {
  globalThis.fetch = nodeFetch
})

describe('the fetch option', () => {
  it('replaces fetch, as a method of the options', async () => {
    const seen: unknown[] = []
    const options = {
      directory: project.current.root,
      config: { instructions: ['https://user:secret@example.test/rules?q=1#top'] },
      fetch(
        this: unknown,
        url: string,
        init: { headers: Record<string, string>; redirect: string; signal: AbortSignal; method: string },
      ) {
        seen.push(this, url, init.method, init.redirect, init.headers.authorization, init.signal.aborted)
        return Promise.resolve(new Response('mine'))
      },
    }
    expect(await InstructionPrompt.load(options)).toMatchObject([
      { status: 'loaded', text: 'mine', source: 'https://example.test/rules' },
    ])
    const credentials = `Basic ${Buffer.from('user:secret').toString('base64')}`
    expect(seen).toEqual([options, 'https://example.test/rules?q=1', 'GET', 'manual', credentials, false])
    const parts = await SystemPrompt.build({ agent: { prompt: 'x' }, ...options })
    expect(parts.at(-1)).toBe('Instructions from: https://example.test/rules\nmine')
    expect(await InstructionPrompt.system(options)).toEqual(parts.slice(-1))
  })

  it('may be fetch itself, and defaults to the current global one', async () => {
    const url = await serve((_, response) => response.end('text'))
    expect(await load(url, { fetch: globalThis.fetch })).toMatchObject({ text: 'text' })
    expect(await load(url, { fetch: null })).toMatchObject({ text: 'text' })
    globalThis.fetch = () => Promise.resolve(new Response('mocked'))
    expect(await load(url)).toMatchObject({ text: 'mocked' })
  })

  it('may go through a proxy', async () => {
    const seen: unknown[] = []
    const proxy = await serve((incoming, response) => {
      seen.push(incoming.url)
      response.end('by proxy')
    })
    const fetch: InstructionFetch = (url, { headers, signal }) =>
      new Promise((resolve, reject) => {
        request(proxy, { path: url, headers, signal }, (body) => {
          resolve({ status: body.statusCode ?? 0, headers: new Headers(body.headers as Record<string, string>), body })
        })
          .on('error', reject)
          .end()
      })
    expect(await load('http://example.test/rules?q=1', { fetch })).toMatchObject({ status: 'loaded', text: 'by proxy' })
    expect(seen).toEqual(['http://example.test/rules?q=1'])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no luck')
      },
      'the request failed: no luck',
    ],
    ['rejects', () => Promise.reject(new Error('no luck')), 'the request failed: no luck'],
    ['rejects with nothing', () => Promise.reject(), 'the request failed'],
    [
      'rejects with a trap',
      () =>
        Promise.reject(
          new Proxy(
            {},
            {
              get() {
                throw new Error('trap')
              },
            },
          ),
        ),
      'the request failed',
    ],
    ['returns nothing', () => undefined, 'the fetch option did not return a Response'],
    ['returns a text', () => 'text', 'the fetch option did not return a Response'],
    ['never answers', () => new Promise(() => {}), 'timed out after 100 ms'],
    ['answers with a body that never comes', () => new Response(new ReadableStream()), 'timed out after 100 ms'],
    [
      'answers with an invalid body',
      () => ({ status: 200, headers: new Headers(), body: {} }),
      'has a body that cannot be read: it must be a stream',
    ],
    [
      'answers with a body of strings',
      () => ({ status: 200, headers: new Headers(), body: Readable.from(['a']) }),
      'has a body that is not bytes',
    ],
    ['answers with an error', () => new Response('', { status: 404 }), 'HTTP 404'],
  ])('that %s is a reason and no more', async (_, fetch, reason) => {
    expect(await load('http://example.test/', { fetch, timeoutMs: 100 })).toMatchObject({ status: 'failed', reason })
  })

  it('keeps a process alive until its time is up', () => {
    const program = `
      const { InstructionPrompt } = require('promptmason')
      const config = { instructions: ['http://example.test/'] }
      tell((await InstructionPrompt.load({ config, timeoutMs: 100, fetch: () => new Promise(() => {}) })).at(-1).reason)`
    expect(told(program)).toBe('timed out after 100 ms')
  })

  it('does not reveal secrets of the URL in errors', async () => {
    const fetch: InstructionFetch = (url) => Promise.reject(new Error(`cannot fetch ${url}`))
    expect(await load('http://example.test/a', { fetch })).toMatchObject({
      reason: 'the request failed: cannot fetch http://example.test/a',
    })
    const urls = ['http://example.test/?token=secret', 'http://u:secret@example.test/']
    expect(JSON.stringify(await Promise.all(urls.map((url) => load(url, { fetch }))))).not.toContain('secret')
  })

  it('must be a function', async () => {
    await expect(load('http://h/', { fetch: 'x' })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: 'options.fetch must be a function, got string',
    })
    const build = SystemPrompt.build({ agent: {}, fetch: 1 as never })
    await expect(build).rejects.toMatchObject({ message: 'fetch must be a function, got number' })
  })
})

describe('proxies of the environment', () => {
  // Node 24 and later, and some releases before, have a switch for them.
  const hasSwitch = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
  /** Node 22 and 24 ask for a tunnel, and send the request through it. */
  const withTunnels = (server: Server): void =>
    void server.on('connect', (_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      server.emit('connection', socket)
    })
  const program = (url: string): string => `
    const { InstructionPrompt } = require('promptmason')
    tell((await InstructionPrompt.load({ config: { instructions: ['${url}'] } })).at(-1))`

  // Bun and Deno always use the proxies of the environment.
  it.skipIf(!isNode).each([['', 'directly'], ...(hasSwitch ? [['1', 'by proxy']] : [])])(
    'with NODE_USE_ENV_PROXY=%j: %s',
    async (value, text) => {
      const [target, proxy] = await Promise.all(
        ['directly', 'by proxy'].map((answer) => serve((_, response) => response.end(answer), withTunnels)),
      )
      const env = { NODE_USE_ENV_PROXY: value, HTTP_PROXY: proxy, NO_PROXY: '' }
      expect(await toldAsync(program(target ?? ''), { env })).toMatchObject({ text })
    },
  )
})

describe('a redirect', () => {
  /** A world of hosts, each of which answers with a redirect or a text. */
  const world = (answers: Record<string, string>) => {
    const seen: { url: string; authorization: string | undefined }[] = []
    const fetch: InstructionFetch = (url, { headers }) => {
      seen.push({ url, authorization: headers.authorization })
      const answer = answers[url] ?? 'text'
      return Promise.resolve(
        /^\w+:|^\//.test(answer)
          ? new Response(null, { status: 302, headers: { location: answer } })
          : new Response(answer),
      )
    }
    return { seen, fetch }
  }

  it.each([
    ['http://a.test/', 'http://a.test/b'],
    ['http://a.test/', 'https://a.test/'],
    ['http://a.test/', 'http://A.test./b'],
    ['http://127.0.0.1/', 'http://127.0.0.1:8080/'],
    ['http://a.test:8080/', 'https://a.test/'],
    ['http://a.test/', 'https://b.test/'],
    ['https://a.test/', 'https://b.test/'],
    ['http://127.0.0.1/', 'http://localhost/'],
    ['http://localhost/', 'http://[::1]/'],
    ['http://localhost/', 'http://192.168.0.1/'],
    ['http://10.0.0.1/', 'http://10.0.0.2/'],
    ['http://10.0.0.1/', 'https://b.test/'],
  ])('from %s to %s is followed', async (from, to) => {
    const { fetch, seen } = world({ [from]: to })
    expect(await load(from, { fetch })).toMatchObject({ status: 'loaded', text: 'text' })
    expect(seen).toHaveLength(2)
  })

  it.each([
    ['https://a.test/', 'http://a.test/', 'redirects from https to http'],
    ['https://127.0.0.1/', 'http://127.0.0.1/', 'redirects from https to http'],
    ['http://a.test/', 'http://b.test/', 'redirects to another host or port without https'],
    ['http://127.0.0.1/', 'http://b.test/', 'redirects to another host or port without https'],
    ['http://a.test/', 'http://a.test:8080/', 'redirects to another host or port without https'],
    ['http://a.test/', 'http://h:99999/', 'redirects to something that is not a valid URL'],
    ...[
      'http://127.0.0.1/',
      'https://127.1.2.3/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://0/',
      'https://[::1]/',
      'https://[::]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[64:ff9b::127.0.0.1]/',
      'https://localhost/',
      'https://LOCALHOST./',
      'https://a.localhost/',
      'https://10.1.1.1/',
      'https://172.31.0.1/',
      'https://192.168.1.1/',
      'http://169.254.169.254/latest',
      'https://100.64.0.1/',
      'https://[fe80::1]/',
      'https://[fd00::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://[64:ff9b::10.0.0.1]/',
    ].map((to) => ['http://a.test/', to, 'redirects to an address of this machine or its network']),
    ['http://10.0.0.1/', 'https://127.0.0.1/', 'redirects to an address of this machine or its network'],
  ])('from %s to %s is not followed', async (from, to, reason) => {
    const { fetch, seen } = world({ [from]: to })
    expect(await load(from, { fetch })).toMatchObject({ status: 'failed', reason })
    expect(seen).toHaveLength(1)
  })

  it('that fetch has followed is checked as well', async () => {
    const followed = (url: string) => ({
      fetch: () => Object.defineProperties(new Response('text'), { redirected: { value: true }, url: { value: url } }),
    })
    expect(await load('https://a.test/', followed('https://b.test/'))).toMatchObject({ text: 'text' })
    expect(await load('https://a.test/', followed('http://a.test/'))).toMatchObject({
      reason: 'redirects from https to http',
    })
    expect(await load('http://a.test/', followed('http://127.0.0.1/'))).toMatchObject({ status: 'failed' })
    expect(await load('http://a.test/', followed('http://a.test/b'))).toMatchObject({ status: 'loaded' })
  })

  it('that fetch has followed without reporting it does not pass allowHosts', async () => {
    const answer = (redirected: boolean | undefined, url: unknown) => ({
      allowHosts: ['a.test'],
      fetch: () =>
        Object.defineProperties(new Response('text'), { redirected: { value: redirected }, url: { value: url } }),
    })
    const unknown = 'was redirected, but the response of the fetch option does not say where (url)'
    for (const url of [undefined, null, '', 7, 'http://']) {
      // oxlint-disable-next-line no-await-in-loop -- each on its own, so that a failure says which
      expect(await load('https://a.test/', answer(true, url))).toMatchObject({ status: 'failed', reason: unknown })
    }
    for (const redirected of [true, false, undefined]) {
      // oxlint-disable-next-line no-await-in-loop -- each on its own, so that a failure says which
      expect(await load('https://a.test/', answer(redirected, 'https://b.test/'))).toMatchObject({
        status: 'skipped',
        reason: 'redirects to b.test, which is not in allowHosts',
      })
    }
    expect(await load('https://a.test/', answer(true, 'https://a.test/b'))).toMatchObject({ status: 'loaded' })
    expect(await load('https://a.test/', answer(false, 'https://a.test'))).toMatchObject({ status: 'loaded' })
    expect(await load('https://a.test/', answer(false, ''))).toMatchObject({ status: 'loaded' })
  })

  it('sends the password only to the same server', async () => {
    const { fetch, seen } = world({
      'https://a.test/': '/b',
      'https://a.test/b': 'https://b.test/',
      'https://b.test/': 'https://x:y@b.test/c',
    })
    await load('https://u:p@a.test/', { fetch })
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
    expect(seen).toEqual([
      { url: 'https://a.test/', authorization: basic('u:p') },
      { url: 'https://a.test/b', authorization: basic('u:p') },
      { url: 'https://b.test/', authorization: undefined },
      { url: 'https://b.test/c', authorization: basic('x:y') },
    ])
  })
})

describe('query strings, user names and passwords', () => {
  it('are never printed', async () => {
    const secrets = [
      'http://example.test/a?token=hidden',
      'http://hidden:hidden@example.test/a',
      'http://example.test/a#hidden',
      'ftp://hidden@example.test/a?hidden',
      'http://u:hid/den@example.test',
      'http://u:hid?den@example.test',
      'http://example.test:99999/?hidden',
    ]
    const fetch: InstructionFetch = () => Promise.resolve(new Response('text'))
    const options = { directory: project.current.root, config: { instructions: secrets }, fetch }
    const all = JSON.stringify([await InstructionPrompt.load(options), await InstructionPrompt.system(options)])
    expect(all).toContain('Instructions from: http://example.test/a')
    expect(all).not.toMatch(/hid|den|token/)
  })
})
