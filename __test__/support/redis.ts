/** A Redis server of our own: in an empty folder, on a free port of this machine, for the time of a test. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface RedisServer {
  url: string
  stop: () => Promise<void>
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .on('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo
        server.close(() => resolve(port))
      })
  })

/** Starts the server, and waits until it is ready. Without the program, the error says how to get it. */
export const startRedis = async (): Promise<RedisServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'promptmason-redis-'))
  const port = await freePort()
  const server = spawn(
    'redis-server',
    ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = new Promise((resolve) => server.once('close', resolve))
  const lines: string[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(
          new Error('redis-server cannot be started: install it (on Debian, apt-get install redis-server)', {
            cause: error,
          }),
        ),
      )
      server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}:\n${lines.join('\n')}`)))
      createInterface({ input: server.stdout }).on('line', (line) => {
        lines.push(line)
        if (line.includes('Ready to accept connections')) resolve()
      })
    })
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
  const stop = async (): Promise<void> => {
    server.kill()
    await ended
    await rm(folder, { recursive: true })
  }
  return { url: `redis://127.0.0.1:${port}`, stop }
}
