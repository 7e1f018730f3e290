import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  eventsOf,
  expectRefusal,
  idsOf,
  invalid,
  missing,
  type Refusal,
  typesOf,
  unknown,
} from '../http/support.ts'
import { type Body, makeCustomer, startTwin, type Twin } from '../twin.ts'
import {
  amountInvalid,
  amountTooLarge,
  expectDecline,
  makeIntent,
  NOW,
  notInitialized,
  refuses,
} from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const BASE = { amount: 2000, currency: 'usd' }
const create = (body: unknown) => twin.request('POST', '/v1/payment_intents', body)
const newest = async (): Promise<Body> => (await twin.get('/v1/payment_intents?limit=1')).data[0]

describe('an intent that is created', () => {
  test('returns 201, is shown completely, and requires confirmation also without a payment method', async () => {
    const events = await eventsOf(twin, async () => {
      const { status, body } = await create({ ...BASE, currency: 'USD' })
      expect(status).toBe(201)
      expect(body).toEqual({
        id: expect.stringMatching(/^pi_[A-Za-z0-9]{14,}$/),
        object: 'payment_intent',
        created: NOW,
        livemode: false,
        merchant_id: twin.sandbox.merchant.settings.id,
        status: 'requires_confirmation',
        amount: 2000,
        amount_received: 0,
        currency: 'usd',
        client_secret: expect.stringMatching(new RegExp(`^${body.id}_secret_[A-Za-z0-9]{16,}$`)),
        customer: null,
        description: null,
        invoice: null,
        latest_charge: null,
        last_payment_error: null,
        next_action: null,
        payment_method: null,
        payment_method_types: ['card'],
        canceled_at: null,
        cancellation_reason: null,
        metadata: {},
      })
      expect(await twin.get(`/v1/payment_intents/${body.id}`)).toEqual(body)
    })
    expect(typesOf(events)).toEqual(['payment_intent.created'])
    expect(events[0]?.data).toEqual({ object: await newest() })
  })

  test.each([1, 99_999_999])('takes an amount of %i', async (amount) => {
    expect((await makeIntent(twin, { amount })).amount).toBe(amount)
  })

  test('keeps customer, payment method, description and metadata', async () => {
    const { customer, method } = await makeCustomer(twin)
    const given = { customer: customer.id, payment_method: method.id, description: 'x', metadata: { a: '1' } }
    expect(await makeIntent(twin, given)).toMatchObject({ ...given, status: 'requires_confirmation' })
  })

  test('with a test id and a customer attaches a new card', async () => {
    const { customer } = await makeCustomer(twin)
    const events = await eventsOf(twin, () =>
      makeIntent(twin, { customer: customer.id, payment_method: 'pm_card_amex' }),
    )
    expect(typesOf(events)).toEqual(['payment_method.attached', 'payment_intent.created'])
    const { payment_method } = await newest()
    expect(await twin.get(`/v1/payment_methods/${payment_method}`)).toMatchObject({ customer: customer.id })
  })

  test('is found in a list by customer and time, newest first', async () => {
    const { customer } = await makeCustomer(twin)
    const first = await makeIntent(twin, { customer: customer.id })
    const second = await makeIntent(twin, { customer: customer.id })
    const found = async (query: string) => idsOf((await twin.get(`/v1/payment_intents?${query}`)).data)
    expect(await found(`customer=${customer.id}`)).toEqual([second.id, first.id])
    expect(await found(`customer=${customer.id}&created[gt]=${NOW}`)).toEqual([])
    expect(await found(`customer=${customer.id}&starting_after=${second.id}`)).toEqual([first.id])
  })
})

