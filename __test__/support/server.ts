import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach } from 'vitest'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const running: { server: Server; sockets: Set<Socket> }[] = []

afterEach(async () => {
  const closed = running.splice(0).map(({ server, sockets }) => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  await Promise.all(closed)
})

/** A server on the loopback interface that ends with the test. Returns its address. */
export async function serve(handler: Handler, prepare?: (server: Server) => void): Promise<string> {
  const server = createServer(handler)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // A client may disconnect early.
    socket.on('error', () => {})
  })
  prepare?.(server)
  running.push({ server, sockets })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
