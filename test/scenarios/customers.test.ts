import { describe, expect, test } from 'vitest'
import { linesOf } from '../table.ts'
import type { Twin } from '../twin.ts'
import { at, listAll, openTwin, subscribe, timelineOf } from './story.ts'

const FAILED = 'decline:insufficient_funds'

const linesFrom = async (twin: Twin, place: number) =>
  (await twin.events()).slice(place).map(({ type, data }) => `${type} ${data.object.status ?? ''}`.trim())

describe('deleting a customer', () => {
  test('cancels its subscriptions at once, in the order of their creation', async () => {
    const twin = await openTwin()
    const { customer, method, subscription } = await subscribe(twin)
    const params = {
      customer: customer.id,
      currency: 'usd',
      items: [{ price: subscription.items.data[0].price.id }],
    }
    const incomplete = await twin.post('/v1/subscriptions', {
      ...params,
      default_payment_method: 'pm_card_chargeDeclined',
    })
    const ended = await twin.post('/v1/subscriptions', { ...params, default_payment_method: method.id })
    await twin.delete(`/v1/subscriptions/${ended.id}`)
    const place = (await twin.events()).length
    await twin.delete(`/v1/customers/${customer.id}`)

    expect(await linesFrom(twin, place)).toEqual([
      'subscription.deleted canceled',
      'invoice.voided void',
      'subscription.deleted canceled',
      'customer.deleted',
    ])
    const emitted = (await twin.events()).slice(place)
    expect([emitted[0]?.data.object.id, emitted[2]?.data.object.id]).toEqual([subscription.id, incomplete.id])
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      canceled_at: at('2026-01-31T10:00:00Z'),
      ended_at: at('2026-01-31T10:00:00Z'),
      cancellation_details: { reason: 'cancellation_requested' },
    })
    expect((await twin.advance({ by: '1y' })).summary).toMatchObject({ jobs: 0, events: 0 })
  })

  test('leaves a stub under its id, but references to it are refused', async () => {
    const twin = await openTwin()
    const { customer, subscription } = await subscribe(twin)
    const stub = { id: customer.id, object: 'customer', deleted: true, livemode: false }
    expect(await twin.delete(`/v1/customers/${customer.id}`)).toEqual(stub)
    expect(await twin.get(`/v1/customers/${customer.id}`)).toEqual(stub)
    expect(await listAll(twin, '/v1/customers')).toEqual([])
    const { status, body } = await twin.request('POST', '/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: 'pm_card_visa',
      items: [{ price: subscription.items.data[0].price.id }],
    })
    expect([status, body.error.code, body.error.param]).toEqual([404, 'resource_missing', 'customer'])
    expect((await twin.request('DELETE', `/v1/customers/${customer.id}`)).status).toBe(404)
  })
})

describe('the payment method of an attempt', () => {
  test('is the customer’s default when the subscription’s was detached', async () => {
    const twin = await openTwin()
    const { customer, method, subscription } = await subscribe(twin)
    await twin.post(`/v1/customers/${customer.id}`, {
      invoice_settings: { default_payment_method: 'pm_card_mastercard' },
    })
    await twin.post(`/v1/payment_methods/${method.id}/detach`)
    await twin.advance({ by: '1mo' })
    const charge = (await listAll(twin, '/v1/charges')).at(-1)
    expect(charge).toMatchObject({ status: 'succeeded', payment_method_details: { card: { last4: '4444' } } })
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'active' })
  })

  test('is null when it was detached and there is no default: the attempt fails and counts', async () => {
    const twin = await openTwin()
    const { method } = await subscribe(twin)
    await twin.post(`/v1/payment_methods/${method.id}/detach`)
    const place = timelineOf(await twin.events()).length
    await twin.advance({ to: '2026-03-01T10:00:00Z' })
    expect(timelineOf(await twin.events()).slice(place)).toEqual(
      linesOf(`
      2026-02-28T10:00:00Z invoice.created draft
      2026-02-28T10:00:00Z invoice.finalized open
      2026-02-28T10:00:00Z invoice.payment_failed open #1 next 2026-03-01T10:00:00Z
      2026-02-28T10:00:00Z payment_intent.payment_failed requires_payment_method
      2026-02-28T10:00:00Z subscription.updated past_due Δ status latest_invoice current_period_start current_period_end
      2026-03-01T10:00:00Z invoice.payment_failed open #2 next 2026-03-03T10:00:00Z
      2026-03-01T10:00:00Z payment_intent.payment_failed requires_payment_method
      `),
    )
  })

  test('is the new one from the next retry on; replacing it makes no attempt', async () => {
    const twin = await openTwin()
    const { customer, method } = await subscribe(twin, { outcomes: ['succeed'], afterwards: FAILED })
    await twin.advance({ to: '2026-02-28T12:00:00Z' })
    const attempts = (await listAll(twin, '/v1/charges')).length
    await twin.post(`/v1/payment_methods/${method.id}/detach`)
    await twin.post(`/v1/customers/${customer.id}`, {
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    })
    expect(await listAll(twin, '/v1/charges')).toHaveLength(attempts)
    await twin.advance({ to: '2026-03-01T10:00:00Z' })
    expect((await listAll(twin, '/v1/invoices')).at(-1)).toMatchObject({ status: 'paid', attempt_count: 2 })
  })

  test('may be a push method, which fails the attempt', async () => {
    const twin = await openTwin()
    const { customer, method } = await subscribe(twin)
    await twin.post(`/v1/payment_methods/${method.id}/detach`)
    await twin.post(`/v1/customers/${customer.id}`, {
      invoice_settings: { default_payment_method: 'pm_pix' },
    })
    await twin.advance({ by: '1mo' })
    expect((await listAll(twin, '/v1/invoices')).at(-1)).toMatchObject({ status: 'open', attempt_count: 1 })
    expect(await twin.events('&type=charge.failed')).toEqual([])
  })
})

test('a customer is delinquent while an invoice is outstanding, without an event', async () => {
  const twin = await openTwin()
  const { customer } = await subscribe(twin, { outcomes: ['succeed', FAILED] })
  const delinquent = async () => (await twin.get(`/v1/customers/${customer.id}`)).delinquent
  expect(await delinquent()).toBe(false)
  await twin.advance({ to: '2026-02-28T10:00:00Z' })
  expect(await delinquent()).toBe(true)
  await twin.advance({ to: '2026-03-01T10:00:00Z' })
  expect(await delinquent()).toBe(false)
  expect(await twin.events('&type=customer.updated')).toEqual([])
})
