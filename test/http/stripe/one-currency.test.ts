import type Stripe from 'stripe'
import { beforeEach, describe, expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
/** A version in which a customer can be given a coupon. */
const OLD = { 'Stripe-Version': '2024-06-20' }
const MESSAGE =
  'You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency eur'

let customer: string
let product: string
const items = (currency: string) => [
  {
    price_data: {
      currency,
      product,
      unit_amount: 1000,
      recurring: { interval: 'month' as const },
    },
  },
]
const subscribe = (currency: string) => stripe.subscriptions.create({ customer, items: items(currency) })
const sell = (currency: string, more: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  stripe.checkout.sessions.create({
    mode: 'subscription',
    customer,
    line_items: items(currency).map((item) => ({ ...item, quantity: 1 })),
    success_url: 'https://shop.example/',
    ...more,
  })
const schedule = (currency: string) =>
  stripe.subscriptionSchedules.create({
    customer,
    start_date: 1_800_000_000,
    phases: [{ items: items(currency), duration: { interval: 'month', interval_count: 1 } }],
  })

const give = (coupon: string) => sdk.twin.request('POST', `/v1/customers/${customer}`, { coupon }, OLD)

beforeEach(async () => {
  product = (await stripe.products.create({ name: 'Mug' })).id
  const created = await stripe.customers.create({ payment_method: 'pm_card_visa' })
  customer = created.id
  const [method] = (await stripe.customers.listPaymentMethods(customer)).data
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method?.id ?? '' } })
})

const refused = async (work: Promise<unknown>) =>
  expect(await errorOf(work)).toMatchObject({
    statusCode: 400,
    type: 'StripeInvalidRequestError',
    message: MESSAGE,
  })

describe('a customer with a subscription in euros', () => {
  test('gets no subscription, Checkout session or schedule in dollars', async () => {
    await subscribe('eur')
    await refused(subscribe('usd'))
    await refused(sell('usd'))
    await refused(schedule('usd'))
    expect((await subscribe('eur')).status).toBe('active')
    expect((await sell('eur')).status).toBe('open')
  })

  test('can make one payment in dollars', async () => {
    await subscribe('eur')
    const line_items = [{ price_data: { currency: 'usd', product, unit_amount: 500 }, quantity: 1 }]
    expect((await sell('usd', { mode: 'payment', line_items })).currency).toBe('usd')
  })

  test('gets one in dollars once it is canceled', async () => {
    const { id } = await subscribe('eur')
    await stripe.subscriptions.cancel(id)
    expect((await subscribe('usd')).currency).toBe('usd')
  })
})

test('a schedule in euros that has not started refuses dollars, until it is canceled', async () => {
  const { id } = await schedule('eur')
  await refused(subscribe('usd'))
  await stripe.subscriptionSchedules.cancel(id)
  expect((await subscribe('usd')).currency).toBe('usd')
})

test('a discount of an amount in euros refuses dollars, and one in percent does not', async () => {
  const euros = await stripe.coupons.create({ amount_off: 100, currency: 'eur', duration: 'forever' })
  const percent = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
  await give(euros.id)
  await refused(subscribe('usd'))
  await give(percent.id)
  expect((await subscribe('usd')).currency).toBe('usd')
})
