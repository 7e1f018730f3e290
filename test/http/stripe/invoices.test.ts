import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { errorOf, idOf, stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile()

const NOW = 1_769_853_600
const DAY = 86_400

/** Creates a customer with a default card. */
async function customerWithCard() {
  const { id } = await stripe.customers.create({ payment_method: 'pm_card_visa' })
  const [method] = (await stripe.customers.listPaymentMethods(id)).data
  await stripe.customers.update(id, { invoice_settings: { default_payment_method: method?.id ?? '' } })
  return { customer: id, method: method?.id ?? '' }
}

/** Creates a draft with one item. */
async function draft(customer: string, params: Partial<Stripe.InvoiceCreateParams> = {}) {
  const { id } = await stripe.invoices.create({ customer, ...params })
  await stripe.invoiceItems.create({ customer, invoice: id, amount: 1000, currency: 'usd' })
  return id
}

describe('an invoice', () => {
  test('that is a draft is updated', async () => {
    const { customer } = await customerWithCard()
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10 })
    const id = await draft(customer, { metadata: { order: '7' } })
    const updated = await stripe.invoices.update(id, {
      description: 'Set-up',
      metadata: { team: 'core' },
      collection_method: 'send_invoice',
      days_until_due: 10,
      discounts: [{ coupon }],
    })
    expect(updated).toMatchObject({
      status: 'draft',
      description: 'Set-up',
      metadata: { order: '7', team: 'core' },
      collection_method: 'send_invoice',
      total: 900,
    })
    expect((await stripe.invoices.finalizeInvoice(id)).due_date).toBe(NOW + 10 * DAY)
  })

  test('keeps a discount by its id, and ends those that it loses', async () => {
    const { customer } = await customerWithCard()
    const { id: ten } = await stripe.coupons.create({ percent_off: 10 })
    const { id: half } = await stripe.coupons.create({ percent_off: 50 })
    const id = await draft(customer, { discounts: [{ coupon: ten }] })
    const [kept] = (await stripe.invoices.retrieve(id)).discounts.map(idOf)
    const both = await stripe.invoices.update(id, { discounts: [{ discount: kept ?? '' }, { coupon: half }] })
    // 10.00 less 10 % is 9.00, of which a half is 4.50.
    expect(both.total).toBe(450)
    expect((await stripe.invoices.update(id, { discounts: '' })).total).toBe(1000)
    const lost = await errorOf(stripe.invoices.update(id, { discounts: [{ discount: kept ?? '' }] }))
    expect(lost).toMatchObject({ statusCode: 400, param: 'discounts[0][discount]' })
  })

  test('that is finalized takes only a description and metadata', async () => {
    const { customer } = await customerWithCard()
    const id = await draft(customer)
    await stripe.invoices.finalizeInvoice(id)
    const updated = await stripe.invoices.update(id, { description: 'Paid soon', metadata: { a: 'b' } })
    expect(updated).toMatchObject({ status: 'open', description: 'Paid soon', metadata: { a: 'b' } })
    const error = await errorOf(stripe.invoices.update(id, { collection_method: 'send_invoice' }))
    expect(error).toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400 })
    expect((await stripe.invoices.retrieve(id)).collection_method).toBe('charge_automatically')
  })

  test('that is charged automatically has no days until its due date', async () => {
    const { customer } = await customerWithCard()
    const error = await errorOf(stripe.invoices.update(await draft(customer), { days_until_due: 10 }))
    expect(error).toMatchObject({ statusCode: 400, param: 'days_until_due' })
  })

  test('is sent, which finalizes a draft, unless it is charged automatically', async () => {
    const { customer } = await customerWithCard()
    const id = await draft(customer, { collection_method: 'send_invoice', days_until_due: 30 })
    expect(await stripe.invoices.sendInvoice(id)).toMatchObject({ status: 'open', due_date: NOW + 30 * DAY })
    expect((await stripe.invoices.sendInvoice(id)).status).toBe('open')
    const events = (await stripe.events.list({ type: 'invoice.sent' })).data
    expect(events.map(({ data }) => data.object)).toMatchObject([
      { id, status: 'open' },
      { id, status: 'open' },
    ])
    await stripe.invoices.voidInvoice(id)
    expect(await errorOf(stripe.invoices.sendInvoice(id))).toMatchObject({ statusCode: 400 })
    const automatic = await draft(customer)
    expect(await errorOf(stripe.invoices.sendInvoice(automatic))).toMatchObject({ statusCode: 400 })
    expect((await stripe.invoices.retrieve(automatic)).status).toBe('draft')
  })

  test('cancels its payment intent when it is voided', async () => {
    const { customer } = await customerWithCard()
    const id = await draft(customer)
    await stripe.invoices.finalizeInvoice(id)
    await stripe.invoices.voidInvoice(id)
    const [event] = (await stripe.events.list({ type: 'payment_intent.canceled', limit: 1 })).data
    expect(event?.data.object).toMatchObject({
      customer,
      status: 'canceled',
      cancellation_reason: 'void_invoice',
    })
    // An intent that was canceled before has no further event.
    const other = await draft(customer)
    await stripe.invoices.finalizeInvoice(other)
    const payment = (await stripe.invoices.retrieve(other)).payments?.data[0]
    await stripe.paymentIntents.cancel(idOf(payment?.payment.payment_intent)).catch(() => undefined)
    await stripe.invoices.voidInvoice(other)
    const events = (await stripe.events.list({ type: 'payment_intent.canceled' })).data
    const isOfOther = ({ data: { object } }: Stripe.Event) =>
      'id' in object && object.id === idOf(payment?.payment.payment_intent)
    expect(events.filter(isOfOther)).toHaveLength(1)
  })
})

