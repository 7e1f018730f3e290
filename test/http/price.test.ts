import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { expectRefused, idsOf, invalid, missing, rows, unchanged, unknown } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const lastEvent = async (): Promise<Body> => (await twin.get('/v1/events?limit=1')).data[0]
const create = (price: Body) => twin.post('/v1/prices', { unit_amount: 2000, currency: 'usd', ...price })
const refused = (price: Body, param: string) =>
  expectRefused(
    twin,
    ['POST', '/v1/prices', { unit_amount: 2000, currency: 'usd', ...price }],
    invalid(param),
  )

describe('a price', () => {
  test('that recurs is returned whole and emits an event', async () => {
    const product = await twin.post('/v1/products', { name: 'Plan' })
    const price = await create({
      product: product.id,
      nickname: 'Pro',
      lookup_key: 'pro',
      recurring: { interval: 'month', interval_count: 2 },
      metadata: { a: 'b' },
    })
    expect(price).toMatchObject({
      id: expect.stringMatching(/^price_/),
      object: 'price',
      created: 1769853600,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
      active: true,
      currency: 'usd',
      lookup_key: 'pro',
      nickname: 'Pro',
      product: product.id,
      recurring: { interval: 'month', interval_count: 2 },
      type: 'recurring',
      unit_amount: 2000,
      metadata: { a: 'b' },
    })
    expect(await lastEvent()).toMatchObject({ type: 'price.created', data: { object: price } })
  })

  test('is recurring if recurring is given, else one-time', async () => {
    const recurring = { interval: 'week' }
    expect(await create({ recurring })).toMatchObject({
      type: 'recurring',
      recurring: { interval: 'week', interval_count: 1 },
    })
    expect(await create({})).toMatchObject({ type: 'one_time', recurring: null })
    expect(await create({ type: 'one_time' })).toMatchObject({ type: 'one_time', recurring: null })
    const without = { unit_amount: 1, currency: 'usd', type: 'recurring' }
    await expectRefused(twin, ['POST', '/v1/prices', without], missing('recurring'))
  })

  test.each([0, 1, 99_999_998, 99_999_999, -0])('may be %d', async (unit_amount) => {
    expect((await create({ unit_amount })).unit_amount).toBe(unit_amount + 0)
  })

  test.each(rows<unknown>(-1, 1.5, 100_000_000, 1e15, 2 ** 53, '100', '', true, null, [], [1], {}, 0.1))(
    'is never %j',
    async (unit_amount) => {
      await refused({ unit_amount }, 'unit_amount')
    },
  )

  test.each(['1e400', '-1e400', '1e-400000', '123456789012345678901234567890'])(
    'is never the number %s',
    async (number) => {
      const body = `{"currency":"usd","unit_amount":${number}}`
      const response = await twin.request('POST', '/v1/prices', body)
      // Every JSON parser reads 1e-400000 as 0.
      if (number === '1e-400000') expect(response.body.unit_amount).toBe(0)
      else expect(response.body.error).toMatchObject({ code: 'parameter_invalid', param: 'unit_amount' })
    },
  )

  test.each<[Body, string]>([
    [{ recurring: { interval: 'decade' } }, 'recurring[interval]'],
    [{ recurring: { interval: 'MONTH' } }, 'recurring[interval]'],
    [{ recurring: { interval: null } }, 'recurring[interval]'],
    [{ recurring: 'month' }, 'recurring'],
    [{ recurring: [] }, 'recurring'],
    [{ recurring: null }, 'recurring'],
    ...[0, -1, 1.5, '2', null, 1e15].map((interval_count): [Body, string] => [
      { recurring: { interval: 'month', interval_count } },
      'recurring[interval_count]',
    ]),
    [{ recurring: { interval: 'day', interval_count: 1_097 } }, 'recurring[interval_count]'],
    [{ recurring: { interval: 'week', interval_count: 157 } }, 'recurring[interval_count]'],
    [{ recurring: { interval: 'month', interval_count: 37 } }, 'recurring[interval_count]'],
    [{ recurring: { interval: 'year', interval_count: 4 } }, 'recurring[interval_count]'],
    [{ type: 'sometimes' }, 'type'],
    [{ active: 'yes' }, 'active'],
    [{ product: 5 }, 'product'],
    [{ lookup_key: 'k'.repeat(201) }, 'lookup_key'],
  ])('refuses %j', async (price, param) => {
    await refused(price, param)
  })

  test.each([
    ['day', 1_095],
    ['week', 156],
    ['month', 36],
    ['year', 3],
  ])('may recur every %d × %s', async (interval, interval_count) => {
    const recurring = { interval, interval_count }
    const terms = { ...recurring, usage_type: 'licensed', meter: null }
    expect((await create({ recurring })).recurring).toEqual(terms)
  })

  test('of an unknown product is 404', async () => {
    const body = { unit_amount: 1, currency: 'usd', product: 'prod_unknown' }
    await expectRefused(twin, ['POST', '/v1/prices', body], unknown('product'))
  })

  test('changes its name, key, state and metadata, and emits the former values', async () => {
    const price = await create({ nickname: 'Old', lookup_key: 'k', metadata: { a: '1' } })
    const change = { nickname: null, lookup_key: 'l', active: false, metadata: { a: '', b: '2' } }
    const updated = await twin.post(`/v1/prices/${price.id}`, change)
    expect(updated).toEqual({ ...price, ...change, metadata: { b: '2' } })
    const { type, data } = await lastEvent()
    expect(type).toBe('price.updated')
    expect(data).toEqual({
      object: updated,
      previous_attributes: { nickname: 'Old', lookup_key: 'k', active: true, metadata: { a: '1' } },
    })
  })

  test('keeps its amount, currency and interval for good', async () => {
    const price = await create({ recurring: { interval: 'month' } })
    await unchanged(twin, async () => {
      const change = { unit_amount: 1, currency: 'eur', recurring: { interval: 'day' } }
      const response = await twin.request('POST', `/v1/prices/${price.id}`, change)
      expect(response.status).toBe(200)
      expect(response.body).toEqual(price)
      expect(response.headers.get('Paytwin-Ignored-Params')).toBe('unit_amount,currency,recurring')
    })
  })

  test('that is unknown is 404', async () => {
    await expectRefused(twin, ['GET', '/v1/prices/price_unknown'], unknown())
    await expectRefused(twin, ['POST', '/v1/prices/price_unknown', {}], unknown())
  })

  test('is found by product, key, currency and state', async () => {
    const { id: product } = await twin.post('/v1/products', { name: 'Plan' })
    const euro = await create({ product, currency: 'eur', lookup_key: 'euro' })
    const old = await create({ product, active: false })
    const found = async (query: string) => idsOf((await twin.get(`/v1/prices?limit=100&${query}`)).data)
    expect(await found(`product=${product}`)).toEqual([old.id, euro.id])
    expect(await found(`product=${product}&currency=EUR`)).toEqual([euro.id])
    expect(await found(`product=${product}&active=false`)).toEqual([old.id])
    const yen = await create({ currency: 'jpy', lookup_key: 'yen' })
    expect(await found('lookup_keys[]=yen&lookup_keys[]=euro&lookup_keys[]=none')).toEqual([yen.id, euro.id])
    expect(await found('lookup_keys[0]=yen&lookup_keys[1]=euro&currency=eur')).toEqual([euro.id])
    expect(await found('lookup_keys[]=none')).toEqual([])
    expect(await found(`product=${product}&active=true`)).toEqual([euro.id])
    expect(await found('lookup_key=euro')).toEqual([euro.id])
    expect(await found('product=prod_unknown')).toEqual([])
  })
})

