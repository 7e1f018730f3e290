import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invalid, missing, type Refusal, unknown } from '../http/support.ts'
import { type Body, makeCustomer, startTwin, type Twin } from '../twin.ts'
import {
  emitted,
  expectDecline,
  inFull,
  makeIntent,
  NOW,
  notInitialized,
  refuses,
  unexpectedState,
} from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const path = ({ id }: Body, action = '') => `/v1/payment_intents/${id}${action}`
const confirm = (intent: Body, body: Body = {}) => twin.request('POST', path(intent, '/confirm'), body)
const settle = (intent: Body, outcome: string) =>
  twin.post(`/v1/test_helpers/payment_intents/${intent.id}/settle`, { outcome })

describe('confirming', () => {
  test('charges the payment method that the intent has', async () => {
    const intent = await makeIntent(twin, { payment_method: 'pm_card_visa' })
    const events = await emitted(twin, async () => {
      const { status, body } = await confirm(intent)
      expect(status).toBe(200)
      expect(body).toMatchObject({ id: intent.id, status: 'succeeded', amount_received: 2000 })
      expect(await twin.get(`/v1/charges/${body.latest_charge}`)).toMatchObject({
        status: 'succeeded',
        amount: 2000,
        payment_intent: intent.id,
        payment_method: intent.payment_method,
      })
    })
    expect(events).toBe(inFull('PI+'))
  })

  test('attaches the payment method that it names first', async () => {
    const { customer, method } = await makeCustomer(twin)
    const intent = await makeIntent(twin, { customer: customer.id, payment_method: 'pm_card_chargeDeclined' })
    const { body } = await confirm(intent, { payment_method: method.id })
    expect(body).toMatchObject({ status: 'succeeded', payment_method: method.id })
  })

  test('and being declined is 402, requires a payment method, and can be repeated', async () => {
    const intent = await makeIntent(twin, { payment_method: 'pm_card_chargeDeclinedLostCard' })
    const events = await emitted(twin, async () => {
      const response = await confirm(intent)
      const after = await twin.get(path(intent))
      expectDecline(response, {
        decline_code: 'lost_card',
        charge: after.latest_charge,
        payment_intent: after,
      })
      expect(after).toMatchObject({
        status: 'requires_payment_method',
        payment_method: null,
        last_payment_error: { decline_code: 'lost_card', payment_method: intent.payment_method },
      })
    })
    expect(events).toBe(inFull('PI-'))
    await refuses(twin, ['POST', path(intent, '/confirm')], notInitialized)
    const { body } = await confirm(intent, { payment_method: 'pm_card_visa' })
    expect(body).toMatchObject({ status: 'succeeded', last_payment_error: null })
    expect((await twin.get(`/v1/charges?payment_intent=${intent.id}`)).data).toMatchObject([
      { status: 'succeeded' },
      { status: 'failed' },
    ])
  })

  test('follows the script of a card', async () => {
    const { customer, method } = await makeCustomer(twin, { outcomes: ['decline:expired_card', 'succeed'] })
    const intent = await makeIntent(twin, { customer: customer.id })
    expectDecline(await confirm(intent, { payment_method: method.id }), { code: 'expired_card' })
    expect((await confirm(intent, { payment_method: method.id })).body.status).toBe('succeeded')
  })

  test('without a payment method is refused, with the status of a request and the type of a payment', async () => {
    await refuses(twin, ['POST', path(await makeIntent(twin), '/confirm')], notInitialized)
  })

  test.each(['succeeded', 'canceled', 'requires_action'])(
    'one that is %s is refused before anything else',
    async (status) => {
      const intent = await makeIntent(twin, {
        payment_method: status === 'requires_action' ? 'pm_pix' : 'pm_card_visa',
        confirm: status !== 'canceled',
      })
      if (status === 'canceled') await twin.post(path(intent, '/cancel'))
      for (const body of [{}, { payment_method: 'pm_card_visa' }, { payment_method: 'pm_unknown' }]) {
        await refuses(twin, ['POST', path(intent, '/confirm'), body], unexpectedState)
      }
    },
  )

  test.each<[Body, Refusal]>([
    [{ payment_method: 'pm_unknown' }, unknown('payment_method')],
    [{ payment_method: 5 }, invalid('payment_method')],
    [{ payment_method: null }, invalid('payment_method')],
  ])('with %j is refused', async (body, refusal) => {
    await refuses(twin, ['POST', path(await makeIntent(twin), '/confirm'), body], refusal)
  })

  test('with a payment method that has since become a customer’s is refused, until it is theirs', async () => {
    const card = { number: '4242424242424242' }
    const { id: payment_method } = await twin.post('/v1/payment_methods', { type: 'card', card })
    const intent = await makeIntent(twin, { payment_method })
    const { id: customer } = await twin.post('/v1/customers')
    await twin.post(`/v1/payment_methods/${payment_method}/attach`, { customer })
    await refuses(twin, ['POST', path(intent, '/confirm')], invalid('payment_method'))
    await twin.post(path(intent), { customer })
    expect((await confirm(intent)).body).toMatchObject({ status: 'succeeded', payment_method })
  })

  test('with another customer’s payment method is refused', async () => {
    const { method } = await makeCustomer(twin)
    const body = { payment_method: method.id }
    await refuses(twin, ['POST', path(await makeIntent(twin), '/confirm'), body], invalid('payment_method'))
    await refuses(twin, ['POST', '/v1/payment_intents/pi_unknown/confirm', body], unknown())
  })
})

