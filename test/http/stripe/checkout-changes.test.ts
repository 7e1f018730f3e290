import type Stripe from 'stripe'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { authenticate, change, eventsOf, recover, SUCCESS, submit } from './checkout.ts'
import { errorOf, idOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
const NEEDS_AUTHENTICATION = { number: '4000002760003184' }
const SAVED_WITH_AUTHENTICATION = { number: '4000002500003155' }

let monthly: string
let book: string
beforeAll(async () => {
  const product = (await stripe.products.create({ name: 'Reader' })).id
  const price = { product, currency: 'usd', unit_amount: 2_000 }
  monthly = (await stripe.prices.create({ ...price, recurring: { interval: 'month' } })).id
  book = (await stripe.prices.create(price)).id
})

type Params = Partial<Stripe.Checkout.SessionCreateParams>
const MODES: Record<string, () => Params> = {
  payment: () => ({ mode: 'payment', line_items: [line(book)] }),
  'payment with an invoice': () => ({
    mode: 'payment',
    line_items: [line(book)],
    invoice_creation: { enabled: true },
  }),
  subscription: () => ({ mode: 'subscription', line_items: [line(monthly)] }),
}
const priceIn = (mode: string) => (mode === 'subscription' ? monthly : book)
const line = (price: string) => ({ price, quantity: 2, adjustable_quantity: { enabled: true } })

const open = (mode: string, given: Params = {}) =>
  stripe.checkout.sessions.create({ ...MODES[mode]?.(), ...SUCCESS, ...given })
const retrieve = (id: string) =>
  stripe.checkout.sessions.retrieve(id, { expand: ['invoice', 'line_items', 'customer'] })

async function newCode(
  given: Partial<Stripe.PromotionCodeCreateParams> = {},
  { percent_off = 50 } = {},
): Promise<Stripe.PromotionCode> {
  const { id: coupon } = await stripe.coupons.create({ percent_off, duration: 'once' })
  return stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon }, ...given })
}
const couponOf = ({ promotion }: Stripe.PromotionCode) => idOf(promotion.coupon)

/** A session that sells at half price and waits for the authentication of its payment. */
type Waiting = { id: string; customer: string; code: Stripe.PromotionCode; mode: string }

async function waitingIn(mode: string, code: Partial<Stripe.PromotionCodeCreateParams> = {}) {
  const customer = (await stripe.customers.create({ email: 'ada@example.com' })).id
  const applied = await newCode(code)
  const { id } = await open(mode, { customer, allow_promotion_codes: true })
  await change(sdk, id, { promotion_code: applied.code })
  const result = await submit(sdk, id, NEEDS_AUTHENTICATION)
  return { result, waiting: { id, customer, code: applied, mode } }
}

/** Returns the sum that a customer was charged, and the customer's balance. */
async function paidBy(customer: string) {
  const { data } = await stripe.charges.list({ customer })
  const { balance } = (await stripe.customers.retrieve(customer)) as Stripe.Customer
  return { charged: data.reduce((sum, { amount, paid }) => sum + (paid ? amount : 0), 0), balance }
}

const resized = async ({ id }: Waiting, quantity = 99) => {
  const [{ id: item = '' } = {}] = (await retrieve(id)).line_items?.data ?? []
  await change(sdk, id, { quantities: { [item]: quantity } })
}

type Outcome = 'pays' | 'is withdrawn'
const ALWAYS = (outcome: Outcome) => () => outcome
const IF_SUBSCRIBED = (mode: string): Outcome => (mode === 'subscription' ? 'is withdrawn' : 'pays')

