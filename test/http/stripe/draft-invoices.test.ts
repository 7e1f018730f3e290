import type Stripe from 'stripe'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MAX_LINES } from '../../../src/core/invoice.ts'
import { asOperator } from '../support.ts'
import { errorOf, startStripe, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800
const MAR_31 = 1_774_951_200
const HOUR = 3_600
const DAY = 24 * HOUR

const sdk = stripeOfFile()
const { stripe } = sdk
let price: string
beforeAll(async () => {
  const product = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  price = (await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 2000, recurring }))
    .id
})

/** Creates a subscription of 20.00 USD a month on a test clock. */
async function subscribe(given: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({
    test_clock: clock,
    payment_method: 'pm_card_visa',
  })
  const [card] = (await stripe.customers.listPaymentMethods(customer)).data
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card?.id ?? '' } })
  const subscription = await stripe.subscriptions.create({ customer, items: [{ price }], ...given })
  return { clock, customer, subscription: subscription.id }
}

async function replaceCard(customer: string, token = 'pm_card_chargeCustomerFail') {
  const { id } = await stripe.paymentMethods.attach(token, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
}

/** Creates a subscription, and advances to the draft of its first renewal. */
async function renewed(given: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const made = await subscribe(given)
  await sdk.advance(made.clock, FEB_28)
  return { ...made, draft: await newest(made.subscription) }
}

async function newest(subscription: string): Promise<Stripe.Invoice> {
  const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data
  if (!invoice) throw new Error('The subscription has no invoice')
  return invoice
}

/** Lists the events of a customer after an instant, with the seconds since then. */
async function eventsAfter(customer: string, after: number) {
  const all = await stripe.events.list().autoPagingToArray({ limit: 1_000 })
  const about = ({ data: { object } }: Stripe.Event) => 'customer' in object && object.customer === customer
  return all
    .filter((event) => event.created >= after && about(event))
    .map(({ type, created }) => `${created - after} ${type}`)
    .reverse()
}

/** Returns an invoice in the form of paytwin's own API. */
async function ownForm({ id }: Stripe.Invoice) {
  const path = `merchants/${sdk.twin.sandbox.merchant.settings.id}/v1/invoices/${id}`
  return (await asOperator(sdk.twin)('GET', path)).body
}

describe('the invoice of a renewal', () => {
  test('is a draft for an hour, and is then finalized and charged', async () => {
    const { clock, customer, subscription, draft } = await renewed()
    expect(draft).toMatchObject({
      status: 'draft',
      auto_advance: true,
      created: FEB_28,
      next_payment_attempt: FEB_28 + HOUR,
      automatically_finalizes_at: FEB_28 + HOUR,
      billing_reason: 'subscription_cycle',
      amount_due: 2000,
      number: null,
      // The period of the lines begins when that of the invoice ends.
      period_start: JAN_31,
      period_end: FEB_28,
      lines: { data: [{ period: { start: FEB_28, end: MAR_31 } }] },
    })
    expect(await ownForm(draft)).toMatchObject({ auto_advance: true, next_payment_attempt: FEB_28 + HOUR })
    const during = await stripe.subscriptions.retrieve(subscription)
    expect(during).toMatchObject({ status: 'active', latest_invoice: draft.id })
    expect(during.items.data[0]).toMatchObject({ current_period_start: FEB_28, current_period_end: MAR_31 })

    await sdk.advance(clock, FEB_28 + HOUR - 1)
    expect((await newest(subscription)).status).toBe('draft')
    await sdk.advance(clock, FEB_28 + HOUR)
    expect(await newest(subscription)).toMatchObject({
      id: draft.id,
      status: 'paid',
      auto_advance: false,
      next_payment_attempt: null,
      automatically_finalizes_at: null,
      attempt_count: 1,
      status_transitions: { finalized_at: FEB_28 + HOUR, paid_at: FEB_28 + HOUR },
    })
    expect(await eventsAfter(customer, FEB_28)).toEqual([
      '0 invoice.created',
      '0 customer.subscription.updated',
      '3600 invoice.finalized',
      '3600 payment_intent.created',
      '3600 invoice.paid',
      '3600 invoice.payment_succeeded',
      '3600 payment_intent.succeeded',
      '3600 charge.succeeded',
    ])
  })

  test('makes the subscription past_due an hour after the renewal, and is retried from then on', async () => {
    const { clock, customer, subscription } = await subscribe()
    await replaceCard(customer)
    await sdk.advance(clock, FEB_28 + HOUR)
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('past_due')
    const attempt = FEB_28 + HOUR + DAY
    expect(await newest(subscription)).toMatchObject({
      status: 'open',
      attempt_count: 1,
      next_payment_attempt: attempt,
    })
    await replaceCard(customer, 'pm_card_visa')
    await sdk.advance(clock, attempt)
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('active')
  })

  test('takes invoice items that the application adds during the hour', async () => {
    const { clock, customer, subscription, draft } = await renewed()
    await stripe.invoiceItems.create({ customer, invoice: draft.id, amount: 500, currency: 'usd' })
    expect(await newest(subscription)).toMatchObject({ status: 'draft', amount_due: 2500 })
    await sdk.advance(clock, FEB_28 + HOUR)
    expect(await newest(subscription)).toMatchObject({ status: 'paid', amount_paid: 2500 })
    const types = await eventsAfter(customer, FEB_28)
    expect(types.filter((type) => type.endsWith('invoice.updated'))).toEqual(['0 invoice.updated'])
  })

  test('bills usage that is reported during the hour for the period before', async () => {
    const meter = await stripe.billing.meters.create({
      display_name: 'Calls',
      event_name: 'calls_in_draft',
      default_aggregation: { formula: 'sum' },
    })
    const { id } = await stripe.prices.create({
      product_data: { name: 'Calls' },
      currency: 'usd',
      unit_amount: 7,
      recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
    })
    const { clock, customer, draft } = await renewed({ items: [{ price: id }] })
    expect(draft.amount_due).toBe(0)
    await stripe.billing.meterEvents.create({
      event_name: 'calls_in_draft',
      payload: { stripe_customer_id: customer, value: '10' },
      timestamp: FEB_28 - 1,
    })
    await sdk.advance(clock, FEB_28 + HOUR)
    expect(await stripe.invoices.retrieve(draft.id ?? '')).toMatchObject({ status: 'paid', amount_paid: 70 })
  })

  test.each([
    ['nothing', [], []],
    ['a fraction', ['0.25'], ['0 invoice.updated']],
    ['what makes it whole', ['0.5'], ['0 invoice.updated']],
    ['what adds up to nothing', ['3', '-3'], []],
  ])(
    'of usage with a fraction, emits invoice.updated only for a change: %s is reported later',
    async (_, later, expected) => {
      const event_name = `calls_with_fractions_${later.join('_')}`
      const meter = await stripe.billing.meters.create({
        ...{ display_name: 'Calls', event_name, default_aggregation: { formula: 'sum' } },
      })
      const metered = await stripe.prices.create({
        product_data: { name: 'Calls' },
        currency: 'usd',
        unit_amount: 21,
        recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
      })
      const { clock, customer } = await subscribe({ items: [{ price: metered.id }] })
      const report = (value: string) =>
        stripe.billing.meterEvents.create({
          ...{ event_name, payload: { stripe_customer_id: customer, value } },
          timestamp: JAN_31 + DAY,
        })
      await sdk.advance(clock, JAN_31 + 2 * DAY)
      await report('1.5')
      await sdk.advance(clock, FEB_28)
      for (const value of later) await report(value)
      await sdk.advance(clock, FEB_28 + HOUR)
      const types = await eventsAfter(customer, FEB_28 + HOUR)
      expect(types.filter((type) => type.endsWith('invoice.updated'))).toEqual(expected)
    },
  )

  test('stays a draft once auto_advance is false, until it is true again', async () => {
    const { clock, draft } = await renewed()
    const id = draft.id ?? ''
    const stopped = await stripe.invoices.update(id, { auto_advance: false, description: 'Checked by hand' })
    expect(stopped).toMatchObject({
      auto_advance: false,
      next_payment_attempt: null,
      automatically_finalizes_at: null,
      description: 'Checked by hand',
    })
    await sdk.advance(clock, FEB_28 + 3 * DAY)
    expect((await stripe.invoices.retrieve(id)).status).toBe('draft')
    const resumed = await stripe.invoices.update(id, { auto_advance: true })
    expect(resumed.automatically_finalizes_at).toBe(FEB_28 + 3 * DAY + HOUR)
    await sdk.advance(clock, FEB_28 + 3 * DAY + HOUR)
    expect((await stripe.invoices.retrieve(id)).status).toBe('paid')
  })

  test('is charged an hour after the application finalized it', async () => {
    const { clock, customer, subscription, draft } = await renewed()
    await replaceCard(customer)
    await sdk.advance(clock, FEB_28 + 600)
    const open = await stripe.invoices.finalizeInvoice(draft.id ?? '')
    expect(open).toMatchObject({
      status: 'open',
      auto_advance: true,
      attempted: false,
      next_payment_attempt: FEB_28 + 600 + HOUR,
    })
    await sdk.advance(clock, FEB_28 + 600 + HOUR)
    expect(await newest(subscription)).toMatchObject({ status: 'open', attempted: true, attempt_count: 1 })
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('past_due')
  })

  test('is not charged by itself after it was finalized with auto_advance false', async () => {
    const { clock, subscription, draft } = await renewed()
    const open = await stripe.invoices.finalizeInvoice(draft.id ?? '', { auto_advance: false })
    expect(open).toMatchObject({ status: 'open', auto_advance: false, next_payment_attempt: null })
    await sdk.advance(clock, FEB_28 + 20 * DAY)
    expect(await newest(subscription)).toMatchObject({ status: 'open', attempted: false })
  })

  test('is paid at once on request', async () => {
    const { customer, subscription, draft } = await renewed()
    await replaceCard(customer)
    const declined = await errorOf(stripe.invoices.pay(draft.id ?? ''))
    expect(declined).toMatchObject({ code: 'card_declined' })
    expect(await newest(subscription)).toMatchObject({ attempt_count: 1, next_payment_attempt: FEB_28 + DAY })
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('past_due')
    const paid = await stripe.invoices.pay(draft.id ?? '', { payment_method: 'pm_card_visa' })
    expect(paid.status).toBe('paid')
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('active')
  })

  test('stays a draft when its subscription is canceled during the hour', async () => {
    const { clock, subscription, draft } = await renewed()
    await stripe.subscriptions.cancel(subscription)
    await sdk.advance(clock, FEB_28 + DAY)
    const left = await stripe.invoices.retrieve(draft.id ?? '')
    expect(left).toMatchObject({ status: 'draft', auto_advance: false })
  })

  test('is charged with its own payment method', async () => {
    const { clock, customer, subscription, draft } = await renewed()
    await replaceCard(customer)
    const { id } = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })
    await stripe.invoices.update(draft.id ?? '', { default_payment_method: id })
    await sdk.advance(clock, FEB_28 + HOUR)
    expect(await newest(subscription)).toMatchObject({ status: 'paid', default_payment_method: id })
  })

  test('is sent after the hour, with its due date from then on, if it is not charged', async () => {
    const { clock, subscription, draft } = await renewed({
      collection_method: 'send_invoice',
      days_until_due: 14,
    })
    expect(draft).toMatchObject({
      status: 'draft',
      next_payment_attempt: null,
      automatically_finalizes_at: FEB_28 + HOUR,
    })
    expect(await ownForm(draft)).toMatchObject({ auto_advance: false, next_payment_attempt: null })
    await sdk.advance(clock, FEB_28 + HOUR)
    expect(await newest(subscription)).toMatchObject({
      status: 'open',
      due_date: FEB_28 + HOUR + 14 * DAY,
    })
  })
})

