import { invalidStateTransition, paymentIntentUnexpectedState } from '../../core/errors.ts'
import { DEFAULT_PAYMENT_OPTIONS, type PaymentOptions } from '../../core/intent-options.ts'
import type { MetadataParam } from '../../core/metadata.ts'
import {
  intentFactsOf,
  type PaymentIntent,
  withAttempt,
  withPaymentMethod,
} from '../../core/payment-intent.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import type { ChosenMethod } from './payment-method.ts'

export type IntentParams = {
  amount?: number | undefined
  currency?: string | undefined
  customer?: string | undefined
  payment_method?: string | undefined
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
  payment_method_data?: ChosenMethod['payment_method_data']
  /** The options that only Stripe's API has. */
  options?: Partial<PaymentOptions> | undefined
}

/** An update; `namesStatus` reports whether it contains the status, which no update can set. */
export type IntentUpdate = IntentParams & { readonly namesStatus: boolean }

/**
 * Checks that the status of an intent and its invoice allow an update.
 * @throws ApiError invalid_state_transition, payment_intent_unexpected_state
 * See docs/contract/payments.md#updating-an-intent.
 */
export function checkUpdatable(unit: UnitOfWork, intent: PaymentIntent, params: IntentUpdate): void {
  const { status, invoice } = intent
  const { isCanceled } = intentFactsOf(intent)
  const { amount, currency, customer, payment_method } = params
  const changesPayment = [amount, currency, customer, payment_method].some((value) => value !== undefined)
  if (isCanceled && (params.namesStatus || payment_method !== undefined)) {
    throw invalidStateTransition(
      'A canceled payment intent cannot be used again',
      params.namesStatus ? 'status' : null,
    )
  }
  if (changesPayment && !isOpen(unit, intent)) {
    throw paymentIntentUnexpectedState(
      `Only description and metadata of a payment intent whose status is ${status} can be changed`,
    )
  }
  if (invoice !== null && [amount, currency, customer].some((value) => value !== undefined)) {
    throw paymentIntentUnexpectedState(
      'The amount, currency and customer of a payment intent with an invoice are those of the invoice',
    )
  }
}

/** Reports whether an intent can be changed and confirmed. */
export const isOpen = ({ rules }: UnitOfWork, intent: PaymentIntent): boolean => {
  const { isConfirmable, awaitsCustomer } = intentFactsOf(intent)
  return isConfirmable || (awaitsCustomer && rules.confirmsAgain)
}

/** Chooses a payment method for an intent, also for one that waits for the customer where that can be confirmed again. */
export const chosenFor = (
  { rules }: UnitOfWork,
  intent: PaymentIntent,
  { id }: PaymentMethod,
): PaymentIntent => (rules.confirmsAgain ? withAttempt(intent, id) : withPaymentMethod(intent, id))

/** Returns the options of an intent after a request; null if none ever set one. */
export const optionsOf = (before: PaymentIntent | null, { options }: IntentParams): PaymentOptions | null =>
  options === undefined
    ? (before?.options ?? null)
    : { ...(before?.options ?? defaultsFor(before)), ...options }

/** The payment method of an invoice is saved for later. */
const defaultsFor = (before: PaymentIntent | null): PaymentOptions =>
  before?.invoice
    ? { ...DEFAULT_PAYMENT_OPTIONS, setup_future_usage: 'off_session' }
    : DEFAULT_PAYMENT_OPTIONS
