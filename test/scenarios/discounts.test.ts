import { describe, expect, test } from 'vitest'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { balanceOf, begin, END, linesOf, MIDDLE, newestInvoice, pendingAmounts, START } from './plan-story.ts'
import { at, historyOf, listAll, openTwin, QUICK_PACES, subscribe } from './story.ts'

const makeCoupon = async (twin: Twin, params: Body): Promise<string> =>
  (await twin.post('/v1/coupons', { duration: 'forever', ...params })).id

/** A subscription to Basic, 20.00 USD a month from 1 April, with a coupon. */
async function beginWith(params: Body, given: Body = {}) {
  const story = await begin({ ...given })
  return { ...story, coupon: await makeCoupon(story.twin, params) }
}

/** A new subscription to prices of some amounts, with discounts. */
async function subscribeTo(
  amounts: readonly number[],
  { now = START, discounts = [], customer = {}, ...given }: Body & { coupons?: readonly Body[] } = {},
) {
  const twin = await openTwin({ now })
  for (const coupon of given.coupons ?? []) await makeCoupon(twin, coupon)
  const prices = []
  for (const unit_amount of amounts) prices.push(await makePrice(twin, { unit_amount, ...given.price }))
  const { id } = await twin.post('/v1/customers', customer)
  const subscription = await twin.post('/v1/subscriptions', {
    customer: id,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: prices.map((price, index) => ({ price: price.id, ...given.items?.[index] })),
    discounts,
    ...given.params,
  })
  return { twin, customer: id as string, subscription, path: `/v1/subscriptions/${subscription.id}` }
}

const totals = async (twin: Twin): Promise<number[]> =>
  (await listAll(twin, '/v1/invoices')).map(({ total }) => total)
/** What is taken off each line of an invoice. */
const offEach = ({ lines }: Body): number[][] =>
  lines.data.map(({ discount_amounts }: Body) => discount_amounts.map(({ amount }: Body) => amount))
const TEN = { id: 'TEN', percent_off: 10 }
const HALF = { id: 'HALF', percent_off: 50 }
const use = (...coupons: string[]) => coupons.map((coupon) => ({ coupon }))

