import { once } from 'node:events'
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Connections, Exchange } from '../../src/daemon/connections.ts'
import { LateRequests } from '../../src/daemon/late-requests.ts'
import type { PipelinedRequests } from '../../src/daemon/pipelined-requests.ts'

const LIMITS = { headersMs: 10_000, requestMs: 60_000 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => vi.useRealTimers())

/** Reports a request as late that comes after a completed one, and after pipelined ones that have just been read. */
function reported() {
  const exchange = (before: Exchange | undefined, complete: boolean) =>
    ({ request: { complete }, response: {}, before: before?.response }) as Exchange
  const first = exchange(undefined, true)
  let newest = first
  const end = vi.fn()
  const socket = new Socket()
  const connections = { lastOver: () => newest } as unknown as Connections
  const pipelined = { holdsBack: () => true, whenEmptied: (_: Socket, then: () => void) => then() }
  new LateRequests(connections, pipelined as unknown as PipelinedRequests, LIMITS).check(socket, end)
  const begin = (complete: boolean) => {
    newest = exchange(newest, complete)
  }
  return { socket, end, begin }
}

test.each([
  ['does not begin', [], 1],
  ['does not end', [false], 1],
  ['ends', [true], 0],
  ['ends, and the next one has begun', [true, false], 0],
])('a late request that %s', (_, begun, refused) => {
  const { end, begin } = reported()
  for (const complete of begun) begin(complete)
  vi.advanceTimersByTime(LIMITS.requestMs)
  expect(end).toHaveBeenCalledTimes(refused)
})

test('nothing keeps a late request in memory once its connection has closed', async () => {
  const { socket, end } = reported()
  expect(vi.getTimerCount()).toBe(1)
  socket.destroy()
  await once(socket, 'close')
  expect(vi.getTimerCount()).toBe(0)
  expect(end).not.toHaveBeenCalled()
})
