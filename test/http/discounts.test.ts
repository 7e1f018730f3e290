import { beforeEach, describe, expect, test } from 'vitest'
import { createPromotionCode, MAX_ACTIVE_CODES } from '../../src/engine/resources/promotion-code.ts'
import { at, openTwin, subscribe } from '../scenarios/story.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { expectRefusal, invalid, missing, postForm, unknown } from './support.ts'

let twin: Twin
let customer: Body
let subscription: Body
let path: string
beforeEach(async () => {
  twin = await openTwin({ now: '2026-04-01T00:00:00Z', strictParams: true })
  ;({ customer, subscription } = await subscribe(twin))
  path = `/v1/subscriptions/${subscription.id}`
})

const coupon = (params: Body) => twin.post('/v1/coupons', { duration: 'forever', ...params })
const ten = (params: Body = {}) => coupon({ id: 'TEN', percent_off: 10, ...params })
const promotion = (params: Body = {}) => twin.post('/v1/promotion_codes', { coupon: 'TEN', ...params })
const use = (...coupons: string[]) => coupons.map((each) => ({ coupon: each }))

/** A request that is refused with a parameter, and writes nothing. */
async function refused(params: Body, param: string, to = path): Promise<string> {
  const before = await twin.events()
  const response = await twin.request('POST', to, params)
  expectRefusal(response, invalid(param))
  expect(await twin.events()).toHaveLength(before.length)
  return response.body.error.message
}

test('a coupon has a limited number of active promotion codes', async () => {
  await ten()
  const other = await promotion({ active: false })
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    for (let n = 0; n < MAX_ACTIVE_CODES; n += 1) createPromotionCode(unit, { coupon: 'TEN' })
  })
  const message = 'A coupon can have at most 1000 active promotion codes'
  expect(await refused({ coupon: 'TEN' }, 'coupon', '/v1/promotion_codes')).toBe(message)
  expect(await refused({ active: true }, 'coupon', `/v1/promotion_codes/${other.id}`)).toBe(message)
  await promotion({ active: false })
  const [newest] = (await twin.get('/v1/promotion_codes?active=true&limit=1')).data
  await twin.post(`/v1/promotion_codes/${newest.id}`, { active: false })
  await promotion()
})

test('a request ends several coupons only if they have few active promotion codes together', async () => {
  const { engine, merchant } = twin.sandbox
  for (const id of ['ONE', 'TWO', 'SIX']) await coupon({ id, percent_off: 10, max_redemptions: 1 })
  await engine.command(merchant, null, (unit) => {
    for (let n = 0; n < MAX_ACTIVE_CODES; n += 1)
      createPromotionCode(unit, { coupon: n % 2 === 0 ? 'ONE' : 'TWO' })
    createPromotionCode(unit, { coupon: 'SIX' })
  })
  expect(await refused({ discounts: use('ONE', 'TWO', 'SIX') }, 'discounts[2][coupon]')).toContain(
    'more than 1000 promotion codes inactive',
  )
  await twin.post(path, { discounts: use('ONE', 'TWO') })
  expect((await twin.get('/v1/promotion_codes?active=true')).data).toHaveLength(1)
  const kept = (await twin.get(path)).discounts.map((id: string) => ({ discount: id }))
  await twin.post(path, { discounts: [...kept, ...use('SIX')] })
})

