import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  anotherMerchant,
  eventsOf,
  idsOf,
  invalid,
  missing,
  type Refusal,
  typesOf,
  unknown,
} from '../http/support.ts'
import { openTwin, subscribe } from '../scenarios/story.ts'
import { type Body, clientOf, startTwin, type Twin } from '../twin.ts'
import {
  amountInvalid,
  amountTooLarge,
  emitted,
  makeCharge,
  makeIntent,
  NOW,
  newestOf,
  refuses,
  unexpectedState,
} from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const refund = (body: Body) => twin.post('/v1/refunds', body)
const chargeNow = ({ id }: Body) => twin.get(`/v1/charges/${id}`)

describe('a refund', () => {
  test('of a part is shown completely, and counts as refunded on the charge', async () => {
    const { intent, charge } = await makeCharge(twin)
    const events = await eventsOf(twin, async () => {
      const body = { charge: charge.id, amount: 500, reason: 'duplicate', metadata: { a: 'b' } }
      const response = await twin.request('POST', '/v1/refunds', body)
      expect(response.status).toBe(201)
      expect(response.body).toEqual({
        id: expect.stringMatching(/^re_[A-Za-z0-9]{14,}$/),
        object: 'refund',
        created: NOW,
        livemode: false,
        merchant_id: twin.sandbox.merchant.settings.id,
        status: 'succeeded',
        amount: 500,
        currency: 'usd',
        charge: charge.id,
        payment_intent: intent.id,
        reason: 'duplicate',
        failure_reason: null,
        metadata: { a: 'b' },
      })
      expect(await twin.get(`/v1/refunds/${response.body.id}`)).toEqual(response.body)
    })
    expect(await chargeNow(charge)).toEqual({ ...charge, amount_refunded: 500 })
    expect(typesOf(events)).toEqual(['refund.created', 'charge.refunded'])
    expect(events[1]?.data.object).toMatchObject({ amount_refunded: 500, refunded: false })
  })

  test('without an amount refunds the remainder', async () => {
    const { intent, charge } = await makeCharge(twin)
    await refund({ charge: charge.id, amount: 1 })
    expect(await refund({ payment_intent: intent.id })).toMatchObject({
      amount: 1999,
      reason: null,
      metadata: {},
    })
    expect(await chargeNow(charge)).toMatchObject({
      amount_refunded: 2000,
      refunded: true,
      paid: true,
      status: 'succeeded',
    })
  })

  test.each(['duplicate', 'fraudulent', 'requested_by_customer'])('takes the reason %s', async (reason) => {
    const { charge } = await makeCharge(twin)
    expect(await refund({ charge: charge.id, reason })).toMatchObject({ reason })
  })

  test('names charge and intent when they agree', async () => {
    const { intent, charge } = await makeCharge(twin)
    expect(await refund({ charge: charge.id, payment_intent: intent.id })).toMatchObject({ amount: 2000 })
  })

  test('is found by charge, intent and time, newest first', async () => {
    const { intent, charge } = await makeCharge(twin)
    const first = await refund({ charge: charge.id, amount: 1 })
    const second = await refund({ charge: charge.id, amount: 2 })
    const found = async (query: string) => idsOf((await twin.get(`/v1/refunds?${query}`)).data)
    expect(await found(`charge=${charge.id}`)).toEqual([second.id, first.id])
    expect(await found(`payment_intent=${intent.id}&limit=1`)).toEqual([second.id])
    expect(await found(`charge=${charge.id}&created[lt]=${NOW}`)).toEqual([])
    expect(await found('limit=2')).toEqual([second.id, first.id])
  })

  test('changes neither invoice nor subscription', async () => {
    const { subscription } = await subscribe(twin)
    const invoice = await newestOf(twin, subscription)
    expect(await emitted(twin, () => refund({ charge: invoice.charge }))).toBe(
      'refund.created charge.refunded',
    )
    expect(await newestOf(twin, subscription)).toEqual(invoice)
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toEqual(subscription)
  })
})

