import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import {
  contents,
  eventsOf,
  expectRefused,
  idsOf,
  invalid,
  rows,
  typesOf,
  unchanged,
  unknown,
} from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const cardOf = (number: unknown) => ({ type: 'card', card: { number } })
const create = (body: unknown) => twin.post('/v1/payment_methods', body)

/** The test cards: id, number, brand, and the code and decline_code of a failed charge. */
const TEST_CARDS: [string, string, string, (readonly [string, string | null])?][] = [
  ['pm_card_visa', '4242424242424242', 'visa'],
  ['pm_card_mastercard', '5555555555554444', 'mastercard'],
  ['pm_card_amex', '371449635398431', 'amex'],
  ['pm_card_chargeDeclined', '4000000000000002', 'visa', ['card_declined', 'generic_decline']],
  [
    'pm_card_chargeDeclinedInsufficientFunds',
    '4000000000009995',
    'visa',
    ['card_declined', 'insufficient_funds'],
  ],
  ['pm_card_chargeDeclinedLostCard', '4000000000009987', 'visa', ['card_declined', 'lost_card']],
  ['pm_card_chargeDeclinedStolenCard', '4000000000009979', 'visa', ['card_declined', 'stolen_card']],
  ['pm_card_chargeDeclinedExpiredCard', '4000000000000069', 'visa', ['expired_card', null]],
  ['pm_card_chargeDeclinedIncorrectCvc', '4000000000000127', 'visa', ['incorrect_cvc', null]],
  ['pm_card_chargeDeclinedProcessingError', '4000000000000119', 'visa', ['processing_error', null]],
  ['pm_card_chargeCustomerFail', '4000000000000341', 'visa', ['card_declined', 'generic_decline']],
  [
    'pm_card_authenticationRequired',
    '4000002500003155',
    'visa',
    ['card_declined', 'authentication_required'],
  ],
  ['pm_card_refundFail', '4000000000005126', 'visa'],
]

describe.each(TEST_CARDS)('the test card %s (%s)', (id, number, brand, decline) => {
  const subscribe = async (customer: Body, method: Body) => {
    const price = await makePrice(twin)
    return twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    })
  }

  test('behaves as its id and number say', async () => {
    const customer = await twin.post('/v1/customers')
    const byId = await twin.post(`/v1/payment_methods/${id}/attach`, { customer: customer.id })
    const { id: made } = await create(cardOf(number))
    const byNumber = await twin.post(`/v1/payment_methods/${made}/attach`, { customer: customer.id })
    expect(byNumber.card).toEqual(byId.card)
    for (const method of [byId, byNumber]) {
      expect(method).toMatchObject({ type: 'card', customer: customer.id })
      expect(method.card).toEqual({
        brand,
        last4: number.slice(-4),
        exp_month: expect.any(Number),
        exp_year: expect.any(Number),
        fingerprint: expect.stringMatching(/^[A-Za-z0-9]+$/),
      })
      const subscription = await subscribe(customer, method)
      expect(subscription.status).toBe(decline ? 'incomplete' : 'active')
      const [charge] = (await twin.get('/v1/charges?limit=1')).data
      const intent = await twin.get(`/v1/payment_intents/${charge.payment_intent}`)
      expect(charge.failure_code).toBe(decline?.[0] ?? null)
      expect([
        intent.last_payment_error?.code ?? null,
        intent.last_payment_error?.decline_code ?? null,
      ]).toEqual([...(decline ?? [null, null])])
    }
  })
})

describe('the number of a card', () => {
  const REAL = [
    '4111111111111111',
    '5105105105105100',
    '378282246310005',
    '6011111111111117',
    '4539578763621486',
    '4242424242424241',
    '42424242424242424242',
  ]

  test.each(REAL)('%s is refused, and is not returned, logged or stored', async (number) => {
    const noted: unknown[] = []
    const quiet = await startTwin({ reportError: (...all) => noted.push(all) })
    const response = await expectRefused(
      quiet,
      ['POST', '/v1/payment_methods', cardOf(number)],
      invalid('card[number]'),
    )
    const all = JSON.stringify([response.body, [...response.headers], noted, await contents(quiet)])
    expect(all).not.toContain(number)
    await quiet.close()
  })

  test.each(
    rows<unknown>(4242424242424242, '', '4242', null, [], {}, '4242-4242-4242-4242', '٤'.repeat(16), 'x'),
  )('%j is refused', async (number) => {
    await expectRefused(twin, ['POST', '/v1/payment_methods', cardOf(number)], invalid('card[number]'))
  })

  test('is nowhere in the database', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paytwin-'))
    const kept = await startTwin({ database: join(folder, 'paytwin.db') })
    await kept.post('/v1/payment_methods', cardOf('4000000000009995'))
    await kept.request('POST', '/v1/payment_methods', cardOf('4111111111111111'))
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name), 'latin1')
      expect(bytes).not.toContain('400000000000')
      expect(bytes).not.toContain('411111111111')
    }
    await kept.close()
    await rm(folder, { recursive: true })
  })
})

