import { paymentIntentUnexpectedState } from './errors.ts'
import type { PaymentOptions } from './intent-options.ts'
import type { Metadata } from './metadata.ts'
import type { Outcome } from './processor.ts'
import { move, type Transitions } from './transitions.ts'

export const PAYMENT_INTENT_STATUSES = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'succeeded',
  'canceled',
] as const
export type PaymentIntentStatus = (typeof PAYMENT_INTENT_STATUSES)[number]

export type PaymentIntentEvent =
  | 'attach'
  | 'reattempt'
  | 'approve'
  | 'decline'
  | 'require_action'
  | 'cancel'
  | 'invoice_voided'

/** See docs/contract/payments.md#payment-intent-status. */
export const PAYMENT_INTENT_TRANSITIONS: Transitions<PaymentIntentStatus, PaymentIntentEvent> = {
  requires_payment_method: {
    attach: 'requires_confirmation',
    // A billing attempt without a payment method fails, and the intent still requires a payment method.
    decline: 'requires_payment_method',
    cancel: 'canceled',
    invoice_voided: 'canceled',
  },
  requires_confirmation: {
    attach: 'requires_confirmation',
    approve: 'succeeded',
    decline: 'requires_payment_method',
    require_action: 'requires_action',
    cancel: 'canceled',
    invoice_voided: 'canceled',
  },
  requires_action: {
    // A billing attempt overrides a confirmation that still waits for the customer.
    reattempt: 'requires_confirmation',
    approve: 'succeeded',
    decline: 'requires_payment_method',
    cancel: 'canceled',
    invoice_voided: 'canceled',
  },
  succeeded: {},
  canceled: { invoice_voided: 'canceled' },
}

type StatusFacts = {
  /** Whether its amount, customer and payment method can change, and it can be confirmed. */
  readonly isConfirmable: boolean
  /** Whether it waits for the customer to push the money or to authenticate. */
  readonly awaitsCustomer: boolean
  readonly isPaid: boolean
  readonly isCanceled: boolean
}

const CONFIRMABLE: StatusFacts = {
  isConfirmable: true,
  awaitsCustomer: false,
  isPaid: false,
  isCanceled: false,
}
const FIXED: StatusFacts = { ...CONFIRMABLE, isConfirmable: false }

/** The facts about each status. Other code reads these facts and does not compare statuses. See docs/contract/payments.md#payment-intent-status. */
const STATUS_FACTS: Readonly<Record<PaymentIntentStatus, StatusFacts>> = {
  requires_payment_method: CONFIRMABLE,
  requires_confirmation: CONFIRMABLE,
  requires_action: { ...FIXED, awaitsCustomer: true },
  succeeded: { ...FIXED, isPaid: true },
  canceled: { ...FIXED, isCanceled: true },
}

/** Returns the facts about an intent's status. */
export const intentFactsOf = ({ status }: Pick<PaymentIntent, 'status'>): StatusFacts => STATUS_FACTS[status]

/** The reason why the latest attempt failed. See docs/contract/errors.md#declines. */
type PaymentError = {
  readonly type: 'payment_error'
  readonly code: string
  readonly decline_code: string | null
  readonly message: string
  readonly charge: string | null
  readonly payment_method: string | null
}

/** A payment intent. Amounts are in the smallest currency unit. See docs/contract/payments.md#payment-intents. */
export type PaymentIntent = {
  readonly id: string
  readonly created: number
  readonly status: PaymentIntentStatus
  readonly amount: number
  readonly amount_received: number
  readonly currency: string
  readonly customer: string | null
  readonly invoice: string | null
  readonly payment_method: string | null
  readonly latest_charge: string | null
  readonly last_payment_error: PaymentError | null
  readonly canceled_at: number | null
  readonly cancellation_reason: string | null
  readonly description: string | null
  readonly metadata: Metadata
  /** The options that only Stripe's API has; null for paytwin's own API. */
  readonly options: PaymentOptions | null
}

/** Creates an intent that waits to be confirmed. See docs/contract/payments.md#creating-an-intent. */
export const newPaymentIntent = (
  given: Pick<PaymentIntent, 'id' | 'created' | 'amount' | 'currency'> & Partial<PaymentIntent>,
): PaymentIntent => ({
  status: 'requires_confirmation',
  amount_received: 0,
  customer: null,
  invoice: null,
  payment_method: null,
  latest_charge: null,
  last_payment_error: null,
  canceled_at: null,
  cancellation_reason: null,
  description: null,
  metadata: {},
  options: null,
  ...given,
})

/** Attaches a payment method to an intent, which is then ready to be confirmed. */
export const withPaymentMethod = (intent: PaymentIntent, payment_method: string): PaymentIntent => ({
  ...intent,
  status: move(PAYMENT_INTENT_TRANSITIONS, intent.status, 'attach'),
  payment_method,
})

/** Sets the amount of an invoice's intent to what is still due. See docs/contract/credit-notes.md#open-invoices. */
export const withAmount = (intent: PaymentIntent, amount: number): PaymentIntent => ({ ...intent, amount })

/** Prepares the intent of an invoice for a billing attempt with a card. */
export const withAttempt = (intent: PaymentIntent, payment_method: string): PaymentIntent =>
  intentFactsOf(intent).awaitsCustomer
    ? { ...intent, status: move(PAYMENT_INTENT_TRANSITIONS, intent.status, 'reattempt'), payment_method }
    : withPaymentMethod(intent, payment_method)

/** Makes an intent wait for the customer to push the money or to authenticate. */
export const awaitingAction = (intent: PaymentIntent): PaymentIntent => ({
  ...intent,
  status: move(PAYMENT_INTENT_TRANSITIONS, intent.status, 'require_action'),
})

/**
 * Cancels an intent on request.
 * @throws ApiError payment_intent_unexpected_state
 * See docs/contract/payments.md#canceling-an-intent.
 */
export const canceledIntent = (
  intent: PaymentIntent,
  { now, reason }: { now: number; reason: string | null },
): PaymentIntent => ({
  ...intent,
  status: move(PAYMENT_INTENT_TRANSITIONS, intent.status, 'cancel', () =>
    paymentIntentUnexpectedState(`A payment intent whose status is ${intent.status} cannot be canceled`),
  ),
  canceled_at: now,
  cancellation_reason: reason,
})

/**
 * Records the outcome of an attempt. A declined intent requires another payment method.
 * @param charge - the charge's id; null when nothing could be charged
 * See docs/contract/errors.md#declines.
 */
export function confirmed(intent: PaymentIntent, outcome: Outcome, charge: string | null): PaymentIntent {
  if (outcome.approved) {
    return {
      ...intent,
      status: move(PAYMENT_INTENT_TRANSITIONS, intent.status, 'approve'),
      amount_received: intent.amount,
      latest_charge: charge,
      last_payment_error: null,
    }
  }
  const { code, decline_code, message } = outcome
  return {
    ...intent,
    status: move(PAYMENT_INTENT_TRANSITIONS, intent.status, 'decline'),
    payment_method: null,
    latest_charge: charge ?? intent.latest_charge,
    last_payment_error: {
      type: 'payment_error',
      code,
      decline_code,
      message,
      charge,
      payment_method: intent.payment_method,
    },
  }
}

/** Cancels the intent of an invoice that was voided, or credited in full. See docs/contract/payments.md#intents-of-invoices. */
export const canceledWithInvoice = (intent: PaymentIntent, now: number): PaymentIntent => ({
  ...intent,
  status: move(PAYMENT_INTENT_TRANSITIONS, intent.status, 'invoice_voided'),
  canceled_at: now,
})
