import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { asOperator } from '../support.ts'
import { customerOnClock, errorOf, idOf, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800

const sdk = stripeOfFile()
const { stripe } = sdk

async function monthly(unit_amount: number) {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  return (await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring })).id
}

const idsOf = (discounts: readonly (string | Stripe.Discount)[]) => discounts.map(idOf)

describe('a coupon', () => {
  test('is created, retrieved, listed, updated and deleted under an id of choice', async () => {
    const coupon = await stripe.coupons.create({
      id: 'SPRING',
      percent_off: 12.5,
      duration: 'repeating',
      duration_in_months: 3,
    })
    expect(coupon).toMatchObject({ id: 'SPRING', percent_off: 12.5, valid: true, times_redeemed: 0 })
    expect(await stripe.coupons.retrieve('SPRING')).toEqual(coupon)
    const updated = await stripe.coupons.update('SPRING', { name: 'Spring', metadata: { team: 'core' } })
    expect(updated).toMatchObject({ name: 'Spring', metadata: { team: 'core' } })
    expect((await stripe.coupons.list({ limit: 1 })).data).toEqual([updated])
    expect(await stripe.coupons.del('SPRING')).toEqual({ id: 'SPRING', object: 'coupon', deleted: true })
    expect(await errorOf(stripe.coupons.retrieve('SPRING'))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such coupon: 'SPRING'",
    })
  })

  test('shows the products that it applies to only if they are expanded', async () => {
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    const given = { amount_off: 500, currency: 'usd', applies_to: { products: [product] } }
    const { id, ...made } = await stripe.coupons.create(given)
    expect(made).not.toHaveProperty('applies_to')
    expect((await stripe.coupons.retrieve(id, { expand: ['applies_to'] })).applies_to).toEqual({
      products: [product],
    })
    const [listed] = (await stripe.coupons.list({ limit: 1, expand: ['data.applies_to'] })).data
    expect(listed).toMatchObject({ id, applies_to: { products: [product] } })
  })

  test('is listed page by page by its id', async () => {
    for (const id of ['PAGE-1', 'PAGE-2', 'PAGE-3']) await stripe.coupons.create({ id, percent_off: 1 })
    const all = await stripe.coupons.list({ limit: 1 }).autoPagingToArray({ limit: 3 })
    expect(all.map(({ id }) => id)).toEqual(['PAGE-3', 'PAGE-2', 'PAGE-1'])
  })

  test('cannot have two values, and its currencies cannot have options yet', async () => {
    const both = await errorOf(stripe.coupons.create({ percent_off: 1, amount_off: 1, currency: 'usd' }))
    expect(both).toMatchObject({ statusCode: 400, param: 'amount_off' })
    const options = { eur: { amount_off: 1 } }
    const unknown = stripe.coupons.create({ amount_off: 1, currency: 'usd', currency_options: options })
    expect(await errorOf(unknown)).toMatchObject({ code: 'parameter_unknown', param: 'currency_options' })
  })
})

describe('a promotion code', () => {
  test('redeems its coupon, is found by its code, and is switched off', async () => {
    const { id: coupon } = await stripe.coupons.create({ percent_off: 25, duration: 'forever' })
    const code = await stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon },
      code: 'Welcome25',
      restrictions: { first_time_transaction: true },
      expand: ['promotion.coupon'],
    })
    expect(code).toMatchObject({ active: true, promotion: { coupon: { id: coupon, percent_off: 25 } } })
    const found = await stripe.promotionCodes.list({ code: 'welcome25', coupon, active: true })
    expect(found.data.map(({ id, promotion }) => [id, promotion.coupon])).toEqual([[code.id, coupon]])

    const { customer } = await customerOnClock(stripe, JAN_31)
    const items = [{ price: await monthly(2000) }]
    const discounts = [{ promotion_code: code.id }]
    const subscription = await stripe.subscriptions.create({
      customer,
      items,
      discounts,
      expand: ['discounts.promotion_code', 'discounts.source.coupon'],
    })
    expect(subscription.discounts).toMatchObject([
      {
        promotion_code: { id: code.id, times_redeemed: 1 },
        source: { type: 'coupon', coupon: { id: coupon } },
      },
    ])
    // The customer has paid now.
    const again = await errorOf(stripe.subscriptions.create({ customer, items, discounts }))
    expect(again).toMatchObject({ statusCode: 400, param: 'discounts[0][promotion_code]' })
    expect((await stripe.promotionCodes.update(code.id, { active: false })).active).toBe(false)
    expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1)
  })

  test('names the coupon that does not exist by the name of its parameter', async () => {
    const promotion = { type: 'coupon', coupon: 'NONE' } as const
    expect(await errorOf(stripe.promotionCodes.create({ promotion }))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'promotion[coupon]',
    })
  })
})

