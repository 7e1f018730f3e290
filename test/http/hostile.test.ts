import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processorTime } from '../processor-time.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { expectRefusal, expectRefused, FORM, idsOf, invalid, rows, unchanged, unknown } from './support.ts'

let twin: Twin
let base: Body
beforeAll(async () => {
  twin = await startTwin()
  const price = await makePrice(twin)
  const { customer, method } = await makeCustomer(twin)
  base = {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  }
})
afterAll(() => twin.close())

const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  twin.request('POST', path, body, headers)

describe('an id in a path', () => {
  test.each([
    '%00',
    '%2e%2e%2fcustomers',
    '%252e',
    '%zz',
    '%E0%A4%A',
    '%F0%9F%A6%93',
    'é',
    '__proto__',
    'constructor',
    'toString',
    '*',
    ':id',
    '0',
    'undefined',
    "' or 1=1 --",
    'cus_%25',
    '%3Cscript%3E',
    'x'.repeat(100_000),
  ])('%.40s is 404', async (id) => {
    for (const list of ['customers', 'prices', 'subscriptions', 'invoices', 'events', 'charges']) {
      expectRefusal(await twin.request('GET', `/v1/${list}/${id}`), unknown())
    }
  })

  test('may be percent-encoded', async () => {
    const encoded = base.customer.replace('_', '%5F').replace('c', '%63')
    expect((await twin.get(`/v1/customers/${encoded}`)).id).toBe(base.customer)
  })

  test('is exact: case and surrounding text matter', async () => {
    const id: string = base.customer
    for (const other of [id.toUpperCase(), `${id}%20`, `%20${id}`, `${id}%00`, id.slice(0, -1), `${id}/`]) {
      expect((await twin.request('GET', `/v1/customers/${other}`)).status, other).toBe(404)
    }
  })
})

describe('an integer', () => {
  test.each([
    '1e400',
    '-1e400',
    '1.0000000001',
    '9007199254740993',
    '1e100',
    '"1"',
    'true',
    'null',
    '[1]',
    '{"value":1}',
    '[[[[1]]]]',
    '""',
  ])('is never %s', async (number) => {
    const body = JSON.stringify({ ...base, trial_period_days: 'N' }).replace('"N"', number)
    await expectRefused(twin, ['POST', '/v1/subscriptions', body], invalid('trial_period_days'))
  })

  test.each(['7.0', '7e0', '70e-1', '0.7E+1'])('may be written %s', async (number) => {
    const body = JSON.stringify({ ...base, trial_period_days: 'N' }).replace('"N"', number)
    expect((await post('/v1/subscriptions', body)).body.trial_end).toBe(1769853600 + 7 * 86_400)
  })
})

describe('too much of something', () => {
  test('items are refused quickly', async () => {
    const items = Array.from({ length: 1_500 }, (_, index) => ({ price: `price_${index}` }))
    await expectRefused(twin, ['POST', '/v1/subscriptions', { ...base, items }], invalid('items'))
  })

  test('unknown parameters are ignored quickly', async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `zebra_${index}`)
    const json = Object.fromEntries(names.map((name) => [name, 1]))
    const form = names.map((name) => `${name}=1`).join('&')
    const taken = await processorTime(async () => {
      for (const response of [await post('/v1/customers', json), await post('/v1/customers', form, FORM)]) {
        expect(response.status).toBe(201)
        expect(response.headers.get('Paytwin-Ignored-Params')?.length).toBeLessThanOrEqual(1_024)
      }
    })
    expect(taken).toBeLessThan(500)
  })

  test('metadata is refused quickly', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`k${index}`, 'v']))
    await expectRefused(twin, ['POST', '/v1/customers', { metadata }], invalid('metadata'))
  })

  test('more than 2,000 parameters are refused before they are read', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 'v']))
    await expectRefused(twin, ['POST', '/v1/customers', { metadata }], invalid(null))
  })

  test('a long name is left out of the header as a whole', async () => {
    const response = await post('/v1/customers', { ['z'.repeat(5_000)]: 1, lion: 1 })
    expect(response.status).toBe(201)
    expect(response.headers.get('Paytwin-Ignored-Params')?.length ?? 0).toBeLessThanOrEqual(1_024)
  })
})

describe('a repeated key', () => {
  test('has its last value, in JSON and in a form', async () => {
    expect((await post('/v1/customers', '{"name":"one","name":"two"}')).body.name).toBe('two')
    expect((await post('/v1/customers', 'name=one&name=two', FORM)).body.name).toBe('two')
  })
})

