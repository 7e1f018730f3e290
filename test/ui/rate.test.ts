import { expect, test } from 'vitest'
import { counted, perSecond } from '../../src/ui/rate.ts'

test('a rate is the average of the last two seconds', () => {
  let rate = counted([], 0, 100)
  rate = counted(rate, 1_000, 300)
  expect(perSecond(rate, 1_000)).toBe(200)
  expect(perSecond(rate, 2_500)).toBe(150)
  expect(perSecond(rate, 9_000)).toBe(0)
})

test('old arrivals are dropped', () => {
  let rate = counted([], 0, 1)
  for (let at = 1; at <= 10_000; at += 100) rate = counted(rate, at, 1)
  expect(rate.length).toBeLessThanOrEqual(21)
})
