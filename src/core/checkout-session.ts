import { SECONDS_PER_DAY } from './calendar.ts'
import type { Address } from './contact.ts'
import { type ApiError, invalidStateTransition, parameterInvalid } from './errors.ts'
import type { Metadata } from './metadata.ts'
import type { PaymentMethodType } from './payment-method.ts'
import type { ThreeDSecure } from './payment-settings.ts'
import type { MissingPaymentMethod } from './subscription.ts'
import { move, type Transitions } from './transitions.ts'

export const CHECKOUT_MODES = ['payment', 'setup', 'subscription'] as const
export type CheckoutMode = (typeof CHECKOUT_MODES)[number]

export const CHECKOUT_STATUSES = ['complete', 'expired', 'open'] as const
export type CheckoutStatus = (typeof CHECKOUT_STATUSES)[number]

export type CheckoutPaymentStatus = 'no_payment_required' | 'paid' | 'unpaid'

/** See docs/contract/checkout-sessions.md#status. */
const CHECKOUT_TRANSITIONS: Transitions<CheckoutStatus, 'complete' | 'expire'> = {
  open: { complete: 'complete', expire: 'expired' },
  complete: {},
  expired: {},
}

/** Limits of how long a session can be open, in seconds. */
const MIN_OPEN_SECONDS = 30 * 60
const MAX_OPEN_SECONDS = SECONDS_PER_DAY

/** The time in which an expired session can be recovered, in days. */
const RECOVERY_DAYS = 30

/** The maximum number of lines of a session. */
export const MAX_CHECKOUT_LINES = 100

/** The limits within which a customer can change the quantity of a line. */
export type AdjustableQuantity = { readonly minimum: number; readonly maximum: number }

/** A line of a session. Its amounts are billed now, in the smallest currency unit. */
export type CheckoutLine = {
  readonly id: string
  readonly price: string
  /** null for a metered price. */
  readonly quantity: number | null
  /** null if the customer cannot change the quantity. */
  readonly adjustable: AdjustableQuantity | null
  readonly metadata: Metadata
  readonly amount_subtotal: number
  readonly amount_discount: number
}

/** A coupon or promotion code of a session. `coupon` is the internal id, also for a promotion code. */
type CheckoutDiscount = { readonly coupon: string; readonly promotion_code: string | null }

/** What a customer entered on the page. */
export type CheckoutDetails = {
  readonly address: Address | null
  readonly email: string | null
  readonly name: string | null
  readonly phone: string | null
}

/** The settings of the objects that a completed session creates. */
export type CheckoutOutcomes = {
  readonly subscription: {
    readonly billing_cycle_anchor: number | null
    readonly description: string | null
    readonly metadata: Metadata
    readonly proration_behavior: 'create_prorations' | 'none' | null
    readonly trial_end: number | null
    readonly trial_period_days: number | null
    /** The end of the trial of the last submission of the page. */
    readonly submitted_trial_end?: number
    readonly missing_payment_method: MissingPaymentMethod
  }
  readonly payment_intent: {
    readonly description: string | null
    readonly metadata: Metadata
    readonly receipt_email: string | null
    readonly setup_future_usage: 'off_session' | 'on_session' | null
    readonly statement_descriptor: string | null
    readonly statement_descriptor_suffix: string | null
  }
  readonly setup_intent: { readonly description: string | null; readonly metadata: Metadata }
  /** null if a payment makes no invoice. */
  readonly invoice: { readonly description: string | null; readonly metadata: Metadata } | null
}

