import { describe, expect, test } from 'vitest'
import { type Charge, newCharge } from '../../src/core/charge.ts'
import { checkInvariants } from '../../src/core/invariants.ts'
import type { Invoice } from '../../src/core/invoice.ts'
import type { PaymentIntent } from '../../src/core/payment-intent.ts'
import type { Subscription } from '../../src/core/subscription.ts'
import { anIntent, anOpenInvoice, aSubscription, DAY, NOW } from './objects.ts'

const aCharge = (given: Partial<Charge> = {}): Charge => ({
  ...newCharge(
    anIntent(),
    { approved: true },
    { id: 'ch_1', created: NOW, payment_method: null, metadata: {} },
  ),
  ...given,
})

test('objects that keep the invariants are accepted', () => {
  expect(() => {
    checkInvariants('subscription', aSubscription())
    checkInvariants('invoice', anOpenInvoice())
    checkInvariants('payment_intent', anIntent())
    checkInvariants('charge', aCharge({ amount_refunded: aCharge().amount }))
  }).not.toThrow()
})

describe('a subscription is refused', () => {
  const { current_period_start: start } = aSubscription()
  test.each<[string, Partial<Subscription>]>([
    ['without items', { items: [] }],
    ['with an empty period', { current_period_end: start }],
    ['with a period that ends before it starts', { status: 'canceled', current_period_end: start - 1 }],
  ])('%s', (_, wrong) => {
    expect(() => checkInvariants('subscription', aSubscription(wrong))).toThrow('Assertion failed')
  })

  test('but its period can be empty once it is canceled', () => {
    const ended = aSubscription({ status: 'canceled', current_period_end: start })
    expect(() => checkInvariants('subscription', ended)).not.toThrow()
  })
})

describe('an invoice is refused', () => {
  const { total } = anOpenInvoice()
  test.each<[string, Partial<Invoice>]>([
    ['with another total than its lines', { total: total + 1 }],
    ['with more paid than its total', { amount_paid: total + 1 }],
    ['with less than nothing paid', { amount_paid: -1 }],
    ['paid in part', { status: 'paid', amount_paid: total - 1 }],
    ['finalized without a number', { number: null }],
    ['with a period that ends before it starts', { period_start: NOW, period_end: NOW - DAY }],
  ])('%s', (_, wrong) => {
    expect(() => checkInvariants('invoice', anOpenInvoice(wrong))).toThrow('Assertion failed')
  })
})

describe('a payment intent is refused', () => {
  test.each<[string, Partial<PaymentIntent>]>([
    ['without an amount', { amount: 0 }],
    ['with more received than its amount', { amount_received: anIntent().amount + 1 }],
  ])('%s', (_, wrong) => {
    expect(() => checkInvariants('payment_intent', anIntent(wrong))).toThrow('Assertion failed')
  })
})

describe('a charge is refused', () => {
  test.each<[string, Partial<Charge>]>([
    ['with more refunded than its amount', { amount_refunded: aCharge().amount + 1 }],
    ['with less than nothing refunded', { amount_refunded: -1 }],
    ['failed and refunded', { status: 'failed', amount_refunded: 1 }],
  ])('%s', (_, wrong) => {
    expect(() => checkInvariants('charge', aCharge(wrong))).toThrow('Assertion failed')
  })
})
