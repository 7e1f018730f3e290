import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTwin, type Twin } from '../twin.ts'
import { expectRefusal, invalid, postForm } from './support.ts'

const unknownParam = (param: string) => ({ ...invalid(param), code: 'parameter_unknown' })

let twin: Twin
let strict: Twin
beforeAll(async () => {
  twin = await startTwin()
  strict = await startTwin({ strictParams: true })
})
afterAll(() => Promise.all([twin.close(), strict.close()]))

describe('a parameter that paytwin does not support yet is refused, strict or not', () => {
  test.each<[string, object, string, string]>([
    ['POST /v1/products', { name: 'Pro', coupon: 'SAVE10' }, 'coupon', 'coupon'],
    ['POST /v1/payment_intents', { amount: 5, discounts: [{ coupon: 'SAVE10' }] }, 'discounts', 'discounts'],
    ['POST /v1/subscriptions', { promotion_code: 'promo_1' }, 'promotion_code', 'promotion_code'],
    [
      'POST /v1/subscriptions/sub_1/resume',
      { billing_cycle_anchor: 'now' },
      'billing_cycle_anchor',
      'billing_cycle_anchor other than unchanged',
    ],
    [
      'POST /v1/subscriptions/sub_1/resume',
      { proration_behavior: 'create_prorations' },
      'proration_behavior',
      'proration_behavior other than none',
    ],
    [
      'POST /v1/subscriptions',
      { items: [{ price: 'price_1' }, { price_data: { product_data: { name: 'Pro' } } }] },
      'items[1][price_data][product_data]',
      'product_data',
    ],
    [
      'POST /v1/prices',
      { currency: 'usd', product_data: { name: 'Pro' }, custom_unit_amount: { enabled: true } },
      'custom_unit_amount',
      'custom_unit_amount',
    ],
    [
      'POST /v1/invoices/create_preview',
      { subscription: 'sub_1', invoice_items: [{ amount: 5 }] },
      'invoice_items',
      'invoice_items',
    ],
    ['POST /v1/invoices/create_preview', { schedule: 'sub_sched_1' }, 'schedule', 'schedule'],
    [
      'POST /v1/invoices/create_preview',
      { customer: 'cus_1', schedule_details: { phases: [] } },
      'schedule_details',
      'schedule_details',
    ],
    ['POST /v1/subscriptions/sub_1', { prorate: true }, 'prorate', 'prorate other than false'],
    ['POST /v1/subscriptions/sub_1', { invoice_now: true }, 'invoice_now', 'invoice_now other than false'],
    [
      'POST /v1/subscriptions/sub_1',
      { proration_behavior: 'create_prorations', coupon: 'SAVE10' },
      'coupon',
      'coupon',
    ],
    [
      'POST /v1/payment_intents',
      { amount: 5, currency: 'usd', capture_method: 'manual' },
      'capture_method',
      'capture_method other than automatic',
    ],
  ])('%s %j', async (route, body, param, name) => {
    const [method = '', path = ''] = route.split(' ')
    for (const each of [twin, strict]) {
      const response = await each.request(method, path, body)
      expectRefusal(response, unknownParam(param))
      expect(response.body.error.message).toBe(`paytwin does not support ${name} yet`)
    }
  })

  test('in a form and in a query too', async () => {
    expectRefusal(await postForm(twin, '/v1/products', 'coupon=SAVE10'), unknownParam('coupon'))
    expectRefusal(
      await twin.request('DELETE', '/v1/subscriptions/sub_1?coupon=SAVE10'),
      unknownParam('coupon'),
    )
  })
})

describe('is ignored like any unknown parameter', () => {
  test.each<[string, object]>([
    ['if it asks for what paytwin does', { proration_behavior: 'none' }],
    ['if it is off', { invoice_now: false, automatic_tax: { enabled: false } }],
    ['if it is empty', { discounts: [], tax_rates: '', schedule: null }],
  ])('%s', async (_, body) => {
    const response = await twin.request('POST', '/v1/customers', body)
    expect(response.status).toBe(201)
    expect(response.headers.get('Paytwin-Ignored-Params')).toBe(Object.keys(body).join(','))
  })

  test('in a form', async () => {
    const response = await postForm(twin, '/v1/customers', 'invoice_now=false&automatic_tax[enabled]=false')
    expect(response.status).toBe(201)
  })
})

test('names within metadata are free', async () => {
  const metadata = { coupon: 'SAVE10', price_data: '1' }
  const response = await strict.request('POST', '/v1/customers', { metadata })
  expect(response.body.metadata).toEqual(metadata)
})
