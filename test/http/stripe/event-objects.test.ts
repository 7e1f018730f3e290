import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile()
let price: string
beforeAll(async () => {
  const monthly = { currency: 'usd', unit_amount: 2000, recurring: { interval: 'month' } } as const
  price = (await stripe.prices.create({ product_data: { name: 'Pro' }, ...monthly })).id
})

/** Creates a customer whose default payment method is a card that succeeds. */
async function customerWithCard() {
  const { id: customer } = await stripe.customers.create({})
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } })
  return { customer, card }
}

async function newestEvent(type: Stripe.Event['type']): Promise<Stripe.Event> {
  const [event] = (await stripe.events.list({ type, limit: 1 })).data
  if (!event) throw new Error(`there is no ${type}`)
  return event
}

describe('the object of an event', () => {
  test('of a customer stays the same when invoices are finalized later', async () => {
    const { customer } = await customerWithCard()
    const before = await newestEvent('customer.updated')
    await stripe.subscriptions.create({ customer, items: [{ price }] })
    expect(await stripe.events.retrieve(before.id)).toEqual(before)
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ next_invoice_sequence: 2 })
  })

  test('of a new intent has the payment method that is ready to be confirmed', async () => {
    const { customer, card } = await customerWithCard()
    await stripe.subscriptions.create({
      customer,
      items: [{ price }],
      payment_behavior: 'default_incomplete',
    })
    const { data } = await newestEvent('payment_intent.created')
    expect(data.object).toMatchObject({ payment_method: card, status: 'requires_confirmation' })
  })
})

describe('previous_attributes', () => {
  test('have null for the keys of the metadata that were added', async () => {
    const { customer } = await customerWithCard()
    const { id } = await stripe.subscriptions.create({ customer, items: [{ price }], metadata: { a: '1' } })
    await stripe.subscriptions.update(id, { metadata: { b: '2' } })
    const { data } = await newestEvent('customer.subscription.updated')
    expect(data.previous_attributes).toEqual({ metadata: { b: null } })
  })

  test('report the payment method that a payment saved on a subscription', async () => {
    const { customer } = await customerWithCard()
    const subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price }],
      payment_behavior: 'default_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
      expand: ['latest_invoice.payments'],
    })
    const { payments } = subscription.latest_invoice as Stripe.Invoice
    const intent = String(payments?.data[0]?.payment.payment_intent)
    await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
    const events = (await stripe.events.list({ type: 'customer.subscription.updated', limit: 2 })).data
    const changes = events.map(({ data }) => data.previous_attributes)
    expect(changes).toContainEqual(expect.objectContaining({ default_payment_method: null }))
  })
})