describe.each(QUICK_PACES)('in %s:', (_, pace) => {
  const go = (twin: Twin, until: string) => pace(twin, at(until))

  test('a percentage is rounded for each line', async () => {
    const { twin } = await subscribeTo([1005, 999, 5], { coupons: [TEN], discounts: use('TEN') })
    await go(twin, END)
    // 100.5, 99.9 and 0.5 are rounded to 101, 100 and 1.
    const invoice = await newestInvoice(twin)
    expect(offEach(invoice)).toEqual([[101], [100], [1]])
    expect(invoice).toMatchObject({ subtotal: 2009, total: 1807, amount_due: 1807, amount_paid: 1807 })
    expect(invoice.total_discount_amounts).toEqual([{ discount: invoice.discounts[0], amount: 202 }])
    expect(await totals(twin)).toEqual([1807, 1807])
  })

  test('an amount is divided among the lines, and the parts add up', async () => {
    const { twin } = await subscribeTo([1000, 1000, 1000], {
      coupons: [{ id: 'ONE', amount_off: 100, currency: 'usd' }],
      discounts: use('ONE'),
    })
    await go(twin, END)
    expect(offEach(await newestInvoice(twin))).toEqual([[33], [34], [33]])
    expect(await totals(twin)).toEqual([2900, 2900])
  })

  test('an amount above the total makes it 0, and the rest is lost', async () => {
    const { twin, customer } = await subscribeTo([1500, 500], {
      coupons: [{ id: 'ALL', amount_off: 5000, currency: 'usd' }],
      discounts: use('ALL'),
    })
    await go(twin, END)
    const invoice = await newestInvoice(twin)
    expect(offEach(invoice)).toEqual([[1500], [500]])
    expect(invoice).toMatchObject({ total: 0, status: 'paid', payment_intent: null, ending_balance: 0 })
    expect(await balanceOf(twin, { id: customer })).toBe(0)
  })

  test('once: the first invoice', async () => {
    const { twin, path } = await subscribeTo([2000], {
      coupons: [{ ...TEN, duration: 'once' }],
      discounts: use('TEN'),
    })
    await go(twin, '2026-06-01T00:00:00Z')
    expect(await totals(twin)).toEqual([1800, 2000, 2000])
    expect((await twin.get(path)).discounts).toEqual([])
  })

  test('once: the first invoice that it reduces, after a free one', async () => {
    const { twin, path } = await subscribeTo([0], {
      coupons: [{ ...TEN, duration: 'once' }],
      discounts: use('TEN'),
    })
    await go(twin, END)
    const [item] = (await twin.get(path)).items.data
    const { id: price } = await makePrice(twin, { unit_amount: 3000 })
    await twin.post(path, { items: [{ id: item.id, price }] })
    await go(twin, '2026-07-01T00:00:00Z')
    expect(await totals(twin)).toEqual([0, 0, 2700, 3000])
  })

  test('once: the first invoice after a trial', async () => {
    const { twin, path } = await subscribeTo([2000], {
      coupons: [{ ...HALF, duration: 'once' }],
      discounts: use('HALF'),
      params: { trial_period_days: 15 },
    })
    expect((await twin.get(path)).discounts).toHaveLength(1)
    await go(twin, '2026-05-16T00:00:00Z')
    expect(await totals(twin)).toEqual([1000, 2000])
  })

  test('three months from 31 January reduce three monthly invoices', async () => {
    const { twin, path } = await subscribeTo([2000], {
      now: '2026-01-31T10:00:00Z',
      coupons: [{ ...TEN, duration: 'repeating', duration_in_months: 3 }],
      discounts: use('TEN'),
    })
    const { discounts } = await twin.get(`${path}?expand[]=discounts`)
    expect(discounts[0].end).toBe(at('2026-04-30T10:00:00Z'))
    await go(twin, '2026-06-01T00:00:00Z')
    // 31 January, 28 February, 31 March; 30 April, 31 May
    expect(await totals(twin)).toEqual([1800, 1800, 1800, 2000, 2000])
    expect((await twin.get(path)).discounts).toEqual([])
  })

  test('one month from 31 January ends on 28 February', async () => {
    const { twin } = await subscribeTo([2000], {
      now: '2026-01-31T10:00:00Z',
      coupons: [{ ...TEN, duration: 'repeating', duration_in_months: 1 }],
      discounts: use('TEN'),
    })
    await go(twin, '2026-03-31T10:00:00Z')
    expect(await totals(twin)).toEqual([1800, 2000, 2000])
    const ended = (await twin.events('&type=customer.discount.deleted')).map(({ created }) => created)
    expect(ended).toEqual([at('2026-02-28T10:00:00Z')])
  })

  test('a change to a higher price credits what was billed after the discount', async () => {
    const { twin, change, item, prices, path, coupon } = await beginWith({ percent_off: 25 })
    await twin.post(path, { discounts: use(coupon) })
    await go(twin, END)
    expect((await newestInvoice(twin)).total).toBe(1500)
    await go(twin, '2026-05-16T12:00:00Z')
    await change({ items: [{ id: item, price: prices.pro }] })
    // Half of 15.00 is credited, half of 50.00 less 12.50 is charged.
    expect(await pendingAmounts(twin)).toEqual([-750, 1875])
    await go(twin, '2026-06-01T00:00:00Z')
    const invoice = await newestInvoice(twin)
    expect(linesOf(invoice)).toEqual([
      '-750 Unused time on Basic after 2026-05-16',
      '1875 Remaining time on Pro after 2026-05-16',
      '5000 1 × 50.00 USD',
    ])
    expect(offEach(invoice)).toEqual([[], [], [1250]])
    expect(invoice).toMatchObject({ subtotal: 6125, total: 4875 })
  })

  test('a change to a lower price credits no more than was billed', async () => {
    const { twin, path, customer } = await subscribeTo([9000], { coupons: [TEN], discounts: use('TEN') })
    const [item] = (await twin.get(path)).items.data
    const { id: price } = await makePrice(twin, { unit_amount: 2000 })
    await go(twin, MIDDLE)
    await twin.post(path, { items: [{ id: item.id, price }], proration_behavior: 'create_prorations' })
    // Half of 81.00, half of 18.00
    expect(await pendingAmounts(twin)).toEqual([-4050, 900])
    await go(twin, END)
    expect(await newestInvoice(twin)).toMatchObject({ subtotal: -1150, total: -1350, amount_due: 0 })
    expect(await balanceOf(twin, { id: customer })).toBe(-1350)
  })

  test('a discount of one invoice reduces the credit for it, but not the charge', async () => {
    const { twin, path } = await subscribeTo([2000], {
      coupons: [{ ...HALF, duration: 'once' }],
      discounts: use('HALF'),
    })
    const [item] = (await twin.get(path)).items.data
    const { id: price } = await makePrice(twin, { unit_amount: 5000 })
    await go(twin, MIDDLE)
    await twin.post(path, { items: [{ id: item.id, price }], proration_behavior: 'always_invoice' })
    // Half of 10.00, half of 50.00
    expect(await newestInvoice(twin)).toMatchObject({ total: 2000, total_discount_amounts: [] })
    await go(twin, END)
    expect(await totals(twin)).toEqual([1000, 2000, 5000])
  })

  test('a discount of one invoice leaves the charge of a change to the customer’s discount', async () => {
    const { twin, path } = await subscribeTo([0], {
      coupons: [TEN, { ...HALF, duration: 'once' }],
      customer: { coupon: 'TEN' },
      discounts: use('HALF'),
    })
    const [item] = (await twin.get(path)).items.data
    const { id: price } = await makePrice(twin, { unit_amount: 5000 })
    await go(twin, MIDDLE)
    await twin.post(path, { items: [{ id: item.id, price }], proration_behavior: 'create_prorations' })
    // Half of 50.00 − 5.00
    expect(await pendingAmounts(twin)).toEqual([2250])
    await go(twin, END)
    expect(await totals(twin)).toEqual([0, 4750])
  })

  test('the charge of a change has its part of an amount', async () => {
    const { twin, path } = await subscribeTo([2000], {
      coupons: [{ id: 'FIVE', amount_off: 500, currency: 'usd' }],
      discounts: use('FIVE'),
    })
    const [item] = (await twin.get(path)).items.data
    const { id: price } = await makePrice(twin, { unit_amount: 5000 })
    await go(twin, MIDDLE)
    await twin.post(path, { items: [{ id: item.id, price }], proration_behavior: 'always_invoice' })
    // Half of 20.00 − 5.00 is credited, half of 50.00 − 5.00 is charged.
    expect(linesOf(await newestInvoice(twin)).map((text) => Number.parseInt(text, 10))).toEqual([-750, 2250])
    await go(twin, '2026-04-23T12:00:00Z')
    await twin.post(path, { items: [{ id: item.id, quantity: 2 }], proration_behavior: 'always_invoice' })
    // A quarter of 45.00 and of 100.00 − 5.00
    expect(linesOf(await newestInvoice(twin)).map((text) => Number.parseInt(text, 10))).toEqual([-1125, 2375])
    await go(twin, END)
    expect(await totals(twin)).toEqual([1500, 1500, 1250, 9500])
  })

  test('the discounts of an item come before those of the subscription, and these before the customer’s', async () => {
    const { twin, path } = await subscribeTo([1000, 2000], {
      coupons: [TEN, { id: 'FIFTH', percent_off: 20 }, HALF],
      customer: { coupon: 'TEN' },
      items: [{ discounts: use('HALF') }],
      discounts: use('FIFTH'),
    })
    expect(offEach(await newestInvoice(twin))).toEqual([[500], [400]])
    await twin.delete(`${path}/discount`)
    await go(twin, END)
    expect(offEach(await newestInvoice(twin))).toEqual([[500], [200]])
    const [item] = (await twin.get(path)).items.data
    await twin.post(path, { items: [{ id: item.id, discounts: '' }] })
    await go(twin, '2026-06-01T00:00:00Z')
    expect(offEach(await newestInvoice(twin))).toEqual([[100], [200]])
    expect(await totals(twin)).toEqual([2100, 2300, 2700])
  })

  test('discounts are stacked in their order', async () => {
    const three = { id: 'THREE', amount_off: 300, currency: 'usd' }
    const first = await subscribeTo([2000], { coupons: [HALF, three], discounts: use('HALF', 'THREE') })
    const second = await subscribeTo([2000], { coupons: [HALF, three], discounts: use('THREE', 'HALF') })
    await go(first.twin, END)
    await go(second.twin, END)
    expect(offEach(await newestInvoice(first.twin))).toEqual([[1000, 300]])
    expect(offEach(await newestInvoice(second.twin))).toEqual([[300, 850]])
    expect(await totals(first.twin)).toEqual([700, 700])
    expect(await totals(second.twin)).toEqual([850, 850])
  })

  test('a coupon for a product reduces its lines alone', async () => {
    const twin = await openTwin({ now: START })
    const { id: product } = await twin.post('/v1/products', { name: 'Pro' })
    const { id: pro } = await makePrice(twin, { unit_amount: 3000, product })
    const coupon = await makeCoupon(twin, { percent_off: 10, applies_to: { products: [product] } })
    const { subscription, customer } = await subscribe(twin, { discounts: use(coupon) })
    await twin.post(`/v1/subscriptions/${subscription.id}`, { items: [{ price: pro }] })
    await twin.post('/v1/invoiceitems', {
      customer: customer.id,
      subscription: subscription.id,
      price_data: { currency: 'usd', product, unit_amount: 700 },
    })
    await go(twin, END)
    expect(offEach(await newestInvoice(twin))).toEqual([[70], [], [300]])
    expect(await totals(twin)).toEqual([2000, 5330])
  })

  test('a canceled subscription is credited what was billed', async () => {
    const { twin, path, customer } = await subscribeTo([2000], { coupons: [HALF], discounts: use('HALF') })
    await go(twin, MIDDLE)
    await twin.delete(path, { prorate: true, invoice_now: true })
    expect(await newestInvoice(twin)).toMatchObject({ total: -500 })
    expect(await balanceOf(twin, { id: customer })).toBe(-500)
    expect((await twin.events('&type=customer.discount.*')).map(({ type }) => type)).toEqual([
      'customer.discount.created',
      'customer.discount.deleted',
    ])
  })

  test('after the end of a discount, a change credits the discounted amount and charges the full one', async () => {
    const { twin, path } = await subscribeTo([36_500], {
      now: '2026-01-01T00:00:00Z',
      price: { recurring: { interval: 'year' } },
      coupons: [{ ...HALF, duration: 'repeating', duration_in_months: 3 }],
      discounts: use('HALF'),
    })
    const [item] = (await twin.get(path)).items.data
    // 265 of 365 days remain.
    await go(twin, '2026-04-11T00:00:00Z')
    await twin.post(path, { items: [{ id: item.id, quantity: 2 }], proration_behavior: 'create_prorations' })
    expect(await pendingAmounts(twin)).toEqual([-13_250, 53_000])
    await go(twin, '2027-01-01T00:00:00Z')
    expect(await totals(twin)).toEqual([18_250, 112_750])
  })
})