describe('a product', () => {
  test('is returned whole and emits an event', async () => {
    const product = await twin.post('/v1/products', {
      name: 'Plan',
      description: 'All',
      metadata: { a: 'b' },
    })
    expect(product).toMatchObject({
      id: expect.stringMatching(/^prod_/),
      object: 'product',
      created: 1769853600,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
      name: 'Plan',
      active: true,
      description: 'All',
      metadata: { a: 'b' },
    })
    expect(await lastEvent()).toMatchObject({ type: 'product.created', data: { object: product } })
  })

  test('changes, and emits the former values', async () => {
    const product = await twin.post('/v1/products', { name: 'Plan' })
    const updated = await twin.post(`/v1/products/${product.id}`, { name: 'Pro', active: false })
    expect(updated).toEqual({ ...product, name: 'Pro', active: false })
    const { type, data } = await lastEvent()
    expect(type).toBe('product.updated')
    expect(data.previous_attributes).toEqual({ name: 'Plan', active: true })
    await unchanged(twin, () => twin.post(`/v1/products/${product.id}`, { name: 'Pro' }))
  })

  test('refuses invalid values', async () => {
    const { id } = await twin.post('/v1/products', { name: 'Plan' })
    for (const [body, param] of [
      [{ name: '' }, 'name'],
      [{ name: 5 }, 'name'],
      [{ active: null }, 'active'],
      [{ description: [] }, 'description'],
    ] as const) {
      await expectRefused(twin, ['POST', `/v1/products/${id}`, body], invalid(param))
    }
    await expectRefused(twin, ['POST', '/v1/products/prod_unknown', {}], unknown())
    await expectRefused(twin, ['GET', '/v1/products/prod_unknown'], unknown())
  })

  test('is found by its state', async () => {
    const { id } = await twin.post('/v1/products', { name: 'Gone', active: false })
    expect(idsOf((await twin.get('/v1/products?active=false&limit=1')).data)).toEqual([id])
    await expectRefused(twin, ['GET', '/v1/products?active=1'], invalid('active'))
  })
})
