import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { proofOf } from '../../src/http/admin/guard.ts'
import { type FakeServer, fakeServer, json, overTime } from './server.ts'

const TOKEN = 'a-token-of-the-folder-0123456789abcdef'
let server: FakeServer
afterEach(async () => {
  await server?.close()
})

const shutdown = { object: 'shutdown', url: '', pid: 1, data: null, livemode: false }
const clientOf = ({ url }: FakeServer) => new Client({ url, token: TOKEN, requiresProof: true })
const authorizations = () => server.requests.map(({ headers }) => headers.authorization)
const nonceOf = (url = '') => new URL(url, 'http://localhost').searchParams.get('nonce') ?? ''

test('the token is sent after the proof, with a new nonce for each request', async () => {
  server = await fakeServer((request, response) => {
    const nonce = nonceOf(request.url)
    const proof = nonce && proofOf({ url: server.url, token: TOKEN }, nonce)
    json(response, 200, nonce ? { status: 'ok', proof, livemode: false } : shutdown)
  })
  for (let n = 0; n < 2; n += 1) await clientOf(server).shutDown()
  expect(authorizations()).toEqual([undefined, `Bearer ${TOKEN}`, undefined, `Bearer ${TOKEN}`])
  expect(new Set(server.requests.map(({ url }) => nonceOf(url))).size).toBe(3)
})

const hex = 'ab'.repeat(32)
test.each<[string, (nonce: string) => object]>([
  ['says nothing of it', () => ({ status: 'ok', livemode: false })],
  ['makes something up', () => ({ status: 'ok', proof: hex, livemode: false })],
  ['answers no text', () => ({ status: 'ok', proof: { toString: hex }, livemode: false })],
  ['answers an empty one', () => ({ status: 'ok', proof: '', livemode: false })],
  [
    'knows another token',
    (nonce) => ({ proof: proofOf({ url: server.url, token: 'b'.repeat(40) }, nonce), livemode: false }),
  ],
  [
    'passes on the response of a daemon at another address',
    (nonce) => ({ proof: proofOf({ url: 'http://127.0.0.1:1', token: TOKEN }, nonce), livemode: false }),
  ],
  [
    'signs without a number',
    () => ({ proof: createHmac('sha256', TOKEN).update(server.url).digest('hex'), livemode: false }),
  ],
])('a program that %s does not get the token', async (_, reply) => {
  server = await fakeServer((request, response) => json(response, 200, reply(nonceOf(request.url))))
  await expect(clientOf(server).shutDown()).rejects.toMatchObject({
    name: 'Unreachable',
    message: expect.stringContaining('does not know the admin token'),
  })
  expect(authorizations()).toEqual([undefined])
})

test('a program that responds with an error, or is not paytwin, does not get the token', async () => {
  server = await fakeServer((_request, response) =>
    json(response, 404, { error: { type: 'x', code: 'y', message: 'no such page' }, livemode: false }),
  )
  await expect(clientOf(server).shutDown()).rejects.toThrow('does not know the admin token')
  expect(authorizations()).toEqual([undefined])
  await server.close()
  server = await fakeServer((_request, response) => response.end('<html>'))
  await expect(clientOf(server).shutDown()).rejects.toThrow('is not a paytwin daemon')
  expect(authorizations()).toEqual([undefined])
})

test('a stream requires a proof on each connection, and ends without one', async () => {
  let isStranger = false
  server = await fakeServer((request, response) => {
    const nonce = nonceOf(request.url)
    const proof = isStranger ? hex : proofOf({ url: server.url, token: TOKEN }, nonce)
    if (nonce) return json(response, 200, { proof, livemode: false })
    // The daemon is killed, and another program takes over its port at once.
    isStranger = true
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    response.destroy()
  })
  const news: string[] = []
  const following = clientOf(server).followRequests(
    {},
    { signal: new AbortController().signal, onStatus: (each) => news.push(each) },
  )
  await expect(following.next()).rejects.toThrow('does not know the admin token')
  expect(news).toEqual(['connected', 'lost'])
  expect(authorizations()).toEqual([undefined, `Bearer ${TOKEN}`, undefined])
})

test('a stream of a daemon that restarts at another address requires a proof there', async () => {
  const daemon = await fakeServer((request, response) => {
    const nonce = nonceOf(request.url)
    if (nonce)
      return json(response, 200, {
        proof: proofOf({ url: daemon.url, token: TOKEN }, nonce),
        livemode: false,
      })
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    response.destroy()
    void daemon.close()
  })
  server = await fakeServer((_request, response) => json(response, 200, { proof: hex, livemode: false }))
  const address = { token: TOKEN, requiresProof: true } as const
  const client = new Client({ ...address, url: daemon.url }, () => ({ ...address, url: server.url }))
  const following = client.followRequests({}, { signal: new AbortController().signal })
  await expect(following.next()).rejects.toThrow(`The program at ${server.url} does not know the admin token`)
  expect(authorizations()).toEqual([undefined])
})

test('a program that does not answer, or answers without end, is abandoned and does not get the token', {
  timeout: 30_000,
}, async () => {
  server = await fakeServer((request, response) => {
    if (server.requests.length === 1) return
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 100)
    request.socket.on('close', () => clearInterval(drip))
  })
  const message = expect.stringMatching(/did not prove within 5 seconds that it knows the admin token/)
  const asked = [clientOf(server).status(), clientOf(server).status()].map((each) =>
    each.catch((error) => error),
  )
  for (const error of await Promise.all(asked))
    expect(error).toMatchObject({ name: 'Unreachable', message, isConnected: true })
  expect(authorizations()).toEqual([undefined, undefined])
})

test('a program that never answers is abandoned after a check of its health, and a slow one is not', async () => {
  let isBusy = true
  server = await fakeServer((request, response) => {
    if (request.url === '/_paytwin/health') return isBusy && json(response, 200, { livemode: false })
    if (isBusy) setTimeout(() => json(response, 200, { livemode: false }), 600_000)
  })
  const client = new Client({ url: server.url, token: TOKEN })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    expect(await overTime(client.advanceClocks({ all: true }, { by: '1d' }))).toEqual({ livemode: false })
    isBusy = false
    await expect(overTime(client.status())).rejects.toMatchObject({
      name: 'Unreachable',
      message: expect.stringMatching(/has not responded, nor to a check of its health within 120 seconds/),
      isConnected: true,
    })
  } finally {
    vi.useRealTimers()
  }
  expect(authorizations()).toEqual([`Bearer ${TOKEN}`, undefined, `Bearer ${TOKEN}`, undefined])
})

test('a response over the size limit is not from paytwin', async () => {
  server = await fakeServer((_, response) => {
    const more = () => {
      if (!response.destroyed && response.write(' '.repeat(65_536))) setImmediate(more)
    }
    response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more)
    more()
  })
  await expect(clientOf(server).status()).rejects.toThrow('is not a paytwin daemon')
  expect(authorizations()).toEqual([undefined])
})

test('a connection that is not established in time is abandoned', { timeout: 30_000 }, async () => {
  // Accepts the connection, but does not answer the TLS handshake.
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const sockets: Socket[] = []
  listening.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)))
  const url = `https://127.0.0.1:${(listening.address() as AddressInfo).port}`
  const asked = new Client({ url, token: TOKEN }).status()
  await expect(asked).rejects.toMatchObject({
    message: `No paytwin daemon answers at ${url} (ETIMEDOUT)`,
    isConnected: false,
  })
  for (const socket of sockets) socket.destroy()
  await new Promise((done) => listening.close(done))
})
