import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, clientOf, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import {
  anotherMerchant,
  expectRefused,
  invalid,
  missing,
  type Refusal,
  rows,
  toForm,
  unknown,
} from './support.ts'

const NOW = 1769853600

let twin: Twin
let base: Body
/** Objects that cannot be used, each for another reason. */
const odd: Record<string, string> = {}

beforeAll(async () => {
  twin = await startTwin()
  const { customer, method } = await makeCustomer(twin)
  const price = await makePrice(twin)
  base = {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  }
  odd.good = price.id
  odd.euro = (await makePrice(twin, { currency: 'eur' })).id
  odd.yearly = (await makePrice(twin, { recurring: { interval: 'year' } })).id
  odd.quarterly = (await makePrice(twin, { recurring: { interval: 'month', interval_count: 3 } })).id
  odd.inactive = (await makePrice(twin, { active: false })).id
  odd.dear = (await makePrice(twin, { unit_amount: 99_999_999 })).id
  odd.cent = (await makePrice(twin, { unit_amount: 1 })).id
  odd.oneTime = (await twin.post('/v1/prices', { unit_amount: 1, currency: 'usd' })).id
  odd.theirs = (await makeCustomer(twin)).method.id
  odd.free = (await twin.post('/v1/payment_methods', { type: 'pix' })).id
  odd.pix = (await twin.post('/v1/payment_methods/pm_pix/attach', { customer: customer.id })).id
  const doomed = await makeCustomer(twin)
  await twin.delete(`/v1/customers/${doomed.customer.id}`)
  odd.deleted = doomed.customer.id
  const { secretKey } = await anotherMerchant(twin)
  const stranger = clientOf(twin.sandbox, secretKey)
  odd.foreignPrice = (await makePrice(stranger)).id
  const foreign = await makeCustomer(stranger)
  odd.foreignCustomer = foreign.customer.id
  odd.foreignMethod = foreign.method.id
})
afterAll(() => twin.close())

const refused = (change: Body, refusal: Refusal) =>
  expectRefused(twin, ['POST', '/v1/subscriptions', { ...base, ...change }], refusal)
const items = (...names: string[]) => ({ items: names.map((name) => ({ price: odd[name] ?? name })) })
const method = (name: string) => ({ default_payment_method: odd[name] ?? name })
const tooLarge: Refusal = { code: 'amount_too_large', param: 'amount' }
const unsupported: Refusal = {
  status: 422,
  code: 'unsupported_psp_capability',
  param: 'default_payment_method',
}

describe('a reference that leads nowhere is 404', () => {
  test.each<[string, () => Body, string]>([
    ['an unknown customer', () => ({ customer: 'cus_unknown' }), 'customer'],
    ['a deleted customer', () => ({ customer: odd.deleted }), 'customer'],
    ['a customer of another merchant', () => ({ customer: odd.foreignCustomer }), 'customer'],
    ['a price as customer', () => ({ customer: odd.good }), 'customer'],
    ['a name of the prototype', () => ({ customer: 'toString' }), 'customer'],
    ['an unknown price', () => items('price_unknown'), 'items[0][price]'],
    ['an unknown second price', () => items('good', 'price_unknown'), 'items[1][price]'],
    ['a price of another merchant', () => items('foreignPrice'), 'items[0][price]'],
    ['an unknown payment method', () => method('pm_unknown'), 'default_payment_method'],
    ['a payment method of another merchant', () => method('foreignMethod'), 'default_payment_method'],
    ['an unknown test card', () => method('pm_card_unknown'), 'default_payment_method'],
  ])('%s', async (_, change, param) => {
    await refused(change(), unknown(param))
  })
})