describe('a timeline', () => {
  test('shows when a draft is finalized, also as of an earlier time', async () => {
    const { clock, subscription, draft } = await renewed()
    const upcoming = async (path: string) => {
      const { body } = await asOperator(sdk.twin)('GET', path)
      const jobs: { kind: string; due: number; amount: number | null }[] = body.timeline.upcoming.data
      return jobs
        .filter(({ kind }) => kind !== 'invoice_upcoming')
        .slice(0, 2)
        .map(({ kind, due, amount }) => [kind, due, amount])
    }
    const expected = [
      ['invoice_finalization', FEB_28 + HOUR, 2000],
      ['renewal', MAR_31, 2000],
    ]
    expect(await upcoming(`subscriptions/${subscription}`)).toEqual(expected)
    expect(await upcoming(`invoices/${draft.id}`)).toEqual(expected.slice(0, 1))
    await sdk.advance(clock, FEB_28 + DAY)
    expect(await upcoming(`subscriptions/${subscription}?at=${FEB_28 + 60}`)).toEqual(expected)
    const { body } = await asOperator(sdk.twin)('GET', `upcoming?test_clock=${clock}`)
    expect(body.data.map(({ kind }: { kind: string }) => kind)).toEqual(['invoice_upcoming', 'renewal'])
  })
})

