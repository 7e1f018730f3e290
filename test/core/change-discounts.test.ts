import { expect, test } from 'vitest'
import { withAmountsOff } from '../../src/core/billing/change-discounts.ts'
import type { Discount } from '../../src/core/discount.ts'
import type { InvoiceLine } from '../../src/core/invoice-line.ts'
import type { Subscription } from '../../src/core/subscription.ts'

const START = 1_000_000

const discount = (terms: Partial<Discount['terms']>, subscription_item: string | null = null) =>
  ({ subscription_item, terms: { amount_off: 100, duration: 'forever', ...terms } }) as Discount
const discounts = new Map([
  ['amount', discount({})],
  ['percentage', discount({ amount_off: null, percent_off: 10 })],
  ['once', discount({ duration: 'once' })],
  ['own', discount({}, 'si_1')],
])

const line = (given: Partial<InvoiceLine>) => ({ subscription_item: 'si_1', ...given }) as InvoiceLine
const off = (...ids: string[]) => ids.map((id) => ({ discount: id, amount: 7 }))
const proration = (cycle: number, rest = {}) => ({
  ...{ subscription_item: 'si_1', start: cycle, end: cycle + 10, cycle, ...rest },
})

const recorded = (lines: InvoiceLine[], before: Subscription['amounts_off'] = null) =>
  withAmountsOff({ current_period_start: START, amounts_off: before } as Subscription, { lines }, discounts)
    .amounts_off

test('an amount off that items share and that lasts is recorded for each item', () => {
  const lines = [
    line({ discount_amounts: off('percentage', 'amount', 'once', 'own') }),
    line({ subscription_item: 'si_2', discount_amounts: off('amount') }),
    line({ subscription_item: 'si_3', discount_amounts: off('percentage') }),
  ]
  expect(recorded(lines)).toEqual({ si_1: off('amount'), si_2: off('amount') })
})

test('the line of a period that an anchor shortens counts', () => {
  expect(recorded([line({ proration: proration(START), discount_amounts: off('amount') })])).toEqual({
    si_1: off('amount'),
  })
})

test.each([
  ['of an earlier period', line({ proration: proration(START - 10), discount_amounts: off('amount') })],
  ['of usage', line({ proration: proration(START, { is_usage: true }), discount_amounts: off('amount') })],
  ['without an item', line({ subscription_item: null, discount_amounts: off('amount') })],
])('a line %s does not count, and what was recorded before ends', (_, given) => {
  expect(recorded([given, line({})], { si_1: off('amount') })).toBeNull()
})
