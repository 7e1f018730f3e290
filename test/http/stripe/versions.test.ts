import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { NEWEST_API_VERSION, STRIPE_API_VERSIONS } from '../../../src/core/api-version.ts'
import { UnitOfWork } from '../../../src/engine/machine/unit.ts'
import type { Body } from '../../twin.ts'
import { asOperator } from '../support.ts'
import { type StripeTwin, startStripe } from './sdk.ts'

const ENDIVE = '2026-10-28.endive'
const ACACIA = '2025-02-24.acacia'
const BASIL = '2025-03-31.basil'

let sdk: StripeTwin
const received: { headers: Readonly<Record<string, string>>; body: string }[] = []
beforeAll(async () => {
  sdk = await startStripe({
    send: async ({ headers, body }) => {
      received.push({ headers, body: body.toString() })
      return { status: 200, body: '' }
    },
  })
})
afterAll(() => sdk.close())

/** Sends a request in a version, and returns the response. */
const send = (version: string | undefined, method: string, path: string, body?: Body) =>
  sdk.twin.request(method, path, body, version === undefined ? {} : { 'Stripe-Version': version })
const get = async (version: string, path: string): Promise<Body> => (await send(version, 'GET', path)).body
const post = async (version: string, path: string, body: Body = {}): Promise<Body> =>
  (await send(version, 'POST', path, body)).body

async function price(unit_amount = 2000): Promise<Body> {
  const { id: product } = await post(ENDIVE, '/v1/products', { name: 'Pro' })
  return post(ENDIVE, '/v1/prices', {
    product,
    currency: 'usd',
    unit_amount,
    recurring: { interval: 'month' },
  })
}

/** Creates a customer with a card, and a subscription. */
async function subscribe(
  given: Body = {},
  version = ENDIVE,
): Promise<{ customer: string; subscription: Body }> {
  const { id: customer } = await post(ENDIVE, '/v1/customers', { payment_method: 'pm_card_visa' })
  const { data } = await get(ENDIVE, `/v1/customers/${customer}/payment_methods`)
  const settings = { invoice_settings: { default_payment_method: data[0].id } }
  await post(ENDIVE, `/v1/customers/${customer}`, settings)
  const { id } = await price()
  const subscription = await post(version, '/v1/subscriptions', {
    customer,
    items: [{ price: id }],
    ...given,
  })
  return { customer, subscription }
}

describe('the version of a response', () => {
  const used = async (version?: string) =>
    (await send(version, 'GET', '/v1/customers')).headers.get('stripe-version')

  test('is the one that the request names, else the default of the account', async () => {
    const { twin } = sdk
    const change = (api_version: string) =>
      asOperator(twin)('POST', `merchants/${twin.sandbox.merchant.settings.id}`, { api_version })
    expect(await used()).toBe(ENDIVE)
    for (const version of STRIPE_API_VERSIONS) expect(await used(version)).toBe(version)
    expect((await change(ACACIA)).status).toBe(200)
    expect([await used(), await used(BASIL)]).toEqual([ACACIA, BASIL])
    const own = `merchants/${twin.sandbox.merchant.settings.id}/v1/customers`
    const { headers } = await asOperator(twin)('GET', own)
    expect(headers.get('x-api-version')).toBe(NEWEST_API_VERSION)
    expect((await change('2019-12-03')).body.error.message).toContain(`Known versions: ${ENDIVE}, `)
    await change(ENDIVE)
  })

  test('is kept for a replay', async () => {
    const headers = (version: string) => ({ 'Stripe-Version': version, 'Idempotency-Key': 'versions' })
    const params = { name: 'Pro' }
    const first = await sdk.twin.request('POST', '/v1/products', params, headers('2023-10-16'))
    const again = await sdk.twin.request('POST', '/v1/products', params, headers(ENDIVE))
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('stripe-version')).toBe('2023-10-16')
  })
})

