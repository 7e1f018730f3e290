import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { expectRefused, FORM, invalid, postForm, rows } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const keys = (count: number, value = 'x'): Body =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, value]))

const metadataOf = async (metadata: unknown): Promise<unknown> =>
  (await twin.post('/v1/customers', { metadata })).metadata

describe('metadata', () => {
  test.each<[unknown, Body]>([
    [{}, {}],
    [{ a: 'b' }, { a: 'b' }],
    [
      { n: 1, f: 1.5, t: true, z: -0, e: 1e21 },
      { n: '1', f: '1.5', t: 'true', z: '0', e: '1e+21' },
    ],
    [
      { 0: 'zero', 6735: 'order' },
      { 0: 'zero', 6735: 'order' },
    ],
    [
      { toString: 'a', hasOwnProperty: 'b' },
      { toString: 'a', hasOwnProperty: 'b' },
    ],
    [
      { é: '🦓', ' ': '\t' },
      { é: '🦓', ' ': '\t' },
    ],
    [{ a: 'x\u0000y' }, { a: 'x\u0000y' }],
  ])('%j is kept as %j', async (given, kept) => {
    expect(await metadataOf(given)).toEqual(kept)
  })

  test('holds 50 keys of 40 characters with values of 500', async () => {
    const full = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`k${index}`.padEnd(40, '_'), 'v'.repeat(500)]),
    )
    expect(await metadataOf(full)).toEqual(full)
  })

  test.each<[string, unknown]>([
    ['51 keys', keys(51)],
    ['a key of 41 characters', { ['k'.repeat(41)]: 'v' }],
    ['a key with [', { 'a[b': 'v' }],
    ['a key with ]', { 'a]b': 'v' }],
    ['a value of 501 characters', { a: 'v'.repeat(501) }],
    ['null as a value', { a: null }],
    ['an object as a value', { a: {} }],
    ['a list as a value', { a: ['b'] }],
    ['a list', ['a']],
    ['null', null],
    ['a number', 5],
    ['a text', 'a'],
  ])('refuses %s', async (_, metadata) => {
    await expectRefused(twin, ['POST', '/v1/customers', { metadata }], invalid('metadata'))
    const product = { name: 'Plan', metadata }
    await expectRefused(twin, ['POST', '/v1/products', product], invalid('metadata'))
  })

  test('refuses an infinite number', async () => {
    const body = '{"metadata":{"a":1e400}}'
    await expectRefused(twin, ['POST', '/v1/customers', body], invalid('metadata'))
  })

  test('is merged by an update; an empty value removes its key, an empty string all keys', async () => {
    const { id } = await twin.post('/v1/customers', { metadata: { a: '1', b: '2' } })
    const update = async (metadata: unknown) =>
      (await twin.post(`/v1/customers/${id}`, { metadata })).metadata
    expect(await update({ b: '3', c: '4' })).toEqual({ a: '1', b: '3', c: '4' })
    expect(await update({ a: '', zebra: '' })).toEqual({ b: '3', c: '4' })
    expect(await update({})).toEqual({ b: '3', c: '4' })
    expect(await update('')).toEqual({})
  })

  test('is merged by a form in the same way', async () => {
    const { id } = await twin.post('/v1/customers', { metadata: { a: '1', b: '2' } })
    const update = async (form: string) => (await postForm(twin, `/v1/customers/${id}`, form)).body.metadata
    expect(await update('metadata[a]=&metadata[c]=3')).toEqual({ b: '2', c: '3' })
    expect(await update('metadata[6735]=4')).toEqual({ b: '2', c: '3', 6735: '4' })
    expect(await update('metadata=')).toEqual({})
  })

  test('never grows beyond 50 keys', async () => {
    for (const [path, required] of [
      ['/v1/customers', {}],
      ['/v1/products', { name: 'Plan' }],
      ['/v1/prices', { unit_amount: 1, currency: 'usd' }],
    ] as const) {
      const { id } = await twin.post(path, { ...required, metadata: keys(50) })
      const update = { metadata: { one: 'more' } }
      await expectRefused(twin, ['POST', `${path}/${id}`, update], invalid('metadata'))
      const swapped = await twin.post(`${path}/${id}`, { metadata: { key_0: '', one: 'more' } })
      expect(Object.keys(swapped.metadata)).toHaveLength(50)
    }
  })

  test('is returned as given by every resource that accepts it', async () => {
    const metadata = { a: 'b' }
    const recurring = { interval: 'month' }
    const price = await twin.post('/v1/prices', { unit_amount: 1, currency: 'usd', recurring, metadata })
    const customer = await twin.post('/v1/customers', { metadata })
    const card = { number: '4242424242424242' }
    const method = await twin.post('/v1/payment_methods', { type: 'card', card, metadata })
    await twin.post(`/v1/payment_methods/${method.id}/attach`, { customer: customer.id })
    const subscription = await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id, metadata }],
      metadata,
    })
    for (const resource of [price, customer, method, subscription, subscription.items.data[0]]) {
      expect(resource.metadata).toEqual(metadata)
    }
  })
})

