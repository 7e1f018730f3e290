import { describe, expect, test } from 'vitest'
import {
  anotherMerchant,
  asOperator,
  expectRefusal,
  invalid,
  type Refusal,
  unknown,
} from '../http/support.ts'
import { at, openTwin, subscribe } from '../scenarios/story.ts'
import { type Body, clientOf, makeCustomer, makePrice, type Twin, type TwinResponse } from '../twin.ts'
import { emitted, writesNothing } from './support.ts'

const TIMEOUT: Refusal = { status: 500, type: 'api_error', code: 'internal_error', param: null }

async function inject(twin: Twin, fault: Body): Promise<Body> {
  const { status, body } = await asOperator(twin)('POST', 'faults', fault)
  expect(status).toBe(201)
  return body
}
const remaining = async (twin: Twin) =>
  (await asOperator(twin)('GET', 'faults')).body.data.map((fault: Body) => fault.remaining)
const pay = (twin: Twin, more: Body = {}, headers: Record<string, string> = {}) =>
  twin.request(
    'POST',
    '/v1/payment_intents',
    { amount: 500, currency: 'usd', payment_method: 'pm_card_visa', confirm: true, ...more },
    headers,
  )

/** An open invoice of a customer whose card is good. */
async function openInvoice(twin: Twin): Promise<Body> {
  const { customer, method } = await makeCustomer(twin)
  const settings = { invoice_settings: { default_payment_method: method.id } }
  await twin.post(`/v1/customers/${customer.id}`, settings)
  await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 700, currency: 'usd' })
  const { id } = await twin.post('/v1/invoices', { customer: customer.id })
  return twin.post(`/v1/invoices/${id}/finalize`)
}

async function subscriptionParams(twin: Twin): Promise<Body> {
  const { customer, method } = await makeCustomer(twin)
  const price = await makePrice(twin)
  return {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  }
}

/** All kinds of requests that charge a card; each is prepared first and then sent. */
const CHARGES: [string, (twin: Twin) => Promise<() => Promise<TwinResponse>>][] = [
  ['an intent created with confirm', async (twin) => () => pay(twin)],
  [
    'a confirmation',
    async (twin) => {
      const { id } = await twin.post('/v1/payment_intents', { amount: 500, currency: 'usd' })
      return () =>
        twin.request('POST', `/v1/payment_intents/${id}/confirm`, { payment_method: 'pm_card_visa' })
    },
  ],
  [
    'a payment by hand',
    async (twin) => {
      const { id } = await openInvoice(twin)
      return () => twin.request('POST', `/v1/invoices/${id}/pay`)
    },
  ],
  [
    'a confirmation of an invoice’s intent',
    async (twin) => {
      const { payment_intent } = await openInvoice(twin)
      return () =>
        twin.request('POST', `/v1/payment_intents/${payment_intent}/confirm`, {
          payment_method: 'pm_card_visa',
        })
    },
  ],
  [
    'a subscription that must not be incomplete',
    async (twin) => {
      const params = { ...(await subscriptionParams(twin)), payment_behavior: 'error_if_incomplete' }
      return () => twin.request('POST', '/v1/subscriptions', params)
    },
  ],
]

