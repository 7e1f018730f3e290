import type Stripe from 'stripe'
import { describe, expect, onTestFinished, test } from 'vitest'
import { drawTimeline, namerOf } from '../../../src/timeline/drawing.ts'
import { asOperator } from '../support.ts'
import { type StripeTwin, startStripe } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800
const HOUR = 3_600
const DAY = 24 * HOUR
/** The first attempt to charge the renewal, an hour after its draft. */
const FIRST = FEB_28 + HOUR

/** Starts a merchant with a customer whose card is declined, on a test clock. */
async function aCustomer() {
  const sdk = await startStripe()
  onTestFinished(() => sdk.close())
  const { stripe, advance } = sdk
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock })
  const { id } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
  return { stripe, advance, clock, customer }
}

/** Starts a merchant with some settings, and a subscription whose card is declined at renewals. */
async function failing(settings: object) {
  const sdk = await startStripe()
  onTestFinished(() => sdk.close())
  const { stripe, twin } = sdk
  const operator = asOperator(twin)
  const [merchant] = (await operator('GET', 'merchants')).body.data
  const updated = await operator('POST', `merchants/${merchant.id}`, settings)
  expect(updated.status).toBe(200)
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const monthly = { product, currency: 'usd', unit_amount: 2000, recurring: { interval: 'month' } } as const
  const price = (await stripe.prices.create(monthly)).id
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock })
  const attach = async (token: string) => (await stripe.paymentMethods.attach(token, { customer })).id
  const { id } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: await attach('pm_card_visa'),
  })
  await stripe.subscriptions.update(id, {
    default_payment_method: await attach('pm_card_chargeCustomerFail'),
  })
  /** Lists the seconds of the failed attempts since the first one. */
  const failures = async () => {
    const events = await stripe.events.list({ type: 'invoice.payment_failed', limit: 100 })
    return events.data.map(({ created }) => created - FIRST).reverse()
  }
  const status = async () => (await stripe.subscriptions.retrieve(id)).status
  /** Draws the timeline of the customer as a text. */
  const drawn = async () => {
    const { body } = await operator('GET', `customers/${customer}`)
    const drawing = { timeline: body.timeline, name: namerOf(body.related), all: true }
    const texts = drawTimeline(drawing, 200).map((line) =>
      line.map((span) => (typeof span === 'string' ? span : span.text)).join(''),
    )
    return texts.join('\n')
  }
  return { sdk, clock, customer, failures, status, operator, merchant, drawn }
}

const inDays = (...days: number[]) => days.map((day) => day * DAY)

