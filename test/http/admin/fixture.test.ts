import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createdCounts } from '../../../src/engine/resources/created-counts.ts'
import { type Body, clientOf, startTwin, type Twin, type TwinResponse } from '../../twin.ts'
import { asOperator, contents, idsOf, openStream, typesOf, unchanged } from '../support.ts'

const KEY = `sk_test_${'a'.repeat(30)}`
const PRICE = { ref: 'pro', unit_amount: 4900, currency: 'usd', recurring: { interval: 'month' } }
const CARD = { ref: 'card', customer: 'ada', test_id: 'pm_card_visa' }
const SUBSCRIPTION = {
  ref: 'ada-pro',
  customer: 'ada',
  currency: 'usd',
  default_payment_method: 'card',
  items: [{ price: 'pro' }],
}
/** One object of each kind, each referred to by another. */
const SHOP = {
  products: [{ ref: 'pro', name: 'Pro' }],
  prices: [{ ...PRICE, product: 'pro' }],
  customers: [{ ref: 'ada', name: 'Ada', invoice_settings: { default_payment_method: 'card' } }],
  payment_methods: [CARD],
  subscriptions: [SUBSCRIPTION],
}

let twin: Twin
beforeEach(async () => {
  twin = await startTwin({ wall: () => 1_769_853_600_000 })
})
afterEach(() => twin.close())

const post = (files: readonly unknown[], more: Body = {}, on: Twin = twin): Promise<TwinResponse> =>
  asOperator(on)('POST', 'fixtures', { files, ...more })
/** Loads one valid file. */
const load = async (content: unknown, more: Body = {}, on: Twin = twin): Promise<Body> => {
  const { status, body } = await post([{ name: 'shop.json', content }], more, on)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body
}
const idOf = (loaded: Body, object: string, ref: string | null = null): string =>
  loaded.made.find((made: Body) => made.object === object && made.ref === ref)?.id
const merchants = async (): Promise<Body[]> => (await asOperator(twin)('GET', 'merchants')).body.data
const keys = async (): Promise<Body[]> => (await asOperator(twin)('GET', 'keys')).body.data
/** Returns the whole state, also that of the operator. */
const everything = async () => ({
  ...(await contents(twin)),
  merchants: await merchants(),
  keys: await keys(),
  counters: createdCounts(twin.sandbox.engine),
})

