import { payByHand } from '../../core/billing/by-hand.ts'
import { Change } from '../../core/change.ts'
import { type CheckoutSession, completed, isPaidLater } from '../../core/checkout-session.ts'
import { DEFAULT_PAYMENT_OPTIONS } from '../../core/intent-options.ts'
import { intentFactsOf, type PaymentIntent } from '../../core/payment-intent.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import type { Outcome } from '../../core/processor.ts'
import { type SetupIntent, setupFactsOf } from '../../core/setup-intent.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { prepaidBy } from './account.ts'
import { cancelIntents, withdrawPayment } from './checkout-intents.ts'
import { clockOf, written } from './checkout-session.ts'
import { inSession, invoiceOf, subscriptionOf } from './checkout-totals.ts'
import { createInvoice, decide } from './invoice.ts'
import { confirmPaymentIntent, createPaymentIntent } from './payment-intent.ts'
import { countRedemption, type Redeemable } from './redemption.ts'
import { confirmSetupIntent, createSetupIntent } from './setup-intent.ts'
import { createSubscription } from './subscription.ts'

/** The result of a submission. */
export type CheckoutResult =
  | { readonly result: 'complete'; readonly session: CheckoutSession }
  /** The customer has to authenticate, on the page of the intent. */
  | {
      readonly result: 'requires_action'
      readonly session: CheckoutSession
      readonly intent:
        | { readonly kind: 'payment_intent'; readonly object: PaymentIntent }
        | { readonly kind: 'setup_intent'; readonly object: SetupIntent }
    }
  | {
      readonly result: 'declined'
      readonly session: CheckoutSession
      readonly outcome: Outcome & { approved: false }
    }

/** A payment method that pays for a session, and where its customer returns after an authentication. */
type Paying = { readonly method: PaymentMethod; readonly return_url: string | null }

/** Charges the amount due. The intent of an earlier attempt is used again if it can be, or else withdrawn. */
export function pay(
  unit: UnitOfWork,
  submitted: CheckoutSession,
  amount: number,
  { method, return_url }: Paying,
): CheckoutResult {
  const session = canReuse(unit, submitted, { amount, method }) ? submitted : withdrawPayment(unit, submitted)
  const { outcomes, customer, currency } = session
  const isSubscription = session.mode === 'subscription'
  const { metadata, description, ...chosen } = outcomes.payment_intent
  const setup_future_usage = isSubscription ? ('off_session' as const) : chosen.setup_future_usage
  // The session chooses the payment methods.
  const ofSession = { automatic_payment_methods: null, setup_future_usage, return_url }
  const options = { ...DEFAULT_PAYMENT_OPTIONS, ...chosen, ...ofSession }
  const id =
    session.payment_intent ??
    createPaymentIntent(unit, {
      amount,
      currency: currency ?? '',
      customer: customer ?? undefined,
      description: isSubscription ? 'Subscription creation' : description,
      metadata,
      options,
      confirm: false,
    }).intent.id
  const { intent, declined } = confirmPaymentIntent(unit, id, { payment_method: method.id, options })
  const waiting =
    session.payment_intent === id ? session : written(unit, session, { ...session, payment_intent: id })
  if (declined) return { result: 'declined', session: waiting, outcome: declined }
  if (intentFactsOf(intent).isPaid) return { result: 'complete', session: finishPaid(unit, waiting, intent) }
  // With a push method, the customer pays later.
  if (method.type !== 'card') return { result: 'complete', session: finishUnpaid(unit, waiting) }
  return { result: 'requires_action', session: waiting, intent: { kind: 'payment_intent', object: intent } }
}

/**
 * Reports whether a payment can use the intents of a session: none saves a card, pays another amount, or waits for the customer with
 * another type of payment method.
 */
function canReuse(
  unit: UnitOfWork,
  { payment_intent, setup_intent }: CheckoutSession,
  { amount, method }: { readonly amount: number; readonly method: PaymentMethod },
): boolean {
  if (setup_intent !== null) return false
  if (payment_intent === null) return true
  const intent = unit.need('payment_intent', payment_intent)
  if (intent.amount !== amount) return false
  const waiting = intentFactsOf(intent).awaitsCustomer ? intent.payment_method : null
  return waiting === null || unit.need('payment_method', waiting).type === method.type
}

