import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { JoinedRequest } from '../../src/daemon/joined-request.ts'

/** More than the time until a body is read: Node reads at most 64 KiB in a turn. */
const MANY = 50_000

const chunked = (body: string): string =>
  `${[...body].map((character) => `1\r\n${character}\r\n`).join('')}0\r\n\r\n`

/** Starts a server, and sends one request with a chunked body. @returns the request and its response on the server's side */
async function receive(...parts: string[]): Promise<[IncomingMessage, ServerResponse, Socket]> {
  const server = createServer({ IncomingMessage: JoinedRequest })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
  const [request, response] = await once(server, 'request')
  for (const part of parts) socket.write(part)
  return [request, response, socket]
}

/** Reads a body to its end. @returns its chunks */
async function chunksOf(request: IncomingMessage): Promise<string[]> {
  const chunks: string[] = []
  for await (const chunk of request) chunks.push(String(chunk))
  return chunks
}

test('a body in chunks of one byte arrives whole, in few chunks', async () => {
  const body = Array.from({ length: MANY }, (_, index) => index % 10).join('')
  const [request] = await receive(chunked(body))
  const chunks = await chunksOf(request)
  expect(chunks.join('')).toBe(body)
  expect(chunks.length).toBeLessThan(MANY / 500)
})

test('small and large chunks keep their order', async () => {
  const large = 'x'.repeat(3_000)
  const parts = Array.from({ length: 20 }, () => ['1\r\na\r\n', '1\r\nb\r\n', `bb8\r\n${large}\r\n`].join(''))
  const [request] = await receive(...parts, '1\r\nc\r\n', '0\r\n\r\n')
  expect((await chunksOf(request)).join('')).toBe(`${`ab${large}`.repeat(20)}c`)
})

test('a body that nobody reads is kept in few chunks, and stops at the limit of Node', async () => {
  const [request] = await receive(chunked('x'.repeat(MANY)))
  let turns = 0
  for (let before = -1; before !== request.readableLength || turns < 100; turns += 1) {
    before = request.readableLength
    await nextTurn()
  }
  expect(request.readableLength).toBeGreaterThan(1_000)
  expect(request.readableLength).toBeLessThan(2 * request.readableHighWaterMark)
  let chunks = 0
  const length = request.readableLength
  for (let size = 0; size < length; chunks += 1) size += (request.read() as Buffer).length
  expect(chunks).toBeLessThan(length / 500)
})

test('a body that nobody reads is kept in few chunks, also if it arrives byte by byte', async () => {
  const parts = Array.from({ length: 400 }, () => '1\r\nx\r\n')
  const [request, , socket] = await receive()
  for (const part of parts) {
    const before = request.socket.bytesRead
    socket.write(part)
    while (request.socket.bytesRead === before) await nextTurn()
    await nextTurn()
  }
  const chunks: unknown[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  socket.write('0\r\n\r\n')
  await once(request, 'end')
  expect(chunks.join('')).toBe('x'.repeat(400))
  expect(chunks.length).toBeLessThan(5)
})

test('a reader that pauses receives the whole body', async () => {
  const [request, , socket] = await receive()
  const chunks: unknown[] = []
  request.on('data', (chunk) => {
    chunks.push(chunk)
    if (chunks.length === 1) request.pause()
  })
  for (let part = 0; part < 40; part += 1) {
    socket.write(`1f4\r\n${'x'.repeat(500)}\r\n`)
    await nextTurn()
    await nextTurn()
  }
  socket.write('0\r\n\r\n')
  request.resume()
  await once(request, 'end')
  expect(chunks.join('')).toBe('x'.repeat(20_000))
})

test('a complete body can be read after its connection was closed', async () => {
  const [request] = await receive(chunked('text'))
  while (!request.complete) await nextTurn()
  // Node reports the lost connection as an error.
  const closed = new Promise((resolve) => request.on('error', () => undefined).once('close', resolve))
  request.socket.destroy()
  await closed
  expect(String(request.read())).toBe('text')
})

test('while a body arrives in many chunks, others have their turns', async () => {
  const [request] = await receive(chunked('x'.repeat(MANY)))
  let turns = 0
  let isReading = true
  const count = () => {
    turns += 1
    if (isReading) setImmediate(count)
  }
  setImmediate(count)
  const chunks = await chunksOf(request)
  isReading = false
  // One for each 64 KiB of what was sent.
  expect(turns).toBeGreaterThanOrEqual((MANY * '1\r\nx\r\n'.length) / 2 ** 16 - 1)
  expect(chunks.length).toBeLessThanOrEqual(turns)
})
