import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { asOperator } from '../support.ts'
import { errorOf, idOf, stripeOfFile } from './sdk.ts'

const NOW = 1_769_853_600

const sdk = stripeOfFile()
const { stripe } = sdk

type Found = { data: readonly { id: string }[] }
const ids = async (found: Promise<Found>) => (await found).data.map(({ id }) => id)

describe('a search for customers', () => {
  let ada: string
  let bob: string
  let eve: string
  const search = (query: string) => ids(stripe.customers.search({ query, limit: 100 }))
  beforeAll(async () => {
    const create = async (params: Stripe.CustomerCreateParams) => (await stripe.customers.create(params)).id
    ada = await create({ email: 'Ada@Example.com', name: 'Ada "L"', metadata: { team: 'Core', 'a"b': 'c' } })
    bob = await create({ email: 'bob@example.com', name: 'Bob', metadata: { team: 'ops' } })
    eve = await create({ name: 'Eve' })
  })

  test('finds them by fields and metadata', async () => {
    expect(await search('email:"ada@example.COM"')).toEqual([ada])
    expect(await search('email~"EXAMPLE"')).toEqual([bob, ada])
    expect(await search('email:"example.com"')).toEqual([])
    expect(await search('name:"ada \\"l\\""')).toEqual([ada])
    expect(await search('email:null')).toEqual([eve])
    expect(await search('-email:null')).toEqual([bob, ada])
    expect(await search("metadata['team']:'core'")).toEqual([ada])
    expect(await search("metadata['team']~'cor'")).toEqual([ada])
    expect(await search(`metadata['a"b']:'c'`)).toEqual([ada])
    expect(await search("-metadata['team']:'core'")).toEqual([eve, bob])
    expect(await search("metadata['team']:null")).toEqual([eve])
    expect(await search("-metadata['team']:null")).toEqual([bob, ada])
    expect(await search('phone:null name:"eve"')).toEqual([eve])
    expect(await search(`created:${NOW}`)).toEqual([eve, bob, ada])
    expect(await search(`created>${NOW}`)).toEqual([])
  })

  test('joins clauses with AND, a space or OR', async () => {
    expect(await search('email~"example" AND name:"bob"')).toEqual([bob])
    expect(await search('email~"example" name:"eve"')).toEqual([])
    expect(await search('email:"bob@example.com" OR name:"eve"')).toEqual([eve, bob])
    expect(await search(`email:"bob@example.com" created<${NOW}`)).toEqual([])
    expect(await search(`email:"bob@example.com" -name:"bob"`)).toEqual([])
  })

  test('has pages, which the SDK follows, and counts on request', async () => {
    const query = `created:${NOW}`
    const first = await stripe.customers.search({ query, limit: 2, expand: ['total_count'] })
    expect(first).toMatchObject({
      object: 'search_result',
      url: '/v1/customers/search',
      has_more: true,
      total_count: 3,
    })
    const second = await stripe.customers.search({ query, limit: 2, page: first.next_page ?? '' })
    expect(second).toMatchObject({ has_more: false, next_page: null, data: [{ id: ada }] })
    expect(second).not.toHaveProperty('total_count')
    const all = await stripe.customers.search({ query, limit: 1 }).autoPagingToArray({ limit: 10 })
    expect(all.map(({ id }) => id)).toEqual([eve, bob, ada])
    const wrong = await errorOf(stripe.customers.search({ query, page: 'none' }))
    expect(wrong).toMatchObject({ statusCode: 400, param: 'page' })
  })

  test('finds no deleted ones, and none of other merchants', async () => {
    const admin = asOperator(sdk.twin)
    const { body: merchant } = await admin('POST', 'merchants', { name: 'Other', dialect: 'stripe' })
    const { body: key } = await admin('POST', 'keys', { merchant: merchant.id })
    const other = sdk.withKey(key.secret)
    await other.customers.create({ email: 'bob@example.com' })
    expect(await search('email:"bob@example.com"')).toEqual([bob])
    expect((await other.customers.search({ query: `created>=0`, limit: 100 })).data).toHaveLength(1)
    const { id } = await stripe.customers.create({ email: 'gone@example.com' })
    expect(await search('email:"gone@example.com"')).toEqual([id])
    await stripe.customers.del(id)
    expect(await search('email:"gone@example.com"')).toEqual([])
  })

  test('refuses a query that is missing or wrong', async () => {
    const missing = await errorOf(stripe.rawRequest('GET', '/v1/customers/search'))
    expect(missing).toMatchObject({ statusCode: 400, code: 'parameter_missing', param: 'query' })
    const wrong = await errorOf(stripe.customers.search({ query: 'foo:"bar"' }))
    expect(wrong).toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400, param: 'query' })
  })
})

