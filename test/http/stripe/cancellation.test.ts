import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800

const sdk = stripeOfFile()
const { stripe } = sdk

async function subscribe(more: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const monthly = { product, currency: 'usd', unit_amount: 2000, recurring: { interval: 'month' } } as const
  const { id: price } = await stripe.prices.create(monthly)
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock })
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card.id,
    ...more,
  })
  return { clock, subscription, id: subscription.id, item: subscription.items.data[0]?.id ?? '' }
}

describe('cancel_at of an update', () => {
  test('withdraws a cancellation at the end of the period if it is empty', async () => {
    const { clock, id } = await subscribe()
    await stripe.subscriptions.update(id, { cancel_at_period_end: true })
    const kept = await stripe.subscriptions.update(id, { cancel_at: '' })
    expect(kept).toMatchObject({ cancel_at: null, cancel_at_period_end: false, canceled_at: null })
    await sdk.advance(clock, FEB_28)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  })

  test.each(['min_period_end', 'max_period_end'] as const)('takes %s', async (cancel_at) => {
    const { clock, id } = await subscribe()
    const ending = await stripe.subscriptions.update(id, { cancel_at })
    expect(ending).toMatchObject({ cancel_at: FEB_28, cancel_at_period_end: false, status: 'active' })
    await sdk.advance(clock, FEB_28)
    const { data } = await stripe.invoices.list({ subscription: id })
    expect([(await stripe.subscriptions.retrieve(id)).status, data.length]).toEqual(['canceled', 1])
  })

  test('does not name the end of a period that the update may change', async () => {
    const { id, item } = await subscribe()
    const error = await errorOf(
      stripe.subscriptions.update(id, { cancel_at: 'min_period_end', items: [{ id: item, quantity: 2 }] }),
    )
    expect(error).toMatchObject({ statusCode: 400, param: 'cancel_at' })
    expect((await stripe.subscriptions.retrieve(id)).items.data[0]?.quantity).toBe(1)
  })
})

describe('cancellation_details', () => {
  const said = { comment: 'Too much for me', feedback: 'too_expensive' } as const

  test('are stored by an update, part by part, and emptied', async () => {
    const { id } = await subscribe()
    const details = { comment: null, feedback: null, reason: 'cancellation_requested' }
    const ending = await stripe.subscriptions.update(id, {
      cancel_at_period_end: true,
      cancellation_details: said,
    })
    expect(ending.cancellation_details).toMatchObject({ ...details, ...said })
    const corrected = await stripe.subscriptions.update(id, { cancellation_details: { comment: '' } })
    expect(corrected.cancellation_details).toMatchObject({ ...details, feedback: 'too_expensive' })
    const emptied = await stripe.subscriptions.update(id, { cancellation_details: { feedback: '' } })
    expect(emptied.cancellation_details).toMatchObject(details)
    const { data } = await stripe.events.list({ type: 'customer.subscription.updated', limit: 1 })
    expect(data[0]?.data.previous_attributes).toEqual({ cancellation_details: { feedback: 'too_expensive' } })
  })

  test('have a reason as soon as a cancellation is planned, until it is withdrawn', async () => {
    const { id } = await subscribe()
    const reasonAfter = async (params: Stripe.SubscriptionUpdateParams) =>
      (await stripe.subscriptions.update(id, params)).cancellation_details?.reason
    expect(await reasonAfter({ cancel_at_period_end: true })).toBe('cancellation_requested')
    const { data } = await stripe.events.list({ type: 'customer.subscription.updated', limit: 1 })
    expect(data[0]?.data.previous_attributes).toMatchObject({ cancellation_details: { reason: null } })
    expect(await reasonAfter({ cancel_at_period_end: false })).toBeNull()
    expect(await reasonAfter({ cancel_at: 'max_period_end' })).toBe('cancellation_requested')
    expect(await reasonAfter({ cancel_at: '' })).toBeNull()
  })

  test('are stored by a cancellation, and can be changed after it', async () => {
    const { id } = await subscribe()
    const canceled = await stripe.subscriptions.cancel(id, { cancellation_details: said })
    const reason = 'cancellation_requested'
    expect(canceled.cancellation_details).toMatchObject({ ...said, reason })
    const { data } = await stripe.events.list({ type: 'customer.subscription.deleted', limit: 1 })
    expect(data[0]?.data.object).toMatchObject({ id, cancellation_details: { ...said, reason } })
    const updated = await stripe.subscriptions.update(id, { cancellation_details: { feedback: 'unused' } })
    expect(updated.cancellation_details).toMatchObject({ ...said, feedback: 'unused', reason })
  })

  test.each([
    ['cancellation_details[feedback]', { feedback: 'bored' }],
    ['cancellation_details[feedback_option]', { feedback_option: 'fo_1' }],
  ])('are refused with a wrong %s', async (param, wrong) => {
    const { id } = await subscribe()
    const error = await errorOf(
      stripe.subscriptions.cancel(id, { cancellation_details: { ...said, ...wrong } }),
    )
    expect(error).toMatchObject({ statusCode: 400, param })
    const found = await stripe.subscriptions.retrieve(id)
    expect(found).toMatchObject({ status: 'active', cancellation_details: { comment: null } })
  })
})

describe('the cancellation of a new subscription', () => {
  test('takes effect at the end of its first period', async () => {
    const { clock, subscription, id } = await subscribe({ cancel_at_period_end: true })
    expect(subscription).toMatchObject({
      status: 'active',
      cancel_at: FEB_28,
      cancel_at_period_end: true,
      canceled_at: JAN_31,
    })
    await sdk.advance(clock, FEB_28)
    const { data } = await stripe.invoices.list({ subscription: id })
    expect([(await stripe.subscriptions.retrieve(id)).status, data.length]).toEqual(['canceled', 1])
  })

  test('takes effect at an instant, after a renewal', async () => {
    const cancel_at = FEB_28 + 86_400
    const { clock, subscription, id } = await subscribe({ cancel_at })
    expect(subscription).toMatchObject({ cancel_at, cancel_at_period_end: false, canceled_at: JAN_31 })
    await sdk.advance(clock, cancel_at - 1)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
    await sdk.advance(clock, cancel_at)
    const { data } = await stripe.invoices.list({ subscription: id })
    expect([(await stripe.subscriptions.retrieve(id)).status, data.length]).toEqual(['canceled', 2])
  })

  test('takes effect at the end of a trial', async () => {
    const { clock, subscription, id } = await subscribe({ cancel_at_period_end: true, trial_period_days: 7 })
    const cancel_at = JAN_31 + 7 * 86_400
    expect(subscription).toMatchObject({ status: 'trialing', cancel_at })
    await sdk.advance(clock, cancel_at)
    const { data } = await stripe.invoices.list({ subscription: id })
    const found = await stripe.subscriptions.retrieve(id)
    expect([found.status, data.map(({ total }) => total)]).toEqual(['canceled', [0]])
  })

  test.each([
    ['in the past', JAN_31],
    ['named as the end of a period', 'min_period_end' as const],
  ])('is refused if it is %s', async (_, cancel_at) => {
    expect(await errorOf(subscribe({ cancel_at }))).toMatchObject({ statusCode: 400, param: 'cancel_at' })
  })
})
