import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { submit } from './checkout.ts'
import { idOf, type StripeTwin, startStripe } from './sdk.ts'

let sdk: StripeTwin
let stripe: Stripe
let monthly: string
beforeAll(async () => {
  sdk = await startStripe()
  stripe = sdk.stripe
  const product = await stripe.products.create({ name: 'Pro plan' })
  monthly = (
    await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 2_000,
      recurring: { interval: 'month' },
    })
  ).id
})
afterAll(() => sdk.close())

const SUCCESS = { success_url: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}' }

/** The types of all events since the newest one before a step. */
async function eventsOf(step: () => Promise<unknown>): Promise<string[]> {
  const [before] = (await stripe.events.list({ limit: 1 })).data
  await step()
  const { data } = await stripe.events.list({ limit: 100, ...(before && { ending_before: before.id }) })
  return data.map(({ type }) => type).reverse()
}

const subscribe = (given: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: monthly, quantity: 1 }],
    ...SUCCESS,
    ...given,
  })

describe('a session in the mode subscription', () => {
  test('shows what it sells, and where', async () => {
    const session = await subscribe({
      client_reference_id: 'user_1',
      metadata: { order: '1' },
      expand: ['line_items'],
    })
    expect(session).toMatchObject({
      object: 'checkout.session',
      mode: 'subscription',
      status: 'open',
      payment_status: 'unpaid',
      amount_subtotal: 2_000,
      amount_total: 2_000,
      currency: 'usd',
      client_reference_id: 'user_1',
      metadata: { order: '1' },
      customer: null,
      customer_details: null,
      payment_intent: null,
      subscription: null,
      ui_mode: 'hosted_page',
    })
    expect(session.id).toMatch(/^cs_test_[A-Za-z0-9]{40,}$/)
    expect(session.url).toBe(`http://localhost/c/pay/${session.id}`)
    expect(session.expires_at - session.created).toBe(86_400)
    expect(session.line_items?.data).toMatchObject([
      { object: 'item', description: 'Pro plan', quantity: 1, amount_total: 2_000, price: { id: monthly } },
    ])
  })

  test('subscribes a new customer when the page is submitted', async () => {
    const { id } = await subscribe({
      subscription_data: { metadata: { plan: 'pro' }, description: 'Pro' },
    })
    const events = await eventsOf(async () => {
      expect((await submit(sdk, id)).result).toBe('complete')
    })
    expect(events).toEqual([
      'customer.created',
      'payment_intent.created',
      'payment_intent.succeeded',
      'charge.succeeded',
      'payment_method.attached',
      'customer.subscription.created',
      'invoice.created',
      'invoice.finalized',
      'invoice.paid',
      'invoice.payment_succeeded',
      'invoice_payment.paid',
      'checkout.session.completed',
    ])
    const session = await stripe.checkout.sessions.retrieve(id, {
      expand: ['subscription', 'customer', 'invoice'],
    })
    expect(session).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
      payment_intent: null,
      customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' },
      customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
      invoice: { status: 'paid', amount_paid: 2_000, billing_reason: 'subscription_create' },
      subscription: { status: 'active', metadata: { plan: 'pro' }, description: 'Pro' },
    })
    const subscription = session.subscription as Stripe.Subscription
    const method = await stripe.paymentMethods.retrieve(idOf(subscription.default_payment_method))
    expect(method).toMatchObject({
      customer: (session.customer as Stripe.Customer).id,
      billing_details: { email: 'ada@example.com' },
    })
  })
})