describe('creating a payment method', () => {
  test('creates an unattached card, without an event', async () => {
    let method: Body = {}
    const events = await eventsOf(twin, async () => {
      method = await create({
        type: 'card',
        card: { number: '4242424242424242', exp_month: 4, exp_year: 2031, cvc: '123' },
        metadata: { a: 'b' },
      })
    })
    expect(events).toEqual([])
    expect(method).toEqual({
      id: expect.stringMatching(/^pm_/),
      object: 'payment_method',
      created: 1769853600,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
      type: 'card',
      customer: null,
      card: { brand: 'visa', last4: '4242', exp_month: 4, exp_year: 2031, fingerprint: expect.any(String) },
      metadata: { a: 'b' },
    })
    expect(await twin.get(`/v1/payment_methods/${method.id}`)).toEqual(method)
  })

  test.each(['pix', 'boleto', 'oxxo', 'konbini', 'promptpay', 'bank_transfer'])(
    'makes a %s, without a card',
    async (type) => {
      const method = await create({ type })
      expect(method).toMatchObject({ type, customer: null })
      const response = await twin.request('POST', '/v1/payment_methods', {
        ...cardOf('4242424242424242'),
        type,
      })
      expect(response.body[type] ?? {}).toEqual({})
      expect(JSON.stringify(response.body)).not.toContain('4242')
    },
  )

  test.each<[Body, string]>([
    [{ exp_month: 0 }, 'card[exp_month]'],
    [{ exp_month: 13 }, 'card[exp_month]'],
    [{ exp_month: '4' }, 'card[exp_month]'],
    [{ exp_year: 26 }, 'card[exp_year]'],
    [{ exp_year: 1e9 }, 'card[exp_year]'],
    [{ cvc: 123 }, 'card[cvc]'],
  ])('refuses a card with %j', async (more, param) => {
    const body = { type: 'card', card: { number: '4242424242424242', ...more } }
    await expectRefused(twin, ['POST', '/v1/payment_methods', body], invalid(param))
  })
})

describe('attaching', () => {
  test('gives a payment method to a customer, once', async () => {
    const customer = await twin.post('/v1/customers')
    const { id } = await create(cardOf('4242424242424242'))
    const attach = () => twin.post(`/v1/payment_methods/${id}/attach`, { customer: customer.id })
    const events = await eventsOf(twin, attach)
    const attached = await twin.get(`/v1/payment_methods/${id}`)
    expect(attached.customer).toBe(customer.id)
    expect(events).toMatchObject([{ type: 'payment_method.attached', data: { object: attached } }])
    expect(events[0]?.data).not.toHaveProperty('previous_attributes')
    await unchanged(twin, attach)
  })

  test.each(['pm_pix', 'pm_boleto', 'pm_card_visa'])('makes a new one of %s each time', async (id) => {
    const { customer } = await makeCustomer(twin)
    const attach = () => twin.post(`/v1/payment_methods/${id}/attach`, { customer: customer.id })
    const [first, second] = [await attach(), await attach()]
    expect(first.id).not.toBe(id)
    expect(second.id).not.toBe(first.id)
    const { data } = await twin.get(`/v1/customers/${customer.id}/payment_methods`)
    expect(idsOf(data).slice(0, 2)).toEqual([second.id, first.id])
  })

  test('refuses invalid values', async () => {
    const { customer, method } = await makeCustomer(twin)
    const { customer: other } = await makeCustomer(twin)
    const path = (id: string) => `/v1/payment_methods/${id}/attach`
    await expectRefused(twin, ['POST', path('pm_unknown'), { customer: customer.id }], unknown())
    await expectRefused(twin, ['POST', path('pm_card_unknown'), { customer: customer.id }], unknown())
    await expectRefused(twin, ['POST', path('toString'), { customer: customer.id }], unknown())
    await expectRefused(twin, ['POST', path(method.id), { customer: 'cus_unknown' }], unknown('customer'))
    await expectRefused(twin, ['POST', path('pm_card_visa'), { customer: 'x' }], unknown('customer'))
    await expectRefused(twin, ['POST', path(method.id), { customer: other.id }], invalid('customer'))
    await expectRefused(twin, ['POST', path(method.id), { customer: null }], invalid('customer'))
    await expectRefused(twin, ['POST', path(method.id), { customer: '' }], invalid('customer'))
  })
})

describe('detaching', () => {
  test('removes it from its customer, also as default', async () => {
    const { customer, method } = await makeCustomer(twin)
    const settings = { invoice_settings: { default_payment_method: method.id } }
    await twin.post(`/v1/customers/${customer.id}`, settings)
    const events = await eventsOf(twin, () => twin.post(`/v1/payment_methods/${method.id}/detach`))
    expect(typesOf(events)).toEqual(['payment_method.detached', 'customer.updated'])
    expect(await twin.get(`/v1/payment_methods/${method.id}`)).toMatchObject({ customer: null })
    expect(events[1]?.data.previous_attributes).toEqual(settings)
    expect((await twin.get(`/v1/customers/${customer.id}/payment_methods`)).data).toEqual([])
  })

  test('refuses one that is unknown or not attached', async () => {
    const { id } = await create(cardOf('4242424242424242'))
    await expectRefused(twin, ['POST', `/v1/payment_methods/${id}/detach`], invalid('id'))
    await expectRefused(twin, ['POST', '/v1/payment_methods/pm_unknown/detach'], unknown())
    await expectRefused(twin, ['POST', '/v1/payment_methods/pm_card_visa/detach'], unknown())
    await expectRefused(twin, ['GET', '/v1/payment_methods/pm_unknown'], unknown())
  })
})