describe('an invoice that is not a draft for an hour', () => {
  test('is the first of a subscription, whose period is the instant of its creation', async () => {
    const { subscription } = await subscribe()
    expect(await newest(subscription)).toMatchObject({
      status: 'paid',
      period_start: JAN_31,
      period_end: JAN_31,
      lines: { data: [{ period: { start: JAN_31, end: FEB_28 } }] },
    })
  })

  test('is that of an upgrade with always_invoice, and of a trial that an update ends', async () => {
    const { clock, subscription } = await subscribe()
    await sdk.advance(clock, JAN_31 + 14 * DAY)
    const [item] = (await stripe.subscriptionItems.list({ subscription })).data
    await stripe.subscriptions.update(subscription, {
      items: [{ id: item?.id ?? '', quantity: 2 }],
      proration_behavior: 'always_invoice',
    })
    // Half of the 28 days remain: 1000 of 2000 are credited, 2000 of 4000 are charged.
    expect(await newest(subscription)).toMatchObject({ status: 'paid', amount_paid: 1000 })

    const trial = await subscribe({ trial_period_days: 14 })
    await stripe.subscriptions.update(trial.subscription, { trial_end: 'now' })
    expect(await newest(trial.subscription)).toMatchObject({ status: 'paid', amount_paid: 2000 })
  })

  test('is a draft of a paused collection, which is the latest invoice', async () => {
    const { clock, subscription } = await subscribe()
    await stripe.subscriptions.update(subscription, { pause_collection: { behavior: 'keep_as_draft' } })
    await sdk.advance(clock, FEB_28 + DAY)
    const { latest_invoice } = await stripe.subscriptions.retrieve(subscription, {
      expand: ['latest_invoice'],
    })
    expect(latest_invoice).toMatchObject({ created: FEB_28, status: 'draft', auto_advance: false })
  })
})

