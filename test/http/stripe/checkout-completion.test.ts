import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { authenticate, change, eventsOf, SUCCESS, submit } from './checkout.ts'
import { errorOf, idOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
let monthly: string
let setupFee: string
beforeAll(async () => {
  const product = (await stripe.products.create({ name: 'Pro plan' })).id
  const price = { product, currency: 'usd' }
  monthly = (await stripe.prices.create({ ...price, unit_amount: 2_000, recurring: { interval: 'month' } }))
    .id
  setupFee = (await stripe.prices.create({ ...price, unit_amount: 500 })).id
})

type Params = Partial<Stripe.Checkout.SessionCreateParams>
const subscribe = (given: Params = {}) =>
  stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: monthly, quantity: 1 }],
    ...SUCCESS,
    ...given,
  })
const buy = (given: Params = {}) =>
  stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: setupFee, quantity: 2 }],
    ...SUCCESS,
    ...given,
  })
const retrieve = (id: string, ...expand: string[]) => stripe.checkout.sessions.retrieve(id, { expand })

const PAID = ['payment_intent.created', 'payment_intent.succeeded', 'charge.succeeded']
const INVOICED = [
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_succeeded',
  'invoice_payment.paid',
]
const SUBSCRIBED = ['customer.subscription.created', ...INVOICED]

