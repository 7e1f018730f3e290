import type Stripe from 'stripe'
import { expect } from 'vitest'
import type { VersionedSdk } from './stripe-sdks.ts'
import type { Era } from './stripe-story.ts'

const JAN_31 = 1769853600
const FEB_28 = 1772272800
const HOUR = 3_600

/** The names of the calls that were made. */
export type Made = Set<string>

/**
 * Makes the calls that applications with subscriptions make in their life, and checks the result of each. The SDK checks the types of
 * each response.
 * @returns the names of the calls
 */
export async function makeCalls(sdk: VersionedSdk, era: Era): Promise<Made> {
  const made: Made = new Set()
  const stripe = recording(sdk.stripe, made)
  const catalogue = await makeCatalogue(stripe)
  const customer = await makeCustomers(stripe)
  await subscribe(stripe, { ...catalogue, customer, era })
  await discount(stripe, { ...catalogue, customer, era })
  await invoice(stripe, { customer, era, once: catalogue.once })
  await pay(stripe, customer)
  await reportUsage(stripe, { customer, product: catalogue.product })
  await moveClocks(stripe, catalogue)
  await receiveWebhooks(sdk, stripe)
  await leave(stripe, customer)
  return made
}

/** Returns the SDK, which notes the names of the calls, such as `customers.create`. */
function recording<T extends object>(target: T, made: Made, path = ''): T {
  return new Proxy(target, {
    get: (from, name) => {
      const value = Reflect.get(from, name)
      const at = path === '' ? String(name) : `${path}.${String(name)}`
      if (typeof value === 'function')
        return (...given: unknown[]) => {
          made.add(at)
          return value.apply(from, given)
        }
      return typeof value === 'object' && value !== null ? recording(value, made, at) : value
    },
  })
}

async function makeCatalogue(stripe: Stripe) {
  const product = await stripe.products.create({ name: 'Pro', metadata: { tier: 'pro' } })
  expect(product).toMatchObject({
    object: 'product',
    active: true,
    livemode: false,
    metadata: { tier: 'pro' },
  })
  expect(await stripe.products.update(product.id, { description: 'All of it' })).toMatchObject({
    description: 'All of it',
  })
  expect((await stripe.products.retrieve(product.id)).id).toBe(product.id)
  expect((await stripe.products.list({ active: true })).data.map(({ id }) => id)).toEqual([product.id])
  const monthly = { product: product.id, currency: 'usd', recurring: { interval: 'month' } } as const
  const basic = await stripe.prices.create({ ...monthly, unit_amount: 2000, lookup_key: 'basic' })
  expect(basic).toMatchObject({ type: 'recurring', unit_amount_decimal: expect.anything() })
  const plus = await stripe.prices.create({ ...monthly, unit_amount: 5000 })
  const once = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 300 })
  expect(once.recurring).toBe(null)
  await stripe.products.update(product.id, { default_price: basic.id })
  const expanded = await stripe.prices.retrieve(basic.id, { expand: ['product'] })
  expect(expanded.product).toMatchObject({ id: product.id, default_price: basic.id })
  expect(await stripe.prices.update(plus.id, { nickname: 'Plus' })).toMatchObject({ nickname: 'Plus' })
  const [found] = (await stripe.prices.list({ lookup_keys: ['basic'], expand: ['data.product'] })).data
  expect(found).toMatchObject({ id: basic.id, product: { name: 'Pro' } })
  expect((await stripe.plans.retrieve(basic.id)).amount).toBe(2000)
  expect((await stripe.plans.list()).data).toHaveLength(2)
  expect((await stripe.accounts.retrieveCurrent()).object).toBe('account')
  return { product: product.id, basic: basic.id, plus: plus.id, once: once.id }
}

async function makeCustomers(stripe: Stripe): Promise<string> {
  const { id } = await stripe.customers.create({ email: 'ada@example.com', metadata: { user: '1' } })
  expect(await stripe.customers.update(id, { name: 'Ada' })).toMatchObject({ name: 'Ada', delinquent: false })
  expect(await stripe.customers.retrieve(id)).toMatchObject({
    email: 'ada@example.com',
    metadata: { user: '1' },
  })
  expect((await stripe.customers.list({ email: 'ada@example.com' })).data.map((one) => one.id)).toEqual([id])
  const made = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } })
  const method = await stripe.paymentMethods.attach(made.id, { customer: id })
  expect(method).toMatchObject({ customer: id, card: { brand: 'visa', last4: '4242' } })
  await expect(
    stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: id }),
  ).rejects.toMatchObject({
    type: 'StripeCardError',
    statusCode: 402,
    code: 'card_declined',
  })
  const other = await stripe.paymentMethods.attach('pm_card_mastercard', { customer: id })
  expect((await stripe.paymentMethods.retrieve(other.id)).card?.brand).toBe('mastercard')
  expect((await stripe.paymentMethods.list({ customer: id, type: 'card' })).data).toHaveLength(2)
  expect((await stripe.customers.listPaymentMethods(id)).data).toHaveLength(2)
  expect((await stripe.paymentMethods.detach(other.id)).customer).toBe(null)
  const settings = { invoice_settings: { default_payment_method: method.id } }
  expect(await stripe.customers.update(id, settings)).toMatchObject(settings)
  const credit = await stripe.customers.createBalanceTransaction(id, { amount: -500, currency: 'usd' })
  expect(credit).toMatchObject({ amount: -500, ending_balance: -500, type: 'adjustment' })
  expect((await stripe.customers.retrieveBalanceTransaction(id, credit.id)).id).toBe(credit.id)
  expect((await stripe.customers.listBalanceTransactions(id)).data).toHaveLength(1)
  return id
}

