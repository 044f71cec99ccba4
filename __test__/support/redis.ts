/** A Redis server for one test, in an empty folder and on a free port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface RedisServer {
  url: string
  /** Ends the server. What it has on its disk stays. */
  pause: () => Promise<void>
  /** Starts it again, at the same address. */
  resume: () => Promise<void>
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

/** Starts a server, and waits until it is ready. */
const start = async (args: readonly string[]): Promise<ChildProcess> => {
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
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
  return server
}

/**
 * Starts the server, by default one that keeps nothing on its disk. Without the program, the error says
 * how to get it.
 */
export const startRedis = async (...options: string[]): Promise<RedisServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'promptmason-redis-'))
  const port = await freePort()
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  let server: ChildProcess | undefined
  const resume = async (): Promise<void> => {
    server = await start([...args, ...options])
  }
  const pause = async (): Promise<void> => {
    const ended = server && new Promise((resolve) => server?.once('close', resolve))
    server?.kill()
    server = undefined
    await ended
  }
  const stop = async (): Promise<void> => {
    await pause()
    await rm(folder, { recursive: true })
  }
  try {
    await resume()
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `redis://127.0.0.1:${port}`, pause, resume, stop }
}
