import { expect, test } from 'vitest'
import { type BilledPeriod, type BilledSum, withChanges } from '../../src/core/billed-lines.ts'
import type { InvoiceItem } from '../../src/core/invoice-item.ts'

test('items that are billed together are removed from the sums of a period in one pass', () => {
  let reads = 0
  const sumAt = (start: number): BilledSum => ({
    ...{ subscription_item: 'si_1', end: 5_000, amount: start, count: 1 },
    get start() {
      reads += 1
      return start
    },
  })
  const corrections = Array.from({ length: 1_000 }, (_, start) => sumAt(start))
  const billed: BilledPeriod = { cycle: 1, beginning: 0, through: 0, sums: [], corrections }
  const removed = corrections.slice(0, 250).map((_, start) => itemAt(start))
  const after = withChanges(billed, { invoices: [], added: [itemAt(500)], removed })
  expect(reads).toBeLessThan(2 * corrections.length)
  expect(after?.corrections).toHaveLength(750)
  expect(after?.corrections[250]).toEqual({
    ...{ subscription_item: 'si_1', start: 500, end: 5_000, amount: 1_000, count: 2 },
  })
})

const itemAt = (start: number): InvoiceItem => ({
  ...{ id: `ii_${start}`, created: 1, customer: 'cus_1', currency: 'usd', amount: start, unit_amount: null },
  ...{ quantity: 1, price: null, description: null, invoice: null, subscription: null, billed_with: 'sub_1' },
  proration: { subscription_item: 'si_1', start, end: 5_000, cycle: 1 },
  ...{ discountable: false, discounts: [], metadata: {}, test_clock: null, deleted: false },
})
