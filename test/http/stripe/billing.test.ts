import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { customerOnClock, errorOf, idOf, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800
const MAR_31 = 1_774_951_200
const HOUR = 3_600

const sdk = stripeOfFile()
const { stripe } = sdk

async function priceOf(unit_amount: number, recurring: Partial<Stripe.PriceCreateParams.Recurring> = {}) {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const params = { product, currency: 'usd', unit_amount }
  return (await stripe.prices.create({ ...params, recurring: { interval: 'month', ...recurring } })).id
}

/** Returns the names of the events about a customer, oldest first. */
const eventsOf = async (customer: string) => {
  const all = await stripe.events.list().autoPagingToArray({ limit: 1_000 })
  const about = ({ data: { object } }: Stripe.Event) => 'customer' in object && object.customer === customer
  return all
    .filter(about)
    .map(({ type }) => type)
    .reverse()
}

describe('the first invoice of a subscription', () => {
  test('emits the events of Stripe', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const price = await priceOf(2000)
    await stripe.subscriptions.create({ customer, items: [{ price }] })
    expect(await eventsOf(customer)).toEqual([
      'payment_method.attached',
      'customer.subscription.created',
      'invoice.created',
      'invoice.finalized',
      'payment_intent.created',
      'invoice.paid',
      'invoice.payment_succeeded',
      'payment_intent.succeeded',
      'charge.succeeded',
    ])
  })

  test('makes the customer delinquent once it was attempted, not while it waits for a confirmation', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const { latest_invoice } = await stripe.subscriptions.create({
      customer,
      items: [{ price: await priceOf(2000) }],
      payment_behavior: 'default_incomplete',
      expand: ['latest_invoice.payments'],
    })
    const isDelinquent = async () => {
      const found = await stripe.customers.retrieve(customer)
      return 'delinquent' in found && found.delinquent
    }
    const [payment] = (latest_invoice as Stripe.Invoice).payments?.data ?? []
    const intent = idOf(payment?.payment.payment_intent)
    expect(await isDelinquent()).toBe(false)
    await errorOf(stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_chargeDeclined' }))
    expect(await isDelinquent()).toBe(true)
    await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
    expect(await isDelinquent()).toBe(false)
    const created = (await eventsOf(customer)).filter((type) => type === 'payment_intent.created')
    expect(created).toHaveLength(1)
  })
})

test('an empty cancel_at removes a cancellation at the end of the period', async () => {
  const { customer } = await customerOnClock(stripe, JAN_31)
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price: await priceOf(2000) }] })
  const canceling = await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  expect(canceling).toMatchObject({ cancel_at_period_end: true, cancel_at: FEB_28 })
  const restored = await stripe.subscriptions.update(id, { cancel_at: '' })
  expect(restored).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null })
})

describe('usage', () => {
  test('is reported in meter events, summed up, and billed at the end of the period', async () => {
    const { clock, customer } = await customerOnClock(stripe, JAN_31)
    const meter = await stripe.billing.meters.create({
      display_name: 'Calls',
      event_name: 'calls',
      default_aggregation: { formula: 'sum' },
    })
    const price = await priceOf(7, { usage_type: 'metered', meter: meter.id })
    const { id } = await stripe.subscriptions.create({ customer, items: [{ price }] })
    await sdk.advance(clock, JAN_31 + 2 * HOUR)
    const report = (value: string, identifier: string) =>
      stripe.billing.meterEvents.create({
        event_name: 'calls',
        payload: { stripe_customer_id: customer, value },
        identifier,
      })
    expect(await report('30', 'first')).toMatchObject({ object: 'billing.meter_event', identifier: 'first' })
    await report('12.5', 'second')
    await report('100', 'third')
    const cancel = { identifier: 'third' }
    const canceled = { event_name: 'calls', type: 'cancel', cancel } as const
    expect(await stripe.billing.meterEventAdjustments.create(canceled)).toMatchObject({ status: 'complete' })
    const span = { start_time: JAN_31, end_time: JAN_31 + 3 * HOUR }
    const { data } = await stripe.billing.meters.listEventSummaries(meter.id, { customer, ...span })
    expect(data).toMatchObject([{ aggregated_value: 42.5, meter: meter.id, ...span }])
    await sdk.advance(clock, FEB_28 + HOUR)
    const [invoice] = (await stripe.invoices.list({ subscription: id, limit: 1 })).data
    // 42.5 calls at 7 cents.
    expect(invoice).toMatchObject({ total: 298, status: 'paid', billing_reason: 'subscription_cycle' })
    const quantities = invoice?.lines.data.map((line) => [line.quantity, String(line.quantity_decimal)])
    expect(quantities).toEqual([[42, '42.5']])
  })

  test('has meters that are listed, renamed, deactivated and reactivated', async () => {
    const { id } = await stripe.billing.meters.create({
      display_name: 'Seats',
      event_name: 'seats',
      default_aggregation: { formula: 'last' },
    })
    expect((await stripe.billing.meters.update(id, { display_name: 'Places' })).display_name).toBe('Places')
    expect((await stripe.billing.meters.deactivate(id)).status).toBe('inactive')
    const { data } = await stripe.billing.meters.list({ status: 'inactive' })
    expect(data.map((meter) => meter.id)).toEqual([id])
    expect((await stripe.billing.meters.reactivate(id)).status).toBe('active')
    expect((await stripe.billing.meters.retrieve(id)).status_transitions.deactivated_at).toBe(null)
  })
})

