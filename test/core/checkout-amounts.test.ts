import { expect, test } from 'vitest'
import { discountOf, pendingAmountOf, subtotalOf } from '../../src/core/checkout-amounts.ts'
import type { CheckoutLine } from '../../src/core/checkout-session.ts'

const line = (amount_subtotal: number, amount_discount: number): CheckoutLine => ({
  ...{ id: 'li_1', price: 'price_1', quantity: 1, adjustable: null, metadata: {} },
  amount_subtotal,
  amount_discount,
})
const LINES = [line(2_000, 500), line(2_000, 500)]

test.each([
  ['the lines alone', LINES, 3_000, { subtotal: 4_000, discount: 1_000, pending: 0 }],
  ['pending items', LINES, 3_700, { subtotal: 4_700, discount: 1_000, pending: 700 }],
  ['pending credits', LINES, -1_000, { subtotal: 0, discount: 1_000, pending: -4_000 }],
  ['nothing that is sold', [], null, { subtotal: 0, discount: 0, pending: 0 }],
] as const)('%s: the amounts of a session add up', (_what, lines, amount_total, expected) => {
  const session = { lines, amount_total }
  expect({
    subtotal: subtotalOf(session),
    discount: discountOf(session),
    pending: pendingAmountOf(session),
  }).toEqual(expected)
})
