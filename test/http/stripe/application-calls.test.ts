import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { customerOnClock, errorOf, type StripeTwin, startStripe } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800
const DAY = 86_400

let sdk: StripeTwin
let stripe: Stripe
let basic: string
let plus: string
beforeAll(async () => {
  sdk = await startStripe()
  stripe = sdk.stripe
  const product = (await stripe.products.create({ name: 'Pro' })).id
  const priceOf = async (unit_amount: number) =>
    (await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval: 'month' } }))
      .id
  basic = await priceOf(2000)
  plus = await priceOf(5000)
})
afterAll(() => sdk.close())

const older = (method: string, path: string, body?: object) =>
  sdk.twin.request(method, path, body, { 'Stripe-Version': '2024-06-20' })

describe('the metadata of charges and refunds', () => {
  const pay = (metadata: Record<string, string>, more: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
    stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      metadata,
      ...more,
    })

  test('a charge begins with that of its intent, also a declined one', async () => {
    const paid = await pay({ order: '7' })
    const charge = await stripe.charges.retrieve(String(paid.latest_charge))
    expect(charge.metadata).toEqual({ order: '7' })
    const [event] = (await stripe.events.list({ type: 'charge.succeeded', limit: 1 })).data
    expect(event?.data.object).toMatchObject({ id: charge.id, metadata: { order: '7' } })
    await stripe.paymentIntents.update(paid.id, { metadata: { order: '8' } })
    expect((await stripe.charges.retrieve(charge.id)).metadata).toEqual({ order: '7' })
    await errorOf(pay({ order: '9' }, { payment_method: 'pm_card_chargeDeclined' }))
    const [declined] = (await stripe.charges.list({ limit: 1 })).data
    expect(declined).toMatchObject({ status: 'failed', metadata: { order: '9' } })
  })

  test('a charge has it too after the customer authenticated', async () => {
    const waiting = await pay(
      { order: '7' },
      { payment_method: 'pm_card_authenticationRequired', return_url: 'https://shop.example' },
    )
    await sdk.twin.post(`/v1/test_helpers/payment_intents/${waiting.id}/settle`, { outcome: 'succeed' })
    const { latest_charge } = await stripe.paymentIntents.retrieve(waiting.id)
    expect((await stripe.charges.retrieve(String(latest_charge))).metadata).toEqual({ order: '7' })
  })

  test('can be updated, and keys removed', async () => {
    const { latest_charge } = await pay({ order: '7' })
    const id = String(latest_charge)
    const updated = await stripe.charges.update(id, { metadata: { order: '', seen: 'yes' } })
    expect(updated.metadata).toEqual({ seen: 'yes' })
    const refund = await stripe.refunds.create({ charge: id, amount: 100, metadata: { why: 'late' } })
    const changed = await stripe.refunds.update(refund.id, { metadata: { by: 'ada' } })
    expect(changed.metadata).toEqual({ why: 'late', by: 'ada' })
    expect((await stripe.refunds.retrieve(refund.id)).metadata).toEqual({ why: 'late', by: 'ada' })
    expect((await errorOf(stripe.charges.update(id, { description: 'x' }))).param).toBe('description')
    expect((await errorOf(stripe.refunds.update('re_none', {}))).statusCode).toBe(404)
  })
})

describe('a change of plan with default_incomplete and trial_end now', () => {
  test('is possible where there is no trial', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const made = await stripe.subscriptions.create({ customer, items: [{ price: basic }] })
    const swapped = await stripe.subscriptions.update(made.id, {
      items: [{ id: made.items.data[0]?.id ?? '', price: plus }],
      payment_behavior: 'default_incomplete',
      proration_behavior: 'always_invoice',
      trial_end: 'now',
    })
    expect(swapped.items.data[0]?.price.id).toBe(plus)
    expect(swapped.status).toBe('past_due')
  })

  test('is refused at the end of a trial', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const trial = { customer, items: [{ price: basic }], trial_period_days: 7 }
    const made = await stripe.subscriptions.create(trial)
    const ending = stripe.subscriptions.update(made.id, {
      payment_behavior: 'default_incomplete',
      trial_end: 'now',
    })
    expect((await errorOf(ending)).param).toBe('payment_behavior')
  })
})

