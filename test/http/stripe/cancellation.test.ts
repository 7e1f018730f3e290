import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, type StripeTwin, startStripe } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800

let sdk: StripeTwin
let stripe: Stripe
beforeAll(async () => {
  sdk = await startStripe()
  stripe = sdk.stripe
})
afterAll(() => sdk.close())

async function subscribe() {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const monthly = { product, currency: 'usd', unit_amount: 2000, recurring: { interval: 'month' } } as const
  const { id: price } = await stripe.prices.create(monthly)
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock })
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card.id,
  })
  return { clock, id: subscription.id, item: subscription.items.data[0]?.id ?? '' }
}

describe('cancel_at of an update', () => {
  test('withdraws a cancellation at the end of the period if it is empty', async () => {
    const { clock, id } = await subscribe()
    await stripe.subscriptions.update(id, { cancel_at_period_end: true })
    const kept = await stripe.subscriptions.update(id, { cancel_at: '' })
    expect(kept).toMatchObject({ cancel_at: null, cancel_at_period_end: false, canceled_at: null })
    await sdk.advance(clock, FEB_28)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  })

  test.each(['min_period_end', 'max_period_end'] as const)('takes %s', async (cancel_at) => {
    const { clock, id } = await subscribe()
    const ending = await stripe.subscriptions.update(id, { cancel_at })
    expect(ending).toMatchObject({ cancel_at: FEB_28, cancel_at_period_end: false, status: 'active' })
    await sdk.advance(clock, FEB_28)
    const { data } = await stripe.invoices.list({ subscription: id })
    expect([(await stripe.subscriptions.retrieve(id)).status, data.length]).toEqual(['canceled', 1])
  })

  test('does not name the end of a period that the update may change', async () => {
    const { id, item } = await subscribe()
    const error = await errorOf(
      stripe.subscriptions.update(id, { cancel_at: 'min_period_end', items: [{ id: item, quantity: 2 }] }),
    )
    expect(error).toMatchObject({ statusCode: 400, param: 'cancel_at' })
    expect((await stripe.subscriptions.retrieve(id)).items.data[0]?.quantity).toBe(1)
  })
})
