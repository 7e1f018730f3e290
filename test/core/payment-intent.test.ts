import { describe, expect, test } from 'vitest'
import { newCharge } from '../../src/core/charge.ts'
import {
  canceledWithInvoice,
  confirmed,
  PAYMENT_INTENT_TRANSITIONS,
  type PaymentIntentEvent,
  type PaymentIntentStatus,
  withPaymentMethod,
} from '../../src/core/payment-intent.ts'
import { APPROVED, declined, NO_PAYMENT_METHOD } from '../../src/core/processor.ts'
import { allows, move } from '../../src/core/transitions.ts'
import { matrix } from '../table.ts'
import { anIntent, NOW } from './objects.ts'

const STATUSES = matrix(`
  from                     attach                 approve    decline                  require_action   cancel    invoice_voided
  requires_payment_method  requires_confirmation  -          requires_payment_method  -                canceled  canceled
  requires_confirmation    requires_confirmation  succeeded  requires_payment_method  requires_action  canceled  canceled
  requires_action          -                      succeeded  requires_payment_method  -                canceled  canceled
  succeeded                -                      -          -                        -                -         -
  canceled                 -                      -          -                        -                -         canceled
`)

const DECLINED = declined('card_declined', 'insufficient_funds')

describe('statuses', () => {
  test.each(STATUSES.filter(({ to }) => to !== '-'))(
    '$event leads from $from to $to',
    ({ from, event, to }) => {
      const [status, name] = [from as PaymentIntentStatus, event as PaymentIntentEvent]
      expect(move(PAYMENT_INTENT_TRANSITIONS, status, name)).toBe(to)
    },
  )

  test.each(STATUSES.filter(({ to }) => to === '-'))('$event is refused in $from', ({ from, event }) => {
    const [status, name] = [from as PaymentIntentStatus, event as PaymentIntentEvent]
    expect(allows(PAYMENT_INTENT_TRANSITIONS, status, name)).toBe(false)
    expect(() => move(PAYMENT_INTENT_TRANSITIONS, status, name)).toThrow(
      expect.objectContaining({ status: 400, code: 'invalid_state_transition' }),
    )
  })

  test('the table has no other statuses', () => {
    expect(new Set(STATUSES.map(({ from }) => from))).toEqual(
      new Set(Object.keys(PAYMENT_INTENT_TRANSITIONS)),
    )
  })
})

test('a new intent requires confirmation, also without a payment method', () => {
  expect(anIntent()).toMatchObject({
    status: 'requires_confirmation',
    payment_method: null,
    amount_received: 0,
    last_payment_error: null,
  })
})

test('an approved intent has received its amount', () => {
  const ready = withPaymentMethod(anIntent(), 'pm_1')
  expect(confirmed(ready, APPROVED, 'ch_1')).toMatchObject({
    status: 'succeeded',
    amount_received: 2000,
    payment_method: 'pm_1',
    latest_charge: 'ch_1',
    last_payment_error: null,
  })
})

test('a declined intent loses its payment method and records the error', () => {
  const ready = withPaymentMethod(anIntent(), 'pm_1')
  expect(confirmed(ready, DECLINED, 'ch_1')).toMatchObject({
    status: 'requires_payment_method',
    amount_received: 0,
    payment_method: null,
    latest_charge: 'ch_1',
    last_payment_error: {
      type: 'payment_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      charge: 'ch_1',
      payment_method: 'pm_1',
    },
  })
})

test('an approval after a decline clears the error', () => {
  const failed = confirmed(withPaymentMethod(anIntent(), 'pm_1'), DECLINED, 'ch_1')
  expect(confirmed(withPaymentMethod(failed, 'pm_2'), APPROVED, 'ch_2')).toMatchObject({
    status: 'succeeded',
    payment_method: 'pm_2',
    latest_charge: 'ch_2',
    last_payment_error: null,
  })
})

test('an attempt with nothing to charge creates no charge', () => {
  expect(confirmed(anIntent(), NO_PAYMENT_METHOD, null)).toMatchObject({
    status: 'requires_payment_method',
    latest_charge: null,
    last_payment_error: {
      code: 'card_declined',
      decline_code: 'payment_method_missing',
      charge: null,
      payment_method: null,
    },
  })
})

test('an intent is canceled with its invoice, unless it has succeeded', () => {
  expect(canceledWithInvoice(anIntent(), NOW + 1)).toMatchObject({ status: 'canceled', canceled_at: NOW + 1 })
  const succeeded = confirmed(withPaymentMethod(anIntent(), 'pm_1'), APPROVED, 'ch_1')
  expect(() => canceledWithInvoice(succeeded, NOW)).toThrow('invoice voided')
})

describe('a charge', () => {
  const intent = anIntent({ invoice: 'in_1', payment_method: 'pm_1' })
  const given = { id: 'ch_1', created: NOW, payment_method: 'pm_1', metadata: {} }

  test('of an approved attempt has the intent’s amount', () => {
    expect(newCharge(intent, APPROVED, given)).toMatchObject({
      status: 'succeeded',
      amount: 2000,
      amount_refunded: 0,
      currency: 'usd',
      customer: 'cus_1',
      invoice: 'in_1',
      payment_intent: intent.id,
      payment_method: 'pm_1',
      failure_code: null,
      failure_message: null,
    })
  })

  test('of a declined attempt has the error', () => {
    expect(newCharge(intent, DECLINED, given)).toMatchObject({
      status: 'failed',
      failure_code: 'card_declined',
      failure_message: 'Your card has insufficient funds.',
      decline_code: 'insufficient_funds',
    })
  })
})
