import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { expectRefused, idsOf, invalid, missing, postForm, unchanged, unknown } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const create = (price: Body) => twin.post('/v1/prices', { currency: 'usd', ...price })
const TIERS = [
  { up_to: 5, unit_amount: 700 },
  { up_to: 'inf', unit_amount: 600, flat_amount: 100 },
]
const tiered = (given: Body = {}) => ({
  billing_scheme: 'tiered',
  tiers_mode: 'graduated',
  tiers: TIERS,
  ...given,
})

describe('a price', () => {
  test('of a whole amount shows it in both forms', async () => {
    expect(await create({ unit_amount: 2000, billing_scheme: 'per_unit' })).toMatchObject({
      billing_scheme: 'per_unit',
      unit_amount: 2000,
      unit_amount_decimal: '2000',
      tiers: null,
      tiers_mode: null,
      transform_quantity: null,
    })
  })

  test.each([
    ['0.5', null, '0.5'],
    ['010.50', null, '10.5'],
    ['20.000', 20, '20'],
    ['0', 0, '0'],
    ['0.000000000001', null, '0.000000000001'],
    ['99999999', 99_999_999, '99999999'],
  ])('of the decimal %s has the unit_amount %s', async (given, unit_amount, unit_amount_decimal) => {
    const price = await create({ unit_amount_decimal: given })
    expect(price).toMatchObject({ unit_amount, unit_amount_decimal, billing_scheme: 'per_unit' })
    expect(await twin.get(`/v1/prices/${price.id}`)).toEqual(price)
  })

  test('with tiers shows them', async () => {
    const tiers = [
      { up_to: 5, unit_amount: 700 },
      { up_to: 10, unit_amount_decimal: '0.50', flat_amount_decimal: '3' },
      { up_to: 'inf', flat_amount: 900 },
    ]
    const price = await create(tiered({ tiers }))
    const none = {
      unit_amount: null,
      unit_amount_decimal: null,
      flat_amount: null,
      flat_amount_decimal: null,
    }
    expect(price).toMatchObject({
      billing_scheme: 'tiered',
      tiers_mode: 'graduated',
      unit_amount: null,
      unit_amount_decimal: null,
      tiers: [
        { ...none, up_to: 5, unit_amount: 700, unit_amount_decimal: '700' },
        { ...none, up_to: 10, unit_amount_decimal: '0.5', flat_amount: 3, flat_amount_decimal: '3' },
        { ...none, up_to: null, flat_amount: 900, flat_amount_decimal: '900' },
      ],
    })
    const { data } = await twin.get('/v1/events?limit=1')
    expect(data[0]).toMatchObject({ type: 'price.created', data: { object: price } })
  })

  test('of packages shows how the quantity is divided', async () => {
    const transform_quantity = { divide_by: 10, round: 'up' }
    expect(await create({ unit_amount: 1000, transform_quantity })).toMatchObject({
      unit_amount: 1000,
      transform_quantity,
    })
  })

  test('with tiers in a form', async () => {
    const fields = [
      ...['currency=usd', 'billing_scheme=tiered', 'tiers_mode=volume'],
      ...['tiers[0][up_to]=5', 'tiers[0][unit_amount_decimal]=0.25'],
      ...['tiers[1][up_to]=inf', 'tiers[1][flat_amount]=7'],
    ]
    const response = await postForm(twin, '/v1/prices', fields.join('&'))
    expect(response.body).toMatchObject({
      tiers_mode: 'volume',
      tiers: [
        { up_to: 5, unit_amount_decimal: '0.25' },
        { up_to: null, flat_amount: 7 },
      ],
    })
  })
})

