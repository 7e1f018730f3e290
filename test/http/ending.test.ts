import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Daemon } from '../../src/daemon/daemon.ts'
import { openSocket, type RawSocket, responsesIn, startListening } from './raw-socket.ts'

const SECRET_KEY = 'sk_test_000000000000000000000001'
const BODY = '{"name":"Ada"}'

let folder: string
let daemon: Daemon
let peers: RawSocket[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  daemon = await startListening({ data: folder, secretKey: SECRET_KEY, logLevel: 'info' })
})
afterEach(async () => {
  for (const { socket } of peers) socket.destroy()
  peers = []
  await daemon.close()
  rmSync(folder, { recursive: true })
})

const GET = () => ['GET /v1/customers HTTP/1.1', ...headers(), '', '']
const POST = () => ['POST /v1/customers HTTP/1.1', ...headers(), 'Content-Type: application/json']
const headers = () => [`Host: ${new URL(daemon.url).host}`, `Authorization: Bearer ${SECRET_KEY}`]

async function connected(): Promise<RawSocket> {
  const peer = openSocket(daemon)
  peers.push(peer)
  await once(peer.socket, 'connect')
  return peer
}

/** A peer that has sent a request but for the end of its body, which keeps a daemon from ending at once. */
async function withHalfARequest(): Promise<RawSocket> {
  const peer = await connected()
  peer.write(...POST(), `Content-Length: ${BODY.length}`, '', BODY.slice(0, 5))
  await delay(50)
  return peer
}

const log = () => readFileSync(join(folder, 'daemon.log'), 'utf8')

test('a request whose body arrives during the end is answered, and its connection closes', async () => {
  const peer = await withHalfARequest()
  const ended = daemon.close()
  await delay(100)
  peer.write(BODY.slice(5))
  const [response, ...others] = responsesIn(await peer.heard)
  await ended
  expect([response?.status, others]).toEqual([201, []])
  expect(response?.head).toMatch(/\r\nConnection: close/i)
  expect(log()).not.toContain('error')
})

test('a request that is pipelined during the end is not served', async () => {
  const peer = await withHalfARequest()
  const ended = daemon.close()
  peer.write(BODY.slice(5) + [...POST(), `Content-Length: ${BODY.length}`, '', BODY].join('\r\n'))
  const responses = responsesIn(await peer.heard)
  await ended
  expect(responses.map(({ status }) => status)).toEqual([201])
  daemon = await startListening({ data: folder, secretKey: SECRET_KEY })
  const check = await connected()
  check.write(...GET().slice(0, -2), 'Connection: close', '', '')
  const [list] = responsesIn(await check.heard)
  expect(JSON.parse(list?.body ?? '').data).toHaveLength(1)
})

test('all requests of a pipeline that came before the end are answered', async () => {
  const peer = await connected()
  const half = [...POST(), `Content-Length: ${BODY.length}`, '', BODY.slice(0, 5)]
  peer.write([GET(), GET(), half].map((lines) => lines.join('\r\n')).join(''))
  await delay(50)
  const ended = daemon.close()
  peer.write(BODY.slice(5))
  const responses = responsesIn(await peer.heard)
  await ended
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 201])
})

test.each<[string, boolean]>([
  ['the first one of its connection', false],
  ['one over a connection that was used before', true],
])('a request that arrives during the end is refused by closing its connection: %s', async (_, isUsed) => {
  const busy = await withHalfARequest()
  const peer = await connected()
  if (isUsed) {
    peer.write(...GET())
    await once(peer.socket, 'data')
  }
  const ended = daemon.close()
  await delay(50)
  peer.write(...GET())
  expect(responsesIn(await peer.heard).map(({ status }) => status)).toEqual(isUsed ? [200] : [])
  busy.write(BODY.slice(5))
  await ended
  expect(log()).not.toContain('error')
})

test('a peer that never sends the rest of a body delays the end by 1.5 seconds, and is not answered', async () => {
  const peer = await withHalfARequest()
  const begun = performance.now()
  await daemon.close()
  expect(performance.now() - begun).toBeGreaterThan(1_400)
  expect(await peer.heard).toBe('')
  expect(log()).not.toContain('error')
})