describe('a reference that cannot be used so is 400', () => {
  test.each<[string, () => Body, string]>([
    ['another customer’s payment method', () => method('theirs'), 'default_payment_method'],
    ['nobody’s payment method', () => method('free'), 'default_payment_method'],
    ['a one-time price', () => items('oneTime'), 'items[0][price]'],
    ['an inactive price', () => items('good', 'inactive'), 'items[1][price]'],
    ['a price in another currency', () => items('euro'), 'items[0][price]'],
    ['mixed currencies', () => items('good', 'euro'), 'items[1][price]'],
    ['mixed intervals', () => items('good', 'yearly'), 'items[1][price]'],
    ['mixed counts of intervals', () => items('good', 'quarterly'), 'items[1][price]'],
    ['a price given twice', () => items('good', 'good'), 'items[1][price]'],
  ])('%s', async (_, change, param) => {
    await refused(change(), invalid(param))
  })
})

describe('a parameter that cannot be is 400', () => {
  test.each(
    rows<[Body, string]>(
      [{ customer: '' }, 'customer'],
      [{ customer: 5 }, 'customer'],
      [{ customer: null }, 'customer'],
      [{ customer: { id: 'cus_1' } }, 'customer'],
      [{ default_payment_method: null }, 'default_payment_method'],
      [{ default_payment_method: '' }, 'default_payment_method'],
      [{ items: [] }, 'items'],
      [{ items: {} }, 'items'],
      [{ items: '' }, 'items'],
      [{ items: null }, 'items'],
      [{ items: Array.from({ length: 21 }, (_, index) => ({ price: `price_${index}` })) }, 'items'],
      [{ items: [null] }, 'items[0]'],
      [{ items: [[]] }, 'items[0]'],
      [{ items: ['price_1'] }, 'items[0]'],
      [{ items: [{ price: 5 }] }, 'items[0][price]'],
      [{ items: [{ price: { id: 'x' } }] }, 'items[0][price]'],
      [{ payment_behavior: 'pending_if_incomplete' }, 'payment_behavior'],
      [{ payment_behavior: null }, 'payment_behavior'],
      [{ collection_method: 'by_pigeon' }, 'collection_method'],
      [{ collection_method: 'send_invoice', days_until_due: -1 }, 'days_until_due'],
      [{ collection_method: 'send_invoice', days_until_due: 1.5 }, 'days_until_due'],
      [{ trial_period_days: 0 }, 'trial_period_days'],
      [{ trial_period_days: -1 }, 'trial_period_days'],
      [{ trial_period_days: 731 }, 'trial_period_days'],
      [{ trial_period_days: 1.5 }, 'trial_period_days'],
      [{ trial_period_days: '7' }, 'trial_period_days'],
      [{ trial_period_days: null }, 'trial_period_days'],
      [{ trial_end: NOW }, 'trial_end'],
      [{ trial_end: NOW - 1 }, 'trial_end'],
      [{ trial_end: 0 }, 'trial_end'],
      [{ trial_end: -1 }, 'trial_end'],
      [{ trial_end: 1832925601 }, 'trial_end'],
      [{ trial_end: 1e15 }, 'trial_end'],
      [{ trial_end: 'tomorrow' }, 'trial_end'],
      [{ trial_end: 'NOW' }, 'trial_end'],
      [{ trial_end: '1770000000' }, 'trial_end'],
      [{ trial_end: null }, 'trial_end'],
      [{ trial_end: 1770000000, trial_period_days: 7 }, 'trial_end'],
      [{ trial_end: 'now', trial_period_days: 7 }, 'trial_end'],
      [{ trial_settings: 'pause' }, 'trial_settings'],
      [{ trial_settings: { end_behavior: 'pause' } }, 'trial_settings[end_behavior]'],
      [
        { trial_settings: { end_behavior: { missing_payment_method: 'beg' } } },
        'trial_settings[end_behavior][missing_payment_method]',
      ],
      [{ metadata: { a: null } }, 'metadata'],
      [{ description: 5 }, 'description'],
    ),
  )('%j', async ([change, param]) => {
    await refused(change, invalid(param))
  })

  test.each(rows<unknown>(-1, 1.5, '1', '', null, true, [], {}, 2 ** 53))(
    'a quantity of %j',
    async (quantity) => {
      await refused({ items: [{ price: odd.good, quantity }] }, invalid('items[0][quantity]'))
    },
  )

  test.each(rows('0', '-1', '731', '1.5', 'week', ''))('trial_period_days=%s in a form', async (days) => {
    const form = toForm({ ...base, trial_period_days: days })
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    await expectRefused(twin, ['POST', '/v1/subscriptions', form, headers], invalid('trial_period_days'))
  })
})