/** The settings of the page. */
export type CheckoutSettings = {
  readonly success_url: string
  readonly cancel_url: string | null
  readonly locale: string | null
  readonly submit_type: 'auto' | 'book' | 'donate' | 'pay' | 'subscribe' | null
  /** null if it was not given. */
  readonly allow_promotion_codes: boolean | null
  readonly billing_address_collection: 'auto' | 'required' | null
  readonly phone_number_collection: boolean
  /** Whether the request named the customer. */
  readonly has_given_customer: boolean
  /** null with a given customer, and in the mode subscription. */
  readonly customer_creation: 'always' | 'if_required' | null
  /** Which data of a given customer the customer can change on the page. */
  readonly customer_update: { readonly address: boolean; readonly name: boolean }
  readonly terms_of_service: 'none' | 'required' | null
  readonly custom_text: {
    readonly submit: string | null
    readonly terms_of_service_acceptance: string | null
  }
  readonly payment_method_collection: 'always' | 'if_required' | null
  readonly payment_method_types: readonly PaymentMethodType[]
  /** Absent for the default. It changes nothing, and is shown. */
  readonly request_three_d_secure?: ThreeDSecure
  /** Whether taxes are calculated. Every tax is zero, but the page has to know where the customer is. */
  readonly automatic_tax?: true
  /** Whether a session that expires can be opened again, and whether that takes promotion codes; null for no. */
  readonly recovery: { readonly allow_promotion_codes: boolean } | null
}

/** Reports whether the customer has to give an address. See docs/contract/checkout-sessions.md#page. */
export const needsAddress = ({ billing_address_collection, automatic_tax }: CheckoutSettings): boolean =>
  billing_address_collection === 'required' || automatic_tax === true

/** Returns the settings of a page without any choice: a guest pays by card. */
export const plainSettings = (success_url: string): CheckoutSettings => ({
  success_url,
  cancel_url: null,
  locale: null,
  submit_type: null,
  allow_promotion_codes: null,
  billing_address_collection: null,
  phone_number_collection: false,
  has_given_customer: false,
  customer_creation: null,
  customer_update: { address: false, name: false },
  terms_of_service: null,
  custom_text: { submit: null, terms_of_service_acceptance: null },
  payment_method_collection: null,
  payment_method_types: ['card'],
  recovery: null,
})

/** The outcomes of a request without any choice. */
export const PLAIN_OUTCOMES: CheckoutOutcomes = {
  subscription: {
    billing_cycle_anchor: null,
    description: null,
    metadata: {},
    proration_behavior: null,
    trial_end: null,
    trial_period_days: null,
    missing_payment_method: 'create_invoice',
  },
  payment_intent: {
    description: null,
    metadata: {},
    receipt_email: null,
    setup_future_usage: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
  },
  setup_intent: { description: null, metadata: {} },
  invoice: null,
}

/** A Checkout session: a page on which a customer buys something or saves a card. See docs/contract/checkout-sessions.md. */
export type CheckoutSession = {
  readonly id: string
  readonly created: number
  readonly mode: CheckoutMode
  readonly status: CheckoutStatus
  readonly payment_status: CheckoutPaymentStatus
  /** null in the mode setup without a currency. */
  readonly currency: string | null
  readonly customer: string | null
  readonly customer_email: string | null
  /** null until the customer submits the page. */
  readonly customer_details: CheckoutDetails | null
  /** The email address that lists find. Not part of the API's object. */
  readonly details_email: string | null
  /** Whether the customer accepted the terms of service. */
  readonly accepted_terms: boolean
  readonly client_reference_id: string | null
  readonly lines: readonly CheckoutLine[]
  /** What is billed now, after discounts; null in the mode setup. */
  readonly amount_total: number | null
  readonly discounts: readonly CheckoutDiscount[]
  readonly settings: CheckoutSettings
  /** Not part of the API's object. */
  readonly outcomes: CheckoutOutcomes
  /** The intent of the payment. The API's object has it in the mode payment only. */
  readonly payment_intent: string | null
  /** The intent that saves the payment method. The API's object has it in the mode setup only. */
  readonly setup_intent: string | null
  readonly subscription: string | null
  readonly invoice: string | null
  /** The expired session that this one recovers. */
  readonly recovered_from: string | null
  readonly expires_at: number
  readonly metadata: Metadata
  readonly test_clock: string | null
}

