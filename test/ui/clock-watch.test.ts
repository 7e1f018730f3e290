import { expect, test } from 'vitest'
import type { Clock, List } from '../../src/client/types.ts'
import { watchClocks } from '../../src/ui/clock-watch.ts'
import { NOW, sampleClock } from './samples.ts'

/** A daemon whose responses are given one by one. */
function fakeClocks() {
  const waiting: ((response: List<Clock>) => void)[] = []
  const clocks = () => new Promise<List<Clock>>((resolve) => waiting.push(resolve))
  const response = async (...data: Clock[]) => {
    waiting.shift()?.({ object: 'list', data, has_more: false, url: '', livemode: false })
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { client: { clocks }, response, asked: () => waiting.length }
}

test('a reading that began before a change is discarded, and the clocks are read again', async () => {
  const { client, response, asked } = fakeClocks()
  const ended = new AbortController()
  const seen: number[] = []
  const clocks = watchClocks(client, undefined, {
    signal: ended.signal,
    onClocks: ([clock]) => seen.push(clock?.now ?? 0),
    failed: (error) => expect(error).toBeUndefined(),
    timing: { now: () => 0, later: () => () => undefined },
  })
  clocks.poll()
  await response(sampleClock({ now: NOW }))
  expect({ seen, asked: asked() }).toEqual({ seen: [], asked: 1 })
  await response(sampleClock({ now: NOW + 5 }))
  expect({ seen, asked: asked() }).toEqual({ seen: [NOW + 5], asked: 0 })
  ended.abort()
})

test('an internal error is reported', async () => {
  const failures: unknown[] = []
  const ended = new AbortController()
  const broken = new TypeError('clocks is broken')
  watchClocks({ clocks: () => Promise.reject(broken) }, undefined, {
    signal: ended.signal,
    onClocks: () => undefined,
    failed: (error) => failures.push(error),
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(failures).toEqual([broken])
  ended.abort()
})
