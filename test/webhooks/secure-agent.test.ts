import { createServer } from 'node:https'
import { type AddressInfo, connect, createServer as createPlainServer, type Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LimitedTurns } from '../../src/engine/machine/limited-turns.ts'
import { post } from '../../src/webhooks/post.ts'
import { SecureAgent } from '../../src/webhooks/secure-agent.ts'
import { makeCertificate } from './certificate.ts'

/** The options of a post, which has a minute from now on. */
const makePost = () => ({ headers: {}, body: Buffer.from('{}'), signal: AbortSignal.timeout(60_000) })
const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** A receiver with TLS, and a function that posts to it. */
async function startReceiver(
  options: TlsOptions,
  { answer = 'received', trusted = options.cert, keepAlive = true } = {},
) {
  let connections = 0
  const server = createServer(options, (request, response) => {
    request.resume().on('end', () => response.end(answer))
  })
  server.on('secureConnection', () => {
    connections += 1
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const agent = new SecureAgent({ keepAlive, ca: trusted })
  onTestFinished(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const send = (url = `https://127.0.0.1:${portOf(server)}/hooks`) =>
    post(new URL(url), { ...makePost(), agent })
  return { send, server, connections: () => connections }
}

test('posts with TLS are received, over one connection', async () => {
  const { send, connections } = await startReceiver(makeCertificate())
  for (let count = 0; count < 3; count += 1) expect(await send()).toEqual({ status: 200, body: 'received' })
  expect(connections()).toBe(1)
})

test('a large body is encrypted only as the receiver reads it', async () => {
  const options = makeCertificate()
  const server = createTlsServer(options, (socket) => socket.pause().on('error', () => undefined))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const agent = new SecureAgent({ ca: options.cert })
  const ended = new AbortController()
  onTestFinished(() => void server.close())
  const body = Buffer.alloc(30_000_000)
  const sent = post(new URL(`https://127.0.0.1:${portOf(server)}/`), {
    ...makePost(),
    body,
    agent,
    signal: ended.signal,
  })
  await new Promise((secure) => server.once('secureConnection', secure))
  for (let turns = 0; turns < 100; turns += 1) await nextTurn()
  const [socket] = Object.values(agent.sockets).flat()
  expect(socket?.bytesWritten).toBeGreaterThan(65_536)
  expect(socket?.writableLength).toBeLessThan(200_000)
  ended.abort()
  await expect(sent).rejects.toThrow()
})

test('a kept connection has no limit over all of its posts', async () => {
  const { send, connections } = await startReceiver(makeCertificate(), { answer: 'x'.repeat(1_000) })
  for (let count = 0; count < 200; count += 1) expect((await send()).status).toBe(200)
  expect(connections()).toBe(1)
})

test('a further connection resumes the first one', async () => {
  const options = { ...makeCertificate(), maxVersion: 'TLSv1.2' } as const
  const { send, server } = await startReceiver(options, { keepAlive: false })
  const resumed: boolean[] = []
  server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()))
  for (let count = 0; count < 3; count += 1) expect((await send()).status).toBe(200)
  expect(resumed).toEqual([false, true, true])
})

test('a certificate of an unknown authority is refused', async () => {
  const { send } = await startReceiver(makeCertificate(), { trusted: makeCertificate().cert })
  await expect(send()).rejects.toThrow('self-signed certificate')
})

test('a receiver cannot begin another handshake', async () => {
  const { send, server } = await startReceiver({ ...makeCertificate(), maxVersion: 'TLSv1.2' })
  let repeated = 0
  server.on('secureConnection', (socket: TLSSocket) => {
    // The refusal of the client is an error of the connection.
    socket.on('error', () => undefined)
    socket.renegotiate({ rejectUnauthorized: false }, () => {
      repeated += 1
    })
  })
  // Whether a response comes before the refusal is up to chance.
  for (let count = 0; count < 3; count += 1) await send().catch(() => undefined)
  expect(repeated).toBe(0)
})

test('a broken record behind the switch to another protocol ends the connection, and nothing else', async () => {
  const certificate = makeCertificate()
  let isBroken = false
  const server = createTlsServer(certificate, (socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      isBroken = true
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')
    })
  })
  // Both arrive together.
  const between = createPlainServer((socket) => {
    const receiver = connect(portOf(server), '127.0.0.1').on('error', () => undefined)
    socket.on('error', () => undefined).pipe(receiver)
    const record = Buffer.from('1603030004deadbeef', 'hex')
    receiver.on('data', (chunk) => socket.write(isBroken ? Buffer.concat([chunk, record]) : chunk))
  })
  for (const each of [server, between]) {
    await new Promise<void>((listening) => each.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void each.close())
  }
  const agent = new SecureAgent({ ca: certificate.cert })
  const sent = post(new URL(`https://127.0.0.1:${portOf(between)}/`), { ...makePost(), agent })
  await expect(sent).rejects.toThrow('switch to another protocol')
  // An error without a listener would end the process in a later turn.
  await nextTurn()
})

test('a key exchange with a prime that the receiver chooses is refused', async () => {
  const rsa = makeCertificate(0, 'rsa')
  const { send } = await startReceiver({
    ...rsa,
    ciphers: 'DHE-RSA-AES128-GCM-SHA256',
    dhparam: 'auto',
    maxVersion: 'TLSv1.2',
  })
  await expect(send()).rejects.toThrow(/handshake failure|no shared cipher/i)
})

test('certificates of more than 20 KiB are refused before they are examined', async () => {
  const { send } = await startReceiver(makeCertificate(1_500))
  await expect(send()).rejects.toThrow('more than 20 KiB before the connection was secure')
})

test('also what a secure connection receives is passed on in small pieces, each in a turn', async () => {
  const { send } = await startReceiver(makeCertificate(), { answer: 'x'.repeat(15_000) })
  await send()
  // The response arrives over the kept connection, without a handshake.
  const waited = vi.spyOn(LimitedTurns.prototype, 'run')
  onTestFinished(() => waited.mockRestore())
  expect((await send()).body).toBe('x'.repeat(1_024))
  expect(waited.mock.calls.length).toBeGreaterThanOrEqual(15_000 / 4_096)
})

test('of a large response only the beginning is read', async () => {
  const { send, connections } = await startReceiver(makeCertificate(), { answer: 'x'.repeat(400_000) })
  for (let count = 0; count < 2; count += 1) expect((await send()).body).toBe('x'.repeat(1_024))
  expect(connections()).toBe(2)
})

test('what has arrived is passed on before more is read, also on a busy machine', async () => {
  const { send } = await startReceiver(makeCertificate(), { answer: 'x'.repeat(400_000) })
  let hasTime = true
  const turns = vi.spyOn(LimitedTurns.prototype, 'run').mockImplementation((_, passOn) => {
    if (!hasTime) return void setTimeout(passOn, 20)
    hasTime = false
    setImmediate(() => {
      hasTime = true
    })
    passOn()
  })
  onTestFinished(() => turns.mockRestore())
  expect((await send()).body).toBe('x'.repeat(1_024))
})

test('a receiver that does not listen is reported', async () => {
  const { send } = await startReceiver(makeCertificate())
  await expect(send('https://127.0.0.2:1/')).rejects.toThrow('ECONNREFUSED')
})
