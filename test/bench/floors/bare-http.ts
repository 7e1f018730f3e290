import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The minimal HTTP server, which shows the start time of any Node server. */
const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.end('{"object":"list","data":[]}')
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit())