describe('before 2025-03-31.basil', () => {
  test('a subscription has the period that is now that of its items', async () => {
    const { subscription } = await subscribe()
    const [item] = subscription.items.data
    const older = await get(ACACIA, `/v1/subscriptions/${subscription.id}`)
    expect(older).toMatchObject({
      current_period_start: item.current_period_start,
      current_period_end: item.current_period_end,
      discount: null,
    })
    expect(older.items.data[0]).not.toHaveProperty('current_period_end')
    expect(older.items.data[0].price.recurring.aggregate_usage).toBeNull()
    expect(await get(BASIL, `/v1/subscriptions/${subscription.id}`)).toEqual(subscription)
  })

  test('an invoice names its subscription, intent and charge, and lines have whole prices', async () => {
    const { subscription } = await subscribe()
    const path = `/v1/invoices/${subscription.latest_invoice}`
    const newest = await get(ENDIVE, path)
    const intent = newest.payments.data[0].payment.payment_intent
    const older = await get(ACACIA, path)
    const { latest_charge } = await get(ENDIVE, `/v1/payment_intents/${intent}`)
    expect(older).toMatchObject({
      subscription: subscription.id,
      subscription_details: { metadata: {} },
      payment_intent: intent,
      charge: latest_charge,
      paid: true,
      paid_out_of_band: false,
      tax: null,
    })
    for (const name of ['parent', 'payments', 'confirmation_secret', 'total_taxes'])
      expect(older).not.toHaveProperty(name)
    const [line] = older.lines.data
    const { price: id } = newest.lines.data[0].pricing.price_details
    expect(line).toMatchObject({
      price: { id, object: 'price', recurring: { aggregate_usage: null } },
      plan: { id, object: 'plan', amount: 2000, aggregate_usage: null },
      proration: false,
      subscription_item: subscription.items.data[0].id,
      type: 'subscription',
      unit_amount_excluding_tax: '2000',
    })
    expect(line).not.toHaveProperty('pricing')
    expect(await get(ACACIA, `/v1/payment_intents/${intent}`)).toMatchObject({ invoice: older.id })
    expect(await get(ACACIA, `/v1/charges/${latest_charge}`)).toMatchObject({ invoice: older.id })
    expect(await get(BASIL, `/v1/charges/${latest_charge}`)).not.toHaveProperty('invoice')
  })

  test('the client secret of a first payment is expanded from its intent', async () => {
    const paths = ['latest_invoice.payment_intent', 'latest_invoice.charge', 'latest_invoice.subscription']
    const params = { payment_behavior: 'default_incomplete', expand: paths }
    const { subscription } = await subscribe(params, ACACIA)
    const { latest_invoice: invoice } = subscription
    expect(invoice.payment_intent.client_secret).toMatch(/^pi_.*_secret_/)
    expect(invoice).toMatchObject({
      paid: false,
      charge: null,
      payment_intent: { invoice: invoice.id },
      subscription: { id: subscription.id, current_period_end: subscription.current_period_end },
    })
  })

  test.each([
    [ACACIA, 'data.confirmation_secret'],
    [ACACIA, 'data.parent.subscription_details.subscription'],
    [ACACIA, 'data.payments.data.payment.payment_intent'],
    [BASIL, 'data.payment_intent'],
    [ENDIVE, 'data.subscription'],
  ])('paths of expand are those of the version: %s has no %s', async (version, path) => {
    const { status, body } = await send(version, 'GET', `/v1/invoices?expand[]=${path}`)
    expect([status, body.error.param]).toEqual([400, 'expand[0]'])
  })

  test('a coupon and a promotion code are parameters of their own, and a discount shows the coupon', async () => {
    const { id: coupon } = await post(ACACIA, '/v1/coupons', { percent_off: 25, duration: 'forever' })
    const { subscription } = await subscribe({ coupon }, ACACIA)
    const path = `/v1/subscriptions/${subscription.id}`
    expect(subscription.discount).toMatchObject({
      object: 'discount',
      coupon: { id: coupon, percent_off: 25 },
    })
    expect(subscription.discount).not.toHaveProperty('source')
    expect((await post(ACACIA, path, { coupon: '' })).discount).toBeNull()
    const code = await post(ACACIA, '/v1/promotion_codes', { coupon, code: 'OLD' })
    expect(code).toMatchObject({ code: 'OLD', coupon: { id: coupon } })
    const redeemed = await post(ACACIA, path, { promotion_code: code.id })
    expect(redeemed.discount).toMatchObject({ promotion_code: code.id, coupon: { id: coupon } })
    const both = await send(ACACIA, 'POST', path, { promotion_code: code.id, coupon })
    expect([both.status, both.body.error.code]).toEqual([400, 'parameter_unknown'])
    const newer = await send(BASIL, 'POST', path, { coupon })
    expect([newer.status, newer.body.error.param]).toEqual([400, 'coupon'])
    // Between basil and clover, discounts are parameters, but show their coupon.
    const [discount] = (await get(BASIL, `${path}?expand[]=discounts`)).discounts
    expect(discount).toMatchObject({ coupon: { id: coupon } })
    const [today] = (await get(ENDIVE, `${path}?expand[]=discounts`)).discounts
    expect(today).toMatchObject({ source: { coupon, type: 'coupon' } })
  })

  test('a customer takes a coupon', async () => {
    const { id: coupon } = await post(ACACIA, '/v1/coupons', { percent_off: 50, duration: 'forever' })
    const customer = await post(ACACIA, '/v1/customers', { coupon })
    expect(customer.discount).toMatchObject({ customer: customer.id, coupon: { id: coupon } })
    const path = `/v1/customers/${customer.id}`
    expect((await get(ENDIVE, path)).discount).toMatchObject({ source: { coupon } })
    expect((await post(ACACIA, path, { coupon: '' })).discount).toBeNull()
    for (const place of ['/v1/customers', path]) {
      const { status, body } = await send(BASIL, 'POST', place, { coupon })
      expect([status, body.error.code, body.error.param]).toEqual([400, 'parameter_unknown', 'coupon'])
    }
    const { data } = await get(ENDIVE, '/v1/customers?limit=1')
    expect(data[0].id).toBe(customer.id)
  })

  test('the coupon within a discount can be expanded', async () => {
    const { id: product } = await post(ENDIVE, '/v1/products', { name: 'Pro' })
    const applies_to = { products: [product] }
    const { id: coupon } = await post(ENDIVE, '/v1/coupons', {
      percent_off: 50,
      duration: 'forever',
      applies_to,
    })
    const customer = await post(ACACIA, '/v1/customers', { coupon, expand: ['discount.coupon.applies_to'] })
    expect(customer.discount.coupon).toMatchObject({ id: coupon, applies_to })
  })

  test('an invoice item has a price, and its amount by unit', async () => {
    const { customer, subscription } = await subscribe()
    const { id: product } = await post(ENDIVE, '/v1/products', { name: 'Extra' })
    const { id } = await post(ENDIVE, '/v1/prices', { product, currency: 'usd', unit_amount: 300 })
    const item = await post(ACACIA, '/v1/invoiceitems', {
      customer,
      price: id,
      quantity: 2,
      subscription: subscription.id,
    })
    expect(item).toMatchObject({
      amount: 600,
      price: { id, object: 'price' },
      plan: null,
      subscription: subscription.id,
      unit_amount: 300,
      unit_amount_decimal: '300',
    })
    expect(item).not.toHaveProperty('pricing')
  })
})

