import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { unknownParams } from '../../src/http/params.ts'
import { startTwin, type Twin } from '../twin.ts'
import { asOperator, expectRefusal, expectRefused, FORM, invalid, missing, postForm } from './support.ts'

const noted: [string, readonly string[]][] = []
let twin: Twin
beforeAll(async () => {
  twin = await startTwin({ logIgnoredParams: (route, params) => noted.push([route, params]) })
})
afterEach(() => noted.splice(0))
afterAll(() => twin.close())

const ignoredOf = async (body: unknown) =>
  (await twin.request('POST', '/v1/customers', body)).headers.get('Paytwin-Ignored-Params')

describe('of several missing parameters the first in the order of the endpoint is named', () => {
  test.each<[string, unknown, string]>([
    ['/v1/subscriptions', {}, 'customer'],
    ['/v1/subscriptions', { items: [] }, 'customer'],
    ['/v1/subscriptions', { customer: 'cus_1' }, 'currency'],
    ['/v1/subscriptions', { customer: 5, items: 5 }, 'currency'],
    ['/v1/subscriptions', { customer: 'cus_1', currency: 'usd' }, 'default_payment_method'],
    ['/v1/subscriptions', { customer: 'cus_1', currency: 'usd', default_payment_method: 'pm_1' }, 'items'],
    [
      '/v1/subscriptions',
      { customer: 'cus_1', currency: 'usd', items: [{ price: 'price_1' }] },
      'default_payment_method',
    ],
    [
      '/v1/subscriptions',
      { customer: 'cus_1', currency: 'usd', default_payment_method: 'pm_1', items: [{}] },
      'items[0][price]',
    ],
    [
      '/v1/subscriptions',
      {
        customer: 'cus_1',
        currency: 'usd',
        default_payment_method: 'pm_1',
        items: [{ price: 'p' }, { quantity: 1 }],
      },
      'items[1][price]',
    ],
    ['/v1/prices', {}, 'unit_amount'],
    ['/v1/prices', { unit_amount: 'x' }, 'currency'],
    ['/v1/prices', { currency: 'usd' }, 'unit_amount'],
    ['/v1/prices', { currency: 'usd', unit_amount: 1, type: 'recurring' }, 'recurring'],
    ['/v1/prices', { currency: 'usd', unit_amount: 1, recurring: {} }, 'recurring[interval]'],
    ['/v1/products', {}, 'name'],
    ['/v1/payment_methods', {}, 'type'],
    ['/v1/payment_methods', { type: 'card' }, 'card'],
    ['/v1/payment_methods', { type: 'card', card: {} }, 'card[number]'],
    ['/v1/payment_methods/pm_1/attach', {}, 'customer'],
    ['/v1/test_helpers/payment_methods/pm_1/outcomes', {}, 'outcomes'],
    ['/v1/test_helpers/clock/advance', {}, 'to'],
  ])('POST %s with %j', async (path, body, param) => {
    await expectRefused(twin, ['POST', path, body], missing(param))
  })

  test('in a form too', async () => {
    await expectRefused(twin, ['POST', '/v1/subscriptions', '', FORM], missing('customer'))
    await expectRefused(twin, ['POST', '/v1/payment_methods', 'type=card', FORM], missing('card'))
  })

  test('before any reference is resolved', async () => {
    const body = { customer: 'cus_unknown', currency: 'usd', default_payment_method: 'pm_unknown' }
    await expectRefused(twin, ['POST', '/v1/subscriptions', body], missing('items'))
  })
})

