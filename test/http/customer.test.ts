import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { eventsOf, expectRefused, idsOf, invalid, typesOf, unchanged, unknown } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const DEFAULT_METHOD = 'invoice_settings[default_payment_method]'
const withDefault = (id: unknown) => ({ invoice_settings: { default_payment_method: id } })

describe('creating a customer', () => {
  test('returns the whole customer, and emits an event', async () => {
    const body = { email: 'a@example.com', name: 'Ada', description: 'First', metadata: { a: 'b' } }
    let customer: Body = {}
    const [event, ...others] = await eventsOf(twin, async () => {
      customer = await twin.post('/v1/customers', body)
    })
    expect(customer).toMatchObject({
      id: expect.stringMatching(/^cus_/),
      object: 'customer',
      created: 1769853600,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
      ...body,
      invoice_prefix: expect.stringMatching(/^[A-Z0-9]{8}$/),
      invoice_settings: { default_payment_method: null },
      delinquent: false,
      test_clock: null,
    })
    expect(others).toEqual([])
    expect(event).toMatchObject({ type: 'customer.created', data: { object: customer } })
  })

  test('needs nothing', async () => {
    expect(await twin.post('/v1/customers')).toMatchObject({ email: null, name: null, metadata: {} })
  })

  test('accepts a test payment method as default, which becomes a new one', async () => {
    let customer: Body = {}
    const events = await eventsOf(twin, async () => {
      customer = await twin.post('/v1/customers', withDefault('pm_card_visa'))
    })
    expect(typesOf(events).sort()).toEqual(['customer.created', 'payment_method.attached'])
    const { default_payment_method } = customer.invoice_settings
    expect(default_payment_method).not.toBe('pm_card_visa')
    expect(await twin.get(`/v1/payment_methods/${default_payment_method}`)).toMatchObject({
      customer: customer.id,
      card: { last4: '4242' },
    })
  })

  test('refuses an invalid default', async () => {
    const { method } = await makeCustomer(twin)
    const free = await twin.post('/v1/payment_methods', {
      type: 'card',
      card: { number: '4242424242424242' },
    })
    for (const [id, refusal] of [
      ['pm_unknown', unknown(DEFAULT_METHOD)],
      ['cus_1', unknown(DEFAULT_METHOD)],
      ['__proto__', unknown(DEFAULT_METHOD)],
      [method.id, invalid(DEFAULT_METHOD)],
      [free.id, invalid(DEFAULT_METHOD)],
      [5, invalid(DEFAULT_METHOD)],
      ['', invalid(DEFAULT_METHOD)],
    ] as const) {
      await expectRefused(twin, ['POST', '/v1/customers', withDefault(id)], refusal)
    }
  })

  test.each(['ABC', 'ABCDEFGHI', 'abcdefgh', 'ABCD-EFG', 'ÄBCDEFGH', '', null, 12345678])(
    'refuses %j as an invoice prefix',
    async (invoice_prefix) => {
      await expectRefused(twin, ['POST', '/v1/customers', { invoice_prefix }], invalid('invoice_prefix'))
    },
  )
})

describe('updating a customer', () => {
  test('changes the given fields, keeps the rest, and emits the former values', async () => {
    const customer = await twin.post('/v1/customers', { name: 'Ada', email: 'a@example.com' })
    const events = await eventsOf(twin, () => twin.post(`/v1/customers/${customer.id}`, { name: 'Bob' }))
    const updated = { ...customer, name: 'Bob' }
    expect(await twin.get(`/v1/customers/${customer.id}`)).toEqual(updated)
    expect(events).toMatchObject([{ type: 'customer.updated' }])
    expect(events[0]?.data).toEqual({ object: updated, previous_attributes: { name: 'Ada' } })
  })

  test('emits former values of nested fields and metadata', async () => {
    const { customer, method } = await makeCustomer(twin)
    const body = { ...withDefault(method.id), metadata: { a: 'b' } }
    const [event] = await eventsOf(twin, () => twin.post(`/v1/customers/${customer.id}`, body))
    expect(event?.data.previous_attributes).toEqual({
      invoice_settings: { default_payment_method: null },
      metadata: {},
    })
  })

  test('without changes emits nothing', async () => {
    const customer = await twin.post('/v1/customers', { name: 'Ada', metadata: { a: 'b' } })
    await unchanged(twin, async () => {
      for (const body of [{}, { name: 'Ada' }, { metadata: { a: 'b' } }, { metadata: {} }, { zebra: 1 }]) {
        expect(await twin.post(`/v1/customers/${customer.id}`, body)).toEqual(customer)
      }
    })
  })

  test('removes the default payment method', async () => {
    const { customer, method } = await makeCustomer(twin)
    await twin.post(`/v1/customers/${customer.id}`, withDefault(method.id))
    const emptied = await twin.post(`/v1/customers/${customer.id}`, withDefault(null))
    expect(emptied.invoice_settings).toEqual({ default_payment_method: null })
  })

  test('refuses as creating does', async () => {
    const { customer } = await makeCustomer(twin)
    const { method } = await makeCustomer(twin)
    const path = `/v1/customers/${customer.id}`
    await expectRefused(twin, ['POST', path, { name: 5 }], invalid('name'))
    await expectRefused(twin, ['POST', path, withDefault('pm_unknown')], unknown(DEFAULT_METHOD))
    await expectRefused(twin, ['POST', path, withDefault(method.id)], invalid(DEFAULT_METHOD))
    await expectRefused(twin, ['POST', '/v1/customers/cus_unknown', {}], unknown())
  })
})

