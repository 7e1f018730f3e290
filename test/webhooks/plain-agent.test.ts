import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PlainAgent } from '../../src/webhooks/plain-agent.ts'
import { post } from '../../src/webhooks/post.ts'

const MERCHANT = {}

/** A receiver whose responses have long headers, and a function that posts to it for a merchant. */
async function startReceiver() {
  let connections = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { x: 'y'.repeat(10_000) }).end('received'))
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const agent = new PlainAgent({ keepAlive: true })
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const options = { headers: {}, body: Buffer.from('{}'), signal: AbortSignal.timeout(60_000), agent }
  const send = (turnOf: object = MERCHANT, run = (callback: () => void) => callback()) =>
    post(url, { ...options, receiving: { turnOf, run } })
  return { send, connections: () => connections }
}

test('what a receiver sends is passed on in small pieces, each in a turn of its merchant', async () => {
  const { send } = await startReceiver()
  const run = vi.fn((callback: () => void) => callback())
  expect(await send(MERCHANT, run)).toEqual({ status: 200, body: 'received' })
  expect(run.mock.calls.length).toBeGreaterThanOrEqual(3)
})

test('a piece that waits for its turn is passed on later, and nothing before it', async () => {
  const { send } = await startReceiver()
  const runLater = (callback: () => void) => void setTimeout(callback, 5)
  for (let count = 0; count < 3; count += 1)
    expect(await send(MERCHANT, runLater)).toEqual({ status: 200, body: 'received' })
})

test('a connection is kept for posts of its merchant only', async () => {
  const { send, connections } = await startReceiver()
  const other = {}
  for (const merchant of [MERCHANT, other, MERCHANT, other]) await send(merchant)
  expect(connections()).toBe(2)
})