describe('GET /v1/invoices/upcoming', () => {
  test('previews a change with the parameters of older versions', async () => {
    const { customer, subscription } = await subscribe()
    const { id: plus } = await price(5000)
    const query = `subscription=${subscription.id}&subscription_items[0][id]=${subscription.items.data[0].id}&subscription_items[0][price]=${plus}&subscription_proration_behavior=none`
    const changed = await get(ACACIA, `/v1/invoices/upcoming?${query}`)
    expect(changed).toMatchObject({ total: 5000, subscription: subscription.id, paid: false })
    const next = await get(ACACIA, `/v1/invoices/upcoming?customer=${customer}`)
    expect(next).toMatchObject({ total: 2000, subscription: subscription.id })
    const { data } = await get(ACACIA, `/v1/invoices/upcoming/lines?${query}`)
    expect(data.map(({ amount, price }: Body) => [amount, price.id])).toEqual([[5000, plus]])
  })

  describe('is that of the subscription of a customer that is billed first', () => {
    /** Creates a monthly subscription for 20.00, and a yearly one for 50.00. */
    async function subscribeTwice() {
      const { customer, subscription } = await subscribe()
      const { id: price } = await post(ENDIVE, '/v1/prices', {
        ...{ currency: 'usd', unit_amount: 5000, recurring: { interval: 'year' } },
        product_data: { name: 'Yearly' },
      })
      const yearly = await post(ENDIVE, '/v1/subscriptions', { customer, items: [{ price }] })
      return { customer, monthly: subscription.id, yearly: yearly.id }
    }

    const upcomingOf = (customer: string) => get(ACACIA, `/v1/invoices/upcoming?customer=${customer}`)

    const pricesOf = (count: number, interval = 'month'): Promise<string[]> =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const { id } = await post(ENDIVE, '/v1/prices', {
            ...{ currency: 'usd', unit_amount: 1000, recurring: { interval } },
            product_data: { name: 'Large' },
          })
          return id
        }),
      )

    const subscribeTo = (customer: string, prices: readonly string[], more: Body = {}) =>
      post(ENDIVE, '/v1/subscriptions', { customer, items: prices.map((price) => ({ price })), ...more })

    /** Returns a function that counts the subscriptions whose next invoices are computed from now on. */
    function countComputed(): () => number {
      const imagine = vi.spyOn(UnitOfWork.prototype, 'imagine')
      const rehearse = vi.spyOn(UnitOfWork.prototype, 'rehearse')
      onTestFinished(() => {
        imagine.mockRestore()
        rehearse.mockRestore()
      })
      return () => Math.max(imagine.mock.calls.length, rehearse.mock.calls.length)
    }

    test('or canceled with a final invoice', async () => {
      const { customer, monthly: subscription } = await subscribeTwice()
      expect(await upcomingOf(customer)).toMatchObject({ total: 2000 })
      await post(ENDIVE, `/v1/subscriptions/${subscription}`, { cancel_at_period_end: true })
      expect(await upcomingOf(customer)).toMatchObject({ total: 5000 })
      const item = { customer, subscription, amount: 700, currency: 'usd' }
      await post(ENDIVE, '/v1/invoiceitems', item)
      expect(await upcomingOf(customer)).toMatchObject({ total: 700 })
    })

    test('and not of one that cancel_at ends before', async () => {
      const { customer, monthly } = await subscribeTwice()
      const { created } = await get(ENDIVE, `/v1/subscriptions/${monthly}`)
      await post(ENDIVE, `/v1/subscriptions/${monthly}`, { cancel_at: created + 10 * 86_400 })
      expect(await upcomingOf(customer)).toMatchObject({ total: 5000 })
    })

    test('among the first ones, until their schedules have more than 500 items', async () => {
      const { customer, subscription } = await subscribe()
      const price = subscription.items.data[0].price.id
      const items = (await pricesOf(20)).map((price) => ({ price }))
      const endWithoutInvoice = async () => {
        const { id } = await post(ENDIVE, '/v1/subscriptions', { customer, items })
        const { phases, ...schedule } = await post(ENDIVE, '/v1/subscription_schedules', {
          from_subscription: id,
        })
        const { start_date } = phases[0]
        await post(ENDIVE, `/v1/subscription_schedules/${schedule.id}`, {
          end_behavior: 'cancel',
          phases: Array.from({ length: 9 }, (_, day) => ({
            ...(day === 0 && { start_date }),
            end_date: start_date + (day + 1) * 86_400,
            items,
            proration_behavior: 'none',
          })),
        })
      }
      for (let count = 0; count < 2; count += 1) await endWithoutInvoice()
      expect((await upcomingOf(customer)).lines.data[0].price.id).toBe(price)
      await endWithoutInvoice()
      expect((await upcomingOf(customer)).error.code).toBe('invoice_upcoming_none')
    })

    test('among those of the same second, the oldest', async () => {
      const { customer, subscription: oldest } = await subscribe()
      await subscribeTo(customer, [oldest.items.data[0].price.id])
      expect((await upcomingOf(customer)).subscription).toBe(oldest.id)
    })

    test('also if a phase of a newer one bills in the second in which it renews', async () => {
      const { customer, subscription: oldest } = await subscribe()
      const { items, current_period_end } = await get(ACACIA, `/v1/subscriptions/${oldest.id}`)
      const price = items.data[0].price.id
      const [year = ''] = await pricesOf(1, 'year')
      const newer = await subscribeTo(customer, [year])
      const schedule = await post(ENDIVE, '/v1/subscription_schedules', { from_subscription: newer.id })
      const [{ start_date }] = schedule.phases
      const day = { items: [{ price: year }], end_date: start_date + 86_400, proration_behavior: 'none' }
      await post(ENDIVE, `/v1/subscription_schedules/${schedule.id}`, {
        phases: [
          { ...day, start_date },
          { ...day, end_date: current_period_end },
          { items: [{ price }], billing_cycle_anchor: 'phase_start' },
        ],
      })
      const ofNewer = await get(ACACIA, `/v1/invoices/upcoming?subscription=${newer.id}`)
      expect(ofNewer.created).toBe(current_period_end)
      expect((await upcomingOf(customer)).subscription).toBe(oldest.id)
    })

    test('without computing anything for those that end without an invoice', async () => {
      const { customer, subscription } = await subscribe()
      const { id: price } = subscription.items.data[0].price
      for (let count = 0; count < 5; count += 1)
        await subscribeTo(customer, [price], { cancel_at_period_end: true })
      await post(ENDIVE, `/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
      const computed = countComputed()
      expect((await upcomingOf(customer)).error.code).toBe('invoice_upcoming_none')
      expect(computed()).toBe(0)
    })

    test('among the first ones, until they have more than 500 items and discounts', async () => {
      const { id: customer } = await post(ENDIVE, '/v1/customers')
      const coupons = await Promise.all(
        Array.from({ length: 10 }, () =>
          post(ENDIVE, '/v1/coupons', { percent_off: 1, duration: 'forever' }),
        ),
      )
      const discounts = coupons.map(({ id }) => ({ coupon: id }))
      const items = (await pricesOf(20)).map((price) => ({ price, discounts }))
      // Each ends without an invoice, because there is no card, and has 20 items and 210 discounts.
      const trial = {
        trial_period_days: 3,
        trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
      }
      for (let count = 0; count < 4; count += 1)
        await post(ENDIVE, '/v1/subscriptions', { customer, items, discounts, ...trial })
      const computed = countComputed()
      expect((await upcomingOf(customer)).error.code).toBe('invoice_upcoming_none')
      expect(computed()).toBe(2)
    })

    test('by a phase before the end of its period', async () => {
      const { customer, yearly } = await subscribeTwice()
      const schedule = await post(ENDIVE, '/v1/subscription_schedules', { from_subscription: yearly })
      const [{ start_date, items }] = schedule.phases
      const [{ price }] = items
      await post(ENDIVE, `/v1/subscription_schedules/${schedule.id}`, {
        phases: [
          { start_date, end_date: start_date + 3 * 86_400, items: [{ price }] },
          {
            items: [{ price, quantity: 3 }],
            billing_cycle_anchor: 'phase_start',
            proration_behavior: 'none',
          },
        ],
      })
      expect(await upcomingOf(customer)).toMatchObject({ total: 15_000 })
    })
  })

  test('finds nothing for a customer without a subscription that is billed', async () => {
    const { customer, subscription } = await subscribe()
    await post(ENDIVE, `/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
    for (const query of [`customer=${customer}`, `customer=${customer}&subscription=${subscription.id}`]) {
      const { status, body } = await send(ACACIA, 'GET', `/v1/invoices/upcoming?${query}`)
      expect([status, body.error.code]).toEqual([404, 'invoice_upcoming_none'])
      expect(body.error.message).toBe(`No upcoming invoices for customer: ${customer}`)
    }
  })

  test('names the customer of a subscription whose cancellation has nothing to bill', async () => {
    const { customer, subscription } = await subscribe()
    const query = `subscription=${subscription.id}&subscription_cancel_now=true`
    const { body } = await send(ACACIA, 'GET', `/v1/invoices/upcoming?${query}`)
    expect(body.error.message).toBe(`No upcoming invoices for customer: ${customer}`)
  })

  test('does not exist since basil', async () => {
    const { customer } = await subscribe()
    const { status, body } = await send(BASIL, 'GET', `/v1/invoices/upcoming?customer=${customer}`)
    expect([status, body.error.message]).toEqual([404, "No such invoice: 'upcoming'"])
  })
})