describe('a decline', () => {
  test.each(CHARGES)('applies to %s, whatever the card: 402', async (_, prepare) => {
    const twin = await openTwin()
    const send = await prepare(twin)
    await inject(twin, { kind: 'decline', count: 1 })
    const { status, body } = await send()
    expect(status).toBe(402)
    expect(body.error).toMatchObject({
      type: 'payment_error',
      code: 'card_declined',
      decline_code: 'generic_decline',
    })
    expect(await remaining(twin)).toEqual([])
  })

  test('of a first payment leaves the subscription incomplete, and a retry recovers it', async () => {
    const twin = await openTwin()
    await inject(twin, { kind: 'decline', count: 1 })
    const { subscription } = await subscribe(twin)
    expect(subscription.status).toBe('incomplete')
    await twin.advance({ by: '1d' })
    expect((await twin.get(`/v1/subscriptions/${subscription.id}`)).status).toBe('active')
  })

  test('counts the attempts of jobs and of requests', async () => {
    const twin = await openTwin()
    await subscribe(twin)
    await inject(twin, { kind: 'decline', count: 4 })
    expect((await pay(twin)).status).toBe(402)
    expect(await remaining(twin)).toEqual([3])
    const { summary } = await twin.advance({ to: '2026-03-31T09:59:59Z' })
    expect(summary).toMatchObject({ payments_failed: 3, invoices_paid: 1 })
    const failed = await twin.events('&type=invoice.payment_failed')
    expect(failed.map(({ created }) => created)).toEqual(
      ['2026-02-28T10:00:00Z', '2026-03-01T10:00:00Z', '2026-03-03T10:00:00Z'].map(at),
    )
    expect(await remaining(twin)).toEqual([])
  })

  test('does not move a card’s script on, because the card is not reached', async () => {
    const twin = await openTwin()
    const { customer, method } = await makeCustomer(twin, { outcomes: ['decline:lost_card', 'succeed'] })
    const charge = () => pay(twin, { customer: customer.id, payment_method: method.id })
    await inject(twin, { kind: 'decline', count: 1 })
    const codes = []
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { status, body } = await charge()
      codes.push(status === 201 ? 'paid' : body.error.decline_code)
    }
    expect(codes).toEqual(['generic_decline', 'lost_card', 'paid'])
  })

  test('is used up by an attempt that is rolled back, like a script', async () => {
    const twin = await openTwin()
    const params = { ...(await subscriptionParams(twin)), payment_behavior: 'error_if_incomplete' }
    await inject(twin, { kind: 'decline', count: 2 })
    const send = () => twin.request('POST', '/v1/subscriptions', params)
    expect((await writesNothing(twin, send)).status).toBe(402)
    expect(await remaining(twin)).toEqual([1])
    expect((await send()).status).toBe(402)
    expect((await send()).status).toBe(201)
  })

  test.each<[string, (twin: Twin) => Promise<unknown>]>([
    ['an intent that is not confirmed', (twin) => pay(twin, { confirm: false })],
    ['a push method', (twin) => pay(twin, { payment_method: 'pm_pix', currency: 'brl' })],
    [
      'a card that waits to be authenticated',
      (twin) => pay(twin, { payment_method: 'pm_card_authenticationRequired' }),
    ],
    [
      'what the customer settles',
      async (twin) => {
        const { body } = await pay(twin, { payment_method: 'pm_pix', currency: 'brl' })
        return twin.post(`/v1/test_helpers/payment_intents/${body.id}/settle`, { outcome: 'succeed' })
      },
    ],
    [
      'what the customer settles of an invoice',
      async (twin) => {
        const { payment_intent } = await openInvoice(twin)
        const payment_method = 'pm_card_authenticationRequired'
        await twin.post(`/v1/payment_intents/${payment_intent}/confirm`, { payment_method })
        await twin.post(`/v1/test_helpers/payment_intents/${payment_intent}/settle`, { outcome: 'succeed' })
      },
    ],
    ['a trial', (twin) => subscribe(twin, { trial_period_days: 7 })],
    ['an invoice that is sent', (twin) => subscribe(twin, { collection_method: 'send_invoice' })],
    ['a free price', (twin) => subscribe(twin, { price: { unit_amount: 0 } })],
    [
      'an attempt without a payment method',
      async (twin) => {
        const { customer } = await makeCustomer(twin)
        await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 700, currency: 'usd' })
        const { id } = await twin.post('/v1/invoices', { customer: customer.id })
        const { body } = await twin.request('POST', `/v1/invoices/${id}/pay`)
        expect(body.error.decline_code).toBe('payment_method_missing')
      },
    ],
    ['a refusal before the attempt', (twin) => pay(twin, { payment_method: 'pm_unknown' })],
  ])('is not used up by %s, which does not reach the processor', async (_, act) => {
    const twin = await openTwin()
    await inject(twin, { kind: 'decline', count: 1 })
    await act(twin)
    expect(await remaining(twin)).toEqual([1])
    expect((await pay(twin)).status).toBe(402)
  })
})

describe('a processor that does not answer', () => {
  test.each(CHARGES)(
    'makes %s a 500 that writes nothing, and a retry with the same key works',
    async (_, prepare) => {
      const twin = await openTwin()
      const send = await prepare(twin)
      await inject(twin, { kind: 'processor_timeout', count: 1 })
      const response = await writesNothing(twin, send)
      expectRefusal(response, TIMEOUT)
      expect(response.body.error.message).toContain('did not answer in time')
      expect(await remaining(twin)).toEqual([])
      expect((await send()).status).toBeLessThan(300)
    },
  )

  test('is not stored under an idempotency key', async () => {
    const twin = await openTwin()
    await inject(twin, { kind: 'processor_timeout', count: 1 })
    const send = () => pay(twin, {}, { 'Idempotency-Key': 'order' })
    expectRefusal(await send(), TIMEOUT)
    const { status, headers } = await send()
    expect([status, headers.get('Idempotent-Replayed')]).toEqual([201, null])
  })

  test('writes nothing of a subscription that may be incomplete', async () => {
    const twin = await openTwin()
    const params = await subscriptionParams(twin)
    await inject(twin, { kind: 'processor_timeout', count: 1 })
    expectRefusal(await writesNothing(twin, () => twin.request('POST', '/v1/subscriptions', params)), TIMEOUT)
  })

  test('is a failed attempt for a job, which is retried', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    await inject(twin, { kind: 'processor_timeout', count: 1 })
    expect(await emitted(twin, () => twin.advance({ by: '1mo' }))).toContain(
      'invoice.payment_failed payment_intent.payment_failed charge.failed subscription.updated',
    )
    const [charge] = (await twin.get('/v1/charges?limit=1')).data
    expect(charge).toMatchObject({ status: 'failed', failure_code: 'processing_error' })
    await twin.advance({ by: '1d' })
    expect((await twin.get(`/v1/subscriptions/${subscription.id}`)).status).toBe('active')
  })
})

