import type Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { idOf, type StripeTwin, startStripe } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800
const MAR_31 = 1_774_951_200
const HOUR = 3_600
const DAY = 24 * HOUR
const UPGRADE = JAN_31 + 40 * DAY + HOUR
const END = JAN_31 + 62 * DAY

type Pace = (sdk: StripeTwin, clock: string, span: { from: number; to: number }) => Promise<void>

const inOneAdvance: Pace = (sdk, clock, { to }) => sdk.advance(clock, to)

const inStepsOf =
  (seconds: number): Pace =>
  async (sdk, clock, { from, to }) => {
    for (let at = from + seconds; at < to; at += seconds) await sdk.advance(clock, at)
    await sdk.advance(clock, to)
  }

/** Steps to instants within the hour in which renewals are drafts, and to its end. */
const withinDrafts: Pace = async (sdk, clock, { from, to }) => {
  for (const renewal of [FEB_28, MAR_31])
    for (const at of [renewal, renewal + 1_800, renewal + HOUR - 1, renewal + HOUR])
      if (at > from && at < to) await sdk.advance(clock, at)
  await sdk.advance(clock, to)
}

/**
 * Plays one history: a renewal, an upgrade, dunning to the end, a trial without a payment method, a first payment that is
 * never confirmed, one that is declined, and cards that need an authentication at first or always.
 * @returns every object and event at the end
 */
async function play(pace: Pace) {
  const sdk = await startStripe()
  onTestFinished(() => sdk.close())
  const { stripe } = sdk
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const priceOf = (unit_amount: number) =>
    stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval: 'month' } })
  const [basic, plus] = [await priceOf(2000), await priceOf(5000)]
  const subscribe = async (card: string | null, more: Partial<Stripe.SubscriptionCreateParams> = {}) => {
    const { id: customer } = await stripe.customers.create({ test_clock: clock })
    if (card !== null) {
      const method = await stripe.paymentMethods.attach(card, { customer })
      await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } })
    }
    return stripe.subscriptions.create({ customer, items: [{ price: basic.id }], ...more })
  }
  const upgraded = await subscribe('pm_card_visa')
  const failing = await subscribe('pm_card_visa')
  await stripe.paymentMethods
    .attach('pm_card_chargeCustomerFail', { customer: idOf(failing.customer) })
    .then(({ id }) => stripe.subscriptions.update(failing.id, { default_payment_method: id }))
  await subscribe(null, {
    trial_period_days: 14,
    trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
  })
  await subscribe(null, { payment_behavior: 'default_incomplete' })
  await subscribe('pm_card_chargeCustomerFail')
  for (const card of ['pm_card_authenticationRequiredOnSetup', 'pm_card_authenticationRequired']) {
    const { latest_invoice } = await subscribe(card, { expand: ['latest_invoice.payments'] })
    const [payment] = (latest_invoice as Stripe.Invoice).payments?.data ?? []
    const intent = idOf(payment?.payment.payment_intent)
    await sdk.twin.post(`/v1/test_helpers/payment_intents/${intent}/settle`, { outcome: 'succeed' })
  }

  await pace(sdk, clock, { from: JAN_31, to: UPGRADE })
  await stripe.subscriptions.update(upgraded.id, {
    items: [{ id: upgraded.items.data[0]?.id ?? '', price: plus.id }],
  })
  await pace(sdk, clock, { from: UPGRADE, to: END })
  const all = { limit: 10_000 }
  return {
    subscriptions: await stripe.subscriptions.list({ status: 'all' }).autoPagingToArray(all),
    customers: await stripe.customers.list().autoPagingToArray(all),
    invoices: await stripe.invoices.list().autoPagingToArray(all),
    intents: await stripe.paymentIntents.list().autoPagingToArray(all),
    events: (await stripe.events.list().autoPagingToArray(all)).filter(isOfObject).map(withoutRequest),
  }
}

/** Each move of a test clock has events of its own. All others have to be the same, with the same ids. */
const isOfObject = ({ type }: Stripe.Event) => !type.startsWith('test_helpers.')

/** Requests have random ids. What remains is whether a request or the clock caused the event. */
const withoutRequest = ({ request, ...event }: Stripe.Event) => ({
  ...event,
  isRequested: request?.id !== null,
})

test('one advance and many of a test clock give the same history', async () => {
  const jump = await play(inOneAdvance)
  // Upgraded: Jan 31, Feb 28, Mar 31; failing: Jan 31, Feb 28; the trial of zero; two unpaid first invoices; the card that
  // is set up: Jan 31, Feb 28, Mar 31; the card that always needs an authentication: Jan 31, Feb 28.
  expect(jump.invoices).toHaveLength(13)
  const asked = jump.events.filter(({ type }) => type === 'invoice.payment_action_required')
  // Two first payments; one renewal and its retries after 1, 3, 5 and 7 days.
  expect(asked).toHaveLength(7)
  expect(jump.subscriptions.map(({ status }) => status)).toEqual([
    'canceled',
    'active',
    'incomplete_expired',
    'incomplete_expired',
    'paused',
    'canceled',
    'active',
  ])
  expect(await play(inStepsOf(4 * DAY + 7 * HOUR))).toEqual(jump)
  expect(await play(withinDrafts)).toEqual(jump)
  expect(await play(inStepsOf(29 * DAY + 11 * HOUR))).toEqual(jump)
})