describe('prototypes', () => {
  test('stay as they are, whatever is sent', async () => {
    const attacks: [string, string, Record<string, string>][] = [
      ['POST', '{"__proto__":{"polluted":1}}', {}],
      ['POST', '{"metadata":{"__proto__":{"polluted":1}}}', {}],
      ['POST', '{"constructor":{"prototype":{"polluted":1}}}', {}],
      ['POST', '{"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":1}}', {}],
      ['POST', '__proto__[polluted]=1', FORM],
      ['POST', '__proto__.polluted=1', FORM],
      ['POST', 'constructor[prototype][polluted]=1', FORM],
      ['POST', 'metadata[__proto__][polluted]=1', FORM],
      ['POST', 'a[][__proto__][polluted]=1', FORM],
      ['POST', '%5F%5Fproto%5F%5F%5Bpolluted%5D=1', FORM],
    ]
    for (const [method, body, headers] of attacks) {
      await twin.request(method, '/v1/customers', body, headers)
      expect(Reflect.get({}, 'polluted'), body).toBeUndefined()
    }
  })

  test.each(rows('toString', 'hasOwnProperty', '__proto__', 'constructor', 'valueOf'))(
    'hold no value for a choice: %s',
    async (name) => {
      await expectRefused(twin, ['POST', '/v1/payment_methods', { type: name }], invalid('type'))
      const prices = { unit_amount: 1, currency: name }
      await expectRefused(twin, ['POST', '/v1/prices', prices], invalid('currency'))
      await expectRefused(
        twin,
        ['POST', '/v1/subscriptions', { ...base, payment_behavior: name }],
        invalid('payment_behavior'),
      )
      const method = { ...base, default_payment_method: name }
      await expectRefused(twin, ['POST', '/v1/subscriptions', method], unknown('default_payment_method'))
    },
  )
})

describe('concurrent requests', () => {
  const parallel = <T>(count: number, act: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => act(index)))

  test('never share an id or an invoice number', async () => {
    const { customer, method } = await makeCustomer(twin)
    const body = { ...base, customer: customer.id, default_payment_method: method.id }
    const responses = await parallel(40, () => post('/v1/subscriptions', body))
    expect(new Set(idsOf(responses.map((response) => response.body))).size).toBe(40)
    const { data } = await twin.get(`/v1/invoices?limit=100&customer=${customer.id}`)
    const numbers = data.map(({ number }: Body) => Number(number.split('-')[1]))
    expect(numbers.sort((left: number, right: number) => left - right)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    )
  })

  test('leave no gap when some fail', async () => {
    const { customer, method } = await makeCustomer(twin)
    const good = { ...base, customer: customer.id, default_payment_method: method.id }
    const bad = {
      ...good,
      default_payment_method: 'pm_card_chargeDeclined',
      payment_behavior: 'error_if_incomplete',
    }
    const responses = await parallel(20, (index) => post('/v1/subscriptions', index % 2 ? bad : good))
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill([201, 402]).flat())
    const { data } = await twin.get(`/v1/invoices?limit=100&customer=${customer.id}`)
    expect(data.map(({ number }: Body) => Number(number.split('-')[1])).reverse()).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 1),
    )
  })

  test('cancel a subscription once', async () => {
    const { id } = await twin.post('/v1/subscriptions', base)
    const responses = await parallel(5, () => twin.request('DELETE', `/v1/subscriptions/${id}`))
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400])
    const { data } = await twin.get('/v1/events?limit=100&type=subscription.deleted')
    expect(data.filter((event: Body) => event.data.object.id === id)).toHaveLength(1)
  })

  test('pay an invoice once', async () => {
    const declined = { ...base, default_payment_method: 'pm_card_visa' }
    const { id } = await twin.post('/v1/subscriptions', { ...declined, collection_method: 'send_invoice' })
    const [invoice] = (await twin.get(`/v1/invoices?subscription=${id}`)).data
    const responses = await parallel(5, () => post(`/v1/invoices/${invoice.id}/pay`, {}))
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400])
    const { data } = await twin.get(`/v1/charges?payment_intent=${invoice.payment_intent}`)
    expect(data).toHaveLength(1)
  })

  test('attach a payment method to one customer', async () => {
    const { id } = await twin.post('/v1/payment_methods', {
      type: 'card',
      card: { number: '4242424242424242' },
    })
    const customers = await parallel(3, () => twin.post('/v1/customers'))
    const responses = await Promise.all(
      customers.map((customer) => post(`/v1/payment_methods/${id}/attach`, { customer: customer.id })),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 400])
    expect((await twin.get(`/v1/payment_methods/${id}`)).customer).toBe(customers[0]?.id)
  })
})

test('a huge or invalid header changes nothing', async () => {
  await unchanged(twin, async () => {
    for (const [header, text] of [
      ['X-Big', 'x'.repeat(1_000_000)],
      ['Accept', '\u00ff'],
      ['Accept', 'text/html'],
      ['Cookie', 'a=b'],
      ['Transfer-Encoding', 'identity'],
      ['Content-Length', 'abc'],
      ['X-HTTP-Method-Override', 'DELETE'],
      ['X-Forwarded-Host', 'evil.example'],
    ] as const) {
      const response = await twin.request('GET', `/v1/customers/${base.customer}`, undefined, {
        [header]: text,
      })
      expect([response.status, response.body.id], header).toEqual([200, base.customer])
    }
  })
})
