import { describe, expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile()

describe('the details of a product', () => {
  const details = {
    images: ['https://example.com/a.png'],
    marketing_features: [{ name: 'Fast' }],
    shippable: false,
    statement_descriptor: 'PRO',
    tax_code: 'txcd_10103000',
    unit_label: 'seat',
    url: 'https://example.com',
  }

  test('are kept, shown and removed', async () => {
    const { id } = await stripe.products.create({ name: 'Pro', ...details })
    expect(await stripe.products.retrieve(id)).toMatchObject(details)
    const removed = await stripe.products.update(id, { images: '', url: '', unit_label: 'user' })
    expect(removed).toMatchObject({ ...details, images: [], url: null, unit_label: 'user' })
  })

  test('report in an event what changed', async () => {
    const { id } = await stripe.products.create({ name: 'Pro' })
    await stripe.products.update(id, { images: details.images })
    const [event] = (await stripe.events.list({ type: 'product.updated', limit: 1 })).data
    expect(event?.data).toMatchObject({ object: { id, images: details.images } })
    expect(event?.data.previous_attributes).toEqual({ images: [] })
  })

  test('can be given with a price and in a Checkout session', async () => {
    const product_data = { name: 'Pro', unit_label: 'seat', statement_descriptor: 'PRO' }
    const price = await stripe.prices.create({ currency: 'usd', unit_amount: 100, product_data })
    expect(await stripe.products.retrieve(String(price.product))).toMatchObject(product_data)
    const { images } = details
    const data = { currency: 'usd', unit_amount: 100, product_data: { name: 'Cap', images } }
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      success_url: 'https://example.com',
      line_items: [{ quantity: 1, price_data: data }],
    })
    const lines = await stripe.checkout.sessions.listLineItems(session.id, { expand: ['data.price.product'] })
    expect(lines.data[0]?.price?.product).toMatchObject({ name: 'Cap', images })
  })

  test('are listed by ids', async () => {
    const { id } = await stripe.products.create({ name: 'Pro' })
    await stripe.products.create({ name: 'Other' })
    expect((await stripe.products.list({ ids: [id, 'prod_none'] })).data.map((one) => one.id)).toEqual([id])
  })

  test('must be URLs where they are links', async () => {
    const refused = await errorOf(stripe.products.create({ name: 'Pro', images: ['a picture'] }))
    expect(refused).toMatchObject({ statusCode: 400, param: 'images[0]' })
  })
})

describe('payment_method_options', () => {
  const payment_method_options = { card: { request_three_d_secure: 'any' as const } }

  test('of a subscription are kept and shown', async () => {
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    const recurring = { interval: 'month' } as const
    const price = await stripe.prices.create({ product, currency: 'usd', unit_amount: 100, recurring })
    const { id: customer } = await stripe.customers.create({ payment_method: 'pm_card_visa' })
    const settings = { payment_method_options, payment_method_types: ['card' as const] }
    const created = await stripe.subscriptions.create({
      customer,
      items: [{ price: price.id }],
      payment_behavior: 'default_incomplete',
      payment_settings: settings,
      automatic_tax: { enabled: false },
      invoice_settings: { issuer: { type: 'self' } },
      trial_from_plan: false,
    })
    expect(created.payment_settings).toMatchObject({ ...settings, save_default_payment_method: 'off' })
    const updated = await stripe.subscriptions.update(created.id, {
      payment_settings: { save_default_payment_method: 'on_subscription' },
    })
    expect(updated.payment_settings).toMatchObject({
      ...settings,
      save_default_payment_method: 'on_subscription',
    })
  })

  test('of intents and sessions are kept and shown', async () => {
    const intent = await stripe.paymentIntents.create({
      amount: 100,
      currency: 'usd',
      payment_method_options,
    })
    expect(intent.payment_method_options).toMatchObject(payment_method_options)
    const setup = await stripe.setupIntents.create({ payment_method_options })
    expect(setup.payment_method_options).toMatchObject(payment_method_options)
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      success_url: 'https://example.com',
      line_items: [
        { quantity: 1, price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'A' } } },
      ],
      payment_method_options,
    })
    expect(session.payment_method_options).toEqual(payment_method_options)
  })
})

test('a value that contradicts the behavior of paytwin is refused', async () => {
  const refused = await errorOf(
    stripe.subscriptions.create({
      customer: 'cus_1',
      items: [{ price: 'price_1' }],
      payment_settings: { payment_method_types: ['sepa_debit'] },
    }),
  )
  expect(refused).toMatchObject({ statusCode: 400, param: 'payment_settings[payment_method_types][0]' })
})

describe('a card that requires an authentication', () => {
  const params = {
    amount: 100,
    currency: 'usd',
    payment_method: 'pm_card_authenticationRequired',
    confirm: true,
  }

  test('is declined with error_on_requires_action', async () => {
    const declined = await errorOf(
      stripe.paymentIntents.create({ ...params, error_on_requires_action: true }),
    )
    expect(declined).toMatchObject({ statusCode: 402, code: 'authentication_required' })
    const { id } = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' })
    const { payment_method } = params
    const again = stripe.paymentIntents.confirm(id, { payment_method, error_on_requires_action: true })
    expect(await errorOf(again)).toMatchObject({ statusCode: 402, code: 'authentication_required' })
  })

  test('has the form for Stripe.js with use_stripe_sdk', async () => {
    const return_url = 'https://example.com/back'
    const redirecting = await stripe.paymentIntents.create({ ...params, return_url })
    expect(redirecting.next_action?.type).toBe('redirect_to_url')
    const { next_action } = await stripe.paymentIntents.create({
      ...params,
      return_url,
      use_stripe_sdk: true,
    })
    expect(next_action?.type).toBe('use_stripe_sdk')
  })
})

test('settings that every invoice and preview has can be given', async () => {
  const { id: customer } = await stripe.customers.create()
  const automatic_tax = { enabled: false }
  const draft = await stripe.invoices.create({ customer, automatic_tax })
  expect(draft.automatic_tax.enabled).toBe(false)
  expect(await stripe.invoices.update(draft.id, { automatic_tax })).toMatchObject({ status: 'draft' })
  const refused = await errorOf(stripe.invoices.update(draft.id, { automatic_tax: { enabled: true } }))
  expect(refused).toMatchObject({ statusCode: 400, param: 'automatic_tax[enabled]' })
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const price_data = { product, currency: 'usd', unit_amount: 700, recurring: { interval: 'month' as const } }
  const preview = await stripe.invoices.createPreview({
    customer,
    automatic_tax,
    preview_mode: 'next',
    subscription_details: { items: [{ price_data }] },
  })
  expect(preview.total).toBe(700)
})
