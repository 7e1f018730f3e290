import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const TRIAL_END = JAN_31 + 7 * 86_400

const sdk = stripeOfFile()
const { stripe } = sdk

/** Creates a subscription in a trial, without a payment method. */
async function subscribe() {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const monthly = { product, currency: 'usd', unit_amount: 2000, recurring: { interval: 'month' } } as const
  const { id: price } = await stripe.prices.create(monthly)
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock })
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 7 })
  return { clock, id }
}

test('an update changes what a trial without a payment method ends in', async () => {
  const { clock, id } = await subscribe()
  const trial_settings = { end_behavior: { missing_payment_method: 'cancel' as const } }
  expect(await stripe.subscriptions.update(id, { trial_settings })).toMatchObject({ trial_settings })
  await sdk.advance(clock, TRIAL_END)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
})

test('an update changes whether a payment saves its method', async () => {
  const { id } = await subscribe()
  const settings = { save_default_payment_method: 'on_subscription', payment_method_types: ['card'] } as const
  const saving = await stripe.subscriptions.update(id, {
    payment_settings: { ...settings, payment_method_types: [...settings.payment_method_types] },
  })
  expect(saving.payment_settings?.save_default_payment_method).toBe('on_subscription')
  const kept = await stripe.subscriptions.update(id, { payment_settings: { payment_method_types: ['card'] } })
  expect(kept.payment_settings?.save_default_payment_method).toBe('on_subscription')
  const off = await stripe.subscriptions.update(id, {
    payment_settings: { save_default_payment_method: 'off' },
  })
  expect(off.payment_settings?.save_default_payment_method).toBe('off')
})

test.each<[string, Stripe.SubscriptionUpdateParams]>([
  ['payment_settings[payment_method_types][0]', { payment_settings: { payment_method_types: ['paypal'] } }],
  [
    'trial_settings[end_behavior][missing_payment_method]',
    { trial_settings: { end_behavior: { missing_payment_method: 'wait' } } },
  ],
  [
    'payment_settings',
    {
      payment_behavior: 'pending_if_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
    },
  ],
])('an update is refused with a wrong %s', async (param, params) => {
  const { id } = await subscribe()
  expect(await errorOf(stripe.subscriptions.update(id, params))).toMatchObject({ statusCode: 400, param })
  expect((await stripe.subscriptions.retrieve(id)).payment_settings?.save_default_payment_method).toBe('off')
})

describe('add_invoice_items', () => {
  /** Creates a customer with a card, a monthly price of $20 and a one-time price of $5. */
  async function shop() {
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    const monthly = { product, currency: 'usd', unit_amount: 2000, recurring: { interval: 'month' } } as const
    const { id: price } = await stripe.prices.create(monthly)
    const setup = await stripe.prices.create({ product, currency: 'usd', unit_amount: 500 })
    const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
    const { id: customer } = await stripe.customers.create({ test_clock: clock })
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    const wanted = { customer, items: [{ price }], default_payment_method: card.id }
    return { clock, product, price, setup: setup.id, wanted }
  }
  const billsOf = async (subscription: string) =>
    (await stripe.invoices.list({ subscription })).data.map(({ status, lines }) => [
      status,
      lines.data.map(({ amount }) => amount),
    ])

  test('of a new subscription are billed by its first invoice only', async () => {
    const { clock, product, setup, wanted } = await shop()
    const { id, status } = await stripe.subscriptions.create({
      ...wanted,
      add_invoice_items: [
        { price: setup, quantity: 2 },
        { price_data: { product, currency: 'usd', unit_amount: 300 } },
      ],
    })
    expect(status).toBe('active')
    expect(await billsOf(id)).toEqual([['paid', [1000, 300, 2000]]])
    await sdk.advance(clock, JAN_31 + 28 * 86_400 + 7_200)
    expect(await billsOf(id)).toEqual([
      ['paid', [2000]],
      ['paid', [1000, 300, 2000]],
    ])
  })

  test('of an update are billed by the next invoice', async () => {
    const { clock, setup, wanted } = await shop()
    const { id } = await stripe.subscriptions.create(wanted)
    await stripe.subscriptions.update(id, { add_invoice_items: [{ price: setup }] })
    expect(await billsOf(id)).toEqual([['paid', [2000]]])
    await sdk.advance(clock, JAN_31 + 28 * 86_400 + 7_200)
    expect((await billsOf(id))[0]).toEqual(['paid', [500, 2000]])
  })

  test('of an update that creates an invoice are billed by it', async () => {
    const { setup, wanted } = await shop()
    const { id } = await stripe.subscriptions.create(wanted)
    const proration_behavior = 'always_invoice'
    await stripe.subscriptions.update(id, { add_invoice_items: [{ price: setup }], proration_behavior })
    expect(await billsOf(id)).toEqual([
      ['paid', [500]],
      ['paid', [2000]],
    ])
  })

  test('are refused with a recurring or unknown price or a trial, and nothing is written', async () => {
    const { price, setup, wanted } = await shop()
    const create = (wrong: string, more = {}) =>
      errorOf(stripe.subscriptions.create({ ...wanted, ...more, add_invoice_items: [{ price: wrong }] }))
    const param = 'add_invoice_items[0][price]'
    expect(await create(price)).toMatchObject({ statusCode: 400, param })
    expect(await create('price_none')).toMatchObject({ statusCode: 400, param })
    expect(await create(setup, { trial_period_days: 7 })).toMatchObject({ param: 'add_invoice_items' })
    const { id } = await stripe.subscriptions.create(wanted)
    const items = [{ price: setup }, { price }]
    const error = await errorOf(stripe.subscriptions.update(id, { add_invoice_items: items }))
    expect(error).toMatchObject({ statusCode: 400, param: 'add_invoice_items[1][price]' })
    expect((await stripe.invoiceItems.list({ customer: wanted.customer })).data).toEqual([])
    expect((await stripe.subscriptions.list({ customer: wanted.customer })).data).toHaveLength(1)
  })
})