describe('the payments of invoices', () => {
  test('are shown in the invoice, listed and retrieved', async () => {
    const { customer } = await customerWithCard()
    const [open, paid, voided] = [await draft(customer), await draft(customer), await draft(customer)]
    for (const id of [open, paid, voided]) await stripe.invoices.finalizeInvoice(id)
    await stripe.invoices.pay(paid)
    await stripe.invoices.voidInvoice(voided)
    const paymentOf = async (id: string) => (await stripe.invoices.retrieve(id)).payments?.data[0]
    const payment = await paymentOf(paid)
    expect(payment).toMatchObject({ invoice: paid, status: 'paid', amount_paid: 1000, is_default: true })
    const id = payment?.id ?? ''
    const retrieved = await stripe.invoicePayments.retrieve(id, {
      expand: ['invoice', 'payment.payment_intent'],
    })
    expect(retrieved).toMatchObject({
      id,
      invoice: { id: paid },
      payment: { type: 'payment_intent', payment_intent: { status: 'succeeded', amount: 1000 } },
    })

    const ids = async (params: Stripe.InvoicePaymentListParams) =>
      (await stripe.invoicePayments.list({ limit: 3, ...params })).data.map((each) => each.invoice)
    expect(await ids({})).toEqual([voided, paid, open])
    expect(await ids({ status: 'open', limit: 1 })).toEqual([open])
    expect(await ids({ status: 'canceled', limit: 1 })).toEqual([voided])
    expect(await ids({ invoice: paid, status: 'paid', created: { gte: NOW } })).toEqual([paid])
    expect(await ids({ invoice: paid, status: 'open' })).toEqual([])
    expect(await ids({ created: { gt: NOW } })).toEqual([])
    const intent = idOf(payment?.payment.payment_intent)
    expect(await ids({ payment: { type: 'payment_intent', payment_intent: intent } })).toEqual([paid])
    const all = await stripe.invoicePayments.list({ limit: 1 }).autoPagingToArray({ limit: 3 })
    expect(all.map((each) => each.invoice)).toEqual([voided, paid, open])
    expect(await errorOf(stripe.invoicePayments.retrieve('inpay_none'))).toMatchObject({
      statusCode: 404,
      message: "No such invoice_payment: 'inpay_none'",
    })
    expect(await errorOf(stripe.invoicePayments.list({ invoice: 'in_none' }))).toMatchObject({
      statusCode: 400,
      param: 'invoice',
    })
  })
})

describe('a plan', () => {
  test('is a recurring price in its older form', async () => {
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    const tiers = [{ up_to: 10, unit_amount: 500 } as const, { up_to: 'inf', unit_amount: 300 } as const]
    const price = await stripe.prices.create({
      product,
      currency: 'usd',
      recurring: { interval: 'year' },
      billing_scheme: 'tiered',
      tiers_mode: 'graduated',
      tiers,
    })
    const once = await stripe.prices.create({ product, currency: 'usd', unit_amount: 500 })
    const plan = await stripe.plans.retrieve(price.id, { expand: ['product', 'tiers'] })
    expect(plan).toMatchObject({ id: price.id, object: 'plan', interval: 'year', product: { id: product } })
    expect(plan.tiers).toHaveLength(2)
    expect((await stripe.plans.list({ product, active: true })).data.map(({ id }) => id)).toEqual([price.id])
    expect(await errorOf(stripe.plans.retrieve(once.id))).toMatchObject({
      statusCode: 404,
      message: `No such plan: '${once.id}'`,
    })
    expect(await stripe.prices.retrieve(price.id)).not.toHaveProperty('tiers')
  })
})

describe('a payment method', () => {
  test('is retrieved through its customer only', async () => {
    const { customer, method } = await customerWithCard()
    const found = await stripe.customers.retrievePaymentMethod(customer, method)
    expect(found).toMatchObject({ id: method, customer })
    const { id: other } = await stripe.customers.create()
    expect(await errorOf(stripe.customers.retrievePaymentMethod(other, method))).toMatchObject({
      statusCode: 404,
      message: `No such payment_method: '${method}'`,
    })
  })
})

describe('the items of a subscription', () => {
  test('are listed, retrieved, added, updated and removed', async () => {
    const { customer } = await customerWithCard()
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    const monthly = (unit_amount: number) =>
      stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval: 'month' } })
    const [basic, plus] = [await monthly(1000), await monthly(3000)]
    const { id, items } = await stripe.subscriptions.create({ customer, items: [{ price: basic.id }] })
    const first = items.data[0]?.id ?? ''
    const added = await stripe.subscriptionItems.create({ subscription: id, price: plus.id, quantity: 2 })
    const listed = await stripe.subscriptionItems.list({ subscription: id })
    expect(listed.data.map((item) => item.id)).toEqual([first, added.id])
    const paged = await stripe.subscriptionItems
      .list({ subscription: id, limit: 1 })
      .autoPagingToArray({ limit: 5 })
    expect(paged.map((item) => item.id)).toEqual([first, added.id])
    expect((await stripe.subscriptionItems.update(added.id, { quantity: 3 })).quantity).toBe(3)
    expect((await stripe.subscriptionItems.retrieve(added.id)).quantity).toBe(3)
    expect(await stripe.subscriptionItems.del(added.id)).toEqual({
      id: added.id,
      object: 'subscription_item',
      deleted: true,
    })
    expect(await errorOf(stripe.subscriptionItems.retrieve(added.id))).toMatchObject({ statusCode: 404 })
  })
})
