import { expect, onTestFinished, test, vi } from 'vitest'
import { heapLimit, memoryWithin } from '../../src/daemon/heap.ts'
import { limitsWithin, SOCKET_LIMITS } from '../../src/daemon/listener.ts'
import { HELD_BYTES, HeldBodies, LEAST_HELD_BYTES, LimitedOwner } from '../../src/http/held-bodies.ts'
import { asOperator } from '../http/support.ts'
import { startTwin } from '../twin.ts'

const MIB = 2 ** 20

test.each([
  [4_144, 256],
  [2_048, 256],
  [1_024, 128],
  [512, 64],
  [256, 32],
  [128, 24],
])('in a heap of %i MiB, a limit of 256 MiB is %i MiB', (heap, expected) => {
  expect(memoryWithin(heap * MIB, { most: 256 * MIB, least: 24 * MIB })).toBe(expected * MIB)
})

test('the heap of the process is known', () => {
  expect(heapLimit()).toBeGreaterThan(128 * MIB)
})

test.each([
  [4_144, 256, 128],
  [1_024, 128, 64],
  [512, 97, 32],
  [256, 97, 16],
])('in a heap of %i MiB, %i MiB can be unread, and %i MiB pipelined', (heap, unread, pipelined) => {
  expect(limitsWithin(Number.POSITIVE_INFINITY, heap * MIB)).toEqual({
    ...SOCKET_LIMITS,
    unreadBytes: unread * MIB,
    pipelinedBytes: pipelined * MIB,
  })
})

test.each([
  [2_048, 64, 16],
  [512, 16, 4],
  [64, 8, 2],
])('in a heap of %i MiB, owners hold bodies of %i MiB and %i MiB', (heap, owner, limited) => {
  const bodies = new HeldBodies(memoryWithin(heap * MIB, { most: HELD_BYTES, least: LEAST_HELD_BYTES }))
  for (const [who, most] of [
    [{}, owner],
    [new LimitedOwner(1 / 4), limited],
  ] as const) {
    bodies.add(who, most * MIB)
    expect(() => bodies.add(who, 1)).toThrow('Too many requests')
  }
})

test('the inboxes and the webhooks of a sandbox shrink with the heap', async () => {
  let sent = 0
  const twin = await startTwin({
    heapBytes: 16 * MIB,
    send: () => {
      sent += 1
      return new Promise(() => undefined)
    },
  })
  onTestFinished(twin.close)
  const path = `/inbox/${twin.sandbox.merchant.settings.id}`
  for (let webhook = 0; webhook < 20; webhook += 1)
    await twin.sandbox.app.request(path, {
      method: 'POST',
      headers: { Host: 'localhost', 'Content-Type': 'text/plain' },
      body: 'x'.repeat(65_536),
    })
  const { data } = (await asOperator(twin)('GET', 'webhooks/received?limit=100')).body
  expect(data).toHaveLength(15)
  // Each endpoint is sent the first event after it was created.
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [at + 100, '\u0001'.repeat(500)]))
  for (let endpoint = 0; endpoint < 10; endpoint += 1) {
    await twin.post('/v1/webhook_endpoints', { url: 'http://localhost:9/', enabled_events: ['*'] })
    await twin.post('/v1/customers', { metadata })
  }
  await vi.waitFor(() => expect(sent).toBe(6))
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toBe(6)
})