describe('a failed payment', () => {
  test.each([
    ['the default schedule', {}, [1, 3, 5, 7]],
    ['days that the merchant chose', { retry_schedule: [2, 10] }, [2, 10]],
    ['the schedule smart', { retry_schedule: 'smart' }, [1, 2, 3, 5, 7, 9, 11, 14]],
  ])('is retried on %s, in one advance and in steps', async (_, settings, days) => {
    const jump = await failing(settings)
    await jump.sdk.advance(jump.clock, FIRST + 20 * DAY)
    expect(await jump.failures()).toEqual(inDays(0, ...days))
    expect(await jump.status()).toBe('canceled')

    const steps = await failing(settings)
    for (let at = FEB_28 - DAY; at <= FIRST + 20 * DAY; at += 13 * HOUR)
      await steps.sdk.advance(steps.clock, at)
    await steps.sdk.advance(steps.clock, FIRST + 20 * DAY)
    expect(await steps.failures()).toEqual(inDays(0, ...days))
    expect(await steps.status()).toBe('canceled')
  })

  test.each([
    ['mark_unpaid', 'unpaid'],
    ['leave_past_due', 'past_due'],
  ])('leaves the subscription as %s says after the last retry', async (dunning_final_action, expected) => {
    const { sdk, clock, status } = await failing({ dunning_final_action, retry_schedule: [1] })
    await sdk.advance(clock, FIRST + DAY - 1)
    expect(await status()).toBe('past_due')
    await sdk.advance(clock, FIRST + DAY)
    expect(await status()).toBe(expected)
  })

  test('whose first attempt came long after the finalization is retried after that attempt', async () => {
    const { stripe, advance, clock, customer } = await aCustomer()
    await stripe.invoiceItems.create({ customer, amount: 1000, currency: 'usd' })
    const { id } = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    await stripe.invoices.finalizeInvoice(id, { auto_advance: false })
    await advance(clock, JAN_31 + 10 * DAY)
    await stripe.invoices.update(id, { auto_advance: true })
    const first = JAN_31 + 10 * DAY + HOUR
    await advance(clock, JAN_31 + 30 * DAY)
    const events = await stripe.events.list({ type: 'invoice.payment_failed' })
    expect(events.data.map(({ created }) => created - first).reverse()).toEqual(inDays(0, 1, 3, 5, 7))
  })

  test('is retried after the failed attempt when an attempt was postponed or the schedule became shorter', async () => {
    const { sdk, clock, operator, merchant, failures } = await failing({ retry_schedule: [10, 20, 30] })
    await sdk.advance(clock, FIRST + 5 * DAY)
    await operator('POST', `merchants/${merchant.id}`, { retry_schedule: [1, 2, 8] })
    await sdk.advance(clock, FIRST + 11 * DAY)
    expect(await failures()).toEqual(inDays(0, 10, 11))
    const { data } = await sdk.stripe.invoices.list({ status: 'open' })
    const [{ id } = { id: '' }] = data
    await sdk.stripe.invoices.update(id, { auto_advance: false })
    await sdk.advance(clock, FIRST + 14 * DAY)
    await sdk.stripe.invoices.update(id, { auto_advance: true })
    await sdk.advance(clock, FIRST + 20 * DAY)
    expect(await failures()).toEqual([...inDays(0, 10, 11), 14 * DAY + HOUR])
  })

  test('leaves an unpaid subscription unpaid when a draft with auto_advance fails too', async () => {
    const settings = { dunning_final_action: 'mark_unpaid', retry_schedule: [1] }
    const { sdk, clock, customer, status, failures } = await failing(settings)
    await sdk.advance(clock, FIRST + 35 * DAY)
    expect([await status(), await failures()]).toEqual(['unpaid', inDays(0, 1)])
    const { data } = await sdk.stripe.invoices.list({ customer, status: 'draft' })
    await sdk.stripe.invoices.update(data[0]?.id ?? '', { auto_advance: true })
    await sdk.advance(clock, FIRST + 40 * DAY)
    expect([await status(), (await failures()).length]).toEqual(['unpaid', 4])
  })

  test('leaves a canceled subscription canceled when its invoice with auto_advance fails again', async () => {
    const { sdk, clock, customer, status, failures } = await failing({ retry_schedule: [1] })
    await sdk.advance(clock, FIRST + 2 * DAY)
    expect([await status(), await failures()]).toEqual(['canceled', inDays(0, 1)])
    const { data } = await sdk.stripe.invoices.list({ customer, status: 'open' })
    await sdk.stripe.invoices.update(data[0]?.id ?? '', { auto_advance: true })
    await sdk.advance(clock, FIRST + 40 * DAY)
    expect([await status(), (await failures()).length]).toEqual(['canceled', 3])
  })

  test.each([
    [[], 'retry_schedule'],
    [[3, 3], 'retry_schedule'],
    [[0], 'retry_schedule'],
    [[61], 'retry_schedule'],
    ['clever', 'retry_schedule'],
  ])('cannot be retried on %j', async (retry_schedule, param) => {
    const { operator, merchant } = await failing({})
    const { status, body } = await operator('POST', `merchants/${merchant.id}`, { retry_schedule })
    expect(status).toBe(400)
    expect(body.error.param).toContain(param)
  })

  test('has the fixed schedule for merchants with paytwin’s own API', async () => {
    const { operator } = await failing({})
    const { status, body } = await operator('POST', 'merchants', { retry_schedule: [1] })
    expect([status, body.error.param]).toEqual([400, 'retry_schedule'])
  })
})

describe('the default notices', () => {
  test('announce the end of a trial 3 days before, and a renewal 7 days before', async () => {
    const { sdk, clock: other } = await failing({})
    const { stripe } = sdk
    const [price] = (await stripe.prices.list()).data
    const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
    const { id: customer } = await stripe.customers.create({ test_clock: clock })
    const trial = (days: number) =>
      stripe.subscriptions.create({
        customer,
        items: [{ price: price?.id ?? '' }],
        trial_period_days: days,
        trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
      })
    await trial(14)
    await trial(2)
    await sdk.advance(clock, JAN_31 + 14 * DAY)
    const about = ({ data: { object } }: Stripe.Event) => 'customer' in object && object.customer === customer
    const of = async (type: string) =>
      (await stripe.events.list({ type, limit: 100 })).data
        .filter(about)
        .map(({ created }) => created - JAN_31)
    expect(await of('customer.subscription.trial_will_end')).toEqual(inDays(11, 0))
    expect(await of('customer.subscription.paused')).toEqual(inDays(14, 2))
    await sdk.advance(other, FEB_28 - 7 * DAY)
    const [upcoming] = (await stripe.events.list({ type: 'invoice.upcoming' })).data
    expect(upcoming).toMatchObject({
      created: FEB_28 - 7 * DAY,
      data: { object: { id: expect.stringMatching(/^upcoming_in_/), amount_due: 2000 } },
    })
  })
})

describe('a timeline', () => {
  test('says until when the invoice of a renewal is a draft', async () => {
    const { sdk, clock, drawn } = await failing({})
    await sdk.advance(clock, FEB_28)
    const waiting = /renewal .*20\.00 USD .*draft until 2026-02-28T11:00:00Z$/m
    expect(await drawn()).toMatch(waiting)
    expect(await drawn()).not.toContain('stays a draft')
    await sdk.advance(clock, FIRST)
    expect(await drawn()).toMatch(waiting)
    expect(await drawn()).toMatch(/invoice .*attempt 1 of 5 declined/)
  })

  test('counts attempts on the retry schedule of the merchant', async () => {
    const { sdk, clock, drawn, operator, merchant } = await failing({ retry_schedule: 'smart' })
    await sdk.advance(clock, FIRST + 7 * DAY)
    const shown = await drawn()
    expect(shown).toContain('attempt 6 of 9 declined')
    expect(shown.match(/attempt \d of \d$/gm)).toEqual(['attempt 7 of 9', 'attempt 8 of 9'])
    expect(shown).toMatch(/attempt 9 of 9 .*canceled if it fails/)
    await operator('POST', `merchants/${merchant.id}`, { retry_schedule: [1, 3] })
    // The sixth attempt was made on the former schedule.
    expect(await drawn()).toMatch(/attempt 6 declined/)
  })
})

