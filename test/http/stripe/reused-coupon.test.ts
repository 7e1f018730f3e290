import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { customerOnClock, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const DAY = 86_400

const sdk = stripeOfFile()
const { stripe } = sdk

/** The headers of an older version, which shows coupons whole. */
const OLDER = { 'Stripe-Version': '2024-06-20' }

const couponOf = (discount: unknown) => (discount as Stripe.Discount).source.coupon

describe('a coupon whose id is used again', () => {
  let first: string
  let customer: string
  let subscription: Stripe.Subscription
  let code: string
  let session: string
  let schedule: string

  beforeAll(async () => {
    first = (await stripe.products.create({ name: 'Pro' })).id
    const second = (await stripe.products.create({ name: 'Max' })).id
    const recurring = { interval: 'month' } as const
    const { id: price } = await stripe.prices.create({
      product: first,
      currency: 'usd',
      unit_amount: 1000,
      recurring,
    })
    const coupon = 'AGAIN'
    const discounts = [{ coupon }]
    const items = [{ price, quantity: 1 }]
    await stripe.coupons.create({
      id: coupon,
      percent_off: 50,
      duration: 'forever',
      applies_to: { products: [first] },
    })
    code = (await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })).id
    customer = (await customerOnClock(stripe, JAN_31)).customer
    await sdk.twin.request('POST', `/v1/customers/${customer}`, { coupon }, OLDER)
    subscription = await stripe.subscriptions.create({ customer, items, discounts })
    session = (
      await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        line_items: items,
        discounts,
        success_url: 'https://example.com',
      })
    ).id
    schedule = (
      await stripe.subscriptionSchedules.create({
        customer,
        start_date: JAN_31 + 10 * DAY,
        phases: [{ items, duration: { interval: 'month' }, discounts }],
      })
    ).id
    await stripe.coupons.del(coupon)
    await stripe.coupons.create({
      id: coupon,
      percent_off: 10,
      duration: 'once',
      applies_to: { products: [second] },
    })
  })

  const old = () => ({ id: 'AGAIN', percent_off: 50, valid: false, applies_to: { products: [first] } })

  test('is expanded in each discount and code as the coupon that was redeemed', async () => {
    const expand = ['discounts.source.coupon', 'discounts.source.coupon.applies_to']
    const { discounts } = await stripe.subscriptions.retrieve(subscription.id, { expand })
    expect(discounts.map(couponOf)).toMatchObject([old()])

    const expanded = ['total_discount_amounts.discount.source.coupon.applies_to']
    const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice), { expand: expanded })
    expect(invoice.total_discount_amounts?.map(({ discount }) => couponOf(discount))).toMatchObject([old()])

    const { discount } = (await stripe.customers.retrieve(customer, {
      expand: ['discount.source.coupon.applies_to'],
    })) as Stripe.Customer
    expect(couponOf(discount)).toMatchObject(old())

    const shown = await stripe.promotionCodes.retrieve(code, { expand: ['promotion.coupon.applies_to'] })
    expect(shown.promotion.coupon).toMatchObject(old())
  })

  test('is expanded in a Checkout session and in the phases of a schedule', async () => {
    const checkout = await stripe.checkout.sessions.retrieve(session, {
      expand: ['discounts.coupon.applies_to'],
    })
    expect(checkout.discounts).toMatchObject([{ coupon: old() }])
    const { phases } = await stripe.subscriptionSchedules.retrieve(schedule, {
      expand: ['phases.discounts.coupon.applies_to'],
    })
    expect(phases[0]?.discounts).toMatchObject([{ coupon: old() }])
  })

  test('is distinguished from the other coupon within one response', async () => {
    await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: 'AGAIN' } })
    const expand = ['data.promotion.coupon', 'data.promotion.coupon.applies_to']
    const { data } = await stripe.promotionCodes.list({ limit: 2, expand })
    expect(data.map(({ promotion }) => promotion.coupon)).toMatchObject([
      { id: 'AGAIN', percent_off: 10, valid: true },
      old(),
    ])
    expect((await stripe.coupons.retrieve('AGAIN', { expand: ['applies_to'] })).applies_to).not.toEqual(
      old().applies_to,
    )
  })

  test('has its own products in older versions', async () => {
    const path = `/v1/subscriptions/${subscription.id}?expand[]=discounts.coupon.applies_to`
    const { body } = await sdk.twin.request('GET', path, undefined, OLDER)
    expect(body).toMatchObject({
      discounts: [{ coupon: old() }],
    })
  })
})
