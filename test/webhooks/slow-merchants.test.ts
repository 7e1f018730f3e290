import { beforeEach, expect, test } from 'vitest'
import { SlowMerchants } from '../../src/webhooks/slow-merchants.ts'
import { type StoppedWatch, stopStopwatch } from '../stopwatch.ts'

let watch: StoppedWatch
beforeEach(() => {
  watch = stopStopwatch()
})

/** Returns for how many seconds a merchant is slow. */
function slowFor(slow: SlowMerchants, merchant = 'A'): number {
  const start = watch.now
  while (slow.has(merchant)) watch.now += 1_000
  return (watch.now - start) / 1_000
}

test('a merchant is slow for 30 seconds, then twice as long each time, up to an hour', () => {
  const slow = new SlowMerchants()
  const times: number[] = []
  for (let count = 0; count < 9; count += 1) {
    slow.add('A')
    times.push(slowFor(slow))
  }
  expect(times).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
})

test('a merchant that was not slow for as long begins anew', () => {
  const slow = new SlowMerchants()
  for (let count = 0; count < 2; count += 1) {
    slow.add('A')
    slowFor(slow)
  }
  watch.now += 60_000
  slow.add('A')
  expect(slowFor(slow)).toBe(30)
})

test('a merchant that is slow stays so for as long again, not for twice as long', () => {
  const slow = new SlowMerchants()
  for (let seconds = 0; seconds < 100; seconds += 10) {
    slow.add('A')
    watch.now += 10_000
  }
  expect(slowFor(slow)).toBe(20)
})

test('a thousand merchants are remembered, and the one that was slow first is forgotten', () => {
  const slow = new SlowMerchants()
  for (let count = 0; count < 1_000; count += 1) slow.add(`${count}`)
  slow.add('0')
  slow.add('new')
  expect(['0', '1', '2', 'new'].map((merchant) => slow.has(merchant))).toEqual([true, false, true, true])
})
