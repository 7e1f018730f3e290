import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_ADDRESS } from '../../../src/core/contact.ts'
import { SUCCESS, submit } from './checkout.ts'
import { customerOnClock, errorOf, idOf, type StripeTwin, startStripe } from './sdk.ts'

const JAN_31 = 1_769_853_600
const DAY = 86_400
const automatic_tax = { enabled: true }
const address = { country: 'DE', postal_code: '10115' }
const COMPLETE = {
  disabled_reason: null,
  enabled: true,
  liability: { type: 'self' },
  provider: 'stripe',
  status: 'complete',
}

let sdk: StripeTwin
let stripe: Stripe
let price: string
beforeAll(async () => {
  sdk = await startStripe()
  stripe = sdk.stripe
  const made = await stripe.prices.create({
    currency: 'eur',
    unit_amount: 2000,
    recurring: { interval: 'month' },
    product_data: { name: 'Pro' },
  })
  price = made.id
})
afterAll(() => sdk.close())

describe('a subscription with automatic tax', () => {
  test('needs the location of its customer', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const items = [{ price }]
    const error = await errorOf(stripe.subscriptions.create({ customer, items, automatic_tax }))
    expect(error).toMatchObject({ code: 'customer_tax_location_invalid', statusCode: 400 })
    expect((await stripe.subscriptions.list({ customer })).data).toEqual([])
    await stripe.customers.update(customer, { shipping: { name: 'Ada', address } })
    const made = await stripe.subscriptions.create({ customer, items, automatic_tax })
    expect(made.automatic_tax).toEqual({ disabled_reason: null, enabled: true, liability: { type: 'self' } })
  })

  test('finds the location in the billing details of the payment method too', async () => {
    const { id: customer } = await stripe.customers.create()
    const billing_details = { address }
    const { id } = await stripe.paymentMethods.create({
      type: 'card',
      card: { token: 'tok_visa' },
      billing_details,
    })
    await stripe.paymentMethods.attach(id, { customer })
    const given = { customer, items: [{ price }], automatic_tax, default_payment_method: id }
    expect((await stripe.subscriptions.create(given)).status).toBe('active')
  })

  test('has invoices whose taxes are calculated, and are zero', async () => {
    const { customer, clock } = await customerOnClock(stripe, JAN_31)
    await stripe.customers.update(customer, { address })
    const { id } = await stripe.subscriptions.create({ customer, items: [{ price }], automatic_tax })
    await sdk.advance(clock, JAN_31 + 40 * DAY)
    const { data } = await stripe.invoices.list({ subscription: id })
    expect(data).toHaveLength(2)
    for (const invoice of data)
      expect(invoice).toMatchObject({ automatic_tax: COMPLETE, total: 2000, total_taxes: [] })
    const [event] = (await stripe.events.list({ type: 'invoice.paid', limit: 1 })).data
    expect(event?.data.object).toMatchObject({ automatic_tax: COMPLETE })
  })

  test('keeps it: an update cannot change it', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    await stripe.customers.update(customer, { address })
    const taxed = await stripe.subscriptions.create({ customer, items: [{ price }], automatic_tax })
    await stripe.subscriptions.update(taxed.id, { automatic_tax, metadata: { seen: 'yes' } })
    const off = stripe.subscriptions.update(taxed.id, { automatic_tax: { enabled: false } })
    expect((await errorOf(off)).param).toBe('automatic_tax[enabled]')
    const plain = await stripe.subscriptions.create({ customer, items: [{ price }] })
    expect(plain.automatic_tax.enabled).toBe(false)
    const on = stripe.subscriptions.update(plain.id, { automatic_tax })
    expect((await errorOf(on)).param).toBe('automatic_tax[enabled]')
  })

  test('can be previewed', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const items = [{ price }]
    const preview = () =>
      stripe.invoices.createPreview({ customer, subscription_details: { items }, automatic_tax })
    expect((await preview()).automatic_tax.status).toBe('requires_location_inputs')
    await stripe.customers.update(customer, { address })
    expect((await preview()).automatic_tax).toEqual(COMPLETE)
  })
})

describe('a Checkout session with automatic tax', () => {
  const session = (given: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
    stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price, quantity: 1 }],
      ...SUCCESS,
      automatic_tax,
      ...given,
    })

  test('asks for an address, and then taxes the subscription', async () => {
    const { id, automatic_tax: open } = await session()
    expect(open.status).toBe('requires_location_inputs')
    await expect(submit(sdk, id)).rejects.toMatchObject({ param: 'address' })
    await submit(sdk, id, { address: { ...NO_ADDRESS, ...address } })
    const done = await stripe.checkout.sessions.retrieve(id, { expand: ['subscription', 'invoice'] })
    expect(done).toMatchObject({
      status: 'complete',
      automatic_tax: { enabled: true, status: 'complete', provider: 'stripe', liability: { type: 'self' } },
      total_details: { amount_tax: 0 },
      subscription: { automatic_tax: { enabled: true } },
      invoice: { automatic_tax: COMPLETE, total: 2000 },
    })
  })

  test('needs a customer with an address, or one that may be saved', async () => {
    const { id: customer } = await stripe.customers.create({ email: 'ada@example.com' })
    const error = await errorOf(session({ customer }))
    expect(error).toMatchObject({ code: 'customer_tax_location_invalid' })
    expect((await session({ customer, customer_update: { address: 'auto' } })).status).toBe('open')
    await stripe.customers.update(customer, { address })
    const { id, automatic_tax: known } = await session({ customer })
    expect(known.status).toBe('complete')
    await submit(sdk, id)
    const done = await stripe.checkout.sessions.retrieve(id)
    const made = await stripe.subscriptions.retrieve(idOf(done.subscription))
    expect(made.automatic_tax.enabled).toBe(true)
  })

  test('takes a payment, but makes no invoice of it and saves no card', async () => {
    const once = { currency: 'eur', unit_amount: 300, product_data: { name: 'Cap' } }
    const line_items = [{ quantity: 1, price_data: once }]
    const { id } = await session({ mode: 'payment', line_items })
    await submit(sdk, id, { address: { ...NO_ADDRESS, ...address } })
    expect((await stripe.checkout.sessions.retrieve(id)).automatic_tax.status).toBe('complete')
    const invoiced = session({ mode: 'payment', line_items, invoice_creation: { enabled: true } })
    expect((await errorOf(invoiced)).param).toBe('automatic_tax')
    const saved = stripe.checkout.sessions.create({
      mode: 'setup',
      currency: 'eur',
      ...SUCCESS,
      automatic_tax,
    })
    expect((await errorOf(saved)).param).toBe('automatic_tax')
  })
})

test('a manual invoice with automatic tax is refused', async () => {
  const { id: customer } = await stripe.customers.create({ address })
  const error = await errorOf(stripe.invoices.create({ customer, automatic_tax }))
  expect(error.param).toBe('automatic_tax[enabled]')
})