describe('unknown parameters', () => {
  test('are ignored, named in a header and noted', async () => {
    const response = await twin.request('POST', '/v1/customers', { zebra: 1, name: 'Ada', lion: null })
    expect(response.status).toBe(201)
    expect(response.body.name).toBe('Ada')
    expect(response.headers.get('Paytwin-Ignored-Params')).toBe('zebra,lion')
    expect(noted).toEqual([['POST /v1/customers', ['zebra', 'lion']]])
  })

  test('are named on refusals too', async () => {
    const response = await twin.request('POST', '/v1/payment_methods/pm_1/attach', {
      customer: 'c',
      zebra: 1,
    })
    expect(response.status).toBe(404)
    expect(response.headers.get('Paytwin-Ignored-Params')).toBe('zebra')
  })

  test.each<[unknown, string | null]>([
    [{}, null],
    [{ name: 'Ada', metadata: { zebra: 'x' } }, null],
    [{ 'ze bra': 1 }, 'ze%20bra'],
    [{ 'a,b': 1 }, 'a%2Cb'],
    [{ 'a\r\nSet-Cookie: x': 1 }, 'a%0D%0ASet-Cookie%3A%20x'],
    [{ é: 1 }, '%C3%A9'],
    [{ '🦓': 1 }, '%F0%9F%A6%93'],
    [{ zebra: { stripes: [1, 2] } }, 'zebra'],
    [{ invoice_settings: { zebra: 1 } }, 'invoice_settings%5Bzebra%5D'],
    [{ toString: 1, valueOf: 2, hasOwnProperty: 3 }, 'toString,valueOf,hasOwnProperty'],
  ])('%j → %j', async (body, header) => {
    expect(await ignoredOf(body)).toBe(header)
  })

  test('of a list are named with their place', async () => {
    const body = { customer: 'c', currency: 'usd', default_payment_method: 'p' }
    const items = [
      { price: 'a', zebra: 1 },
      { price: 'b', lion: 2 },
    ]
    const response = await twin.request('POST', '/v1/subscriptions', { ...body, items })
    const names = decodeURIComponent(response.headers.get('Paytwin-Ignored-Params') ?? '').split(',')
    expect(names).toEqual(['items[0][zebra]', 'items[1][lion]'])
  })

  test('of a form and of a query are named', async () => {
    const form = await postForm(twin, '/v1/customers', 'zebra[a]=1&zebra[b]=2&name=Ada')
    expect(form.headers.get('Paytwin-Ignored-Params')).toBe('zebra')
    const query = await twin.request('GET', '/v1/customers?zebra=1&expnad[]=a')
    expect(query.headers.get('Paytwin-Ignored-Params')).toBe('zebra,expnad')
  })

  test('that are many fill at most 1 KiB, whole names only', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `zebra_${index}`)
    const header = (await ignoredOf(Object.fromEntries(names.map((name) => [name, 1])))) ?? ''
    expect(header.length).toBeLessThanOrEqual(1_024)
    expect(header.length).toBeGreaterThan(1_000)
    expect(names.slice(0, header.split(',').length)).toEqual(header.split(','))
  })

  test('whose names are not valid Unicode are ignored like any other', async () => {
    const response = await twin.request('POST', '/v1/customers', '{"\\ud800":1,"name":"Ada"}')
    expect(response.status).toBe(201)
    expect(response.headers.get('Paytwin-Ignored-Params')).not.toBeNull()
  })
})

describe('the invalid parameter is named', () => {
  test.each<[string, unknown, string | null]>([
    ['/v1/customers', { name: 5 }, 'name'],
    ['/v1/customers', { name: [] }, 'name'],
    ['/v1/customers', { name: {} }, 'name'],
    ['/v1/customers', { email: false }, 'email'],
    ['/v1/customers', { invoice_settings: 'x' }, 'invoice_settings'],
    ['/v1/customers', { invoice_settings: [] }, 'invoice_settings'],
    [
      '/v1/customers',
      { invoice_settings: { default_payment_method: 5 } },
      'invoice_settings[default_payment_method]',
    ],
    ['/v1/products', { name: null }, 'name'],
    ['/v1/products', { name: '' }, 'name'],
    ['/v1/products', { name: 'x', active: 1 }, 'active'],
    ['/v1/payment_methods', { type: 'cash' }, 'type'],
    ['/v1/payment_methods', { type: 'toString' }, 'type'],
    ['/v1/payment_methods', { type: 'card', card: '4242424242424242' }, 'card'],
    ['/v1/payment_methods', { type: 'card', card: null }, 'card'],
    ['/v1/test_helpers/payment_methods/pm_1/outcomes', { outcomes: 'succeed' }, 'outcomes'],
    ['/v1/test_helpers/payment_methods/pm_1/outcomes', { outcomes: { 0: 'succeed' } }, 'outcomes'],
    ['/v1/test_helpers/payment_methods/pm_1/outcomes', { outcomes: [5] }, 'outcomes[0]'],
    ['/v1/test_helpers/clock/advance', { to: {} }, 'to'],
    ['/v1/test_helpers/clock/advance', { by: 5 }, 'by'],
    ['/v1/test_helpers/clock/advance', { by: '1d', stop_on: 'invoice.paid' }, 'stop_on'],
    ['/v1/test_helpers/clock/advance', { by: '1d', stop_on: [null] }, 'stop_on[0]'],
  ])('POST %s with %j → %s', async (path, body, param) => {
    await expectRefused(twin, ['POST', path, body], invalid(param))
  })

  test('the first of several, presence before form', async () => {
    const response = await twin.request('POST', '/v1/prices', { unit_amount: -1, active: 'x' })
    expectRefusal(response, missing('currency'))
  })
})

