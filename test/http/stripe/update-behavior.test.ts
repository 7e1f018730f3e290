import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { customerOnClock, errorOf, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800

const sdk = stripeOfFile()
const { stripe } = sdk

/** Creates a subscription and upgrades it with default_incomplete. */
async function upgrade(given: Partial<Stripe.SubscriptionUpdateParams> = {}) {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const monthly = { product, currency: 'usd', recurring: { interval: 'month' } } as const
  const { id: price } = await stripe.prices.create({ ...monthly, unit_amount: 2000 })
  const { id: plus } = await stripe.prices.create({ ...monthly, unit_amount: 5000 })
  const { clock, customer } = await customerOnClock(stripe, JAN_31)
  const created = await stripe.subscriptions.create({ customer, items: [{ price }] })
  const updated = await stripe.subscriptions.update(created.id, {
    items: [{ id: created.items.data[0]?.id ?? '', price: plus }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'default_incomplete',
    ...given,
    expand: ['latest_invoice.payments'],
  })
  return { clock, customer, id: created.id, updated, invoice: updated.latest_invoice as Stripe.Invoice }
}

test('an update with default_incomplete is not charged, and is past due until the customer pays', async () => {
  const { id, customer, updated, invoice } = await upgrade()
  expect(updated.status).toBe('past_due')
  expect(invoice).toMatchObject({ status: 'open', total: 3000, attempted: false, attempt_count: 0 })
  expect(invoice.confirmation_secret?.client_secret).toMatch(/_secret_/)
  const [payment] = invoice.payments?.data ?? []
  const intent = String(payment?.payment.payment_intent)
  const [method] = (await stripe.customers.listPaymentMethods(customer)).data
  await stripe.paymentIntents.confirm(intent, { payment_method: method?.id ?? '' })
  const paid = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  expect(paid).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', amount_paid: 3000 } })
})

test('an update that is not paid stays past due, and the next period is billed', async () => {
  const { clock, id } = await upgrade()
  await sdk.advance(clock, FEB_28 + 3_601)
  const renewed = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  expect(renewed.latest_invoice).toMatchObject({ billing_reason: 'subscription_cycle', status: 'paid' })
  const open = (await stripe.invoices.list({ subscription: id, status: 'open' })).data
  expect(open.map(({ total, attempt_count }) => [total, attempt_count])).toEqual([[3000, 0]])
})

test('an update that bills nothing now stays active', async () => {
  const { updated } = await upgrade({ proration_behavior: 'create_prorations' })
  expect(updated.status).toBe('active')
})

test('the end of a trial now cannot wait for the customer', async () => {
  const refused = await errorOf(upgrade({ trial_end: 'now' }))
  expect(refused).toMatchObject({ statusCode: 400, param: 'payment_behavior' })
})
