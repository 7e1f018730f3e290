import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorOf, type StripeTwin, startStripe } from './sdk.ts'

const JAN_31 = 1_769_853_600
const TRIAL_END = JAN_31 + 7 * 86_400

let sdk: StripeTwin
let stripe: Stripe
beforeAll(async () => {
  sdk = await startStripe()
  stripe = sdk.stripe
})
afterAll(() => sdk.close())

/** Creates a subscription in a trial, without a payment method. */
async function subscribe() {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const monthly = { product, currency: 'usd', unit_amount: 2000, recurring: { interval: 'month' } } as const
  const { id: price } = await stripe.prices.create(monthly)
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock })
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 7 })
  return { clock, id }
}

test('an update changes what a trial without a payment method ends in', async () => {
  const { clock, id } = await subscribe()
  const trial_settings = { end_behavior: { missing_payment_method: 'cancel' as const } }
  expect(await stripe.subscriptions.update(id, { trial_settings })).toMatchObject({ trial_settings })
  await sdk.advance(clock, TRIAL_END)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
})

test('an update changes whether a payment saves its method', async () => {
  const { id } = await subscribe()
  const settings = { save_default_payment_method: 'on_subscription', payment_method_types: ['card'] } as const
  const saving = await stripe.subscriptions.update(id, {
    payment_settings: { ...settings, payment_method_types: [...settings.payment_method_types] },
  })
  expect(saving.payment_settings?.save_default_payment_method).toBe('on_subscription')
  const kept = await stripe.subscriptions.update(id, { payment_settings: { payment_method_types: ['card'] } })
  expect(kept.payment_settings?.save_default_payment_method).toBe('on_subscription')
  const off = await stripe.subscriptions.update(id, {
    payment_settings: { save_default_payment_method: 'off' },
  })
  expect(off.payment_settings?.save_default_payment_method).toBe('off')
})

test.each<[string, Stripe.SubscriptionUpdateParams]>([
  ['payment_settings[payment_method_types][0]', { payment_settings: { payment_method_types: ['paypal'] } }],
  [
    'trial_settings[end_behavior][missing_payment_method]',
    { trial_settings: { end_behavior: { missing_payment_method: 'wait' } } },
  ],
  [
    'payment_settings',
    {
      payment_behavior: 'pending_if_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
    },
  ],
])('an update is refused with a wrong %s', async (param, params) => {
  const { id } = await subscribe()
  expect(await errorOf(stripe.subscriptions.update(id, params))).toMatchObject({ statusCode: 400, param })
  expect((await stripe.subscriptions.retrieve(id)).payment_settings?.save_default_payment_method).toBe('off')
})
