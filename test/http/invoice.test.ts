import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { asOperator, badState, eventsOf, expectRefused, idsOf, typesOf, unknown } from './support.ts'

const NOW = 1769853600
const PERIOD_END = 1772272800
const DAY = 86_400

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

async function subscription(outcomes: string[] = [], more: Body = {}, then = 'succeed'): Promise<Body> {
  const { customer, method } = await makeCustomer(twin, { outcomes, then })
  const price = await makePrice(twin)
  return twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id, quantity: 2 }],
    ...more,
  })
}

const newest = async (): Promise<Body> => (await twin.get('/v1/invoices?limit=1')).data[0]
const pay = (id: string, body?: unknown) => twin.request('POST', `/v1/invoices/${id}/pay`, body)

describe('an invoice', () => {
  test('that was paid is shown whole', async () => {
    const { id, customer, items } = await subscription()
    const [item] = items.data
    const invoice = await newest()
    const shared = { created: NOW, livemode: false, merchant_id: twin.sandbox.merchant.settings.id }
    expect(invoice).toMatchObject({
      ...shared,
      id: expect.stringMatching(/^in_/),
      object: 'invoice',
      status: 'paid',
      number: `${(await twin.get(`/v1/customers/${customer}`)).invoice_prefix}-0001`,
      customer,
      subscription: id,
      currency: 'usd',
      amount_due: 4000,
      amount_paid: 4000,
      amount_remaining: 0,
      subtotal: 4000,
      total: 4000,
      attempt_count: 1,
      attempted: true,
      auto_advance: false,
      next_payment_attempt: null,
      billing_reason: 'subscription_create',
      collection_method: 'charge_automatically',
      default_payment_method: null,
      payment_intent: expect.stringMatching(/^pi_/),
      charge: expect.stringMatching(/^ch_/),
      due_date: null,
      period_start: NOW,
      period_end: PERIOD_END,
      status_transitions: {
        finalized_at: NOW,
        paid_at: NOW,
        voided_at: null,
        marked_uncollectible_at: null,
      },
      lines: {
        object: 'list',
        url: `/v1/invoices/${invoice.id}/lines`,
        has_more: false,
        livemode: false,
        data: [
          {
            ...shared,
            id: expect.stringMatching(/^il_/),
            object: 'line_item',
            invoice: invoice.id,
            amount: 4000,
            currency: 'usd',
            description: '2 × 20.00 USD',
            unit_amount: 2000,
            quantity: 2,
            price: item.price.id,
            subscription: id,
            subscription_item: item.id,
            period: { start: NOW, end: PERIOD_END },
          },
        ],
      },
      metadata: {},
      test_clock: null,
    })
    expect(await twin.get(`/v1/invoices/${invoice.id}`)).toEqual(invoice)
  })

  test('is found by customer, subscription and status', async () => {
    const first = await subscription()
    const paid = await newest()
    await subscription(['decline:lost_card'])
    const open = await newest()
    const found = async (query: string) => idsOf((await twin.get(`/v1/invoices?${query}`)).data)
    expect(await found('')).toEqual([open.id, paid.id])
    expect(await found('status=open')).toEqual([open.id])
    expect(await found('status=paid')).toEqual([paid.id])
    expect(await found('status=draft')).toEqual([])
    expect(await found(`subscription=${first.id}`)).toEqual([paid.id])
    expect(await found(`customer=${open.customer}`)).toEqual([open.id])
    expect(await found(`customer=${open.customer}&status=paid`)).toEqual([])
    await expectRefused(twin, ['GET', '/v1/invoices?status=unpaid'], {
      code: 'parameter_invalid',
      param: 'status',
    })
    await expectRefused(twin, ['GET', '/v1/invoices/in_unknown'], unknown())
  })
})