describe('earlier and later changes', () => {
  test('a product had features before 2024-04-10', async () => {
    const { id } = await post(ENDIVE, '/v1/products', { name: 'Pro' })
    const [before, since] = [
      await get('2023-10-16', `/v1/products/${id}`),
      await get('2024-04-10', `/v1/products/${id}`),
    ]
    expect([before.features, before.marketing_features]).toEqual([[], undefined])
    expect([since.features, since.marketing_features]).toEqual([undefined, []])
  })

  test('an intent had charges before 2022-11-15, and was captured with automatic before 2024-06-20', async () => {
    const { subscription } = await subscribe()
    const invoice = await get(ACACIA, `/v1/invoices/${subscription.latest_invoice}`)
    const path = `/v1/payment_intents/${invoice.payment_intent}`
    const oldest = await get('2020-08-27', path)
    expect(oldest.charges).toMatchObject({ object: 'list', total_count: 1, has_more: false })
    expect(oldest.charges.data[0]).toMatchObject({ id: invoice.charge, invoice: invoice.id })
    const expanded = await get('2022-08-01', `${path}?expand[]=charges.data.customer`)
    expect(expanded.charges.data[0].customer).toMatchObject({ object: 'customer' })
    const methods = []
    for (const version of ['2022-11-15', '2024-04-10', '2024-06-20']) {
      const shown = await get(version, path)
      expect(shown).not.toHaveProperty('charges')
      methods.push(shown.capture_method)
    }
    expect(methods).toEqual(['automatic', 'automatic', 'automatic_async'])
  })

  test('a new invoice included pending items before 2022-08-01', async () => {
    const { id: customer } = await post(ENDIVE, '/v1/customers')
    await post(ENDIVE, '/v1/invoiceitems', { customer, amount: 700, currency: 'usd' })
    expect((await post('2022-08-01', '/v1/invoices', { customer })).total).toBe(0)
    expect((await post('2020-08-27', '/v1/invoices', { customer })).total).toBe(700)
  })

  test('an intent took payment_method_types before 2026-09-30.endive', async () => {
    const params = { amount: 500, currency: 'usd', payment_method_types: ['card'] }
    const made = await post('2026-08-26.dahlia', '/v1/payment_intents', params)
    expect(made.payment_method_types).toEqual(['card'])
    for (const [version, types] of [
      ['2026-08-26.dahlia', ['card', 'sepa_debit']],
      ['2026-09-30.endive', ['card']],
    ] as const) {
      const given = { ...params, payment_method_types: types }
      const { status, body } = await send(version, 'POST', '/v1/payment_intents', given)
      expect([status, body.error.code, body.error.param]).toEqual([
        400,
        'parameter_unknown',
        'payment_method_types',
      ])
    }
  })

  test('a Checkout session had other names and defaults', async () => {
    const given = {
      success_url: 'https://shop.example/done',
      line_items: [
        { price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'Book' } }, quantity: 1 },
      ],
    }
    const oldest = await post('2020-08-27', '/v1/checkout/sessions', {
      ...given,
      ui_mode: 'hosted',
      payment_method_types: ['card', 'boleto'],
    })
    expect(oldest).toMatchObject({
      ui_mode: 'hosted',
      payment_method_types: ['card', 'boleto'],
      customer_creation: 'always',
      shipping_details: null,
    })
    const shown = async (version: string) => {
      const { ui_mode, customer_creation, ...session } = await post(version, '/v1/checkout/sessions', given)
      return [ui_mode, customer_creation, 'shipping_details' in session]
    }
    expect(await shown('2022-08-01')).toEqual(['hosted', 'if_required', true])
    expect(await shown(BASIL)).toEqual(['hosted', 'if_required', false])
    expect(await shown('2026-03-25.dahlia')).toEqual(['hosted_page', 'if_required', false])
    for (const [version, params, param] of [
      ['2026-03-25.dahlia', { ui_mode: 'hosted' }, 'ui_mode'],
      ['2026-02-25.clover', { ui_mode: 'embedded' }, 'ui_mode'],
      ['2026-09-30.endive', { payment_method_types: ['card'] }, 'payment_method_types'],
      ['2026-08-26.dahlia', { payment_method_types: ['sepa_debit'] }, 'allowed_payment_method_types[0]'],
    ] as const) {
      const { status, body } = await send(version, 'POST', '/v1/checkout/sessions', { ...given, ...params })
      expect([version, status, body.error.param]).toEqual([version, 400, param])
    }
  })

  test('metadata that looks like a resource stays as it is', async () => {
    const metadata = { object: 'invoice', features: 'x' }
    const { id } = await post(ENDIVE, '/v1/customers', { metadata })
    expect((await get('2020-08-27', `/v1/customers/${id}`)).metadata).toEqual(metadata)
  })

  test('the intent of a declined payment is shown in the version of the request', async () => {
    const params = { amount: 500, currency: 'usd', payment_method: 'pm_card_chargeDeclined', confirm: true }
    const { status, body } = await send('2022-08-01', 'POST', '/v1/payment_intents', params)
    expect([status, body.error.payment_intent.charges.data[0].status]).toEqual([402, 'failed'])
  })
})

