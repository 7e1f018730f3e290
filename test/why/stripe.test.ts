import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { authenticate, SUCCESS, submit } from '../http/stripe/checkout.ts'
import { idOf, stripeOfFile } from '../http/stripe/sdk.ts'
import { why } from './support.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800
const HOUR = 3_600
const DAY = 24 * HOUR

const sdk = stripeOfFile()
const { stripe } = sdk
let price: string
beforeAll(async () => {
  const product = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  price = (await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 2000, recurring }))
    .id
})

const lines = (id: string) => why(sdk.twin, id)

/** Creates a subscription of 20.00 USD a month on a test clock, with a card. */
async function subscribe(card = 'pm_card_visa', given: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock })
  const method = await stripe.paymentMethods.attach(card, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } })
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price }], ...given })
  const newest = async () => {
    const [invoice] = (await stripe.invoices.list({ customer, limit: 1 })).data
    return invoice?.id ?? ''
  }
  return { clock, customer, id, newest, to: (time: number) => sdk.advance(clock, time) }
}

describe('a draft of Stripe’s API', () => {
  test('waits an hour, and is then charged', async () => {
    const told = await subscribe()
    await told.to(FEB_28)
    expect(await lines(await told.newest())).toMatchInlineSnapshot(`
      "The invoice has been a draft since 2026-02-28T10:00:00Z: it waits 1 hour for changes before it is finalized and charged. [invoices.md#drafts-that-advance]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      At 2026-02-28T11:00:00Z, it is finalized and charged. [invoices.md#drafts-that-advance]"
    `)
    expect(await lines(told.id)).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-01-31T10:00:00Z: its first invoice #0001 (20.00 USD) was paid with attempt 1. [subscriptions.md#creating]
      At 2026-02-28T11:00:00Z, the draft invoice (20.00 USD) is finalized and charged. [invoices.md#drafts-that-advance]
      At 2026-03-24T10:00:00Z, invoice.upcoming announces the next invoice. [notices.md#upcoming-invoices]
      At 2026-03-31T10:00:00Z, the subscription renews and a period until 2026-04-30T10:00:00Z begins. Its invoice of 20.00 USD is a draft until 2026-03-31T11:00:00Z, when it is finalized and charged automatically to visa …4242. [invoices.md#drafts-that-advance]"
    `)
  })

  test('waits an hour, and is then sent', async () => {
    const told = await subscribe('pm_card_visa', { collection_method: 'send_invoice', days_until_due: 7 })
    await told.to(JAN_31 + DAY)
    expect(await lines(await told.newest())).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-01-31T10:00:00Z: it was sent to the customer and is not paid yet. [invoices.md#due-dates]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      At 2026-02-07T10:00:00Z, it is due; if it is not paid by then, the subscription becomes past_due. [invoices.md#due-dates]"
    `)
    await told.to(JAN_31 + 9 * DAY)
    expect(await lines(told.id)).toMatchInlineSnapshot(`
      "The subscription has been past_due since 2026-02-07T10:00:00Z: the due date of invoice #0001 (20.00 USD) passed without a payment. [subscriptions.md#sent-invoices]
      Invoice #0001 (20.00 USD) is open: it was sent to the customer, and its due date passed at 2026-02-07T10:00:00Z without a payment. [invoices.md#due-dates]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 20.00 USD is a draft until 2026-02-28T11:00:00Z, when it is finalized and sent to the customer. [invoices.md#drafts-that-advance]"
    `)
    await told.to(FEB_28)
    expect(await lines(await told.newest())).toMatchInlineSnapshot(`
      "The invoice has been a draft since 2026-02-28T10:00:00Z: it waits 1 hour for changes before it is finalized and sent. [invoices.md#drafts-that-advance]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      At 2026-02-28T11:00:00Z, it is finalized and sent. [invoices.md#drafts-that-advance]"
    `)
  })

  test('can be stopped, and its subscription can end', async () => {
    const told = await subscribe()
    await told.to(FEB_28)
    const draft = await told.newest()
    await stripe.invoices.update(draft, { auto_advance: false })
    expect(await lines(draft)).toMatchInlineSnapshot(`
      "The invoice has been a draft since 2026-02-28T10:00:00Z: a request stopped it with auto_advance. [invoices.md#drafts-that-advance]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
    await stripe.invoices.update(draft, { auto_advance: true })
    await stripe.subscriptions.cancel(told.id)
    expect(await lines(draft)).toMatchInlineSnapshot(`
      "The invoice has been a draft since 2026-02-28T10:00:00Z: its subscription is canceled, so the draft no longer advances. [invoices.md#drafts-that-advance]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
})

describe('an incomplete subscription of Stripe’s API', () => {
  const incomplete = { payment_behavior: 'default_incomplete' } as const

  test('waits for its first payment, and expires after 23 hours', async () => {
    const told = await subscribe('pm_card_visa', incomplete)
    const invoice = await told.newest()
    expect(await lines(told.id)).toMatchInlineSnapshot(`
      "The subscription has been incomplete since 2026-01-31T10:00:00Z: its first invoice has to be paid before it becomes active. [subscriptions.md#payment-behavior]
      Invoice #0001 (20.00 USD) is open: its payment has to be confirmed first, and nothing else charges it. [payments.md#intents-of-invoices]
      At 2026-02-01T09:00:00Z, the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided. [subscriptions.md#incomplete-subscriptions]"
    `)
    expect(await lines(invoice)).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-01-31T10:00:00Z: its payment has to be confirmed first, and nothing else charges it. [payments.md#intents-of-invoices]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      At 2026-02-01T09:00:00Z, the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided. [subscriptions.md#incomplete-subscriptions]"
    `)
    await told.to(JAN_31 + DAY)
    expect(await lines(told.id)).toMatchInlineSnapshot(`
      "The subscription has been incomplete_expired since 2026-02-01T09:00:00Z: its first invoice was not paid within 23 hours. [subscriptions.md#incomplete-subscriptions]
      Nothing further happens: this status is final. [subscriptions.md#status]"
    `)
    expect(await lines(invoice)).toMatchInlineSnapshot(`
      "The invoice has been void since 2026-02-01T09:00:00Z: its subscription expired without a first payment. [subscriptions.md#incomplete-subscriptions]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Nothing further happens: this status is final. [invoices.md#status]"
    `)
  })

  test('waits for an authentication', async () => {
    const told = await subscribe('pm_card_threeDSecure2Required', { payment_behavior: 'allow_incomplete' })
    expect(await lines(told.id)).toMatchInlineSnapshot(`
      "The subscription has been incomplete since 2026-01-31T10:00:00Z: attempt 1 to pay invoice #0001 (20.00 USD) required an action by the customer, such as an authentication. [subscriptions.md#dunning]
      Invoice #0001 (20.00 USD) is open: its payment requires an action by the customer, such as an authentication. [payments.md#authentication]
      At 2026-02-01T09:00:00Z, the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided. [subscriptions.md#incomplete-subscriptions]"
    `)
    expect(await lines(await told.newest())).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-01-31T10:00:00Z: its payment requires an action by the customer, such as an authentication. [payments.md#authentication]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      At 2026-02-01T09:00:00Z, the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided. [subscriptions.md#incomplete-subscriptions]"
    `)
  })

  test('was declined, which is not retried', async () => {
    const told = await subscribe('pm_card_chargeCustomerFail', { payment_behavior: 'allow_incomplete' })
    expect(await lines(told.id)).toMatchInlineSnapshot(`
      "The subscription has been incomplete since 2026-01-31T10:00:00Z: attempt 1 to pay invoice #0001 (20.00 USD) failed (generic_decline). [subscriptions.md#dunning]
      Invoice #0001 (20.00 USD) is open: attempt 1 failed (generic_decline), and a declined first payment is not retried. [invoices.md#retry-schedule]
      At 2026-02-01T09:00:00Z, the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided. [subscriptions.md#incomplete-subscriptions]"
    `)
  })
})

test('a renewal waits for an authentication', async () => {
  const told = await subscribe()
  const { customer } = told
  const { id } = await stripe.paymentMethods.attach('pm_card_threeDSecure2Required', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
  await told.to(FEB_28 + 2 * HOUR)
  expect(await lines(told.id)).toMatchInlineSnapshot(`
    "The subscription has been past_due since 2026-02-28T11:00:00Z: attempt 1 of 5 to pay invoice #0002 (20.00 USD) failed (authentication_required). [subscriptions.md#dunning]
    Invoice #0002 (20.00 USD) is open: attempt 1 of 5 failed (authentication_required). [invoices.md#retry-schedule]
    At 2026-03-01T11:00:00Z, invoice #0002 (20.00 USD) is charged again (attempt 2 of 5). Failed payments are retried 1, 3, 5 and 7 days after the first attempt; if all fail, the last attempt is at 2026-03-07T11:00:00Z and then the subscription is canceled, which is the merchant's final action. [invoices.md#retry-schedule]
    At 2026-03-24T10:00:00Z, invoice.upcoming announces the next invoice. [notices.md#upcoming-invoices]
    At 2026-03-31T10:00:00Z, the subscription renews and a period until 2026-04-30T10:00:00Z begins. Its invoice of 20.00 USD is a draft until 2026-03-31T11:00:00Z, when it is finalized and charged automatically to visa …3220. [invoices.md#drafts-that-advance]"
  `)
})

describe('a setup intent', () => {
  const make = (given: Stripe.SetupIntentCreateParams = {}) => stripe.setupIntents.create(given)
  test.each<[string, () => Promise<Stripe.SetupIntent>, string]>([
    [
      'without a payment method',
      () => make(),
      'requires_payment_method since …: no payment method has been chosen',
    ],
    [
      'with a payment method',
      () => make({ payment_method: 'pm_card_visa' }),
      'requires_confirmation since …: it has a payment method, and no request has confirmed it',
    ],
    [
      'of a card that must be authenticated',
      () =>
        make({
          payment_method: 'pm_card_threeDSecure2Required',
          confirm: true,
          return_url: 'https://shop.example',
        }),
      'requires_action since …: the customer has to authenticate the payment method',
    ],
    [
      'that succeeded',
      () => make({ payment_method: 'pm_card_visa', confirm: true, return_url: 'https://shop.example' }),
      'succeeded since …: its payment method was saved',
    ],
    [
      'that was canceled',
      async () => stripe.setupIntents.cancel((await make()).id, { cancellation_reason: 'abandoned' }),
      'canceled since …: it was canceled (abandoned)',
    ],
  ])('%s', async (_, begin, expected) => {
    const { id } = await begin()
    const [first] = (await lines(id)).split('\n')
    expect(first?.replace(/20\d\d\S+Z/, '…')).toContain(
      `The status of the setup intent has been ${expected}. [`,
    )
  })

  test('that failed', async () => {
    const { id } = await make()
    await stripe.setupIntents
      .confirm(id, { payment_method: 'pm_card_chargeDeclined', return_url: 'https://shop.example' })
      .catch(() => undefined)
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The status of the setup intent has been requires_payment_method since 2026-01-31T10:00:00Z: its latest confirmation failed (generic_decline), so it needs another payment method. [setup-intents.md#confirming]
      Nothing further happens by itself: only a request changes it. [setup-intents.md#status]"
    `)
  })
})

describe('a Checkout session', () => {
  const open = (given: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
    stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price, quantity: 1 }],
      ...SUCCESS,
      ...given,
    })

  test('that is open, declined, and complete', async () => {
    const { id } = await open()
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been open since 2026-01-31T10:00:00Z: the customer has yet to submit its page. [checkout-sessions.md#submitting]
      At 2026-02-01T10:00:00Z, the Checkout session expires unless it is completed. [checkout-sessions.md#expiry]"
    `)
    await submit(sdk, id, { number: '4000000000009995' })
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been open since 2026-01-31T10:00:00Z: the payment method that the customer submitted failed (insufficient_funds), and the page can be submitted again. [checkout-sessions.md#submitting]
      At 2026-02-01T10:00:00Z, the Checkout session expires unless it is completed. [checkout-sessions.md#expiry]"
    `)
    await submit(sdk, id)
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been complete since 2026-01-31T10:00:00Z: the customer submitted its page, and paid 20.00 USD. [checkout-sessions.md#submitting]
      It made a subscription, which is active. [checkout-sessions.md#modes]
      It made invoice #0001 (20.00 USD), which is paid. [checkout-sessions.md#modes]
      Nothing further happens: this status is final. [checkout-sessions.md#status]"
    `)
  })

  test('that waits for an authentication', async () => {
    const { id } = await open()
    const result = await submit(sdk, id, { number: '4000000000003220' })
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been open since 2026-01-31T10:00:00Z: the customer submitted its page, and has to authenticate the payment. [checkout-sessions.md#authentication]
      At 2026-02-01T10:00:00Z, the Checkout session expires unless it is completed. [checkout-sessions.md#expiry]"
    `)
    await authenticate(sdk, result, 'fail')
    expect((await lines(id)).split('\n')[0]).toMatchInlineSnapshot(
      `"The Checkout session has been open since 2026-01-31T10:00:00Z: the payment method that the customer submitted failed (payment_intent_authentication_failure), and the page can be submitted again. [checkout-sessions.md#submitting]"`,
    )
  })

  test('that saves a card', async () => {
    const { id } = await stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', ...SUCCESS })
    await submit(sdk, id)
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been complete since 2026-01-31T10:00:00Z: the customer submitted its page, and the payment method was saved. [checkout-sessions.md#submitting]
      Nothing further happens: this status is final. [checkout-sessions.md#status]"
    `)
  })

  test('with nothing due', async () => {
    const { id } = await open({ subscription_data: { trial_period_days: 7 } })
    await submit(sdk, id)
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been complete since 2026-01-31T10:00:00Z: the customer submitted its page, and nothing was due. [checkout-sessions.md#status]
      It made a subscription, which is trialing. [checkout-sessions.md#modes]
      It made invoice #0001 (0.00 USD), which is paid. [checkout-sessions.md#modes]
      Nothing further happens: this status is final. [checkout-sessions.md#status]"
    `)
  })

  test('that is paid later', async () => {
    const product = await stripe.products.create({ name: 'Book' })
    const book = await stripe.prices.create({ product: product.id, currency: 'brl', unit_amount: 500 })
    const { id } = await open({
      mode: 'payment',
      line_items: [{ price: book.id, quantity: 1 }],
      allowed_payment_method_types: ['card', 'boleto'],
    })
    await submit(sdk, id, { payment_method: 'pm_boleto' })
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been complete since 2026-01-31T10:00:00Z: the customer submitted its page, and pays later by boleto. [checkout-sessions.md#payments-that-arrive-later]
      Nothing further happens: this status is final. [checkout-sessions.md#status]"
    `)
    const { payment_intent } = await stripe.checkout.sessions.retrieve(id)
    await stripe.rawRequest('POST', `/v1/test_helpers/payment_intents/${idOf(payment_intent)}/settle`, {
      outcome: 'fail',
    })
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been complete since 2026-01-31T10:00:00Z: the customer submitted its page, and the later payment failed. [checkout-sessions.md#payments-that-arrive-later]
      Nothing further happens: this status is final. [checkout-sessions.md#status]"
    `)
  })

  test('that a request expired, or its expires_at', async () => {
    const { id } = await open()
    await stripe.checkout.sessions.expire(id)
    expect(await lines(id)).toMatchInlineSnapshot(`
      "The Checkout session has been expired since 2026-01-31T10:00:00Z: a request expired it. [checkout-sessions.md#expiry]
      Nothing further happens: this status is final. [checkout-sessions.md#status]"
    `)
    const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
    const { id: customer } = await stripe.customers.create({ test_clock: clock })
    const late = await open({ customer })
    await sdk.advance(clock, JAN_31 + 2 * DAY)
    expect(await lines(late.id)).toMatchInlineSnapshot(`
      "The Checkout session has been expired since 2026-02-01T10:00:00Z: its expires_at came before the customer had completed it. [checkout-sessions.md#expiry]
      Nothing further happens: this status is final. [checkout-sessions.md#status]"
    `)
  })
})
