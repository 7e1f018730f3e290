import { randomBytes } from 'node:crypto'
import { once, setMaxListeners } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Steps } from '../../src/engine/machine/steps.ts'
import { Addresses } from '../../src/webhooks/address.ts'
import type { LookUp } from '../../src/webhooks/lookup-processes.ts'
import { type Reply, Sender, type SenderOptions } from '../../src/webhooks/sender.ts'
import { startReceiver, startSockets } from './sockets.ts'

/** Like the deliverer's signal: many posts listen to it. */
function makeEnd(): AbortController {
  const ended = new AbortController()
  setMaxListeners(0, ended.signal)
  return ended
}
const NEVER = makeEnd().signal
/** Long enough for a busy machine, short enough for a test. */
const HURRY_MS = 300

function makeSender(options: SenderOptions & { isExposed?: boolean; allowed?: string[] } = {}): Sender {
  const { isExposed = false, allowed = [], ...given } = options
  const sender = new Sender(new Addresses({ isExposed, allowed }), given)
  onTestFinished(() => sender.close())
  return sender
}

const MERCHANT = { name: 'merchant' }

const letterTo = (url: string, body = '{"id":"evt_1"}') => ({
  url,
  merchant: 'mer_1',
  turnOf: MERCHANT,
  headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
  body: Buffer.from(body),
})
const post = (url: string, sender = makeSender()): Promise<Reply> => sender.send(letterTo(url), NEVER)