describe('a session in the mode subscription', () => {
  test('subscribes a new customer when the page is submitted', async () => {
    const { id } = await subscribe({
      subscription_data: { metadata: { plan: 'pro' }, description: 'Pro' },
      line_items: [
        { price: monthly, quantity: 2 },
        { price: setupFee, quantity: 1 },
      ],
    })
    const events = await eventsOf(stripe, () => submit(sdk, id))
    expect(events).toEqual([
      'customer.created',
      ...PAID,
      'payment_method.attached',
      ...SUBSCRIBED,
      'checkout.session.completed',
    ])
    const session = await retrieve(id, 'subscription', 'customer', 'invoice.payments')
    expect(session).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      amount_total: 4_500,
      url: null,
      payment_intent: null,
      customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' },
      customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
      invoice: {
        status: 'paid',
        amount_paid: 4_500,
        billing_reason: 'subscription_create',
        attempt_count: 1,
      },
      subscription: { status: 'active', metadata: { plan: 'pro' }, description: 'Pro' },
    })
    const subscription = session.subscription as Stripe.Subscription
    expect(idOf(subscription.latest_invoice)).toBe((session.invoice as Stripe.Invoice).id)
    const method = await stripe.paymentMethods.retrieve(idOf(subscription.default_payment_method))
    expect(method).toMatchObject({
      customer: (session.customer as Stripe.Customer).id,
      billing_details: { email: 'ada@example.com' },
    })
    const [payment] = (session.invoice as Stripe.Invoice).payments?.data ?? []
    const intent = await stripe.paymentIntents.retrieve(idOf(payment?.payment.payment_intent), {
      expand: ['latest_charge'],
    })
    expect(intent).toMatchObject({ status: 'succeeded', amount: 4_500, description: 'Subscription creation' })
  })

  test('renews with the card of the page', async () => {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: 1_800_000_000 })
    const customer = await stripe.customers.create({ test_clock: clock.id, email: 'clock@example.com' })
    const { id } = await subscribe({ customer: customer.id })
    await submit(sdk, id)
    const { subscription } = await retrieve(id)
    await sdk.advance(clock.id, 1_800_000_000 + 40 * 86_400)
    const invoices = await stripe.invoices.list({ subscription: idOf(subscription) })
    expect(invoices.data.map(({ status, amount_paid }) => [status, amount_paid])).toEqual([
      ['paid', 2_000],
      ['paid', 2_000],
    ])
  })

  test('stays open after a decline, which leaves no subscription, and then takes another card', async () => {
    const { id } = await subscribe()
    const declined = await eventsOf(stripe, async () => {
      expect(await submit(sdk, id, { number: '4000000000009995' })).toMatchObject({
        result: 'declined',
        outcome: { decline_code: 'insufficient_funds', message: 'Your card has insufficient funds.' },
      })
    })
    expect(declined).toEqual([
      'customer.created',
      'payment_intent.created',
      'payment_intent.payment_failed',
      'charge.failed',
    ])
    const open = await retrieve(id)
    expect(open).toMatchObject({ status: 'open', payment_status: 'unpaid', subscription: null })
    expect(await eventsOf(stripe, () => submit(sdk, id, { email: 'new@example.com' }))).toEqual([
      'customer.updated',
      'payment_intent.succeeded',
      'charge.succeeded',
      'payment_method.attached',
      ...SUBSCRIBED,
      'checkout.session.completed',
    ])
    expect(await retrieve(id, 'customer')).toMatchObject({
      status: 'complete',
      customer: { id: open.customer, email: 'new@example.com' },
    })
  })

  test('is completed by the authentication of its payment', async () => {
    const { id } = await subscribe()
    const result = await submit(sdk, id, { number: '4000002760003184' })
    expect(await retrieve(id)).toMatchObject({ status: 'open', subscription: null })
    await authenticate(sdk, result, 'fail')
    expect(await retrieve(id)).toMatchObject({ status: 'open', subscription: null })
    const again = await submit(sdk, id, { number: '4000002760003184' })
    expect(await eventsOf(stripe, () => authenticate(sdk, again, 'succeed'))).toEqual([
      'payment_intent.succeeded',
      'charge.succeeded',
      'payment_method.attached',
      ...SUBSCRIBED,
      'checkout.session.completed',
    ])
    expect(await retrieve(id, 'subscription')).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      subscription: { status: 'active' },
    })
  })

  test('pays once when the page is submitted twice', async () => {
    const { id } = await subscribe()
    const results = await Promise.all([submit(sdk, id), submit(sdk, id)])
    expect(results.map(({ result }) => result)).toEqual(['complete', 'complete'])
    const { customer } = await retrieve(id)
    expect((await stripe.charges.list({ customer: idOf(customer) })).data).toHaveLength(1)
    expect((await stripe.subscriptions.list({ customer: idOf(customer) })).data).toHaveLength(1)
  })

  test('starts a trial, for which the card is only saved', async () => {
    const { id, amount_total } = await subscribe({
      subscription_data: {
        trial_period_days: 14,
        trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
      },
    })
    expect(amount_total).toBe(0)
    expect(await eventsOf(stripe, () => submit(sdk, id))).toEqual([
      'customer.created',
      'setup_intent.created',
      'payment_method.attached',
      'setup_intent.succeeded',
      'customer.subscription.created',
      'invoice.created',
      'invoice.finalized',
      'invoice.paid',
      'invoice.payment_succeeded',
      'checkout.session.completed',
    ])
    expect(await retrieve(id, 'subscription.default_payment_method')).toMatchObject({
      payment_status: 'no_payment_required',
      setup_intent: null,
      subscription: {
        status: 'trialing',
        trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
        default_payment_method: { card: { last4: '4242' } },
      },
    })
  })

  test('starts a trial without a card with payment_method_collection: if_required', async () => {
    const { id } = await subscribe({
      payment_method_collection: 'if_required',
      subscription_data: { trial_period_days: 14 },
    })
    await submit(sdk, id)
    expect(await retrieve(id, 'subscription')).toMatchObject({
      payment_method_collection: 'if_required',
      subscription: { status: 'trialing', default_payment_method: null },
    })
  })

  test('declines a trial whose card cannot be saved, and authenticates one that must be', async () => {
    const { id } = await subscribe({ subscription_data: { trial_period_days: 7 } })
    expect(await submit(sdk, id, { number: '4000000000000002' })).toMatchObject({ result: 'declined' })
    const waiting = await submit(sdk, id, { number: '4000002500003155' })
    expect((await retrieve(id)).status).toBe('open')
    await authenticate(sdk, waiting, 'succeed')
    expect(await retrieve(id, 'subscription')).toMatchObject({
      status: 'complete',
      subscription: { status: 'trialing', pending_setup_intent: null },
    })
  })

  test('uses the customer of the request, and changes only what customer_update names', async () => {
    const customer = await stripe.customers.create({ email: 'given@example.com', name: 'Given' })
    const first = await subscribe({ customer: customer.id })
    expect(first.customer_details).toMatchObject({ email: 'given@example.com' })
    await submit(sdk, first.id)
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({
      email: 'given@example.com',
      name: 'Given',
      address: null,
    })
    const address = {
      city: 'Paris',
      country: 'FR',
      line1: '1 rue de la Paix',
      line2: null,
      postal_code: '75002',
      state: null,
    }
    const second = await subscribe({
      customer: customer.id,
      customer_update: { name: 'auto', address: 'auto' },
      billing_address_collection: 'required',
    })
    await submit(sdk, second.id, { address })
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ name: 'Ada Lovelace', address })
    expect((await retrieve(second.id)).customer_details).toMatchObject({
      address,
      email: 'given@example.com',
    })
  })

  test('charges less if the customer has a balance, and redeems its discount once', async () => {
    const customer = await stripe.customers.create({ email: 'rich@example.com' })
    await stripe.customers.createBalanceTransaction(customer.id, { amount: -300, currency: 'usd' })
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const { id } = await subscribe({ customer: customer.id, discounts: [{ coupon: coupon.id }] })
    await submit(sdk, id)
    const session = await retrieve(id, 'invoice')
    expect(session).toMatchObject({
      amount_subtotal: 2_000,
      amount_total: 1_000,
      total_details: { amount_discount: 1_000 },
      discounts: [{ coupon: coupon.id, promotion_code: null }],
      invoice: { total: 1_000, amount_paid: 700, starting_balance: -300, ending_balance: 0 },
    })
    expect(await stripe.coupons.retrieve(coupon.id)).toMatchObject({ times_redeemed: 1 })
  })
})

