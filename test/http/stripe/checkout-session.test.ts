import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { asOperator } from '../support.ts'
import { eventsOf, recover, SUCCESS, submit } from './checkout.ts'
import { errorOf, idOf, startStripe, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
let monthly: string
let yearlyEuro: string
let book: string
beforeAll(async () => {
  const product = (await stripe.products.create({ name: 'Pro plan' })).id
  const price = { product, unit_amount: 2_000 }
  monthly = (await stripe.prices.create({ ...price, currency: 'usd', recurring: { interval: 'month' } })).id
  yearlyEuro = (await stripe.prices.create({ ...price, currency: 'eur', recurring: { interval: 'year' } })).id
  book = (await stripe.prices.create({ ...price, currency: 'usd' })).id
})

type Params = Stripe.Checkout.SessionCreateParams
const create = (given: Partial<Params> = {}) =>
  stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: monthly, quantity: 1 }],
    ...SUCCESS,
    ...given,
  })

describe('creating a session', () => {
  test('returns its lines, and the address of its page', async () => {
    const session = await create({
      client_reference_id: 'user_1',
      cancel_url: 'https://shop.example/cart',
      customer_email: 'given@example.com',
      metadata: { order: '1' },
      expand: ['line_items'],
    })
    expect(session).toMatchObject({
      object: 'checkout.session',
      mode: 'subscription',
      status: 'open',
      payment_status: 'unpaid',
      amount_subtotal: 2_000,
      amount_total: 2_000,
      currency: 'usd',
      client_reference_id: 'user_1',
      cancel_url: 'https://shop.example/cart',
      customer_email: 'given@example.com',
      metadata: { order: '1' },
      customer: null,
      payment_intent: null,
      subscription: null,
      ui_mode: 'hosted_page',
    })
    expect(session.url).toBe(`http://localhost/c/pay/${session.id}`)
    expect(session.expires_at - session.created).toBe(86_400)
    expect(session.line_items?.data).toMatchObject([
      { object: 'item', description: 'Pro plan', quantity: 1, amount_total: 2_000, price: { id: monthly } },
    ])
  })

  test('describes prices and products for its lines', async () => {
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [
        {
          price_data: {
            currency: 'eur',
            unit_amount: 1_250,
            product_data: { name: 'T-shirt', description: 'Blue', metadata: { size: 'M' } },
          },
          quantity: 3,
        },
      ],
      ...SUCCESS,
      expand: ['line_items.data.price.product'],
    })
    expect(session).toMatchObject({ amount_total: 3_750, currency: 'eur' })
    expect(session.line_items?.data).toMatchObject([
      {
        description: 'T-shirt',
        quantity: 3,
        price: { active: false, unit_amount: 1_250, product: { name: 'T-shirt', metadata: { size: 'M' } } },
      },
    ])
  })

  test('gives ids that cannot be guessed from each other, and the same ones for the same seed', async () => {
    const ids = async (seed: string) => {
      const other = await startStripe({ seed })
      const make = () => other.stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', ...SUCCESS })
      const made = [await make(), await make()].map(({ id }) => id)
      await other.close()
      return made
    }
    const [[one = '', two = ''], again, others] = [await ids('a'), await ids('a'), await ids('b')]
    expect(again).toEqual([one, two])
    expect(others).not.toContain(one)
    for (const id of [one, two]) expect(id).toMatch(/^cs_test_[A-Za-z0-9]{46}$/)
    const random = (id: string) => id.slice(-32)
    const alike = [...random(one)].filter((character, place) => character === random(two)[place])
    expect(alike.length).toBeLessThan(8)
  })

  const refusals: [string, Partial<Params>, string, string][] = [
    ['a recurring price in payment mode', { mode: 'payment' }, 'mode', 'passed a recurring price'],
    [
      'one-time prices only in subscription mode',
      { line_items: [{ price: 'BOOK', quantity: 1 }] },
      'line_items',
      'at least one recurring price',
    ],
    ['no lines', { line_items: [] }, 'line_items', 'must pass line_items'],
    [
      'lines in setup mode',
      { mode: 'setup', currency: 'usd' },
      'line_items',
      'can not pass `line_items` in `setup` mode',
    ],
    [
      'two currencies',
      {
        line_items: [
          { price: 'MONTHLY', quantity: 1 },
          { price: 'EURO', quantity: 1 },
        ],
      },
      'line_items[1][price]',
      'in one currency',
    ],
    [
      'an unknown price',
      { line_items: [{ price: 'price_none', quantity: 1 }] },
      'line_items[0][price]',
      'No such price',
    ],
    [
      'no quantity',
      { line_items: [{ price: 'MONTHLY' }] },
      'line_items[0][quantity]',
      'Quantity is required',
    ],
    ['an unknown customer', { customer: 'cus_none' }, 'customer', 'No such customer'],
    [
      'a customer and an email address',
      { customer: 'cus_1', customer_email: 'a@example.com' },
      'customer_email',
      'not both',
    ],
    ['an unknown coupon', { discounts: [{ coupon: 'none' }] }, 'discounts[0][coupon]', 'No such coupon'],
    [
      'a coupon and promotion codes',
      { discounts: [{ coupon: 'c' }], allow_promotion_codes: true },
      'allow_promotion_codes',
      'not both',
    ],
    ['a short time', { expires_at: 1 }, 'expires_at', 'at least 30 minutes'],
    ['a long time', { expires_at: 4_000_000_000 }, 'expires_at', 'less than 24 hours'],
    [
      'a trial in the past',
      { subscription_data: { trial_end: 1 } },
      'subscription_data[trial_end]',
      'after the current time',
    ],
    [
      'parameters of other modes',
      { payment_intent_data: { description: 'x' } },
      'payment_intent_data',
      'not allowed in subscription mode',
    ],
    [
      'other kinds of pages',
      { ui_mode: 'embedded_page' },
      'ui_mode',
      'only hosted_page here yet: send the browser',
    ],
    ['tax ids', { tax_id_collection: { enabled: true } }, 'tax_id_collection[enabled]', 'no tax ids yet'],
    ['scripts as addresses', { success_url: 'javascript:alert(1)' }, 'success_url', 'http or https'],
    [
      'push methods for subscriptions',
      { allowed_payment_method_types: ['boleto'] },
      'allowed_payment_method_types',
      'payment mode only',
    ],
  ]
  test.each(refusals)('refuses %s', async (_, given, param, message) => {
    const names = { BOOK: book, MONTHLY: monthly, EURO: yearlyEuro }
    const line_items = given.line_items?.map((line) => ({
      ...line,
      price: names[line.price as keyof typeof names] ?? line.price,
    }))
    const error = await errorOf(create({ ...given, ...(line_items && { line_items }) } as Partial<Params>))
    expect({ param: error.param, status: error.statusCode }).toEqual({ param, status: 400 })
    expect(error.message).toContain(message)
  })

  test.each([
    'shipping_address_collection',
    'custom_fields',
    'optional_items',
    'saved_payment_method_options',
  ])('refuses %s, which paytwin does not know yet', async (name) => {
    expect(await errorOf(create({ [name]: { x: '1' } }))).toMatchObject({
      code: 'parameter_unknown',
      param: name,
    })
  })

  test('accepts that taxes are off', async () => {
    expect((await create({ automatic_tax: { enabled: false } })).automatic_tax.enabled).toBe(false)
  })

  test('refuses an inactive price, and still sells one that becomes inactive later', async () => {
    const product = (await stripe.products.create({ name: 'Old' })).id
    const price = await stripe.prices.create({
      product,
      currency: 'usd',
      unit_amount: 100,
      recurring: { interval: 'month' },
    })
    const line_items = [{ price: price.id, quantity: 1 }]
    const { id } = await create({ line_items })
    await stripe.prices.update(price.id, { active: false })
    expect(await errorOf(create({ line_items }))).toMatchObject({ param: 'line_items[0][price]' })
    expect((await submit(sdk, id)).result).toBe('complete')
  })

  test('bills the part of a period up to a billing_cycle_anchor', async () => {
    const now = sdk.twin.sandbox.merchant.clock.now
    const { id, amount_total } = await create({
      subscription_data: { billing_cycle_anchor: now + 10 * 86_400 },
    })
    expect(amount_total).toBeGreaterThan(500)
    expect(amount_total).toBeLessThan(800)
    await submit(sdk, id)
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['invoice'] })
    expect((session.invoice as Stripe.Invoice).amount_paid).toBe(amount_total)
  })
})