describe('an invoice item of units', () => {
  const amountsOf = ({ amount, quantity, unit_amount }: Record<string, unknown>) => ({
    amount,
    quantity,
    unit_amount,
  })

  test('has their amount and quantity', async () => {
    const { id: customer } = await stripe.customers.create()
    const { body } = await older('POST', '/v1/invoiceitems', {
      customer,
      currency: 'usd',
      unit_amount: 500,
      quantity: 3,
    })
    expect(amountsOf(body)).toEqual({ amount: 1500, quantity: 3, unit_amount: 500 })
    const invoice = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    expect(invoice).toMatchObject({ total: 1500, lines: { data: [{ amount: 1500, quantity: 3 }] } })
    const more = await older('POST', '/v1/invoiceitems', {
      customer,
      unit_amount_decimal: '-20.0',
      quantity: 2,
      invoice: invoice.id,
    })
    expect(amountsOf(more.body)).toEqual({ amount: -40, quantity: 2, unit_amount: -20 })
    expect((await stripe.invoices.retrieve(invoice.id)).total).toBe(1460)
  })

  test.each([
    ['a part of the smallest unit', { unit_amount_decimal: '0.5' }, 'unit_amount_decimal'],
    ['an amount too', { unit_amount_decimal: '5', amount: 5 }, 'unit_amount_decimal'],
    ['both forms', { unit_amount_decimal: '5', unit_amount: 5 }, 'unit_amount'],
  ])('is refused with %s', async (_, given, param) => {
    const { id: customer } = await stripe.customers.create()
    const { status, body } = await older('POST', '/v1/invoiceitems', { customer, ...given })
    expect({ status, param: body.error.param }).toEqual({ status: 400, param })
  })
})

describe('lists', () => {
  test('of subscriptions are filtered by their period and test clock', async () => {
    const { customer, clock } = await customerOnClock(stripe, JAN_31)
    const { id } = await stripe.subscriptions.create({ customer, items: [{ price: basic }] })
    const ids = async (params: Stripe.SubscriptionListParams) =>
      (await stripe.subscriptions.list({ test_clock: clock, ...params })).data.map((one) => one.id)
    expect(await ids({})).toEqual([id])
    expect(await ids({ current_period_end: { lte: FEB_28 } })).toEqual([id])
    expect(await ids({ current_period_end: { lt: FEB_28 } })).toEqual([])
    expect(await ids({ current_period_start: JAN_31 })).toEqual([id])
    expect(await ids({ current_period_start: { gt: JAN_31 } })).toEqual([])
  })

  test('of invoices are filtered by how they are collected and when they are due', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const sent = { customer, collection_method: 'send_invoice', days_until_due: 10 } as const
    const { id } = await stripe.invoices.create(sent)
    await stripe.invoiceItems.create({ customer, invoice: id, amount: 100, currency: 'usd' })
    await stripe.invoices.finalizeInvoice(id)
    await stripe.subscriptions.create({ customer, items: [{ price: basic }] })
    const ids = async (params: Stripe.InvoiceListParams) =>
      (await stripe.invoices.list({ customer, ...params })).data.map((one) => one.id)
    expect(await ids({})).toHaveLength(2)
    expect(await ids({ collection_method: 'send_invoice' })).toEqual([id])
    expect(await ids({ due_date: { lte: JAN_31 + 10 * DAY } })).toEqual([id])
    expect(await ids({ due_date: { gt: JAN_31 + 10 * DAY } })).toEqual([])
  })
})

test('an upcoming invoice of an older version takes automatic_tax', async () => {
  const { customer } = await customerOnClock(stripe, JAN_31)
  await stripe.subscriptions.create({ customer, items: [{ price: basic }] })
  const { body } = await older(
    'GET',
    `/v1/invoices/upcoming?customer=${customer}&automatic_tax[enabled]=true`,
  )
  expect(body.automatic_tax).toMatchObject({ enabled: true, status: 'requires_location_inputs' })
})