type Given = { customer: string; basic: string; plus: string; once: string; era: Era }

async function subscribe(stripe: Stripe, { customer, basic, plus, era }: Given): Promise<void> {
  const items = [{ price: basic }]
  const created = await stripe.subscriptions.create({ customer, items, expand: ['latest_invoice'] })
  expect(created).toMatchObject({ status: 'active', default_payment_method: null, currency: 'usd' })
  // The credit of 500 pays a part.
  expect(created.latest_invoice).toMatchObject({ total: 2000, amount_paid: 1500, status: 'paid' })
  const { id } = created
  expect((await stripe.subscriptions.list({ customer, status: 'all' })).data.map((one) => one.id)).toEqual([
    id,
  ])
  expect((await stripe.subscriptions.retrieve(id, { expand: ['customer'] })).customer).toMatchObject({
    id: customer,
  })
  const updated = await stripe.subscriptions.update(id, {
    metadata: { plan: 'basic' },
    cancel_at_period_end: true,
  })
  expect(updated).toMatchObject({ cancel_at_period_end: true, metadata: { plan: 'basic' } })
  expect((await stripe.subscriptions.update(id, { cancel_at_period_end: false })).cancel_at).toBe(null)
  const [item] = (await stripe.subscriptionItems.list({ subscription: id })).data
  expect((await stripe.subscriptionItems.retrieve(item?.id ?? '')).price.id).toBe(basic)
  // At the start of a period the whole price of 20 is credited, and twice the price of 50 is charged.
  const change = [{ id: item?.id ?? '', price: plus, quantity: 2 }]
  expect((await era.preview(stripe, id, change)).total).toBe(8000)
  const seats = await stripe.subscriptionItems.update(item?.id ?? '', { price: plus, quantity: 2 })
  expect(seats).toMatchObject({ quantity: 2, price: { id: plus } })
  expect(
    (await stripe.invoiceItems.list({ customer, pending: true })).data.map(({ amount }) => amount),
  ).toEqual(expect.arrayContaining([-2000, 10000]))
  const added = await stripe.subscriptionItems.create({
    subscription: id,
    price: basic,
    proration_behavior: 'none',
  })
  expect(added).toMatchObject({ subscription: id, quantity: 1 })
  const removed = await stripe.subscriptionItems.del(added.id, { proration_behavior: 'none' })
  expect(removed).toMatchObject({ id: added.id, deleted: true })
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
  expect((await stripe.subscriptionSchedules.retrieve(schedule.id)).status).toBe('active')
  const kept = await stripe.subscriptionSchedules.update(schedule.id, { metadata: { planned: '1' } })
  expect(kept.metadata).toEqual({ planned: '1' })
  expect((await stripe.subscriptionSchedules.list({ customer })).data).toHaveLength(1)
  expect((await stripe.subscriptionSchedules.release(schedule.id)).status).toBe('released')
  expect((await stripe.subscriptions.cancel(id)).status).toBe('canceled')
  await expect(stripe.subscriptions.retrieve('sub_none')).rejects.toMatchObject({ statusCode: 404 })
}

