import type Stripe from 'stripe'
import { completeCheckout } from '../../src/engine/resources/checkout-submission.ts'
import type { VersionedSdk } from './stripe-sdks.ts'
import type { Era } from './stripe-story.ts'

/** Creates objects of every kind through an SDK, and retrieves or lists them. The SDK records responses that are ill-typed. */
export async function makeObjects(sdk: VersionedSdk, era: Era): Promise<void> {
  const { stripe } = sdk
  const { price, once } = await makeCatalogue(stripe)
  const customer = await stripe.customers.create({ name: 'Ada', payment_method: 'pm_card_visa' })
  const [card] = (await stripe.customers.listPaymentMethods(customer.id)).data
  const settings = { invoice_settings: { default_payment_method: card?.id ?? '' } }
  await stripe.customers.update(customer.id, settings)
  await stripe.customers.createBalanceTransaction(customer.id, { amount: -100, currency: 'usd' })
  await stripe.customers.listBalanceTransactions(customer.id)
  const subscription = await makeDiscounted(stripe, era, { customer: customer.id, price })
  await makeInvoice(stripe, era, { customer: customer.id, price: once })
  await makePayments(stripe, customer.id)
  await makeCheckouts(sdk, era, { customer: customer.id, price, once })
  await stripe.subscriptionSchedules.create({ from_subscription: subscription })
  await stripe.subscriptionSchedules.list({ customer: customer.id })
  await stripe.billing.meters.create({
    display_name: 'Calls',
    event_name: 'calls',
    default_aggregation: { formula: 'sum' },
  })
  await stripe.billing.meters.list()
  await makePortal(stripe, { customer: customer.id, price })
  await stripe.events.list({ limit: 100 })
  await stripe.customers.del(customer.id)
}

async function makeCatalogue(stripe: Stripe) {
  const product = await stripe.products.create({ name: 'Pro' })
  const { id: price } = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 2000,
    recurring: { interval: 'month' },
  })
  const { id: once } = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 300 })
  await stripe.products.list()
  await stripe.prices.list({ expand: ['data.product'] })
  await stripe.plans.list()
  return { price, once }
}

/** Creates a subscription with a coupon, whose discount is shown in several places. */
async function makeDiscounted(stripe: Stripe, era: Era, given: { customer: string; price: string }) {
  const coupon = await stripe.coupons.create({ percent_off: 25, duration: 'forever' })
  await stripe.promotionCodes.create(era.promoting(coupon.id) as Stripe.PromotionCodeCreateParams)
  await stripe.promotionCodes.list()
  await stripe.coupons.list()
  const subscription = await stripe.subscriptions.create({
    customer: given.customer,
    items: [{ price: given.price }],
    ...era.redeeming(coupon.id),
    expand: ['discounts', 'latest_invoice.discounts', 'customer', 'schedule'],
  })
  await stripe.subscriptionItems.list({ subscription: subscription.id })
  await stripe.invoices.list({ customer: given.customer, expand: ['data.discounts'] })
  await stripe.subscriptions.deleteDiscount(subscription.id)
  return subscription.id
}

async function makeInvoice(stripe: Stripe, era: Era, given: { customer: string; price: string }) {
  const item = era.pricing(given.price) as Stripe.InvoiceItemCreateParams
  await stripe.invoiceItems.create({ ...item, customer: given.customer, quantity: 2 })
  await stripe.invoiceItems.list({ customer: given.customer })
  const { id } = await stripe.invoices.create({
    customer: given.customer,
    pending_invoice_items_behavior: 'include',
  })
  await stripe.invoices.finalizeInvoice(id)
  await stripe.invoices.pay(id)
  await stripe.creditNotes.create({ invoice: id, amount: 100, credit_amount: 100 })
  const [note] = (await stripe.creditNotes.list({ invoice: id })).data
  await stripe.creditNotes.listLineItems(note?.id ?? '')
}

async function makePayments(stripe: Stripe, customer: string) {
  const common = { amount: 1000, currency: 'usd', customer, confirm: true } as const
  const intent = await stripe.paymentIntents.create({ ...common, payment_method: 'pm_card_visa' })
  await stripe.refunds.create({ payment_intent: intent.id, amount: 400 })
  await stripe.refunds.list()
  await stripe.paymentIntents.create({ ...common, payment_method: 'pm_card_createDispute' })
  await stripe.disputes.list()
  await stripe.charges.list({ customer, expand: ['data.payment_intent', 'data.balance_transaction'] })
  await stripe.balanceTransactions.list()
  const setup = await stripe.setupIntents.create({ customer, payment_method: 'pm_card_visa', confirm: true })
  await stripe.setupIntents.retrieve(setup.id)
  await stripe.paymentIntents.list({ customer })
}

async function makePortal(stripe: Stripe, { customer, price }: { customer: string; price: string }) {
  const { product } = await stripe.prices.retrieve(price)
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: {
      payment_method_update: { enabled: true },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product: String(product), prices: [price] }],
      },
    },
  })
  await stripe.billingPortal.configurations.list()
  await stripe.billingPortal.sessions.create({
    customer,
    configuration,
    return_url: 'https://shop.example/account',
    flow_data: { type: 'payment_method_update' },
  })
}

/** Creates Checkout sessions of each mode, two of which are completed. */
async function makeCheckouts(
  { stripe, twin: { sandbox } }: VersionedSdk,
  { uiMode }: Era,
  { customer, price, once }: { customer: string; price: string; once: string },
): Promise<void> {
  const { sessions } = stripe.checkout
  const urls = { success_url: 'https://shop.example/done', ui_mode: uiMode } as const
  const sold = (id: string) => ({ ...urls, line_items: [{ price: id, quantity: 1 }] })
  await sessions.create({ mode: 'setup', currency: 'usd', customer, ...urls })
  const subscribing = await sessions.create({
    mode: 'subscription',
    customer,
    ...sold(price),
    expand: ['line_items'],
  })
  const buying = await sessions.create({ mode: 'payment', allow_promotion_codes: true, ...sold(once) })
  for (const { id } of [subscribing, buying])
    await sandbox.engine.command(sandbox.merchant, { id: 'req_compat', idempotency_key: null }, (unit) =>
      completeCheckout(unit, id, { email: 'ada@example.com', payment_method: 'pm_card_visa' }),
    )
  const { ui_mode } = await sessions.retrieve(subscribing.id, {
    expand: ['subscription', 'customer', 'line_items.data.price'],
  })
  if (ui_mode !== uiMode) throw new Error(`the ui_mode is ${ui_mode}, not ${uiMode}`)
  await sessions.listLineItems(buying.id)
  await sessions.list({ customer })
}
