import { describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { FORM, toForm } from './support.ts'

describe('a form and JSON with the same values are the same request', () => {
  type Ids = { customer: string; method: string; price: string; product: string; subscription: string }

  /** Opens two sandboxes with one seed, which answer equal requests equally. */
  async function prepared(): Promise<{ client: Twin; ids: Ids }> {
    const client = await startTwin()
    const { customer, method } = await makeCustomer(client)
    const price = await makePrice(client)
    const product = await client.post('/v1/products', { name: 'Plan' })
    const subscription = await client.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    })
    const ids = { customer: customer.id, method: method.id, price: price.id, product: product.id }
    return { client, ids: { ...ids, subscription: subscription.id } }
  }

  const requests: [string, (ids: Ids) => [string, Body]][] = [
    [
      'POST /v1/customers',
      () => [
        '/v1/customers',
        {
          name: 'Ada & Co',
          email: 'a+b@example.com',
          description: 'é=%',
          invoice_prefix: 'ABCD2345',
          metadata: { a: 'b c', 'd.e': 'true' },
          zebra: { stripes: '3' },
        },
      ],
    ],
    ['POST /v1/customers with numeric keys', () => ['/v1/customers', { metadata: { 0: 'a', 6735: 'b' } }]],
    [
      'POST /v1/customers/{id}',
      ({ customer, method }) => [
        `/v1/customers/${customer}`,
        { name: null, metadata: { a: '1' }, invoice_settings: { default_payment_method: method } },
      ],
    ],
    ['POST /v1/customers/{id}, emptied', ({ customer }) => [`/v1/customers/${customer}`, { metadata: '' }]],
    ['POST /v1/products', () => ['/v1/products', { name: 'Pro', active: false, metadata: { a: 'b' } }]],
    ['POST /v1/products/{id}', ({ product }) => [`/v1/products/${product}`, { active: true, name: 'Max' }]],
    [
      'POST /v1/prices',
      ({ product }) => [
        '/v1/prices',
        {
          product,
          unit_amount: 1999,
          currency: 'EUR',
          type: 'recurring',
          recurring: { interval: 'month', interval_count: 3 },
          active: true,
          lookup_key: 'pro',
        },
      ],
    ],
    ['POST /v1/prices/{id}', ({ price }) => [`/v1/prices/${price}`, { active: false, nickname: 'Old' }]],
    [
      'POST /v1/payment_methods',
      () => [
        '/v1/payment_methods',
        { type: 'card', card: { number: '4242424242424242', exp_month: 4, exp_year: 2030 } },
      ],
    ],
    [
      'POST /v1/payment_methods/{id}/attach',
      ({ customer }) => ['/v1/payment_methods/pm_card_visa/attach', { customer }],
    ],
    ['POST /v1/payment_methods/{id}/detach', ({ method }) => [`/v1/payment_methods/${method}/detach`, {}]],
    [
      'POST /v1/test_helpers/payment_methods/{id}/outcomes',
      ({ method }) => [
        `/v1/test_helpers/payment_methods/${method}/outcomes`,
        // biome-ignore lint/suspicious/noThenProperty: the parameter's name
        { outcomes: ['succeed', 'decline:lost_card'], then: 'succeed' },
      ],
    ],
    [
      'POST /v1/subscriptions',
      ({ customer, method, price }) => [
        '/v1/subscriptions',
        {
          customer,
          currency: 'usd',
          default_payment_method: method,
          items: [{ price, quantity: 3, metadata: { seat: 'a' } }],
          payment_behavior: 'error_if_incomplete',
          trial_end: 1770000000,
          trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
          metadata: { order: '7' },
        },
      ],
    ],
    [
      'POST /v1/subscriptions, sent',
      ({ customer, price }) => [
        '/v1/subscriptions',
        {
          customer,
          currency: 'usd',
          items: [{ price }],
          collection_method: 'send_invoice',
          days_until_due: 0,
          trial_end: 'now',
        },
      ],
    ],
    ['POST /v1/test_helpers/clock/advance', () => ['/v1/test_helpers/clock/advance', { to: 1770000000 }]],
    [
      'POST /v1/test_helpers/clock/advance with stop_on',
      () => ['/v1/test_helpers/clock/advance', { by: '2mo', stop_on: ['invoice.*', 'charge.failed'] }],
    ],
  ]

  test.each(requests)('%s', async (_, request) => {
    const responses: Body[] = []
    for (const encode of [
      JSON.stringify,
      (body: Body) => toForm(body),
      (body: Body) => toForm(body, { percentEncoded: true }),
    ]) {
      const { client, ids } = await prepared()
      const [path, body] = request(ids)
      const headers = encode === JSON.stringify ? {} : FORM
      const response = await client.request('POST', path, encode(body), headers)
      const events = JSON.parse(
        JSON.stringify(await client.events(), (key, value) => (key === 'request' ? null : value)),
      )
      responses.push({
        status: response.status,
        body: response.body,
        ignored: response.headers.get('Paytwin-Ignored-Params'),
        events,
      })
      await client.close()
    }
    const [json, form, encoded] = responses
    expect([200, 201]).toContain(json?.status)
    expect(form).toEqual(json)
    expect(encoded).toEqual(json)
  })
})
