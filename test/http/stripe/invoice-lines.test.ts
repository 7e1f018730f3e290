import type Stripe from 'stripe'
import { beforeEach, describe, expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
let customer: string
let draft: string
beforeEach(async () => {
  const invoice_settings = { default_payment_method: 'pm_card_visa' }
  customer = (await stripe.customers.create({ payment_method: 'pm_card_visa', invoice_settings })).id
  draft = (await stripe.invoices.create({ customer, auto_advance: false })).id
})

const amountsOf = ({ lines }: Stripe.Invoice) => lines.data.map(({ amount }) => amount)
const lineOf = ({ lines }: Stripe.Invoice, index = 0): string => lines.data[index]?.id ?? ''

describe('add_lines', () => {
  test('adds amounts, prices and pending items, and changes the metadata of the invoice', async () => {
    const { id: product } = await stripe.products.create({ name: 'Cap' })
    const { id: price } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 300 })
    const pending = await stripe.invoiceItems.create({ customer, amount: 50, currency: 'usd' })
    const lines = [
      { amount: 1000, description: 'Setup', metadata: { a: '1' } },
      { pricing: { price }, quantity: 3 },
      { invoice_item: pending.id },
    ]
    const invoice = await stripe.invoices.addLines(draft, { lines, invoice_metadata: { order: '7' } })
    expect(amountsOf(invoice)).toEqual([1000, 900, 50])
    expect(invoice).toMatchObject({ total: 1950, metadata: { order: '7' } })
    expect(invoice.lines.data[0]).toMatchObject({ description: 'Setup', metadata: { a: '1' } })
    expect((await stripe.invoiceItems.retrieve(pending.id)).invoice).toBe(draft)
    await stripe.invoices.finalizeInvoice(draft)
    expect(await stripe.invoices.pay(draft)).toMatchObject({ status: 'paid', amount_paid: 1950 })
  })

  test('adds all lines or none, and names the wrong one', async () => {
    const lines = [{ amount: 100 }, { pricing: { price: 'price_none' } }]
    expect(await errorOf(stripe.invoices.addLines(draft, { lines }))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'lines[1][pricing][price]',
    })
    expect((await stripe.invoices.listLineItems(draft)).data).toEqual([])
  })

  test('refuses an item that is on an invoice, and an invoice that is no draft', async () => {
    const item = await stripe.invoiceItems.create({ customer, invoice: draft, amount: 50, currency: 'usd' })
    const lines = [{ invoice_item: item.id }]
    expect(await errorOf(stripe.invoices.addLines(draft, { lines }))).toMatchObject({
      param: 'lines[0][invoice_item]',
    })
    await stripe.invoices.finalizeInvoice(draft)
    expect(await errorOf(stripe.invoices.addLines(draft, { lines: [{ amount: 1 }] }))).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('open'),
    })
  })
})

test('update_lines and the update of one line change the items that they bill', async () => {
  const before = await stripe.invoices.addLines(draft, { lines: [{ amount: 100 }, { amount: 200 }] })
  const lines = [{ id: lineOf(before), amount: 150, description: 'More' }]
  const after = await stripe.invoices.updateLines(draft, { lines })
  expect(amountsOf(after)).toEqual([150, 200])
  const line = await stripe.invoices.updateLineItem(draft, lineOf(after, 1), { amount: 250 })
  expect(line).toMatchObject({ id: lineOf(after, 1), amount: 250 })
  expect((await stripe.invoices.retrieve(draft)).total).toBe(400)
  const missing = await errorOf(stripe.invoices.updateLineItem(draft, 'il_none', { amount: 1 }))
  expect(missing).toMatchObject({ code: 'resource_missing', param: 'line_item_id' })
})

test('remove_lines deletes items or makes them pending', async () => {
  const before = await stripe.invoices.addLines(draft, { lines: [{ amount: 100 }, { amount: 200 }] })
  const after = await stripe.invoices.removeLines(draft, {
    lines: [
      { id: lineOf(before), behavior: 'delete' },
      { id: lineOf(before, 1), behavior: 'unassign' },
    ],
  })
  expect(after).toMatchObject({ total: 0, lines: { data: [] } })
  const { data } = await stripe.invoiceItems.list({ customer, pending: true })
  expect(data.map(({ amount, invoice }) => [amount, invoice])).toEqual([[200, null]])
})

test('an item of a subscription that has ended meanwhile is billed by the next invoice of its customer', async () => {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  const { id: price } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 100, recurring })
  const { id: subscription } = await stripe.subscriptions.create({ customer, items: [{ price }] })
  const item = await stripe.invoiceItems.create({ customer, subscription, amount: 50, currency: 'usd' })
  const assigned = await stripe.invoices.addLines(draft, { lines: [{ invoice_item: item.id }] })
  await stripe.subscriptions.cancel(subscription)
  const lines = [{ id: lineOf(assigned), behavior: 'unassign' as const }]
  await stripe.invoices.removeLines(draft, { lines })
  const next = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
  expect(amountsOf(next)).toEqual([50])
})