/** What changes while the payment waits, and what its authentication then does. */
const CHANGES: [string, (mode: string) => Outcome, (waiting: Waiting) => Promise<unknown>][] = [
  ['nothing', ALWAYS('pays'), async () => undefined],
  ['the quantity', ALWAYS('is withdrawn'), (waiting) => resized(waiting)],
  ['the removed code', ALWAYS('is withdrawn'), ({ id }) => change(sdk, id, { promotion_code: null })],
  [
    'another code',
    ALWAYS('is withdrawn'),
    async ({ id }) => change(sdk, id, { promotion_code: (await newCode({}, { percent_off: 90 })).code }),
  ],
  [
    'the code, which is inactive',
    ALWAYS('is withdrawn'),
    ({ code }) => stripe.promotionCodes.update(code.id, { active: false }),
  ],
  ['the coupon, which is deleted', ALWAYS('is withdrawn'), ({ code }) => stripe.coupons.del(couponOf(code))],
  [
    'a further redemption of the code',
    ALWAYS('pays'),
    async ({ code }) => submit(sdk, (await open('payment', { discounts: [{ promotion_code: code.id }] })).id),
  ],
  [
    'the price, which is inactive',
    ALWAYS('pays'),
    ({ mode }) => stripe.prices.update(priceIn(mode), { active: false }),
  ],
  [
    'the metadata',
    ALWAYS('pays'),
    ({ id }) => stripe.checkout.sessions.update(id, { metadata: { order: '7' } }),
  ],
  [
    "the customer's balance",
    IF_SUBSCRIBED,
    ({ customer }) => stripe.customers.createBalanceTransaction(customer, { amount: -300, currency: 'usd' }),
  ],
  [
    'a pending item',
    IF_SUBSCRIBED,
    ({ customer }) => stripe.invoiceItems.create({ customer, amount: 700, currency: 'usd' }),
  ],
  [
    'a pending item that the balance pays',
    IF_SUBSCRIBED,
    async ({ customer }) => {
      await stripe.invoiceItems.create({ customer, amount: 700, currency: 'usd' })
      await stripe.customers.createBalanceTransaction(customer, { amount: -700, currency: 'usd' })
    },
  ],
]

describe.each(Object.keys(MODES))('a waiting payment in the mode %s', (mode) => {
  test.each(CHANGES)('and %s: the customer pays what was shown, or nothing', async (_, expected, step) => {
    const { result, waiting } = await waitingIn(mode)
    onTestFinished(async () => void (await stripe.prices.update(priceIn(mode), { active: true })))
    await step(waiting)
    const { balance } = await paidBy(waiting.customer)
    // A payment that a change has withdrawn can no longer be settled.
    await authenticate(sdk, result, 'succeed').catch((error: Error) =>
      expect(error.message).toContain('status is canceled'),
    )
    const session = await retrieve(waiting.id)
    const paid = await paidBy(waiting.customer)
    if (expected(mode) === 'pays') {
      expect(session).toMatchObject({ status: 'complete', payment_status: 'paid', amount_total: 2_000 })
      expect(paid).toEqual({ charged: 2_000, balance })
    } else {
      expect(session).toMatchObject({ status: 'open', payment_status: 'unpaid', payment_intent: null })
      expect(paid).toEqual({ charged: 0, balance })
      expect(await statusOf(result)).toBe('canceled')
      await change(sdk, waiting.id, { promotion_code: null })
      await submit(sdk, waiting.id)
    }
    const { amount_total, invoice } = await retrieve(waiting.id)
    const { charged, balance: left } = await paidBy(waiting.customer)
    expect(charged).toBe((amount_total ?? 0) + balance - left)
    if (mode === 'payment') expect(invoice).toBeNull()
    else expect(invoice).toMatchObject({ status: 'paid', total: amount_total, amount_paid: charged })
  })

  test('and the clock, with which the code expires: the payment is withdrawn', async () => {
    const now = (await stripe.customers.create()).created
    const { result, waiting } = await waitingIn(mode, { expires_at: now + 3_600 })
    await sdk.advanceMain({ to: now + 2 * 3_600 })
    await authenticate(sdk, result, 'succeed')
    expect(await retrieve(waiting.id)).toMatchObject({ status: 'open', payment_intent: null })
    expect((await paidBy(waiting.customer)).charged).toBe(0)
  })

  test('and a code for one purchase: only the first of two sessions gets it', async () => {
    const code = await newCode({ max_redemptions: 1 })
    const submitted = []
    for (let count = 0; count < 2; count++) {
      const customer = (await stripe.customers.create()).id
      const { id } = await open(mode, { customer, discounts: [{ promotion_code: code.id }] })
      submitted.push({ id, customer, result: await submit(sdk, id, NEEDS_AUTHENTICATION) })
    }
    for (const { result } of submitted) await authenticate(sdk, result, 'succeed')
    const sessions = await Promise.all(submitted.map(({ id }) => retrieve(id)))
    expect(sessions.map(({ status }) => status)).toEqual(['complete', 'open'])
    const paid = await Promise.all(submitted.map(({ customer }) => paidBy(customer)))
    expect(paid.map(({ charged }) => charged)).toEqual([2_000, 0])
    expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1)
  })

  test.each([{}, NEEDS_AUTHENTICATION])(
    'a code for a first payment is redeemed, with the card %o',
    async (card) => {
      const code = await newCode({ restrictions: { first_time_transaction: true } })
      const customer = (await stripe.customers.create({ email: 'new@example.com' })).id
      const { id } = await open(mode, { customer, discounts: [{ promotion_code: code.id }] })
      const result = await submit(sdk, id, card)
      if (card !== NEEDS_AUTHENTICATION) expect(result.result).toBe('complete')
      else await authenticate(sdk, result, 'succeed')
      expect(await retrieve(id)).toMatchObject({ status: 'complete', amount_total: 2_000 })
      expect(await paidBy(customer)).toEqual({ charged: 2_000, balance: 0 })
      await expect(open(mode, { customer, discounts: [{ promotion_code: code.id }] })).rejects.toThrow(
        'this one has paid before',
      )
    },
  )
})