describe('a coupon', () => {
  test.each<[Body, string]>([
    [{ percent_off: 10, amount_off: 5, currency: 'usd' }, 'amount_off'],
    [{ percent_off: 0 }, 'percent_off'],
    [{ percent_off: 100.01 }, 'percent_off'],
    [{ percent_off: 12.345 }, 'percent_off'],
    [{ amount_off: 0, currency: 'usd' }, 'amount_off'],
    [{ amount_off: 5, currency: 'xxx' }, 'currency'],
    [{ percent_off: 10, currency: 'usd' }, 'currency'],
    [{ percent_off: 10, duration: 'always' }, 'duration'],
    [{ percent_off: 10, duration: 'once', duration_in_months: 3 }, 'duration_in_months'],
    [{ percent_off: 10, max_redemptions: 0 }, 'max_redemptions'],
    [{ percent_off: 10, redeem_by: 1 }, 'redeem_by'],
    [{ percent_off: 10, id: 'a b' }, 'id'],
  ])('%j is refused', async (params, param) => {
    await refused(params, param, '/v1/coupons')
  })

  test.each<[Body, string]>([
    [{}, 'percent_off'],
    [{ amount_off: 5 }, 'currency'],
    [{ percent_off: 10, duration: 'repeating' }, 'duration_in_months'],
  ])('%j lacks a parameter', async (params, param) => {
    expectRefusal(await twin.request('POST', '/v1/coupons', params), missing(param))
  })

  test('is created, renamed, listed and deleted', async () => {
    const created = await ten({ name: 'Ten', metadata: { a: '1' } })
    expect(created).toMatchObject({ id: 'TEN', percent_off: 10, valid: true, times_redeemed: 0 })
    await refused({ id: 'TEN', percent_off: 5 }, 'id', '/v1/coupons')
    expect(await twin.post('/v1/coupons/TEN', { name: '10 %' })).toMatchObject({ name: '10 %' })
    const other = await coupon({ amount_off: 500, currency: 'EUR' })
    expect(other).toMatchObject({ id: expect.stringMatching(/^\w{8}$/), currency: 'eur' })
    const ids = async (query = '') => (await twin.get(`/v1/coupons${query}`)).data.map(({ id }: Body) => id)
    expect(await ids()).toEqual([other.id, 'TEN'])
    expect(await ids(`?starting_after=${other.id}`)).toEqual(['TEN'])
    await twin.post(path, { discounts: use('TEN') })
    expect(await twin.delete('/v1/coupons/TEN')).toMatchObject({ id: 'TEN', deleted: true })
    expect((await twin.request('GET', '/v1/coupons/TEN')).status).toBe(404)
    expect(await refused({ discounts: use('TEN') }, 'discounts[0][coupon]')).toContain('deleted')
    // Its discount goes on, and the id is free again.
    await twin.advance({ to: at('2026-05-01T00:00:00Z') })
    expect((await twin.get('/v1/invoices?limit=1')).data[0].total).toBe(1800)
    await ten()
    const types = (await twin.events('&type=coupon.*')).map(({ type }) => type)
    expect(types).toEqual(
      ['created', 'updated', 'created', 'deleted', 'created'].map((word) => `coupon.${word}`),
    )
  })

  test('takes decimals in a form', async () => {
    const { status, body } = await postForm(twin, '/v1/coupons', 'percent_off=12.5&duration=forever')
    expect([status, body.percent_off]).toEqual([201, 12.5])
    expectRefusal(await postForm(twin, '/v1/coupons', 'percent_off=1e1'), invalid('percent_off'))
  })

  test('is unknown by another id', async () => {
    const response = await twin.request('GET', '/v1/coupons/OTHER')
    expectRefusal(response, unknown())
  })
})