describe('a session', () => {
  test('is listed by its customer, subscription and payment intent', async () => {
    const customer = (await stripe.customers.create({ email: 'listed@example.com' })).id
    const done = await create({ customer })
    await submit(sdk, done.id)
    const open = await create({ customer })
    const { subscription } = await stripe.checkout.sessions.retrieve(done.id)
    const list = async (params: Stripe.Checkout.SessionListParams) =>
      (await stripe.checkout.sessions.list(params)).data.map(({ id }) => id)
    expect(await list({ customer })).toEqual([open.id, done.id])
    expect(await list({ customer, status: 'complete' })).toEqual([done.id])
    expect(await list({ subscription: idOf(subscription) })).toEqual([done.id])
    expect(await list({ customer_details: { email: 'listed@example.com' } })).toEqual([open.id, done.id])
    const paid = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price: book, quantity: 1 }],
      ...SUCCESS,
    })
    await submit(sdk, paid.id)
    const { payment_intent } = await stripe.checkout.sessions.retrieve(paid.id)
    expect(await list({ payment_intent: idOf(payment_intent) })).toEqual([paid.id])
  })

  test('lists its lines in pages', async () => {
    const { id } = await create({
      line_items: [
        { price: monthly, quantity: 1 },
        { price: book, quantity: 2 },
      ],
    })
    const first = await stripe.checkout.sessions.listLineItems(id, { limit: 1 })
    expect(first).toMatchObject({ has_more: true, data: [{ price: { id: monthly } }] })
    const rest = await stripe.checkout.sessions.listLineItems(id, {
      starting_after: first.data[0]?.id ?? '',
    })
    expect(rest).toMatchObject({ has_more: false, data: [{ price: { id: book }, amount_total: 4_000 }] })
  })

  test('takes new metadata', async () => {
    const { id } = await create({ metadata: { a: '1' } })
    const updated = await stripe.checkout.sessions.update(id, { metadata: { a: '', b: '2' } })
    expect(updated.metadata).toEqual({ b: '2' })
  })

  test('expires on request, once', async () => {
    const { id } = await create()
    expect(await eventsOf(stripe, () => stripe.checkout.sessions.expire(id))).toEqual([
      'checkout.session.expired',
    ])
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'expired', url: null })
    expect((await errorOf(stripe.checkout.sessions.expire(id))).message).toBe(
      'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of expired.',
    )
  })

  test('is not found under an unknown id', async () => {
    expect(await errorOf(stripe.checkout.sessions.retrieve('cs_test_none'))).toMatchObject({
      statusCode: 404,
      message: "No such checkout.session: 'cs_test_none'",
    })
  })
})