/** Returns the status of the intent with which a submission waits. */
async function statusOf(result: Awaited<ReturnType<typeof submit>>): Promise<string> {
  if (result.result !== 'requires_action') throw new Error(`expected an action, not ${result.result}`)
  const { kind, object } = result.intent
  return kind === 'payment_intent'
    ? (await stripe.paymentIntents.retrieve(object.id)).status
    : (await stripe.setupIntents.retrieve(object.id)).status
}

describe('an intent that a session no longer needs', () => {
  test('is canceled when the session is completed for nothing', async () => {
    const { id } = await open('subscription', {
      allow_promotion_codes: true,
      payment_method_collection: 'if_required',
    })
    const result = await submit(sdk, id, NEEDS_AUTHENTICATION)
    await change(sdk, id, { promotion_code: (await newCode({}, { percent_off: 100 })).code })
    await submit(sdk, id, { card: undefined })
    await expect(authenticate(sdk, result, 'succeed')).rejects.toThrow('status is canceled')
    expect(await retrieve(id)).toMatchObject({ payment_status: 'no_payment_required', amount_total: 0 })
  })

  test('is canceled when nothing is due any more at the next submission', async () => {
    const customer = (await stripe.customers.create({ email: 'rich@example.com' })).id
    const { id } = await open('subscription', { customer, payment_method_collection: 'if_required' })
    const result = await submit(sdk, id, NEEDS_AUTHENTICATION)
    await stripe.customers.createBalanceTransaction(customer, { amount: -9_000, currency: 'usd' })
    const events = await eventsOf(stripe, () => submit(sdk, id, { card: undefined }))
    expect(events.slice(-2)).toEqual(['payment_intent.canceled', 'checkout.session.completed'])
    expect(await statusOf(result)).toBe('canceled')
    expect(await paidBy(customer)).toEqual({ charged: 0, balance: -5_000 })
  })

  test('is not canceled by the authentication of a card that was saved for nothing', async () => {
    const customer = (await stripe.customers.create({ email: 'late@example.com' })).id
    await stripe.customers.createBalanceTransaction(customer, { amount: -9_000, currency: 'usd' })
    const { id } = await open('subscription', { customer })
    const saving = await submit(sdk, id, SAVED_WITH_AUTHENTICATION)
    await stripe.customers.createBalanceTransaction(customer, { amount: 9_000, currency: 'usd' })
    const paying = await submit(sdk, id, NEEDS_AUTHENTICATION)
    await expect(authenticate(sdk, saving, 'succeed')).rejects.toThrow('canceled')
    await authenticate(sdk, paying, 'succeed')
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' })
    expect(await paidBy(customer)).toEqual({ charged: 4_000, balance: 0 })
  })

  test('is canceled when its authentication follows the end of the code that made the purchase free', async () => {
    const code = await newCode({}, { percent_off: 100 })
    const { id } = await open('subscription', { allow_promotion_codes: true })
    await change(sdk, id, { promotion_code: code.code })
    const saving = await submit(sdk, id, SAVED_WITH_AUTHENTICATION)
    await stripe.promotionCodes.update(code.id, { active: false })
    await authenticate(sdk, saving, 'succeed')
    expect(await statusOf(saving)).toBe('canceled')
    expect(await retrieve(id)).toMatchObject({ status: 'open', subscription: null })
    await change(sdk, id, { promotion_code: null })
    await submit(sdk, id)
    expect(await retrieve(id)).toMatchObject({ payment_status: 'paid', amount_total: 4_000 })
  })

  test('is replaced when a declined card is followed by another total', async () => {
    const { id } = await open('payment')
    await submit(sdk, id, { number: '4000000000009995' })
    const declined = idOf((await retrieve(id)).payment_intent)
    await resized({ id } as Waiting, 3)
    expect((await stripe.paymentIntents.retrieve(declined)).status).toBe('canceled')
    await submit(sdk, id)
    const paid = await stripe.paymentIntents.retrieve(idOf((await retrieve(id)).payment_intent))
    expect(paid).toMatchObject({ status: 'succeeded', amount: 6_000 })
  })
})

