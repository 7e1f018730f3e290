import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal, FORM, invalid, toForm } from '../http/support.ts'
import { subscribe } from '../scenarios/story.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { makeCharge, newestOf, refuses, writesNothing } from './support.ts'

let twin: Twin
let subscription: Body
let customer: Body
let invoice: Body
beforeAll(async () => {
  twin = await startTwin()
  ;({ subscription, customer } = await subscribe(twin))
  invoice = await newestOf(twin, subscription)
})
afterAll(() => twin.close())

const query = (...paths: string[]) => paths.map((path) => `expand[]=${path}`).join('&')
const expanded = (...paths: string[]) => twin.get(`/v1/subscriptions/${subscription.id}?${query(...paths)}`)

describe('expand puts whole objects in place of ids', () => {
  test('one level deep, several at once', async () => {
    const { customer: whole, latest_invoice, ...rest } = await expanded('customer', 'latest_invoice')
    const { customer: _, latest_invoice: __, ...plain } = subscription
    expect(whole).toEqual(await twin.get(`/v1/customers/${customer.id}`))
    expect(latest_invoice).toEqual(invoice)
    expect(rest).toEqual(plain)
  })

  test('up to four levels deep', async () => {
    const { latest_invoice } = await expanded('latest_invoice.payment_intent.latest_charge.payment_method')
    const { payment_intent } = latest_invoice
    expect(latest_invoice.id).toBe(invoice.id)
    expect(payment_intent.id).toBe(invoice.payment_intent)
    expect(payment_intent.latest_charge.id).toBe(invoice.charge)
    expect(payment_intent.latest_charge.payment_method).toEqual(
      await twin.get(`/v1/payment_methods/${subscription.default_payment_method}`),
    )
  })

  test('on lists and in lists', async () => {
    const { data } = await twin.get(
      `/v1/subscriptions?${query('data.customer', 'data.latest_invoice.charge')}`,
    )
    expect(data[0]).toMatchObject({
      customer: { id: customer.id },
      latest_invoice: { charge: { id: invoice.charge } },
    })
    const { lines } = await twin.get(`/v1/invoices/${invoice.id}?${query('lines.data.price')}`)
    expect(lines.data[0].price).toEqual(subscription.items.data[0].price)
  })

  test('and leaves null unchanged', async () => {
    const { intent } = await makeCharge(twin)
    expect(await twin.get(`/v1/payment_intents/${intent.id}?${query('customer', 'invoice')}`)).toEqual(intent)
  })

  test('in the response of a POST, in JSON and in a form', async () => {
    const body = { amount: 5, currency: 'usd', customer: customer.id, expand: ['customer'] }
    for (const response of [
      await twin.request('POST', '/v1/payment_intents', body),
      await twin.request('POST', '/v1/payment_intents', toForm(body), FORM),
    ]) {
      expect(response.status).toBe(201)
      expect(response.body.customer).toMatchObject({ object: 'customer', id: customer.id })
      expect(response.headers.get('Paytwin-Ignored-Params')).toBeNull()
    }
  })

  test('of a refund its charge, and of that its intent', async () => {
    const { charge, intent } = await makeCharge(twin)
    const refund = await twin.post('/v1/refunds', {
      charge: charge.id,
      expand: ['charge.payment_intent', 'payment_intent'],
    })
    expect(refund.charge.payment_intent).toEqual(intent)
    expect(refund.payment_intent).toEqual(intent)
  })
})

