import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A server for one test, on a free port. */
export type Listening = { readonly url: string; readonly port: number; close(): Promise<void> }

async function listening(server: Server, host: string, cut: () => void): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= new Promise((done) => {
      server.close(() => done())
      cut()
    })
    return closed
  }
  onTestFinished(close)
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hooks`, port, close }
}

/** A receiver that uses HTTP. */
export function startReceiver(handle: RequestListener, host = '127.0.0.1'): Promise<Listening> {
  const server = createServer(handle)
  return listening(server, host, () => server.closeAllConnections())
}

/**
 * A receiver that handles its connections as the test says.
 * @param speak - called once for each complete request, with its connection
 */
export function startSockets(speak: (socket: Socket) => void, host = '127.0.0.1'): Promise<Listening> {
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    let heard = ''
    socket.setEncoding('latin1').on('data', (text) => {
      heard += text
      for (let end = endOf(heard); end !== undefined; end = endOf(heard)) {
        heard = heard.slice(end)
        speak(socket)
      }
    })
  })
  return listening(server, host, () => {
    for (const socket of sockets) socket.destroy()
  })
}

/** Returns the end of the first request in a text; undefined when it is incomplete. */
function endOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, head))?.[1] ?? 0)
  const end = head + 4 + length
  return text.length >= end ? end : undefined
}