test('a payment with another type of payment method replaces the one that waits for the customer', async () => {
  const customer = (await stripe.customers.create({ email: 'ada@example.com' })).id
  const { id } = await open('payment', { customer, allowed_payment_method_types: ['card', 'boleto', 'card'] })
  expect((await retrieve(id)).payment_method_types).toEqual(['card', 'boleto'])
  const card = await submit(sdk, id, NEEDS_AUTHENTICATION)
  const again = await submit(sdk, id, NEEDS_AUTHENTICATION)
  expect(again).toMatchObject({ result: 'requires_action' })
  expect(await stripe.paymentIntents.list({ customer })).toMatchObject({
    data: [{ status: 'requires_action' }],
  })
  expect(await submit(sdk, id, { payment_method: 'pm_boleto' })).toMatchObject({ result: 'complete' })
  expect(await statusOf(card)).toBe('canceled')
  const { payment_intent } = await retrieve(id)
  const intents = (await stripe.paymentIntents.list({ customer })).data
  expect(intents.map(({ status }) => status)).toEqual(['requires_action', 'canceled'])
  expect(intents[0]?.id).toBe(payment_intent)
})

test.each<[string, (code: Stripe.PromotionCode) => Promise<unknown>]>([
  ['is inactive', ({ id }) => stripe.promotionCodes.update(id, { active: false })],
  ['has lost its coupon', (code) => stripe.coupons.del(couponOf(code))],
])('a session is recovered without a code of the customer that %s', async (_, step) => {
  const recovery = { enabled: true, allow_promotion_codes: true }
  const { id } = await open('payment', { allow_promotion_codes: true, after_expiration: { recovery } })
  const code = await newCode()
  await change(sdk, id, { promotion_code: code.code })
  await stripe.checkout.sessions.expire(id)
  expect(await recover(sdk, id)).toMatchObject({ amount_total: 2_000 })
  await step(code)
  expect(await recover(sdk, id)).toMatchObject({ amount_total: 4_000, discounts: [] })
})

describe('a payment that arrives later', () => {
  const settle = (intent: unknown) =>
    stripe.rawRequest('POST', `/v1/test_helpers/payment_intents/${intent}/settle`, { outcome: 'succeed' })

  /** Opens a session that is paid later. */
  async function openLater(code: Stripe.PromotionCode) {
    const customer = (await stripe.customers.create({ email: 'ada@example.com' })).id
    const { id } = await open('payment with an invoice', {
      customer,
      discounts: [{ promotion_code: code.id }],
      allowed_payment_method_types: ['boleto'],
    })
    return { id, customer }
  }

  const submitLater = (id: string) => submit(sdk, id, { payment_method: 'pm_boleto' })

  test.each<[string, (code: Stripe.PromotionCode) => Promise<unknown>]>([
    ['its code is inactive', ({ id }) => stripe.promotionCodes.update(id, { active: false })],
    ['its coupon is deleted', (code) => stripe.coupons.del(couponOf(code))],
  ])('is invoiced with the discount of its submission when %s', async (_, step) => {
    const code = await newCode()
    const { id, customer } = await openLater(code)
    await submitLater(id)
    expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1)
    await step(code)
    const { payment_intent } = await retrieve(id)
    expect((await eventsOf(stripe, () => settle(payment_intent))).at(-1)).toBe(
      'checkout.session.async_payment_succeeded',
    )
    expect(await retrieve(id)).toMatchObject({
      payment_status: 'paid',
      invoice: { status: 'paid', total: 2_000, amount_paid: 2_000, starting_balance: 0 },
    })
    expect(await paidBy(customer)).toEqual({ charged: 2_000, balance: 0 })
    expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1)
  })

  test('makes no invoice for a customer who was deleted', async () => {
    const { id, customer } = await openLater(await newCode())
    await submitLater(id)
    await stripe.customers.del(customer)
    await settle((await retrieve(id)).payment_intent)
    expect(await retrieve(id)).toMatchObject({ payment_status: 'paid', invoice: null })
  })

  test('redeems a code when it is submitted, so that the next session is refused', async () => {
    const code = await newCode({ max_redemptions: 1 })
    const [first, second] = [await openLater(code), await openLater(code)]
    expect(await submitLater(first.id)).toMatchObject({ result: 'complete' })
    await expect(submitLater(second.id)).rejects.toThrow('has been redeemed 1 times')
    expect(await retrieve(second.id)).toMatchObject({ status: 'open', payment_intent: null })
  })

  test('keeps its amount: the merchant cannot change or confirm its intent', async () => {
    const { id } = await openLater(await newCode())
    await submitLater(id)
    const intent = idOf((await retrieve(id)).payment_intent)
    for (const call of [
      stripe.paymentIntents.update(intent, { amount: 1 }),
      stripe.paymentIntents.update(intent, { setup_future_usage: 'off_session' }),
      stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' }),
    ])
      expect((await errorOf(call)).message).toContain(`was created by the Checkout Session '${id}'`)
    expect((await stripe.paymentIntents.cancel(intent)).status).toBe('canceled')
  })
})

