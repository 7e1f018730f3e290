import { Change } from '../../core/change.ts'
import {
  type CheckoutDetails,
  type CheckoutSession,
  checkoutFactsOf,
  needsAddress,
  withQuantity,
} from '../../core/checkout-session.ts'
import { submittedAt } from '../../core/checkout-trial.ts'
import { NO_ADDRESS } from '../../core/contact.ts'
import type { Customer } from '../../core/customer.ts'
import { parameterInvalid, parameterMissing } from '../../core/errors.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { withdrawPayment } from './checkout-intents.ts'
import { type CheckoutResult, finishFree, pay, saveMethod } from './checkout-payment.ts'
import { clockOf, openSession, written } from './checkout-session.ts'
import { type Totals, totalsOf } from './checkout-totals.ts'
import { createCustomer, updateCustomer } from './customer.ts'
import { type CardParams, createPaymentMethod, methodFor } from './payment-method.ts'

/** The data that a customer submits on the page. */
export type CheckoutSubmission = Partial<CheckoutDetails> & {
  /** The id of a payment method of the customer, or a test id. Use this or `card`. */
  readonly payment_method?: string | undefined
  readonly card?: CardParams | undefined
  /** Changed quantities, by the ids of lines. */
  readonly quantities?: Readonly<Record<string, number>> | undefined
  /** A code to apply; null removes the applied code. */
  readonly promotion_code?: string | null | undefined
  readonly accepts_terms?: boolean | undefined
  /** Where the customer returns after an authentication. */
  readonly return_url?: string | undefined
}

/**
 * Submits the page of a session: creates the customer, charges or saves the payment method, and creates the subscription or
 * invoice. A complete session is not changed, so that two submissions pay once. A declined card leaves it open.
 * @throws ApiError resource_missing; parameter_missing, parameter_invalid; invalid_state_transition when it has expired
 * See docs/contract/checkout-sessions.md#submitting.
 */
export function completeCheckout(
  unit: UnitOfWork,
  id: string,
  submission: CheckoutSubmission,
): CheckoutResult {
  const found = unit.find('checkout_session', id)
  if (checkoutFactsOf(found).isComplete) return { result: 'complete', session: found }
  const changed = withSubmission(unit, openSession(unit, id), submission)
  const details = detailsOf(unit, changed, submission)
  const customer = customerOf(unit, changed, details)
  // Whether a code can be redeemed, and the balance, depend on the customer.
  const { session: current, due } = totalsOf(unit, { ...changed, customer })
  const session = written(unit, found, {
    ...submittedAt(current, clockOf(unit, current).instant),
    customer_details: details,
    details_email: details.email,
  })
  if (due === 0 && !savesMethod(session))
    return { result: 'complete', session: finishFree(unit, session, null) }
  const paying = {
    method: methodOf(unit, session, { ...submission, details }),
    return_url: submission.return_url ?? null,
  }
  return due > 0 ? pay(unit, session, due, paying) : saveMethod(unit, session, paying)
}

/** Returns the amounts of an open session as a submission would change it, without writing anything. */
export const previewCheckout = (
  unit: UnitOfWork,
  id: string,
  submission: Pick<CheckoutSubmission, 'quantities' | 'promotion_code'>,
): Totals => totalsOf(unit, withSubmission(unit, openSession(unit, id), submission))

/**
 * Changes the quantities of lines or the promotion code of an open session. A payment that waits for the customer is withdrawn.
 * @throws ApiError resource_missing; parameter_invalid for a code that cannot be redeemed, or a quantity beyond its limits
 * See docs/contract/checkout-sessions.md#changes-by-the-customer.
 */
export function changeCheckout(
  unit: UnitOfWork,
  id: string,
  submission: Pick<CheckoutSubmission, 'quantities' | 'promotion_code'>,
): CheckoutSession {
  const session = withdrawPayment(unit, openSession(unit, id))
  return written(unit, session, totalsOf(unit, withSubmission(unit, session, submission)).session)
}

/** Returns whether the page asks for a payment method although nothing is due now. */
export const savesMethod = ({ mode, settings }: CheckoutSession): boolean =>
  mode === 'setup' || (mode === 'subscription' && settings.payment_method_collection !== 'if_required')

function withSubmission(
  unit: UnitOfWork,
  session: CheckoutSession,
  { quantities = {}, promotion_code, accepts_terms }: CheckoutSubmission,
): CheckoutSession {
  const resized = Object.entries(quantities).reduce(
    (latest, [line, quantity]) => withQuantity(latest, line, quantity),
    session,
  )
  if (resized.mode !== 'setup' && !resized.lines.some(({ quantity }) => quantity !== 0))
    throw parameterInvalid('quantity', 'At least one item must have a quantity above 0')
  return {
    ...resized,
    accepted_terms: accepts_terms ?? session.accepted_terms,
    ...(promotion_code !== undefined && { discounts: discountsOf(unit, session, promotion_code) }),
  }
}