describe('the discounts of a subscription', () => {
  test('reduce its invoices by a percentage, and show the amounts by discount', async () => {
    const { clock, customer } = await customerOnClock(stripe, JAN_31)
    const { id: coupon } = await stripe.coupons.create({ percent_off: 25, duration: 'forever' })
    const subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price: await monthly(2000) }],
      discounts: [{ coupon }],
      expand: [
        'latest_invoice.discounts',
        'latest_invoice.total_discount_amounts.discount',
        'latest_invoice.lines.data.discount_amounts.discount',
      ],
    })
    const [discount] = idsOf(subscription.discounts)
    // 25 % of 20.00 is 5.00.
    const shown = { id: discount, source: { coupon, type: 'coupon' }, subscription: subscription.id }
    expect(subscription.latest_invoice).toMatchObject({
      subtotal: 2000,
      total: 1500,
      amount_paid: 1500,
      discounts: [shown],
      total_discount_amounts: [{ amount: 500, discount: shown }],
      lines: { data: [{ amount: 2000, discount_amounts: [{ amount: 500, discount: shown }] }] },
    })
    expect(await errorOf(stripe.subscriptions.deleteDiscount('sub_none'))).toMatchObject({ statusCode: 404 })
    const deleted = await stripe.subscriptions.deleteDiscount(subscription.id)
    expect(deleted).toMatchObject({ id: discount, deleted: true, source: { coupon } })
    expect(deleted).not.toHaveProperty('end')
    await sdk.advance(clock, FEB_28)
    const [renewal] = (await stripe.invoices.list({ subscription: subscription.id, limit: 1 })).data
    expect(renewal).toMatchObject({ total: 2000, total_discount_amounts: [] })
  })

  test('are replaced, kept by their ids, and removed by an empty value', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const { id: ten } = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    const { id: five } = await stripe.coupons.create({
      amount_off: 500,
      currency: 'usd',
      duration: 'forever',
    })
    const { id } = await stripe.subscriptions.create({ customer, items: [{ price: await monthly(2000) }] })
    const one = await stripe.subscriptions.update(id, { discounts: [{ coupon: ten }] })
    const kept = idsOf(one.discounts)[0] ?? ''
    const two = await stripe.subscriptions.update(id, { discounts: [{ coupon: five }, { discount: kept }] })
    expect(idsOf(two.discounts)[1]).toBe(kept)
    // 20.00 − 5.00 = 15.00, of which 10 % is 1.50.
    const preview = await stripe.invoices.createPreview({ subscription: id })
    expect(preview).toMatchObject({ subtotal: 2000, total: 1350 })
    expect((await stripe.subscriptions.update(id, { discounts: '' })).discounts).toEqual([])
    expect((await stripe.invoices.createPreview({ subscription: id })).total).toBe(2000)
    expect((await stripe.coupons.retrieve(ten)).times_redeemed).toBe(1)
  })

  test('are previewed without being redeemed', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const { id: coupon } = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const price = await monthly(2000)
    const preview = await stripe.invoices.createPreview({
      customer,
      discounts: [{ coupon }],
      subscription_details: { items: [{ price }] },
    })
    expect(preview).toMatchObject({ subtotal: 2000, total: 1000 })
    const item = { price, discounts: [{ coupon }] }
    const ofItem = await stripe.invoices.createPreview({ customer, subscription_details: { items: [item] } })
    expect(ofItem.lines.data[0]?.discount_amounts).toMatchObject([{ amount: 1000 }])
    expect((await stripe.coupons.retrieve(coupon)).times_redeemed).toBe(0)
  })

  test('can be those of an item', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    const [basic, plus] = [await monthly(1000), await monthly(3000)]
    const { id, items } = await stripe.subscriptions.create({
      customer,
      items: [{ price: basic, discounts: [{ coupon }] }, { price: plus }],
      expand: ['items.data.discounts'],
    })
    expect(items.data[0]?.discounts).toMatchObject([
      { subscription_item: items.data[0]?.id, source: { coupon } },
    ])
    const second = items.data[1]?.id ?? ''
    const updated = await stripe.subscriptionItems.update(second, { discounts: [{ coupon }] })
    expect(updated.discounts).toHaveLength(1)
    // 10 % of 10.00 and of 30.00.
    expect((await stripe.invoices.createPreview({ subscription: id })).total).toBe(3600)
    expect((await stripe.subscriptionItems.update(second, { discounts: '' })).discounts).toEqual([])
  })

  test('are refused with the place in the list', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const items = [{ price: await monthly(2000) }]
    const create = (discounts: Stripe.SubscriptionCreateParams.Discount[]) =>
      errorOf(stripe.subscriptions.create({ customer, items, discounts }))
    expect(await create([{ coupon: 'NONE' }])).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'discounts[0][coupon]',
    })
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10 })
    expect(await create([{ coupon }, { coupon }])).toMatchObject({ param: 'discounts[1][coupon]' })
  })
})