describe('a card that waits to be saved', () => {
  async function saving() {
    const customer = (await stripe.customers.create({ email: 'ada@example.com' })).id
    const { id } = await stripe.checkout.sessions.create({
      mode: 'setup',
      customer,
      currency: 'usd',
      ...SUCCESS,
    })
    return { id, customer, result: await submit(sdk, id, SAVED_WITH_AUTHENTICATION) }
  }

  test('is not given to another customer: the merchant cannot change its intent', async () => {
    const { id } = await saving()
    const intent = idOf((await retrieve(id)).setup_intent)
    const { id: other } = await stripe.customers.create({})
    for (const given of [{ customer: other }, { payment_method: 'pm_card_visa' }])
      expect(await errorOf(stripe.setupIntents.update(intent, given))).toMatchObject({
        code: 'setup_intent_unexpected_state',
        message: expect.stringContaining(`was created by the Checkout Session '${id}'`),
      })
    expect((await stripe.setupIntents.update(intent, { description: 'Card' })).description).toBe('Card')
  })

  test('is not saved if it was attached to another customer', async () => {
    const { id, result } = await saving()
    const { setup_intent } = await stripe.checkout.sessions.retrieve(id, { expand: ['setup_intent'] })
    const { payment_method } = setup_intent as Stripe.SetupIntent
    const { id: other } = await stripe.customers.create({})
    await stripe.paymentMethods.attach(idOf(payment_method), { customer: other })
    await authenticate(sdk, result, 'succeed')
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open' })
    expect(await statusOf(result)).toBe('requires_payment_method')
    expect(await submit(sdk, id, { payment_method: 'pm_card_visa' })).toMatchObject({ result: 'complete' })
  })

  test('is not charged for a subscription if it was attached to another customer', async () => {
    const { result, waiting } = await waitingIn('subscription')
    const [intent] = (await stripe.paymentIntents.list({ customer: waiting.customer })).data
    const { id: other } = await stripe.customers.create({})
    await stripe.paymentMethods.attach(idOf(intent?.payment_method), { customer: other })
    await authenticate(sdk, result, 'succeed')
    expect(await retrieve(waiting.id)).toMatchObject({ status: 'open', payment_intent: null })
    expect(await statusOf(result)).toBe('canceled')
    expect(await paidBy(waiting.customer)).toEqual({ charged: 0, balance: 0 })
  })

  test('is not saved to a customer who was deleted', async () => {
    const { id, customer, result } = await saving()
    await stripe.customers.del(customer)
    await authenticate(sdk, result, 'succeed')
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open', setup_intent: null })
    expect(await statusOf(result)).toBe('canceled')
  })
})

test('a purchase for nothing with invoice_creation redeems its discount', async () => {
  const code = await newCode({ max_redemptions: 1 }, { percent_off: 100 })
  const { id } = await open('payment with an invoice', { discounts: [{ promotion_code: code.id }] })
  await submit(sdk, id, { card: undefined })
  expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1)
})