describe('expand is refused for', () => {
  test.each([
    'zebra',
    'customer.zebra',
    'latest_invoice.zebra.customer',
    'status',
    'merchant_id',
    'id',
    'created',
    'livemode',
    'metadata.a',
    'description',
    'data.customer',
    '',
    '.',
    'customer.',
    'constructor',
    '__proto__',
    'latest_invoice.payment_intent.latest_charge.payment_method.customer',
  ])('the path %j', async (path) => {
    const { id } = await twin.post(`/v1/subscriptions/${subscription.id}`, {
      description: customer.id,
      metadata: { a: customer.id },
    })
    await refuses(twin, ['GET', `/v1/subscriptions/${id}?${query(path)}`], invalid('expand'))
  })

  test.each(['customer', 'data.zebra', 'data', 'has_more'])('the path %j on a list', async (path) => {
    await refuses(twin, ['GET', `/v1/subscriptions?${query(path)}`], invalid('expand'))
  })

  test('an unknown path on a list that is empty', async () => {
    await refuses(twin, ['GET', `/v1/refunds?charge=ch_unknown&${query('data.zebra')}`], invalid('expand'))
  })

  test('an unknown path below null', async () => {
    const { intent } = await makeCharge(twin)
    await refuses(
      twin,
      ['GET', `/v1/payment_intents/${intent.id}?${query('invoice.zebra')}`],
      invalid('expand'),
    )
  })

  test.each([[5], [{ a: 'customer' }], [[5]], ['customer'], [Array(21).fill('customer')]])(
    '%j',
    async (expand) => {
      const body = { name: 'Ada', expand }
      const response = await writesNothing(twin, () => twin.request('POST', '/v1/customers', body))
      expectRefusal(response, invalid('expand'))
    },
  )

  test('a path of a POST, which then writes nothing', async () => {
    const body = {
      amount: 5,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      expand: ['zebra'],
    }
    await refuses(twin, ['POST', '/v1/payment_intents', body], invalid('expand'))
  })
})

describe('expand is checked before anything happens', () => {
  test.each<[string, Body]>([
    ['advance', { by: '1d' }],
    ['advance', { by: '1d', async: true }],
    ['unfreeze', {}],
    ['freeze', {}],
  ])('to the clock: %s %j', async (verb, body) => {
    const path = `/v1/test_helpers/clock/${verb}`
    for (const key of [{}, { 'Idempotency-Key': `${verb} ${JSON.stringify(body)}` }]) {
      await refuses(twin, ['POST', path, { ...body, expand: ['zebra'] }, key], invalid('expand'))
    }
    expect((await twin.request('POST', '/v1/customers')).status).toBe(201)
  })

  test('before references are resolved', async () => {
    const body = { charge: 'ch_unknown', expand: ['zebra'] }
    await refuses(twin, ['POST', '/v1/refunds', body], invalid('expand'))
  })

  test('of an object that would be deleted', async () => {
    const { id } = await twin.post('/v1/customers')
    const expand = ['invoice_settings.default_payment_method']
    await refuses(twin, ['DELETE', `/v1/customers/${id}`, { expand }], invalid('expand'))
  })
})

describe('the stub of a deleted customer', () => {
  test('is shown unchanged at every level of expansion', async () => {
    const { id } = await twin.post('/v1/customers')
    const intent = await twin.post('/v1/payment_intents', { amount: 5, currency: 'usd', customer: id })
    const stub = await twin.delete(`/v1/customers/${id}`)
    const path = 'invoice_settings.default_payment_method'
    expect(await twin.get(`/v1/customers/${id}?${query(path)}`)).toEqual(stub)
    const shown = await twin.get(`/v1/payment_intents/${intent.id}?${query(`customer.${path}`)}`)
    expect(shown).toEqual({ ...intent, customer: stub })
  })
})

describe('the payload of an event is never expanded', () => {
  test('not in an event', async () => {
    const [event] = (await twin.get('/v1/events?type=subscription.created')).data
    const path = `/v1/events/${event.id}?${query('data.object.customer')}`
    const { body, status } = await twin.request('GET', path)
    if (status === 200) expect(body).toEqual(event)
    else expect(body.error).toMatchObject({ code: 'parameter_invalid', param: 'expand' })
  })

  test('not in a list of events', async () => {
    const plain = await twin.get('/v1/events?type=subscription.created')
    const path = `/v1/events?type=subscription.created&${query('data.data.object.customer')}`
    const { body, status } = await twin.request('GET', path)
    if (status === 200) expect(body).toEqual(plain)
    else expect(body.error).toMatchObject({ code: 'parameter_invalid', param: 'expand' })
  })

  test('not by the expand of the request', async () => {
    await twin.post('/v1/payment_intents', {
      amount: 5,
      currency: 'usd',
      customer: customer.id,
      expand: ['customer'],
    })
    const [event] = (await twin.get('/v1/events?limit=1')).data
    expect(event.data.object.customer).toBe(customer.id)
  })
})
