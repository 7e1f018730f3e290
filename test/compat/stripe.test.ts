import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idOf, makeCustomer, makePrice, type Sdk, startSdk, subscribe } from './sdk.ts'

let sdk: Sdk
let stripe: Stripe
beforeAll(async () => {
  sdk = await startSdk()
  stripe = sdk.stripe
})
afterAll(() => sdk.close())

const NOW = 1769853600

describe('customers', () => {
  test('are created, retrieved, updated, listed and deleted', async () => {
    const created = await stripe.customers.create({
      email: 'ada@example.com',
      name: 'Ada Lövelace & Co. [1]',
    })
    expect(created).toMatchObject({ object: 'customer', name: 'Ada Lövelace & Co. [1]', created: NOW })
    expect(await stripe.customers.retrieve(created.id)).toEqual(created)
    const updated = await stripe.customers.update(created.id, { description: 'Renamed', name: '' })
    expect(updated).toEqual({ ...created, description: 'Renamed', name: null })
    const { data } = await stripe.customers.list({ email: 'ada@example.com', created: { gte: NOW } })
    expect(data).toEqual([updated])
    expect((await stripe.customers.list({ email: 'ada@example.com', created: NOW })).data).toEqual([updated])
    const stub = { id: created.id, object: 'customer', deleted: true, livemode: false }
    expect(await stripe.customers.del(created.id)).toEqual(stub)
    expect(await stripe.customers.retrieve(created.id)).toEqual(stub)
  })

  test('have metadata that merges, is unset by key, and is unset as a whole', async () => {
    const { id, metadata } = await stripe.customers.create({ metadata: { plan: 'pro', seats: 5 } })
    expect(metadata).toEqual({ plan: 'pro', seats: '5' })
    const merged = await stripe.customers.update(id, { metadata: { team: 'core' } })
    expect(merged.metadata).toEqual({ plan: 'pro', seats: '5', team: 'core' })
    const without = await stripe.customers.update(id, { metadata: { plan: '', seats: null } })
    expect(without.metadata).toEqual({ team: 'core' })
    expect((await stripe.customers.update(id, { metadata: '' })).metadata).toEqual({})
  })
})

describe('payment methods', () => {
  test('are made from a test number, attached, listed and detached', async () => {
    const customer = await stripe.customers.create()
    const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
    const { id } = await stripe.paymentMethods.create({ type: 'card', card })
    const attached = await stripe.paymentMethods.attach(id, { customer: customer.id })
    expect(attached).toMatchObject({
      customer: customer.id,
      type: 'card',
      card: { brand: 'visa', last4: '4242' },
    })
    const all = await stripe.paymentMethods.list({ customer: customer.id, type: 'card' })
    expect(all.data).toEqual([attached])
    const ofCustomer = await stripe.customers.listPaymentMethods(customer.id)
    expect(ofCustomer.data).toEqual([attached])
    expect(await stripe.paymentMethods.detach(id)).toEqual({ ...attached, customer: null })
  })

  test('become the default of a customer', async () => {
    const { customer, method } = await makeCustomer(sdk)
    const updated = await stripe.customers.update(customer.id, {
      invoice_settings: { default_payment_method: method.id },
    })
    expect(updated.invoice_settings.default_payment_method).toBe(method.id)
  })
})

test('products have recurring and one-time prices', async () => {
  const product = await stripe.products.create({ name: 'Pro', metadata: { tier: '2' } })
  expect(await stripe.products.retrieve(product.id)).toEqual(product)
  const monthly = await makePrice(sdk, {
    product: product.id,
    lookup_key: 'pro_monthly',
    nickname: 'Monthly',
  })
  expect(monthly).toMatchObject({ type: 'recurring', recurring: { interval: 'month', interval_count: 1 } })
  const once = await stripe.prices.create({ product: product.id, unit_amount: 500, currency: 'eur' })
  expect(once).toMatchObject({ type: 'one_time', recurring: null, currency: 'eur' })
  expect((await stripe.prices.list({ product: product.id })).data).toEqual([once, monthly])
  expect((await stripe.prices.list({ lookup_keys: ['pro_monthly', 'none'] })).data).toEqual([monthly])
  const inactive = await stripe.prices.update(once.id, { active: false })
  expect((await stripe.prices.list({ product: product.id, active: false })).data).toEqual([inactive])
  expect(await stripe.products.update(product.id, { name: 'Pro 2' })).toMatchObject({ name: 'Pro 2' })
})