describe('time', () => {
  test('expires an open session after 24 hours on the clock of its customer', async () => {
    const start = 1_800_000_000
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start })
    const customer = (await stripe.customers.create({ test_clock: clock.id, email: 'c@example.com' })).id
    const whole = await create({ customer, after_expiration: { recovery: { enabled: true } } })
    const short = await create({ customer, expires_at: start + 3_600 })
    const done = await create({ customer })
    await submit(sdk, done.id)
    await sdk.advance(clock.id, start + 2 * 86_400)
    const statuses = await Promise.all(
      [whole, short, done].map(async ({ id }) => (await stripe.checkout.sessions.retrieve(id)).status),
    )
    expect(statuses).toEqual(['expired', 'expired', 'complete'])
    const { data } = await stripe.events.list({ type: 'checkout.session.expired', limit: 2 })
    expect(data.map((event) => [event.created, (event.data.object as { id: string }).id])).toEqual([
      [start + 86_400, whole.id],
      [start + 3_600, short.id],
    ])
    expect((await stripe.checkout.sessions.retrieve(whole.id)).after_expiration).toEqual({
      recovery: {
        allow_promotion_codes: false,
        enabled: true,
        expires_at: start + 31 * 86_400,
        url: `http://localhost/c/pay/${whole.id}`,
      },
    })
  })

  test('has a page for the operator while it is open or can be recovered', async () => {
    const start = 1_800_000_000
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start })
    const customer = (await stripe.customers.create({ test_clock: clock.id })).id
    const { id, url } = await create({ customer, after_expiration: { recovery: { enabled: true } } })
    const plain = await create({ customer })
    const pageOf = async (session: string) =>
      (await asOperator(sdk.twin)('GET', `checkout/sessions/${session}`)).body.url
    expect([await pageOf(id), await pageOf(plain.id)]).toEqual([url, plain.url])
    await sdk.advance(clock.id, start + 30 * 86_400)
    expect([await pageOf(id), await pageOf(plain.id)]).toEqual([url, null])
    await sdk.advance(clock.id, start + 31 * 86_400)
    expect(await pageOf(id)).toBeNull()
  })

  test('opens an expired session again for 30 days, with the same content', async () => {
    const start = 1_800_000_000
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start })
    const customer = (await stripe.customers.create({ test_clock: clock.id, email: 'c@example.com' })).id
    const recovery = { enabled: true, allow_promotion_codes: true }
    const { id } = await create({ customer, after_expiration: { recovery }, metadata: { cart: '1' } })
    const other = await create({ customer })
    await expect(recover(sdk, id)).rejects.toThrow('cannot be opened again')
    await sdk.advance(clock.id, start + 2 * 86_400)
    const again = await stripe.checkout.sessions.retrieve((await recover(sdk, id)).id)
    expect(again).toMatchObject({
      status: 'open',
      recovered_from: id,
      allow_promotion_codes: true,
      amount_total: 2_000,
      customer,
      metadata: { cart: '1' },
      expires_at: start + 3 * 86_400,
    })
    expect((await submit(sdk, again.id)).result).toBe('complete')
    await expect(recover(sdk, other.id)).rejects.toThrow('cannot be opened again')
    await sdk.advance(clock.id, start + 31 * 86_400)
    await expect(recover(sdk, id)).rejects.toThrow('cannot be opened again')
  })
})
