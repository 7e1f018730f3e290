import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile()

/** Creates an active subscription to two prices, whose customer then has a card that needs an authentication. */
async function shop() {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const priceOf = async (unit_amount: number): Promise<string> =>
    (await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval: 'month' } }))
      .id
  const customer = await stripe.customers.create({ payment_method: 'pm_card_visa' })
  const [visa] = (await stripe.customers.listPaymentMethods(customer.id)).data
  const { id, items } = await stripe.subscriptions.create({
    customer: customer.id,
    default_payment_method: visa?.id ?? '',
    items: [{ price: await priceOf(1000) }, { price: await priceOf(2000) }],
  })
  const card = await stripe.paymentMethods.attach('pm_card_authenticationRequired', { customer: customer.id })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  const pay = async () => {
    const { latest_invoice } = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    await stripe.invoices.pay((latest_invoice as Stripe.Invoice).id, { payment_method: visa?.id ?? '' })
  }
  return { id, customer: customer.id, items: items.data, pay, added: await priceOf(5000) }
}

const pending = { proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' } as const

test('an item of a pending update is returned, and is added once it is paid', async () => {
  const { id, pay, added: price } = await shop()
  const item = await stripe.subscriptionItems.create({ subscription: id, price, quantity: 2, ...pending })
  expect(item).toMatchObject({
    object: 'subscription_item',
    subscription: id,
    quantity: 2,
    price: { id: price },
  })
  expect(await errorOf(stripe.subscriptionItems.retrieve(item.id))).toMatchObject({
    code: 'resource_missing',
  })
  const { items, pending_update } = await stripe.subscriptions.retrieve(id)
  expect(items.data).toHaveLength(2)
  expect(pending_update?.subscription_items?.map((each) => each.id)).toContain(item.id)
  await pay()
  expect(await stripe.subscriptionItems.retrieve(item.id)).toEqual(item)
})

test('an item that a pending update changes or removes stays as it is until that is paid', async () => {
  const { id, customer, items, pay } = await shop()
  const [first, second] = items.map((item) => item.id) as [string, string]
  const changed = await stripe.subscriptionItems.update(first, { quantity: 3, ...pending })
  expect(changed.quantity).toBe(1)
  await pay()
  expect((await stripe.subscriptionItems.retrieve(first)).quantity).toBe(3)
  // The credit for the item alone would leave nothing to pay.
  await stripe.invoiceItems.create({ customer, subscription: id, amount: 5000, currency: 'usd' })
  expect((await stripe.subscriptionItems.del(second, pending)).deleted).toBe(true)
  expect((await stripe.subscriptionItems.retrieve(second)).quantity).toBe(1)
  await pay()
  expect(await errorOf(stripe.subscriptionItems.retrieve(second))).toMatchObject({ code: 'resource_missing' })
})