describe('a promotion code', () => {
  beforeEach(async () => {
    await ten()
  })

  test('is unique among active codes, regardless of case', async () => {
    const first = await promotion({ code: 'Spring' })
    expect(first).toMatchObject({ active: true, coupon: { id: 'TEN' } })
    await refused({ coupon: 'TEN', code: 'SPRING' }, 'code', '/v1/promotion_codes')
    await twin.post(`/v1/promotion_codes/${first.id}`, { active: false })
    const second = await promotion({ code: 'SPRING' })
    await refused({ active: true }, 'code', `/v1/promotion_codes/${first.id}`)
    const ids = async (query: string) =>
      (await twin.get(`/v1/promotion_codes?${query}`)).data.map(({ id }: Body) => id)
    expect(await ids('code=sprinG')).toEqual([second.id, first.id])
    expect(await ids('code=spring&active=true')).toEqual([second.id])
    expect(await ids('coupon=TEN&active=false')).toEqual([first.id])
    expect(await ids(`customer=${customer.id}`)).toEqual([])
    expect((await promotion()).code).toMatch(/^[A-Z2-9]{8}$/)
  })

  test.each<[string, Body, string]>([
    ['of another customer', {}, 'belongs to another customer'],
    ['that is not active', { active: false }, 'is not active'],
    [
      'whose minimum is not reached',
      { restrictions: { minimum_amount: 2001, minimum_amount_currency: 'usd' } },
      'at least 20.01 USD',
    ],
    [
      'whose minimum is in another currency',
      { restrictions: { minimum_amount: 1, minimum_amount_currency: 'eur' } },
      'at least 0.01 EUR',
    ],
    ['for the first payment', { restrictions: { first_time_transaction: true } }, 'first payment'],
  ])('%s is refused', async (_, params, why) => {
    const other = why.startsWith('belongs') ? { customer: (await twin.post('/v1/customers', {})).id } : {}
    const { id } = await promotion({ ...params, ...other })
    const message = await refused({ discounts: [{ promotion_code: id }] }, 'discounts[0][promotion_code]')
    expect(message).toContain(why)
  })

  test('with a minimum that is reached, and for the first payment, is redeemed', async () => {
    const { id: promotion_code } = await promotion({
      restrictions: { minimum_amount: 2000, minimum_amount_currency: 'usd', first_time_transaction: true },
    })
    await refused({ promotion_code }, 'promotion_code', `/v1/customers/${customer.id}`)
    const { subscription: other } = await subscribe(twin, { discounts: [{ promotion_code }] })
    const { discounts } = await twin.get(`/v1/subscriptions/${other.id}?expand[]=discounts.promotion_code`)
    expect(discounts[0]).toMatchObject({
      promotion_code: { times_redeemed: 1 },
      coupon: { times_redeemed: 1 },
    })
  })

  test('expires, and its coupon makes it inactive', async () => {
    const instant = at('2026-04-10T00:00:00Z')
    const first = await promotion({ expires_at: instant })
    const second = await promotion()
    await twin.advance({ to: instant })
    const use1 = { discounts: [{ promotion_code: first.id }] }
    expect(await refused(use1, 'discounts[0][promotion_code]')).toContain('expired')
    await refused({ active: true }, 'active', `/v1/promotion_codes/${first.id}`)
    await twin.delete('/v1/coupons/TEN')
    expect((await twin.get(`/v1/promotion_codes/${second.id}`)).active).toBe(false)
    await refused({ active: true }, 'active', `/v1/promotion_codes/${second.id}`)
  })
})

describe('discounts are refused', () => {
  test('with a coupon that has expired, or is in another currency', async () => {
    const redeem_by = at('2026-04-02T00:00:00Z')
    await ten({ redeem_by })
    await coupon({ id: 'EURO', amount_off: 500, currency: 'eur' })
    expect(await refused({ discounts: use('EURO') }, 'discounts[0][coupon]')).toContain('in eur, not in usd')
    await twin.advance({ to: redeem_by })
    expect(await refused({ discounts: use('TEN') }, 'discounts[0][coupon]')).toContain('has expired')
    expect((await twin.get('/v1/coupons/TEN')).valid).toBe(false)
    await refused({ coupon: 'TEN' }, 'coupon', `/v1/customers/${customer.id}`)
  })

  test('that are too many, or the same coupon twice, or not one of the forms', async () => {
    await ten()
    await refused({ discounts: use(...Array(21).fill('TEN')) }, 'discounts')
    await refused({ discounts: use('TEN', 'TEN') }, 'discounts[1][coupon]')
    const { id } = await promotion()
    await refused({ discounts: [{ coupon: 'TEN', promotion_code: id }] }, 'discounts[0][promotion_code]')
    const [item] = subscription.items.data
    await refused(
      { items: [{ id: item.id, discounts: use('TEN', 'TEN') }] },
      'items[0][discounts][1][coupon]',
    )
    expect((await twin.get('/v1/coupons/TEN')).times_redeemed).toBe(0)
    await refused({ coupon: 'TEN', promotion_code: id }, 'promotion_code', `/v1/customers/${customer.id}`)
    const unknownCoupon = await twin.request('POST', path, { discounts: use('NONE') })
    expectRefusal(unknownCoupon, unknown('discounts[0][coupon]'))
  })

  test('of another object', async () => {
    await ten()
    const other = await twin.post('/v1/customers', { coupon: 'TEN' })
    await refused({ discounts: [{ discount: other.discount.id }] }, 'discounts[0][discount]')
  })

  test('beyond max_redemptions, whatever comes at once', async () => {
    await ten({ max_redemptions: 3 })
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => twin.request('POST', '/v1/customers', { coupon: 'TEN' })),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3)
    for (const response of responses.filter(({ status }) => status !== 201))
      expectRefusal(response, invalid('coupon'))
    expect(await twin.get('/v1/coupons/TEN')).toMatchObject({ times_redeemed: 3, valid: false })
  })
})

