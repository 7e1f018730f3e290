import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An in-memory mock of payment intents, which returns objects from a Map. It does not validate, store or bill anything. */
const intents = new Map<string, string>()

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
}

function create(request: IncomingMessage, response: ServerResponse): void {
  let body = ''
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    const { amount, ...rest } = Object.fromEntries(new URLSearchParams(body))
    const id = `pi_${String(intents.size).padStart(14, '0')}`
    const created = Math.floor(Date.now() / 1_000)
    const text = JSON.stringify({ id, object: 'payment_intent', created, amount: Number(amount), ...rest })
    intents.set(id, text)
    send(response, 201, text)
  })
}

const server = createServer((request, response) => {
  if (request.method === 'POST') return create(request, response)
  const id = request.url?.slice(request.url.lastIndexOf('/') + 1) ?? ''
  const text = intents.get(id)
  send(response, text === undefined ? 404 : 200, text ?? '{"error":{"code":"resource_missing"}}')
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit())