describe('the cost of a price is refused', () => {
  test.each<[string, Body, string]>([
    ['both forms', { unit_amount: 1, unit_amount_decimal: '1' }, 'unit_amount_decimal'],
    ['thirteen decimals', { unit_amount_decimal: '0.0000000000001' }, 'unit_amount_decimal'],
    ['a negative decimal', { unit_amount_decimal: '-0.5' }, 'unit_amount_decimal'],
    ['an exponent', { unit_amount_decimal: '1e3' }, 'unit_amount_decimal'],
    ['no digit before the point', { unit_amount_decimal: '.5' }, 'unit_amount_decimal'],
    ['no digit after the point', { unit_amount_decimal: '5.' }, 'unit_amount_decimal'],
    ['an empty decimal', { unit_amount_decimal: '' }, 'unit_amount_decimal'],
    ['words', { unit_amount_decimal: 'free' }, 'unit_amount_decimal'],
    ['a number as decimal', { unit_amount_decimal: 0.5 }, 'unit_amount_decimal'],
    ['too large a decimal', { unit_amount_decimal: '99999999.1' }, 'unit_amount_decimal'],
    ['an unknown scheme', { unit_amount: 1, billing_scheme: 'free' }, 'billing_scheme'],
    ['tiers without the scheme', { unit_amount: 1, tiers: TIERS }, 'tiers'],
    ['a mode without the scheme', { unit_amount: 1, tiers_mode: 'volume' }, 'tiers_mode'],
    ['an unknown mode', tiered({ tiers_mode: 'stairs' }), 'tiers_mode'],
    ['an amount beside tiers', tiered({ unit_amount: 1 }), 'unit_amount'],
    ['a decimal beside tiers', tiered({ unit_amount_decimal: '0.5' }), 'unit_amount_decimal'],
    [
      'packages beside tiers',
      tiered({ transform_quantity: { divide_by: 2, round: 'up' } }),
      'transform_quantity',
    ],
    ['no tiers', tiered({ tiers: [] }), 'tiers'],
    ['too many tiers', tiered({ tiers: Array(101).fill({ up_to: 'inf', unit_amount: 1 }) }), 'tiers'],
    ['no last tier', tiered({ tiers: [{ up_to: 5, unit_amount: 1 }] }), 'tiers[0][up_to]'],
    [
      'an endless tier in the middle',
      tiered({ tiers: [{ up_to: 'inf', unit_amount: 1 }, ...TIERS] }),
      'tiers[0][up_to]',
    ],
    [
      'tiers that do not increase',
      tiered({ tiers: [{ up_to: 5, unit_amount: 1 }, ...TIERS] }),
      'tiers[1][up_to]',
    ],
    ['tiers that decrease', tiered({ tiers: [{ up_to: 6, unit_amount: 1 }, ...TIERS] }), 'tiers[1][up_to]'],
    ...[0, -1, 1.5, '5', 'Inf', null].map((up_to): [string, Body, string] => [
      `the end ${JSON.stringify(up_to)} of a tier`,
      tiered({ tiers: [{ up_to, unit_amount: 1 }, ...TIERS] }),
      'tiers[0][up_to]',
    ]),
    [
      'both forms in a tier',
      tiered({ tiers: [{ up_to: 'inf', unit_amount: 1, unit_amount_decimal: '1' }] }),
      'tiers[0][unit_amount_decimal]',
    ],
    [
      'both forms of a flat amount',
      tiered({ tiers: [{ up_to: 'inf', flat_amount: 1, flat_amount_decimal: '1' }] }),
      'tiers[0][flat_amount_decimal]',
    ],
    [
      'a negative amount in a tier',
      tiered({ tiers: [{ up_to: 'inf', unit_amount: -1 }] }),
      'tiers[0][unit_amount]',
    ],
    [
      'a negative flat amount',
      tiered({ tiers: [{ up_to: 'inf', flat_amount: -1 }] }),
      'tiers[0][flat_amount]',
    ],
    ['tiers that are no list', tiered({ tiers: 'many' }), 'tiers'],
    [
      'packages of none',
      { unit_amount: 1, transform_quantity: { divide_by: 0, round: 'up' } },
      'transform_quantity[divide_by]',
    ],
    [
      'another rounding',
      { unit_amount: 1, transform_quantity: { divide_by: 2, round: 'even' } },
      'transform_quantity[round]',
    ],
    ['a product twice', { unit_amount: 1, product: 'prod_1', product_data: { name: 'Pro' } }, 'product_data'],
    ['an empty product name', { unit_amount: 1, product_data: { name: '' } }, 'product_data[name]'],
  ])('for %s', async (_, price, param) => {
    await expectRefused(twin, ['POST', '/v1/prices', { currency: 'usd', ...price }], invalid(param))
  })

  test.each<[Body, string]>([
    [{}, 'unit_amount'],
    [{ billing_scheme: 'per_unit' }, 'unit_amount'],
    [{ billing_scheme: 'tiered', tiers: TIERS }, 'tiers_mode'],
    [{ billing_scheme: 'tiered', tiers_mode: 'volume' }, 'tiers'],
    [tiered({ tiers: [{ unit_amount: 1 }] }), 'tiers[0][up_to]'],
    [tiered({ tiers: [{ up_to: 'inf' }] }), 'tiers[0][unit_amount]'],
    [{ unit_amount: 1, transform_quantity: { divide_by: 2 } }, 'transform_quantity[round]'],
    [{ unit_amount: 1, transform_quantity: { round: 'up' } }, 'transform_quantity[divide_by]'],
    [{ unit_amount: 1, product_data: {} }, 'product_data[name]'],
  ])('without what %j needs', async (price, param) => {
    await expectRefused(twin, ['POST', '/v1/prices', { currency: 'usd', ...price }], missing(param))
  })
})

