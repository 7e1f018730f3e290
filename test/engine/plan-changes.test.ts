import { expect, test } from 'vitest'
import type { InvoiceItem } from '../../src/core/invoice-item.ts'
import type { SubscriptionItem } from '../../src/core/subscription.ts'
import type { TimelineStep } from '../../src/engine/history/past-steps.ts'
import {
  MAX_PRORATIONS,
  type Proration,
  prorationsOf,
  type ReadProrations,
} from '../../src/engine/history/plan-changes.ts'
import { aSubscription } from '../core/objects.ts'

const [ITEM] = aSubscription().items as [SubscriptionItem]
const withQuantity = (quantity: number): SubscriptionItem[] => [{ ...ITEM, quantity }]

/** A change of the quantity, from one quantity to the next one. All changes happen in one second. */
const aChange = (from: number): TimelineStep => ({
  id: `evt_${from}`,
  type: 'subscription.updated',
  kind: 'subscription',
  created: 1_000,
  request: null,
  replaced: { items: withQuantity(from) },
  after: aSubscription({ items: withQuantity(from + 1) }),
  decline: null,
})

function aProration(number: number, quantity: number, amount: number): InvoiceItem {
  const { id: subscription, customer } = aSubscription()
  return {
    id: `ii_${String(number).padStart(6, '0')}`,
    ...{ created: 1_000, customer, currency: 'usd', amount, unit_amount: null, quantity, price: ITEM.price },
    ...{ description: null, invoice: null, subscription, billed_with: null },
    proration: { subscription_item: ITEM.id, cycle: 0, start: 0, end: 1 },
    ...{ discountable: false, discounts: [], metadata: {}, test_clock: null, deleted: false },
  }
}

/** The credit and the charge of each change. */
const prorationsOfChanges = (count: number): InvoiceItem[] =>
  Array.from({ length: count }, (_, from) => [
    aProration(2 * from, from, -100),
    aProration(2 * from + 1, from + 1, 100),
  ]).flat()

const reading =
  (items: readonly InvoiceItem[]): ReadProrations =>
  ({ limit }) =>
    items.slice(-limit)

const changes = (count: number) => Array.from({ length: count }, (_, from) => aChange(from))
const idsOf = (items: readonly Proration[] = []) => items.map(({ id }) => id)

test('each of many changes in one second has its own prorations', () => {
  const items = prorationsOfChanges(50)
  const found = prorationsOf(reading(items), changes(50))
  expect([...found.keys()].sort()).toEqual(
    changes(50)
      .map(({ id }) => id)
      .sort(),
  )
  for (const [from, { id }] of changes(50).entries())
    expect(idsOf(found.get(id))).toEqual(idsOf(items.slice(2 * from, 2 * from + 2)))
})

test('of equal changes in one second, the newest has the newest prorations', () => {
  const again = prorationsOfChanges(1).map((item, index) => ({ ...item, id: `ii_9${index}` }))
  const [change] = changes(1) as [TimelineStep]
  const found = prorationsOf(reading([...prorationsOfChanges(1), ...again]), [
    change,
    { ...change, id: 'evt_again' },
  ])
  expect(idsOf(found.get('evt_again'))).toEqual(idsOf(again))
  expect(idsOf(found.get(change.id))).toEqual(idsOf(prorationsOfChanges(1)))
})

test('the number of times that items are compared does not grow with the changes', () => {
  let reads = 0
  const counted = prorationsOfChanges(1_000).map((item) => ({
    ...item,
    get created() {
      reads += 1
      return item.created
    },
  }))
  expect(prorationsOf(reading(counted), changes(1_000)).size).toBe(1_000)
  expect(reads).toBeLessThan(2 * counted.length)
})

test('the oldest changes have none if there are more items than are read, rather than some of theirs', () => {
  const count = MAX_PRORATIONS / 2 + 3
  const items = [...prorationsOfChanges(count), aProration(2 * count, 0, 0)]
  const found = prorationsOf(reading(items), changes(count))
  // The limit separates the credit of the fourth change from its charge.
  expect(changes(count).findIndex(({ id }) => found.has(id))).toBe(4)
  expect(found.size).toBe(count - 4)
  expect([...found.values()].every(({ length }) => length === 2)).toBe(true)
})
