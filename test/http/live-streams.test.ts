import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { MAX_PAGE_LENGTH } from '../../src/core/json-text.ts'
import { tokenKey } from '../../src/engine/access/oauth-token.ts'
import { stopwatch } from '../../src/engine/machine/clock.ts'
import { Steps } from '../../src/engine/machine/steps.ts'
import type { Feed } from '../../src/http/feed.ts'
import { LiveStreams, MOST_APP_STREAMS, MOST_STREAMS } from '../../src/http/live-streams.ts'
import type { StoredToken } from '../../src/store/oauth.ts'
import { stopStopwatch } from '../stopwatch.ts'

let streams: LiveStreams
/** The places of the newest items of two merchants. */
let newest: Record<number, number>
let lookups: number
let reads: string[]
beforeEach(() => {
  newest = { 1: 0, 2: 0 }
  lookups = 0
  reads = []
  streams = new LiveStreams((error) => {
    throw error
  })
})
afterEach(() => streams.close())

/** A feed of a merchant whose items are their places. */
const feedOf = (merchant: number, selection: string, reading = () => {}): Feed => ({
  source: () => merchant,
  selection,
  newest: () => {
    lookups += 1
    return newest[merchant] ?? 0
  },
  after: function* (place, limit) {
    reads.push(selection)
    reading()
    const last = Math.min(newest[merchant] ?? 0, place + limit)
    for (let at = place + 1; at <= last; at += 1)
      yield { place: at, event: 'item', id: `${at}`, data: () => ({ at }) }
  },
})

/** Opens a stream and reads it all the time. @returns the ids of the items that it has sent */
function follow(feed: Feed, key: string | null = null, place = 0): string[] {
  const sent: string[] = []
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of streams.open(feed, { place, key }).body ?? [])
      sent.push(...[...decoder.decode(chunk).matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id))
  }
  void read()
  return sent
}

const turns = async (count: number) => {
  for (let n = 0; n < count; n += 1) await turn()
}

test('a commit of a merchant reads nothing for the streams of others', async () => {
  for (let n = 0; n < 100; n += 1) follow(feedOf(1, `${n}`))
  const sent = follow(feedOf(2, 'of the other'))
  await turns(3)
  lookups = 0
  newest[2] = 1
  streams.wake()
  await turn()
  expect(sent).toEqual(['1'])
  expect(reads).toEqual(['of the other'])
  expect(lookups).toBeLessThanOrEqual(2)
})

const APP_TOKEN = tokenKey({ app: 'app_1', authorization: 1, seq: 1 } as StoredToken)

/** Opens streams that are always behind: a turn has time for one of their chunks. */
function followBehind(count: number, key: string | null): void {
  const takeLong = () => {
    for (const end = stopwatch() + 11; stopwatch() < end; );
  }
  newest[1] = 1_000_000
  for (let n = 0; n < count; n += 1) follow(feedOf(1, `behind ${n}`, takeLong), key)
}

/** Returns the number of chunks that are read until a condition holds, of at most 20. */
async function readsUntil(holds: () => boolean): Promise<number> {
  const before = reads.length
  while (!holds() && reads.length - before < 20) await turn()
  return reads.length - before
}

test.each([
  { reader: 'another merchant', merchant: 2, key: 'key_2', others: 'a merchant', behind: 'key_1' },
  { reader: 'an app', merchant: 1, key: APP_TOKEN, others: 'its merchant', behind: 'key_1' },
  { reader: 'a merchant', merchant: 1, key: 'key_1', others: 'its apps', behind: APP_TOKEN },
  { reader: 'the operator', merchant: 1, key: null, others: 'a merchant', behind: 'key_1' },
  { reader: 'a merchant', merchant: 1, key: 'key_1', others: 'the operator', behind: null },
])(
  'an event for $reader is not delayed by the streams of $others that are behind',
  async ({ merchant, key, behind }) => {
    followBehind(behind === APP_TOKEN ? MOST_APP_STREAMS : MOST_STREAMS, behind)
    await turns(3)
    const place = newest[merchant] ?? 0
    const sent = follow(feedOf(merchant, 'of the other'), key, place)
    await turns(3)
    newest[merchant] = place + 1
    streams.wake()
    expect(await readsUntil(() => sent.length > 0)).toBeLessThanOrEqual(3)
  },
)