describe('a search for other objects', () => {
  let subscription: Stripe.Subscription
  let invoice: Stripe.Invoice
  let product: string
  let price: string
  let customer: string
  beforeAll(async () => {
    const found = await stripe.customers.create({ payment_method: 'pm_card_mastercard' })
    customer = found.id
    const [method] = (await stripe.customers.listPaymentMethods(customer)).data
    await stripe.customers.update(customer, {
      invoice_settings: { default_payment_method: method?.id ?? '' },
    })
    product = (await stripe.products.create({ name: 'Pro Plan', description: 'All of it' })).id
    const recurring = { interval: 'month' } as const
    const params = { product, currency: 'usd', unit_amount: 2000, recurring, lookup_key: 'pro' }
    price = (await stripe.prices.create(params)).id
    await stripe.prices.create({ product, currency: 'eur', unit_amount: 100 })
    subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price }],
      metadata: { plan: 'pro' },
    })
    invoice = await stripe.invoices.retrieve(idOf(subscription.latest_invoice))
  })

  test('finds subscriptions', async () => {
    const search = (query: string) => ids(stripe.subscriptions.search({ query }))
    expect(await search('status:"active"')).toEqual([subscription.id])
    expect(await search('status:"active" metadata["plan"]:"pro" canceled_at:null')).toEqual([subscription.id])
    expect(await search('-status:"active"')).toEqual([])
    expect(await search(`created>=${NOW} created<=${NOW}`)).toEqual([subscription.id])
  })

  test('finds invoices', async () => {
    const search = (query: string) => ids(stripe.invoices.search({ query }))
    for (const query of [
      `subscription:"${subscription.id}"`,
      `customer:"${customer}" status:"paid"`,
      'total>1999 total<=2000 currency:"usd"',
      `number:"${invoice.number}"`,
      'receipt_number:null',
    ])
      expect([query, await search(query)]).toEqual([query, [invoice.id]])
    expect(await search('total>2000')).toEqual([])
    expect(await search('-currency:"usd" OR status:"draft"')).toEqual([])
  })

  test('finds prices and products', async () => {
    const prices = (query: string) => ids(stripe.prices.search({ query }))
    expect(await prices('lookup_key:"pro"')).toEqual([price])
    expect(await prices(`product:"${product}" type:"recurring" active:"true"`)).toEqual([price])
    expect(await prices(`product:"${product}" -currency:"eur"`)).toEqual([price])
    const products = (query: string) => ids(stripe.products.search({ query }))
    expect(await products('name~"pro p" active:"true"')).toEqual([product])
    expect(await products('description:"all of it" url:null')).toEqual([product])
    await stripe.products.update(product, { active: false })
    expect(await products('active:"true"')).toEqual([])
    await stripe.products.update(product, { active: true })
  })

  test('finds charges and payment intents', async () => {
    const intent = await stripe.paymentIntents.create({ amount: 700, currency: 'eur', customer })
    const intents = (query: string) => ids(stripe.paymentIntents.search({ query }))
    expect(await intents('status:"requires_payment_method"')).toEqual([intent.id])
    expect(await intents(`customer:"${customer}" amount:700`)).toEqual([intent.id])
    const [charge] = (await stripe.charges.list({ customer })).data
    const charges = (query: string) => ids(stripe.charges.search({ query, expand: ['data.payment_intent'] }))
    for (const query of [
      'payment_method_details.card.last4:"4444" payment_method_details.card.exp_year>2000',
      'payment_method_details.card.brand:"mastercard"',
      'status:"succeeded" refunded:"false" disputed:"false"',
      `customer:"${customer}" amount:2000 currency:"usd"`,
    ])
      expect([query, await charges(query)]).toEqual([query, [charge?.id]])
    await stripe.refunds.create({ charge: charge?.id ?? '' })
    expect(await charges('refunded:"true"')).toEqual([charge?.id])
  })

  test('expands what it finds', async () => {
    const { data } = await stripe.subscriptions.search({
      query: 'status:"active"',
      expand: ['data.customer', 'data.latest_invoice.payments.data.payment.payment_intent'],
    })
    expect(data[0]).toMatchObject({ customer: { id: customer }, latest_invoice: { id: invoice.id } })
  })
})
