import { connect } from 'node:net'
import { InstructionPrompt, type LoadedInstruction } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from './support/project.js'
import { serve } from './support/server.js'

const project = useProject()

const load = async (url: string): Promise<LoadedInstruction | undefined> => {
  const options = { directory: project.current.root, config: { instructions: [url] }, timeoutMs: 2000 }
  return (await InstructionPrompt.load(options))[0]
}

/** A proxy that answers plain requests itself and opens tunnels, and writes down both. */
async function proxy(): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = []
  const url = await serve(
    (request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.host}`)
      response.end('by proxy')
    },
    (server) => {
      server.on('connect', (request, socket) => {
        seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
        const [host = '', port] = (request.url ?? '').split(':')
        const target = connect(Number(port), host, () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n')
          target.pipe(socket).pipe(target)
        })
        target.on('error', () => socket.destroy())
        socket.on('error', () => target.destroy())
      })
    },
  )
  return { url, seen }
}

describe('the proxy variables', () => {
  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('%s is for http', async (name) => {
    const { url, seen } = await proxy()
    process.env[name] = url
    expect(await load('http://example.test/rules?q=1')).toMatchObject({ status: 'loaded', text: 'by proxy' })
    expect(seen).toEqual(['GET http://example.test/rules?q=1 example.test'])
  })

  it.each(['HTTPS_PROXY', 'ALL_PROXY'])('%s is for https, as a tunnel', async (name) => {
    const { url, seen } = await proxy()
    const target = await serve((_, response) => response.end('not TLS'))
    process.env[name] = url
    expect(await load(target.replace('http:', 'https:'))).toMatchObject({ status: 'failed' })
    expect(seen).toEqual([`CONNECT ${target.slice(7)}`])
  })

  it('have nothing to do with the other scheme', async () => {
    const { url, seen } = await proxy()
    const target = await serve((_, response) => response.end('directly'))
    process.env.HTTPS_PROXY = url
    expect(await load(target)).toMatchObject({ text: 'directly' })
    expect(seen).toEqual([])
  })

  it('NO_PROXY names what is asked directly', async () => {
    const { url, seen } = await proxy()
    const target = await serve((_, response) => response.end('directly'))
    process.env.HTTP_PROXY = url
    expect(await load(target)).toMatchObject({ text: 'by proxy' })
    process.env.NO_PROXY = 'example.test, 127.0.0.1'
    expect(await load(target)).toMatchObject({ text: 'directly' })
    expect(seen).toHaveLength(1)
  })

  it('may hold a password, which a tunnel is opened with', async () => {
    const { url, seen } = await proxy()
    const target = await serve((_, response) => response.end('through the tunnel'))
    process.env.HTTP_PROXY = url.replace('//', '//user:secret@')
    expect(await load(target)).toMatchObject({ text: 'through the tunnel' })
    const credentials = Buffer.from('user:secret').toString('base64')
    expect(seen.map((line) => line.toLowerCase())).toEqual([
      `connect ${target.slice(7)} basic ${credentials}`.toLowerCase(),
    ])
  })

  it('are chosen anew for every redirect', async () => {
    const { url, seen } = await proxy()
    const target = await serve((_, response) => {
      response.writeHead(302, { location: 'http://example.test/moved' }).end()
    })
    process.env.HTTP_PROXY = url
    process.env.NO_PROXY = '127.0.0.1'
    expect(await load(target)).toMatchObject({ text: 'by proxy' })
    expect(seen).toEqual(['GET http://example.test/moved example.test'])
  })

  it('that are wrong are a reason and no more', async () => {
    process.env.HTTP_PROXY = 'nonsense://x'
    const reason = 'the proxy in the environment is not a valid URL'
    expect(await load('http://127.0.0.1:1/')).toMatchObject({ status: 'failed', reason })
    process.env.HTTP_PROXY = 'http://127.0.0.1:1'
    expect(await load('http://example.test/')).toMatchObject({ reason: 'the connection was refused' })
  })
})
