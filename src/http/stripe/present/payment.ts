import type Stripe from 'stripe'
import { balanceTransactionId } from '../../../core/balance-transaction.ts'
import type { Charge } from '../../../core/charge.ts'
import { DEFAULT_PAYMENT_OPTIONS, type MethodOptions } from '../../../core/intent-options.ts'
import { intentFactsOf, type PaymentIntent } from '../../../core/payment-intent.ts'
import type { PaymentMethod } from '../../../core/payment-method.ts'
import type { Refund } from '../../../core/refund.ts'
import { cardNamed } from '../../../core/test-card.ts'
import type { View } from '../../../engine/history/view.ts'
import { clientSecretOf } from '../../client-secret.ts'
import type { Wire } from '../wire.ts'
import { nextActionOf } from './authentication.ts'
import { receiptUrl } from './hosted-pages.ts'
import { passedChecks, presentBillingDetails, presentPaymentMethod, stripeTypeOf } from './payment-method.ts'

export function presentPaymentIntent(view: View, intent: PaymentIntent): Wire<Stripe.PaymentIntent> {
  const options = intent.options ?? DEFAULT_PAYMENT_OPTIONS
  return {
    id: intent.id,
    object: 'payment_intent',
    allowed_payment_method_types: allowedTypes(options),
    amount: intent.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: intent.amount_received,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods:
      intent.invoice === null && options.automatic_payment_methods
        ? { ...options.automatic_payment_methods }
        : null,
    canceled_at: intent.canceled_at,
    cancellation_reason: cancellationReasonOf(intent),
    capture_method: 'automatic_async',
    client_secret: clientSecretOf(view.ids, intent.id),
    confirmation_method: 'automatic',
    created: intent.created,
    currency: intent.currency,
    customer: intent.customer,
    customer_account: null,
    description: intent.description,
    excluded_payment_method_types: null,
    last_payment_error: lastError(view, intent),
    latest_charge: intent.latest_charge,
    livemode: false,
    managed_payments: null,
    metadata: intent.metadata,
    next_action: intentFactsOf(intent).awaitsCustomer
      ? nextActionOf(view, intent.id, options.return_url)
      : null,
    on_behalf_of: null,
    payment_method: intent.payment_method,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: options.request_three_d_secure ?? 'automatic',
      },
    },
    payment_method_types: [methodTypeOf(view, intent)],
    payment_record: null,
    processing: null,
    receipt_email: options.receipt_email,
    review: null,
    setup_future_usage:
      intent.invoice !== null && !intent.options ? 'off_session' : options.setup_future_usage,
    shipping: null,
    source: null,
    statement_descriptor: options.statement_descriptor,
    statement_descriptor_suffix: options.statement_descriptor_suffix,
    status: statusOf(intent),
    transfer_data: null,
    transfer_group: null,
  }
}

/** Presents the types that an intent allows. */
export const allowedTypes = ({ allowed_payment_method_types: types }: MethodOptions) => types && [...types]

/** An intent whose payment method is a push method, as in Checkout, has that type. */
function methodTypeOf(view: View, { payment_method }: PaymentIntent): Stripe.PaymentMethod.Type {
  const method = payment_method === null ? undefined : view.get('payment_method', payment_method)
  return stripeTypeOf(method?.type ?? 'card')
}

/** An intent that has no payment method yet requires one before it can be confirmed. */
const statusOf = (intent: PaymentIntent): Stripe.PaymentIntent.Status =>
  intentFactsOf(intent).isConfirmable && intent.payment_method === null
    ? 'requires_payment_method'
    : intent.status

const CANCELLATION_REASONS = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const

function cancellationReasonOf({ status, cancellation_reason, invoice }: PaymentIntent) {
  if (status === 'canceled' && invoice !== null) return 'void_invoice'
  return CANCELLATION_REASONS.find((reason) => reason === cancellation_reason) ?? null
}

function lastError(
  view: View,
  { last_payment_error }: PaymentIntent,
): Wire<Stripe.PaymentIntent.LastPaymentError> | null {
  if (!last_payment_error) return null
  const { code, decline_code, message, charge, payment_method } = last_payment_error
  const method = payment_method === null ? undefined : view.get('payment_method', payment_method)
  const wireCode = declineCodeOf({ code, decline_code })
  return {
    ...(charge !== null && { charge }),
    code: wireCode,
    ...(decline_code !== null && { decline_code }),
    doc_url: docUrlOf(wireCode),
    message,
    ...(method && { payment_method: presentPaymentMethod(view, method) }),
    type: wireCode === 'payment_intent_authentication_failure' ? 'invalid_request_error' : 'card_error',
  }
}

