import type Stripe from 'stripe'
import { expect } from 'vitest'
import type { VersionedSdk } from './stripe-sdks.ts'

type Json = Readonly<Record<string, unknown>>

/** What an application reads and calls differently before and since version 2025-03-31.basil. */
export type Era = {
  /** The paths with the intent of the first invoice of a subscription. */
  readonly intentPaths: readonly string[]
  /** Returns the intent and the client secret of an invoice that was expanded along these paths. */
  readonly intentOf: (invoice: Stripe.Invoice) => { readonly id: string; readonly secret: string }
  readonly periodOf: (subscription: Stripe.Subscription) => readonly unknown[]
  readonly subscriptionOf: (invoice: Stripe.Invoice) => unknown
  readonly priceOf: (line: Stripe.InvoiceLineItem) => unknown
  /** The parameters that redeem a coupon for a subscription. */
  readonly redeeming: (coupon: string) => object
  /** The parameters of a promotion code for a coupon. */
  readonly promoting: (coupon: string) => object
  /** The parameters of an invoice item with a price. */
  readonly pricing: (price: string) => object
  /** What the SDK calls a page that is served by the sandbox. */
  readonly uiMode: string
  /** Previews a change of the items of a subscription, billed at once. */
  readonly preview: (stripe: Stripe, subscription: string, items: object[]) => Promise<Stripe.Invoice>
}

/** Reads a field that the types of the newest SDK do not have. */
const old = <T>(object: object, field: string): T => (object as Json)[field] as T

export const BEFORE_BASIL: Era = {
  intentPaths: ['latest_invoice.payment_intent'],
  intentOf: (invoice) => {
    const { id, client_secret } = old<Stripe.PaymentIntent>(invoice, 'payment_intent')
    return { id, secret: client_secret ?? '' }
  },
  periodOf: (subscription) => [
    old(subscription, 'current_period_start'),
    old(subscription, 'current_period_end'),
  ],
  subscriptionOf: (invoice) => old(invoice, 'subscription'),
  priceOf: (line) => old<Stripe.Price>(line, 'price').id,
  redeeming: (coupon) => ({ coupon }),
  promoting: (coupon) => ({ coupon }),
  pricing: (price) => ({ price }),
  uiMode: 'hosted',
  preview: (stripe, subscription, subscription_items) =>
    (
      stripe.invoices as unknown as { retrieveUpcoming(params: object): Promise<Stripe.Invoice> }
    ).retrieveUpcoming({
      subscription,
      subscription_items,
      subscription_proration_behavior: 'always_invoice',
    }),
}

export const SINCE_BASIL: Era = {
  intentPaths: ['latest_invoice.confirmation_secret', 'latest_invoice.payments'],
  intentOf: ({ payments, confirmation_secret }) => ({
    id: String(payments?.data[0]?.payment.payment_intent),
    secret: confirmation_secret?.client_secret ?? '',
  }),
  periodOf: ({
    items: {
      data: [item],
    },
  }) => [item?.current_period_start, item?.current_period_end],
  subscriptionOf: ({ parent }) => parent?.subscription_details?.subscription,
  priceOf: ({ pricing }) => pricing?.price_details?.price,
  redeeming: (coupon) => ({ discounts: [{ coupon }] }),
  promoting: (coupon) => ({ promotion: { type: 'coupon', coupon } }),
  pricing: (price) => ({ pricing: { price } }),
  uiMode: 'hosted_page',
  preview: (stripe, subscription, items) =>
    stripe.invoices.createPreview({
      subscription,
      subscription_details: { items, proration_behavior: 'always_invoice' },
    }),
}

const JAN_31 = 1769853600
const FEB_28 = 1772272800
const MAR_31 = 1774951200
const DAY = 86_400

/**
 * Runs the life of a subscription through an SDK, as an application of its time writes it: a first payment that is confirmed later,
 * a renewal, an upgrade, and the end.
 * @returns the version of the responses
 */
