import { beforeAll, expect, test } from 'vitest'
import { stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const HOUR = 3_600
const DAY = 24 * HOUR

/** Instants that a request sets, and that have passed when they take effect. */
const sdk = stripeOfFile()
const { stripe } = sdk
let price: string
beforeAll(async () => {
  const product_data = { name: 'Pro' }
  price = (
    await stripe.prices.create({
      product_data,
      currency: 'usd',
      unit_amount: 2000,
      recurring: { interval: 'month' },
    })
  ).id
})

async function aCustomer() {
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  return { clock, customer: (await stripe.customers.create({ test_clock: clock })).id }
}

/** Creates the draft of an invoice that is sent, and due ten minutes later. */
async function draftDueSoon(auto_advance: boolean) {
  const { clock, customer } = await aCustomer()
  await stripe.invoiceItems.create({ customer, amount: 1000, currency: 'usd' })
  const { id } = await stripe.invoices.create({
    customer,
    pending_invoice_items_behavior: 'include',
    collection_method: 'send_invoice',
    due_date: JAN_31 + 600,
    auto_advance,
  })
  return { clock, customer, id }
}

const eventsOf = async (id: string): Promise<[string, number][]> => {
  const { data } = await stripe.events.list({ limit: 100 })
  return data
    .filter(({ data: { object } }) => 'id' in object && object.id === id)
    .map(({ type, created }): [string, number] => [type, created - JAN_31])
    .reverse()
}

test('a draft that is finalized on schedule after its due date is overdue at once', async () => {
  const { clock, customer, id } = await draftDueSoon(true)
  await sdk.advance(clock, JAN_31 + 2 * HOUR)
  expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: 'open', due_date: JAN_31 + 600 })
  expect(await eventsOf(id)).toEqual([
    ['invoice.created', 0],
    ['invoice.finalized', HOUR],
  ])
  expect(await eventsOf(customer)).toContainEqual(['customer.updated', HOUR])
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: true })
})

test('a draft that is finalized by a request after its due date is overdue with the next advance, and can be paid', async () => {
  const { clock, customer, id } = await draftDueSoon(false)
  await sdk.advance(clock, JAN_31 + 2 * HOUR)
  await stripe.invoices.finalizeInvoice(id)
  await sdk.advance(clock, JAN_31 + 3 * HOUR)
  expect(await eventsOf(customer)).toContainEqual(['customer.updated', 2 * HOUR])
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: true })
  expect(await stripe.invoices.pay(id, { payment_method: 'pm_card_visa' })).toMatchObject({ status: 'paid' })
})

test('a subscription whose first payment comes after its cancel_at is canceled with the next advance', async () => {
  const { clock, customer } = await aCustomer()
  const { id, latest_invoice } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    payment_behavior: 'default_incomplete',
    cancel_at: JAN_31 + HOUR,
    expand: ['latest_invoice.confirmation_secret'],
  })
  if (typeof latest_invoice !== 'object') throw new Error('The invoice is expanded')
  await sdk.advance(clock, JAN_31 + 5 * HOUR)
  const intent = latest_invoice?.confirmation_secret?.client_secret.split('_secret')[0] ?? ''
  await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
  await sdk.advance(clock, JAN_31 + DAY)
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
    status: 'canceled',
    canceled_at: expect.any(Number),
    ended_at: JAN_31 + 5 * HOUR,
  })
})
