import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { errorOf, idOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile({ send: async () => ({ status: 200, body: '' }) })
const { stripe } = sdk

const JAN_31 = 1769853600
const FEB_28 = 1772272800
const MAR_31 = 1774951200
const HOUR = 3_600
const DAY = 86_400

async function catalogue() {
  const product = await stripe.products.create({ name: 'Pro' })
  const monthly = { currency: 'usd', product: product.id, recurring: { interval: 'month' } } as const
  const basic = await stripe.prices.create({ ...monthly, unit_amount: 2000 })
  const plus = await stripe.prices.create({ ...monthly, unit_amount: 5000 })
  return { product, basic, plus }
}

async function customerOnClock(card = 'pm_card_visa') {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const customer = await stripe.customers.create({
    email: 'ada@example.com',
    test_clock: clock.id,
    payment_method: card,
  })
  const [method] = (await stripe.customers.listPaymentMethods(customer.id)).data
  await stripe.customers.update(customer.id, {
    invoice_settings: { default_payment_method: method?.id ?? '' },
  })
  return { clock, customer, method }
}

describe('a subscription through the official SDK', () => {
  test('is charged at once with the default method of its customer, and renews', async () => {
    const { basic } = await catalogue()
    const { clock, customer } = await customerOnClock()
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: basic.id }],
      expand: ['latest_invoice.payments.data.payment.payment_intent.latest_charge'],
    })
    expect(subscription).toMatchObject({ status: 'active', currency: 'usd', default_payment_method: null })
    expect(subscription.items.data[0]).toMatchObject({
      current_period_start: JAN_31,
      current_period_end: FEB_28,
      price: { id: basic.id, unit_amount: 2000 },
      quantity: 1,
    })
    const invoice = subscription.latest_invoice as Stripe.Invoice
    expect(invoice).toMatchObject({
      status: 'paid',
      amount_paid: 2000,
      billing_reason: 'subscription_create',
    })
    expect(invoice.parent?.subscription_details?.subscription).toBe(subscription.id)
    const intent = invoice.payments?.data[0]?.payment.payment_intent as Stripe.PaymentIntent
    expect(intent).toMatchObject({ status: 'succeeded', amount_received: 2000 })
    expect((intent.latest_charge as Stripe.Charge).paid).toBe(true)

    await sdk.advance(clock.id, FEB_28 + HOUR)
    const renewed = await stripe.subscriptions.retrieve(subscription.id)
    expect(renewed.items.data[0]?.current_period_end).toBe(MAR_31)
    const { data } = await stripe.invoices.list({ subscription: subscription.id })
    expect(data.map(({ billing_reason, status }) => [billing_reason, status])).toEqual([
      ['subscription_cycle', 'paid'],
      ['subscription_create', 'paid'],
    ])
  })

  test('waits for a confirmation with default_incomplete, and saves the payment method', async () => {
    const { basic } = await catalogue()
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
    const customer = await stripe.customers.create({ test_clock: clock.id })
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: basic.id }],
      payment_behavior: 'default_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
      expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments'],
    })
    expect(subscription.status).toBe('incomplete')
    const invoice = subscription.latest_invoice as Stripe.Invoice
    expect(invoice).toMatchObject({ status: 'open', attempted: false, attempt_count: 0 })
    const secret = invoice.confirmation_secret?.client_secret ?? ''
    const id = idOf(invoice.payments?.data[0]?.payment.payment_intent)
    expect(secret.startsWith(`${id}_secret_`)).toBe(true)
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('requires_payment_method')

    const declined = await errorOf(
      stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_chargeDeclined' }),
    )
    expect(declined).toMatchObject({ type: 'StripeCardError', code: 'card_declined', statusCode: 402 })
    expect(declined.payment_intent?.status).toBe('requires_payment_method')
    const confirmed = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' })
    expect(confirmed.status).toBe('succeeded')
    const active = await stripe.subscriptions.retrieve(subscription.id)
    expect(active).toMatchObject({ status: 'active', default_payment_method: idOf(confirmed.payment_method) })
    await sdk.advance(clock.id, FEB_28 + HOUR)
    expect((await stripe.invoices.list({ subscription: subscription.id })).data[0]?.status).toBe('paid')
  })

  test('expires 23 hours after a first payment that nobody confirmed, without retries', async () => {
    const { basic } = await catalogue()
    const { clock, customer } = await customerOnClock('pm_card_chargeCustomerFail')
    const { id, status } = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: basic.id }],
    })
    expect(status).toBe('incomplete')
    const [invoice] = (await stripe.invoices.list({ subscription: id })).data
    expect(invoice).toMatchObject({ status: 'open', attempted: true, next_payment_attempt: null })
    await sdk.advance(clock.id, JAN_31 + 23 * 3_600 - 1)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('incomplete')
    await sdk.advance(clock.id, JAN_31 + 23 * 3_600)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('incomplete_expired')
    expect((await stripe.invoices.retrieve(invoice?.id ?? '')).status).toBe('void')
  })

  test('is past due after a declined renewal, is retried, and ends after the last retry', async () => {
    const { basic } = await catalogue()
    const { clock, customer } = await customerOnClock()
    const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: basic.id }] })
    const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
      customer: customer.id,
    })
    await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: failing.id } })
    await sdk.advance(clock.id, FEB_28)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
    await sdk.advance(clock.id, FEB_28 + HOUR)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due')
    const [invoice] = (await stripe.invoices.list({ subscription: id, limit: 1 })).data
    expect(invoice).toMatchObject({
      status: 'open',
      attempt_count: 1,
      next_payment_attempt: FEB_28 + HOUR + DAY,
    })
    await sdk.advance(clock.id, FEB_28 + HOUR + 7 * DAY)
    const ended = await stripe.subscriptions.retrieve(id)
    expect(ended).toMatchObject({ status: 'canceled', cancellation_details: { reason: 'payment_failed' } })
  })

  test('prorates an upgrade by default, previews it, and cancels', async () => {
    const { basic, plus } = await catalogue()
    const { clock, customer } = await customerOnClock()
    const { id, items } = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: basic.id }],
    })
    await sdk.advance(clock.id, JAN_31 + 14 * DAY)
    const change = [{ id: items.data[0]?.id ?? '', price: plus.id }]
    const preview = await stripe.invoices.createPreview({
      subscription: id,
      subscription_details: { items: change, proration_behavior: 'always_invoice' },
    })
    // Half of the 28 days remain: 1000 of 2000 are credited, 2500 of 5000 are charged.
    expect(preview).toMatchObject({ total: 1500, status: 'draft' })
    expect(preview.id.startsWith('upcoming_in_')).toBe(true)
    await stripe.subscriptions.update(id, { items: change })
    const { data } = await stripe.invoiceItems.list({ customer: customer.id, pending: true })
    expect(data.map(({ amount, proration }) => [amount, proration]).toSorted()).toEqual([
      [-1000, true],
      [2500, true],
    ])
    await sdk.advance(clock.id, FEB_28 + HOUR)
    const [renewal] = (await stripe.invoices.list({ subscription: id, limit: 1 })).data
    expect(renewal).toMatchObject({ total: 6500, status: 'paid' })
    const lines = await stripe.invoices.listLineItems(renewal?.id ?? '').autoPagingToArray({ limit: 10 })
    expect(lines.map(({ amount, parent }) => [amount, parent?.type])).toEqual([
      [-1000, 'invoice_item_details'],
      [2500, 'invoice_item_details'],
      [5000, 'subscription_item_details'],
    ])
    const canceled = await stripe.subscriptions.cancel(id)
    expect(canceled).toMatchObject({ status: 'canceled', ended_at: FEB_28 + HOUR })
  })

  test('begins a trial with a paid invoice of zero', async () => {
    const { basic } = await catalogue()
    const { customer } = await customerOnClock()
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: basic.id }],
      trial_period_days: 14,
      expand: ['latest_invoice'],
    })
    const invoice = subscription.latest_invoice as Stripe.Invoice
    expect(subscription.status).toBe('trialing')
    expect(invoice).toMatchObject({ status: 'paid', total: 0, billing_reason: 'subscription_create' })
    expect(invoice.lines.data[0]?.description).toBe('Free trial for 1 × Pro')
    const planned = await stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: 'now',
      phases: [{ items: [{ price: basic.id }], trial: true, duration: { interval: 'month' } }],
      expand: ['subscription.latest_invoice'],
    })
    const { latest_invoice } = planned.subscription as Stripe.Subscription
    expect((latest_invoice as Stripe.Invoice).lines.data[0]?.description).toBe('Free trial for 1 × Pro')
  })
})

describe('payments', () => {
  test('are charged and refunded', async () => {
    const intent = await stripe.paymentIntents.create({
      amount: 1000,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      automatic_payment_methods: { enabled: true },
    })
    expect(intent.status).toBe('succeeded')
    const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 400 })
    expect(refund).toMatchObject({ status: 'succeeded', amount: 400, charge: idOf(intent.latest_charge) })
    const charge = await stripe.charges.retrieve(idOf(intent.latest_charge))
    expect(charge).toMatchObject({ amount_refunded: 400, refunded: false })
  })

  test('refuse to attach a card that is declined', async () => {
    const customer = await stripe.customers.create()
    const error = await errorOf(
      stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: customer.id }),
    )
    expect(error).toMatchObject({ type: 'StripeCardError', code: 'card_declined', statusCode: 402 })
    expect(error.decline_code).toBe('generic_decline')
  })
})
