import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Daemon } from '../../src/daemon/daemon.ts'
import { SOCKET_LIMITS } from '../../src/daemon/listener.ts'
import { openSocket, type RawSocket, responsesIn, startListening } from './raw-socket.ts'

/** The real limits, shortened. */
const LIMITS = { ...SOCKET_LIMITS, headersMs: 200, requestMs: 500, idleMs: 150, checkMs: 25, connections: 40 }

let daemon: Daemon
beforeAll(async () => {
  daemon = await startListening({ socketLimits: LIMITS })
})
afterAll(() => daemon.close())

const host = () => `Host: ${new URL(daemon.url).host}`
const key = () => `Authorization: Bearer ${daemon.secretKey}`
const POST = 'POST /v1/customers HTTP/1.1'
const JSON_TYPE = 'Content-Type: application/json'

/** Sends bytes slowly until the connection closes. @returns the received text, and the time in milliseconds */
async function drip(begin: string[], drops: string, everyMs = 20) {
  const raw = openSocket(daemon)
  raw.write(...begin)
  const began = performance.now()
  const dripping = setInterval(() => raw.socket.writable && raw.socket.write(drops), everyMs)
  const heard = await raw.heard
  clearInterval(dripping)
  return { responses: responsesIn(heard), ms: performance.now() - began }
}

test('the limits are those that are written down', () => {
  expect(SOCKET_LIMITS).toEqual({
    headersMs: 10_000,
    requestMs: 60_000,
    idleMs: 65_000,
    unreadMs: 60_000,
    unreadBytes: 268_435_456,
    pipelinedBytes: 134_217_728,
    lingerMs: 1_000,
    checkMs: 1_000,
    headerBytes: 16_384,
    headerCount: 200,
    connections: 4_000,
  })
})

test.each<[string, number, () => [string[], string]]>([
  ['who says nothing at all', LIMITS.headersMs, () => [[], '']],
  ['headers that never end', LIMITS.headersMs, () => [['GET /v1/customers HTTP/1.1', ''], 'A: b\r\n']],
  ['a request line that never ends', LIMITS.headersMs, () => [['GET /v1/'], 'x']],
  [
    'a body that never ends',
    LIMITS.requestMs,
    () => [[POST, host(), key(), JSON_TYPE, 'Content-Length: 100000', '', '{'], ' '],
  ],
  [
    'chunks that never end',
    LIMITS.requestMs,
    () => [[POST, host(), key(), JSON_TYPE, 'Transfer-Encoding: chunked', '', ''], '1\r\n \r\n'],
  ],
  [
    'a body that never begins',
    LIMITS.requestMs,
    () => [[POST, host(), key(), JSON_TYPE, 'Content-Length: 100000', '', ''], ''],
  ],
])('%s: ended after %i ms with an error', async (_, limit, said) => {
  const [begin, drops] = said()
  const { responses, ms } = await drip(begin, drops)
  expect(responses.map(({ status }) => status)).toEqual([400])
  expect(JSON.parse(responses[0]?.body ?? '').error).toMatchObject({
    code: 'parameter_invalid',
    message: 'The request has not arrived within 0.2 s, its body within 0.5 s',
  })
  expect(ms).toBeGreaterThan(limit - 30)
  expect(ms).toBeLessThan(limit + 400)
})

test('an idle connection after a response is closed without an error', async () => {
  const raw = openSocket(daemon)
  raw.write('GET /v1/customers HTTP/1.1', host(), key(), '', '')
  expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([200])
})

test('blank lines keep neither a new connection nor an idle one', async () => {
  const began = await drip([], '\r\n')
  expect(began.responses.map(({ status }) => status)).toEqual([400])
  expect(began.ms).toBeLessThan(LIMITS.headersMs + 400)
  const answered = await drip(['GET /v1/customers HTTP/1.1', host(), key(), '', ''], '\r\n')
  expect(answered.responses.map(({ status }) => status)).toEqual([200])
  expect(answered.ms).toBeGreaterThan(LIMITS.idleMs)
  expect(answered.ms).toBeLessThan(LIMITS.idleMs + LIMITS.headersMs + 400)
})

