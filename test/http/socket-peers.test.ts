import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Daemon } from '../../src/daemon/daemon.ts'
import { SOCKET_LIMITS } from '../../src/daemon/listener.ts'
import { openSocket, type RawSocket, responsesIn, startListening } from './raw-socket.ts'

const LIMITS = {
  ...SOCKET_LIMITS,
  headersMs: 200,
  idleMs: 300,
  unreadMs: 300,
  lingerMs: 100,
  checkMs: 25,
  connections: 2,
}

let daemon: Daemon
let peers: RawSocket[] = []
beforeEach(async () => {
  daemon = await startListening({ socketLimits: LIMITS })
})
afterEach(async () => {
  for (const { socket } of peers) socket.destroy()
  peers = []
  await daemon.close()
})

const host = () => `Host: ${new URL(daemon.url).host}`
const key = () => `Authorization: Bearer ${daemon.secretKey}`
const GET = 'GET /v1/customers HTTP/1.1'
const CONNECT = 'CONNECT evil.example:443 HTTP/1.1'

/** Connects a peer that never closes its side of the connection. */
async function clinging(): Promise<RawSocket> {
  const peer = openSocket(daemon, { allowHalfOpen: true })
  peers.push(peer)
  await once(peer.socket, 'connect')
  return peer
}

async function isServed(): Promise<boolean> {
  const raw = openSocket(daemon)
  raw.write(GET, host(), key(), 'Connection: close', '', '')
  return (await raw.heard).startsWith('HTTP/1.1 200 ')
}

/** More than the buffers between two sockets hold. */
const PIPELINED = 20_000

test.each<[string, (peer: RawSocket) => void]>([
  ['say nothing', () => undefined],
  ['ask for a tunnel', ({ write }) => write(CONNECT, host(), '', '')],
  ['ask for a tunnel and send bytes into it', (peer) => drip(peer, CONNECT, host(), '', '')],
  ['ask for a tunnel after a request', ({ write }) => write(GET, host(), '', CONNECT, host(), '', '')],
  ['send no HTTP', ({ write }) => write('HELLO', '', '')],
  ['send no HTTP again and again', (peer) => drip(peer, 'HELLO', '', '')],
  ['ask for the end of the connection', ({ write }) => write(GET, host(), 'Connection: close', '', '')],
  ['ask once', ({ write }) => write(GET, host(), '', '')],
  ['owe a body', ({ write }) => write('POST /v1/customers HTTP/1.1', host(), 'Content-Length: 9', '', '')],
  [
    'read none of many responses',
    ({ socket, write }) => {
      socket.pause()
      write(...Array.from({ length: PIPELINED }, () => `${GET}\r\n${host()}\r\n`), '')
    },
  ],
])(
  'peers that never close leave their places to others: those that %s',
  async (_, speak) => {
    for (let count = 0; count < LIMITS.connections; count += 1) speak(await clinging())
    await vi.waitUntil(isServed, { timeout: 20_000, interval: 50 })
  },
  30_000,
)

/** Creates customers of 300 kB in all. @returns requests for them whose responses are larger than the buffers between two sockets */
async function requestsForMuch(): Promise<string[]> {
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index, 'x'.repeat(500)]))
  const headers = { authorization: `Bearer ${daemon.secretKey}`, 'content-type': 'application/json' }
  for (let count = 0; count < 12; count += 1)
    await fetch(`${daemon.url}/v1/customers`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ metadata }),
    })
  return Array.from({ length: 40 }, () => `${GET}\r\n${host()}\r\n${key()}\r\n`)
}

test.each<[string, () => string[]]>([
  ['half a request', () => [GET, 'X: ']],
  ['what follows a CONNECT', () => [CONNECT, host(), '', '']],
  ['no HTTP', () => ['HELLO', '', '']],
])(
  'a peer that reads no responses and goes on to send %s byte by byte loses its connection',
  async (_, last) => {
    // The shorter limit on headers would also close a connection with half a request.
    await daemon.close()
    daemon = await startListening({ socketLimits: { ...LIMITS, headersMs: 60_000 } })
    const requests = await requestsForMuch()
    const peer = await clinging()
    peer.socket.pause()
    drip(peer, ...requests, ...last())
    await peer.heard
  },
)

/** Sends text, and then single bytes at intervals. */
function drip({ socket, write }: RawSocket, ...lines: string[]): void {
  write(...lines)
  const dripping = setInterval(() => socket.writable && socket.write('x'), 20)
  socket.once('close', () => clearInterval(dripping))
}

test('a peer that resets its connection right after a CONNECT does no harm', async () => {
  for (let count = 0; count < 20; count += 1) {
    const { socket } = openSocket(daemon)
    socket.write(`${CONNECT}\r\n${host()}\r\n\r\n`, () => socket.resetAndDestroy())
    await once(socket, 'close')
  }
  expect(await isServed()).toBe(true)
})

test('a slow response is sent, even if its peer is silent', async () => {
  await fetch(`${daemon.url}/_paytwin/faults`, {
    method: 'POST',
    headers: { authorization: `Bearer ${daemon.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'latency', ms: 3 * LIMITS.unreadMs, count: 1 }),
  })
  const raw = openSocket(daemon)
  raw.write(GET, host(), key(), 'Connection: close', '', '')
  expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([200])
})

test.each<[string, (peer: RawSocket) => void]>([
  ['nothing', () => undefined],
  ['a CONNECT', ({ write }) => write(CONNECT, host(), '', '')],
  ['half a request', ({ write }) => write(GET, host(), '')],
  [
    'half a body',
    ({ write }) => write('POST /v1/customers HTTP/1.1', host(), key(), 'Content-Length: 9', '', ''),
  ],
  [
    'a request for a stream',
    ({ write }) =>
      write(GET.replace('customers', 'events'), host(), key(), 'Accept: text/event-stream', '', ''),
  ],
])('a daemon ends although a peer that sent %s never closes', async (_, speak) => {
  speak(await clinging())
  await delay(30)
  await daemon.close()
})