async function discount(stripe: Stripe, { basic, era }: Given): Promise<void> {
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: 'forever', name: 'Ten' })
  expect((await stripe.coupons.retrieve(coupon.id)).valid).toBe(true)
  expect((await stripe.coupons.update(coupon.id, { name: 'Ten off' })).name).toBe('Ten off')
  expect((await stripe.coupons.list()).data).toHaveLength(1)
  const terms = { ...era.promoting(coupon.id), code: 'TEN' } as Stripe.PromotionCodeCreateParams
  const promotion = await stripe.promotionCodes.create(terms)
  expect((await stripe.promotionCodes.retrieve(promotion.id)).code).toBe('TEN')
  expect((await stripe.promotionCodes.list({ code: 'TEN' })).data).toHaveLength(1)
  const { id: customer } = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  })
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price: basic }],
    ...era.redeeming(coupon.id),
    expand: ['latest_invoice'],
  })
  expect(subscription.latest_invoice).toMatchObject({
    subtotal: 2000,
    total: 1800,
    total_discount_amounts: [{ amount: 200 }],
  })
  expect(await stripe.subscriptions.deleteDiscount(subscription.id)).toMatchObject({ deleted: true })
  expect((await stripe.promotionCodes.update(promotion.id, { active: false })).active).toBe(false)
  expect(await stripe.coupons.del(coupon.id)).toMatchObject({ deleted: true })
  expect(await stripe.customers.del(customer)).toMatchObject({ id: customer, deleted: true })
}

async function invoice(
  stripe: Stripe,
  { customer, once, era }: Omit<Given, 'basic' | 'plus'>,
): Promise<void> {
  const one = { customer, ...era.pricing(once), quantity: 3 } as Stripe.InvoiceItemCreateParams
  const extra = await stripe.invoiceItems.create({ customer, amount: 100, currency: 'usd' })
  expect((await stripe.invoiceItems.update(extra.id, { amount: 200 })).amount).toBe(200)
  expect((await stripe.invoiceItems.retrieve(extra.id)).amount).toBe(200)
  expect(await stripe.invoiceItems.del(extra.id)).toMatchObject({ deleted: true })
  const draft = await stripe.invoices.create({ customer, auto_advance: false })
  expect(draft.status).toBe('draft')
  await stripe.invoiceItems.create({ ...one, invoice: draft.id })
  const lines = await stripe.invoices.listLineItems(draft.id)
  expect(lines.data.map(({ amount }) => amount)).toEqual([900])
  expect(await stripe.invoices.update(draft.id, { description: 'Manual' })).toMatchObject({
    description: 'Manual',
  })
  const open = await stripe.invoices.finalizeInvoice(draft.id)
  expect(open).toMatchObject({ status: 'open', amount_due: 900 })
  expect(await stripe.invoices.pay(draft.id)).toMatchObject({ status: 'paid', amount_paid: 900 })
  expect((await stripe.invoices.retrieve(draft.id)).status).toBe('paid')
  const note = await stripe.creditNotes.create({ invoice: draft.id, amount: 400, refund_amount: 400 })
  expect((await stripe.creditNotes.retrieve(note.id)).amount).toBe(400)
  expect((await stripe.creditNotes.list({ invoice: draft.id })).data).toHaveLength(1)
  const manual = { customer, collection_method: 'send_invoice', days_until_due: 30 } as const
  const finalized = async () => {
    const { id } = await stripe.invoices.create({ ...manual, auto_advance: false })
    await stripe.invoiceItems.create({ ...one, invoice: id })
    return (await stripe.invoices.finalizeInvoice(id)).id
  }
  expect((await stripe.invoices.sendInvoice(await finalized())).status).toBe('open')
  expect((await stripe.invoices.voidInvoice(await finalized())).status).toBe('void')
  expect((await stripe.invoices.markUncollectible(await finalized())).status).toBe('uncollectible')
  const { id } = await stripe.invoices.create(manual)
  expect(await stripe.invoices.del(id)).toMatchObject({ deleted: true })
  expect((await stripe.invoices.list({ customer, status: 'paid', limit: 1 })).has_more).toBe(true)
}

async function pay(stripe: Stripe, customer: string): Promise<void> {
  const intent = await stripe.paymentIntents.create({ amount: 1000, currency: 'usd', customer })
  expect(intent).toMatchObject({ status: 'requires_payment_method', client_secret: expect.any(String) })
  expect((await stripe.paymentIntents.update(intent.id, { amount: 1200 })).amount).toBe(1200)
  const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' })
  expect(paid).toMatchObject({ status: 'succeeded', amount_received: 1200 })
  const { latest_charge } = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] })
  const charge = latest_charge as Stripe.Charge
  expect(charge).toMatchObject({ object: 'charge', amount: 1200, paid: true })
  expect((await stripe.charges.retrieve(charge.id)).id).toBe(charge.id)
  expect((await stripe.charges.list({ customer })).data[0]?.id).toBe(charge.id)
  const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 200 })
  expect((await stripe.refunds.retrieve(refund.id)).status).toBe('succeeded')
  expect((await stripe.refunds.list({ charge: charge.id })).data).toHaveLength(1)
  const other = await stripe.paymentIntents.create({ amount: 1000, currency: 'usd', customer })
  expect((await stripe.paymentIntents.cancel(other.id)).status).toBe('canceled')
  const declined = {
    amount: 500,
    currency: 'usd',
    payment_method: 'pm_card_chargeDeclined',
    confirm: true,
  } as const
  await expect(stripe.paymentIntents.create(declined)).rejects.toMatchObject({
    type: 'StripeCardError',
    payment_intent: { status: 'requires_payment_method' },
  })
  expect((await stripe.paymentIntents.list({ customer })).data).not.toHaveLength(0)
  const disputed = { ...declined, payment_method: 'pm_card_createDispute' }
  await stripe.paymentIntents.create(disputed)
  const [dispute] = (await stripe.disputes.list()).data
  expect((await stripe.disputes.retrieve(dispute?.id ?? '')).status).toBe('needs_response')
  const evidence = { product_description: 'A plan' }
  expect(
    (await stripe.disputes.update(dispute?.id ?? '', { evidence, submit: false })).evidence,
  ).toMatchObject(evidence)
  expect((await stripe.disputes.close(dispute?.id ?? '')).status).toBe('lost')
}

