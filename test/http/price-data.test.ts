import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { asOperator, eventsOf, expectRefused, invalid, missing, typesOf, unknown } from './support.ts'

let twin: Twin
let product: string
let price: string
let customer: string
let method: string
beforeAll(async () => {
  twin = await startTwin()
  product = (await twin.post('/v1/products', { name: 'Pro' })).id
  price = (await makePrice(twin)).id
  const made = await makeCustomer(twin)
  customer = made.customer.id
  method = made.method.id
})
afterAll(() => twin.close())

const monthly = (given: Body = {}): Body => ({
  currency: 'usd',
  product,
  unit_amount: 1500,
  recurring: { interval: 'month' },
  ...given,
})
const subscription = (items: Body[]) => ({ customer, currency: 'usd', default_payment_method: method, items })
const subscribe = (items: Body[]) => twin.post('/v1/subscriptions', subscription(items))

describe('price_data of a subscription item', () => {
  test('creates an inactive price, before the subscription', async () => {
    let made: Body = {}
    const events = await eventsOf(twin, async () => {
      made = await subscribe([{ price_data: monthly(), quantity: 2 }])
    })
    const [item] = made.items.data
    expect(item).toMatchObject({
      quantity: 2,
      price: { product, active: false, unit_amount: 1500, type: 'recurring', currency: 'usd' },
    })
    expect(typesOf(events).slice(0, 2)).toEqual(['price.created', 'subscription.created'])
    expect(events[0]?.data.object).toEqual(item.price)
    const invoice = await twin.get(`/v1/invoices/${made.latest_invoice}`)
    expect(invoice.total).toBe(3000)
    // Nothing else can use the price.
    const again = subscription([{ price: item.price.id }])
    await expectRefused(twin, ['POST', '/v1/subscriptions', again], invalid('items[0][price]'))
  })

  test('of a decimal', async () => {
    const data = monthly({ unit_amount: undefined, unit_amount_decimal: '0.5' })
    const made = await subscribe([{ price_data: data, quantity: 3 }])
    expect((await twin.get(`/v1/invoices/${made.latest_invoice}`)).total).toBe(2)
  })

  test('changes an item, and adds one', async () => {
    const made = await subscribe([{ price }])
    const { id } = made.items.data[0]
    const path = `/v1/subscriptions/${made.id}`
    const changed = await twin.post(path, { items: [{ id, price_data: monthly() }] })
    expect(changed.items.data).toMatchObject([{ id, price: { active: false, unit_amount: 1500 } }])
    const added = await twin.post(path, { items: [{ price_data: monthly({ unit_amount: 9 }), quantity: 4 }] })
    expect(added.items.data).toMatchObject([
      { id, price: { unit_amount: 1500 } },
      { price: { active: false, unit_amount: 9 }, quantity: 4 },
    ])
    // The subscription keeps its inactive prices in later updates.
    const more = await twin.post(path, { items: [{ id, quantity: 7 }] })
    expect(more.items.data[0]).toMatchObject({ id, quantity: 7, price: { unit_amount: 1500 } })
  })

  test('of a deleted item creates no price', async () => {
    const made = await subscribe([{ price }, { price_data: monthly() }])
    const { id } = made.items.data[0]
    const events = await eventsOf(twin, () =>
      twin.post(`/v1/subscriptions/${made.id}`, {
        items: [{ id, deleted: true, price_data: monthly() }],
      }),
    )
    expect(typesOf(events)).toEqual(['subscription.updated'])
  })

  test.each<[() => Body, ReturnType<typeof invalid>]>([
    [() => ({ price, price_data: monthly() }), invalid('items[0][price_data]')],
    [() => ({}), missing('items[0][price]')],
    [() => ({ quantity: -1 }), missing('items[0][price]')],
    [() => ({ price_data: monthly({ product: undefined }) }), missing('items[0][price_data][product]')],
    [() => ({ price_data: monthly({ currency: undefined }) }), missing('items[0][price_data][currency]')],
    [() => ({ price_data: monthly({ recurring: undefined }) }), missing('items[0][price_data][recurring]')],
    [
      () => ({ price_data: monthly({ unit_amount: undefined }) }),
      missing('items[0][price_data][unit_amount]'),
    ],
    [() => ({ price_data: monthly({ product: 'prod_no' }) }), unknown('items[0][price_data][product]')],
    [() => ({ price_data: monthly({ currency: 'eur' }) }), invalid('items[0][price_data]')],
    [
      () => ({ price_data: monthly({ unit_amount_decimal: '1' }) }),
      invalid('items[0][price_data][unit_amount_decimal]'),
    ],
    [
      () => ({ price_data: monthly({ recurring: { interval: 'year', interval_count: 4 } }) }),
      invalid('items[0][price_data][recurring][interval_count]'),
    ],
    [() => ({ price_data: monthly(), quantity: 1_000_000 }), { code: 'amount_too_large', param: 'amount' }],
  ])('is refused as a whole, case %#', async (item, refusal) => {
    await expectRefused(twin, ['POST', '/v1/subscriptions', subscription([item()])], refusal)
  })

  test('cannot be metered', async () => {
    const recurring = { interval: 'month', usage_type: 'metered', meter: 'mtr_1' }
    const at = 'items[0][price_data][recurring][usage_type]'
    const items = [{ price_data: monthly({ recurring }) }]
    const refused = { code: 'parameter_unknown', param: at }
    await expectRefused(twin, ['POST', '/v1/subscriptions', subscription(items)], refused)
    const preview = { customer, subscription_details: { items } }
    await expectRefused(twin, ['POST', '/v1/invoices/create_preview', preview], {
      ...refused,
      param: 'subscription_details[items][0][price_data][recurring][usage_type]',
    })
  })

  test('can be previewed in a new subscription, which leaves no price', async () => {
    const items = [{ price_data: monthly(), quantity: 2 }]
    const prices = async () => (await twin.get('/v1/prices?limit=100')).data.length
    const before = await prices()
    const shown = await twin.post('/v1/invoices/create_preview', {
      customer,
      subscription_details: { items },
    })
    expect(shown).toMatchObject({ total: 3000, currency: 'usd', lines: { data: [{ quantity: 2 }] } })
    expect(await prices()).toBe(before)
    const unknown = [{ price_data: monthly({ product: 'prod_no' }) }]
    const refused = await twin.request('POST', '/v1/invoices/create_preview', {
      customer,
      subscription_details: { items: unknown },
    })
    expect(refused).toMatchObject({
      status: 404,
      body: { error: { param: 'subscription_details[items][0][price_data][product]' } },
    })
  })

  test('is refused by an update as a whole', async () => {
    const { id, items } = await subscribe([{ price }])
    const path = `/v1/subscriptions/${id}`
    const [item] = items.data
    for (const [given, refusal] of [
      [[{ id: item.id, price, price_data: monthly() }], invalid('items[0][price_data]')],
      [[{ quantity: 1 }], missing('items[0][price]')],
      [[{ price_data: monthly({ product: 'prod_no' }) }], unknown('items[0][price_data][product]')],
      [[{ price_data: monthly() }, { price }], invalid('items[1][price]')],
      [[{ price_data: monthly({ recurring: { interval: 'week' } }) }], invalid('items[0][price_data]')],
    ] as const) {
      await expectRefused(twin, ['POST', path, { items: given }], refusal)
    }
  })

  test('leaves nothing when its payment fails', async () => {
    const { customer: poor, method: card } = await makeCustomer(twin, { outcomes: ['decline:lost_card'] })
    const events = await eventsOf(twin, async () => {
      const response = await twin.request('POST', '/v1/subscriptions', {
        ...subscription([{ price_data: monthly() }]),
        customer: poor.id,
        default_payment_method: card.id,
        payment_behavior: 'error_if_incomplete',
      })
      expect(response.status).toBe(402)
    })
    expect(events).toEqual([])
  })
})

