import { payByHand } from '../../core/billing/by-hand.ts'
import { Change } from '../../core/change.ts'
import { type CheckoutSession, completed } from '../../core/checkout-session.ts'
import { DEFAULT_PAYMENT_OPTIONS } from '../../core/intent-options.ts'
import { intentFactsOf, type PaymentIntent } from '../../core/payment-intent.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import type { Outcome } from '../../core/processor.ts'
import { type SetupIntent, setupFactsOf } from '../../core/setup-intent.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { prepaidBy } from './account.ts'
import { clockOf, written } from './checkout-session.ts'
import { inSession, invoiceOf, subscriptionOf } from './checkout-totals.ts'
import { createInvoice, decide } from './invoice.ts'
import { confirmPaymentIntent, createPaymentIntent, updatePaymentIntent } from './payment-intent.ts'
import { countRedemption } from './redemption.ts'
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

/** Charges the amount due. The intent of an earlier attempt is used again. */
export function pay(
  unit: UnitOfWork,
  session: CheckoutSession,
  amount: number,
  { method, return_url }: Paying,
): CheckoutResult {
  const { outcomes, customer, currency } = session
  const isSubscription = session.mode === 'subscription'
  const { metadata, description, ...chosen } = outcomes.payment_intent
  const setup_future_usage = isSubscription ? ('off_session' as const) : chosen.setup_future_usage
  // The session chooses the payment methods.
  const ofSession = { automatic_payment_methods: null, setup_future_usage, return_url }
  const options = { ...DEFAULT_PAYMENT_OPTIONS, ...chosen, ...ofSession }
  const given = { amount, currency: currency ?? '', customer: customer ?? undefined, options }
  const isNew = session.payment_intent === null
  const id = isNew
    ? createPaymentIntent(unit, {
        ...given,
        description: isSubscription ? 'Subscription creation' : description,
        metadata,
        confirm: false,
      }).intent.id
    : (session.payment_intent ?? '')
  if (!isNew) updatePaymentIntent(unit, id, { ...reopened(unit, id, given), namesStatus: false })
  const { intent, declined } = confirmPaymentIntent(unit, id, { payment_method: method.id, options })
  const waiting =
    session.payment_intent === id ? session : written(unit, session, { ...session, payment_intent: id })
  if (declined) return { result: 'declined', session: waiting, outcome: declined }
  if (intentFactsOf(intent).isPaid) return { result: 'complete', session: finishPaid(unit, waiting, intent) }
  // With a push method, the customer pays later.
  if (method.type !== 'card') return { result: 'complete', session: finishUnpaid(unit, waiting) }
  return { result: 'requires_action', session: waiting, intent: { kind: 'payment_intent', object: intent } }
}

/** Returns the fields to update of an intent. One that waits for an authentication keeps them unless the amount differs. */
function reopened<Given extends { readonly amount: number }>(unit: UnitOfWork, id: string, given: Given) {
  return unit.need('payment_intent', id).amount === given.amount ? { ...given, amount: undefined } : given
}

/** Saves a payment method when nothing is due. */
export function saveMethod(
  unit: UnitOfWork,
  session: CheckoutSession,
  { method, return_url }: Paying,
): CheckoutResult {
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
export function finishPaid(
  unit: UnitOfWork,
  session: CheckoutSession,
  { id, payment_method }: PaymentIntent,
): CheckoutSession {
  const made =
    session.mode === 'subscription'
      ? subscribe(unit, session, { payment_method, paid_by: id })
      : { invoice: invoicePaid(unit, session, id) }
  return finish(unit, session, { ...made, payment_status: 'paid' })
}

/** Completes a session whose payment arrives later. */
const finishUnpaid = (unit: UnitOfWork, session: CheckoutSession): CheckoutSession =>
  finish(unit, session, { payment_status: 'unpaid' })

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
  finish(unit, session, {
    ...(session.mode === 'subscription' && subscribe(unit, session, { payment_method })),
    payment_status: 'no_payment_required',
  })

function subscribe(
  unit: UnitOfWork,
  session: CheckoutSession,
  { payment_method, paid_by }: { payment_method: string | null; paid_by?: string },
): Pick<CheckoutSession, 'subscription' | 'invoice'> {
  const params = subscriptionOf(unit, session, session.customer ?? '')
  const default_payment_method = payment_method ?? undefined
  const made = inSession(unit, session, () =>
    createSubscription(unit, { ...params, default_payment_method, paid_by }),
  )
  return { subscription: made.id, invoice: made.latest_invoice }
}

const makesInvoice = ({ outcomes, customer }: CheckoutSession): boolean =>
  outcomes.invoice !== null && customer !== null

/** Makes the paid invoice of a payment, if the session asks for one. */
export function invoicePaid(unit: UnitOfWork, session: CheckoutSession, paid_by: string): string | null {
  if (!makesInvoice(session) || session.customer === null) return null
  const { id } = createInvoice(unit, invoiceOf(unit, session, session.customer))
  decide(unit, id, (change, account, invoice, subscription) =>
    payByHand(change, { ...account, ...prepaidBy(unit, paid_by) }, invoice, subscription),
  )
  return id
}

function finish(
  unit: UnitOfWork,
  session: CheckoutSession,
  done: Pick<CheckoutSession, 'payment_status'> & Partial<CheckoutSession>,
): CheckoutSession {
  const change = new Change()
  if (session.mode === 'payment' && !makesInvoice(session)) countDiscounts(unit, change, session)
  const after = completed(session, done)
  change.update('checkout_session', session, () => after, 'checkout.session.completed')
  apply(unit, change, clockOf(unit, session))
  return after
}

/** Counts the redemptions of a payment without an invoice. Those of an invoice or a subscription are counted with it. */
function countDiscounts(unit: UnitOfWork, change: Change, { discounts }: CheckoutSession): void {
  for (const { coupon, promotion_code } of discounts)
    countRedemption(change, {
      coupon: unit.need('coupon', coupon),
      code: promotion_code === null ? null : unit.need('promotion_code', promotion_code),
    })
}
