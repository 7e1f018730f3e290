import type Stripe from 'stripe'
import { DECLINE_CODES } from '../../../core/processor.ts'
import { type SetupIntent, setupFactsOf } from '../../../core/setup-intent.ts'
import type { View } from '../../../engine/history/view.ts'
import { clientSecretOf } from '../../client-secret.ts'
import type { Wire } from '../wire.ts'
import { nextActionOf } from './authentication.ts'
import { allowedTypes, docUrlOf } from './payment.ts'
import { presentPaymentMethod } from './payment-method.ts'

export const presentSetupIntent = (view: View, intent: SetupIntent): Wire<Stripe.SetupIntent> => ({
  id: intent.id,
  object: 'setup_intent',
  allowed_payment_method_types: allowedTypes(intent.options),
  application: null,
  automatic_payment_methods: intent.options.automatic_payment_methods && {
    ...intent.options.automatic_payment_methods,
  },
  cancellation_reason: reasonOf(intent),
  client_secret: clientSecretOf(view.ids, intent.id),
  created: intent.created,
  customer: intent.customer,
  customer_account: null,
  description: intent.description,
  excluded_payment_method_types: null,
  flow_directions: null,
  last_setup_error: lastError(view, intent),
  latest_attempt: null,
  livemode: false,
  managed_payments: null,
  mandate: null,
  metadata: intent.metadata,
  next_action: setupFactsOf(intent).awaitsCustomer
    ? nextActionOf(view, intent.id, intent.options.return_url)
    : null,
  on_behalf_of: null,
  payment_method: intent.payment_method,
  payment_method_configuration_details: null,
  payment_method_options: {
    card: {
      mandate_options: null,
      network: null,
      request_three_d_secure: intent.options.request_three_d_secure ?? 'automatic',
    },
  },
  payment_method_types: ['card'],
  single_use_mandate: null,
  status: intent.status,
  usage: intent.usage,
})

export const SETUP_CANCELLATION_REASONS = ['abandoned', 'duplicate', 'requested_by_customer'] as const

const reasonOf = ({ cancellation_reason }: SetupIntent) =>
  SETUP_CANCELLATION_REASONS.find((reason) => reason === cancellation_reason) ?? null

function lastError(
  view: View,
  { last_setup_error }: SetupIntent,
): Wire<Stripe.SetupIntent.LastSetupError> | null {
  if (!last_setup_error) return null
  const { code, decline_code, message, payment_method } = last_setup_error
  const method = payment_method === null ? undefined : view.get('payment_method', payment_method)
  const isDecline = DECLINE_CODES.some((decline) => decline === code)
  return {
    code,
    ...(decline_code !== null && { decline_code }),
    doc_url: docUrlOf(code),
    message,
    ...(method && { payment_method: presentPaymentMethod(view, method) }),
    type: isDecline ? 'card_error' : 'invalid_request_error',
  }
}
