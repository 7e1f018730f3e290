import { describe, expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile()

const EMPTY = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null }
const LONDON = { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' }

describe('the contact of a customer', () => {
  test('is stored by create, and empty by default', async () => {
    const ada = await stripe.customers.create({
      phone: '+441632960000',
      address: LONDON,
      shipping: { name: 'Ada', phone: '+441632960001', address: { line1: '1 Dock' } },
      preferred_locales: ['en-GB', 'fr'],
    })
    expect(await stripe.customers.retrieve(ada.id)).toMatchObject({
      phone: '+441632960000',
      address: { ...EMPTY, ...LONDON },
      shipping: { name: 'Ada', phone: '+441632960001', address: { ...EMPTY, line1: '1 Dock' } },
      preferred_locales: ['en-GB', 'fr'],
    })
    const nobody = await stripe.customers.create({})
    expect(nobody).toMatchObject({ phone: null, address: null, shipping: null, preferred_locales: [] })
  })

  test('is changed part by part, and emptied', async () => {
    const { id } = await stripe.customers.create({ phone: '1', address: LONDON })
    const moved = await stripe.customers.update(id, { address: { city: 'Paris' } })
    expect(moved).toMatchObject({ phone: '1', address: { ...EMPTY, city: 'Paris' } })
    const emptied = await stripe.customers.update(id, { phone: '', address: '', shipping: '' })
    expect(emptied).toMatchObject({ phone: null, address: null, shipping: null })
    const { data } = await stripe.events.list({ type: 'customer.updated', limit: 2 })
    expect(data.map((event) => event.data.previous_attributes)).toEqual([
      { phone: '1', address: { ...EMPTY, city: 'Paris' } },
      { address: LONDON },
    ])
  })

  test('is found by its phone', async () => {
    const { id } = await stripe.customers.create({ phone: '+15550123' })
    const { data } = await stripe.customers.search({ query: 'phone:"+15550123"' })
    expect(data.map((found) => found.id)).toEqual([id])
  })

  test.each([
    ['address[country]', { address: { country: 'Britain' } }],
    ['shipping[name]', { shipping: { address: LONDON } as never }],
    ['invoice_settings[default_payment_method]', { invoice_settings: { default_payment_method: 'pm_none' } }],
    ['tax_exempt', { tax_exempt: 'never' as 'none' }],
  ])('is refused with a wrong %s', async (param, params) => {
    const { id } = await stripe.customers.create({})
    const error = await errorOf(stripe.customers.update(id, { phone: '1', ...params }))
    expect(error).toMatchObject({ statusCode: 400, param })
    expect(await stripe.customers.retrieve(id)).toMatchObject({ phone: null, address: null, shipping: null })
  })
})

describe('billing details', () => {
  const billing_details = { name: 'Ada', email: 'ada@example.com', phone: '1', address: LONDON }
  const shown = { ...billing_details, address: { ...EMPTY, ...LONDON }, tax_id: null }

  test('are shown by a payment method and its charges', async () => {
    const params = { type: 'card', card: { token: 'tok_visa' }, billing_details } as const
    const { id } = await stripe.paymentMethods.create(params)
    expect((await stripe.paymentMethods.retrieve(id)).billing_details).toEqual(shown)
    const intent = await stripe.paymentIntents.create({
      amount: 2000,
      currency: 'usd',
      payment_method: id,
      confirm: true,
      expand: ['latest_charge'],
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    })
    expect(intent.latest_charge).toMatchObject({ billing_details: shown })
    const query = 'billing_details.address.postal_code:"SW1Y 4JH"'
    const { data } = await stripe.charges.search({ query })
    expect(data.map((charge) => charge.payment_method)).toEqual([id])
  })

  test('are taken with the payment method of an intent', async () => {
    const intent = await stripe.setupIntents.create({
      payment_method_data: {
        type: 'card',
        card: { token: 'tok_visa' },
        billing_details: { name: 'Bob' },
      } as never,
      expand: ['payment_method'],
    })
    expect(intent.payment_method).toMatchObject({
      billing_details: { name: 'Bob', email: null, phone: null, address: EMPTY },
    })
  })

  test('are absent by default, and refused with an unknown field', async () => {
    const card = { type: 'card', card: { token: 'tok_visa' } } as const
    expect((await stripe.paymentMethods.create(card)).billing_details).toMatchObject({
      name: null,
      address: EMPTY,
    })
    const error = await errorOf(stripe.paymentMethods.create({ ...card, billing_details: { tax_id: '1' } }))
    expect(error).toMatchObject({ statusCode: 400, param: 'billing_details[tax_id]' })
  })
})

test('a payment method is updated while it is attached, part by part', async () => {
  const { id: customer } = await stripe.customers.create()
  const { id } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.paymentMethods.update(id, { billing_details: { name: 'Ada', email: 'ada@example.com' } })
  const updated = await stripe.paymentMethods.update(id, {
    billing_details: { address: LONDON, email: '' },
    card: { exp_month: 2 },
    metadata: { a: 'b' },
  })
  expect(updated).toMatchObject({
    billing_details: { name: 'Ada', email: null, address: { ...EMPTY, ...LONDON } },
    card: { brand: 'visa', exp_month: 2, exp_year: 2099 },
    metadata: { a: 'b' },
  })
  await stripe.paymentMethods.detach(id)
  const detached = await errorOf(stripe.paymentMethods.update(id, { metadata: {} }))
  expect(detached).toMatchObject({ statusCode: 400 })
  expect(detached.message).toContain('is not attached to a customer')
})

test('the tax exemption of a customer is kept, and shown on its invoices', async () => {
  const { id: customer, tax_exempt } = await stripe.customers.create({ tax_exempt: 'reverse' })
  expect(tax_exempt).toBe('reverse')
  const invoice = await stripe.invoices.create({ customer })
  expect(invoice.customer_tax_exempt).toBe('reverse')
  expect((await stripe.customers.update(customer, { name: 'Ada' })).tax_exempt).toBe('reverse')
  expect((await stripe.customers.update(customer, { tax_exempt: '' })).tax_exempt).toBe('none')
  expect(await errorOf(stripe.customers.create({ tax_exempt: 'never' as 'none' }))).toMatchObject({
    statusCode: 400,
    param: 'tax_exempt',
  })
})

test('the balance of a customer is set by a transaction of the difference', async () => {
  const { id, balance } = await stripe.customers.create({ balance: -500 })
  expect(balance).toBe(-500)
  expect((await stripe.customers.update(id, { balance: 200 })).balance).toBe(200)
  expect((await stripe.customers.update(id, { balance: 200, name: 'Ada' })).balance).toBe(200)
  const { data } = await stripe.customers.listBalanceTransactions(id)
  expect(data.map(({ amount, ending_balance, currency }) => [amount, ending_balance, currency])).toEqual([
    [700, 200, 'usd'],
    [-500, -500, 'usd'],
  ])
})