describe('a fault of charges', () => {
  test('applies to the merchant that it names', async () => {
    const twin = await openTwin()
    const { merchant, secretKey } = await anotherMerchant(twin)
    await inject(twin, { kind: 'decline', merchant: merchant.id, count: 1 })
    expect((await pay(twin)).status).toBe(201)
    const other = clientOf(twin.sandbox, secretKey)
    expect([(await pay(other)).status, (await pay(other)).status]).toEqual([402, 201])
  })

  test('applies in the order of creation, one for each attempt', async () => {
    const twin = await openTwin()
    await inject(twin, { kind: 'processor_timeout', count: 1 })
    await inject(twin, { kind: 'decline', count: 1 })
    const statuses = []
    for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await pay(twin)).status)
    expect(statuses).toEqual([500, 402, 201])
  })

  test('at a rate applies to the same attempts for the same seed, regardless of other requests', async () => {
    const play = async (seed: string, reads: number) => {
      const twin = await openTwin({ seed })
      await inject(twin, { kind: 'decline', rate: 0.4 })
      await inject(twin, { kind: 'internal_error', rate: 0.5, route: 'GET /v1/prices' })
      const statuses = []
      for (let attempt = 0; attempt < 40; attempt += 1) {
        for (let read = 0; read < reads; read += 1) await twin.request('GET', '/v1/prices')
        await twin.get('/v1/customers')
        statuses.push((await pay(twin)).status)
      }
      return statuses
    }
    const once = await play('1', 0)
    const declined = once.filter((status) => status === 402).length
    expect(declined).toBeGreaterThan(5)
    expect(declined).toBeLessThan(30)
    expect(await play('1', 3)).toEqual(once)
    expect(await play('2', 0)).not.toEqual(once)
  })

  test('gives the same history in one advance and in many', async () => {
    const play = async (steps: readonly string[]) => {
      const twin = await openTwin()
      for (let count = 0; count < 5; count += 1) await subscribe(twin)
      await inject(twin, { kind: 'decline', rate: 0.5 })
      for (const by of steps) await twin.advance({ by })
      // Ids of requests are random and not part of a history.
      return (await twin.events()).map(({ request, ...event }) => event)
    }
    const history = await play(['60d'])
    expect(history.filter(({ type }) => type === 'invoice.payment_failed').length).toBeGreaterThan(3)
    expect(await play(Array.from({ length: 60 }, () => '1d'))).toEqual(history)
  })

  test.each<[Body, Refusal, RegExp]>([
    [
      { kind: 'decline', route: '/v1/*' },
      invalid('route'),
      /route does not apply to decline.* Use merchant to limit it/,
    ],
    [{ kind: 'processor_timeout', route: 'POST /v1/charges' }, invalid('route'), /route does not apply to/],
    [{ kind: 'decline', ms: 5 }, invalid('ms'), /ms applies only to the kind latency/],
    [{ kind: 'internal_error', ms: 5 }, invalid('ms'), /only to the kind latency, not to internal_error/],
    [{ kind: 'decline', merchant: 'mer_unknown' }, unknown('merchant'), /No such merchant: 'mer_unknown'/],
    [{ kind: 'webhook' }, invalid('kind'), /decline, processor_timeout/],
    [{ kind: 'decline', rate: 1.5 }, invalid('rate'), /at most 1$/],
    [{ kind: 'decline', rate: -0.1 }, invalid('rate'), /at least 0$/],
    [{ kind: 'decline', count: 0 }, invalid('count'), /at least 1$/],
  ])('%j is refused with the allowed values', async (fault, refusal, message) => {
    const twin = await openTwin()
    const response = await asOperator(twin)('POST', 'faults', fault)
    expectRefusal(response, refusal)
    expect(response.body.error.message).toMatch(message)
    expect((await asOperator(twin)('GET', 'faults')).body.data).toEqual([])
  })

  test('shows ms for a latency only', async () => {
    const twin = await openTwin()
    expect(await inject(twin, { kind: 'latency' })).toMatchObject({ ms: 1_000 })
    expect(await inject(twin, { kind: 'latency', ms: 20 })).toMatchObject({ ms: 20 })
    expect(await inject(twin, { kind: 'decline' })).toMatchObject({ ms: null, route: null, remaining: null })
  })

  test('is taken back', async () => {
    const twin = await openTwin()
    const { id } = await inject(twin, { kind: 'decline' })
    expect((await pay(twin)).status).toBe(402)
    await asOperator(twin)('DELETE', `faults/${id}`)
    expect((await pay(twin)).status).toBe(201)
  })
})