test('the discount of a customer is set, replaced and removed', async () => {
  await ten()
  await coupon({ id: 'HALF', percent_off: 50 })
  const to = `/v1/customers/${customer.id}`
  const first = (await twin.post(to, { coupon: 'TEN' })).discount
  expect(first).toMatchObject({ coupon: { id: 'TEN' }, customer: customer.id, subscription: null })
  expect((await twin.post(to, { coupon: 'HALF' })).discount.id).not.toBe(first.id)
  expect(await twin.delete(`${to}/discount`)).toMatchObject({ deleted: true, coupon: { id: 'HALF' } })
  expect((await twin.get(to)).discount).toBeNull()
  expectRefusal(await twin.request('DELETE', `${to}/discount`), unknown())
  await twin.post(to, { coupon: 'HALF' })
  expect((await twin.post(to, { coupon: '' })).discount).toBeNull()
  expect((await twin.events('&type=customer.discount.*')).map(({ type }) => type.split('.')[2])).toEqual([
    'created',
    'updated',
    'deleted',
    'created',
    'deleted',
  ])
})

test('discounts of a subscription are kept, added, reordered and cleared', async () => {
  await ten()
  await coupon({ id: 'HALF', percent_off: 50 })
  const [first] = (await twin.post(path, { discounts: use('TEN') })).discounts
  const both = await twin.post(path, { discounts: [{ coupon: 'HALF' }, { discount: first }] })
  expect(both.discounts).toEqual([expect.stringMatching(/^di_/), first])
  await twin.post(path, { discounts: [{ discount: first }, { discount: both.discounts[0] }] })
  expect((await twin.get(path)).discounts).toEqual([first, both.discounts[0]])
  expect((await twin.post(path, { discounts: '' })).discounts).toEqual([])
  const types = (await twin.events('&type=customer.discount.*')).map(({ type }) => type.split('.')[2])
  expect(types).toEqual(['created', 'created', 'deleted', 'deleted'])
  expect((await twin.get('/v1/coupons/TEN')).times_redeemed).toBe(1)
})

