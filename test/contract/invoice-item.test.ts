import { describe, expect, test } from 'vitest'
import { invalid, missing, type Refusal, rows, unknown } from '../http/support.ts'
import { openTwin } from '../scenarios/story.ts'
import { type Body, makeCustomer, makePrice } from '../twin.ts'
import { amountInvalid, amountTooLarge, emitted, NOW, refuses } from './support.ts'

describe('an invoice item', () => {
  test('is pending for the next invoice of its customer, without an event', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const events = await emitted(twin, async () => {
      const params = {
        customer: customer.id,
        amount: 700,
        currency: 'USD',
        quantity: 2,
        description: 'Setup',
        metadata: { a: 'b' },
      }
      const { status, body } = await twin.request('POST', '/v1/invoiceitems', params)
      expect(status).toBe(201)
      expect(body).toEqual({
        id: expect.stringMatching(/^ii_[A-Za-z0-9]{14,}$/),
        object: 'invoiceitem',
        created: NOW,
        livemode: false,
        merchant_id: twin.sandbox.merchant.settings.id,
        customer: customer.id,
        invoice: null,
        amount: 1400,
        unit_amount: 700,
        currency: 'usd',
        quantity: 2,
        price: null,
        description: 'Setup',
        discountable: true,
        discounts: [],
        metadata: { a: 'b' },
        subscription: null,
        subscription_item: null,
        proration: false,
        period: { start: NOW, end: NOW },
        test_clock: null,
      })
      expect(await twin.get(`/v1/invoiceitems/${body.id}`)).toEqual(body)
    })
    expect(events).toBe('')
  })

  test('may be of a one-time price', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const { id } = await makePrice(twin, { recurring: undefined, unit_amount: 300 })
    const item = await twin.post('/v1/invoiceitems', { customer: customer.id, price: id, quantity: 3 })
    expect(item).toMatchObject({ amount: 900, unit_amount: 300, currency: 'usd', price: id })
  })

  test('is refused when it cannot be', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const recurring = await makePrice(twin)
    const oneTime = await makePrice(twin, { recurring: undefined })
    const base = { customer: customer.id, amount: 5, currency: 'usd' }
    for (const [[body, refusal]] of rows<[Body, Refusal]>(
      [{ ...base, customer: undefined }, missing('customer')],
      [{ customer: customer.id, currency: 'usd' }, missing('amount')],
      [{ customer: customer.id, amount: 5 }, missing('currency')],
      [{ ...base, amount: 0 }, amountInvalid],
      [{ ...base, amount: '5' }, amountInvalid],
      [{ ...base, amount: 100_000_000 }, amountTooLarge],
      [{ ...base, amount: 99_999_999, quantity: 2 }, amountTooLarge],
      [{ ...base, currency: 'xxx' }, invalid('currency')],
      [{ ...base, quantity: -1 }, invalid('quantity')],
      [{ ...base, customer: 'cus_unknown' }, unknown('customer')],
      [{ customer: 'cus_unknown', amount: 5 }, missing('currency')],
      [{ ...base, invoice: 'in_unknown' }, unknown('invoice')],
      [{ ...base, invoice: '' }, invalid('invoice')],
      [{ customer: customer.id, price: 'price_unknown' }, unknown('price')],
      [{ customer: customer.id, price: recurring.id }, invalid('price')],
      [{ ...base, price: oneTime.id }, invalid('amount')],
      [{ customer: customer.id, price: oneTime.id, currency: 'eur' }, invalid('currency')],
    )) {
      await refuses(twin, ['POST', '/v1/invoiceitems', body], refusal)
    }
  })

  test('can be deleted while it is pending', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const { id } = await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 5, currency: 'usd' })
    expect(await twin.delete(`/v1/invoiceitems/${id}`)).toEqual({
      id,
      object: 'invoiceitem',
      deleted: true,
      livemode: false,
    })
    await refuses(twin, ['GET', `/v1/invoiceitems/${id}`], unknown())
    await refuses(twin, ['DELETE', `/v1/invoiceitems/${id}`], unknown())
    expect((await twin.get(`/v1/invoiceitems?customer=${customer.id}`)).data).toEqual([])
  })
})