describe('the due date of an invoice', () => {
  const DUE = JAN_31 + 20 * DAY
  const sent = async (more: Partial<Stripe.InvoiceCreateParams> = {}) => {
    const { customer, clock } = await customerOnClock(stripe, JAN_31)
    const given = { customer, collection_method: 'send_invoice', due_date: DUE, ...more } as const
    const invoice = await stripe.invoices.create(given)
    await stripe.invoiceItems.create({ customer, invoice: invoice.id, amount: 900, currency: 'usd' })
    return { customer, clock, invoice }
  }

  test('can be given, and passes', async () => {
    const { clock, invoice } = await sent()
    expect(invoice).toMatchObject({ status: 'draft', due_date: DUE })
    await sdk.advance(clock, JAN_31 + 5 * DAY)
    const open = await stripe.invoices.finalizeInvoice(invoice.id)
    expect(open).toMatchObject({ status: 'open', due_date: DUE })
    await sdk.advance(clock, DUE)
    const { customer } = await stripe.invoices.retrieve(invoice.id)
    expect(await stripe.customers.retrieve(String(customer))).toMatchObject({ delinquent: true })
  })

  test('can be changed while it is a draft, also to a number of days', async () => {
    const { invoice } = await sent()
    const moved = await stripe.invoices.update(invoice.id, { due_date: DUE + DAY })
    expect(moved.due_date).toBe(DUE + DAY)
    expect((await stripe.invoices.update(invoice.id, { description: 'x' })).due_date).toBe(DUE + DAY)
    expect((await stripe.invoices.update(invoice.id, { days_until_due: 3 })).due_date).toBe(null)
    const open = await stripe.invoices.finalizeInvoice(invoice.id)
    expect(open.due_date).toBe(JAN_31 + 3 * DAY)
    const late = stripe.invoices.update(invoice.id, { due_date: DUE })
    expect((await errorOf(late)).statusCode).toBe(400)
  })

  test.each([
    ['the past', { due_date: JAN_31 }],
    ['days_until_due', { days_until_due: 3 }],
    ['automatic charges', { collection_method: 'charge_automatically' as const }],
  ])('is refused with %s', async (_, given) => {
    expect((await errorOf(sent(given))).param).toBe('due_date')
  })

  test('goes when the invoice is charged automatically after all', async () => {
    const { invoice } = await sent()
    const changed = await stripe.invoices.update(invoice.id, { collection_method: 'charge_automatically' })
    expect(changed.due_date).toBe(null)
  })
})

describe('the plan and quantity of a subscription itself, an older form', () => {
  test('make and change its only item', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const made = await sdk.twin.post('/v1/subscriptions', { customer, plan: basic, quantity: 2 })
    const [item] = made.items.data
    expect(item).toMatchObject({ quantity: 2, price: { id: basic } })
    const swapped = await sdk.twin.post(`/v1/subscriptions/${made.id}`, {
      cancel_at_period_end: false,
      plan: plus,
      quantity: 3,
      proration_behavior: 'always_invoice',
      trial_end: 'now',
    })
    expect(swapped.items.data).toMatchObject([{ id: item.id, quantity: 3, price: { id: plus } }])
    const resized = await sdk.twin.post(`/v1/subscriptions/${made.id}`, { quantity: 1 })
    expect(resized.items.data).toMatchObject([{ id: item.id, quantity: 1, price: { id: plus } }])
  })

  test('are refused where it has several items, or names its items', async () => {
    const { customer } = await customerOnClock(stripe, JAN_31)
    const items = [{ price: basic }, { price: plus }]
    const { id } = await stripe.subscriptions.create({ customer, items })
    const update = (given: object) => sdk.twin.request('POST', `/v1/subscriptions/${id}`, given)
    expect((await update({ plan: basic })).body.error).toMatchObject({ param: 'plan' })
    expect((await update({ quantity: 2, items })).body.error).toMatchObject({ param: 'quantity' })
  })
})
