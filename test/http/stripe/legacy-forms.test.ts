import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
let product: string
let price: string
beforeAll(async () => {
  product = (await stripe.products.create({ name: 'Pro' })).id
  price = await makePrice(2000)
})

const makePrice = async (unit_amount: number, more: object = {}): Promise<string> => {
  const monthly = { product, currency: 'usd', unit_amount, recurring: { interval: 'month' } } as const
  return (await stripe.prices.create({ ...monthly, ...more })).id
}

/** Sends a request in an older version of the API. */
const postIn = (version: string, path: string, body: object) =>
  sdk.twin.request('POST', path, body, { 'Stripe-Version': version })

const makeCustomer = async (): Promise<string> => {
  const invoice_settings = { default_payment_method: 'pm_card_visa' }
  return (await stripe.customers.create({ payment_method: 'pm_card_visa', invoice_settings })).id
}

describe('plan is price', () => {
  test('in the items of a subscription, of an update and of a preview, and in a single item', async () => {
    const [customer, plus] = [await makeCustomer(), await makePrice(5000)]
    const created = await stripe.subscriptions.create({ customer, items: [{ plan: price }] })
    const [item] = created.items.data
    expect(item).toMatchObject({ price: { id: price }, plan: { id: price } })
    const items = [{ id: item?.id ?? '', plan: plus }]
    const preview = await stripe.invoices.createPreview({
      subscription: created.id,
      subscription_details: { items, proration_behavior: 'always_invoice' },
    })
    expect(preview.total).toBe(3000)
    const updated = await stripe.subscriptions.update(created.id, { items, proration_behavior: 'none' })
    expect(updated.items.data[0]?.price.id).toBe(plus)
    const back = await stripe.subscriptionItems.update(item?.id ?? '', {
      plan: price,
      proration_behavior: 'none',
    })
    expect(back.price.id).toBe(price)
    expect((await stripe.subscriptions.list({ plan: price })).data.map(({ id }) => id)).toContain(created.id)
  })

  test('in the phases of a schedule', async () => {
    const schedule = await stripe.subscriptionSchedules.create({
      customer: await makeCustomer(),
      start_date: 'now',
      phases: [{ items: [{ plan: price }] }],
    })
    expect(schedule.phases[0]?.items[0]).toMatchObject({ price, plan: price })
  })

  test('plan and price together are refused', async () => {
    const items = [{ plan: price, price }]
    const refused = await errorOf(stripe.subscriptions.create({ customer: await makeCustomer(), items }))
    expect(refused).toMatchObject({ statusCode: 400, code: 'parameter_unknown', param: 'items[0][plan]' })
  })
})

test('versions before basil take and show the coupon of a phase', async () => {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
  const phases = [{ items: [{ price }], coupon, iterations: 1 }]
  const given = { customer: await makeCustomer(), start_date: 'now', phases } as const
  const { body } = await postIn('2024-06-20', '/v1/subscription_schedules', given)
  expect(body.phases[0]).toMatchObject({ coupon, discounts: [{ coupon }] })
  const params = given as unknown as Stripe.SubscriptionScheduleCreateParams
  const refused = await errorOf(stripe.subscriptionSchedules.create(params))
  expect(refused).toMatchObject({ code: 'parameter_unknown', param: 'phases[0][coupon]' })
})

test('versions before 2024-04-10 take the features of a product', async () => {
  const features = [{ name: 'Fast' }]
  const { body } = await postIn('2023-10-16', '/v1/products', { name: 'Old', features })
  expect(body).toMatchObject({ features })
  expect((await stripe.products.retrieve(body.id)).marketing_features).toEqual(features)
})

test('trial_end: now changes nothing where there is no trial', async () => {
  const { id } = await stripe.subscriptions.create({ customer: await makeCustomer(), items: [{ price }] })
  const updated = await stripe.subscriptions.update(id, { trial_end: 'now' })
  expect(updated).toMatchObject({ status: 'active', trial_end: null })
})

describe('a lookup key', () => {
  test('belongs to one price, unless it is transferred', async () => {
    const first = await makePrice(100, { lookup_key: 'pro' })
    const refused = await errorOf(makePrice(200, { lookup_key: 'pro' }))
    expect(refused).toMatchObject({ statusCode: 400, param: 'lookup_key' })
    expect(refused.message).toContain(first)
    const second = await makePrice(200, { lookup_key: 'pro', transfer_lookup_key: true })
    expect((await stripe.prices.list({ lookup_keys: ['pro'] })).data.map(({ id }) => id)).toEqual([second])
    expect((await stripe.prices.retrieve(first)).lookup_key).toBe(null)
    const transfer = { lookup_key: 'pro', transfer_lookup_key: true }
    expect((await stripe.prices.update(first, transfer)).lookup_key).toBe('pro')
    expect((await stripe.prices.retrieve(second)).lookup_key).toBe(null)
  })

  test('can be given to its own price again', async () => {
    const id = await makePrice(100, { lookup_key: 'own' })
    expect((await stripe.prices.update(id, { lookup_key: 'own' })).lookup_key).toBe('own')
  })
})
