import { expect, test } from 'vitest'
import { EVENT_TYPES } from '../../src/core/event.ts'
import { nearest } from '../../src/core/nearest.ts'
import { table } from '../table.ts'

test.each(
  table(
    ['text', 'first'],
    `
    invoice.payed                  invoice.paid
    invoicepaid                    invoice.paid
    invoice.payment_faild          invoice.payment_failed
    customer.subscription.created  subscription.created
    customer.subscription.deleted  subscription.deleted
    payment_intent.suceeded        payment_intent.succeeded
    refunds.failed                 refund.failed
    `,
  ),
)('$text is nearest to $first', ({ text, first }) => {
  expect(nearest(text, EVENT_TYPES)[0]).toBe(first)
})

test('what another service calls a paid invoice is near to what pays one here', () => {
  expect(nearest('invoice.payment_succeeded', EVENT_TYPES)).toEqual(
    expect.arrayContaining(['invoice.payment_failed', 'payment_intent.succeeded']),
  )
})

test('there are as many as asked for, and none where none is near', () => {
  expect(nearest('customer.creatd', EVENT_TYPES, 2)).toHaveLength(2)
  for (const text of ['', 'x', 'zebra', '@'.repeat(1_000)]) expect(nearest(text, EVENT_TYPES)).toEqual([])
})