/** @throws ApiError parameter_invalid, param promotion_code */
function discountsOf(
  unit: UnitOfWork,
  { settings }: CheckoutSession,
  code: string | null,
): CheckoutSession['discounts'] {
  if (!settings.allow_promotion_codes)
    throw parameterInvalid('promotion_code', 'This page takes no promotion code.')
  if (code === null) return []
  const [found] = unit.store.objects.list(
    'promotion_code',
    unit.owner,
    [
      { field: 'code_key', is: code.trim().toLowerCase() },
      { field: 'active', is: 1 },
    ],
    { limit: 1 },
  )
  if (!found) throw parameterInvalid('promotion_code', 'This code is invalid.')
  return [{ coupon: found.coupon, promotion_code: found.id }]
}

/** @throws ApiError parameter_missing, for what the page requires */
function detailsOf(
  unit: UnitOfWork,
  session: CheckoutSession,
  { email, name, phone, address }: CheckoutSubmission,
): CheckoutDetails {
  const customer = session.customer === null ? null : unit.need('customer', session.customer)
  const { settings, customer_details: former } = session
  const details = {
    address: address ?? former?.address ?? customer?.contact?.address ?? null,
    email:
      session.customer_email ??
      (settings.has_given_customer ? customer?.email : null) ??
      email ??
      former?.email ??
      null,
    name: name ?? former?.name ?? customer?.name ?? null,
    phone: phone ?? former?.phone ?? customer?.contact?.phone ?? null,
  }
  if (details.email === null) throw parameterMissing('email')
  if (settings.phone_number_collection && details.phone === null) throw parameterMissing('phone')
  if (needsAddress(settings) && details.address === null) throw parameterMissing('address')
  if (settings.terms_of_service === 'required' && !session.accepted_terms)
    throw parameterMissing('accepts_terms')
  return details
}

/** Creates or updates the customer of a session, and returns its id; null for a payment without one. */
function customerOf(unit: UnitOfWork, session: CheckoutSession, details: CheckoutDetails): string | null {
  const { address, email, name, phone } = details
  const contact = { ...(address && { address }), ...(phone !== null && { phone }) }
  if (session.customer !== null) {
    const customer = unit.need('customer', session.customer)
    updateCustomer(unit, session.customer, changesOf(session, customer, details))
    return session.customer
  }
  if (!needsCustomer(session)) return null
  return createCustomer(unit, {
    email,
    name,
    ...(Object.keys(contact).length > 0 && { contact }),
  }).id
}

/** Returns the changes of an existing customer: its missing email, and the data that the session allows to change. */
function changesOf(
  session: CheckoutSession,
  customer: Customer,
  { address, email, name, phone }: CheckoutDetails,
) {
  const { customer_update, phone_number_collection, has_given_customer } = session.settings
  const isNew = !has_given_customer
  const contact = {
    ...((isNew || customer_update.address) && address && { address }),
    ...((isNew || phone_number_collection) && phone !== null && { phone }),
  }
  return {
    ...((isNew || customer.email === null) && { email }),
    ...((isNew || customer_update.name) && name !== null && { name }),
    ...(Object.keys(contact).length > 0 && { contact }),
  }
}

/** Whether a session without a customer creates one. */
const needsCustomer = ({ mode, settings, outcomes }: CheckoutSession): boolean =>
  mode === 'subscription' ||
  settings.customer_creation === 'always' ||
  (mode === 'payment' && (outcomes.invoice !== null || outcomes.payment_intent.setup_future_usage !== null))

/** Returns the payment method of a submission. @throws ApiError parameter_missing, parameter_invalid */
function methodOf(
  unit: UnitOfWork,
  session: CheckoutSession,
  { payment_method, card, details }: CheckoutSubmission & { readonly details: CheckoutDetails },
): PaymentMethod {
  const { address, email, name, phone } = details
  if (card) {
    const billing_details = { address: address ?? NO_ADDRESS, email, name, phone }
    return createPaymentMethod(unit, { type: 'card', card, billing_details })
  }
  if (payment_method === undefined) throw parameterMissing('payment_method')
  const change = new Change()
  const customer = session.customer === null ? null : unit.need('customer', session.customer)
  const method = methodFor(unit, change, customer, payment_method)
  apply(unit, change, clockOf(unit, session))
  const { payment_method_types } = session.settings
  if (!payment_method_types.includes(method.type))
    throw parameterInvalid('payment_method', `This page takes only ${payment_method_types.join(', ')}`)
  return method
}