describe('a post', () => {
  test('arrives unchanged, and its response is returned', async () => {
    const heard: unknown[] = []
    const { url } = await startReceiver(async (request, response) => {
      heard.push([request.method, request.url, await text(request)])
      heard.push([request.headers['content-type'], request.headers['webhook-id']])
      response.writeHead(202).end('thank you')
    })
    expect(await post(`${url}?shop=1&x=%20`)).toEqual({ status: 202, body: 'thank you' })
    expect(heard).toEqual([
      ['POST', '/hooks?shop=1&x=%20', '{"id":"evt_1"}'],
      ['application/json', 'evt_1'],
    ])
  })

  test.each(['http', 'https'] as const)(
    'by %s receives in turns that are steps of its merchant',
    async (protocol) => {
      const { url } = await startReceiver((_, response) => void response.end('thank you'))
      const steps = new Steps(30)
      const begun = vi.spyOn(steps, 'begin')
      await post(url.replace('http:', `${protocol}:`), makeSender({ steps }))
      expect(begun.mock.calls.some(([[owner]]) => owner === MERCHANT)).toBe(true)
    },
  )

  test('with a large body arrives unchanged', async () => {
    const body = randomBytes(3_000_000).toString('base64')
    const { url } = await startReceiver(async (request, response) => {
      const isSame = (await text(request)) === body
      response.end(`${isSame} ${request.headers['content-length']}`)
    })
    expect(await makeSender().send(letterTo(url, body), NEVER)).toEqual({
      status: 200,
      body: `true ${body.length}`,
    })
  })

  test('that is answered before its large body was read leaves nothing of it in memory', async () => {
    const body = 'x'.repeat(50_000_000)
    let received = 0
    const server = createServer((socket) => {
      socket.once('data', () => socket.pause().write(OK))
      socket
        .on('error', () => undefined)
        .on('data', ({ length }) => {
          received += length
        })
    })
    onTestFinished(() => void server.close())
    const connected = once(server, 'connection')
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const reply = await makeSender().send(letterTo(`http://127.0.0.1:${port}/`, body), NEVER)
    expect(reply).toEqual({ status: 200, body: 'ok' })
    const [socket]: Socket[] = await connected
    socket?.resume()
    await new Promise((closed) => socket?.once('close', closed))
    expect(received).toBeLessThan(body.length)
  })

  test('reuses an open connection', async () => {
    const sockets = new Set<Socket>()
    const { url } = await startReceiver((request, response) => {
      sockets.add(request.socket)
      request.resume().on('end', () => response.end('ok'))
    })
    const sender = makeSender()
    const warned = vi.spyOn(process, 'emitWarning')
    onTestFinished(() => warned.mockRestore())
    for (let count = 0; count < 20; count += 1) await post(url, sender)
    // Too many listeners of a connection would be reported.
    expect(warned).not.toHaveBeenCalled()
    // The connection of the last response may still be busy when the next post is sent.
    expect(sockets.size).toBeLessThanOrEqual(2)
  })

  test('leaves a connection open only while the receiver says nothing over it', async () => {
    const closed: Promise<unknown>[] = []
    const { url } = await startSockets((socket) => {
      socket.write(OK)
      const drip = setInterval(() => socket.write('x'), 10)
      closed.push(once(socket, 'close').finally(() => clearInterval(drip)))
    })
    expect(await post(url)).toEqual({ status: 200, body: 'ok' })
    expect(closed).toHaveLength(1)
    await Promise.all(closed)
  })

  test('leaves at most 100 connections open', async () => {
    const open = new Set<Socket>()
    const { port } = await startSockets((socket) => {
      open.add(socket.on('close', () => open.delete(socket)))
      socket.write(OK)
    }, '0.0.0.0')
    const sender = makeSender()
    for (let host = 1; host <= 110; host += 1)
      expect(await post(`http://127.0.1.${host}:${port}`, sender)).toMatchObject({ status: 200 })
    while (open.size > 100) await nextTurn()
    expect(open.size).toBe(100)
  })

  test('to one receiver does not wait for posts to others', async () => {
    const { url } = await startReceiver((request, response) => {
      request.resume().on('end', () => response.end('ok'))
    })
    const silent = await startReceiver(() => undefined)
    const sender = makeSender({ timeoutMs: 60_000 })
    const ended = makeEnd()
    const stuck = Array.from({ length: 30 }, () => sender.send(letterTo(silent.url), ended.signal))
    const responses = await Promise.all(Array.from({ length: 30 }, () => post(url, sender)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    ended.abort()
    expect(await Promise.all(stuck)).toEqual(Array(30).fill({ status: null, error: expect.any(String) }))
  })

  test('reaches IPv6 addresses', async () => {
    const { url } = await startReceiver((_, response) => response.end('six'), '::1')
    expect(url).toContain('[::1]')
    expect(await post(url)).toEqual({ status: 200, body: 'six' })
  })

  test('ignores the proxies of the environment', async () => {
    const before = { ...process.env }
    onTestFinished(() => {
      process.env = before
    })
    const { url } = await startReceiver((_, response) => response.end('direct'))
    const proxy = await startReceiver((_, response) => response.end('by a proxy'))
    process.env.http_proxy = process.env.HTTP_PROXY = process.env.ALL_PROXY = proxy.url
    process.env.NODE_USE_ENV_PROXY = '1'
    expect(await post(url)).toEqual({ status: 200, body: 'direct' })
  })
})

/** Writes these bytes. */
const says = (bytes: string) => (socket: Socket) => socket.write(bytes)
/** Writes the same bytes repeatedly until the connection is closed. */
function endlessly(socket: Socket, bytes: string | Buffer): void {
  const more = () => {
    if (!socket.destroyed && socket.write(bytes)) setImmediate(more)
  }
  socket.on('drain', more)
  more()
}
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const late = { status: null, error: `No response within ${HURRY_MS / 1000} seconds` }
const broken = { status: null, error: expect.stringMatching(/\S/) }
const tooMuch = {
  status: null,
  error: 'The receiver sent more than 64 KiB that are not part of a response',
}

describe('a receiver that', () => {
  test.each<[string, (socket: Socket) => void, unknown]>([
    ['never answers', () => undefined, late],
    ['sends half a status line', says('HTTP/1.1 2'), late],
    ['sends headers and no body', says('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n'), late],
    [
      'drips a byte now and then',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
        const drip = setInterval(() => socket.write('x'), 10)
        socket.on('close', () => clearInterval(drip))
      },
      late,
    ],
    [
      'drips headers without end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('x: y\r\n'), 10)
        socket.on('close', () => clearInterval(drip))
      },
      late,
    ],
    [
      'says again and again that it is about to answer',
      (socket) => endlessly(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(4_000)),
      { status: null, error: expect.stringMatching(/more than 100 informational responses/) },
    ],
    [
      'sends large hints',
      (socket) => endlessly(socket, `HTTP/1.1 103 Early Hints\r\nx: ${'y'.repeat(10_000)}\r\n\r\n`),
      tooMuch,
    ],
    [
      'has chunk extensions without end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;')
        endlessly(socket, 'x'.repeat(10_000))
      },
      broken,
    ],
    [
      'has chunks of one byte with long extensions',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        endlessly(socket, `1;${'x'.repeat(10_000)}\r\nz\r\n`)
      },
      tooMuch,
    ],
    [
      'has trailers without end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n')
        endlessly(socket, `x: y\r\n`.repeat(1_000))
      },
      broken,
    ],
    [
      'answers after a hundred hints that it will',
      says(
        `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)}${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)}${OK}`,
      ),
      { status: 200, body: 'ok' },
    ],
    [
      'asks for more of what has come',
      says(`HTTP/1.1 100 Continue\r\n\r\n${OK}`),
      { status: 200, body: 'ok' },
    ],
    [
      'switches to another protocol',
      says('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      { status: null, error: 'The receiver wants to switch to another protocol' },
    ],
    [
      'wants to speak another protocol',
      says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'),
      broken,
    ],
    ['closes without a word', (socket) => socket.end(), broken],
    ['resets the connection', (socket) => socket.resetAndDestroy(), broken],
    ['closes within the status line', (socket) => socket.end('HTTP/1.1 200'), broken],
    [
      'closes within the body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab'),
      broken,
    ],
    ['uses another protocol', says('220 mail.example.com ESMTP\r\n'), broken],
    ['answers garbage', says('\x00\x01\x02\xff\xfe\r\n\r\n'), broken],
    ['has two lengths', says('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok'), broken],
    [
      'has a status of its own',
      says('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'),
      { status: 999, body: '' },
    ],
    [
      'has a header without end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx: ')
        endlessly(socket, 'x'.repeat(1_000))
      },
      broken,
    ],
    [
      'has a thousand large headers',
      says(`HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(1_000)}\r\n`),
      broken,
    ],
    [
      'has a body without end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        endlessly(socket, `400\r\n${'z'.repeat(1_024)}\r\n`)
      },
      { status: 200, body: 'z'.repeat(1_024) },
    ],
    [
      'says that its body is larger than anything',
      (socket) => {
        socket.write('HTTP/1.1 500 No\r\ncontent-length: 9007199254740991\r\n\r\n')
        endlessly(socket, 'n'.repeat(65_536))
      },
      { status: 500, body: 'n'.repeat(1_024) },
    ],
    [
      'answers and closes',
      (socket) => socket.end('HTTP/1.0 201 Made\r\n\r\nbye'),
      { status: 201, body: 'bye' },
    ],
    ['answers without a body', says('HTTP/1.1 204 No Content\r\n\r\n'), { status: 204, body: '' }],
    [
      'sends no text',
      says('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na\xffb'),
      { status: 200, body: expect.any(String) },
    ],
  ])('%s', async (_, speak, expected) => {
    const { url } = await startSockets(speak)
    const begun = performance.now()
    expect(await post(url, makeSender({ timeoutMs: HURRY_MS }))).toEqual(expected)
    expect(performance.now() - begun).toBeLessThan(HURRY_MS + 2_000)
  })

  test('is not running cannot be reached', async () => {
    const { url, close } = await startReceiver(() => undefined)
    await close()
    expect(await post(url)).toEqual({ status: null, error: expect.stringMatching(/ECONNREFUSED/) })
  })

  test.each([301, 302, 303, 307, 308])('answers %s is not followed', async (status) => {
    const asked: (string | undefined)[] = []
    const { url } = await startReceiver((request, response) => {
      asked.push(request.url)
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    expect(await post(url)).toEqual({ status, body: '' })
    expect(asked).toEqual(['/hooks'])
  })

  test('redirects to a private address is not followed', async () => {
    let calls = 0
    const secret = await startReceiver((_, response) => {
      calls += 1
      response.end('secret')
    }, '127.0.0.2')
    const { url } = await startReceiver((_, response) =>
      response.writeHead(302, { location: secret.url }).end('moved'),
    )
    const sender = makeSender({ isExposed: true, allowed: ['127.0.0.1/32'] })
    expect(await post(url, sender)).toEqual({ status: 302, body: 'moved' })
    expect(calls).toBe(0)
  })

  test('closes connections after a while loses no post', async () => {
    let count = 0
    const { url } = await startSockets((socket) => {
      count += 1
      socket.write(OK)
      // Without notice: the sender learns of it with the next post.
      setImmediate(() => socket.destroy())
    })
    const sender = makeSender()
    for (let posted = 0; posted < 50; posted += 1) {
      expect(await post(url, sender)).toEqual({ status: 200, body: 'ok' })
    }
    expect(count).toBeGreaterThanOrEqual(50)
  })

  test('closes the connection at every second request gets each post', async () => {
    const served = new WeakSet<Socket>()
    const { url } = await startSockets((socket) => {
      if (served.has(socket)) return socket.resetAndDestroy()
      served.add(socket)
      return socket.write(OK)
    })
    const sender = makeSender()
    for (let posted = 0; posted < 20; posted += 1) {
      expect(await post(url, sender)).toEqual({ status: 200, body: 'ok' })
    }
  })

  test('sends long responses over one connection stays within the limit of each', async () => {
    const { url } = await startReceiver((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { x: 'y'.repeat(10_000) }).end('ok'))
    })
    const sender = makeSender()
    for (let posted = 0; posted < 20; posted += 1) {
      expect(await post(url, sender)).toEqual({ status: 200, body: 'ok' })
    }
  })

  test('always closes the connection gets one request for each post', async () => {
    let count = 0
    const { url } = await startSockets((socket) => {
      count += 1
      socket.end()
    })
    const sender = makeSender()
    for (let posted = 0; posted < 5; posted += 1) expect(await post(url, sender)).toEqual(broken)
    expect(count).toBe(5)
  })
})

