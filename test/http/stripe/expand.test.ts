import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorOf, idOf, stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile()
let customer: string
let product: string
let price: string
let subscription: string
beforeAll(async () => {
  customer = (await stripe.customers.create({ payment_method: 'pm_card_visa' })).id
  const [method] = (await stripe.customers.listPaymentMethods(customer)).data
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method?.id ?? '' } })
  const recurring = { interval: 'month' } as const
  const default_price_data = { currency: 'usd', unit_amount: 2000, recurring }
  const made = await stripe.products.create({ name: 'Pro', default_price_data })
  product = made.id
  price = idOf(made.default_price)
  subscription = (await stripe.subscriptions.create({ customer, items: [{ price }] })).id
})

const refusalOf = async (expand: string[]) =>
  errorOf(stripe.subscriptions.list({ expand, limit: 1, status: 'all' }))

describe('expand', () => {
  test('goes through four levels and lists', async () => {
    const found = await stripe.subscriptions.retrieve(subscription, {
      expand: [
        'latest_invoice.payments.data.payment.payment_intent.latest_charge',
        'latest_invoice.parent.subscription_details.subscription',
        'latest_invoice.lines.data.pricing.price_details.price',
        'items.data.price.product',
        'customer.invoice_settings.default_payment_method',
      ],
    })
    const invoice = found.latest_invoice as Stripe.Invoice
    expect(invoice.payments?.data[0]?.payment.payment_intent).toMatchObject({ latest_charge: { paid: true } })
    expect(invoice.parent?.subscription_details?.subscription).toMatchObject({ id: subscription })
    expect(invoice.lines.data[0]?.pricing?.price_details?.price).toMatchObject({ id: price, product })
    expect(found.items.data[0]?.price.product).toMatchObject({ id: product, name: 'Pro' })
    expect(found.customer).toMatchObject({
      invoice_settings: { default_payment_method: { object: 'payment_method' } },
    })
  })

  test('goes through the data of lists', async () => {
    const products = await stripe.products.list({ limit: 1, expand: ['data.default_price'] })
    expect(products.data[0]?.default_price).toMatchObject({ id: price, product })
    const charges = await stripe.charges.list({
      limit: 1,
      expand: ['data.balance_transaction.source', 'data.refunds.data.balance_transaction', 'data.customer'],
    })
    expect(charges.data[0]).toMatchObject({
      balance_transaction: { type: 'charge', source: { object: 'charge' } },
      refunds: { object: 'list', data: [], has_more: false },
      customer: { id: customer },
    })
  })

  test('keeps what an earlier path has expanded within the same list', async () => {
    const found = await stripe.customers.retrieve(customer, {
      expand: ['subscriptions.data.latest_invoice', 'subscriptions.data.customer', 'subscriptions'],
    })
    expect(found).toMatchObject({
      subscriptions: { data: [{ customer: { id: customer }, latest_invoice: { object: 'invoice' } }] },
    })
  })

  test('shows the subscriptions of a customer, the newest ten of them, and the refunds of a charge', async () => {
    const { id } = await stripe.customers.create()
    expect(await stripe.customers.retrieve(id)).not.toHaveProperty('subscriptions')
    const trial = { customer: id, items: [{ price }], trial_period_days: 7 }
    const made: string[] = []
    for (let index = 0; index < 12; index += 1) made.unshift((await stripe.subscriptions.create(trial)).id)
    await stripe.subscriptions.cancel(made[0] ?? '')
    const found = (await stripe.customers.retrieve(id, {
      expand: ['subscriptions.data.latest_invoice'],
    })) as Stripe.Customer
    expect(found.subscriptions).toMatchObject({ has_more: true, url: `/v1/customers/${id}/subscriptions` })
    expect(found.subscriptions?.data.map((each) => each.id)).toEqual(made.slice(1, 11))
    expect(found.subscriptions?.data[0]?.latest_invoice).toMatchObject({ status: 'paid', total: 0 })
    const rest = await stripe.rawRequest('GET', `${found.subscriptions?.url}?starting_after=${made[10]}`)
    expect(rest).toMatchObject({ data: [{ id: made[11] }], has_more: false })

    const [charge] = (await stripe.charges.list({ customer })).data
    const refund = await stripe.refunds.create({
      charge: charge?.id ?? '',
      amount: 100,
      expand: ['customer'],
    })
    expect(refund).toMatchObject({ customer: { id: customer } })
    const { refunds } = await stripe.charges.retrieve(charge?.id ?? '', { expand: ['refunds'] })
    expect(refunds?.data.map((each) => each.id)).toEqual([refund.id])
    expect(await stripe.rawRequest('GET', refunds?.url ?? '')).toMatchObject({ data: [{ id: refund.id }] })
  })

  test('adds at most 3,000 objects, and a refused write changes nothing', async () => {
    const { id } = await stripe.customers.create({ name: 'Ada' })
    const trial = { customer: id, items: [{ price }], trial_period_days: 7 }
    for (let index = 0; index < 27; index += 1) await stripe.subscriptions.create(trial)
    const around = 'customer.subscriptions.data.customer.subscriptions'
    // Each entry adds a customer, its ten newest subscriptions, their customers and, for each of them, ten more.
    const list = (limit: number) =>
      stripe.subscriptions.list({ customer: id, limit, expand: [`data.${around}`] })
    expect((await list(24)).data).toHaveLength(24)
    expect(await errorOf(list(25))).toMatchObject({
      statusCode: 400,
      param: 'expand',
      message: expect.stringContaining('expand adds more than 3000 objects to the response'),
    })
  })

  test('shows the lines and refunds of a credit note', async () => {
    const [invoice] = (await stripe.invoices.list({ customer, limit: 1 })).data
    const note = await stripe.creditNotes.create({
      invoice: invoice?.id ?? '',
      amount: 300,
      credit_amount: 300,
      expand: ['invoice', 'lines', 'customer_balance_transaction.credit_note'],
    })
    expect(note).toMatchObject({
      invoice: { id: invoice?.id },
      customer_balance_transaction: { credit_note: { id: note.id } },
    })
  })

  test('refuses paths that Stripe refuses, in its words', async () => {
    const none = await refusalOf(['data.zebra'])
    expect(none).toMatchObject({
      statusCode: 400,
      param: 'expand[0]',
      message: 'This property cannot be expanded (data.zebra).',
    })
    expect((await refusalOf(['data.status'])).message).toBe('This property cannot be expanded (data.status).')
    expect((await refusalOf(['data.customer.email'])).message).toBe(
      'This property cannot be expanded (data.customer.email).',
    )
    expect(await refusalOf(['data.customer', 'customer'])).toMatchObject({
      param: 'expand[1]',
      message:
        "This property cannot be expanded (customer). You may want to try expanding 'data.customer' instead.",
    })
    const deep = 'data.latest_invoice.payments.data.payment.payment_intent.latest_charge.balance_transaction'
    expect((await refusalOf([deep])).message).toBe(
      `You cannot expand more than 4 levels of a property (${deep}).`,
    )
  })

  test('reads a path only up to its fifth level', async () => {
    const deep = 'data.customer.discount.customer.discount.customer.zebra'
    expect((await refusalOf([deep])).message).toBe(
      `You cannot expand more than 4 levels of a property (${deep}).`,
    )
  })

  test('refuses what Stripe can expand and paytwin does not have', async () => {
    const source = await refusalOf(['data.customer.default_source'])
    expect(source).toMatchObject({ statusCode: 400, param: 'expand[0]' })
    expect(source.message).toContain('paytwin does not know how to expand default_source yet')
    expect((await refusalOf(['data.test_clock'])).message).toContain('test_clock yet')
  })
})

describe('the lines of an invoice', () => {
  test('are shown up to ten, and listed page by page', async () => {
    const { id } = await stripe.customers.create()
    const { id: invoice } = await stripe.invoices.create({ customer: id })
    for (let index = 1; index <= 12; index += 1)
      await stripe.invoiceItems.create({ customer: id, invoice, amount: index, currency: 'usd' })
    const { lines } = await stripe.invoices.retrieve(invoice)
    expect(lines).toMatchObject({ has_more: true, total_count: 12, url: `/v1/invoices/${invoice}/lines` })
    expect(lines.data.map(({ amount }) => amount)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const all = await stripe.invoices.listLineItems(invoice, { limit: 5 }).autoPagingToArray({ limit: 100 })
    expect(all.map(({ amount }) => amount)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })
})