describe('the end of a trial', () => {
  test('activates the subscription at once, and charges an hour later', async () => {
    const { clock, customer, subscription } = await subscribe({ trial_period_days: 14 })
    await replaceCard(customer)
    const end = JAN_31 + 14 * DAY
    await sdk.advance(clock, end)
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('active')
    expect(await newest(subscription)).toMatchObject({
      status: 'draft',
      period_start: JAN_31,
      period_end: end,
    })
    await sdk.advance(clock, end + HOUR)
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('past_due')
  })
})

describe('a manual invoice', () => {
  test('advances by itself only if it is asked to', async () => {
    const { clock, customer } = await subscribe()
    await stripe.invoiceItems.create({ customer, amount: 300, currency: 'usd' })
    const params = { customer, pending_invoice_items_behavior: 'include' } as const
    const manual = await stripe.invoices.create({ ...params, auto_advance: true })
    expect(manual.automatically_finalizes_at).toBe(JAN_31 + HOUR)
    const other = await stripe.invoices.create({ customer })
    expect(other).toMatchObject({ auto_advance: false, automatically_finalizes_at: null })
    await sdk.advance(clock, JAN_31 + DAY)
    expect(await stripe.invoices.retrieve(manual.id ?? '')).toMatchObject({
      status: 'paid',
      amount_paid: 300,
    })
    expect((await stripe.invoices.retrieve(other.id ?? '')).status).toBe('draft')
  })

  test('is not finalized after it was deleted', async () => {
    const { clock, customer } = await subscribe()
    const { id } = await stripe.invoices.create({ customer, auto_advance: true })
    await stripe.invoices.del(id ?? '')
    await sdk.advance(clock, JAN_31 + DAY)
    expect((await eventsAfter(customer, JAN_31 + 1)).length).toBe(0)
  })
})