test('a connection stays open for as long as requests follow each other in time', async () => {
  const raw = openSocket(daemon)
  for (let sent = 0; sent < 6; sent += 1) {
    raw.write('GET /v1/customers HTTP/1.1', host(), key(), '', '')
    await delay(LIMITS.idleMs / 1.5)
  }
  expect(responsesIn(await raw.heard)).toHaveLength(6)
})

test('a response is never interrupted by an error: the stream of a client that sends no body just ends', async () => {
  const raw = openSocket(daemon)
  const accept = 'Accept: text/event-stream'
  raw.write('GET /v1/events HTTP/1.1', host(), key(), accept, 'Content-Length: 10', '', '')
  const heard = await raw.heard
  expect(heard.split('HTTP/1.1')).toHaveLength(2)
  expect(heard).toMatch(/: connected\n\n\r\n$/)
})

test('one that was refused before its body came is not refused again', async () => {
  const { responses } = await drip([POST, host(), 'Content-Length: 100000', '', ''], ' ')
  expect(responses.map(({ status }) => status)).toEqual([401])
})

test('a response may take longer than a request', async () => {
  const token = daemon.adminToken
  await fetch(`${daemon.url}/_paytwin/faults`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'latency', ms: 800, count: 1 }),
  })
  const raw = openSocket(daemon)
  raw.write('GET /v1/customers HTTP/1.1', host(), key(), 'Connection: close', '', '')
  expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([200])
})

test('a request that arrives slowly but in time is served', async () => {
  const raw = openSocket(daemon)
  const text = [POST, host(), key(), JSON_TYPE, 'Connection: close', 'Content-Length: 2', '', '{}'].join(
    '\r\n',
  )
  for (let at = 0; at < text.length; at += 40) {
    raw.socket.write(text.slice(at, at + 40))
    await delay(10)
  }
  expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([201])
})

