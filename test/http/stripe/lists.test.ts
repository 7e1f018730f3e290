import type Stripe from 'stripe'
import { beforeAll, expect, test } from 'vitest'
import { stripeRoutes } from '../../../src/build/stripe-reference.ts'
import { idOf, stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile({ send: async () => ({ status: 200, body: '' }) })
let subscription: string
beforeAll(async () => {
  for (let index = 0; index < 3; index += 1) subscription = await populate(index)
})

/** Creates an object of each kind that is listed. Returns the id of the subscription. */
async function populate(index: number): Promise<string> {
  const recurring = { interval: 'month' } as const
  const default_price_data = { currency: 'usd', unit_amount: 2000, recurring }
  const product = await stripe.products.create({ name: 'Pro', default_price_data })
  const price = idOf(product.default_price)
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10 })
  await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
  const { id: customer } = await stripe.customers.create({ payment_method: 'pm_card_visa' })
  const [method] = (await stripe.customers.listPaymentMethods(customer)).data
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method?.id ?? '' } })
  const payment = { amount: 700, currency: 'usd', payment_method: 'pm_card_createDispute', confirm: true }
  await stripe.paymentIntents.create(payment)
  await stripe.setupIntents.create({ customer })
  const { id, latest_invoice } = await stripe.subscriptions.create({ customer, items: [{ price }] })
  for (let further = 0; further < 2; further += 1)
    await stripe.subscriptionItems.create({
      subscription: id,
      price_data: { ...default_price_data, product: product.id },
    })
  await stripe.subscriptionSchedules.create({ from_subscription: id })
  await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
  await stripe.creditNotes.create({ invoice: idOf(latest_invoice), amount: 100, credit_amount: 100 })
  const [charge] = (await stripe.charges.list({ customer })).data
  await stripe.refunds.create({ charge: charge?.id ?? '', amount: 100 })
  const event_name = `calls_${index}`
  const default_aggregation = { formula: 'sum' } as const
  await stripe.billing.meters.create({ display_name: 'Calls', event_name, default_aggregation })
  await stripe.webhookEndpoints.create({ url: 'http://localhost:9/hook', enabled_events: ['coupon.created'] })
  await stripe.testHelpers.testClocks.create({ frozen_time: 1_769_853_600 })
  await stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', success_url: 'http://localhost/' })
  await stripe.billingPortal.configurations.create({ features: { invoice_history: { enabled: true } } })
  return id
}

type List = (params: Stripe.PaginationParams) => Stripe.ApiListPromise<{ id: string }>

/** Each list of the API by its path. Lists within an object are tested with it. */
const LISTS: Readonly<Record<string, List>> = {
  '/v1/products': (params) => stripe.products.list(params),
  '/v1/prices': (params) => stripe.prices.list(params),
  '/v1/plans': (params) => stripe.plans.list(params),
  '/v1/coupons': (params) => stripe.coupons.list(params),
  '/v1/promotion_codes': (params) => stripe.promotionCodes.list(params),
  '/v1/customers': (params) => stripe.customers.list(params),
  '/v1/payment_methods': (params) => stripe.paymentMethods.list(params),
  '/v1/payment_intents': (params) => stripe.paymentIntents.list(params),
  '/v1/setup_intents': (params) => stripe.setupIntents.list(params),
  '/v1/charges': (params) => stripe.charges.list(params),
  '/v1/refunds': (params) => stripe.refunds.list(params),
  '/v1/disputes': (params) => stripe.disputes.list(params),
  '/v1/balance_transactions': (params) => stripe.balanceTransactions.list(params),
  '/v1/subscriptions': (params) => stripe.subscriptions.list(params),
  '/v1/subscription_items': (params) => stripe.subscriptionItems.list({ subscription, ...params }),
  '/v1/subscription_schedules': (params) => stripe.subscriptionSchedules.list(params),
  '/v1/invoices': (params) => stripe.invoices.list(params),
  '/v1/invoice_payments': (params) => stripe.invoicePayments.list(params),
  '/v1/invoiceitems': (params) => stripe.invoiceItems.list(params),
  '/v1/credit_notes': (params) => stripe.creditNotes.list(params),
  '/v1/billing/meters': (params) => stripe.billing.meters.list(params),
  '/v1/billing_portal/configurations': (params) => stripe.billingPortal.configurations.list(params),
  '/v1/checkout/sessions': (params) => stripe.checkout.sessions.list(params),
  '/v1/events': (params) => stripe.events.list(params),
  '/v1/webhook_endpoints': (params) => stripe.webhookEndpoints.list(params),
  '/v1/test_helpers/test_clocks': (params) => stripe.testHelpers.testClocks.list(params),
}

test.each(Object.entries(LISTS))(
  '%s has pages, which the SDK follows in both directions',
  async (url, list) => {
    const ids = async (params: Stripe.PaginationParams) =>
      (await list(params).autoPagingToArray({ limit: 500 })).map(({ id }) => id)
    const all = await ids({ limit: 100 })
    expect(all.length).toBeGreaterThan(2)
    expect(new Set(all).size).toBe(all.length)
    const first = await list({ limit: 1 })
    expect(first).toMatchObject({ object: 'list', url, has_more: true, data: [{ id: all[0] }] })
    expect(await ids({ limit: 2 })).toEqual(all)
    const last = all.at(-1) ?? ''
    expect(await ids({ limit: 2, ending_before: last })).toEqual(all.slice(0, -1).reverse())
    expect((await list({ limit: 100, starting_after: all.at(-2) ?? '' })).has_more).toBe(false)
  },
)

test('all lists of the API are tested', () => {
  const isList = ({ method, path, params }: ReturnType<typeof stripeRoutes>[number]) =>
    method === 'get' &&
    !path.includes('/:') &&
    'limit' in ((params?.() as { shape?: object } | undefined)?.shape ?? {})
  const paths = stripeRoutes().flatMap((route) => (isList(route) ? [route.path] : []))
  const others = paths.filter((path) => !path.endsWith('/search') && path !== '/v1/invoices/upcoming/lines')
  expect(Object.keys(LISTS).toSorted()).toEqual(others.toSorted())
})