describe('loading', () => {
  test('creates the objects of the file, and lists them in order of creation', async () => {
    const body = await load(SHOP)
    const merchant_id = twin.sandbox.merchant.settings.id
    const made = (object: string, ref: string, path: string) => ({
      object,
      ref,
      id: expect.stringMatching(/^[a-z]+_[A-Za-z0-9]{14,}$/),
      merchant_id,
      file: 'shop.json',
      path,
    })
    expect(body).toEqual({
      object: 'fixtures',
      validate_only: false,
      counts: { product: 1, price: 1, customer: 1, payment_method: 1, subscription: 1 },
      made: [
        made('product', 'pro', 'products[0]'),
        made('price', 'pro', 'prices[0]'),
        made('customer', 'ada', 'customers[0]'),
        made('payment_method', 'card', 'payment_methods[0]'),
        made('subscription', 'ada-pro', 'subscriptions[0]'),
      ],
      livemode: false,
    })
    const customer = await twin.get(`/v1/customers/${idOf(body, 'customer', 'ada')}`)
    const card = idOf(body, 'payment_method', 'card')
    expect(customer).toMatchObject({ name: 'Ada', invoice_settings: { default_payment_method: card } })
    expect(await twin.get(`/v1/prices/${idOf(body, 'price', 'pro')}`)).toMatchObject({
      product: idOf(body, 'product', 'pro'),
    })
    expect(await twin.get(`/v1/subscriptions/${idOf(body, 'subscription', 'ada-pro')}`)).toMatchObject({
      status: 'active',
      customer: customer.id,
      default_payment_method: card,
      items: { data: [{ price: { id: idOf(body, 'price', 'pro') } }] },
    })
  })

  test('emits the same events as requests, at the time of the clock', async () => {
    await load(SHOP)
    const events = await twin.events()
    expect(typesOf(events)).toEqual([
      'product.created',
      'price.created',
      'customer.created',
      'payment_method.attached',
      'customer.updated',
      'subscription.created',
      'invoice.created',
      'invoice.finalized',
      'invoice.paid',
      'payment_intent.succeeded',
      'charge.succeeded',
    ])
    expect(new Set(events.map(({ created }) => created))).toEqual(new Set([1_769_853_600]))
    expect(events[0]?.request).toEqual({ id: null, idempotency_key: null })
  })

  test('makes the same as the requests of the API', async () => {
    const loaded = await load({ ...SHOP, customers: [{ ref: 'ada', name: 'Ada' }] })
    const other = await startTwin({ wall: () => 1_769_853_600_000 })
    const product = await other.post('/v1/products', { name: 'Pro' })
    const price = await other.post('/v1/prices', { ...PRICE, product: product.id })
    const customer = await other.post('/v1/customers', { name: 'Ada' })
    const method = await other.post('/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
    const subscription = await other.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    })
    expect(idsOf(loaded.made)).toEqual(idsOf([product, price, customer, method, subscription]))
    expect(await contents(twin)).toEqual({
      ...(await contents(other)),
      events: (await twin.get('/v1/events?limit=100')).data,
    })
    await other.close()
  })

  test('gives the same ids for the same seed', async () => {
    const other = await startTwin({ wall: () => 1_769_853_600_000 })
    expect(await load(SHOP)).toEqual(await load(SHOP, {}, other))
    expect(await contents(twin)).toEqual(await contents(other))
    await other.close()
  })

  test('scripts the outcomes of a card', async () => {
    const scripted = {
      ...CARD,
      outcomes: ['succeed', 'decline:insufficient_funds'],
      // biome-ignore lint/suspicious/noThenProperty: the contract's name, and never a function
      then: 'decline:lost_card',
    }
    const loaded = await load({ ...SHOP, payment_methods: [scripted] })
    const path = `/v1/subscriptions/${idOf(loaded, 'subscription', 'ada-pro')}`
    expect((await twin.get(path)).status).toBe('active')
    await twin.advance({ by: '1mo' })
    expect((await twin.get(path)).status).toBe('past_due')
    await twin.advance({ by: '7d' })
    expect((await twin.get(path)).status).toBe('canceled')
    const { data } = await twin.get('/v1/charges')
    expect(data.map(({ outcome }: Body) => outcome.reason).reverse()).toEqual([
      null,
      'insufficient_funds',
      ...Array(4).fill('lost_card'),
    ])
  })

  test.each<[string, Body, Body]>([
    ['a test id', { test_id: 'pm_card_amex', customer: 'ada' }, { type: 'card', card: { last4: '8431' } }],
    ['a push method', { test_id: 'pm_pix', customer: 'ada' }, { type: 'pix' }],
    [
      'a type',
      { type: 'boleto', metadata: { a: 1 } },
      { type: 'boleto', customer: null, metadata: { a: '1' } },
    ],
    [
      'a test number',
      {
        type: 'card',
        card: { number: '4000 0000 0000 0002', exp_month: 5, exp_year: 2030 },
        customer: 'ada',
      },
      { type: 'card', card: { last4: '0002', exp_month: 5, exp_year: 2030 } },
    ],
  ])('makes a payment method of %s', async (_what, method, expected) => {
    const loaded = await load({ customers: [{ ref: 'ada' }], payment_methods: [{ ref: 'm', ...method }] })
    const made = await twin.get(`/v1/payment_methods/${idOf(loaded, 'payment_method', 'm')}`)
    expect(made).toMatchObject({ customer: idOf(loaded, 'customer', 'ada'), ...expected })
  })

  test('attaches a test id that a customer or a subscription names', async () => {
    const loaded = await load({
      prices: [PRICE],
      customers: [{ ref: 'ada', invoice_settings: { default_payment_method: 'pm_card_visa' } }],
      subscriptions: [{ ...SUBSCRIPTION, default_payment_method: 'pm_card_mastercard' }],
    })
    const { data } = await twin.get(`/v1/customers/${idOf(loaded, 'customer', 'ada')}/payment_methods`)
    expect(data.map(({ card }: Body) => card.brand)).toEqual(['mastercard', 'visa'])
  })

  test('finds names across files, whatever their order', async () => {
    const { subscriptions, ...rest } = SHOP
    const { status, body } = await post([
      { name: 'a.json', content: { subscriptions } },
      { name: 'b.json', content: rest },
    ])
    expect(status).toBe(200)
    expect(body.made.at(-1)).toMatchObject({
      object: 'subscription',
      file: 'a.json',
      path: 'subscriptions[0]',
    })
  })

  test('finds existing objects by their ids', async () => {
    const first = await load(SHOP)
    const second = await load({
      prices: [{ ...PRICE, product: idOf(first, 'product', 'pro') }],
      customers: [{ ref: 'bob' }],
      payment_methods: [{ ...CARD, ref: 'hers', customer: idOf(first, 'customer', 'ada') }],
      subscriptions: [
        { ...SUBSCRIPTION, customer: 'bob', default_payment_method: 'pm_card_visa' },
        {
          ...SUBSCRIPTION,
          ref: 'again',
          customer: idOf(first, 'customer', 'ada'),
          default_payment_method: 'hers',
          items: [{ price: idOf(first, 'price', 'pro') }],
        },
      ],
    })
    expect(second.counts).toEqual({ price: 1, customer: 1, payment_method: 1, subscription: 2 })
  })

  test('makes everything anew when the same file is loaded again: names are not kept', async () => {
    const first = await load(SHOP)
    const second = await load(SHOP)
    expect(second.counts).toEqual(first.counts)
    expect(idsOf(second.made).filter((id) => idsOf(first.made).includes(id))).toEqual([])
    expect((await twin.get('/v1/subscriptions')).data).toHaveLength(2)
  })

  test.each([
    ['nothing', {}],
    ['a $schema alone', { $schema: './schema.json' }],
    ['empty sections', { prices: [], merchants: [] }],
  ])('%s makes nothing', async (_what, content) => {
    expect(await unchanged(twin, () => load(content))).toMatchObject({ counts: {}, made: [] })
  })

  test('waits while the clock moves', async () => {
    await load(SHOP)
    await asOperator(twin)('POST', 'clock/advance', { to: '2066-01-31T10:00:00Z', async: true })
    const { created } = await twin.get(`/v1/customers/${idOf(await load(SHOP), 'customer', 'ada')}`)
    expect(created).toBe(3_032_157_600)
  })
})