test('a deleted discount that a draft uses later is reported as deleted once', async () => {
  const twin = await openTwin({ now: START })
  const coupon = await makeCoupon(twin, { percent_off: 33, duration: 'once' })
  const customer = await twin.post('/v1/customers', { coupon })
  const draft = await twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' })
  await twin.request('DELETE', `/v1/customers/${customer.id}/discount`)
  await twin.post('/v1/invoiceitems', {
    customer: customer.id,
    invoice: draft.id,
    amount: 1000,
    currency: 'usd',
  })
  expect(offEach(await twin.get(`/v1/invoices/${draft.id}`))).toEqual([[330]])
  const { data } = await twin.get('/v1/events?type=customer.discount.deleted')
  expect(data).toHaveLength(1)
})

test('histories with discounts are the same in one jump and in steps', async () => {
  const histories = []
  for (const [, pace] of QUICK_PACES) {
    const { twin, path, customer } = await subscribeTo([2000, 3000], {
      now: '2026-01-31T10:00:00Z',
      coupons: [
        { ...TEN, duration: 'repeating', duration_in_months: 2 },
        { id: 'FIVE', amount_off: 500, currency: 'usd', duration: 'once' },
        { id: 'LATE', percent_off: 5, redeem_by: at('2026-03-15T00:00:00Z') },
      ],
      discounts: use('TEN', 'FIVE'),
      customer: { coupon: 'LATE' },
    })
    await twin.post('/v1/promotion_codes', {
      coupon: 'LATE',
      code: 'SPRING',
      expires_at: at('2026-03-01T00:00:00Z'),
    })
    await pace(twin, at('2026-03-10T00:00:00Z'))
    await twin.post('/v1/invoiceitems', {
      customer,
      subscription: path.split('/').at(-1),
      amount: 100,
      currency: 'usd',
    })
    await pace(twin, at('2026-06-30T00:00:00Z'))
    const rest = {
      coupons: await listAll(twin, '/v1/coupons'),
      codes: await listAll(twin, '/v1/promotion_codes'),
      totals: await totals(twin),
    }
    histories.push({ ...(await historyOf(twin)), ...rest })
  }
  expect(histories[1]).toEqual(histories[0])
  // 4500 − 500 on 31 January; 4500; LATE: 5 % of 5100, then of 5000
  expect(histories[0]?.totals).toEqual([4000, 4500, 4845, 4750, 4750])
  expect(histories[0]?.coupons.find(({ id }) => id === 'LATE')).toMatchObject({ valid: false })
  expect(histories[0]?.codes[0]).toMatchObject({ code: 'SPRING', active: false })
})