describe('paying an open invoice', () => {
  test('that is declined again is 402, and the attempt is written', async () => {
    const { id } = await subscription(['decline:lost_card'], {}, 'decline:insufficient_funds')
    const before = await newest()
    const events = await eventsOf(twin, async () => {
      const response = await pay(before.id)
      const [charge] = (await twin.get('/v1/charges?limit=1')).data
      const intent = await twin.get(`/v1/payment_intents/${before.payment_intent}`)
      expect(response.status).toBe(402)
      expect(response.body).toMatchObject({
        error: {
          type: 'payment_error',
          code: 'card_declined',
          decline_code: 'insufficient_funds',
          message: expect.any(String),
          param: null,
          charge: charge.id,
          payment_intent: intent,
        },
        livemode: false,
      })
      expect(intent).toMatchObject({
        status: 'requires_payment_method',
        payment_method: null,
        latest_charge: charge.id,
        last_payment_error: { code: 'card_declined', decline_code: 'insufficient_funds', charge: charge.id },
      })
      expect(await newest()).toEqual({ ...before, charge: charge.id })
    })
    expect(typesOf(events)).toEqual([
      'invoice.payment_failed',
      'payment_intent.payment_failed',
      'charge.failed',
    ])
    expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe('incomplete')
    expect(before).toMatchObject({ attempt_count: 1, next_payment_attempt: NOW + DAY })
  })

  test('makes an incomplete subscription active, and nothing is retried', async () => {
    const { id } = await subscription(['decline:lost_card'])
    const { id: invoice } = await newest()
    const events = await eventsOf(twin, async () => {
      const response = await pay(invoice)
      expect(response.status).toBe(200)
      expect(response.body).toMatchObject({
        id: invoice,
        status: 'paid',
        amount_paid: 4000,
        amount_remaining: 0,
        attempt_count: 1,
        next_payment_attempt: null,
        status_transitions: { paid_at: NOW },
      })
    })
    expect(typesOf(events)).toEqual([
      'invoice.paid',
      'payment_intent.succeeded',
      'charge.succeeded',
      'subscription.updated',
    ])
    expect(events.at(-1)?.data.previous_attributes).toEqual({ status: 'incomplete', latest_invoice: null })
    expect(await twin.get(`/v1/subscriptions/${id}`)).toMatchObject({
      status: 'active',
      latest_invoice: invoice,
    })
    const { data } = await twin.get('/v1/test_helpers/upcoming')
    expect(data.map(({ kind }: Body) => kind)).toEqual(['renewal'])
  })

  test('recovers one that is past due', async () => {
    const { id } = await subscription(['succeed', 'decline:lost_card'])
    await twin.advance({ by: '1mo' })
    expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe('past_due')
    expect((await pay((await newest()).id)).status).toBe(200)
    expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe('active')
  })

  test('that was sent charges the card of the subscription', async () => {
    await subscription([], { collection_method: 'send_invoice' })
    const response = await pay((await newest()).id)
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ status: 'paid', attempt_count: 0, attempted: true })
  })

  test('without a payment method is 402 and leaves no charge', async () => {
    const { id, default_payment_method } = await subscription(['succeed', 'decline:lost_card'])
    await twin.advance({ by: '1mo' })
    await twin.post(`/v1/payment_methods/${default_payment_method}/detach`)
    const invoice = await newest()
    const events = await eventsOf(twin, async () => {
      const { status, body } = await pay(invoice.id)
      expect(status).toBe(402)
      expect(body.error).toMatchObject({ type: 'payment_error', param: null, charge: null })
      expect(body.error.payment_intent).toMatchObject({ id: invoice.payment_intent })
    })
    expect(typesOf(events)).toEqual(['invoice.payment_failed', 'payment_intent.payment_failed'])
    expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe('past_due')
  })

  test('reports unknown parameters, and accepts no payment method', async () => {
    await subscription(['decline:lost_card'])
    const response = await pay((await newest()).id, { zebra: 1 })
    expect(response.status).toBe(200)
    expect(response.headers.get('Paytwin-Ignored-Params')).toBe('zebra')
  })
})

describe('an invoice that cannot be paid', () => {
  test('is a paid invoice', async () => {
    await subscription()
    await expectRefused(twin, ['POST', `/v1/invoices/${(await newest()).id}/pay`], badState())
  })

  test('is a void invoice', async () => {
    const { id } = await subscription(['decline:lost_card'])
    await twin.delete(`/v1/subscriptions/${id}`)
    const invoice = await newest()
    expect(invoice.status).toBe('void')
    await expectRefused(twin, ['POST', `/v1/invoices/${invoice.id}/pay`], badState())
  })

  test('is unknown', async () => {
    await expectRefused(twin, ['POST', '/v1/invoices/in_unknown/pay'], unknown())
  })
})

test('paying a draft finalizes it first', async () => {
  const merchant = twin.sandbox.merchant.settings.id
  await asOperator(twin)('POST', `merchants/${merchant}`, { dunning_final_action: 'mark_unpaid' })
  const outcomes = ['succeed', ...Array(5).fill('decline:lost_card')]
  const { id } = await subscription(outcomes)
  await twin.advance({ by: '2mo' })
  expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe('unpaid')
  const draft = await newest()
  expect(draft).toMatchObject({ status: 'draft', number: null, payment_intent: null, attempt_count: 0 })

  const events = await eventsOf(twin, async () => {
    const response = await pay(draft.id)
    expect(response.body).toMatchObject({ status: 'paid', number: expect.stringMatching(/-0003$/) })
  })
  expect(typesOf(events).slice(0, 4)).toEqual([
    'invoice.finalized',
    'invoice.paid',
    'payment_intent.succeeded',
    'charge.succeeded',
  ])
})