describe('merchants of their own', () => {
  const OTHER = {
    ref: 'shop',
    name: 'Shop',
    clock: '2030-01-01T00:00:00Z',
    dunning_final_action: 'mark_unpaid',
    keys: [{ secret: KEY, name: 'CI' }, { secret: `pk_test_${'b'.repeat(30)}` }],
    ...SHOP,
  }

  test('get their clock, settings, keys and objects', async () => {
    const body = await load({ ...SHOP, merchants: [OTHER] })
    const id = idOf(body, 'merchant', 'shop')
    expect(body.counts).toEqual({
      product: 2,
      price: 2,
      customer: 2,
      payment_method: 2,
      subscription: 2,
      merchant: 1,
      key: 2,
    })
    expect((await merchants()).at(-1)).toMatchObject({
      id,
      name: 'Shop',
      dunning_final_action: 'mark_unpaid',
      clock: { mode: 'frozen', now: 1_893_456_000 },
    })
    const theirs = clientOf(twin.sandbox, KEY)
    const { data } = await theirs.get('/v1/customers')
    expect(data).toMatchObject([{ merchant_id: id, created: 1_893_456_000 }])
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
  })

  test('are at home in their own names: the same ones mean different objects', async () => {
    const body = await load({ ...SHOP, merchants: [OTHER, { ...SHOP, ref: 'second' }] })
    const prices = body.made.filter(({ object }: Body) => object === 'price')
    expect(new Set(idsOf(prices)).size).toBe(3)
    const { error } = (
      await post([{ name: 'f', content: { ...SHOP, merchants: [{ subscriptions: [SUBSCRIPTION] }] } }])
    ).body
    expect(error).toMatchObject({ code: 'resource_missing', param: 'merchants[0].subscriptions[0].customer' })
  })

  test('are renewed by the clock, and streams report their events', async () => {
    const stream = await openStream(twin, '/_paytwin/events', {
      Authorization: `Bearer ${twin.sandbox.adminToken}`,
      Host: 'localhost',
    })
    const body = await load({ merchants: [OTHER] })
    const [first] = await stream.take(1)
    expect(first?.data).toMatchObject({
      type: 'product.created',
      merchant_id: idOf(body, 'merchant', 'shop'),
    })
    await stream.close()
    await clientOf(twin.sandbox, KEY).advance({ by: '1mo' })
    expect((await clientOf(twin.sandbox, KEY).get('/v1/invoices')).data).toHaveLength(2)
  })

  test('never show their keys again', async () => {
    const { body } = await post([{ name: 'f', content: { merchants: [OTHER] } }])
    expect(JSON.stringify(body)).not.toContain(KEY)
    expect(JSON.stringify(await keys())).not.toContain(KEY)
    expect((await keys())[1]).toMatchObject({ type: 'secret', name: 'CI', hint: 'sk_test_…aaaa' })
    const again = await unchanged(twin, () => post([{ name: 'f', content: { merchants: [OTHER] } }]))
    expect(again.body.error).toMatchObject({ code: 'parameter_invalid', param: 'merchants[0].keys[0]' })
    expect(JSON.stringify(again.body)).not.toContain(KEY)
  })
})