test('timelines show the discounts of a customer and of a subscription', async () => {
  const { twin, path, customer } = await subscribeTo([2000], {
    coupons: [HALF, { ...TEN, duration: 'repeating', duration_in_months: 1 }],
    discounts: use('TEN'),
    customer: { coupon: 'HALF' },
  })
  await twin.advance({ to: END })
  const { adminToken } = twin.sandbox
  const headers = { Authorization: `Bearer ${adminToken}`, Host: 'localhost' }
  const happened = async (of: string) => {
    const { body } = await twin.request('GET', `/_paytwin/${of}`, undefined, headers)
    return body.timeline.happened.data
      .filter(({ resource }: Body) => resource === 'discount')
      .map(({ type, label }: Body) => `${type} ${label}`)
  }
  const ofSubscription = ['customer.discount.created TEN 10 %', 'customer.discount.deleted TEN 10 %']
  expect(await happened(`subscriptions/${path.split('/').at(-1)}`)).toEqual(ofSubscription)
  expect(await happened(`customers/${customer}`)).toEqual([
    'customer.discount.created HALF 50 %',
    ...ofSubscription,
  ])
})

test('the largest amount limits the total of a draft after discounts', async () => {
  const { twin, customer } = await subscribeTo([2000], { coupons: [HALF] })
  const draft = await twin.post('/v1/invoices', { customer, currency: 'usd', discounts: use('HALF') })
  const item = (amount: number) => ({ customer, currency: 'usd', invoice: draft.id, amount })
  await twin.post('/v1/invoiceitems', item(99_999_999))
  const second = await twin.post('/v1/invoiceitems', item(99_999_997))
  const full = await twin.get(`/v1/invoices/${draft.id}`)
  expect(full).toMatchObject({ subtotal: 199_999_996, total: 99_999_997 })

  const refusal = { code: 'amount_too_large', param: 'amount' }
  expect((await twin.request('POST', '/v1/invoiceitems', item(10))).body.error).toMatchObject(refusal)
  expect(await twin.get(`/v1/invoices/${draft.id}`)).toEqual(full)
  await twin.post(`/v1/invoiceitems/${second.id}`, { amount: 99_999_999 })
  expect(await twin.get(`/v1/invoices/${draft.id}`)).toMatchObject({ total: 99_999_998 })
})