describe('a change of a finalized invoice', () => {
  test('that concerns its collection is refused', async () => {
    const { subscription } = await subscribe()
    const { id } = await newest(subscription)
    const refused = await errorOf(stripe.invoices.update(id ?? '', { collection_method: 'send_invoice' }))
    expect(refused.statusCode).toBe(400)
    const advanced = await errorOf(stripe.invoices.update(id ?? '', { auto_advance: true }))
    expect(advanced).toMatchObject({ statusCode: 400, param: 'auto_advance' })
    const updated = await stripe.invoices.update(id ?? '', { metadata: { order: '7' } })
    expect(updated.metadata).toEqual({ order: '7' })
    const [event] = (await stripe.events.list({ type: 'invoice.updated', limit: 1 })).data
    expect(event?.data).toMatchObject({ object: { id }, previous_attributes: { metadata: {} } })
  })
})

describe('a draft whose invoice.created is refused', () => {
  /**
   * Starts a merchant whose endpoint refuses the first attempts to deliver the invoice.created of renewals, and subscribes a
   * customer of its main clock. Attempts follow after 5 s, 5 min, 30 min, 2 h and 5 h: the sixth is 7 h 35 min after the first.
   */
  async function refusing(attempts: number) {
    let left = attempts
    const shop = await startStripe({
      send: async (letter) => {
        const body = letter.body.toString()
        const isRefused = /"invoice\.created"/.test(body) && /"subscription_cycle"/.test(body) && left > 0
        if (isRefused) left -= 1
        return { status: isRefused ? 500 : 200, body: '' }
      },
    })
    onTestFinished(() => shop.close())
    await shop.stripe.webhookEndpoints.create({ url: 'https://app.example/hook', enabled_events: ['*'] })
    const { id: product } = await shop.stripe.products.create({ name: 'Pro' })
    const params = { product, currency: 'usd', unit_amount: 2000, recurring: { interval: 'month' } } as const
    const monthly = await shop.stripe.prices.create(params)
    const { id: customer } = await shop.stripe.customers.create({ payment_method: 'pm_card_visa' })
    const [card] = (await shop.stripe.customers.listPaymentMethods(customer)).data
    const { id } = await shop.stripe.subscriptions.create({
      customer,
      items: [{ price: monthly.id }],
      default_payment_method: card?.id ?? '',
    })
    const finalizedAfter = async () => {
      const [invoice] = (await shop.stripe.invoices.list({ subscription: id, limit: 1 })).data
      const { finalized_at } = invoice?.status_transitions ?? {}
      return finalized_at ? finalized_at - FEB_28 : null
    }
    return { shop, finalizedAfter }
  }

  test.each([
    ['is finalized after an hour if it is accepted at the second attempt', 1, HOUR],
    ['is finalized at the first full hour after it was accepted', 5, 8 * HOUR],
    ['is finalized after 72 hours at the latest', 100, 72 * HOUR],
  ])('%s', async (_, attempts, finalized) => {
    const { shop, finalizedAfter } = await refusing(attempts)
    await shop.advanceMain({ to: FEB_28 + 4 * DAY, await_webhooks: true })
    expect(await finalizedAfter()).toBe(finalized)
  })

  test('gives the same result in steps', async () => {
    const { shop, finalizedAfter } = await refusing(5)
    for (let at = FEB_28 - HOUR; at < FEB_28 + 12 * HOUR; at += 1_500)
      await shop.advanceMain({ to: at, await_webhooks: true })
    expect(await finalizedAfter()).toBe(8 * HOUR)
  })

  test('waits one hour if the advance does not wait for webhooks', async () => {
    const { shop, finalizedAfter } = await refusing(100)
    for (const minutes of [0, 30, 60]) await shop.advanceMain({ to: FEB_28 + minutes * 60 })
    expect(await finalizedAfter()).toBe(HOUR)
  })
})

