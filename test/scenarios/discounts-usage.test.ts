import { describe, expect, test } from 'vitest'
import type { Body } from '../twin.ts'
import { at, PACES, QUICK_PACES } from './story.ts'
import { begin, END, linesOf, MIDDLE, makeMetered, newestInvoice } from './usage-story.ts'

const offEach = ({ lines }: Body): number[][] =>
  lines.data.map(({ discount_amounts }: Body) => discount_amounts.map(({ amount }: Body) => amount))

/** A subscription to 0.05 USD for each call, with a coupon that is not redeemed yet. */
async function beginWith(coupon: Body, given: Body = {}) {
  const story = await begin({}, given)
  const { id } = await story.twin.post('/v1/coupons', { duration: 'forever', ...coupon })
  return { ...story, discounts: [{ coupon: id }] }
}

describe.each(QUICK_PACES)('discounts of usage, in %s:', (_, pace) => {
  test('a discount of the subscription reduces usage like other lines', async () => {
    const story = await beginWith({ percent_off: 10 }, { more: [{ unit_amount: 2000 }] })
    const { twin, path, discounts, report } = story
    await twin.post(path, { discounts })
    await report('150.5')
    await pace(twin, at(END))
    const invoice = await newestInvoice(twin)
    // 150.5 × 5 = 752.5, rounded to 753; 10 % are 75.3 and 200.
    expect(invoice).toMatchObject({ subtotal: 2753, total: 2478 })
    expect(offEach(invoice)).toEqual([[75], [200]])
    expect(invoice.lines.data[0]).toMatchObject({
      discountable: true,
      proration: false,
      quantity_decimal: '150.5',
    })
  })

  test('a discount of a metered item reduces its usage only', async () => {
    const story = await beginWith({ percent_off: 50 }, { more: [{ unit_amount: 2000 }] })
    const { twin, path, item, discounts, report } = story
    const updated = await twin.post(path, { items: [{ id: item, discounts }] })
    expect(updated.items.data[0]).toMatchObject({ quantity: null, discounts: [expect.any(String)] })
    await report(100)
    await pace(twin, at(END))
    const invoice = await newestInvoice(twin)
    expect(offEach(invoice)).toEqual([[250], []])
    expect(invoice.total).toBe(2250)
  })

  test('giving an item the discounts that it has after a change of the plan emits no event', async () => {
    const { twin, path, item, meter, discounts } = await beginWith({ percent_off: 10 })
    await twin.post(path, { items: [{ id: item, discounts }] })
    const pro = await makeMetered(twin, meter.toString(), { unit_amount: 10, nickname: 'Calls Pro' })
    await pace(twin, at(MIDDLE))
    const changed = await twin.post(path, { items: [{ id: item, price: pro.id }] })
    const [discount] = changed.items.data[0].discounts
    const newest = async () => (await twin.get('/v1/events?limit=1')).data[0].id
    const before = await newest()
    expect(await twin.post(path, { items: [{ id: item, discounts: [{ discount }] }] })).toEqual(changed)
    expect(await newest()).toBe(before)
  })

  test('usage that waits for the next invoice is reduced there', async () => {
    const { twin, path, item, meter, discounts, report } = await beginWith({ percent_off: 10 })
    await twin.post(path, { discounts })
    const pro = await makeMetered(twin, meter.toString(), { unit_amount: 10, nickname: 'Calls Pro' })
    await report(100)
    await pace(twin, at(MIDDLE))
    await twin.post(path, {
      items: [{ id: item, price: pro.id }],
      proration_behavior: 'create_prorations',
    })
    const [waiting] = (await twin.get('/v1/invoiceitems')).data
    expect(waiting).toMatchObject({ amount: 500, discountable: true, discounts: [] })
    await report(40)
    await pace(twin, at(END))
    const invoice = await newestInvoice(twin)
    expect(linesOf(invoice)).toEqual(['500 100 × Calls', '400 40 × Calls Pro'])
    expect(offEach(invoice)).toEqual([[50], [40]])
    expect(invoice.total).toBe(810)
  })
})

test('a discount with the duration once is used up when late events first give a draft an amount', async () => {
  const { twin, path, discounts, report } = await beginWith({ percent_off: 20, duration: 'once' })
  await twin.post(path, { discounts, pause_collection: { behavior: 'keep_as_draft' } })
  await PACES['one jump']?.(twin, at(END))
  const draft = await newestInvoice(twin)
  expect(draft).toMatchObject({ status: 'draft', total: 0, discounts: [expect.any(String)] })
  expect((await twin.get(path)).discounts).toEqual(draft.discounts)
  await report(100, { timestamp: at(END) - 1 })
  const open = await twin.post(`/v1/invoices/${draft.id}/finalize`)
  expect(open).toMatchObject({ subtotal: 500, total: 400, amount_due: 400 })
  expect((await twin.get(path)).discounts).toEqual([])
  expect((await twin.get('/v1/events?type=customer.discount.deleted')).data).toHaveLength(1)
})
