import { describe, expect, test } from 'vitest'
import { invalid, missing, type Refusal, unknown } from '../http/support.ts'
import { nowOf, openTwin, subscribe } from '../scenarios/story.ts'
import { type Body, makePrice } from '../twin.ts'
import { refuses, writesNothing } from './support.ts'

const PATH = '/v1/invoices/create_preview'

async function begin(given: Body = {}) {
  const twin = await openTwin()
  const { customer, subscription, method } = await subscribe(twin, given)
  const { id: price } = await makePrice(twin, { unit_amount: 5000, nickname: 'Pro' })
  const [item] = subscription.items.data
  const always = { items: [{ id: item.id, price }], proration_behavior: 'always_invoice' }
  return { twin, customer, subscription, method, price, item, always }
}

const details = (name: string) => `subscription_details[${name}]`

describe('a preview of a change', () => {
  test('shows the invoice of always_invoice, and of the renewal for create_prorations', async () => {
    const { twin, subscription, always } = await begin()
    const now = await twin.post(PATH, { subscription: subscription.id, subscription_details: always })
    expect(now).toMatchObject({ total: 3000, billing_reason: 'subscription_update', id: null, number: null })
    const later = await twin.post(PATH, {
      subscription: subscription.id,
      subscription_details: { ...always, proration_behavior: 'create_prorations' },
    })
    expect(later).toMatchObject({ total: 8000, billing_reason: 'subscription_cycle' })
    expect(
      later.lines.data.map(({ id, invoice_item, proration }: Body) => [id, invoice_item, proration]),
    ).toEqual([
      ['il_preview', null, true],
      ['il_preview', null, true],
      ['il_preview', null, false],
    ])
  })

  test('shows the final invoice of a planned cancellation', async () => {
    const { twin, subscription, always } = await begin()
    await twin.post(`/v1/subscriptions/${subscription.id}`, {
      ...always,
      proration_behavior: 'create_prorations',
    })
    const shown = await twin.post(PATH, {
      subscription: subscription.id,
      subscription_details: { cancel_at_period_end: true },
    })
    expect(shown).toMatchObject({ total: 3000, billing_reason: 'subscription_update' })
    expect(shown.lines.data.map(({ invoice_item }: Body) => typeof invoice_item)).toEqual([
      'string',
      'string',
    ])
  })

  test('uses up no fault, and does not move a script on', async () => {
    const { twin, subscription, always } = await begin({
      outcomes: ['succeed', 'decline:lost_card', 'succeed'],
    })
    const headers = { Authorization: `Bearer ${twin.sandbox.adminToken}`, Host: 'localhost' }
    const timeout = { kind: 'processor_timeout', count: 1 }
    expect((await twin.request('POST', '/_paytwin/faults', timeout, headers)).status).toBe(201)
    const params = { subscription: subscription.id, subscription_details: always }
    for (let count = 0; count < 3; count += 1) expect((await twin.post(PATH, params)).total).toBe(3000)
    const path = `/v1/subscriptions/${subscription.id}`
    expect((await twin.request('POST', path, always)).status).toBe(500)
    expect(await twin.post(path, always)).toMatchObject({ status: 'past_due' })
  })

  test('does not move a live clock', async () => {
    const twin = await openTwin({ clock: 'live', wall: () => 1_800_000_000_000 })
    const { subscription } = await subscribe(twin)
    expect((await twin.post(PATH, { subscription: subscription.id })).created).toBeGreaterThan(1_800_000_000)
    expect(await nowOf(twin)).toBe(1_800_000_000)
  })

  test('is replayed for its idempotency key', async () => {
    const { twin, subscription, always } = await begin()
    const params = { subscription: subscription.id, subscription_details: always }
    const headers = { 'Idempotency-Key': 'preview-1' }
    const first = await twin.request('POST', PATH, params, headers)
    await twin.post(`/v1/subscriptions/${subscription.id}`, always)
    const second = await twin.request('POST', PATH, params, headers)
    expect(second.body).toEqual(first.body)
  })

  test('takes a form', async () => {
    const { twin, subscription, item, price } = await begin()
    const body = `subscription=${subscription.id}&${details('items')}[0][id]=${item.id}&${details('items')}[0][price]=${price}&${details('proration_behavior')}=always_invoice`
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect((await twin.request('POST', PATH, body, type)).body.total).toBe(3000)
  })
})

describe('refused', () => {
  test.each<[string, (begun: Awaited<ReturnType<typeof begin>>) => Body, Refusal]>([
    ['nothing to preview', () => ({}), missing('subscription')],
    ['a new subscription without a customer', () => ({ subscription_details: {} }), missing('customer')],
    [
      'a new subscription without items',
      ({ customer }) => ({ customer: customer.id }),
      missing(details('items')),
    ],
    [
      'a new item without a price',
      ({ customer }) => ({ customer: customer.id, subscription_details: { items: [{ quantity: 2 }] } }),
      missing(`${details('items')}[0][price]`),
    ],
    [
      'an unknown price',
      ({ customer }) => ({ customer: customer.id, subscription_details: { items: [{ price: 'price_x' }] } }),
      unknown(`${details('items')}[0][price]`),
    ],
    [
      'an unknown customer',
      ({ price }) => ({ customer: 'cus_x', subscription_details: { items: [{ price }] } }),
      unknown('customer'),
    ],
    [
      'another customer than that of the subscription',
      ({ subscription }) => ({ subscription: subscription.id, customer: 'cus_x' }),
      invalid('customer'),
    ],
    [
      'another currency than that of the subscription',
      ({ subscription }) => ({ subscription: subscription.id, currency: 'eur' }),
      invalid('currency'),
    ],
    [
      'an unknown item',
      ({ subscription }) => ({
        subscription: subscription.id,
        subscription_details: { items: [{ id: 'si_x', quantity: 2 }] },
      }),
      unknown(`${details('items')}[0][id]`),
    ],
    [
      'a date outside of the period',
      ({ subscription, always }) => ({
        subscription: subscription.id,
        subscription_details: { ...always, proration_date: 1 },
      }),
      invalid(details('proration_date')),
    ],
    [
      'an instant as the anchor of an existing subscription',
      ({ subscription }) => ({
        subscription: subscription.id,
        subscription_details: { billing_cycle_anchor: 1_800_000_000 },
      }),
      invalid(details('billing_cycle_anchor')),
    ],
    [
      'a cancellation now with other changes',
      ({ subscription, always }) => ({
        subscription: subscription.id,
        subscription_details: { ...always, cancel_now: true },
      }),
      invalid(details('cancel_now')),
    ],
    [
      'a cancellation of a new subscription',
      ({ customer, price }) => ({
        customer: customer.id,
        subscription_details: { items: [{ price }], cancel_at_period_end: true },
      }),
      invalid(details('cancel_at_period_end')),
    ],
    [
      'a new subscription with an anchor and a trial',
      ({ customer, price }) => ({
        customer: customer.id,
        subscription_details: {
          ...{ items: [{ price }], trial_end: 1_770_000_000, billing_cycle_anchor: 1_770_000_000 },
        },
      }),
      invalid(details('billing_cycle_anchor')),
    ],
  ])('%s', async (_, params, refusal) => {
    const begun = await begin()
    await refuses(begun.twin, ['POST', PATH, params(begun)], refusal)
  })

  test('a cancellation that bills nothing', async () => {
    const { twin, subscription } = await begin()
    const response = await writesNothing(twin, () =>
      twin.request('POST', PATH, {
        subscription: subscription.id,
        subscription_details: { cancel_at_period_end: true },
      }),
    )
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_state_transition', param: 'status' } },
    })
  })
})
