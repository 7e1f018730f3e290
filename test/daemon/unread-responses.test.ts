import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { UnreadResponses } from '../../src/daemon/unread-responses.ts'

const MIB = 2 ** 20
const BODY = 'x'.repeat(8 * MIB)
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Starts a server whose responses have 8 MiB, of which 20 MiB may wait. */
async function startServer() {
  const unread = new UnreadResponses(20 * MIB)
  const server = createServer((_, response) => {
    // As the daemon answers: after it has read the other requests of the connection.
    setImmediate(() => {
      response.end(BODY)
      unread.add(response, BODY.length)
    })
  })
  let closed = 0
  server.on('connection', (socket) =>
    socket.on('close', () => {
      closed += 1
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  /** Opens a connection, and sends requests whose responses are not read. */
  const ask = async (requests = 1) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(REQUEST.repeat(requests))
    return socket
  }
  return { unread, ask, closed: () => closed }
}

const until = async (isMet: () => boolean) => {
  while (!isMet()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Reads a connection to its end. */
const read = async (socket: Socket): Promise<number> => {
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  await once(socket, 'close')
  return bytes
}

test('responses that are not read wait up to a limit; then the connections that wait longest are closed', async () => {
  const { unread, ask } = await startServer()
  const first = await ask()
  await until(() => unread.bytes === 8 * MIB)
  await ask()
  await until(() => unread.bytes === 16 * MIB)
  await ask()
  const received = await read(first)
  expect(received).toBeLessThan(BODY.length)
  expect(unread.bytes).toBe(16 * MIB)
})

test('pipelined responses of one connection count together', async () => {
  const { unread, ask, closed } = await startServer()
  await ask(3)
  await until(() => closed() === 1)
  await until(() => unread.bytes === 0)
})

test('a response that is read does not wait any more', async () => {
  const { unread, ask } = await startServer()
  const socket = await ask()
  await until(() => unread.bytes === 8 * MIB)
  socket.resume()
  await until(() => unread.bytes === 0)
  expect(socket.destroyed).toBe(false)
})
