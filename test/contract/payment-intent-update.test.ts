import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { badState, invalid, type Refusal, unknown } from '../http/support.ts'
import { subscribe } from '../scenarios/story.ts'
import { type Body, makeCustomer, startTwin, type Twin } from '../twin.ts'
import {
  amountInvalid,
  amountTooLarge,
  emitted,
  makeIntent,
  newestOf,
  refuses,
  unexpectedState,
} from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const path = ({ id }: Body) => `/v1/payment_intents/${id}`
const update = (intent: Body, body: Body) => twin.post(path(intent), body)

/** An intent in each status. */
const INTENTS: Record<string, () => Promise<Body>> = {
  requires_confirmation: () => makeIntent(twin),
  requires_payment_method: async () => {
    const intent = await makeIntent(twin, { payment_method: 'pm_card_chargeDeclined' })
    await twin.request('POST', `${path(intent)}/confirm`)
    return twin.get(path(intent))
  },
  requires_action: () => makeIntent(twin, { payment_method: 'pm_pix', confirm: true }),
  succeeded: () => makeIntent(twin, { payment_method: 'pm_card_visa', confirm: true }),
  canceled: async () => twin.post(`${path(await makeIntent(twin))}/cancel`),
}

describe('updating an intent', () => {
  test('changes the given fields, without an event', async () => {
    const intent = await makeIntent(twin, { metadata: { a: '1', b: '2' } })
    const { customer, method } = await makeCustomer(twin)
    const given = {
      amount: 500,
      currency: 'EUR',
      customer: customer.id,
      payment_method: method.id,
      description: 'y',
    }
    const events = await emitted(twin, async () => {
      expect(await update(intent, { ...given, metadata: { b: '', c: '3' } })).toEqual({
        ...intent,
        ...given,
        currency: 'eur',
        metadata: { a: '1', c: '3' },
      })
    })
    expect(events).toBe('')
  })

  test('a payment method makes a declined intent ready to be confirmed again', async () => {
    const declined = await INTENTS.requires_payment_method?.()
    const after = await update(declined ?? {}, { payment_method: 'pm_card_visa' })
    expect(after).toMatchObject({
      status: 'requires_confirmation',
      last_payment_error: { code: 'card_declined' },
    })
    expect(await twin.post(`${path(after)}/confirm`)).toMatchObject({
      status: 'succeeded',
      last_payment_error: null,
    })
  })

  test.each(Object.keys(INTENTS))(
    'of an intent that is %s can change description and metadata',
    async (status) => {
      const intent = (await INTENTS[status]?.()) ?? {}
      expect(intent.status).toBe(status)
      const after = await update(intent, { description: 'late', metadata: { k: 'v' } })
      expect(after).toEqual({ ...intent, description: 'late', metadata: { k: 'v' } })
    },
  )
})

describe('what an update cannot change', () => {
  test.each<[string, Body, Refusal]>([
    ['succeeded', { amount: 1 }, unexpectedState],
    ['succeeded', { currency: 'eur' }, unexpectedState],
    ['succeeded', { payment_method: 'pm_card_visa' }, unexpectedState],
    ['succeeded', { description: 'x', amount: 1 }, unexpectedState],
    ['canceled', { amount: 1 }, unexpectedState],
    ['canceled', { currency: 'eur' }, unexpectedState],
    ['canceled', { payment_method: 'pm_card_visa' }, badState(null)],
    ['canceled', { payment_method: 'pm_card_visa', amount: 1 }, badState(null)],
    ['canceled', { status: 'requires_confirmation' }, badState('status')],
    ['canceled', { status: 'requires_confirmation', payment_method: 'pm_card_visa' }, badState('status')],
    ['requires_action', { amount: 1 }, unexpectedState],
    ['requires_action', { payment_method: 'pm_card_visa' }, unexpectedState],
    ['requires_confirmation', { amount: 0 }, amountInvalid],
    ['requires_confirmation', { amount: 100_000_000 }, amountTooLarge],
    ['requires_confirmation', { currency: 'xxx' }, invalid('currency')],
    ['requires_confirmation', { customer: 'cus_unknown' }, unknown('customer')],
    ['requires_confirmation', { payment_method: 'pm_unknown' }, unknown('payment_method')],
    ['requires_confirmation', { payment_method: null }, invalid('payment_method')],
  ])('of an intent that is %s: %j', async (status, body, refusal) => {
    const intent = (await INTENTS[status]?.()) ?? {}
    await refuses(twin, ['POST', path(intent), body], refusal)
  })

  test('the customer of an intent that has ended', async () => {
    const { customer } = await makeCustomer(twin)
    for (const status of ['succeeded', 'canceled']) {
      const intent = (await INTENTS[status]?.()) ?? {}
      await refuses(twin, ['POST', path(intent), { customer: customer.id }], unexpectedState)
    }
  })

  test('to another customer’s payment method', async () => {
    const { method } = await makeCustomer(twin)
    const intent = await makeIntent(twin)
    await refuses(twin, ['POST', path(intent), { payment_method: method.id }], invalid('payment_method'))
  })

  test('the customer while its payment method is another’s', async () => {
    const { customer, method } = await makeCustomer(twin)
    const { customer: other } = await makeCustomer(twin)
    const intent = await makeIntent(twin, { customer: customer.id, payment_method: method.id })
    await refuses(twin, ['POST', path(intent), { customer: other.id }], invalid('payment_method'))
  })

  test('amount, currency and customer of an invoice’s intent', async () => {
    const { subscription } = await subscribe(twin, { outcomes: ['decline:lost_card'] })
    const { customer } = await makeCustomer(twin)
    const { payment_intent: id } = await newestOf(twin, subscription)
    for (const body of [{ amount: 1 }, { currency: 'eur' }, { customer: customer.id }]) {
      await refuses(twin, ['POST', `/v1/payment_intents/${id}`, body], unexpectedState)
    }
    expect(await update({ id }, { description: 'rent' })).toMatchObject({ description: 'rent' })
  })

  test('an unknown intent', async () => {
    await refuses(twin, ['POST', '/v1/payment_intents/pi_unknown', {}], unknown())
    await refuses(twin, ['POST', '/v1/payment_intents/pi_unknown', { amount: 0 }], amountInvalid)
  })
})

test('status is not a parameter of an intent that is not canceled', async () => {
  const response = await twin.request('POST', path(await makeIntent(twin)), { status: 'succeeded' })
  expect(response.body.status).toBe('requires_confirmation')
  expect(response.headers.get('Paytwin-Ignored-Params')).toBe('status')
})

test.each<[string, Body, string]>([
  ['canceled', { payment_method: 'pm_unknown' }, 'payment_method'],
  ['succeeded', { payment_method: 'pm_unknown' }, 'payment_method'],
  ['succeeded', { customer: 'cus_unknown' }, 'customer'],
])(
  'of one that is %s a reference that leads nowhere comes before its status: %j',
  async (status, body, param) => {
    await refuses(twin, ['POST', path((await INTENTS[status]?.()) ?? {}), body], unknown(param))
  },
)