describe('a payment that waits for the customer', () => {
  test.each([
    ['pm_pix', 'pix'],
    ['pm_boleto', 'boleto'],
    ['pm_card_authenticationRequired', 'card'],
  ])('%s requires action, and is settled', async (payment_method, type) => {
    for (const [outcome, status, events] of [
      ['succeed', 'succeeded', 'PI+'],
      ['fail', 'requires_payment_method', 'PI-'],
    ] as const) {
      const intent = await makeIntent(twin, { payment_method })
      const confirming = await emitted(twin, async () => {
        const response = await confirm(intent)
        expect(response.status).toBe(200)
        expect(response.body).toMatchObject({
          status: 'requires_action',
          next_action: expect.any(Object),
          payment_method_types: [type],
          latest_charge: null,
          amount_received: 0,
        })
      })
      expect(confirming).toBe('payment_intent.requires_action')
      const settling = await emitted(twin, async () => {
        const after = await settle(intent, outcome)
        expect(after).toMatchObject({
          status,
          next_action: null,
          latest_charge: expect.stringMatching(/^ch_/),
        })
        expect(after.last_payment_error === null).toBe(outcome === 'succeed')
      })
      expect(settling).toBe(inFull(events))
    }
  })

  test.each(['oxxo', 'konbini', 'promptpay', 'bank_transfer'])('%s does so too', async (type) => {
    const { id: payment_method } = await twin.post('/v1/payment_methods', { type })
    const intent = await makeIntent(twin, { payment_method, confirm: true })
    expect(intent).toMatchObject({ status: 'requires_action', payment_method_types: [type] })
    expect(await settle(intent, 'succeed')).toMatchObject({ status: 'succeeded', amount_received: 2000 })
  })

  test.each<[string, Body, Refusal]>([
    ['pm_card_visa', { outcome: 'succeed' }, unexpectedState],
    ['pm_pix', {}, missing('outcome')],
    ['pm_pix', { outcome: 'maybe' }, invalid('outcome')],
  ])('settling %s with %j is refused', async (payment_method, body, refusal) => {
    const { id } = await makeIntent(twin, { payment_method, confirm: true })
    await refuses(twin, ['POST', `/v1/test_helpers/payment_intents/${id}/settle`, body], refusal)
  })

  test('settling an unknown intent is refused', async () => {
    const request = [
      'POST',
      '/v1/test_helpers/payment_intents/pi_unknown/settle',
      { outcome: 'fail' },
    ] as const
    await refuses(twin, request, unknown())
  })
})

describe('canceling', () => {
  const INTENTS: Record<string, Body> = {
    requires_confirmation: {},
    requires_action: { payment_method: 'pm_pix', confirm: true },
    requires_payment_method: { payment_method: 'pm_card_chargeDeclined', confirm: true },
  }

  test.each(Object.entries(INTENTS))('an intent that is %s ends it', async (status, params) => {
    await twin.request('POST', '/v1/payment_intents', { amount: 2000, currency: 'usd', ...params })
    const [intent] = (await twin.get('/v1/payment_intents?limit=1')).data
    expect(intent.status).toBe(status)
    const events = await emitted(twin, async () => {
      const after = await twin.post(path(intent, '/cancel'), { cancellation_reason: 'duplicate' })
      expect(after).toEqual({
        ...intent,
        status: 'canceled',
        canceled_at: NOW,
        cancellation_reason: 'duplicate',
        next_action: null,
      })
    })
    expect(events).toBe('payment_intent.canceled')
    await refuses(twin, ['POST', path(intent, '/cancel')], unexpectedState)
    await refuses(
      twin,
      ['POST', path(intent, '/confirm'), { payment_method: 'pm_card_visa' }],
      unexpectedState,
    )
  })

  test.each(['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'])(
    'takes the reason %s',
    async (reason) => {
      const body = { cancellation_reason: reason }
      expect(await twin.post(path(await makeIntent(twin), '/cancel'), body)).toMatchObject(body)
    },
  )

  test('needs no reason, and refuses other reasons', async () => {
    expect((await twin.post(path(await makeIntent(twin), '/cancel'))).cancellation_reason).toBeNull()
    const body = { cancellation_reason: 'boredom' }
    await refuses(
      twin,
      ['POST', path(await makeIntent(twin), '/cancel'), body],
      invalid('cancellation_reason'),
    )
  })

  test('a succeeded or unknown intent is refused', async () => {
    const intent = await makeIntent(twin, { payment_method: 'pm_card_visa', confirm: true })
    await refuses(twin, ['POST', path(intent, '/cancel')], unexpectedState)
    await refuses(twin, ['POST', '/v1/payment_intents/pi_unknown/cancel'], unknown())
  })
})
