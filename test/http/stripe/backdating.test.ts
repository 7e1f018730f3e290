import type Stripe from 'stripe'
import { beforeAll, expect, test } from 'vitest'
import { customerOnClock, errorOf, stripeOfFile } from './sdk.ts'

const OCT_15 = Date.UTC(2026, 9, 15) / 1000
const SEP_1 = Date.UTC(2026, 8, 1) / 1000
const NOV_1 = Date.UTC(2026, 10, 1) / 1000
const NOV_15 = Date.UTC(2026, 10, 15) / 1000
const DAY = 86_400

const sdk = stripeOfFile()
const { stripe } = sdk
let price: string
beforeAll(async () => {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  price = (await stripe.prices.create({ product, currency: 'usd', unit_amount: 3100, recurring })).id
})

/** Creates a subscription on 15 October that began on 1 September, and returns it with its first invoice. */
async function subscribe(given: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { clock, customer } = await customerOnClock(stripe, OCT_15)
  const created = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    backdate_start_date: SEP_1,
    ...given,
    expand: ['latest_invoice'],
  })
  return { clock, customer, created, invoice: created.latest_invoice as Stripe.Invoice }
}

const linesOf = ({ lines }: Stripe.Invoice) =>
  lines.data.map(({ amount, period: { start, end } }) => [amount, start, end])

test('the first invoice of a backdated subscription bills each period since its start', async () => {
  const { clock, created, invoice } = await subscribe()
  expect(created).toMatchObject({
    status: 'active',
    start_date: SEP_1,
    billing_cycle_anchor: OCT_15,
    items: { data: [{ current_period_start: OCT_15, current_period_end: NOV_15 }] },
  })
  // 14 of the 31 days between 15 August and 15 September, and then two months.
  const sep15 = SEP_1 + 14 * DAY
  expect(linesOf(invoice)).toEqual([
    [1400, SEP_1, sep15],
    [3100, sep15, OCT_15],
    [3100, OCT_15, NOV_15],
  ])
  expect(invoice).toMatchObject({ status: 'paid', total: 7600, billing_reason: 'subscription_create' })
  await sdk.advance(clock, NOV_15 + 3_601)
  const renewed = await stripe.subscriptions.retrieve(created.id, { expand: ['latest_invoice'] })
  expect(renewed.latest_invoice).toMatchObject({ status: 'paid', total: 3100 })
})

test('a change after the start credits the current period only', async () => {
  const { clock, created } = await subscribe()
  await sdk.advance(clock, OCT_15 + 15.5 * DAY)
  const id = created.items.data[0]?.id ?? ''
  const updated = await stripe.subscriptions.update(created.id, {
    items: [{ id, quantity: 2 }],
    proration_behavior: 'always_invoice',
    expand: ['latest_invoice'],
  })
  expect((updated.latest_invoice as Stripe.Invoice).lines.data.map(({ amount }) => amount)).toEqual([
    -1550, 3100,
  ])
})

test('with an anchor, the period that it cuts is billed as a whole', async () => {
  const { invoice } = await subscribe({ billing_cycle_anchor: NOV_1 })
  expect(linesOf(invoice)).toEqual([
    [3100, SEP_1, SEP_1 + 30 * DAY],
    [1400, SEP_1 + 30 * DAY, OCT_15],
    [1700, OCT_15, NOV_1],
  ])
})

test('a part of a period that has no amount is left out', async () => {
  const { id: product } = await stripe.products.create({ name: 'Sticker' })
  const recurring = { interval: 'month' } as const
  const { id } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 1, recurring })
  const { invoice } = await subscribe({ billing_cycle_anchor: NOV_1, items: [{ price: id }] })
  // 17 of 31 days are a whole cent, so nothing is left of it for the days before.
  expect(linesOf(invoice)).toEqual([
    [1, SEP_1, SEP_1 + 30 * DAY],
    [1, OCT_15, NOV_1],
  ])
})

test('without prorations, only the start date is in the past', async () => {
  const { created, invoice } = await subscribe({ proration_behavior: 'none' })
  expect(created.start_date).toBe(SEP_1)
  expect(linesOf(invoice)).toEqual([[3100, OCT_15, NOV_15]])
})

test('discounts reduce the past periods too', async () => {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10, duration: 'once' })
  const { invoice } = await subscribe({ discounts: [{ coupon }] })
  expect(invoice).toMatchObject({ subtotal: 7600, total: 6840 })
})

test('an amount off an item is taken off once, divided among its periods', async () => {
  const { id: coupon } = await stripe.coupons.create({ amount_off: 760, currency: 'usd', duration: 'once' })
  const { invoice } = await subscribe({ items: [{ price, discounts: [{ coupon }] }] })
  const amounts = invoice.lines.data.map(({ discount_amounts }) =>
    discount_amounts?.map(({ amount }) => amount),
  )
  expect(amounts).toEqual([[140], [310], [310]])
  expect(invoice).toMatchObject({ subtotal: 7600, total: 6840 })
})

test('a change does not take an amount off an item again that reduced its past periods', async () => {
  const { id: coupon } = await stripe.coupons.create({
    amount_off: 760,
    currency: 'usd',
    duration: 'forever',
  })
  const { created } = await subscribe({ items: [{ price, discounts: [{ coupon }] }] })
  const change = async (quantity: number) => {
    const items = created.items.data.map(({ id }) => ({ id, quantity }))
    await stripe.subscriptions.update(created.id, { items, proration_behavior: 'always_invoice' })
    const [invoice] = (await stripe.invoices.list({ limit: 1 })).data
    return invoice?.lines.data.map(({ amount }) => amount)
  }
  // The period of 31.00 had 3.10 of 7.60: the change credits them, and the rest stays used.
  expect(await change(2)).toEqual([-(3100 - 310), 6200 - 310])
  expect(await change(1)).toEqual([-(6200 - 310), 3100 - 310])
})

test.each([
  ['the future', { backdate_start_date: OCT_15 + DAY }],
  ['the time of more than 250 lines', { backdate_start_date: OCT_15 - 22 * 366 * DAY }],
  ['a trial', { trial_period_days: 3 }],
])('a start in %s is refused', async (_, given) => {
  const refused = await errorOf(subscribe(given))
  expect(refused).toMatchObject({ statusCode: 400, param: 'backdate_start_date' })
})