describe('subscriptions', () => {
  test('are created, retrieved, updated and canceled', async () => {
    const subscription = await subscribe(sdk, { metadata: { order: '7' } })
    const { id, customer } = subscription
    expect(subscription).toMatchObject({ object: 'subscription', status: 'active', metadata: { order: '7' } })
    expect(await stripe.subscriptions.retrieve(id)).toEqual(subscription)
    const [item] = subscription.items.data
    const updated = await stripe.subscriptions.update(id, {
      items: [{ id: item?.id ?? '', quantity: 3 }],
      proration_behavior: 'none',
      description: 'Three seats',
      cancel_at_period_end: true,
    })
    expect(updated).toMatchObject({ description: 'Three seats', cancel_at_period_end: true })
    expect(updated.items.data).toEqual([{ ...item, quantity: 3 }])
    expect(await stripe.subscriptions.resume(id)).toMatchObject({ cancel_at_period_end: false })
    const canceled = await stripe.subscriptions.cancel(id)
    expect(canceled).toMatchObject({ status: 'canceled', canceled_at: NOW, ended_at: NOW })
    expect((await stripe.subscriptions.list({ customer: idOf(customer) })).data).toEqual([])
    const ended = await stripe.subscriptions.list({ customer: idOf(customer), status: 'canceled' })
    expect(ended.data).toEqual([canceled])
  })

  test('swap one price for another, and lose the fields that an empty value unsets', async () => {
    const subscription = await subscribe(sdk)
    const { id } = subscription
    const [{ id: item = '' } = {}] = subscription.items.data
    const yearly = await makePrice(sdk, { recurring: { interval: 'year' } })
    const swapped = await stripe.subscriptions.update(id, {
      items: [{ id: item, deleted: true }, { price: yearly.id }],
      proration_behavior: 'none',
      cancel_at: NOW + 86_400,
    })
    expect(swapped.items.data).toMatchObject([{ price: yearly, quantity: 1 }])
    expect(swapped.cancel_at).toBe(NOW + 86_400)
    const unset = await stripe.subscriptions.update(id, { cancel_at: '', default_payment_method: '' })
    expect(unset).toMatchObject({ cancel_at: null, default_payment_method: null })
  })

  test('are paused, and collect again', async () => {
    const { id } = await subscribe(sdk)
    const paused = await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } })
    expect(paused.pause_collection).toEqual({ behavior: 'void', resumes_at: null })
    const collecting = await stripe.subscriptions.update(id, { pause_collection: '' })
    expect(collecting.pause_collection).toBeNull()
  })

  test('may begin with a trial, and be billed by invoices', async () => {
    const trialing = await subscribe(sdk, {
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    expect(trialing).toMatchObject({ status: 'trialing', trial_end: NOW + 14 * 86_400 })
    const billed = await subscribe(sdk, { collection_method: 'send_invoice', days_until_due: 7 })
    expect(billed).toMatchObject({ status: 'active', collection_method: 'send_invoice', days_until_due: 7 })
  })
})

describe('invoices', () => {
  test('are listed, retrieved and previewed, with their lines', async () => {
    const subscription = await subscribe(sdk)
    const { data } = await stripe.invoices.list({ subscription: subscription.id, status: 'paid' })
    const [invoice] = data
    expect(data).toMatchObject([
      { id: subscription.latest_invoice, total: 2000, amount_paid: 2000, amount_remaining: 0 },
    ])
    expect(await stripe.invoices.retrieve(idOf(invoice))).toEqual(invoice)
    expect((await stripe.invoices.listLineItems(idOf(invoice))).data).toEqual(invoice?.lines.data)
    const preview = await stripe.invoices.createPreview({ subscription: subscription.id })
    expect(preview).toMatchObject({ object: 'invoice', id: null, total: 2000 })
  })

  test('are paid manually with another card', async () => {
    const { id, customer, status } = await subscribe(sdk, { card: 'pm_card_chargeDeclined' })
    expect(status).toBe('incomplete')
    const { data } = await stripe.invoices.list({ subscription: id, status: 'open' })
    const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: idOf(customer) })
    const paid = await stripe.invoices.pay(idOf(data[0]), { payment_method: good.id })
    expect(paid).toMatchObject({ status: 'paid', amount_remaining: 0 })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
      status: 'active',
      latest_invoice: paid.id,
    })
  })

  test('are created manually from invoice items, finalized, voided, written off and deleted', async () => {
    const { customer } = await makeCustomer(sdk)
    const draft = async () => {
      await stripe.invoiceItems.create({
        customer: customer.id,
        amount: 700,
        currency: 'usd',
        description: 'Setup',
      })
      return stripe.invoices.create({
        customer: customer.id,
        collection_method: 'send_invoice',
        days_until_due: 5,
      })
    }
    const first = await draft()
    expect(first).toMatchObject({ status: 'draft', number: null, total: 700 })
    expect(await stripe.invoices.finalizeInvoice(first.id)).toMatchObject({
      status: 'open',
      due_date: NOW + 5 * 86_400,
    })
    expect(await stripe.invoices.voidInvoice(first.id)).toMatchObject({ status: 'void' })
    const second = await stripe.invoices.finalizeInvoice((await draft()).id)
    expect(await stripe.invoices.markUncollectible(second.id)).toMatchObject({ status: 'uncollectible' })
    const third = await draft()
    expect(await stripe.invoices.del(third.id)).toMatchObject({ id: third.id, deleted: true })
  })
})

