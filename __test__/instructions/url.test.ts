import { createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { InstructionPrompt, type InstructionFetch, type LoadedInstruction } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'
import { isDeno } from '../support/runtime.js'
import { serve } from '../support/server.js'

const project = useProject()

const load = (urls: string[], more = {}): Promise<LoadedInstruction[]> =>
  InstructionPrompt.load({ directory: project.current.root, config: { instructions: urls }, ...more })

async function loadOne(url: string, more = {}): Promise<LoadedInstruction> {
  const [found] = await load([url], more)
  if (found === undefined) throw new Error(`${url} is not listed`)
  return found
}

/** The address of a server that is gone. */
async function closedPort(): Promise<string> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/`
}

const failed = (reason: string | RegExp): object => ({
  status: 'failed',
  reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
})

describe('a URL', () => {
  it('is loaded, in its place among the files', async () => {
    const { current } = project
    const url = await serve((_, response) => response.end('\uFEFF规则 from the web'))
    const file = current.write('rules.md', 'rules')
    const options = { directory: current.root, config: { instructions: [`${url}/a`, 'rules.md', `${url}/b`] } }
    expect(await InstructionPrompt.system(options)).toEqual([
      `Instructions from: ${url}/a\n规则 from the web`,
      `Instructions from: ${file}\nrules`,
      `Instructions from: ${url}/b\n规则 from the web`,
    ])
    const [loaded] = await InstructionPrompt.load(options)
    expect(loaded).toEqual({
      source: `${url}/a`,
      kind: 'url',
      origin: 'config',
      status: 'loaded',
      text: '规则 from the web',
      bytes: 22,
    })
    expect([...(await InstructionPrompt.systemPaths(options))]).toEqual([file])
  })

  it('is requested without extra headers, and with the name of this package', async () => {
    const seen: unknown[] = []
    const url = await serve((request, response) => {
      seen.push(request.method, request.url, request.headers)
      response.end('x')
    })
    await load([`${url}/a b/中?q=1#top`])
    expect(seen.slice(0, 2)).toEqual(['GET', '/a%20b/%E4%B8%AD?q=1'])
    expect(seen[2]).toMatchObject({
      'user-agent': expect.stringMatching(/^promptmason\//),
      'accept-encoding': isDeno ? 'gzip,br' : 'identity',
    })
  })

  it('may be compressed without being asked', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('text')),
    )
    expect(await loadOne(url)).toMatchObject({ status: 'loaded', text: 'text' })
  })

  it('may come in chunks', async () => {
    const url = await serve((_, response) => {
      response.write('one ')
      setImmediate(() => response.end('two'))
    })
    expect(await loadOne(url)).toMatchObject({ status: 'loaded', text: 'one two' })
  })

  it('is requested once, however often it is listed', async () => {
    let requests = 0
    const url = await serve((_, response) => response.end(`${++requests}`))
    expect(await load([url, url])).toMatchObject([
      { status: 'loaded', text: '1' },
      { status: 'skipped', reason: 'is listed already' },
    ])
    expect(requests).toBe(1)
  })

  it('keeps its password to itself', async () => {
    const seen: unknown[] = []
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.end('x')
    })
    const found = await loadOne(url.replace('//', '//user:p%40ss%zz@'))
    expect(found).toMatchObject({ status: 'loaded', source: url })
    expect(seen).toEqual([`Basic ${Buffer.from('user:p@ss%zz').toString('base64')}`])
  })
})