describe('a session in the mode payment', () => {
  test('charges a guest', async () => {
    const { id } = await buy({
      payment_intent_data: {
        metadata: { order: '7' },
        description: 'Order 7',
        receipt_email: 'r@example.com',
      },
    })
    expect(await eventsOf(stripe, () => submit(sdk, id))).toEqual([...PAID, 'checkout.session.completed'])
    expect(await retrieve(id, 'payment_intent.latest_charge')).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      amount_total: 1_000,
      customer: null,
      customer_creation: 'if_required',
      customer_details: { email: 'ada@example.com' },
      invoice: null,
      payment_intent: {
        status: 'succeeded',
        amount_received: 1_000,
        metadata: { order: '7' },
        description: 'Order 7',
        receipt_email: 'r@example.com',
        latest_charge: { billing_details: { name: 'Ada Lovelace' } },
      },
    })
  })

  test('saves the card for later, for a customer', async () => {
    const { id } = await buy({ payment_intent_data: { setup_future_usage: 'off_session' } })
    await submit(sdk, id)
    const { customer } = await retrieve(id)
    expect((await stripe.customers.listPaymentMethods(idOf(customer))).data).toHaveLength(1)
  })

  test('makes a paid invoice with invoice_creation', async () => {
    const coupon = await stripe.coupons.create({ amount_off: 100, currency: 'usd', duration: 'once' })
    const { id } = await buy({
      customer_creation: 'always',
      discounts: [{ coupon: coupon.id }],
      invoice_creation: { enabled: true, invoice_data: { description: 'Thanks', metadata: { shop: '1' } } },
    })
    expect(await eventsOf(stripe, () => submit(sdk, id))).toEqual([
      'customer.created',
      ...PAID,
      'invoice.created',
      'customer.discount.created',
      ...INVOICED.slice(1),
      'checkout.session.completed',
    ])
    const session = await retrieve(id, 'invoice.payments')
    expect(session).toMatchObject({
      amount_total: 900,
      invoice: {
        status: 'paid',
        total: 900,
        amount_paid: 900,
        description: 'Thanks',
        metadata: { shop: '1' },
      },
    })
    const [payment] = (session.invoice as Stripe.Invoice).payments?.data ?? []
    expect(payment?.payment.payment_intent).toBe(session.payment_intent)
    expect((await stripe.coupons.retrieve(coupon.id)).times_redeemed).toBe(1)
  })

  test('needs no payment for nothing', async () => {
    const coupon = await stripe.coupons.create({ percent_off: 100, duration: 'once' })
    const { id } = await buy({ discounts: [{ coupon: coupon.id }] })
    expect(await eventsOf(stripe, () => submit(sdk, id, { card: undefined }))).toEqual([
      'checkout.session.completed',
    ])
    expect(await retrieve(id)).toMatchObject({
      payment_status: 'no_payment_required',
      payment_intent: null,
      amount_total: 0,
    })
    expect((await stripe.coupons.retrieve(coupon.id)).times_redeemed).toBe(1)
  })

  test('reports a payment that arrives later, or does not', async () => {
    const ends = { succeed: 'paid', fail: 'unpaid' } as const
    for (const outcome of ['succeed', 'fail'] as const) {
      const { id } = await buy({ allowed_payment_method_types: ['card', 'boleto'] })
      await submit(sdk, id, { payment_method: 'pm_boleto' })
      const session = await retrieve(id)
      expect(session).toMatchObject({
        status: 'complete',
        payment_status: 'unpaid',
        payment_method_types: ['card', 'boleto'],
      })
      const intent = idOf(session.payment_intent)
      expect((await stripe.paymentIntents.retrieve(intent)).payment_method_types).toEqual(['boleto'])
      const events = await eventsOf(stripe, () =>
        stripe.rawRequest('POST', `/v1/test_helpers/payment_intents/${intent}/settle`, { outcome }),
      )
      expect(events.at(-1)).toBe(`checkout.session.async_payment_${outcome}ed`)
      expect((await retrieve(id)).payment_status).toBe(ends[outcome])
    }
  })

  test('takes only the payment methods that it names', async () => {
    const { id } = await buy()
    await expect(submit(sdk, id, { payment_method: 'pm_boleto' })).rejects.toThrow(
      'This page takes only card',
    )
  })

  test('keeps its intent from other requests, which cancels with it', async () => {
    const { id } = await buy()
    const result = await submit(sdk, id, { number: '4000002760003184' })
    expect(result.result).toBe('requires_action')
    const intent = idOf((await retrieve(id)).payment_intent)
    for (const call of [
      stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' }),
      stripe.paymentIntents.cancel(intent),
      stripe.paymentIntents.update(intent, { amount: 1 }),
    ])
      expect((await errorOf(call)).message).toContain(`was created by the Checkout Session '${id}'`)
    const events = await eventsOf(stripe, () => stripe.checkout.sessions.expire(id))
    expect(events).toEqual(['payment_intent.canceled', 'checkout.session.expired'])
    await expect(submit(sdk, id)).rejects.toThrow('has a status of expired')
  })
})