describe('what cannot be refunded', () => {
  let charge: Body
  let intent: Body
  beforeAll(async () => {
    ;({ intent, charge } = await makeCharge(twin))
    await refund({ charge: charge.id, amount: 1500 })
  })
  const refused = (body: Body, refusal: Refusal) => refuses(twin, ['POST', '/v1/refunds', body], refusal)

  test.each<[Body, Refusal]>([
    ...[0, -1, 0.5, '1', null, false, []].map((amount): [Body, Refusal] => [{ amount }, amountInvalid]),
    [{ amount: 501 }, amountTooLarge],
    [{ amount: 100_000_000 }, amountTooLarge],
    [{ reason: 'whim' }, invalid('reason')],
    [{ reason: null }, invalid('reason')],
    [{ metadata: 5 }, invalid('metadata')],
    [{ charge: 5 }, invalid('charge')],
    [{ charge: '' }, invalid('charge')],
    [{ charge: 'ch_unknown' }, unknown('charge')],
    [{ payment_intent: 'pi_unknown' }, unknown('payment_intent')],
    [{ charge: 'ch_unknown', payment_intent: 'pi_unknown' }, unknown('charge')],
  ])('%j', async (body, refusal) => {
    await refused({ charge: charge.id, ...body }, refusal)
  })

  test('neither a charge nor an intent', async () => {
    await refused({}, missing('charge'))
    await refused({ amount: 5, reason: 'duplicate' }, missing('charge'))
  })

  test('one cent more than the remainder', async () => {
    await refused({ payment_intent: intent.id, amount: 501 }, amountTooLarge)
  })

  test('a charge that is refunded in full', async () => {
    const { charge: spent } = await makeCharge(twin)
    await refund({ charge: spent.id })
    await refused({ charge: spent.id }, amountTooLarge)
    await refused({ charge: spent.id, amount: 1 }, amountTooLarge)
  })

  test('a charge that failed', async () => {
    await twin.request('POST', '/v1/payment_intents', {
      amount: 5,
      currency: 'usd',
      payment_method: 'pm_card_chargeDeclined',
      confirm: true,
    })
    const [failed] = (await twin.get('/v1/charges?limit=1')).data
    await refused({ charge: failed.id }, unexpectedState)
    await refused({ payment_intent: failed.payment_intent }, unexpectedState)
  })

  test.each<[string, Body]>([
    ['is not confirmed', {}],
    ['waits for the customer', { payment_method: 'pm_pix', confirm: true }],
  ])('an intent that %s', async (_, params) => {
    await refused({ payment_intent: (await makeIntent(twin, params)).id }, unexpectedState)
  })

  test('a charge and an intent that do not agree', async () => {
    const { intent: other } = await makeCharge(twin)
    await refused({ charge: charge.id, payment_intent: other.id }, invalid('payment_intent'))
    await refused(
      { charge: charge.id, payment_intent: (await makeIntent(twin)).id },
      invalid('payment_intent'),
    )
  })

  test('another merchant’s charge', async () => {
    const stranger = clientOf(twin.sandbox, (await anotherMerchant(twin)).secretKey)
    await refuses(stranger, ['POST', '/v1/refunds', { charge: charge.id }], unknown('charge'))
    await refuses(stranger, ['POST', '/v1/refunds', { payment_intent: intent.id }], unknown('payment_intent'))
  })

  test('an unknown charge or intent', async () => {
    await refuses(twin, ['GET', '/v1/refunds/re_unknown'], unknown())
  })
})

describe('refunds at the same time', () => {
  test.each([
    [50, 100, 20],
    [30, 999, 2],
    [40, undefined, 1],
  ])('%i of %s do not exceed the charge', async (count, amount, made) => {
    const { charge } = await makeCharge(twin)
    const responses = await Promise.all(
      Array.from({ length: count }, () => twin.request('POST', '/v1/refunds', { charge: charge.id, amount })),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(made)
    for (const { status, body } of responses)
      if (status !== 201) expect(body.error.code).toBe('amount_too_large')
    const given = made * (amount ?? 2000)
    expect(await chargeNow(charge)).toMatchObject({ amount_refunded: given, refunded: given === 2000 })
    expect((await twin.get(`/v1/refunds?charge=${charge.id}&limit=100`)).data).toHaveLength(made)
  })
})

describe('a refund that fails', () => {
  test.each<[string, string[]]>([
    ['one jump', ['1d']],
    ['steps', ['59s', '1s', '1d']],
  ])('fails a minute later, and its charge is as before, in %s', async (_, steps) => {
    const own = await openTwin()
    const { charge } = await makeCharge(own, { card: 'pm_card_refundFail' })
    const pending = await own.post('/v1/refunds', { charge: charge.id, amount: 700 })
    expect(pending).toMatchObject({ status: 'pending', failure_reason: null })
    expect(await own.get(`/v1/charges/${charge.id}`)).toMatchObject({ amount_refunded: 700 })
    const { data } = await own.get('/v1/test_helpers/upcoming')
    expect(data).toMatchObject([
      { kind: 'refund_settlement', due: NOW + 60, subscription: null, invoice: null },
    ])
    const events = await eventsOf(own, async () => {
      for (const by of steps) await own.advance({ by })
    })
    expect(typesOf(events)).toEqual(['refund.failed'])
    expect(events[0]).toMatchObject({ created: NOW + 60, request: { id: null, idempotency_key: null } })
    expect(await own.get(`/v1/refunds/${pending.id}`)).toEqual({
      ...pending,
      status: 'failed',
      failure_reason: expect.any(String),
    })
    expect(await own.get(`/v1/charges/${charge.id}`)).toEqual(charge)
  })

  test('counts while it is pending only', async () => {
    const own = await openTwin()
    const { charge } = await makeCharge(own, { card: 'pm_card_refundFail' })
    await own.post('/v1/refunds', { charge: charge.id })
    expect(await own.get(`/v1/charges/${charge.id}`)).toMatchObject({ amount_refunded: 2000, refunded: true })
    await refuses(own, ['POST', '/v1/refunds', { charge: charge.id }], amountTooLarge)
    await own.advance({ by: '60s' })
    expect(await own.get(`/v1/charges/${charge.id}`)).toMatchObject({ amount_refunded: 0, refunded: false })
    expect(await own.post('/v1/refunds', { charge: charge.id })).toMatchObject({
      amount: 2000,
      status: 'pending',
    })
  })
})
