import type Stripe from 'stripe'
import { NO_BILLING_DETAILS } from '../../../core/contact.ts'
import type { Card, PaymentMethod, PaymentMethodType } from '../../../core/payment-method.ts'
import { cardNamed } from '../../../core/test-card.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'

/** Presents the billing details of a payment method; every part is null if it has none. */
export function presentBillingDetails(
  method: PaymentMethod | undefined,
): Wire<Stripe.PaymentMethod.BillingDetails> {
  const { address, email, name, phone } = method?.billing_details ?? NO_BILLING_DETAILS
  return { address: { ...address }, email, name, phone, tax_id: null }
}

/** The checks of a card: the security code always passes. */
export const passedChecks = () => ({
  address_line1_check: null,
  address_postal_code_check: null,
  cvc_check: 'pass',
})

export const presentPaymentMethod = (_view: View, method: PaymentMethod): Wire<Stripe.PaymentMethod> => ({
  id: method.id,
  object: 'payment_method',
  allow_redisplay: 'unspecified',
  billing_details: presentBillingDetails(method),
  ...(method.card && { card: presentCard(method.card, method.test_card) }),
  created: method.created,
  customer: method.customer,
  customer_account: null,
  livemode: false,
  metadata: method.metadata,
  type: stripeTypeOf(method.type),
})

/** Stripe has fewer types of push methods than paytwin. */
export const stripeTypeOf = (type: PaymentMethodType): Stripe.PaymentMethod.Type =>
  type === 'bank_transfer' ? 'customer_balance' : type

const presentCard = (card: Card, test_card: string | null): Wire<Stripe.PaymentMethod.Card> => ({
  brand: card.brand,
  checks: passedChecks(),
  country: cardNamed(test_card)?.country ?? 'US',
  display_brand: card.brand,
  exp_month: card.exp_month,
  exp_year: card.exp_year,
  fingerprint: card.fingerprint,
  funding: cardNamed(test_card)?.funding ?? 'credit',
  generated_from: null,
  last4: card.last4,
  networks: { available: [card.brand], preferred: null },
  regulated_status: 'unregulated',
  three_d_secure_usage: { supported: true },
  wallet: null,
})
