import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Change } from '../../src/core/change.ts'
import type { Customer } from '../../src/core/customer.ts'
import { createListener, SOCKET_LIMITS } from '../../src/daemon/listener.ts'
import { responsesCountedBy, UnreadResponses } from '../../src/daemon/unread-responses.ts'
import { apply } from '../../src/engine/machine/apply.ts'
import { keptBytes } from '../kept-memory.ts'
import { startTwin, type Twin } from '../twin.ts'

const MIB = 2 ** 20
const BODY = 'x'.repeat(8 * MIB)
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Starts a server whose responses have 8 MiB, of which 20 MiB may wait. @param body - writes the body of one */
function startServer(body = () => BODY) {
  const unread = new UnreadResponses(20 * MIB)
  const server = createServer({ ServerResponse: responsesCountedBy(unread) }, ({ url }, response) => {
    // As the daemon answers: after it has read the other requests of the connection.
    setImmediate(() => (url === '/stream' ? response.write(body()) : response.end(body())))
  })
  return { unread, ...clientsOf(server) }
}

/** Lets a server listen, and opens connections to it. */
function clientsOf(server: Server) {
  let closed = 0
  server.on('connection', (socket) =>
    socket.on('close', () => {
      closed += 1
    }),
  )
  server.listen(0, '127.0.0.1')
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  /** Opens a connection, and sends requests whose responses are not read. */
  const ask = async (requests = 1, request = REQUEST) => {
    if (!server.listening) await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(request.repeat(requests))
    return socket
  }
  return { ask, closed: () => closed }
}

const until = async (isMet: () => boolean) => {
  while (!isMet()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Headers are counted too. */
const isAbout = (bytes: number, expected: number) => bytes >= expected && bytes < expected + 1_024

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
  const { unread, ask } = startServer()
  const first = await ask()
  await until(() => isAbout(unread.bytes, 8 * MIB))
  await ask()
  await until(() => isAbout(unread.bytes, 16 * MIB))
  await ask()
  const received = await read(first)
  expect(received).toBeLessThan(BODY.length)
  expect(isAbout(unread.bytes, 16 * MIB)).toBe(true)
})

test('the text of a long response is not kept beside its bytes', async () => {
  const { unread, ask } = startServer(() => JSON.stringify(BODY))
  const kept = await keptBytes(async () => {
    await ask()
    await ask()
    await until(() => isAbout(unread.bytes, 16 * MIB))
  })
  expect(kept).toBeLessThan(4 * MIB)
})

test('pipelined responses of one connection count together', async () => {
  const { unread, ask, closed } = startServer()
  await ask(3)
  await until(() => closed() === 1)
  await until(() => unread.bytes === 0)
})

test('a response that is read does not wait any more', async () => {
  const { unread, ask } = startServer()
  const socket = await ask()
  await until(() => isAbout(unread.bytes, 8 * MIB))
  socket.resume()
  await until(() => unread.bytes === 0)
  expect(socket.destroyed).toBe(false)
})

test('what a stream has written waits until it is read', async () => {
  const { unread, ask } = startServer()
  const socket = await ask(1, REQUEST.replace('/', '/stream'))
  await until(() => isAbout(unread.bytes, 8 * MIB))
  socket.resume()
  await until(() => unread.bytes === 0)
  expect(socket.destroyed).toBe(false)
})

describe('of the daemon', () => {
  let twin: Twin
  let first: string
  beforeAll(async () => {
    twin = await startTwin()
    first = (await twin.post('/v1/customers', { name: 'Ada' })).id
    const { engine, merchant } = twin.sandbox
    for (let made = 0; made < 8; made += 1)
      await engine.command(merchant, null, (unit) => {
        const change = new Change()
        const metadata = { large: String(made).repeat(MIB) }
        const customer = unit.need('customer', first) as Customer
        change.update('customer', customer, (before) => ({ ...before, metadata }), 'customer.updated')
        apply(unit, change)
      })
  })
  afterAll(() => twin.close())

  test.each([
    ['/v1', () => '/v1/events?limit=100'],
    ['the admin API', () => '/_paytwin/events?limit=100'],
    ['a stream', (event: string) => `/_paytwin/events?starting_after=${event}`],
  ])('the responses of %s are counted', async (name, pathOf) => {
    const { server } = createListener(twin.sandbox, {
      hostname: '127.0.0.1',
      url: () => 'http://localhost',
      unread: (error) => expect(error).toBeUndefined(),
      limits: { ...SOCKET_LIMITS, unreadBytes: MIB / 2 },
      keepsGlobals: true,
    })
    const { ask, closed } = clientsOf(server)
    const oldest = (await twin.events())[0]?.id ?? ''
    const path = pathOf(oldest)
    const key = path.startsWith('/v1') ? twin.secretKey : twin.sandbox.adminToken
    const accept = name === 'a stream' ? 'Accept: text/event-stream\r\n' : ''
    await ask(16, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${accept}\r\n`)
    await until(() => closed() === 1)
  })
})