describe('the message says what is allowed', () => {
  test.each<[string, unknown, string]>([
    [
      '/v1/customers',
      { metadata: [] },
      'metadata: expected an object of keys and values, or an empty string to remove all keys',
    ],
    ['/v1/customers', { metadata: { a: null } }, 'metadata: expected strings, numbers or booleans as values'],
    ['/v1/customers', { metadata: { ['k'.repeat(41)]: 1 } }, 'expected keys of at most 40 characters'],
    ['/v1/customers', { metadata: { a: 'v'.repeat(501) } }, 'expected values of at most 500 characters'],
    [
      '/v1/customers',
      { metadata: Object.fromEntries([...Array(51)].map((_, n) => [n, 1])) },
      'at most 50 keys',
    ],
    ['/v1/test_helpers/clock/advance', { to: 1.5 }, 'to: expected Unix seconds or ISO 8601'],
    [
      '/v1/subscriptions',
      { customer: 'cus_x', currency: 'usd', default_payment_method: 'pm_x', items: [] },
      'items: expected at least 1 item',
    ],
  ])('POST %s with %j: %s', async (path, body, words) => {
    const { error } = (await twin.request('POST', path, body)).body
    expect(error).toMatchObject({ code: 'parameter_invalid', message: expect.stringContaining(words) })
  })

  test('of a text that is too long', async () => {
    const { error } = (await twin.request('POST', '/v1/customers', { name: 'x'.repeat(5_001) })).body
    expect(error.message).toBe('Invalid value for name: expected at most 5000 characters')
  })

  test.each([
    ['created=soon', 'created: expected Unix seconds, or bounds: gt, gte, lt, lte'],
    ['created[gt]=soon', 'created[gt]: expected whole Unix seconds'],
    ['limit=0', 'limit: expected at least 1'],
    ['limit=101', 'limit: expected at most 100'],
  ])('of a list: %s', async (query, words) => {
    const { error } = (await twin.request('GET', `/v1/customers?${query}`)).body
    expect(error.message).toContain(words)
  })
})

describe('the message about a number or a boolean says the same for a form and for JSON', () => {
  test.each<[string, Record<string, string>, Record<string, unknown>, string]>([
    [
      '/v1/prices',
      { unit_amount: '1.5', currency: 'usd' },
      { unit_amount: 1.5 },
      'unit_amount: expected a whole number',
    ],
    [
      '/v1/prices',
      { unit_amount: 'x', currency: 'usd' },
      { unit_amount: 'x' },
      'unit_amount: expected a whole number',
    ],
    ['/v1/products', { name: 'x', active: 'yes' }, { active: 'yes' }, 'active: expected true or false'],
  ])('POST %s with %j', async (path, form, json, words) => {
    const message = `Invalid value for ${words}`
    const { error } = (await postForm(twin, path, form)).body
    expect(error).toMatchObject({ code: 'parameter_invalid', message })
    expect((await twin.request('POST', path, { ...form, ...json })).body.error).toMatchObject({ message })
  })

  test('in a query', async () => {
    const { error } = (await twin.request('GET', '/v1/customers?limit=x')).body
    expect(error.message).toBe('Invalid value for limit: expected a whole number')
  })

  test('where the number can be any', async () => {
    const body = { kind: 'latency', rate: 'often' }
    const { error } = (await asOperator(twin)('POST', 'faults', body)).body
    expect(error.message).toBe('Invalid value for rate: expected a number')
  })
})

describe('a body that is nested deep', () => {
  test.each([100, 5_000, 100_000])('by %d levels is no error of ours', async (depth) => {
    for (const body of [
      `{"zebra":${'['.repeat(depth)}${']'.repeat(depth)}}`,
      `{"metadata":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`,
    ]) {
      expect([201, 400]).toContain((await twin.request('POST', '/v1/customers', body)).status)
    }
  })
})

describe('many or long names of unknown parameters', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['a few are all noted', ['zebra', 'yak'], ['zebra', 'yak']],
    ['a long one is cut', ['z'.repeat(200_000)], [`${'z'.repeat(100)}… (199,900 more characters)`]],
  ])('%s', async (_, names, expected) => {
    await ignoredOf(Object.fromEntries(names.map((name) => [name, 1])))
    expect(noted).toEqual([['POST /v1/customers', expected]])
  })

  test('of very many the first are noted, and how many more there are', async () => {
    const names = Array.from({ length: 1_900 }, (_, index) => `zebra_${index}`)
    expect((await ignoredOf(Object.fromEntries(names.map((name) => [name, 1]))))?.length).toBeLessThan(1_025)
    const [[, first = []] = []] = noted
    expect(first.slice(0, 2)).toEqual(['zebra_0', 'zebra_1'])
    expect(first.at(-1)).toMatch(/^… and 1,\d{3} more$/)
    expect(first.join(', ').length).toBeLessThan(1_300)
  })
})

test('unknown names are not looked for in a value that no schema describes', () => {
  const content = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('its names are read')
      },
    },
  )
  expect(unknownParams({ content, other: 1 }, { content })).toEqual(['other'])
})
