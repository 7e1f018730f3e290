import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BilledPeriod } from '../../src/core/billed-lines.ts'
import type { Store } from '../../src/store/store.ts'
import { startTwin, type Twin } from '../twin.ts'

let twin: Twin
let store: Store
beforeEach(async () => {
  twin = await startTwin()
  store = twin.sandbox.engine.store
})
afterEach(() => twin.close())

const SUBSCRIPTION = 'sub_1'

const periodWith = (amount: number): BilledPeriod => ({
  ...{ cycle: 1, beginning: 2, through: 3, sums: [] },
  corrections: [{ subscription_item: 'si_1', start: 4, end: 5, amount, count: 1 }],
})

const set = (amount: number) => store.billedPeriods.set(1, SUBSCRIPTION, periodWith(amount))

test('the sums that were written or read last are not parsed again', () => {
  set(100)
  const first = store.billedPeriods.get(SUBSCRIPTION)
  expect(first).toEqual(periodWith(100))
  expect(store.billedPeriods.get(SUBSCRIPTION)?.corrections).toBe(first?.corrections)
  store.billedPeriods.set(1, 'sub_2', periodWith(200))
  const again = store.billedPeriods.get(SUBSCRIPTION)
  expect(again).toEqual(periodWith(100))
  expect(store.billedPeriods.get(SUBSCRIPTION)?.corrections).toBe(again?.corrections)
})

test('sums that were rolled back are not read', () => {
  set(100)
  const refused = () =>
    store.savepoint(() => {
      set(200)
      throw new Error('refused')
    })
  expect(refused).toThrow('refused')
  expect(store.billedPeriods.get(SUBSCRIPTION)).toEqual(periodWith(100))
})