/** Sends text, and stops this process, with the daemon, until all time limits have passed. Then timers run before the daemon reads. */
async function sendAndStall(raw: RawSocket, ...lines: string[]) {
  await immediate()
  raw.write(...lines)
  const ms = LIMITS.idleMs + LIMITS.requestMs + LIMITS.checkMs
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test.each<[string, string[], string[]]>([
  ['a request', [], [POST, 'Content-Length: 2', '', '{}']],
  ['the rest of the headers', [POST, ''], ['Content-Length: 2', '', '{}']],
  ['the rest of a body', [POST, 'Content-Length: 2', '', '{'], ['}']],
  ['a large body', [POST, 'Content-Length: 1000000', '', '{'], [`${' '.repeat(999_998)}}`]],
])('%s that arrives while the process is stalled is not late', async (_, before, during) => {
  const raw = openSocket(daemon)
  const complete = (lines: string[]) =>
    lines.flatMap((line) => (line === POST ? [line, host(), key(), JSON_TYPE, 'Connection: close'] : [line]))
  await once(raw.socket, 'connect')
  if (before.length > 0) raw.write(...complete(before))
  // The daemon accepts the connection, and reads what was sent.
  await delay(20)
  await sendAndStall(raw, ...complete(during))
  expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([201])
})

test('a request that arrives on an idle connection while the process is stalled is served', async () => {
  const raw = openSocket(daemon)
  raw.write('GET /v1/customers HTTP/1.1', host(), key(), '', '')
  await once(raw.socket, 'data')
  await sendAndStall(raw, 'GET /v1/customers HTTP/1.1', host(), key(), 'Connection: close', '', '')
  expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([200, 200])
})

test('a client that sends a byte at a time has a second more at most, however fast it is', async () => {
  const { responses, ms } = await drip(['GET /v1/'], 'x', 1)
  expect(responses.map(({ status }) => status)).toEqual([400])
  expect(ms).toBeLessThan(LIMITS.headersMs + 2_500)
})

test('a client that sends only a part while the process is stalled is ended', async () => {
  const raw = openSocket(daemon)
  await once(raw.socket, 'connect')
  await delay(20)
  await sendAndStall(raw, POST, host(), '')
  expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([400])
})

test('a connection beyond the limit takes the place of the one that has been idle longest', async () => {
  const idle = Array.from({ length: LIMITS.connections }, () => openSocket(daemon))
  await Promise.all(idle.map(({ socket }) => once(socket, 'connect')))
  idle[0]?.write('GET /v1/customers HTTP/1.1', host(), key(), '', '')
  await once(idle[0]?.socket as Socket, 'data')
  const beyond = openSocket(daemon)
  beyond.write('GET /v1/customers HTTP/1.1', host(), key(), 'Connection: close', '', '')
  expect(responsesIn(await beyond.heard).map(({ status }) => status)).toEqual([200])
  expect(await idle[1]?.heard).toBe('')
  expect([0, 2, 3].map((index) => idle[index]?.socket.destroyed)).toEqual([false, false, false])
  for (const { socket } of idle) socket.destroy()
})

test('a connection beyond the limit takes the place of the newest one of strangers, also if each invents a key', async () => {
  const waiting = Array.from({ length: LIMITS.connections }, () => openSocket(daemon))
  for (const [number, { write }] of waiting.entries()) {
    const invented = `Authorization: Bearer sk_test_${number}`
    const origin = `Origin: ${daemon.url}`
    write(
      'POST /v1/oauth/authorize/decision HTTP/1.1',
      host(),
      origin,
      invented,
      'Content-Length: 9',
      '',
      'a=',
    )
  }
  await Promise.all(waiting.map(({ socket }) => once(socket, 'connect')))
  const beyond = openSocket(daemon)
  beyond.write('GET /v1/customers HTTP/1.1', host(), key(), 'Connection: close', '', '')
  expect(responsesIn(await beyond.heard).map(({ status }) => status)).toEqual([200])
  for (const { socket } of waiting) socket.destroy()
})

test('a connection beyond the limit takes the place of the oldest stream, but of no request in progress', async () => {
  // With the real limits of time: the unfinished request waits for all the streams.
  const patient = await startListening({
    socketLimits: { ...SOCKET_LIMITS, connections: LIMITS.connections },
  })
  onTestFinished(() => patient.close())
  const own = [`Host: ${new URL(patient.url).host}`, `Authorization: Bearer ${patient.secretKey}`]
  const accept = 'Accept: text/event-stream'
  const open = async (...lines: string[]) => {
    const raw = openSocket(patient)
    raw.write(...lines, '', '')
    await once(raw.socket, 'data')
    return raw
  }
  const unfinished = openSocket(patient)
  const expecting = ['Expect: 100-continue', 'Content-Length: 2', 'Connection: close', '', '']
  unfinished.write(POST, ...own, JSON_TYPE, ...expecting)
  await once(unfinished.socket, 'data')
  const oldest = await open('GET /v1/events HTTP/1.1', ...own, accept)
  const streams = await Promise.all(
    Array.from({ length: LIMITS.connections - 2 }, () => open('GET /v1/events HTTP/1.1', ...own, accept)),
  )
  const beyond = openSocket(patient)
  beyond.write('GET /v1/customers HTTP/1.1', ...own, 'Connection: close', '', '')
  expect(responsesIn(await beyond.heard).map(({ status }) => status)).toEqual([200])
  expect(await oldest.heard).toContain(': connected')
  unfinished.write('{}')
  expect(await unfinished.heard).toContain('HTTP/1.1 201')
  expect(streams.filter(({ socket }) => socket.destroyed)).toEqual([])
  for (const { socket } of streams) socket.destroy()
})