describe('a URL that fails is left out, with a reason', () => {
  it.each([400, 404, 410, 500, 503])('HTTP %d', async (status) => {
    const url = await serve((_, response) => response.writeHead(status).end('not this'))
    const found = await loadOne(url)
    expect(found).toMatchObject(failed(`HTTP ${status}`))
    expect(found).not.toHaveProperty('text')
  })

  it('a server that never answers', async () => {
    const url = await serve(() => {})
    const found = await loadOne(url, { timeoutMs: 200 })
    expect(found).toMatchObject(failed('timed out after 200 ms'))
  })

  it('a server that accepts and says nothing at all', async () => {
    const server = createTcpServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address() as { port: number }
    const found = await loadOne(`http://127.0.0.1:${address.port}/`, { timeoutMs: 200 })
    expect(found).toMatchObject(failed('timed out after 200 ms'))
    const secure = await loadOne(`https://127.0.0.1:${address.port}/`, { timeoutMs: 200 })
    expect(secure).toMatchObject(failed('timed out after 200 ms'))
    server.close()
  })

  it('a body that arrives slowly, one byte at a time', async () => {
    const url = await serve((_, response) => {
      const drop = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drop))
    })
    const found = await loadOne(url, { timeoutMs: 300 })
    expect(found).toMatchObject(failed('timed out after 300 ms'))
  })

  it('headers that arrive slowly', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n')
      const drop = setInterval(() => socket.write('X-A: b\r\n'), 20)
      socket.on('close', () => clearInterval(drop))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const found = await loadOne(`http://127.0.0.1:${port}/`, { timeoutMs: 300 })
    expect(found).toMatchObject(failed('timed out after 300 ms'))
    server.close()
  })

  it('slow redirects that exceed the timeout together', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests += 1
      setTimeout(() => response.writeHead(302, { location: `/${requests}` }).end(), 120)
    })
    const found = await loadOne(url, { timeoutMs: 300 })
    expect(found).toMatchObject(failed('timed out after 300 ms'))
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(requests).toBeLessThanOrEqual(3)
  })

  it('a redirect loop', async () => {
    let requests = 0
    const url = await serve((request, response) => {
      requests += 1
      response.writeHead(302, { location: request.url === '/a' ? '/b' : '/a' }).end()
    })
    expect(await loadOne(`${url}/a`)).toMatchObject(failed('redirects more than 5 times'))
    expect(requests).toBe(6)
  })

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/x', 'data:text/plain,x', 'gopher:x'])(
    'a redirect to %s',
    async (location) => {
      const url = await serve((_, response) => response.writeHead(302, { location }).end())
      expect(await loadOne(url)).toMatchObject(failed('redirects to something other than http or https'))
    },
  )

  it('a redirect to nowhere', async () => {
    const url = await serve((_, response) => response.writeHead(302).end())
    expect(await loadOne(url)).toMatchObject(failed('HTTP 302'))
  })

  it('300 MB that are announced', async () => {
    let sent = 0
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 300 * 1024 * 1024 })
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      const pump = (): void => {
        while (sent < 300 && response.writable) {
          sent += 1
          if (!response.write(chunk)) return void response.once('drain', pump)
        }
        response.end()
      }
      pump()
    })
    expect(await loadOne(url)).toMatchObject({ ...failed('is larger than 262144 bytes'), bytes: 300 * 1024 * 1024 })
    expect(sent).toBeLessThan(50)
  })

  it('300 MB that are not announced', async () => {
    let sent = 0
    const url = await serve((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      const pump = (): void => {
        while (sent < 300 && response.writable) {
          sent += 1
          if (!response.write(chunk)) return void response.once('drain', pump)
        }
        response.end()
      }
      pump()
    })
    expect(await loadOne(url)).toMatchObject(failed('is larger than 262144 bytes'))
    expect(sent).toBeLessThan(50)
  })

  it('one byte over its cap, and none under it', async () => {
    const url = await serve((request, response) => {
      response.write('')
      response.end('x'.repeat(Number(request.url?.slice(1))))
    })
    expect(await loadOne(`${url}/1001`, { maxUrlBytes: 1000 })).toMatchObject(failed('is larger than 1000 bytes'))
    expect(await loadOne(`${url}/1000`, { maxUrlBytes: 1000 })).toMatchObject({ status: 'loaded', bytes: 1000 })
  })

  it('binary', async () => {
    const url = await serve((_, response) => response.end(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00])))
    expect(await loadOne(url)).toMatchObject({ ...failed('is not UTF-8 text'), bytes: 6 })
  })

  it('a small compressed body that becomes large', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024))
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb),
    )
    let unpacked = 0
    const counting: InstructionFetch = async (target, init) => {
      const { status, headers, body } = await fetch(target, init)
      const counted = async function* () {
        for await (const chunk of body ?? []) {
          unpacked += chunk.length
          yield chunk
        }
      }
      return { status, headers, body: counted() }
    }
    expect(await loadOne(url, { fetch: counting })).toMatchObject(failed('is larger than 262144 bytes'))
    expect(await loadOne(url)).toMatchObject(failed('is larger than 262144 bytes'))
    expect(unpacked).toBeLessThan(2 * 1024 * 1024)
  })

  it('a body with a wrong content encoding', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'.repeat(100)),
    )
    expect(await loadOne(url)).toMatchObject(failed(/^the request failed/))
  })

  it('nothing', async () => {
    const url = await serve((_, response) => response.end(' \n'))
    expect(await loadOne(url)).toMatchObject({ status: 'empty', reason: 'has no text', bytes: 2 })
  })

  it.each([
    ['with a length', { 'content-length': '100' }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('a connection that closes early, %s', async (_, headers) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, headers)
      response.write('some', () => response.destroy())
    })
    expect(await loadOne(url)).toMatchObject(failed(/closed|disconnect/))
  })

  it('a connection that closes before the answer', async () => {
    const url = await serve((request) => request.socket.destroy())
    expect(await loadOne(url)).toMatchObject(failed(/closed|disconnect/))
  })

  it('something that is not HTTP', async () => {
    const server = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect((await loadOne(`http://127.0.0.1:${port}/`)).status).toBe('failed')
    expect((await loadOne(`https://127.0.0.1:${port}/`)).status).toBe('failed')
    server.close()
  })

  it('a closed port', async () => {
    expect(await loadOne(await closedPort())).toMatchObject(failed('the connection was refused'))
  })

  it('a port that fetch does not use', async () => {
    // The wording depends on the runtime; Bun has no such ports.
    expect(await loadOne('http://127.0.0.1:1/')).toMatchObject(
      failed(/^the request failed: .*\bport\b|^the connection was refused$/),
    )
  })

  it.each([
    'http://',
    'http://[::',
    'https://:0',
    'http://a b/',
    'http://h:99999/',
    'http://h:8a/',
    'http://h:-1/',
    'http://h:0/',
    'http://h:80:80/',
  ])('what is not a URL: %s', async (url) => {
    expect(await loadOne(url)).toMatchObject(failed('is not a valid URL'))
  })
})