async function reportUsage(stripe: Stripe, { customer, product }: { customer: string; product: string }) {
  if (!stripe.billing?.meters) return
  const meter = await stripe.billing.meters.create({
    display_name: 'Calls',
    event_name: 'calls',
    default_aggregation: { formula: 'sum' },
  })
  expect((await stripe.billing.meters.retrieve(meter.id)).status).toBe('active')
  expect((await stripe.billing.meters.list()).data).toHaveLength(1)
  const { id: price } = await stripe.prices.create({
    product,
    currency: 'usd',
    unit_amount: 5,
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
  })
  await stripe.subscriptions.create({ customer, items: [{ price }] })
  const payload = { stripe_customer_id: customer, value: '7' }
  const event = await stripe.billing.meterEvents.create({ event_name: 'calls', payload })
  expect(event).toMatchObject({ object: 'billing.meter_event', payload })
}

async function moveClocks(stripe: Stripe, { basic }: { basic: string }): Promise<void> {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31, name: 'Renewal' })
  const { id: customer } = await stripe.customers.create({
    test_clock: clock.id,
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  })
  const trial = await stripe.subscriptions.create({ customer, items: [{ price: basic }], trial_end: FEB_28 })
  expect(trial).toMatchObject({ status: 'trialing', trial_end: FEB_28 })
  const advancing = await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: FEB_28 + 2 * HOUR })
  expect(advancing.status).toBe('advancing')
  while ((await stripe.testHelpers.testClocks.retrieve(clock.id)).status !== 'ready')
    await new Promise((resolve) => setImmediate(resolve))
  const { status } = await stripe.subscriptions.retrieve(trial.id)
  const invoices = (await stripe.invoices.list({ subscription: trial.id })).data
  expect([status, ...invoices.map(({ total }) => total)]).toEqual(['active', 2000, 0])
  expect((await stripe.testHelpers.testClocks.list()).data).toHaveLength(1)
  expect(await stripe.testHelpers.testClocks.del(clock.id)).toMatchObject({ deleted: true })
}

async function receiveWebhooks({ Sdk, twin, received }: VersionedSdk, stripe: Stripe): Promise<void> {
  const endpoint = await stripe.webhookEndpoints.create({
    url: 'http://localhost:9/hook',
    enabled_events: ['product.created'],
  })
  expect((await stripe.webhookEndpoints.retrieve(endpoint.id)).status).toBe('enabled')
  const changed = await stripe.webhookEndpoints.update(endpoint.id, { description: 'Shop' })
  expect(changed.description).toBe('Shop')
  expect((await stripe.webhookEndpoints.list()).data).toHaveLength(1)
  const product = await stripe.products.create({ name: 'New' })
  await twin.sandbox.engine.outbox.settled(twin.sandbox.merchant)
  const [letter] = received
  const verified = new Sdk('sk_test_1').webhooks.constructEvent(
    letter?.body ?? '',
    letter?.headers['Stripe-Signature'] ?? '',
    endpoint.secret ?? '',
  )
  expect(verified).toMatchObject({ type: 'product.created', data: { object: { id: product.id } } })
  expect((await stripe.events.retrieve(verified.id)).type).toBe('product.created')
  expect((await stripe.events.list({ type: 'product.created', limit: 1 })).data[0]?.id).toBe(verified.id)
  expect(await stripe.webhookEndpoints.del(endpoint.id)).toMatchObject({ deleted: true })
}

/** Ends the relation with a customer, whose subscriptions end too. */
async function leave(stripe: Stripe, customer: string): Promise<void> {
  expect(await stripe.customers.del(customer)).toMatchObject({ deleted: true })
  expect((await stripe.subscriptions.list({ customer })).data).toEqual([])
}