describe('a payment method is required', () => {
  const without = ({ default_payment_method: _, ...body }: Body) => body
  test.each<[string, Body]>([
    ['when charged automatically', {}],
    ['when that is said', { collection_method: 'charge_automatically' }],
    ['when the trial ends now', { trial_end: 'now' }],
  ])('%s', async (_, change) => {
    const body = { ...without(base), ...change }
    await expectRefused(twin, ['POST', '/v1/subscriptions', body], missing('default_payment_method'))
  })

  test('even if the customer has a default', async () => {
    const { customer, method: card } = await makeCustomer(twin)
    const settings = { invoice_settings: { default_payment_method: card.id } }
    await twin.post(`/v1/customers/${customer.id}`, settings)
    const body = { ...without(base), customer: customer.id }
    await expectRefused(twin, ['POST', '/v1/subscriptions', body], missing('default_payment_method'))
  })
})

describe('a payment method that cannot recur is 422', () => {
  test.each<[string, () => Body]>([
    ['by its test id', () => method('pm_pix')],
    ['another by its test id', () => method('pm_boleto')],
    ['attached', () => method('pix')],
    ['with a trial', () => ({ ...method('pix'), trial_period_days: 7 })],
    ['when invoiced', () => ({ ...method('pm_pix'), collection_method: 'send_invoice' })],
    ['with error_if_incomplete', () => ({ ...method('pix'), payment_behavior: 'error_if_incomplete' })],
  ])('%s', async (_, change) => {
    await refused(change(), unsupported)
  })

  test.each<[string, () => Body, Refusal]>([
    ['an unknown price', () => items('price_unknown'), unknown('items[0][price]')],
    ['an inactive price', () => items('inactive'), invalid('items[0][price]')],
    ['too large a sum', () => ({ items: [{ price: odd.dear, quantity: 2 }] }), tooLarge],
    ['a trial that ends in the past', () => ({ trial_end: NOW - 1 }), invalid('trial_end')],
    ['a trial that ends too late', () => ({ trial_end: NOW + 10 ** 8 }), invalid('trial_end')],
  ])('but %s is checked first', async (_, change, refusal) => {
    await refused({ ...change(), ...method('pix') }, refusal)
  })
})

describe('of several mistakes', () => {
  test.each<[string, () => Body, Refusal]>([
    [
      'form comes before references',
      () => ({ customer: 'cus_unknown', trial_period_days: 0 }),
      invalid('trial_period_days'),
    ],
    [
      'the customer comes before prices',
      () => ({ customer: 'cus_unknown', ...items('price_unknown') }),
      unknown('customer'),
    ],
    [
      'an unknown reference before an unusable one',
      () => ({ ...items('inactive'), ...method('pm_unknown') }),
      unknown('default_payment_method'),
    ],
    ['an unusable price before the sum', () => items('good', 'dear', 'euro'), invalid('items[2][price]')],
  ])('%s', async (_, change, refusal) => {
    await refused(change(), refusal)
  })
})

describe('a sum of more than 99999999', () => {
  test.each<[string, () => Body]>([
    ['of one item', () => ({ items: [{ price: odd.dear, quantity: 2 }] })],
    ['of two items', () => items('dear', 'cent')],
    ['of very many', () => ({ items: [{ price: odd.cent, quantity: 100_000_000 }] })],
    ['beyond what numbers hold', () => ({ items: [{ price: odd.dear, quantity: 2 ** 53 - 1 }] })],
    ['during a trial', () => ({ ...items('dear', 'cent'), trial_period_days: 7 })],
    ['when invoiced', () => ({ ...items('dear', 'cent'), collection_method: 'send_invoice' })],
  ])('%s is refused', async (_, change) => {
    await refused(change(), tooLarge)
  })

  test('is the first that is too large', async () => {
    const response = await twin.request('POST', '/v1/subscriptions', { ...base, ...items('dear') })
    expect(response.status).toBe(201)
  })
})
