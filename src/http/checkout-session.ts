import { type CheckoutSession, checkoutFactsOf } from '../core/checkout-session.ts'
import type { View } from '../engine/history/view.ts'
import type { Json } from './json.ts'
import { common, type Resource } from './resource.ts'

/** Returns the path of the page of a session. */
export const checkoutPath = (id: string): string => `/c/pay/${id}`

/** Returns the address of the page of a session. @param url - that of the daemon */
export const checkoutUrl = ({ url }: { readonly url: string }, id: string): string =>
  `${url}${checkoutPath(id)}`

/**
 * Presents a Checkout session to the operator. Only Stripe's API has routes for them.
 * See docs/contract/checkout-sessions.md.
 */
const presentCheckoutSession = (view: View, session: CheckoutSession): Json => ({
  ...common(view, 'checkout_session', session),
  mode: session.mode,
  status: session.status,
  url: checkoutFactsOf(session).isOpen ? checkoutUrl(view, session.id) : null,
  payment_status: session.payment_status,
  currency: session.currency,
  amount_total: session.amount_total,
  lines: session.lines.map((line) => ({ ...line })),
  discounts: session.discounts.map((discount) => ({ ...discount })),
  customer: session.customer,
  customer_email: session.customer_email,
  customer_details: session.customer_details,
  accepted_terms: session.accepted_terms,
  client_reference_id: session.client_reference_id,
  settings: { ...session.settings },
  payment_intent: session.payment_intent,
  setup_intent: session.setup_intent,
  subscription: session.subscription,
  invoice: session.invoice,
  recovered_from: session.recovered_from,
  expires_at: session.expires_at,
  metadata: session.metadata,
})

export const checkoutSessionResource: Resource<'checkout_session'> = {
  collection: 'checkout_sessions',
  present: presentCheckoutSession,
  routes: () => undefined,
}