/** A name service that answers from a list, one entry after another; the last one repeatedly. */
function namesOf(...responses: readonly (readonly string[])[]) {
  let asked = 0
  const lookUp: LookUp = async () => {
    const found = responses[Math.min(asked, responses.length - 1)] ?? []
    asked += 1
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { lookUp, asked: () => asked }
}

describe('a name', () => {
  const start = () => startReceiver((_, response) => response.end('ok'))

  test('is resolved, and its address is used', async () => {
    const { port } = await start()
    const { lookUp } = namesOf(['127.0.0.1'])
    expect(await post(`http://shop.test:${port}/`, makeSender({ lookUp }))).toEqual({
      status: 200,
      body: 'ok',
    })
  })

  test.each([
    [['169.254.169.254']],
    [['127.0.0.1', '169.254.169.254']],
    [['169.254.169.254', '127.0.0.1']],
    [['fe80::1']],
    [['::ffff:169.254.169.254']],
    [['0.0.0.0']],
  ])('that resolves to %j is refused without a connection', async (addresses) => {
    let calls = 0
    const { port } = await startReceiver((_, response) => {
      calls += 1
      response.end()
    })
    const { lookUp } = namesOf(addresses)
    expect(await post(`http://shop.test:${port}/`, makeSender({ lookUp }))).toEqual({
      status: null,
      error: expect.stringMatching(/^shop\.test resolves to a refused address: .*never sent/),
    })
    expect(calls).toBe(0)
  })

  test('whose resolution fails with a long reason gets the beginning of it', async () => {
    const lookUp = () => Promise.reject(new Error('x'.repeat(100_000)))
    expect(await post('http://shop.test/', makeSender({ lookUp }))).toEqual({
      status: null,
      error: 'x'.repeat(1_024),
    })
  })

  test('that resolves to a loopback address is refused beyond loopback, unless that is allowed', async () => {
    const { port } = await start()
    const url = `http://shop.test:${port}/`
    const { lookUp } = namesOf(['127.0.0.1'])
    expect(await post(url, makeSender({ lookUp, isExposed: true }))).toEqual({
      status: null,
      error: expect.stringMatching(/--webhook-allow/),
    })
    const allowed = makeSender({ lookUp, isExposed: true, allowed: ['127.0.0.0/8'] })
    expect(await post(url, allowed)).toEqual({ status: 200, body: 'ok' })
  })

  test('is resolved once for a connection: the address that was checked is the one used', async () => {
    const { port } = await start()
    // If the check and the connection used separate lookups, the second response would be used unchecked.
    const { lookUp, asked } = namesOf(['93.184.215.14', '127.0.0.1'], ['127.0.0.1'])
    const sender = makeSender({ lookUp, isExposed: true, timeoutMs: HURRY_MS })
    expect(await post(`http://rebinding.test:${port}/`, sender)).toEqual({
      status: null,
      error: expect.stringMatching(/127\.0\.0\.1 is a loopback/),
    })
    expect(asked()).toBe(1)
  })

  test('whose address changes is checked again at the next connection', async () => {
    const served = await startSockets((socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'))
    const { lookUp, asked } = namesOf(['127.0.0.1'], ['169.254.169.254'])
    const sender = makeSender({ lookUp })
    const url = `http://rebinding.test:${served.port}/`
    expect((await post(url, sender)).status).toBe(200)
    expect(await post(url, sender)).toEqual({ status: null, error: expect.stringMatching(/never sent/) })
    expect(asked()).toBe(2)
  })

  test('that does not exist is reported', async () => {
    const lookUp = () => {
      const message = 'getaddrinfo ENOTFOUND shop.test'
      return Promise.reject(Object.assign(new Error(message), { code: 'ENOTFOUND' }))
    }
    expect(await post('http://shop.test/', makeSender({ lookUp }))).toEqual({
      status: null,
      error: 'getaddrinfo ENOTFOUND shop.test',
    })
  })

  test('without an address is not reached', async () => {
    const { lookUp } = namesOf([])
    expect(await post('http://shop.test/', makeSender({ lookUp, timeoutMs: HURRY_MS }))).toEqual(broken)
  })
})

test('localhost is used without a lookup, at its allowed addresses', async () => {
  const { port } = await startReceiver((_, response) => response.end('ok'))
  const { lookUp, asked } = namesOf(['169.254.169.254'])
  const allowed = ['127.0.0.0/8']
  for (const sender of [makeSender({ lookUp }), makeSender({ lookUp, isExposed: true, allowed })])
    expect(await post(`http://shop.localhost:${port}/`, sender)).toEqual({ status: 200, body: 'ok' })
  expect(await post(`http://localhost:${port}/`, makeSender({ lookUp, isExposed: true }))).toEqual({
    status: null,
    error: expect.stringMatching(/^localhost resolves to .*--webhook-allow/),
  })
  expect(asked()).toBe(0)
})

test('the time of a lookup does not count for the time limit', async () => {
  const { port } = await startReceiver((_, response) => response.end('ok'))
  const lookUp: LookUp = async () => {
    await new Promise((done) => setTimeout(done, 2 * HURRY_MS))
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const sender = makeSender({ lookUp, timeoutMs: HURRY_MS })
  expect(await post(`http://shop.test:${port}/`, sender)).toEqual({ status: 200, body: 'ok' })
})

test('an endless lookup fails the post, and closing the sender ends it', async () => {
  const lookUp: LookUp = (_name, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  expect(await post('http://shop.test/', makeSender({ lookUp, lookupMs: 20 }))).toEqual({
    status: null,
    error: 'shop.test was not resolved to an address within 0.02 seconds',
  })
  const sender = makeSender({ lookUp })
  const posted = post('http://shop.test/', sender)
  setImmediate(() => sender.close())
  expect(await posted).toEqual(broken)
})

test('a literal address is checked at every post', async () => {
  expect(await post('http://169.254.169.254/latest/meta-data')).toEqual({
    status: null,
    error: expect.stringMatching(/never sent/),
  })
  expect(await post('http://[::1]/', makeSender({ isExposed: true }))).toEqual({
    status: null,
    error: expect.stringMatching(/--webhook-allow/),
  })
})

test('an aborted post ends at once', async () => {
  const { url } = await startReceiver(() => undefined)
  const ended = makeEnd()
  const sender = makeSender({ timeoutMs: 60_000 })
  const posts = Array.from({ length: 50 }, () => sender.send(letterTo(url), ended.signal))
  const begun = performance.now()
  setImmediate(() => ended.abort())
  expect(await Promise.all(posts)).toEqual(Array(50).fill(broken))
  expect(await sender.send(letterTo(url), ended.signal)).toEqual(broken)
  expect(performance.now() - begun).toBeLessThan(2_000)
})
