import { expect, test } from 'vitest'
import type { Event, Resource } from '../../src/client/types.ts'
import { finderOf } from '../../src/ui/customers.ts'
import { eventLine } from '../../src/ui/event-line.ts'
import { eventRow } from '../../src/ui/event-row.ts'

const text = (event: Event): string =>
  eventLine(event)
    .map((span) => (typeof span === 'string' ? span : span.text))
    .join('')

const event = (
  type: string,
  object: Record<string, unknown>,
  previous_attributes?: Record<string, unknown>,
): Event => ({
  id: 'evt_1',
  object: 'event',
  type,
  created: 1_772_272_800,
  merchant_id: 'mer_1',
  data: { object: object as Resource, ...(previous_attributes && { previous_attributes }) },
})

const invoice = { object: 'invoice', id: 'in_1', total: 2000, currency: 'usd', number: 'ADA-0002' }
const subscription = {
  object: 'subscription',
  id: 'sub_1',
  status: 'past_due',
  cancellation_details: { reason: null },
}

test.each([
  [
    event('invoice.payment_failed', { ...invoice, attempt_count: 2, next_payment_attempt: 1_772_532_000 }),
    '2026-02-28T10:00:00Z  invoice.payment_failed         in_1  20.00 USD  attempt 2 of 5  next 2026-03-03T10:00:00Z',
  ],
  [
    event('invoice.payment_failed', { ...invoice, attempt_count: 5, next_payment_attempt: null }),
    '2026-02-28T10:00:00Z  invoice.payment_failed         in_1  20.00 USD  attempt 5 of 5  no more attempts',
  ],
  [
    event('invoice.payment_failed', {
      ...invoice,
      account_country: 'US',
      attempt_count: 2,
      next_payment_attempt: 1_772_532_000,
    }),
    '2026-02-28T10:00:00Z  invoice.payment_failed         in_1  20.00 USD  attempt 2  next 2026-03-03T10:00:00Z',
  ],
  [
    event('invoice.paid', { ...invoice, currency: 'jpy' }),
    '2026-02-28T10:00:00Z  invoice.paid                   in_1  2000 JPY  ADA-0002',
  ],
  [
    event('subscription.created', { ...subscription, status: 'active' }),
    '2026-02-28T10:00:00Z  subscription.created           sub_1  active',
  ],
  [
    event('subscription.updated', subscription, { status: 'active' }),
    '2026-02-28T10:00:00Z  subscription.updated           sub_1  active → past_due',
  ],
  [
    event(
      'subscription.updated',
      { ...subscription, current_period_start: 1_772_272_800, current_period_end: 1_774_951_200 },
      { current_period_end: 1_772_272_800 },
    ),
    '2026-02-28T10:00:00Z  subscription.updated           sub_1  period 2026-02-28T10:00:00Z – 2026-03-31T10:00:00Z',
  ],
  [
    event('subscription.updated', { ...subscription, cancel_at: 1_774_951_200 }, { cancel_at: null }),
    '2026-02-28T10:00:00Z  subscription.updated           sub_1  cancels 2026-03-31T10:00:00Z',
  ],
  [
    event('subscription.deleted', {
      ...subscription,
      status: 'canceled',
      cancellation_details: { reason: 'payment_failed' },
    }),
    '2026-02-28T10:00:00Z  subscription.deleted           sub_1  canceled  payment_failed',
  ],
  [
    event('charge.failed', {
      object: 'charge',
      id: 'ch_1',
      amount: 2000,
      currency: 'usd',
      status: 'failed',
      outcome: { reason: 'insufficient_funds' },
    }),
    '2026-02-28T10:00:00Z  charge.failed                  ch_1  20.00 USD  insufficient_funds',
  ],
  [
    event('payment_intent.payment_failed', {
      object: 'payment_intent',
      id: 'pi_1',
      amount: 2000,
      currency: 'usd',
      last_payment_error: { code: 'expired_card', decline_code: null },
    }),
    '2026-02-28T10:00:00Z  payment_intent.payment_failed  pi_1  20.00 USD  expired_card',
  ],
  [
    event('payment_method.attached', {
      object: 'payment_method',
      id: 'pm_1',
      type: 'card',
      card: { brand: 'visa', last4: '4242' },
      customer: 'cus_1',
    }),
    '2026-02-28T10:00:00Z  payment_method.attached        pm_1  visa …4242  cus_1',
  ],
  [
    event('customer.created', { object: 'customer', id: 'cus_1', email: null, name: 'Ada' }),
    '2026-02-28T10:00:00Z  customer.created               cus_1  Ada',
  ],
  [
    event('something.new', { object: 'something', id: 'x_1' }),
    '2026-02-28T10:00:00Z  something.new                  x_1',
  ],
])('an event is formatted in a line: $type', (given, line) => {
  expect(text(given)).toBe(line)
})

test.each([
  ['invoice.payment_failed', 'red'],
  ['invoice.paid', 'green'],
  ['invoice.created', 'blue'],
  ['subscription.updated', 'magenta'],
])('the type %s is coloured by its family and outcome', (type, colour) => {
  expect(eventLine(event(type, invoice))).toContainEqual({ text: type.padEnd(29), colour })
})

test('a row of a Checkout session shows the beginning of its id, what was paid, and its customer', () => {
  const id = `cs_test_000001UwwnlKaT${'x'.repeat(32)}`
  const session = {
    object: 'checkout.session',
    id,
    amount_total: 2000,
    currency: 'usd',
    payment_status: 'paid',
    customer: null,
    customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' },
  }
  const completed = event('checkout.session.completed', session)
  expect(text(completed)).toContain(`${id}  20.00 USD  paid`)
  const layout = { columns: 130, merchantName: null }
  const shown = (given: Event, customers = new Map()) =>
    eventRow(given, { ...layout, customerOf: finderOf(customers, []) })
      .map((span) => (typeof span === 'string' ? span : span.text))
      .join('')
  expect(shown(completed)).toBe(
    '2026-02-28T10:00:00Z  checkout.session.completed     cs_test_000001UwwnlKaT…  20.00 USD  paid  Ada Lovelace',
  )
  const known = event('checkout.session.completed', { ...session, customer: 'cus_1' })
  const customers = new Map([['cus_1', { name: 'Grace Hopper', email: null }]])
  expect(shown(known, customers)).toContain('Grace Hopper')
})