test('an item that leaves its draft waits for its subscription again, and not for another one', async () => {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  const { id: price } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 100, recurring })
  const subscribe = async () => (await stripe.subscriptions.create({ customer, items: [{ price }] })).id
  const [subscription, other] = [await subscribe(), await subscribe()]
  const item = await stripe.invoiceItems.create({ customer, subscription, amount: 50, currency: 'usd' })
  const assign = async () =>
    lineOf(await stripe.invoices.addLines(draft, { lines: [{ invoice_item: item.id }] }))
  const nextOf = async (id: string) => amountsOf(await stripe.invoices.createPreview({ subscription: id }))
  const leavings = [
    (id: string) => stripe.invoices.removeLines(draft, { lines: [{ id, behavior: 'unassign' }] }),
    () => stripe.invoices.del(draft),
  ]
  for (const leave of leavings) {
    const line = await assign()
    // With nothing that waits, this bills nothing.
    await stripe.subscriptions.update(subscription, { proration_behavior: 'always_invoice' })
    expect(await nextOf(subscription)).toEqual([100])
    await leave(line)
    expect(await nextOf(other)).toEqual([100])
    expect(await nextOf(subscription)).toEqual([50, 100])
  }
})

test('an item of a deleted draft whose subscription has ended is billed by the next invoice of its customer', async () => {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  const { id: price } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 100, recurring })
  const { id: subscription } = await stripe.subscriptions.create({ customer, items: [{ price }] })
  const item = await stripe.invoiceItems.create({ customer, subscription, amount: 50, currency: 'usd' })
  await stripe.invoices.addLines(draft, { lines: [{ invoice_item: item.id }] })
  await stripe.subscriptions.cancel(subscription)
  await stripe.invoices.del(draft)
  const manual = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
  expect(amountsOf(manual)).toEqual([50])
})

test('the lines of a subscription are not changed', async () => {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  const { id: price } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 100, recurring })
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: 1_769_853_600 })
  const invoice_settings = { default_payment_method: 'pm_card_visa' }
  const given = { payment_method: 'pm_card_visa', invoice_settings, test_clock: clock }
  const { id: member } = await stripe.customers.create(given)
  const metadata = { user: '7' }
  const { id } = await stripe.subscriptions.create({ customer: member, items: [{ price }], metadata })
  await sdk.advance(clock, 1_772_272_800)
  const { latest_invoice } = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  const renewal = latest_invoice as Stripe.Invoice
  expect(renewal.lines.data[0]).toMatchObject({ metadata })
  const lines = [{ id: lineOf(renewal), behavior: 'unassign' as const }]
  const refused = await errorOf(stripe.invoices.removeLines(renewal.id, { lines }))
  expect(refused).toMatchObject({ statusCode: 400, param: 'lines[0][id]' })
  // A line that is added is billed with the renewal; one that is taken off waits for the next.
  const added = await stripe.invoices.addLines(renewal.id, { lines: [{ amount: 40 }, { amount: -60 }] })
  expect(added.total).toBe(80)
  await stripe.invoices.removeLines(renewal.id, {
    lines: [{ id: lineOf(added, 2), behavior: 'unassign' }],
  })
  await sdk.advance(clock, 1_772_272_800 + 3_601)
  expect(await stripe.invoices.retrieve(renewal.id)).toMatchObject({ status: 'paid', amount_paid: 140 })
})

test('an invoice that is to include pending items is created without any, too', async () => {
  const invoice = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
  expect(invoice).toMatchObject({ status: 'draft', currency: 'usd', total: 0 })
})