describe('currency', () => {
  test.each([
    ['usd', 'usd'],
    ['USD', 'usd'],
    ['uSd', 'usd'],
    ['jpy', 'jpy'],
    ['BHD', 'bhd'],
    ['brl', 'brl'],
    ['eur', 'eur'],
  ])('%s is kept as %s', async (given, kept) => {
    expect((await twin.post('/v1/prices', { unit_amount: 1, currency: given })).currency).toBe(kept)
  })

  test.each(
    rows<unknown>('', 'us', 'usdd', 'xyz', 'btc', ' usd', 'us$', '840', 'ᴜsᴅ', 840, null, ['usd'], {}),
  )('%j is refused', async (currency) => {
    await expectRefused(twin, ['POST', '/v1/prices', { unit_amount: 1, currency }], invalid('currency'))
    const body = { customer: 'c', currency, default_payment_method: 'p', items: [{ price: 'p' }] }
    await expectRefused(twin, ['POST', '/v1/subscriptions', body], invalid('currency'))
  })
})

describe('free text', () => {
  test('is kept byte for byte', async () => {
    for (const name of [
      '\u00e9',
      'e\u0301',
      '🦓',
      'a\u0000b',
      '<script>',
      "'; drop table customer; --",
      '\u202e',
      ' x ',
    ]) {
      const { id } = await twin.post('/v1/customers', { name })
      expect((await twin.get(`/v1/customers/${id}`)).name).toBe(name)
      const [event] = (await twin.get('/v1/events?limit=1')).data
      expect(event.data.object.name).toBe(name)
    }
  })

  test('that is not valid Unicode is the same when created and when read', async () => {
    const made = await twin.post('/v1/customers', '{"name":"\\ud800"}')
    expect(await twin.get(`/v1/customers/${made.id}`)).toEqual(made)
  })

  test('is unset by null, or by an empty value in a form', async () => {
    const { id } = await twin.post('/v1/customers', { name: 'Ada', email: 'a@example.com' })
    expect(await twin.post(`/v1/customers/${id}`, { name: null })).toMatchObject({ name: null })
    const { body } = await postForm(twin, `/v1/customers/${id}`, 'email=')
    expect(body.email).toBeNull()
  })

  test('of more than 5,000 characters is refused', async () => {
    expect((await twin.request('POST', '/v1/customers', { name: 'x'.repeat(5_000) })).status).toBe(201)
    await expectRefused(twin, ['POST', '/v1/customers', { name: 'x'.repeat(5_001) }], invalid('name'))
    const form = `name=${'x'.repeat(5_001)}`
    await expectRefused(twin, ['POST', '/v1/customers', form, FORM], invalid('name'))
  })
})