describe('deleting a customer', () => {
  test('leaves a stub, and nothing else to be found', async () => {
    const { customer, method } = await makeCustomer(twin)
    const stub = { id: customer.id, object: 'customer', deleted: true, livemode: false }
    const response = await twin.request('DELETE', `/v1/customers/${customer.id}`)
    expect(response.status).toBe(200)
    expect(response.body).toEqual(stub)
    expect(await twin.get(`/v1/customers/${customer.id}`)).toEqual(stub)
    expect(idsOf((await twin.get('/v1/customers?limit=100')).data)).not.toContain(customer.id)

    const path = `/v1/customers/${customer.id}`
    await expectRefused(twin, ['POST', path, { name: 'Bob' }], unknown())
    await expectRefused(twin, ['DELETE', path], unknown())
    const attach = { customer: customer.id }
    await expectRefused(
      twin,
      ['POST', '/v1/payment_methods/pm_card_visa/attach', attach],
      unknown('customer'),
    )
    const price = await makePrice(twin)
    const subscribe = {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    }
    await expectRefused(twin, ['POST', '/v1/subscriptions', subscribe], unknown('customer'))
  })

  test('cancels its subscriptions immediately, and emits their events first', async () => {
    const { customer, method } = await makeCustomer(twin)
    const price = await makePrice(twin)
    const subscribe = {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    }
    const first = await twin.post('/v1/subscriptions', subscribe)
    const second = await twin.post('/v1/subscriptions', { ...subscribe, trial_period_days: 7 })
    const ended = await twin.post('/v1/subscriptions', subscribe)
    await twin.delete(`/v1/subscriptions/${ended.id}`)

    const events = await eventsOf(twin, () => twin.delete(`/v1/customers/${customer.id}`))
    expect(events.map(({ type, data }) => [type, data.object.id])).toEqual([
      ['subscription.deleted', first.id],
      ['subscription.deleted', second.id],
      ['customer.deleted', customer.id],
    ])
    for (const { id } of [first, second]) {
      expect(await twin.get(`/v1/subscriptions/${id}`)).toMatchObject({
        status: 'canceled',
        ended_at: 1769853600,
        cancellation_details: { reason: 'cancellation_requested' },
      })
    }
    expect((await twin.get('/v1/test_helpers/upcoming')).data).toEqual([])
  })

  test('emits customer.deleted with the whole customer as it last was', async () => {
    const { customer, method } = await makeCustomer(twin)
    const path = `/v1/customers/${customer.id}`
    const last = await twin.post(path, {
      email: 'ada@example.com',
      metadata: { team: 'billing' },
      invoice_settings: { default_payment_method: method.id },
    })
    const events = await eventsOf(twin, () => twin.delete(path))
    expect(events.map(({ type, data }) => [type, data])).toEqual([['customer.deleted', { object: last }]])
    const stub = { id: customer.id, object: 'customer', deleted: true, livemode: false }
    expect(await twin.get(path)).toEqual(stub)
    const found = await twin.get(`/v1/payment_methods/${method.id}?expand[]=customer`)
    expect(found.customer).toEqual(stub)
  })

  test('that is unknown is 404', async () => {
    await expectRefused(twin, ['DELETE', '/v1/customers/cus_unknown'], unknown())
    await expectRefused(twin, ['GET', '/v1/customers/cus_unknown'], unknown())
  })
})

describe('listing', () => {
  test('customers by email', async () => {
    const { id } = await twin.post('/v1/customers', { email: 'zoe+1@example.com' })
    await twin.post('/v1/customers', { email: 'zoe@example.com' })
    const { data } = await twin.get(`/v1/customers?email=${encodeURIComponent('zoe+1@example.com')}`)
    expect(idsOf(data)).toEqual([id])
  })

  test('a customer’s payment methods, or those of one type', async () => {
    const { customer, method } = await makeCustomer(twin)
    const pix = await twin.post('/v1/payment_methods/pm_pix/attach', { customer: customer.id })
    await makeCustomer(twin)
    const path = `/v1/customers/${customer.id}/payment_methods`
    const all = await twin.get(path)
    expect(all.url).toBe(path)
    expect(idsOf(all.data)).toEqual([pix.id, method.id])
    expect(idsOf((await twin.get(`${path}?type=card`)).data)).toEqual([method.id])
    expect(idsOf((await twin.get(`/v1/payment_methods?customer=${customer.id}&type=pix`)).data)).toEqual([
      pix.id,
    ])
    await expectRefused(twin, ['GET', '/v1/customers/cus_unknown/payment_methods'], unknown())
  })
})
