import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { customerOnClock, errorOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

const JAN_31 = 1_769_853_600
const DAY = 86_400

/** Creates a subscription with a card for its changes, and a change of its price that waits for the payment. */
async function waiting(token: string, params: Stripe.SubscriptionUpdateParams = {}) {
  const { clock, customer } = await customerOnClock(stripe, JAN_31)
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const priceOf = async (unit_amount: number) =>
    (await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval: 'month' } }))
      .id
  const { id, items } = await stripe.subscriptions.create({
    customer,
    items: [{ price: await priceOf(2000) }],
  })
  const card = await stripe.paymentMethods.attach(token, { customer })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  await sdk.advance(clock, JAN_31 + DAY)
  const { latest_invoice, pending_update } = await stripe.subscriptions.update(id, {
    items: [{ id: items.data[0]?.id ?? '', price: await priceOf(5000) }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
    ...params,
  })
  expect(pending_update).not.toBeNull()
  return { id, clock, customer, invoice: latest_invoice as string }
}

describe('a pending update whose invoice is marked uncollectible', () => {
  test('cannot be paid by the authentication that it waited for', async () => {
    const { id, invoice } = await waiting('pm_card_authenticationRequired')
    const [intent] = (await stripe.paymentIntents.list({ limit: 1 })).data
    expect(intent?.status).toBe('requires_action')
    expect((await stripe.invoices.markUncollectible(invoice)).status).toBe('void')
    const settled = stripe.rawRequest('POST', `/v1/test_helpers/payment_intents/${intent?.id}/settle`, {
      outcome: 'succeed',
    })
    expect(await errorOf(settled)).toMatchObject({ statusCode: 400 })
    expect((await stripe.paymentIntents.retrieve(intent?.id ?? '')).status).toBe('canceled')
    expect((await stripe.subscriptions.retrieve(id)).pending_update).toBeNull()
  })
})
