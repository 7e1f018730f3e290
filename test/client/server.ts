import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vi } from 'vitest'

/** Starts a server on a free port with the given handler. */
export type FakeServer = {
  readonly url: string
  /** The received requests. */
  readonly requests: readonly IncomingMessage[]
  close(): Promise<void>
}

export async function fakeServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<FakeServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    handle(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close }
}

export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Advances faked timers, while I/O goes on, until a promise is settled. */
export async function overTime<T>(promise: Promise<T>): Promise<T> {
  let isOver = false
  const settled = promise.finally(() => {
    isOver = true
  })
  settled.catch(() => undefined)
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return settled
}