type StatusFacts = {
  /** Whether the customer can submit the page. */
  readonly isOpen: boolean
  readonly isComplete: boolean
}

const STATUS_FACTS: Readonly<Record<CheckoutStatus, StatusFacts>> = {
  open: { isOpen: true, isComplete: false },
  complete: { isOpen: false, isComplete: true },
  expired: { isOpen: false, isComplete: false },
}

/** Returns the facts about a session's status. */
export const checkoutFactsOf = ({ status }: Pick<CheckoutSession, 'status'>): StatusFacts =>
  STATUS_FACTS[status]

/** Whether a payment is still to be made, by the payment status. */
const IS_UNPAID: Readonly<Record<CheckoutPaymentStatus, boolean>> = {
  no_payment_required: false,
  paid: false,
  unpaid: true,
}

/** Reports whether a session was completed before its payment arrives. */
export const isPaidLater = (session: Pick<CheckoutSession, 'status' | 'payment_status'>): boolean =>
  checkoutFactsOf(session).isComplete && IS_UNPAID[session.payment_status]

/** Returns when a session expires. @throws ApiError parameter_invalid, param expires_at */
export function checkoutEnd(expires_at: number | undefined, now: number): number {
  if (expires_at === undefined) return now + MAX_OPEN_SECONDS
  if (expires_at < now + MIN_OPEN_SECONDS)
    throw parameterInvalid(
      'expires_at',
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
    )
  if (expires_at > now + MAX_OPEN_SECONDS)
    throw parameterInvalid(
      'expires_at',
      'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.',
    )
  return expires_at
}

/**
 * Completes a session.
 * @param done - what it created
 * @throws ApiError invalid_state_transition when it is not open
 */
export const completed = (
  session: CheckoutSession,
  done: Pick<CheckoutSession, 'payment_status'> & Partial<CheckoutSession>,
): CheckoutSession => ({
  ...session,
  ...done,
  status: move(CHECKOUT_TRANSITIONS, session.status, 'complete', () => notOpen(session, 'completed')),
})

/** Expires a session. @throws ApiError invalid_state_transition when it is not open */
export const expired = (session: CheckoutSession): CheckoutSession => ({
  ...session,
  status: move(CHECKOUT_TRANSITIONS, session.status, 'expire', () => notOpen(session, 'expired')),
})

/** Creates the error for an action that only open sessions allow. */
export const notOpen = ({ status }: CheckoutSession, done: string): ApiError =>
  invalidStateTransition(
    `Only Checkout Sessions with a status in ["open"] can be ${done}. This Checkout Session has a status of ${status}.`,
    null,
  )

/** Returns until when an expired session can be recovered; null if it cannot. */
export const recoverableUntil = ({ status, settings, expires_at }: CheckoutSession): number | null =>
  status === 'expired' && settings.recovery ? expires_at + RECOVERY_DAYS * SECONDS_PER_DAY : null

/** Returns the address to which a session leads when it is complete. */
export const successUrlOf = ({ id, settings }: Pick<CheckoutSession, 'id' | 'settings'>): string =>
  settings.success_url.replaceAll('{CHECKOUT_SESSION_ID}', id)

/**
 * Changes the quantity of a line.
 * @throws ApiError parameter_invalid for a line that cannot be changed, or a quantity beyond its limits
 */
export function withQuantity(session: CheckoutSession, line: string, quantity: number): CheckoutSession {
  const found = session.lines.find(({ id }) => id === line)
  if (found?.quantity === quantity) return session
  const limits = found?.adjustable
  if (!limits) throw parameterInvalid('quantity', `The quantity of the line '${line}' cannot be changed`)
  if (quantity < limits.minimum || quantity > limits.maximum)
    throw parameterInvalid('quantity', `The quantity must be from ${limits.minimum} to ${limits.maximum}`)
  return {
    ...session,
    lines: session.lines.map((each) => (each.id === line ? { ...each, quantity } : each)),
  }
}