describe('an event', () => {
  test('has the default version of the account, and a webhook that of its endpoint', async () => {
    const { twin } = sdk
    const endpoint = (api_version?: string) =>
      post(ENDIVE, '/v1/webhook_endpoints', {
        url: 'http://localhost:9/hook',
        enabled_events: ['customer.subscription.updated'],
        ...(api_version !== undefined && { api_version }),
      })
    const made = [await endpoint(), await endpoint(ACACIA), await endpoint(BASIL)]
    expect(made.map(({ api_version }) => api_version)).toEqual([null, ACACIA, BASIL])
    expect(await get(ENDIVE, `/v1/webhook_endpoints/${made[1]?.id}`)).toMatchObject({ api_version: ACACIA })
    const { subscription } = await subscribe()
    received.length = 0
    const item = subscription.items.data[0]
    await post(BASIL, `/v1/subscriptions/${subscription.id}`, {
      items: [{ id: item.id, quantity: 2 }],
      proration_behavior: 'none',
    })
    await twin.sandbox.engine.outbox.settled(twin.sandbox.merchant)
    const events: Body[] = received.map(({ body }) => JSON.parse(body))
    const shown = events.map(({ api_version, data }) => [
      api_version,
      data.object.current_period_end ?? null,
      data.object.items.data[0].current_period_end ?? null,
    ])
    const end = item.current_period_end
    expect(shown.toSorted()).toEqual([
      [ACACIA, end, null],
      [BASIL, null, end],
      [ENDIVE, null, end],
    ])
    const [{ id } = { id: '' }] = events
    for (const version of [ENDIVE, ACACIA])
      expect(await get(version, `/v1/events/${id}`)).toMatchObject({ api_version: ENDIVE })
    for (const { id: each } of made) await send(ENDIVE, 'DELETE', `/v1/webhook_endpoints/${each}`)
  })

  test('cannot be received in an unknown version', async () => {
    const params = { url: 'http://localhost:9/hook', enabled_events: ['*'], api_version: '2019-12-03' }
    const { status, body } = await send(ENDIVE, 'POST', '/v1/webhook_endpoints', params)
    expect([status, body.error.param]).toEqual([400, 'api_version'])
  })

  test('shows former values in its version', async () => {
    const { twin } = sdk
    const merchant = `merchants/${twin.sandbox.merchant.settings.id}`
    const { id: clock } = await post(ENDIVE, '/v1/test_helpers/test_clocks', { frozen_time: 1769853600 })
    const customer = await post(ENDIVE, '/v1/customers', { test_clock: clock })
    const { id: method } = await post(ENDIVE, '/v1/payment_methods/pm_card_visa/attach', {
      customer: customer.id,
    })
    const { id: basic } = await price()
    const { id } = await post(ENDIVE, '/v1/subscriptions', {
      customer: customer.id,
      items: [{ price: basic }],
      default_payment_method: method,
    })
    await asOperator(twin)('POST', merchant, { api_version: ACACIA })
    await sdk.advance(clock, 1772272800)
    await asOperator(twin)('POST', merchant, { api_version: ENDIVE })
    const { data } = await get(ENDIVE, '/v1/events?type=customer.subscription.updated&limit=10')
    const renewal = data.find(
      ({ data }: Body) => data.object.id === id && data.previous_attributes?.current_period_end,
    )
    expect(renewal).toMatchObject({
      api_version: ACACIA,
      data: {
        object: { current_period_start: 1772272800 },
        previous_attributes: { current_period_start: 1769853600, current_period_end: 1772272800 },
      },
    })
  })

  test('of an attempt to pay an invoice names the charge of the attempt', async () => {
    const { twin } = sdk
    const merchant = `merchants/${twin.sandbox.merchant.settings.id}`
    await asOperator(twin)('POST', merchant, { api_version: ACACIA })
    const endpoint = await post(ENDIVE, '/v1/webhook_endpoints', {
      url: 'http://localhost:9/hook',
      enabled_events: ['invoice.paid', 'invoice.payment_failed', 'invoice.payment_succeeded'],
    })
    received.length = 0
    const { customer, subscription } = await subscribe()
    const first = subscription.latest_invoice
    const failing = await post(ENDIVE, '/v1/payment_methods/pm_card_chargeCustomerFail/attach', { customer })
    const { id: invoice } = await post(ENDIVE, '/v1/invoices', { customer })
    await post(ENDIVE, '/v1/invoiceitems', { customer, invoice, amount: 500, currency: 'usd' })
    await post(ENDIVE, `/v1/invoices/${invoice}/finalize`)
    const pay = (params: Body) => send(ENDIVE, 'POST', `/v1/invoices/${invoice}/pay`, params)
    expect((await pay({ payment_method: failing.id })).status).toBe(402)
    expect((await pay({ payment_method: failing.id })).status).toBe(402)
    expect((await pay({})).status).toBe(200)
    await twin.sandbox.engine.outbox.settled(twin.sandbox.merchant)
    await send(ENDIVE, 'DELETE', `/v1/webhook_endpoints/${endpoint.id}`)
    await asOperator(twin)('POST', merchant, { api_version: ENDIVE })

    const chargesOf = async (id: string): Promise<string[]> => {
      const { payment_intent } = await get(ACACIA, `/v1/invoices/${id}`)
      const { data } = await get(ENDIVE, `/v1/charges?payment_intent=${payment_intent}`)
      return data.map((charge: Body) => charge.id).reverse()
    }
    const [paid] = await chargesOf(first)
    const [declined, declinedAgain, retried] = await chargesOf(invoice)
    const events: Body[] = received.map(({ body }) => JSON.parse(body))
    expect(events.map(({ type, data }) => [type, data.object.id, data.object.charge])).toEqual([
      ['invoice.paid', first, paid],
      ['invoice.payment_succeeded', first, paid],
      ['invoice.payment_failed', invoice, declined],
      ['invoice.payment_failed', invoice, declinedAgain],
      ['invoice.paid', invoice, retried],
      ['invoice.payment_succeeded', invoice, retried],
    ])
    for (const { id, data } of events)
      expect(await get(ENDIVE, `/v1/events/${id}`)).toMatchObject({ api_version: ACACIA, data })
    expect(await get(ACACIA, `/v1/invoices/${invoice}`)).toMatchObject({ charge: retried })
  })

  test('of an invoice that is paid out of band names the charge of the last attempt', async () => {
    const { customer } = await subscribe()
    const failing = await post(ENDIVE, '/v1/payment_methods/pm_card_chargeCustomerFail/attach', { customer })
    const { id: invoice } = await post(ENDIVE, '/v1/invoices', { customer })
    await post(ENDIVE, '/v1/invoiceitems', { customer, invoice, amount: 500, currency: 'usd' })
    await post(ENDIVE, `/v1/invoices/${invoice}/finalize`)
    const path = `/v1/invoices/${invoice}`
    await send(ENDIVE, 'POST', `${path}/pay`, { payment_method: failing.id })
    const { charge } = await get(ACACIA, path)
    expect(charge).toMatch(/^ch_/)
    await post(ENDIVE, `${path}/pay`, { paid_out_of_band: true })
    expect(await get(ACACIA, path)).toMatchObject({ charge, paid: true, paid_out_of_band: true })
  })

  test('of an object that is created with a discount shows its coupon as redeemed', async () => {
    const { twin } = sdk
    const merchant = `merchants/${twin.sandbox.merchant.settings.id}`
    const { id: coupon } = await post(ENDIVE, '/v1/coupons', { percent_off: 10, duration: 'forever' })
    await asOperator(twin)('POST', merchant, { api_version: ACACIA })
    const { customer } = await subscribe({ discounts: [{ coupon }] })
    await subscribe({ discounts: [{ coupon }], trial_period_days: 3 })
    await post(ENDIVE, '/v1/invoices', { customer, discounts: [{ coupon }] })
    await post(ACACIA, '/v1/customers', { coupon })
    await asOperator(twin)('POST', merchant, { api_version: ENDIVE })
    const { data: events } = await get(ENDIVE, '/v1/events?limit=100')
    const created = events
      .filter(({ type }: Body) => type.endsWith('.created'))
      .filter(({ data: { object } }: Body) => object.discount?.coupon.id === coupon)
      .map(({ type, data: { object } }: Body) => [type, object.discount.coupon.times_redeemed])
    expect(created.reverse()).toEqual([
      ['customer.subscription.created', 1],
      ['invoice.created', 1],
      ['customer.subscription.created', 2],
      ['invoice.created', 2],
      ['invoice.created', 3],
      ['customer.created', 4],
    ])
  })
})