describe('confirmed while it is created', () => {
  test('it succeeds with its charge', async () => {
    const events = await eventsOf(twin, async () => {
      const { status, body } = await create({ ...BASE, payment_method: 'pm_card_visa', confirm: true })
      expect(status).toBe(201)
      expect(body).toMatchObject({
        status: 'succeeded',
        amount_received: 2000,
        latest_charge: expect.stringMatching(/^ch_/),
      })
    })
    expect(typesOf(events)).toEqual([
      'payment_intent.created',
      'payment_intent.succeeded',
      'charge.succeeded',
    ])
    expect(events[0]?.data.object).toMatchObject({ status: 'requires_confirmation', amount_received: 0 })
  })

  test('and declined is 402, and the intent exists', async () => {
    const events = await eventsOf(twin, async () => {
      const response = await create({
        ...BASE,
        payment_method: 'pm_card_chargeDeclinedInsufficientFunds',
        confirm: true,
      })
      const intent = await newest()
      expectDecline(response, {
        decline_code: 'insufficient_funds',
        charge: intent.latest_charge,
        payment_intent: intent,
      })
      expect(intent).toMatchObject({
        status: 'requires_payment_method',
        payment_method: null,
        last_payment_error: {
          type: 'payment_error',
          code: 'card_declined',
          decline_code: 'insufficient_funds',
          charge: intent.latest_charge,
        },
      })
      expect(await twin.get(`/v1/charges/${intent.latest_charge}`)).toMatchObject({
        status: 'failed',
        payment_intent: intent.id,
      })
    })
    expect(typesOf(events)).toEqual([
      'payment_intent.created',
      'payment_intent.payment_failed',
      'charge.failed',
    ])
  })

  test.each([
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', null],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', null],
    ['pm_card_chargeDeclinedProcessingError', 'processing_error', null],
    ['pm_card_chargeDeclinedStolenCard', 'card_declined', 'stolen_card'],
  ])('%s is declined with %s and %s', async (card, code, decline_code) => {
    expectDecline(await create({ ...BASE, payment_method: card, confirm: true }), { code, decline_code })
  })

  test('without a payment method nothing is written', async () => {
    await refuses(twin, ['POST', '/v1/payment_intents', { ...BASE, confirm: true }], notInitialized)
  })
})

describe('what cannot be created', () => {
  test.each<[Body, Refusal]>([
    [{ currency: 'usd' }, missing('amount')],
    [{ amount: 2000 }, missing('currency')],
    [{}, missing('amount')],
    ...[0, -1, 1.5, '2000', null, true, [], {}].map((amount): [Body, Refusal] => [
      { ...BASE, amount },
      amountInvalid,
    ]),
    [{ ...BASE, amount: 100_000_000 }, amountTooLarge],
    [{ ...BASE, amount: 1e300 }, amountTooLarge],
    ...['', 'us', 'usdd', 'xxx', 5, null].map((currency): [Body, Refusal] => [
      { ...BASE, currency },
      invalid('currency'),
    ]),
    [{ ...BASE, confirm: 'true' }, invalid('confirm')],
    [{ ...BASE, customer: 5 }, invalid('customer')],
    [{ ...BASE, metadata: 'x' }, invalid('metadata')],
    [{ ...BASE, customer: 'cus_unknown' }, unknown('customer')],
    [{ ...BASE, payment_method: 'pm_unknown' }, unknown('payment_method')],
  ])('%j', async (body, refusal) => {
    await refuses(twin, ['POST', '/v1/payment_intents', body], refusal)
  })

  test('an intent with another customer’s payment method', async () => {
    const { method } = await makeCustomer(twin)
    const { customer } = await makeCustomer(twin)
    for (const more of [{}, { customer: customer.id }]) {
      const body = { ...BASE, payment_method: method.id, ...more }
      await refuses(twin, ['POST', '/v1/payment_intents', body], invalid('payment_method'))
    }
  })

  test('an amount in a form that is not an integer', async () => {
    const send = (form: string) =>
      twin.request('POST', '/v1/payment_intents', form, {
        'Content-Type': 'application/x-www-form-urlencoded',
      })
    for (const amount of ['', '1.0', '1e3', '+5', '0x10', ' 5']) {
      expectRefusal(await send(`amount=${encodeURIComponent(amount)}&currency=usd`), amountInvalid)
    }
    expectRefusal(await send('amount=100000000&currency=usd'), amountTooLarge)
    expect((await send('amount=100&currency=usd')).body.amount).toBe(100)
  })
})