describe('a session in the mode setup', () => {
  test('saves a card for its customer', async () => {
    const customer = await stripe.customers.create({ email: 'keep@example.com' })
    const { id, amount_total, payment_status } = await stripe.checkout.sessions.create({
      mode: 'setup',
      currency: 'usd',
      customer: customer.id,
      setup_intent_data: { metadata: { why: 'later' } },
      ...SUCCESS,
    })
    expect({ amount_total, payment_status }).toEqual({
      amount_total: null,
      payment_status: 'no_payment_required',
    })
    expect(await eventsOf(stripe, () => submit(sdk, id))).toEqual([
      'setup_intent.created',
      'payment_method.attached',
      'setup_intent.succeeded',
      'checkout.session.completed',
    ])
    expect(await retrieve(id, 'setup_intent')).toMatchObject({
      status: 'complete',
      setup_intent: { status: 'succeeded', customer: customer.id, metadata: { why: 'later' } },
    })
  })
})

describe('changes by the customer', () => {
  test('change the quantity within its limits', async () => {
    const { id } = await buy({
      line_items: [
        { price: setupFee, quantity: 2, adjustable_quantity: { enabled: true, minimum: 1, maximum: 5 } },
      ],
    })
    const [line] = (await stripe.checkout.sessions.listLineItems(id)).data
    expect(line?.adjustable_quantity).toEqual({ enabled: true, minimum: 1, maximum: 5 })
    await change(sdk, id, { quantities: { [line?.id ?? '']: 4 } })
    expect(await retrieve(id)).toMatchObject({ amount_total: 2_000 })
    await expect(change(sdk, id, { quantities: { [line?.id ?? '']: 6 } })).rejects.toThrow('from 1 to 5')
    await submit(sdk, id, { quantities: { [line?.id ?? '']: 3 } })
    expect(await retrieve(id, 'payment_intent', 'line_items')).toMatchObject({
      amount_total: 1_500,
      payment_intent: { amount: 1_500 },
      line_items: { data: [{ quantity: 3, amount_total: 1_500 }] },
    })
  })

  test('do not change a fixed quantity', async () => {
    const { id } = await buy()
    const [line] = (await stripe.checkout.sessions.listLineItems(id)).data
    await expect(change(sdk, id, { quantities: { [line?.id ?? '']: 9 } })).rejects.toThrow(
      'cannot be changed',
    )
  })

  test('apply and remove a promotion code', async () => {
    const coupon = await stripe.coupons.create({ percent_off: 20, duration: 'forever' })
    const code = await stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon: coupon.id },
      code: 'SPRING20',
    })
    const { id } = await subscribe({ allow_promotion_codes: true })
    await change(sdk, id, { promotion_code: ' spring20 ' })
    expect(await retrieve(id)).toMatchObject({
      amount_total: 1_600,
      discounts: [{ coupon: null, promotion_code: code.id }],
    })
    await change(sdk, id, { promotion_code: null })
    expect(await retrieve(id)).toMatchObject({ amount_total: 2_000, discounts: [] })
    await expect(change(sdk, id, { promotion_code: 'WINTER' })).rejects.toThrow('This code is invalid.')
    await change(sdk, id, { promotion_code: 'SPRING20' })
    await submit(sdk, id)
    expect(await retrieve(id, 'subscription.discounts', 'discounts.promotion_code')).toMatchObject({
      discounts: [{ promotion_code: { code: 'SPRING20', times_redeemed: 1 } }],
      subscription: { discounts: [{ promotion_code: code.id }] },
    })
  })

  test('take no code where the session allows none', async () => {
    const { id } = await subscribe()
    await expect(change(sdk, id, { promotion_code: 'SPRING20' })).rejects.toThrow('takes no promotion code')
  })
})

describe('the page', () => {
  test('requires what the session asks for', async () => {
    const { id } = await buy({
      phone_number_collection: { enabled: true },
      consent_collection: { terms_of_service: 'required' },
    })
    await expect(submit(sdk, id, { email: null })).rejects.toMatchObject({ param: 'email' })
    await expect(submit(sdk, id)).rejects.toMatchObject({ param: 'phone' })
    await expect(submit(sdk, id, { phone: '+15550100' })).rejects.toMatchObject({ param: 'accepts_terms' })
    await submit(sdk, id, { phone: '+15550100', accepts_terms: true })
    expect(await retrieve(id)).toMatchObject({
      consent: { terms_of_service: 'accepted' },
      customer_details: { phone: '+15550100' },
    })
  })
})