type Ended = {
  readonly sdk: StripeTwin
  readonly clock: string
  readonly subscription: string
  readonly invoice: string
}

describe('customer.updated', () => {
  /** Lists the events of a customer from an instant on, oldest first, without those of payments. */
  const since = async ({ stripe }: { stripe: Stripe }, at: number, customer: string) => {
    const { data } = await stripe.events.list({ created: { gte: at }, limit: 100 })
    const isOf = ({ data: { object } }: Stripe.Event) =>
      ('customer' in object && object.customer === customer) || ('id' in object && object.id === customer)
    return data.filter((event) => isOf(event) && /^(customer|invoice)\./.test(event.type)).toReversed()
  }
  const names = (events: readonly Stripe.Event[]) => events.map(({ type }) => type)
  const changed = (delinquent: boolean) => ({
    type: 'customer.updated',
    data: { object: { delinquent }, previous_attributes: { delinquent: !delinquent } },
  })

  test.each([
    ['in one advance', [FIRST]],
    ['in steps', [FEB_28 - 1, FEB_28, FEB_28 + 1, FIRST - 1, FIRST]],
  ])(
    'reports after the subscription that a customer is delinquent, and no longer is, %s',
    async (_, steps) => {
      const { sdk, clock, customer } = await failing({})
      for (const at of steps) await sdk.advance(clock, at)
      const failed = await since(sdk, FIRST, customer)
      expect(names(failed)).toEqual([
        'invoice.finalized',
        'invoice.payment_failed',
        'customer.subscription.updated',
        'customer.updated',
      ])
      expect(failed.at(-1)).toMatchObject({ created: FIRST, ...changed(true) })

      // A further decline changes nothing.
      await sdk.advance(clock, FIRST + DAY)
      expect(names(await since(sdk, FIRST + 1, customer))).toEqual(['invoice.payment_failed'])

      await sdk.advance(clock, FIRST + DAY + 1)
      const [open] = (await sdk.stripe.invoices.list({ status: 'open' })).data
      await sdk.stripe.invoices.pay(open?.id ?? '', { payment_method: 'pm_card_visa' })
      const paid = await since(sdk, FIRST + DAY + 1, customer)
      expect(names(paid)).toEqual([
        'invoice.paid',
        'invoice.payment_succeeded',
        'customer.subscription.updated',
        'customer.updated',
      ])
      expect(paid.at(-1)).toMatchObject(changed(false))
    },
  )

  test.each<{ end: string; run: (first: Ended) => Promise<unknown>; reported: string[] }>([
    {
      end: 'it expires',
      run: ({ sdk, clock }) => sdk.advance(clock, JAN_31 + 23 * HOUR),
      reported: ['invoice.voided', 'customer.subscription.updated'],
    },
    {
      end: 'its invoice is voided',
      run: ({ sdk, invoice }) => sdk.stripe.invoices.voidInvoice(invoice),
      reported: ['invoice.voided', 'customer.subscription.updated'],
    },
    {
      end: 'its invoice is uncollectible',
      run: ({ sdk, invoice }) => sdk.stripe.invoices.markUncollectible(invoice),
      reported: ['invoice.marked_uncollectible', 'customer.subscription.updated'],
    },
    {
      end: 'it is canceled',
      run: ({ sdk, subscription }) => sdk.stripe.subscriptions.cancel(subscription),
      reported: ['invoice.voided', 'customer.subscription.deleted'],
    },
  ])('reports a first payment that failed, and comes after the subscription when $end', async (given) => {
    const { sdk } = await failing({})
    const { stripe } = sdk
    const [price] = (await stripe.prices.list()).data
    const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
    const { id: customer } = await stripe.customers.create({ test_clock: clock })
    const { id } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    const { id: subscription, latest_invoice } = await stripe.subscriptions.create({
      customer,
      items: [{ price: price?.id ?? '' }],
      default_payment_method: id,
    })
    const first = await since(sdk, JAN_31, customer)
    expect(names(first).slice(-2)).toEqual(['invoice.payment_failed', 'customer.updated'])
    expect(first.at(-1)).toMatchObject(changed(true))
    await given.run({ sdk, clock, subscription, invoice: String(latest_invoice) })
    const ended = (await since(sdk, JAN_31, customer)).slice(first.length)
    const canceled = names(ended).filter((name) => name !== 'payment_intent.canceled')
    expect(canceled).toEqual([...given.reported, 'customer.updated'])
    expect(ended.at(-1)).toMatchObject(changed(false))
  })
})
