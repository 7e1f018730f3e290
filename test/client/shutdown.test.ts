import { afterEach, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { recordedIo } from '../cli/terminal.ts'
import { type FakeServer, fakeServer, json, overTime } from './server.ts'

const shutdown = { object: 'shutdown', url: 'http://127.0.0.1:1', pid: 7, data: null, livemode: false }

let server: FakeServer
afterEach(() => server.close())

test('a process has exited when its shutdown connection is closed', async () => {
  let end = () => {}
  server = await fakeServer(({ socket }, response) => {
    json(response, 200, shutdown)
    end = () => socket.destroy()
  })
  const { shutdown: received, exitsWithin: endsWithin } = await new Client({
    url: server.url,
    token: null,
  }).shutDown()
  expect(received).toEqual(shutdown)
  const ends = endsWithin(60_000)
  end()
  expect(await ends).toBe(true)
})

test('a process has not exited while its shutdown connection is open', async () => {
  server = await fakeServer((_request, response) => json(response, 200, shutdown))
  const { exitsWithin: endsWithin } = await new Client({ url: server.url, token: null }).shutDown()
  expect(await endsWithin(50)).toBe(false)
})

test('paytwin stop exits with 1 if the process does not exit', async () => {
  server = await fakeServer((_request, response) => json(response, 200, shutdown))
  const { io, written } = recordedIo()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const stopping = run(['stop', '--url', server.url], io)
    expect(await overTime(stopping)).toBe(1)
  } finally {
    vi.useRealTimers()
  }
  expect(written.stdout).toBe('')
  expect(written.stderr).toMatch(
    /^error: The daemon at http:\/\/127.0.0.1:1 \(pid 7, data in memory\) has closed its database and its port, but its process has not ended within 10 s\./,
  )
})
