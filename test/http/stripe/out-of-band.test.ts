import type Stripe from 'stripe'
import { beforeAll, expect, test } from 'vitest'
import { asOperator } from '../support.ts'
import { customerOnClock, errorOf, idOf, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const DAY = 86_400

const sdk = stripeOfFile()
const { stripe } = sdk
let price: string
beforeAll(async () => {
  const made = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 2000,
    recurring: { interval: 'month' },
    product_data: { name: 'Pro' },
  })
  price = made.id
})

async function sentInvoice() {
  const { customer } = await customerOnClock(stripe, JAN_31)
  const { id } = await stripe.invoices.create({ customer, collection_method: 'send_invoice' })
  await stripe.invoiceItems.create({ customer, invoice: id, amount: 1500, currency: 'usd' })
  return { customer, id }
}

const pay = (id: string) => stripe.invoices.pay(id, { paid_out_of_band: true, expand: ['payments'] })
const typesSince = async (id: string | undefined) =>
  (await stripe.events.list({ limit: 100, ...(id !== undefined && { ending_before: id }) })).data
    .map(({ type }) => type)
    .reverse()

test('an open invoice that is credited in full emits no invoice.payment_succeeded', async () => {
  const { id } = await sentInvoice()
  const { amount_due } = await stripe.invoices.finalizeInvoice(id)
  const before = (await stripe.events.list({ limit: 1 })).data[0]
  await stripe.creditNotes.create({ invoice: id, amount: amount_due })
  expect((await stripe.invoices.retrieve(id)).status).toBe('paid')
  expect(await typesSince(before?.id)).toEqual(['credit_note.created', 'invoice.paid'])
})

test('an open invoice is paid without a charge, and its intent is canceled', async () => {
  const { customer, id } = await sentInvoice()
  await stripe.invoices.finalizeInvoice(id)
  const before = (await stripe.events.list({ limit: 1 })).data[0]
  const invoice = await pay(id)
  expect(invoice).toMatchObject({
    status: 'paid',
    amount_paid: 1500,
    amount_paid_off_stripe: 1500,
    amount_remaining: 0,
    attempted: false,
  })
  const [payment] = invoice.payments?.data ?? []
  expect(payment).toMatchObject({ status: 'canceled', amount_paid: null })
  expect((await stripe.paymentIntents.retrieve(idOf(payment?.payment.payment_intent))).status).toBe(
    'canceled',
  )
  expect((await stripe.charges.list({ customer })).data).toEqual([])
  expect(await typesSince(before?.id)).toEqual([
    'payment_intent.canceled',
    'invoice.paid',
    'invoice.payment_succeeded',
  ])
  expect(await errorOf(pay(id))).toMatchObject({ statusCode: 400 })
})

test('a draft is finalized first, and without anything due it is just paid', async () => {
  const { id } = await sentInvoice()
  expect(await pay(id)).toMatchObject({ status: 'paid', amount_paid_off_stripe: 1500 })
  const { customer } = await customerOnClock(stripe, JAN_31)
  const empty = await stripe.invoices.create({ customer })
  const paid = await pay(empty.id)
  expect(paid).toMatchObject({ status: 'paid', amount_paid: 0 })
  expect(paid.amount_paid_off_stripe).toBe(undefined)
})

test('older versions show paid_out_of_band', async () => {
  const shown = (id: string) =>
    sdk.twin.request('GET', `/v1/invoices/${id}`, undefined, { 'Stripe-Version': '2024-06-20' })
  const { id } = await sentInvoice()
  await stripe.invoices.finalizeInvoice(id)
  expect((await shown(id)).body).toMatchObject({ paid: false, paid_out_of_band: false })
  await pay(id)
  const { body } = await shown(id)
  expect(body).toMatchObject({ paid: true, paid_out_of_band: true, charge: null })
  expect('amount_paid_off_stripe' in body).toBe(false)
})

test('it activates a subscription that waits for its first payment, and renewals go on', async () => {
  const { customer, clock } = await customerOnClock(stripe, JAN_31)
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    payment_behavior: 'default_incomplete',
  })
  expect(made.status).toBe('incomplete')
  await pay(idOf(made.latest_invoice))
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('active')
  await sdk.advance(clock, JAN_31 + 29 * DAY)
  const [renewal] = (await stripe.invoices.list({ subscription: made.id })).data
  expect(renewal).toMatchObject({ billing_reason: 'subscription_cycle', status: 'paid' })
})

test('the draft of a renewal, and an invoice whose payment failed, can be paid', async () => {
  const { customer, clock } = await customerOnClock(stripe, JAN_31)
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price }] })
  await sdk.advance(clock, 1_772_272_800 + 60)
  const [draft] = (await stripe.invoices.list({ subscription: id })).data
  expect(draft?.status).toBe('draft')
  await pay(draft?.id ?? '')
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await stripe.subscriptions.update(id, { default_payment_method: failing.id })
  await sdk.advance(clock, 1_774_951_200 + DAY)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due')
  const [failed] = (await stripe.invoices.list({ subscription: id })).data
  const paid = await pay(failed?.id ?? '')
  expect(paid).toMatchObject({ status: 'paid', attempted: true, next_payment_attempt: null })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  expect((await stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({ delinquent: false })
  const { body } = await asOperator(sdk.twin)('GET', `explanations/${paid.id}`)
  expect(JSON.stringify(body)).toContain('a request marked it paid out of band, without a charge')
  const intent = idOf(paid.payments?.data[0]?.payment.payment_intent)
  const why = await asOperator(sdk.twin)('GET', `explanations/${intent}`)
  expect(JSON.stringify(why.body)).toContain('paid out of band')
})

test('a credit note cannot refund what was paid out of band', async () => {
  const { id } = await sentInvoice()
  await pay(id)
  const refunding = stripe.creditNotes.create({ invoice: id, amount: 500, refund_amount: 500 })
  expect((await errorOf(refunding)).param).toBe('refund_amount')
  const note = await stripe.creditNotes.create({ invoice: id, amount: 500, out_of_band_amount: 500 })
  expect(note).toMatchObject({ amount: 500, out_of_band_amount: 500 })
})

test('a payment method cannot be given too', async () => {
  const { id } = await sentInvoice()
  const both = stripe.invoices.pay(id, { paid_out_of_band: true, payment_method: 'pm_card_visa' })
  expect((await errorOf(both)).param).toBe('paid_out_of_band')
})