describe('redirects', () => {
  it('are followed, relative and absolute', async () => {
    const url = await serve((request, response) => {
      const to = { '/a/b': '../c', '/c': '?q', '/c?q': `${url}/d`, '/d': `//${url.slice(7)}/end` }[request.url ?? '']
      if (to === undefined) response.end(request.url)
      else response.writeHead(307, { location: to }).end('moved')
    })
    expect(await loadOne(`${url}/a/b`)).toMatchObject({ status: 'loaded', text: '/end', source: `${url}/a/b` })
  })
})

describe('several URLs', () => {
  it('are read in parallel, and do not affect each other', async () => {
    let open = 0
    let most = 0
    const url = await serve((request, response) => {
      most = Math.max(most, (open += 1))
      if (request.url === '/hang') return
      setTimeout(() => {
        open -= 1
        response.end(request.url)
      }, 150)
    })
    const names = Array.from({ length: 10 }, (_, index) => `${url}/${index}`)
    const found = await load([...names.slice(0, 5), `${url}/hang`, ...names.slice(5)], { timeoutMs: 600 })
    expect(most).toBe(11)
    expect(found.map(({ status }) => status).filter((status) => status === 'loaded')).toHaveLength(10)
    expect(found[5]).toMatchObject({ status: 'failed' })
    expect(found[6]?.text).toBe('/5')
  })

  it('are read in parallel with files', async () => {
    const url = await serve(() => {})
    project.current.write('AGENTS.md', 'text')
    const config = { instructions: [url] }
    const options = { directory: project.current.root, config, timeoutMs: 150 }
    expect(await InstructionPrompt.system(options)).toHaveLength(1)
  })
})

describe('while a URL hangs', () => {
  it('the event loop keeps turning', async () => {
    const url = await serve(() => {})
    let turns = 0
    const timer = setInterval(() => (turns += 1), 5)
    await load([url], { timeoutMs: 500 })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(10)
  })

  it('files are still read', async () => {
    const { readFile } = await import('node:fs/promises')
    const url = await serve(() => {})
    let answers = 0
    const hanging = Array.from({ length: 16 }, () => load([url], { timeoutMs: 1000 }).then(() => (answers += 1)))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await readFile(import.meta.filename)
    expect(answers).toBe(0)
    await Promise.all(hanging)
  })

  it('a worker can be terminated', async () => {
    const { Worker } = await import('node:worker_threads')
    const { createRequire } = await import('node:module')
    const addon = createRequire(import.meta.url).resolve('promptmason')
    let asked: () => void
    const request = new Promise<void>((resolve) => (asked = resolve))
    const url = await serve(() => asked())
    const code = `
      const { workerData } = require('node:worker_threads')
      require(workerData.addon).InstructionPrompt.system({ config: { instructions: [workerData.url] }, timeoutMs: 400 })
    `
    const worker = new Worker(code, { eval: true, workerData: { addon, url } })
    await request
    await worker.terminate()
    // Long enough for the abandoned request to find out that nobody waits.
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(await loadOne(await closedPort())).toMatchObject({ status: 'failed' })
  })
})