describe('price_data of an invoice item', () => {
  const once = (given: Body = {}): Body => ({ currency: 'usd', product, unit_amount: 250, ...given })
  const create = (given: Body) => twin.post('/v1/invoiceitems', { customer, ...given })

  test('creates an inactive one-time price', async () => {
    let item: Body = {}
    const events = await eventsOf(twin, async () => {
      item = await create({ price_data: once(), quantity: 3 })
    })
    expect(item).toMatchObject({ amount: 750, unit_amount: 250, quantity: 3, currency: 'usd' })
    expect(await twin.get(`/v1/prices/${item.price}`)).toMatchObject({
      product,
      active: false,
      type: 'one_time',
      unit_amount: 250,
    })
    expect(typesOf(events)).toEqual(['price.created'])
  })

  test('of a decimal', async () => {
    const price_data = once({ unit_amount: undefined, unit_amount_decimal: '0.3' })
    const item = await create({ price_data, quantity: 5 })
    expect(item).toMatchObject({ amount: 2, unit_amount: null, quantity: 5, description: item.price })
  })

  test.each<[() => Body, ReturnType<typeof invalid>]>([
    [() => ({ price, price_data: once() }), invalid('price_data')],
    [() => ({ amount: 5, price_data: once() }), invalid('amount')],
    [() => ({ currency: 'eur', price_data: once() }), invalid('currency')],
    [() => ({ price_data: once({ unit_amount: undefined }) }), missing('price_data[unit_amount]')],
    [() => ({ price_data: once({ product: undefined }) }), missing('price_data[product]')],
    [() => ({ price_data: once({ product: 'prod_no' }) }), unknown('price_data[product]')],
    [
      () => ({ price_data: once({ unit_amount: 99_999_999 }), quantity: 2 }),
      { code: 'amount_too_large', param: 'amount' },
    ],
  ])('is refused as a whole, case %#', async (given, refusal) => {
    await expectRefused(twin, ['POST', '/v1/invoiceitems', { customer, ...given() }], refusal)
  })
})

test('fixtures name the product of price_data', async () => {
  const content = {
    products: [{ ref: 'seats', name: 'Seats' }],
    customers: [{ ref: 'bob', name: 'Bob' }],
    payment_methods: [{ ref: 'card', customer: 'bob', test_id: 'pm_card_visa' }],
    subscriptions: [
      {
        customer: 'bob',
        currency: 'usd',
        default_payment_method: 'card',
        items: [{ price_data: monthly({ product: 'seats' }) }],
      },
    ],
  }
  const load = (files: Body[]) => asOperator(twin)('POST', 'fixtures', { files })
  const { status } = await load([{ name: 'seats.json', content }])
  expect(status).toBe(200)
  const { data } = await twin.get('/v1/subscriptions?limit=1')
  const { price: made } = data[0].items.data[0]
  expect(await twin.get(`/v1/products/${made.product}`)).toMatchObject({ name: 'Seats' })

  const [wrong] = content.subscriptions
  if (wrong?.items[0]) wrong.items[0].price_data = monthly({ product: 'saets' })
  const { body } = await load([{ name: 'seats.json', content }])
  expect(body.error.param).toBe('subscriptions[0].items[0].price_data.product')
})

test('an unsupported parameter beside price_data is refused', async () => {
  const body = { ...subscription([{ price_data: monthly() }]), coupon: 'SAVE10' }
  await expectRefused(twin, ['POST', '/v1/subscriptions', body], {
    code: 'parameter_unknown',
    param: 'coupon',
  })
})
