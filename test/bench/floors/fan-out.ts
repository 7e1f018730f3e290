import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Passes each posted body on to all listeners, and then responds. It has no database, journal or checks. */
const streams = new Set<ServerResponse>()
let made = 0

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
    streams.add(response)
    response.on('close', () => streams.delete(response))
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    made += 1
    const id = `pi_${String(made).padStart(14, '0')}`
    const object = { ...JSON.parse(Buffer.concat(chunks).toString()), id }
    const event = `event: payment_intent.created\ndata: ${JSON.stringify({ data: { object } })}\n\n`
    for (const stream of streams) stream.write(event)
    response.end(JSON.stringify(object))
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit())