describe('pending invoice items without a subscription', () => {
  const item = (customer: string, amount: number, given: Partial<Stripe.InvoiceItemCreateParams> = {}) =>
    stripe.invoiceItems.create({ customer, amount, currency: 'usd', ...given })
  const amountsOf = ({ lines }: Stripe.Invoice) => lines.data.map(({ amount }) => amount)

  test('are billed by the next renewal, in its currency', async () => {
    const { clock, customer, subscription } = await subscribe()
    const { id: coupon } = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const loose = await item(customer, 300, { discounts: [{ coupon }] })
    const euros = await item(customer, 400, { currency: 'eur' })
    const preview = await stripe.invoices.createPreview({ subscription })
    expect([amountsOf(preview), preview.total]).toEqual([[300, 2000], 2150])
    await sdk.advance(clock, FEB_28)
    const draft = await newest(subscription)
    expect([draft.status, amountsOf(draft), draft.total]).toEqual(['draft', [300, 2000], 2150])
    expect((await stripe.invoiceItems.retrieve(loose.id)).invoice).toBe(draft.id)
    expect((await stripe.invoiceItems.retrieve(euros.id)).invoice).toBeNull()
    await sdk.advance(clock, MAR_31)
    expect(amountsOf(await newest(subscription))).toEqual([2000])
  })

  test('are billed by the first invoice of a subscription, but not by that of a trial', async () => {
    const { customer, subscription } = await subscribe({ trial_period_days: 7 })
    await item(customer, 300)
    const trial = await stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 7 })
    expect(amountsOf(await newest(trial.id))).toEqual([0])
    const paid = await stripe.subscriptions.create({ customer, items: [{ price }] })
    expect(await newest(paid.id)).toMatchObject({ status: 'paid', total: 2300 })
    // The end of the trial has nothing else to bill.
    await stripe.subscriptions.update(subscription, { trial_end: 'now' })
    expect(amountsOf(await newest(subscription))).toEqual([2000])
  })

  test('are billed by a change that bills now, and left by a cancellation', async () => {
    const { customer, subscription } = await subscribe()
    await item(customer, 300)
    const { items } = await stripe.subscriptions.retrieve(subscription)
    const change = { items: [{ id: items.data[0]?.id ?? '', quantity: 2 }] }
    await stripe.subscriptions.update(subscription, { ...change, proration_behavior: 'always_invoice' })
    expect(amountsOf(await newest(subscription))).toEqual([-2000, 4000, 300])
    const left = await item(customer, 500)
    await stripe.subscriptions.cancel(subscription, { invoice_now: true })
    expect(await stripe.invoiceItems.retrieve(left.id)).toMatchObject({ invoice: null })
  })

  test('take the room that the items of the subscription leave, and none of theirs', async () => {
    const { customer, subscription } = await subscribe()
    for (let n = 1; n < MAX_LINES; n += 1) await item(customer, 1, { subscription })
    const left = await item(customer, 300)
    const { items } = await stripe.subscriptions.retrieve(subscription)
    const change = { items: [{ id: items.data[0]?.id ?? '', quantity: 2 }] }
    await stripe.subscriptions.update(subscription, { ...change, proration_behavior: 'always_invoice' })
    expect(await newest(subscription)).toMatchObject({ total: MAX_LINES - 1 + 4000 - 2000 })
    expect(await stripe.invoiceItems.retrieve(left.id)).toMatchObject({ invoice: null })
  })
})