describe('a subscription schedule', () => {
  test('starts a subscription, changes it at the next phase, and is released at the end', async () => {
    const { clock, customer } = await customerOnClock(stripe, JAN_31)
    const [basic, plus] = [await priceOf(2000), await priceOf(5000)]
    const schedule = await stripe.subscriptionSchedules.create({
      customer,
      start_date: 'now',
      phases: [
        { items: [{ price: basic }], duration: { interval: 'month' } },
        { items: [{ price: plus }], duration: { interval: 'month' } },
      ],
      expand: ['subscription.schedule'],
    })
    expect(schedule).toMatchObject({
      status: 'active',
      current_phase: { start_date: JAN_31, end_date: FEB_28 },
    })
    const subscription = schedule.subscription as Stripe.Subscription
    expect(subscription).toMatchObject({ status: 'active', schedule: { id: schedule.id } })
    await sdk.advance(clock, FEB_28 + HOUR)
    const [renewal] = (await stripe.invoices.list({ subscription: subscription.id, limit: 1 })).data
    expect(renewal).toMatchObject({ total: 5000, status: 'paid' })
    await sdk.advance(clock, MAR_31)
    const ended = await stripe.subscriptionSchedules.retrieve(schedule.id)
    expect(ended).toMatchObject({ status: 'released', released_subscription: subscription.id })
  })

  test('redeems the coupons of its phases', async () => {
    const { clock, customer } = await customerOnClock(stripe, JAN_31)
    const basic = await priceOf(2000)
    const coupon = (await stripe.coupons.create({ percent_off: 25, duration: 'forever' })).id
    const duration = { interval: 'month' as const }
    const schedule = await stripe.subscriptionSchedules.create({
      customer,
      start_date: 'now',
      phases: [
        { items: [{ price: basic, discounts: [{ coupon }] }], duration, discounts: [{ coupon }] },
        { items: [{ price: basic }], duration },
      ],
      expand: ['subscription.discounts'],
    })
    const planned = [{ coupon, discount: null, promotion_code: null }]
    expect(schedule.phases.map(({ discounts }) => discounts)).toEqual([planned, []])
    expect(schedule.phases.map(({ items }) => items[0]?.discounts)).toEqual([planned, []])
    const subscription = schedule.subscription as Stripe.Subscription
    expect(subscription.discounts).toMatchObject([{ source: { coupon } }])
    await sdk.advance(clock, FEB_28)
    const { data } = await stripe.invoices.list({ subscription: subscription.id })
    expect(data.map(({ total }) => total)).toEqual([2000, 1500])
    expect((await stripe.subscriptions.retrieve(subscription.id)).discounts).toEqual([])
  })

  test('cannot be previewed yet, which is an error', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const error = await errorOf(stripe.invoices.createPreview({ customer, schedule: 'sub_sched_1' }))
    expect(error).toMatchObject({ statusCode: 400, code: 'parameter_unknown', param: 'schedule' })
    expect(error.message).toContain('paytwin does not know it yet')
  })

  test('manages an existing subscription, and is updated, released and canceled', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const [basic, plus] = [await priceOf(2000), await priceOf(5000)]
    const subscribe = () => stripe.subscriptions.create({ customer, items: [{ price: basic }] })
    const manage = async () =>
      stripe.subscriptionSchedules.create({ from_subscription: (await subscribe()).id })
    const { id, phases } = await manage()
    const updated = await stripe.subscriptionSchedules.update(id, {
      end_behavior: 'cancel',
      phases: [
        { items: [{ price: basic }], start_date: phases[0]?.start_date ?? 0, end_date: FEB_28 },
        { items: [{ price: plus }], duration: { interval: 'month' } },
      ],
    })
    expect(updated.phases.map(({ items }) => items[0]?.price)).toEqual([basic, plus])
    expect((await stripe.subscriptionSchedules.release(id)).status).toBe('released')
    const canceled = await stripe.subscriptionSchedules.cancel((await manage()).id)
    expect(canceled.status).toBe('canceled')
    const { data } = await stripe.subscriptionSchedules.list({ customer })
    expect(data.map(({ status }) => status)).toEqual(['canceled', 'released'])
  })
})

describe('a dispute', () => {
  const disputed = async () => {
    const { latest_charge } = await stripe.paymentIntents.create({
      amount: 1000,
      currency: 'usd',
      payment_method: 'pm_card_createDispute',
      confirm: true,
    })
    const [dispute] = (await stripe.disputes.list({ charge: idOf(latest_charge), expand: ['data.charge'] }))
      .data
    return dispute as Stripe.Dispute
  }

  test('takes evidence, and is won', async () => {
    const dispute = await disputed()
    expect(dispute).toMatchObject({ status: 'needs_response', amount: 1000, charge: { disputed: true } })
    const evidence = { uncategorized_text: 'winning_evidence' }
    const answered = await stripe.disputes.update(dispute.id, { evidence, submit: true })
    expect(answered.evidence.uncategorized_text).toBe('winning_evidence')
    expect((await stripe.disputes.retrieve(dispute.id)).status).toBe('won')
  })

  test('is lost when it is closed', async () => {
    const { id } = await disputed()
    expect((await stripe.disputes.close(id)).status).toBe('lost')
    expect(await errorOf(stripe.disputes.close(id))).toMatchObject({ statusCode: 400 })
  })
})