describe('all or nothing', () => {
  /** A rule refuses the last of them; its shape is valid. */
  const FAILING = {
    ...SHOP,
    merchants: [
      { ref: 'one', clock: 0, keys: [{ secret: KEY }], ...SHOP },
      { ...SHOP, payment_methods: [{ ...CARD, test_id: 'pm_pix' }] },
    ],
  }

  test('a last object that is refused leaves no row, event, merchant, key or counter', async () => {
    const before = await everything()
    const { status, body } = await post([{ name: 'f.json', content: FAILING }])
    expect(status).toBe(422)
    expect(body.error).toMatchObject({
      code: 'unsupported_psp_capability',
      param: 'merchants[1].subscriptions[0].default_payment_method',
      message: expect.stringMatching(
        /^f\.json: merchants\[1\]\.subscriptions\[0\]\.default_payment_method: /,
      ),
    })
    expect(await everything()).toEqual(before)
    expect((await clientOf(twin.sandbox, KEY).request('GET', '/v1/customers')).status).toBe(401)

    // The next object gets the same id as if nothing had been loaded.
    const other = await startTwin({ wall: () => 1_769_853_600_000 })
    const next = { merchants: [{ keys: [{ secret: KEY }] }], ...SHOP }
    expect(await load(next)).toEqual(await load(next, {}, other))
    expect(await contents(twin)).toEqual(await contents(other))
    await other.close()
  })

  test('a declined card that must not be leaves its script as it was', async () => {
    const first = await load({
      customers: [{ ref: 'ada' }],
      payment_methods: [{ ...CARD, outcomes: ['decline:lost_card'] }],
    })
    const strict = {
      ...SUBSCRIPTION,
      customer: idOf(first, 'customer', 'ada'),
      default_payment_method: idOf(first, 'payment_method', 'card'),
      payment_behavior: 'error_if_incomplete',
    }
    const attempt = () => post([{ name: 'f', content: { prices: [PRICE], subscriptions: [strict] } }])
    for (const response of [await unchanged(twin, attempt), await unchanged(twin, attempt)]) {
      expect(response.status).toBe(402)
      expect(response.body.error).toMatchObject({
        code: 'card_declined',
        decline_code: 'lost_card',
        param: 'subscriptions[0]',
      })
    }
  })

  test('a validation leaves nothing, and lists what would be created', async () => {
    const before = await everything()
    const content = { ...SHOP, merchants: [{ keys: [{ secret: KEY }] }] }
    const tried = await load(content, { validate_only: true })
    expect(tried).toMatchObject({ validate_only: true, made: [] })
    expect(await everything()).toEqual(before)
    const loaded = await load(content)
    expect(loaded.counts).toEqual(tried.counts)
    expect((await clientOf(twin.sandbox, KEY).request('GET', '/v1/customers')).status).toBe(200)
  })

  test('a validation fails like a load', async () => {
    const [tried, loaded] = [
      await post([{ name: 'f', content: FAILING }], { validate_only: true }),
      await post([{ name: 'f', content: FAILING }]),
    ]
    expect(tried.body).toEqual(loaded.body)
  })
})
