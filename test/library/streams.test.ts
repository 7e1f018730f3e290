import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { LiveStreams } from '../../src/http/live-streams.ts'
import { open } from './twin.ts'

async function collectGarbage() {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // Node's registries of what was collected run in later turns.
  for (let turn = 0; turn < 3; turn += 1) {
    collect()
    await setImmediate()
  }
}

test('a stream ends with its signal, and another can be opened', async () => {
  const twin = await open()
  const headers = { accept: 'text/event-stream' }
  // One more than a merchant may have open at a time.
  for (let count = 0; count <= 1_000; count += 1) {
    const ended = new AbortController()
    const { status, body } = await twin.fetch('/v1/events', { headers, signal: ended.signal })
    expect(status).toBe(200)
    const reader = body?.getReader()
    await reader?.read()
    ended.abort()
    await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' })
  }
})

test.each(['init', 'request'])(
  'a stream ends with the signal of its %s, also after a garbage collection',
  async (place) => {
    const twin = await open()
    const ended = new AbortController()
    const init = { headers: { accept: 'text/event-stream' }, signal: ended.signal }
    const { body } = await (place === 'init'
      ? twin.fetch('/v1/events', init)
      : twin.fetch(new Request(`${twin.url}/v1/events`, init)))
    const reader = body?.getReader()
    await reader?.read()
    const next = expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' })
    await collectGarbage()
    ended.abort()
    await next
  },
)

test('the signals of streams that nobody keeps end them', async () => {
  const twin = await open()
  const headers = { accept: 'text/event-stream' }
  const controllers = Array.from({ length: 1_000 }, () => new AbortController())
  for (const { signal } of controllers)
    expect((await twin.fetch('/v1/events', { headers, signal })).status).toBe(200)
  await collectGarbage()
  expect((await twin.fetch('/v1/events', { headers })).status).toBe(429)
  for (const controller of controllers) controller.abort()
  const last = new AbortController()
  expect((await twin.fetch('/v1/events', { headers, signal: last.signal })).status).toBe(200)
  last.abort()
})

test('streams that are aborted before they are read, or before they are answered, leave their places', async () => {
  const twin = await open()
  const headers = { accept: 'text/event-stream' }
  // More than a merchant may have open at a time.
  for (let count = 0; count < 600; count += 1) {
    const [unread, unanswered] = [new AbortController(), new AbortController()]
    expect((await twin.fetch('/v1/events', { headers, signal: unread.signal })).status).toBe(200)
    unread.abort()
    const waiting = twin.fetch('/v1/events', { headers, signal: unanswered.signal })
    unanswered.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  }
  const ended = new AbortController()
  expect((await twin.fetch('/v1/events', { headers, signal: ended.signal })).status).toBe(200)
  ended.abort()
})

test('the signal of a stream whose events cannot be read does nothing any more', async () => {
  const twin = await open()
  const unreadable = new ReadableStream({ pull: (events) => events.error(new Error('damaged')) })
  const headers = { 'content-type': 'text/event-stream' }
  vi.spyOn(LiveStreams.prototype, 'open').mockReturnValueOnce(new Response(unreadable, { headers }))
  const ended = new AbortController()
  const accept = { accept: 'text/event-stream' }
  const { body } = await twin.fetch('/v1/events', { headers: accept, signal: ended.signal })
  const reader = body?.getReader()
  await expect(reader?.read()).rejects.toThrow('damaged')
  ended.abort()
  // An unhandled rejection would end the process in a later turn.
  await setImmediate()
  await expect(reader?.read()).rejects.toThrow('damaged')
  vi.restoreAllMocks()
})

test.each<[string, () => ReadableStream, string]>([
  ['fails', () => new ReadableStream({ pull: (body) => body.error(new Error('torn')) }), 'torn'],
  ['has text', () => new ReadableStream({ pull: (body) => body.enqueue('{}') }), 'bytes'],
  [
    'has no end',
    () => new ReadableStream({ pull: (body) => body.enqueue(new Uint8Array(65_536).fill(32)) }),
    'larger than 1048576 bytes',
  ],
])('a request with a stream as its body that %s is refused', async (_, body, message) => {
  const twin = await open()
  const headers = { 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: body(), duplex: 'half' as const }
  const response = await twin.fetch('/v1/customers', sent)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(message) } })
})