describe('a manual invoice', () => {
  const item = (params: Body) =>
    twin.post('/v1/invoiceitems', { customer: customer.id, amount: 1000, currency: 'usd', ...params })

  test('inherits the discount of the customer, or has its own, or none', async () => {
    await ten()
    await coupon({ id: 'HALF', percent_off: 50 })
    await twin.post(`/v1/customers/${customer.id}`, { coupon: 'TEN' })
    await item({})
    const inherits = await twin.post('/v1/invoices', { customer: customer.id })
    expect(inherits).toMatchObject({ subtotal: 1000, total: 900 })
    await item({ invoice: inherits.id, amount: 55 })
    expect(await twin.get(`/v1/invoices/${inherits.id}`)).toMatchObject({ subtotal: 1055, total: 949 })
    await item({})
    const own = await twin.post('/v1/invoices', { customer: customer.id, discounts: use('HALF') })
    expect(own.total).toBe(500)
    await twin.delete(`/v1/invoices/${own.id}`)
    const none = await twin.post('/v1/invoices', { customer: customer.id, discounts: '' })
    expect(none.total).toBe(1000)
  })

  test('has items with discounts of their own, and items without any', async () => {
    await ten()
    await coupon({ id: 'FIVE', amount_off: 500, currency: 'usd' })
    await item({ discounts: use('FIVE') })
    await item({ discountable: false })
    const { id } = await item({})
    const draft = await twin.post('/v1/invoices', { customer: customer.id, discounts: use('TEN') })
    expect(draft).toMatchObject({ subtotal: 3000, total: 2400 })
    await twin.post(`/v1/invoiceitems/${id}`, { discounts: use('FIVE') })
    expect((await twin.get(`/v1/invoices/${draft.id}`)).total).toBe(2000)
    await twin.post(`/v1/invoiceitems/${id}`, { discounts: '', quantity: 3 })
    expect((await twin.get(`/v1/invoices/${draft.id}`)).total).toBe(500 + 1000 + 2700)
    const paid = await twin.post(`/v1/invoices/${draft.id}/pay`, { payment_method: 'pm_card_visa' })
    expect(paid).toMatchObject({ amount_paid: 4200, status: 'paid' })
  })

  test('uses up the discount once of a customer when it is first reduced', async () => {
    await ten({ duration: 'once' })
    await twin.post(`/v1/customers/${customer.id}`, { coupon: 'TEN' })
    const empty = () => twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' })
    const [first, second] = [await empty(), await empty()]
    expect((await twin.get(`/v1/customers/${customer.id}`)).discount).not.toBeNull()
    await item({ invoice: second.id })
    expect((await twin.get(`/v1/customers/${customer.id}`)).discount).toBeNull()
    await item({ invoice: first.id })
    await item({ invoice: second.id })
    expect((await twin.get(`/v1/invoices/${first.id}`)).total).toBe(1000)
    expect((await twin.get(`/v1/invoices/${second.id}`)).total).toBe(1800)
  })
})

describe('a preview', () => {
  test('is the invoice that the change makes', async () => {
    await ten()
    await coupon({ id: 'HALF', percent_off: 50, duration: 'once' })
    const { id: price } = await makePrice(twin, { unit_amount: 5000 })
    const [item] = subscription.items.data
    const items = [{ id: item.id, price, discounts: use('TEN') }]
    await twin.advance({ to: at('2026-04-16T00:00:00Z') })
    const change = { items, proration_behavior: 'always_invoice' }
    const shown = await twin.post('/v1/invoices/create_preview', {
      subscription: subscription.id,
      subscription_details: change,
    })
    // Half of 20.00 is credited, half of 50.00 − 10 % is charged.
    expect(shown.total).toBe(1250)
    expect((await twin.get('/v1/coupons/TEN')).times_redeemed).toBe(0)
    await twin.post(path, change)
    const [made] = (await twin.get('/v1/invoices?limit=1')).data
    expect(made).toMatchObject({ total: 1250, subtotal: shown.subtotal })
    const next = await twin.post('/v1/invoices/create_preview', {
      subscription: subscription.id,
      discounts: use('HALF'),
    })
    expect(next).toMatchObject({ subtotal: 5000, total: 4500, discounts: ['di_preview_1'] })
    const refusal = await twin.request('POST', '/v1/invoices/create_preview', {
      subscription: subscription.id,
      discounts: use('TEN', 'TEN'),
    })
    expectRefusal(refusal, invalid('discounts[1][coupon]'))
  })

  test('of a new subscription has its discounts', async () => {
    await ten()
    const [item] = subscription.items.data
    const shown = await twin.post('/v1/invoices/create_preview', {
      customer: customer.id,
      discounts: use('TEN'),
      subscription_details: { items: [{ price: item.price.id }] },
    })
    expect(shown).toMatchObject({ subtotal: 2000, total: 1800 })
    expect(shown.total_discount_amounts).toEqual([{ amount: 200, discount: 'di_preview_1' }])
  })
})
