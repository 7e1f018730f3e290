import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { Connections } from '../../src/daemon/connections.ts'
import { Ending } from '../../src/daemon/ending.ts'

const UNREAD_MS = 200
const PLACES = 32
/** More than all buffers between two sockets hold. */
const LONG = 'x'.repeat(40_000_000)

let server: Server
let connections: Connections
let sockets: Socket[] = []
const owners = new WeakMap<object, object>()
const named = new Map<string, object>()

/** The owner of requests with an Authorization. */
function ownerNamed(name = ''): object {
  const owner = named.get(name) ?? { name }
  named.set(name, owner)
  return owner
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  connections.destroyAll()
  server.close()
  await once(server, 'close')
})

async function serve(handle: RequestListener, unreadMs = UNREAD_MS): Promise<void> {
  server = createServer()
  connections = new Connections(server, {
    connections: PLACES,
    unreadMs,
    lingerMs: 50,
    betweenMs: 60_000,
    ownerOf: (socket) => owners.get(socket),
  })
  server.on('request', (request, response) => {
    owners.set(request.socket, ownerNamed(request.headers.authorization))
    connections.take(request, response)
    handle(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
}

async function ask(connection = 'close', sender = ''): Promise<Socket> {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.write(
    `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\nAuthorization: ${sender}\r\n\r\n`,
  )
  await once(server, 'request')
  return socket
}

test('of an owner whose requests wait over many connections, one is closed for a new connection', async () => {
  await serve(() => undefined)
  await ask('close', 'ada')
  for (let owner = 0; owner < 14; owner += 1)
    for (let count = 0; count < 2; count += 1) await ask('close', `owner ${owner}`)
  await ask('close', 'ada')
  const newest = await ask('close', 'ada')
  await ask('close', 'owner 14')
  const closed = once(newest, 'close')
  await ask('close', 'owner 14')
  await closed
  expect(sockets.filter((socket) => socket.closed)).toEqual([newest])
})

test('a new connection has time for its first request, though others follow it', async () => {
  await serve(() => undefined)
  for (let count = 0; count < PLACES; count += 1) await ask('close', 'ada')
  const { port } = server.address() as AddressInfo
  const silent: Socket[] = []
  for (let count = 0; count < 5; count += 1) {
    silent.push(connect(port, '127.0.0.1'))
    await once(server, 'connection')
  }
  sockets.push(...silent)
  await vi.waitUntil(() => sockets.filter(({ closed }) => closed).length === 5)
  expect(silent.filter(({ closed }) => closed)).toEqual([])
})

test('a stream gives way to a new connection, also if requests wait behind it', async () => {
  let behind = 0
  await serve((request, response) => {
    if (request.url === '/') response.write('event')
    else behind += 1
  })
  for (let count = 0; count < PLACES; count += 1) await ask('keep-alive', `owner ${count % 16}`)
  for (const [count, socket] of sockets.entries())
    socket.resume().write(`GET /behind HTTP/1.1\r\nHost: localhost\r\nAuthorization: owner ${count}\r\n\r\n`)
  await vi.waitUntil(() => behind === PLACES)
  const beyond = await ask('keep-alive')
  await vi.waitUntil(() => sockets.some(({ closed }) => closed))
  expect(sockets.filter(({ closed }) => closed)).toHaveLength(1)
  expect(beyond.closed).toBe(false)
})

test('without an owner that has many connections, a new one is refused while all wait', async () => {
  await serve(() => undefined)
  for (let count = 0; count < PLACES; count += 1) await ask('close', `owner ${count % 16}`)
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  await once(socket, 'close')
  expect(sockets.filter(({ closed }) => closed)).toEqual([socket])
})

test('the connection of a peer that does not read is closed for a new one before a stream that is read', async () => {
  await serve((_request, response) => {
    if (sockets.length < PLACES) response.write('event')
    else response.end(LONG)
  }, 60_000)
  for (let count = 0; count < PLACES; count += 1) {
    const socket = await ask('keep-alive', `owner ${count % 16}`)
    if (count < PLACES - 1) socket.resume()
    else socket.pause()
  }
  const readTime = process.hrtime.bind(process)
  const clock = vi.spyOn(process, 'hrtime').mockImplementation(() => {
    const [seconds, nanoseconds] = readTime()
    return [seconds + 2, nanoseconds]
  })
  await ask('keep-alive')
  clock.mockRestore()
  expect(await stillOpen()).toEqual([...sockets.slice(0, PLACES - 1), ...sockets.slice(PLACES)])
})

/** The sockets whose connections the server has not closed. */
async function stillOpen(): Promise<Socket[]> {
  for (const socket of sockets) socket.resume()
  await vi.waitUntil(() => sockets.some(({ closed }) => closed))
  return sockets.filter(({ closed }) => !closed)
}

const RESPONSES: readonly [string, RequestListener][] = [
  ['a long response', (_request, response) => response.end(LONG)],
  ['a stream', (_request, response) => response.write(LONG)],
]
const SENDS: readonly [string, string][] = [
  ['nothing', ''],
  ['blank lines', '\r\n'],
  ['further requests', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
]

test.each(
  RESPONSES.flatMap(([what, respond]) => SENDS.map(([sends, text]) => ({ what, sends, respond, text }))),
)(
  'the connection of a peer that does not read $what and sends $sends is closed',
  async ({ respond, text }) => {
    await serve(respond)
    const [[served], peer] = await Promise.all([once(server, 'connection'), ask('keep-alive')])
    peer.pause()
    const sending = setInterval(() => peer.write(text), UNREAD_MS / 10)
    onTestFinished(() => clearInterval(sending))
    await once(served, 'close')
    expect(connections.sweep()).toBe(0)
  },
)

test('a long response that is read slowly arrives completely', async () => {
  await serve((_request, response) => response.end(LONG))
  const socket = await ask()
  let length = 0
  socket.on('data', (chunk) => {
    length += chunk.length
  })
  const closed = once(socket, 'close')
  for (let most = 8_000_000; most < LONG.length; most += 8_000_000) {
    while (length < most) await once(socket, 'data')
    socket.pause()
    await delay(UNREAD_MS / 2)
    socket.resume()
  }
  await closed
  expect(length).toBeGreaterThan(LONG.length)
})

test('a response may take longer than the limit for unread ones', async () => {
  await serve((_request, response) => setTimeout(() => response.end('late'), 3 * UNREAD_MS))
  const socket = await ask()
  const [chunk] = await once(socket.setEncoding('utf8'), 'data')
  expect(chunk).toContain('late')
})

test('a long response that is being read when the end begins arrives whole', async () => {
  await serve((_request, response) => response.end(LONG))
  const socket = await ask('keep-alive')
  let length = 0
  socket.on('data', (chunk) => {
    length += chunk.length
  })
  await once(socket, 'data')
  const closed = once(socket, 'close')
  await new Ending({ server, connections }, () => Promise.resolve()).finish()
  await closed
  expect(length).toBeGreaterThan(LONG.length)
})

test('a sweep leaves connections with a request under way, and those that are kept', async () => {
  const kept: Socket[] = []
  await serve((request, response) => {
    if (kept.length === 0) {
      kept.push(request.socket)
      connections.keepToTheEnd(request.socket)
      response.shouldKeepAlive = true
      response.end()
    }
  })
  const first = await ask()
  first.resume()
  await ask()
  await delay(20)
  expect(connections.sweep()).toBe(1)
  connections.destroyBusy()
  await delay(20)
  expect([connections.sweep(), kept[0]?.destroyed]).toEqual([0, false])
  connections.destroyAll()
  expect(kept[0]?.destroyed).toBe(true)
})

test('a request that never ends does not take the time of the response to the shutdown request', async () => {
  let respond = () => {}
  await serve((request, response) => {
    if (request.headers.connection === 'keep-alive') void connections.serves(request, new Promise(() => {}))
    else {
      connections.keepToTheEnd(request.socket)
      respond = () => void response.end('ended')
    }
  })
  await ask('keep-alive')
  const shutdown = await ask()
  const received = once(shutdown.setEncoding('utf8'), 'data')
  await new Ending({ server, connections }, async (answered) => {
    await answered()
    setTimeout(respond, 100)
  }).begin()
  expect((await received)[0]).toContain('ended')
})

test('the end counts the real time, which in a busy process is longer than its steps', async () => {
  await serve(() => undefined)
  await ask()
  let seconds = 0
  const clock = vi.spyOn(process, 'hrtime').mockImplementation(() => {
    seconds += 1
    return [seconds, 0]
  })
  const begun = Date.now()
  await new Ending({ server, connections }, (answered) => answered()).finish()
  clock.mockRestore()
  expect(Date.now() - begun).toBeLessThan(1_000)
})