/** Saves a payment method when nothing is due. A payment of an earlier attempt is withdrawn. */
export function saveMethod(
  unit: UnitOfWork,
  submitted: CheckoutSession,
  { method, return_url }: Paying,
): CheckoutResult {
  const session = submitted.payment_intent === null ? submitted : withdrawPayment(unit, submitted)
  const { customer, outcomes } = session
  const { description, metadata } = outcomes.setup_intent
  const id =
    session.setup_intent ??
    createSetupIntent(unit, { customer: customer ?? undefined, description, metadata }).intent.id
  const { intent, declined } = confirmSetupIntent(unit, id, {
    payment_method: method.id,
    options: { return_url },
  })
  const waiting =
    session.setup_intent === id ? session : written(unit, session, { ...session, setup_intent: id })
  if (declined) return { result: 'declined', session: waiting, outcome: declined }
  if (setupFactsOf(intent).isSetUp) return { result: 'complete', session: finishSetUp(unit, waiting, intent) }
  return { result: 'requires_action', session: waiting, intent: { kind: 'setup_intent', object: intent } }
}

/** Completes a session whose payment succeeded: makes its subscription, or its invoice if it has one. */
export const finishPaid = (
  unit: UnitOfWork,
  session: CheckoutSession,
  { id, payment_method }: PaymentIntent,
): CheckoutSession =>
  finish(unit, session, 'paid', () =>
    session.mode === 'subscription'
      ? subscribe(unit, session, { payment_method, paid_by: id })
      : { invoice: invoicePaid(unit, session, id) },
  )

/** Completes a session whose payment arrives later. */
const finishUnpaid = (unit: UnitOfWork, session: CheckoutSession): CheckoutSession =>
  finish(unit, session, 'unpaid')

/** Completes a session that saved a payment method. */
export const finishSetUp = (
  unit: UnitOfWork,
  session: CheckoutSession,
  { payment_method }: SetupIntent,
): CheckoutSession => finishFree(unit, session, payment_method)

/** Completes a session with nothing to pay now. */
export const finishFree = (
  unit: UnitOfWork,
  session: CheckoutSession,
  payment_method: string | null,
): CheckoutSession =>
  finish(unit, session, 'no_payment_required', () =>
    session.mode === 'subscription' ? subscribe(unit, session, { payment_method }) : {},
  )

function subscribe(
  unit: UnitOfWork,
  session: CheckoutSession,
  { payment_method, paid_by }: { payment_method: string | null; paid_by?: string },
): Pick<CheckoutSession, 'subscription' | 'invoice'> {
  const params = subscriptionOf(unit, session, {
    customer: session.customer ?? '',
    discounts: redeemedOf(unit, session),
  })
  const default_payment_method = payment_method ?? undefined
  const made = inSession(unit, session, () =>
    createSubscription(unit, { ...params, default_payment_method, paid_by }),
  )
  return { subscription: made.id, invoice: made.latest_invoice }
}

/** Makes the paid invoice of a payment, if the session asks for one, and its customer was not deleted before a late payment. */
export function invoicePaid(unit: UnitOfWork, session: CheckoutSession, paid_by: string): string | null {
  const { outcomes, customer } = session
  if (outcomes.invoice === null || customer === null || unit.need('customer', customer).deleted) return null
  const discounts = redeemedOf(unit, session)
  const { id } = createInvoice(unit, invoiceOf(session, { customer, discounts }))
  decide(unit, id, (change, account, invoice, subscription) =>
    payByHand(change, { ...account, ...prepaidBy(unit, paid_by) }, invoice, subscription),
  )
  return id
}

/**
 * Completes a session: redeems its discounts, which its totals have checked, and makes what it sells. Intents that it did not need
 * are canceled.
 */
function finish(
  unit: UnitOfWork,
  session: CheckoutSession,
  payment_status: CheckoutSession['payment_status'],
  make: () => Partial<Pick<CheckoutSession, 'subscription' | 'invoice'>> = () => ({}),
): CheckoutSession {
  const redeeming = new Change()
  for (const { redeemed } of redeemedOf(unit, session)) countRedemption(redeeming, redeemed)
  apply(unit, redeeming, clockOf(unit, session))
  const after = completed(session, { ...make(), payment_status })
  const change = new Change()
  const left = isPaidLater(after) ? {} : cancelIntents(unit, change, session)
  const finished = { ...after, ...left }
  change.update('checkout_session', session, () => finished, 'checkout.session.completed')
  apply(unit, change, clockOf(unit, session))
  return finished
}

/** Returns the discounts of a session for what it makes. The session itself counts their redemption. */
const redeemedOf = (unit: UnitOfWork, { discounts }: CheckoutSession): { redeemed: Redeemable }[] =>
  discounts.map(({ coupon, promotion_code }) => ({
    redeemed: {
      coupon: unit.need('coupon', coupon),
      code: promotion_code === null ? null : unit.need('promotion_code', promotion_code),
    },
  }))