export async function runStory(
  { stripe, Sdk, twin, received, typeErrorsIn }: VersionedSdk,
  era: Era,
): Promise<string> {
  const version = (await stripe.products.list()).lastResponse.apiVersion ?? ''
  const endpoint = await stripe.webhookEndpoints.create({
    url: 'http://localhost:9/hook',
    enabled_events: ['customer.subscription.updated', 'invoice.paid'],
    api_version: version as Stripe.WebhookEndpointCreateParams.ApiVersion,
  })
  expect(endpoint.api_version).toBe(version)

  const product = await stripe.products.create({ name: 'Pro' })
  const monthly = { product: product.id, currency: 'usd', recurring: { interval: 'month' } } as const
  const basic = await stripe.prices.create({ ...monthly, unit_amount: 2000 })
  const plus = await stripe.prices.create({ ...monthly, unit_amount: 5000 })
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const customer = await stripe.customers.create({ email: 'ada@example.com', test_clock: clock.id })
  const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })

  const created = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: basic.id }],
    payment_behavior: 'default_incomplete',
    payment_settings: { save_default_payment_method: 'on_subscription' },
    expand: [...era.intentPaths],
  })
  expect(created.status).toBe('incomplete')
  const intent = era.intentOf(created.latest_invoice as Stripe.Invoice)
  expect(intent.secret).toMatch(new RegExp(`^${intent.id}_secret_`))
  await stripe.paymentIntents.confirm(intent.id, { payment_method: method.id })
  const active = await stripe.subscriptions.retrieve(created.id)
  expect(active).toMatchObject({ status: 'active', default_payment_method: method.id })
  expect(era.periodOf(active)).toEqual([JAN_31, FEB_28])

  await advance(stripe, clock.id, FEB_28)
  const renewed = await stripe.subscriptions.retrieve(created.id, { expand: ['latest_invoice.customer'] })
  expect(era.periodOf(renewed)).toEqual([FEB_28, MAR_31])
  expect(renewed.latest_invoice).toMatchObject({
    customer: { id: customer.id },
    billing_reason: 'subscription_cycle',
  })

  // 15.5 of the 31 days remain: 1000 of 2000 are credited, 2500 of 5000 are charged.
  await advance(stripe, clock.id, FEB_28 + 15.5 * DAY)
  const items = [{ id: renewed.items.data[0]?.id ?? '', price: plus.id }]
  const preview = await era.preview(stripe, created.id, items)
  expect(preview.total).toBe(1500)
  await stripe.subscriptions.update(created.id, { items, proration_behavior: 'always_invoice' })
  const { data: invoices } = await stripe.invoices.list({ subscription: created.id })
  expect(invoices.map(({ billing_reason, status, total }) => [billing_reason, status, total])).toEqual([
    ['subscription_update', 'paid', 1500],
    ['subscription_cycle', 'paid', 2000],
    ['subscription_create', 'paid', 2000],
  ])
  expect(invoices.map(era.subscriptionOf)).toEqual([created.id, created.id, created.id])
  const { data: lines } = await stripe.invoices.listLineItems(invoices[0]?.id ?? '')
  expect(lines.map((line) => [era.priceOf(line), line.amount])).toEqual([
    [basic.id, -1000],
    [plus.id, 2500],
  ])
  const canceled = await stripe.subscriptions.cancel(created.id)
  expect(canceled).toMatchObject({ status: 'canceled', ended_at: FEB_28 + 15.5 * DAY })

  await twin.sandbox.engine.outbox.settled(twin.sandbox.merchant)
  const events = received.map(({ headers, body }) =>
    new Sdk('sk_test_other').webhooks.constructEvent(
      body,
      headers['Stripe-Signature'] ?? '',
      endpoint.secret ?? '',
    ),
  )
  expect(events.map(({ api_version }) => api_version)).toEqual(events.map(() => version))
  expect(events.flatMap(typeErrorsIn)).toEqual([])
  const paid = events.flatMap((event) => (event.type === 'invoice.paid' ? [event.data.object] : []))
  expect(paid.map(era.subscriptionOf)).toEqual([created.id, created.id, created.id])
  return version
}

async function advance(stripe: Stripe, clock: string, to: number): Promise<void> {
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: to })
  while ((await stripe.testHelpers.testClocks.retrieve(clock)).status !== 'ready')
    await new Promise((resolve) => setImmediate(resolve))
}
