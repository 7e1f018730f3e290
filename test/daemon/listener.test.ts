import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { createListener } from '../../src/daemon/listener.ts'
import { stopStopwatch } from '../stopwatch.ts'

test('connections that arrive together are all accepted after the first long request', async () => {
  const count = 20
  // Only pages take time: on a busy machine too, all others are accepted in the time that follows the first one.
  const watch = stopStopwatch()
  let accepted = 0
  const acceptedBefore: number[] = []
  const app = new Hono()
  app.get('/', (c) => {
    acceptedBefore.push(accepted)
    watch.now += 50
    return c.text('page')
  })
  const { server } = createListener(
    { app, serves: new WeakMap() },
    {
      hostname: '127.0.0.1',
      url: () => 'http://localhost',
      unread: (error) => expect(error).toBeUndefined(),
      keepsGlobals: true,
    },
  )
  server.on('connection', () => {
    accepted += 1
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const request = async () => {
    const socket = connect(port, '127.0.0.1').resume()
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await once(socket, 'close')
  }
  // Before the first request, hono is loaded.
  await request()
  await Promise.all(Array.from({ length: count }, request))
  expect(acceptedBefore.slice(2)).toEqual(Array.from({ length: count - 1 }, () => count + 1))
})