const DECLINES = [
  'card_declined',
  'expired_card',
  'incorrect_cvc',
  'processing_error',
  'payment_intent_authentication_failure',
] as const

/** Returns Stripe's code of a decline. A card that needs an authentication has a code of its own. */
export const declineCodeOf = ({
  code,
  decline_code,
}: {
  readonly code: string
  readonly decline_code: string | null
}): (typeof DECLINES)[number] | 'authentication_required' =>
  decline_code === 'authentication_required'
    ? decline_code
    : (DECLINES.find((known) => known === code) ?? 'card_declined')

/** Returns Stripe's page about an error code. */
export const docUrlOf = (code: string): string =>
  `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`

export function presentCharge(view: View, charge: Charge): Wire<Stripe.Charge> {
  const isPaid = charge.status === 'succeeded'
  const intent = view.get('payment_intent', charge.payment_intent)
  const options = intent?.options ?? DEFAULT_PAYMENT_OPTIONS
  return {
    id: charge.id,
    object: 'charge',
    amount: charge.amount,
    amount_captured: isPaid ? charge.amount : 0,
    amount_refunded: charge.amount_refunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: isPaid ? balanceTransactionId('charge', charge.id) : null,
    billing_details: presentBillingDetails(methodOf(view, charge)),
    calculated_statement_descriptor: 'PAYTWIN',
    captured: isPaid,
    created: charge.created,
    currency: charge.currency,
    customer: charge.customer,
    description: intent?.description ?? null,
    disputed: charge.dispute !== null,
    failure_balance_transaction: null,
    failure_code:
      charge.failure_code === null
        ? null
        : declineCodeOf({ code: charge.failure_code, decline_code: charge.decline_code }),
    failure_message: charge.failure_message,
    fraud_details: {},
    livemode: false,
    metadata: charge.metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: isPaid ? 'approved_by_network' : 'declined_by_network',
      reason: charge.decline_code ?? charge.failure_code,
      risk_level: 'normal',
      risk_score: 10,
      seller_message: isPaid ? 'Payment complete.' : charge.failure_message,
      type: isPaid ? 'authorized' : 'issuer_declined',
    },
    paid: isPaid,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    payment_method_details: detailsOf(view, charge),
    receipt_email: options.receipt_email,
    receipt_number: null,
    receipt_url: isPaid ? receiptUrl(view, charge.id) : null,
    refunded: isPaid && charge.amount_refunded === charge.amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: options.statement_descriptor,
    statement_descriptor_suffix: options.statement_descriptor_suffix,
    status: charge.status,
    transfer_data: null,
    transfer_group: null,
  }
}

/** Details of a payment method never change, so the current ones are those at the time of the charge. */
const methodOf = (view: View, { payment_method }: Charge): PaymentMethod | undefined =>
  payment_method === null ? undefined : view.get('payment_method', payment_method)

function detailsOf(view: View, charge: Charge): Wire<Stripe.Charge.PaymentMethodDetails> | null {
  const method = methodOf(view, charge)
  const card = method?.card
  if (!card) return null
  return {
    type: 'card',
    card: {
      amount_authorized: charge.amount,
      authorization_code: null,
      brand: card.brand,
      checks: passedChecks(),
      country: cardNamed(method.test_card)?.country ?? 'US',
      electronic_commerce_indicator: null,
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      fingerprint: card.fingerprint,
      funding: cardNamed(method.test_card)?.funding ?? 'credit',
      installments: null,
      last4: card.last4,
      mandate: null,
      network: card.brand,
      network_transaction_id: null,
      regulated_status: 'unregulated',
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
  }
}

export const presentRefund = (view: View, refund: Refund): Wire<Stripe.Refund> => ({
  id: refund.id,
  object: 'refund',
  amount: refund.amount,
  balance_transaction: balanceTransactionId('refund', refund.id),
  charge: refund.charge,
  created: refund.created,
  currency: refund.currency,
  customer: view.get('charge', refund.charge)?.customer ?? null,
  customer_account: null,
  destination_details: {
    type: 'card',
    card: {
      reference_status: 'pending',
      reference_type: 'acquirer_reference_number',
      type: 'refund',
    },
  },
  ...(refund.failure_reason !== null && {
    failure_balance_transaction: balanceTransactionId('refund_failure', refund.id),
    failure_reason: refund.failure_reason,
  }),
  metadata: refund.metadata,
  payment_intent: refund.payment_intent,
  payment_method: view.get('charge', refund.charge)?.payment_method ?? null,
  reason: refund.reason,
  receipt_number: null,
  source_transfer_reversal: null,
  status: refund.status,
  transfer_reversal: null,
})
