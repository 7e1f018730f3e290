import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createListener, SOCKET_LIMITS, type SocketLimits } from '../../src/daemon/listener.ts'

const MIB = 2 ** 20
const STREAM = 'GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n'
/** A request with 14 kB of headers. */
const LARGE = `GET / HTTP/1.1\r\nHost: localhost\r\n${`X: ${'x'.repeat(700)}\r\n`.repeat(20)}\r\n`
/** A request with as many headers as are allowed. */
const MANY_HEADERS = `GET / HTTP/1.1\r\nHost: localhost\r\n${'x:y\r\n'.repeat(SOCKET_LIMITS.headerCount - 1)}\r\n`
/** The shortest request, which is invalid without a host. */
const INVALID = 'GET / HTTP/1.1\r\n\r\n'

/** Starts a server whose responses wait until the test sends them, and whose streams never end. */
async function startServer(limits: Partial<SocketLimits> = {}) {
  let send = () => {}
  const sent = new Promise<void>((resolve) => {
    send = resolve
  })
  let served = 0
  const app = new Hono()
  app.get('/', async (c) => {
    served += 1
    await sent
    return c.text('answered')
  })
  app.get('/large', (c) => {
    served += 1
    return c.text(`${'x'.repeat(8 * MIB)}answered`)
  })
  const order: string[] = []
  app.get('/slow', (c) => {
    order.push('begun')
    setImmediate(() => order.push(connections.isServing ? 'others' : 'none is served'))
    const end = performance.now() + 12
    while (performance.now() < end);
    return c.text('slow')
  })
  app.post('/', async (c) => c.text(`answered ${(await c.req.text()).length}`))
  app.get('/stream', () => {
    served += 1
    const start = (stream: ReadableStreamDefaultController) => stream.enqueue(Buffer.from('event'))
    return new Response(new ReadableStream({ start, cancel: () => void order.push('canceled') }))
  })
  const { server, connections } = createListener(
    { app, serves: new WeakMap() },
    {
      hostname: '127.0.0.1',
      url: () => 'http://localhost',
      unread: (error) => expect(error).toBeUndefined(),
      limits: { ...SOCKET_LIMITS, pipelinedBytes: 10 * MIB, ...limits },
      keepsGlobals: true,
    },
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    connections.destroyAll()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** Opens a connection that sends requests and reads the responses. */
  const open = (requests: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write(requests)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    return { socket, closed, text: () => text }
  }
  return { open, send, order, connections, served: () => served }
}

const until = async (isMet: () => boolean) => {
  while (!isMet()) await delay(5)
}

const answersIn = (text: string) => text.split('answered').length - 1

test('a connection with too many pipelined requests is read later, and all are answered', async () => {
  const { open, send } = await startServer()
  const count = 1_500
  const { socket, text } = open(LARGE.repeat(count))
  await delay(300)
  // Most of it waits at the sender.
  expect(socket.writableLength).toBeGreaterThan(0)
  send()
  await until(() => answersIn(text()) === count)
})

test('pipelined requests begin in turns, in which others are served', async () => {
  const { open, order } = await startServer()
  const slow = 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const answers = (count: number) => {
    const { text } = open(slow.repeat(count))
    return until(() => text().split('slow').length === count + 1)
  }
  // The first request waits until hono is loaded.
  await answers(1)
  order.length = 0
  await answers(3)
  // Those that wait count as being served, so that the end of the daemon waits for them.
  expect(order.slice(0, 5)).toEqual(['begun', 'others', 'begun', 'others', 'begun'])
})

test('many small headers count as much as the memory that they take', async () => {
  const { open } = await startServer()
  await open(MANY_HEADERS.repeat(700)).closed
})

test.each([
  ['of a known length', `Content-Length: 12000\r\n\r\n${'x'.repeat(12_000)}`],
  ['in chunks', `Transfer-Encoding: chunked\r\n\r\n2ee0\r\n${'x'.repeat(12_000)}\r\n0\r\n\r\n`],
])('the bodies of requests that wait count: those %s', async (_which, rest) => {
  const { open } = await startServer()
  const streams = Array.from({ length: 4 }, () => open(STREAM))
  for (const { text } of streams) await until(() => text().includes('event'))
  for (const { socket } of streams) socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${rest}`.repeat(300))
  await Promise.race(streams.map(({ closed }) => closed))
})

test('a body that nobody reads is dropped while its response lasts', async () => {
  const { open } = await startServer()
  const { socket, text, closed } = open(`${STREAM.slice(0, -2)}Content-Length: 9000000\r\n\r\n`)
  await until(() => text().includes('event'))
  socket.write('x'.repeat(8_000_000))
  const dropped = until(() => socket.writableLength === 0).then(() => socket.destroyed)
  expect(await Promise.race([dropped, closed.then(() => true)])).toBe(false)
})

test('pipelined requests wait up to a limit; then the connections that wait longest are closed', async () => {
  const { open, send, served } = await startServer()
  const oldest = open(LARGE.repeat(300))
  await until(() => served() === 17)
  const others = [open(LARGE.repeat(200)), open(LARGE.repeat(200)), open(LARGE)]
  await oldest.closed
  expect(others.map(({ socket }) => socket.destroyed)).toEqual([false, false, false])
  send()
  await until(() => others.map(({ text }) => answersIn(text())).join() === '200,200,1')
})

test('requests behind a stream count, though the stream is read', async () => {
  const { open } = await startServer()
  const streams = Array.from({ length: 3 }, () => open(STREAM))
  for (const { text } of streams) await until(() => text().includes('event'))
  for (const { socket } of streams) socket.write(LARGE.repeat(300))
  await Promise.race(streams.map(({ closed }) => closed))
  expect(streams.filter(({ socket }) => !socket.destroyed)).toHaveLength(2)
})

test('each stream of a connection ends when it is closed, also those that wait behind another', async () => {
  const { open, order, connections, served } = await startServer()
  const { socket } = open(STREAM.repeat(17))
  await until(() => served() === 17)
  socket.destroy()
  await until(() => !connections.isServing)
  expect(order).toEqual(Array(17).fill('canceled'))
})

test('a stream behind a request that is refused at once, and ends the connection, ends with it', async () => {
  const { open, order, connections } = await startServer()
  const { closed, text } = open(`GET / HTTP/1.1\r\nHost: localhost\r\nExpect: nonsense\r\n\r\n${STREAM}`)
  await closed
  expect(text()).toMatch(/^HTTP\/1\.1 400 /)
  await until(() => !connections.isServing)
  // On a busy machine, the connection can be closed before its turn.
  expect([[], ['canceled']]).toContainEqual(order)
})

test('invalid requests count as well as valid ones', async () => {
  const { open } = await startServer()
  const { socket, closed, text } = open(STREAM)
  await until(() => text().includes('event'))
  socket.write(INVALID.repeat(3_000))
  await closed
})

test('a request that waits does not begin after the end of serving, and the responses before it are sent', async () => {
  const { open, connections, served } = await startServer()
  const { socket, text, closed } = open('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(40))
  socket.pause()
  // The first request of a connection is not a pipelined one.
  await until(() => served() === 17 && !connections.isServing)
  connections.refuseRequests()
  connections.destroyServing()
  socket.resume()
  await closed
  expect([answersIn(text()), served()]).toEqual([17, 17])
})

describe('the time for a request does not run while the daemon does not read it', () => {
  // A busy machine may take a second for what is in time otherwise.
  const SHORT = { headersMs: 1_000, requestMs: 2_000, checkMs: 100 }

  test('because too many wait', async () => {
    const { open, send } = await startServer(SHORT)
    const count = 1_500
    const { text } = open(LARGE.repeat(count))
    await delay(4_000)
    send()
    await until(() => answersIn(text()) === count)
    expect(text()).not.toContain('400 Bad Request')
  })

  test('because a request with a body waits', async () => {
    const { open, send } = await startServer(SHORT)
    const body = 'x'.repeat(900_000)
    const post = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const { text } = open(LARGE.repeat(20) + post)
    await delay(4_000)
    send()
    await until(() => text().includes(`answered ${body.length}`))
  })

  test('but starts over when it is read', async () => {
    const { open, send } = await startServer(SHORT)
    const { text, closed } = open(`${LARGE.repeat(20)}GET / HTTP/1.1\r\n`)
    await delay(3_000)
    send()
    await closed
    expect(answersIn(text())).toBe(20)
    expect(text()).toContain('400 Bad Request')
  })
})