test('heartbeats and ends of streams do not wait for chunks', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  followBehind(100, 'key_1')
  let hasEnded = false
  const idle = { ...feedOf(1, 'idle'), hasEnded: () => hasEnded }
  let received = ''
  let isClosed = false
  const read = async () => {
    for await (const chunk of streams.open(idle, { place: newest[1] ?? 0, key: 'key_1' }).body ?? [])
      received += new TextDecoder().decode(chunk)
    isClosed = true
  }
  void read()
  await turns(3)
  vi.advanceTimersByTime(15_000)
  expect(await readsUntil(() => received.includes(': heartbeat'))).toBeLessThanOrEqual(2)
  hasEnded = true
  streams.wake()
  expect(await readsUntil(() => isClosed)).toBeLessThanOrEqual(2)
})

test('a merchant has a limited number of streams; one that ends makes room', async () => {
  const open = (merchant: number, key: string | null) => streams.open(feedOf(merchant, ''), { place: 0, key })
  const opened = Array.from({ length: MOST_STREAMS }, () => open(1, 'key_1'))
  expect(() => open(1, 'key_2')).toThrow(expect.objectContaining({ status: 429, code: 'rate_limit' }))
  expect(open(1, null).status).toBe(200)
  expect(open(2, 'key_3').status).toBe(200)
  await opened[0]?.body?.cancel()
  expect(open(1, 'key_2').status).toBe(200)
})

test('the streams of all apps of a merchant have a limit of their own', async () => {
  const open = (key: string) => streams.open(feedOf(1, ''), { place: 0, key })
  const token = (app: string, seq: number) => tokenKey({ app, authorization: 1, seq } as StoredToken)
  const opened = Array.from({ length: MOST_APP_STREAMS }, (_, at) => open(token(`app_${at % 2}`, at)))
  expect(() => open(token('app_3', 1_000))).toThrow(expect.objectContaining({ code: 'rate_limit' }))
  for (let count = 0; count < MOST_STREAMS; count += 1) open('key_1')
  expect(() => open('key_1')).toThrow(expect.objectContaining({ code: 'rate_limit' }))
  await opened[0]?.body?.cancel()
  expect(open(token('app_3', 1_000)).status).toBe(200)
})

test('a chunk ends when as much was read for it as a page may have, and others are served before the next', async () => {
  const order: string[] = []
  const large = (selection: string): Feed => ({
    ...feedOf(1, selection),
    after: function* (place) {
      for (let at = place + 1; at <= 3; at += 1) {
        const data = () => ({ at: order.push(`${selection} ${at}`) })
        yield { place: at, event: 'item', id: `${at}`, data, readLength: () => MAX_PAGE_LENGTH + 1 }
      }
    },
  })
  newest[1] = 3
  const sent = [follow(large('a')), follow(large('b'))]
  await turns(8)
  expect(sent).toEqual([
    ['1', '2', '3'],
    ['1', '2', '3'],
  ])
  expect(order).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'a 3', 'b 3'])
})

test('streams that take long are served in several turns, the others afterwards', async () => {
  const takeLong = () => {
    for (const end = stopwatch() + 11; stopwatch() < end; );
  }
  const followed = Array.from({ length: 5 }, (_, n) => follow(feedOf(1, `${n}`, takeLong)))
  await turns(3)
  newest[1] = 1
  streams.wake()
  const served: number[] = []
  for (let n = 0; n < 5; n += 1) {
    await turn()
    served.push(followed.filter((sent) => sent.length > 0).length)
  }
  expect(served).toEqual([1, 2, 3, 4, 5])
})

test('items that are committed between the turns come in order, each once', async () => {
  const takeLong = () => {
    for (const end = stopwatch() + 4; stopwatch() < end; );
  }
  const followed = Array.from({ length: 6 }, (_, n) => follow(feedOf(1, `${n}`, takeLong)))
  await turns(3)
  for (let at = 1; at <= 8; at += 1) {
    newest[1] = at
    streams.wake()
    await turn()
  }
  await turns(40)
  for (const sent of followed) expect(sent).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
})

test('after a long turn its merchant pauses, and then its stream goes on although nothing else happens', async () => {
  const watch = stopStopwatch()
  const steps = new Steps(30)
  streams = new LiveStreams((error) => {
    throw error
  }, steps)
  const merchant = {}
  const feed = feedOf(1, 'of the merchant', () => {
    watch.now += 100
  })
  const sent = follow({ ...feed, merchant: () => merchant }, 'key')
  newest[1] = 1
  streams.wake()
  while (sent.length === 0) await turn()
  newest[1] = 2
  streams.wake()
  steps.end(steps.begin([{}], () => undefined))
  await turns(20)
  expect(sent).toEqual(['1'])
  watch.now += 10
  await vi.waitFor(() => expect(sent).toEqual(['1', '2']))
})