describe('the discounts of an invoice', () => {
  test('reduce it, and its items have their own', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10 })
    const { id: half } = await stripe.coupons.create({ percent_off: 50 })
    const invoice = await stripe.invoices.create({ customer, discounts: [{ coupon }] })
    const onInvoice = { customer, invoice: invoice.id, currency: 'usd' }
    await stripe.invoiceItems.create({ ...onInvoice, amount: 1000 })
    await stripe.invoiceItems.create({ ...onInvoice, amount: 2000, discountable: false })
    const { id: product } = await stripe.products.create({ name: 'Set-up' })
    const price_data = { currency: 'usd', product, unit_amount: 3000 }
    const item = await stripe.invoiceItems.create({
      ...onInvoice,
      price_data,
      discounts: [{ coupon: half }],
      expand: ['discounts'],
    })
    expect(item.discounts).toMatchObject([{ invoice_item: item.id, source: { coupon: half } }])
    // 10 % of 10.00, nothing of 20.00, and half of 30.00.
    const totals = async () => {
      const { total, total_discount_amounts } = await stripe.invoices.retrieve(invoice.id)
      return [total, total_discount_amounts?.map(({ amount }) => amount)]
    }
    expect(await totals()).toEqual([4400, [100, 1500]])
    await stripe.invoiceItems.update(item.id, { discounts: '' })
    expect(await totals()).toEqual([5600, [400]])
  })

  test('are inherited from the customer unless the list is empty', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    const path = `merchants/${sdk.twin.sandbox.merchant.settings.id}/v1/customers/${customer}`
    await asOperator(sdk.twin)('POST', path, { coupon })
    const found = (await stripe.customers.retrieve(customer, {
      expand: ['discount.source.coupon'],
    })) as Stripe.Customer
    expect(found.discount).toMatchObject({ customer, source: { coupon: { id: coupon } } })
    expect((await stripe.invoices.create({ customer })).discounts).toEqual([found.discount?.id])
    expect((await stripe.invoices.create({ customer, discounts: '' })).discounts).toEqual([])
    expect(await stripe.customers.deleteDiscount(customer)).toMatchObject({
      id: found.discount?.id,
      deleted: true,
    })
    expect(await errorOf(stripe.customers.deleteDiscount(customer))).toMatchObject({
      statusCode: 404,
      message: `No active discount for customer: '${customer}'`,
    })
  })
})

describe('the events of discounts', () => {
  test('have Stripe’s names and shapes', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
    await stripe.coupons.update(coupon, { name: 'Ten' })
    await stripe.promotionCodes.update(code.id, { metadata: { team: 'core' } })
    const { id } = await stripe.subscriptions.create({
      customer,
      items: [{ price: await monthly(2000) }],
      discounts: [{ promotion_code: code.id }],
    })
    await stripe.subscriptions.update(id, { discounts: '' })
    await stripe.coupons.del(coupon)
    const types = ['coupon.*', 'promotion_code.*', 'customer.discount.*']
    const { data } = await stripe.events.list({ types, limit: 7 })
    expect(data.map(({ type }) => type).reverse()).toEqual([
      'coupon.created',
      'promotion_code.created',
      'coupon.updated',
      'promotion_code.updated',
      'customer.discount.created',
      'customer.discount.deleted',
      'coupon.deleted',
    ])
    expect(data[4]?.data.previous_attributes).toEqual({ name: null })
    expect(data[1]?.data.object).toMatchObject({ object: 'discount', subscription: id, source: { coupon } })
  })
})