describe('an item with a negative amount', () => {
  test('reduces an invoice, and its discounts do not reduce it', async () => {
    const { id: coupon } = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    await stripe.invoiceItems.create({ customer, invoice: draft, amount: 1000, currency: 'usd' })
    const credit = { customer, invoice: draft, amount: -200, currency: 'usd' }
    expect((await stripe.invoiceItems.create(credit)).discountable).toBe(false)
    const invoice = await stripe.invoices.update(draft, { discounts: [{ coupon }] })
    expect(invoice).toMatchObject({ subtotal: 800, total: 300 })
    const refused = await errorOf(stripe.invoiceItems.create({ ...credit, discountable: true }))
    expect(refused).toMatchObject({ statusCode: 400, param: 'discountable' })
  })

  test('that exceeds the others goes to the balance of the customer', async () => {
    await stripe.invoices.addLines(draft, { lines: [{ amount: 100 }, { amount: -500 }] })
    const invoice = await stripe.invoices.finalizeInvoice(draft)
    expect(invoice).toMatchObject({ total: -400, amount_due: 0, status: 'paid', ending_balance: -400 })
    expect((await stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({ balance: -400 })
  })
})

describe('a request with many lines', () => {
  const updates = async () =>
    (await stripe.events.list({ type: 'invoice.updated', limit: 100 })).data.filter(
      ({ data }) => (data.object as Stripe.Invoice).id === draft,
    )

  /** The number of journal entries of the draft. */
  const entries = () => {
    const { engine, merchant } = sdk.twin.sandbox
    return engine.store.objects.placeOf('invoice', merchant.settings.ordinal, draft).entryCount
  }

  test('writes the invoice once, with one event', async () => {
    const before = entries()
    const given = Array.from({ length: 5 }, (_, n) => ({ amount: n + 1 }))
    const added = await stripe.invoices.addLines(draft, { lines: given, invoice_metadata: { order: '7' } })
    expect(entries() - before).toBe(1)
    const [first] = await updates()
    expect(first?.data).toMatchObject({
      object: { total: 15, metadata: { order: '7' } },
      previous_attributes: { total: 0, metadata: { order: null } },
    })

    const lines = added.lines.data.map(({ id }) => ({ id, amount: 10 }))
    expect((await stripe.invoices.updateLines(draft, { lines })).total).toBe(50)
    expect(entries() - before).toBe(2)

    const removed = lines.slice(1).map(({ id }) => ({ id, behavior: 'delete' as const }))
    expect((await stripe.invoices.removeLines(draft, { lines: removed })).total).toBe(10)
    expect(entries() - before).toBe(3)
    expect(await updates()).toHaveLength(3)
  })

  test('changes a line that is named twice in order', async () => {
    const { id: coupon } = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const added = await stripe.invoices.addLines(draft, { lines: [{ amount: 100 }, { amount: 200 }] })
    const id = lineOf(added)
    const lines = [
      { id, amount: 300, discounts: [{ coupon }] },
      { id, description: 'Second', discounts: '' as const },
    ]
    const after = await stripe.invoices.updateLines(draft, { lines })
    expect(after.lines.data[0]).toMatchObject({ amount: 300, description: 'Second', discounts: [] })
    expect(after.total).toBe(500)
    const { data } = await stripe.events.list({
      types: ['customer.discount.created', 'customer.discount.deleted'],
    })
    expect(data.slice(0, 2).map(({ type }) => type)).toEqual([
      'customer.discount.deleted',
      'customer.discount.created',
    ])
  })

  test('refuses a line that an earlier one has removed, and an item that one has added', async () => {
    const { id } = await stripe.invoiceItems.create({ customer, amount: 50, currency: 'usd' })
    const before = await stripe.invoices.addLines(draft, { lines: [{ amount: 100 }] })
    const removed = { id: lineOf(before), behavior: 'unassign' as const }
    expect(await errorOf(stripe.invoices.removeLines(draft, { lines: [removed, removed] }))).toMatchObject({
      code: 'resource_missing',
      param: 'lines[1][id]',
    })
    const added = { invoice_item: id }
    expect(await errorOf(stripe.invoices.addLines(draft, { lines: [added, added] }))).toMatchObject({
      param: 'lines[1][invoice_item]',
    })
    expect(amountsOf(await stripe.invoices.retrieve(draft))).toEqual([100])
    expect((await stripe.invoiceItems.retrieve(id)).invoice).toBeNull()
    expect(await updates()).toHaveLength(1)
  })

  test('is limited by the total of all its lines, and by their number', async () => {
    const lines = [{ amount: 99_999_999 }, { amount: 99_999_999 }]
    expect(await errorOf(stripe.invoices.addLines(draft, { lines }))).toMatchObject({
      code: 'amount_too_large',
      param: 'lines',
    })
    const credited = await stripe.invoices.addLines(draft, { lines: [...lines, { amount: -99_999_999 }] })
    expect(credited.total).toBe(99_999_999)
    const many = Array.from({ length: 248 }, () => ({ amount: -1 }))
    expect(await errorOf(stripe.invoices.addLines(draft, { lines: many }))).toMatchObject({
      message: expect.stringContaining('has the maximum of 250 lines'),
    })
  })
})

test('a line of a period that was replaced in its first second is not credited with the new one once it is taken off', async () => {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const priceFor = async (interval: 'month' | 'year') => {
    const given = { product, currency: 'usd', unit_amount: 100, recurring: { interval } }
    return (await stripe.prices.create(given)).id
  }
  const monthly = { price: await priceFor('month') }
  const { id: subscription, items } = await stripe.subscriptions.create({ customer, items: [monthly] })
  const id = items.data[0]?.id ?? ''
  const change = (params: Stripe.SubscriptionUpdateParams) =>
    stripe.subscriptions.update(subscription, { proration_behavior: 'create_prorations', ...params })
  await change({ pause_collection: { behavior: 'keep_as_draft' } })
  // The new period is a draft of -100, 700, -700 and 700.
  await change({ items: [{ id, quantity: 7 }] })
  await change({ items: [{ id, price: await priceFor('year') }] })
  const { latest_invoice } = await stripe.subscriptions.retrieve(subscription, { expand: ['latest_invoice'] })
  const begun = latest_invoice as Stripe.Invoice
  expect(amountsOf(begun)).toEqual([-100, 700, -700, 700])
  const taken = lineOf(begun, 1)
  await stripe.invoices.removeLines(begun.id, { lines: [{ id: taken, behavior: 'unassign' }] })
  await change({ items: [{ id, quantity: 1 }] })
  const { data } = await stripe.invoiceItems.list({ customer, pending: true })
  expect(data.map(({ amount }) => amount).reverse()).toEqual([700, -700, 100])
})