test('a draft invoice is filled with items that name it', async () => {
  const { customer } = await makeCustomer(sdk)
  const draft = await stripe.invoices.create({ customer: customer.id, currency: 'usd' })
  const add = (amount: number, description: string) =>
    stripe.invoiceItems.create({
      customer: customer.id,
      invoice: draft.id,
      amount,
      currency: 'usd',
      description,
    })
  const setup = await add(700, 'Setup')
  const support = await add(300, 'Support')
  expect(setup).toMatchObject({ object: 'invoiceitem', invoice: draft.id, amount: 700 })
  await stripe.invoiceItems.update(setup.id, { amount: 900, metadata: { a: 'b' } })
  expect(await stripe.invoiceItems.del(support.id)).toMatchObject({ id: support.id, deleted: true })
  const { data } = await stripe.invoiceItems.list({ invoice: draft.id, pending: false })
  expect(data).toEqual([await stripe.invoiceItems.retrieve(setup.id)])
  expect(await stripe.invoices.finalizeInvoice(draft.id)).toMatchObject({
    status: 'open',
    subtotal: 900,
    total: 900,
    amount_due: 900,
    amount_remaining: 900,
    lines: { data: [{ amount: 900, description: 'Setup' }] },
  })
})

describe('payment intents', () => {
  test('are created, updated, confirmed and listed', async () => {
    const { customer, method } = await makeCustomer(sdk)
    const { id } = await stripe.paymentIntents.create({
      amount: 1500,
      currency: 'USD',
      customer: customer.id,
    })
    const updated = await stripe.paymentIntents.update(id, { amount: 1600, metadata: { order: '7' } })
    expect(updated).toMatchObject({ amount: 1600, currency: 'usd', metadata: { order: '7' } })
    const confirmed = await stripe.paymentIntents.confirm(id, { payment_method: method.id })
    expect(confirmed).toMatchObject({ status: 'succeeded', amount_received: 1600, payment_method: method.id })
    expect((await stripe.paymentIntents.list({ customer: customer.id })).data).toEqual([confirmed])
    const charge = await stripe.charges.retrieve(idOf(confirmed.latest_charge))
    expect(charge).toMatchObject({ paid: true, amount: 1600, payment_intent: id })
  })

  test('are created and confirmed in one call', async () => {
    const intent = await stripe.paymentIntents.create({
      amount: 1500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
    })
    expect(intent.status).toBe('succeeded')
  })

  test('are canceled with a reason', async () => {
    const { id } = await stripe.paymentIntents.create({ amount: 1500, currency: 'usd' })
    const canceled = await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' })
    expect(canceled).toMatchObject({ status: 'canceled', canceled_at: NOW, cancellation_reason: 'abandoned' })
  })
})

test('a publishable key retrieves and confirms a payment intent with its client_secret', async () => {
  const { secret } = await sdk.issueKey({ publishable: true })
  const browser = sdk.withKey(secret)
  const intent = await stripe.paymentIntents.create({ amount: 1500, currency: 'usd' })
  const client_secret = intent.client_secret ?? ''
  expect(await browser.paymentIntents.retrieve(intent.id, { client_secret })).toMatchObject({ amount: 1500 })
  const params = { client_secret, payment_method: 'pm_card_visa' }
  expect(await browser.paymentIntents.confirm(intent.id, params)).toMatchObject({ status: 'succeeded' })
})

test('refund part of a charge, and then the rest', async () => {
  const intent = await stripe.paymentIntents.create({
    amount: 1500,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
  })
  const charge = idOf(intent.latest_charge)
  const part = await stripe.refunds.create({ charge, amount: 400, reason: 'requested_by_customer' })
  expect(part).toMatchObject({
    object: 'refund',
    status: 'succeeded',
    amount: 400,
    payment_intent: intent.id,
  })
  expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 400, refunded: false })
  const rest = await stripe.refunds.create({ payment_intent: intent.id })
  expect(rest.amount).toBe(1100)
  expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 1500, refunded: true })
  expect((await stripe.refunds.list({ charge })).data).toEqual([rest, part])
  expect(await stripe.refunds.retrieve(part.id)).toEqual(part)
})