test('the tiers of a price never change', async () => {
  const price = await create(tiered())
  await unchanged(twin, async () => {
    const response = await twin.request('POST', `/v1/prices/${price.id}`, { tiers_mode: 'volume' })
    expect(response.body).toEqual(price)
    expect(response.headers.get('Paytwin-Ignored-Params')).toBe('tiers_mode')
  })
})

describe('product_data', () => {
  test('creates the product with the price', async () => {
    const price = await create({ unit_amount: 5, product_data: { name: 'Pro', metadata: { a: 'b' } } })
    const product = await twin.get(`/v1/products/${price.product}`)
    expect(product).toMatchObject({
      name: 'Pro',
      active: true,
      metadata: { a: 'b' },
      default_price: null,
    })
    const { data } = await twin.get('/v1/events?limit=2')
    expect(data.map(({ type }: Body) => type)).toEqual(['price.created', 'product.created'])
  })
})

describe('default_price_data', () => {
  const withPrice = (data: Body) =>
    twin.post('/v1/products', { name: 'Pro', default_price_data: { currency: 'USD', ...data } })

  test('creates the default price with the product', async () => {
    const product = await withPrice({
      unit_amount_decimal: '12.5',
      recurring: { interval: 'month' },
      metadata: { a: 'b' },
    })
    const price = await twin.get(`/v1/prices/${product.default_price}`)
    expect(price).toMatchObject({
      product: product.id,
      active: true,
      currency: 'usd',
      unit_amount: null,
      unit_amount_decimal: '12.5',
      recurring: { interval: 'month', interval_count: 1 },
      metadata: { a: 'b' },
    })
    const expanded = await twin.get(`/v1/products/${product.id}?expand[]=default_price`)
    expect(expanded.default_price).toEqual(price)
    const { data } = await twin.get('/v1/events?limit=2')
    expect(data.map(({ type }: Body) => type)).toEqual(['price.created', 'product.created'])
    expect(data[1].data.object).toEqual(product)
  })

  test('is refused as a whole', async () => {
    const body = (default_price_data: Body) => ({ name: 'Pro', default_price_data })
    for (const [data, refusal] of [
      [{ currency: 'usd' }, missing('default_price_data[unit_amount]')],
      [{ unit_amount: 5 }, missing('default_price_data[currency]')],
      [{ currency: 'usd', unit_amount: -5 }, invalid('default_price_data[unit_amount]')],
      [{ currency: 'usd', unit_amount_decimal: 'x' }, invalid('default_price_data[unit_amount_decimal]')],
    ] as const) {
      await expectRefused(twin, ['POST', '/v1/products', body(data)], refusal)
    }
  })

  test('and later another price of the product is the default', async () => {
    const product = await withPrice({ unit_amount: 1 })
    const other = await create({ unit_amount: 2, product: product.id })
    const foreign = await create({ unit_amount: 3 })
    const path = `/v1/products/${product.id}`
    expect(await twin.post(path, { default_price: other.id })).toEqual({
      ...product,
      default_price: other.id,
    })
    expect((await twin.post(path, { default_price: null })).default_price).toBeNull()
    await expectRefused(twin, ['POST', path, { default_price: foreign.id }], invalid('default_price'))
    await expectRefused(twin, ['POST', path, { default_price: 'price_no' }], unknown('default_price'))
    expect(idsOf((await twin.get(`/v1/prices?product=${product.id}`)).data)).toContain(other.id)
  })
})
