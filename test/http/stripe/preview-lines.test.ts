import { expect, test } from 'vitest'
import type { Body } from '../../twin.ts'
import { customerOnClock, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

const JAN_31 = 1_769_853_600
const DAY = 86_400
const ACACIA = '2025-02-24.acacia'
const DAHLIA = '2026-03-25.dahlia'

/** Creates a subscription to a price and to a metered one with usage, halfway through its period, and prices to change to. */
async function begin(given: Body) {
  const { clock, customer } = await customerOnClock(stripe, JAN_31)
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const priceOf = async (unit_amount: number, metered: Body = {}) =>
    (
      await stripe.prices.create({
        ...{ product, currency: 'usd', unit_amount },
        recurring: { interval: 'month', ...metered },
      })
    ).id
  const event_name = `calls_${customer}`
  const meter = await stripe.billing.meters.create({
    ...{ display_name: 'Calls', event_name, default_aggregation: { formula: 'sum' } },
  })
  const metered = await priceOf(5, { usage_type: 'metered', meter: meter.id })
  const { id, items } = await stripe.subscriptions.create({
    customer,
    items: [{ price: await priceOf(2000) }, { price: metered }],
    metadata: { plan: 'pro' },
    ...given,
  })
  await sdk.advance(clock, JAN_31 + 10 * DAY)
  await stripe.billing.meterEvents.create({
    event_name,
    payload: { stripe_customer_id: customer, value: '100' },
  })
  await sdk.advance(clock, JAN_31 + 14 * DAY)
  const [plan, usage] = items.data.map((item) => item.id)
  return { id, plan, usage, plus: await priceOf(5000), other: await priceOf(300) }
}
type Begun = Awaited<ReturnType<typeof begin>>

/** Describes what a line bills, in any version and without the ids of objects that a preview rolls back. */
const billed = ({ amount, description, metadata, proration, type, parent }: Body) => {
  const details = parent?.invoice_item_details ?? parent?.subscription_item_details
  return [amount, description, metadata, type ?? parent.type, proration ?? details.proration]
}

test.each<[string, Body, (begun: Begun) => Body]>([
  [
    'changes a price and adds an item',
    {},
    ({ plan, plus, other }) => ({ items: [{ id: plan, price: plus }, { price: other }] }),
  ],
  [
    'begins a new period with another item in the place of a metered one',
    {},
    ({ plan, usage, plus, other }) => ({
      items: [{ id: plan, price: plus }, { id: usage, deleted: true }, { price: other }],
      billing_cycle_anchor: 'now',
    }),
  ],
  ['replaces a metered price', {}, ({ usage, other }) => ({ items: [{ id: usage, price: other }] })],
  [
    'ends a trial and adds an item',
    { trial_period_days: 60 },
    ({ plan, plus, other }) => ({
      items: [{ id: plan, price: plus }, { price: other }],
      trial_end: 'now',
    }),
  ],
  ['cancels', {}, () => ({ cancel_now: true })],
])('a preview bills the same as the invoice of an update that %s', async (_, given, change) => {
  const begun = await begin(given)
  const params: Body = { proration_behavior: 'always_invoice', ...change(begun) }
  const send = async (version: string, method: string, path: string, body?: Body) =>
    (await sdk.twin.request(method, path, body, { 'Stripe-Version': version })).body
  const preview = (version: string) =>
    send(version, 'POST', '/v1/invoices/create_preview', {
      subscription: begun.id,
      subscription_details: params,
    })
  const previews = { [ACACIA]: await preview(ACACIA), [DAHLIA]: await preview(DAHLIA) }
  const path = `/v1/subscriptions/${begun.id}`
  if (params.cancel_now) await sdk.twin.delete(path, { invoice_now: true, prorate: true })
  else await sdk.twin.post(path, params)
  const [{ id }] = (await sdk.twin.get(`/v1/invoices?subscription=${begun.id}&limit=1`)).data
  for (const [version, { lines }] of Object.entries(previews)) {
    const made = await send(version, 'GET', `/v1/invoices/${id}`)
    expect(lines.data.map(billed)).toEqual(made.lines.data.map(billed))
  }
})
