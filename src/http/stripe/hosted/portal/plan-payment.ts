import { intentFactsOf } from '../../../../core/payment-intent.ts'
import type { Subscription } from '../../../../core/subscription.ts'
import { updatePaymentIntent } from '../../../../engine/resources/payment-intent.ts'
import { waitingPayment } from '../../../../engine/resources/portal-plan-change.ts'
import { portalUrl } from '../../present/hosted-pages.ts'
import { type Portal, redirectToAuthentication, tokenOf } from './portal.ts'

/** Returns the id of the payment that the customer must authenticate for a pending change of plan; undefined for none. */
export function unauthenticatedPayment(
  { unit, configuration }: Portal,
  subscription: Subscription,
): string | undefined {
  if (!configuration.features.subscription_update.enabled) return undefined
  const payment = waitingPayment(unit, subscription)
  return payment && intentFactsOf(payment).awaitsCustomer ? payment.id : undefined
}

/** The state in the token of the return address: only this payment completes the change. */
export const updatedState = (subscription: string, payment: string) =>
  ['updated', subscription, payment] as const

/** Leads to the authentication of a pending change's payment, and from there back to this session, also if another began it. */
export function authenticatePlan(portal: Portal, { id }: Subscription, payment: string): Response {
  const token = tokenOf(portal, updatedState(id, payment))
  const return_url = `${portalUrl(portal.view, portal.session.id)}/subscriptions/${id}/updated?token=${token}`
  updatePaymentIntent(portal.unit, payment, { options: { return_url }, namesStatus: false })
  return redirectToAuthentication(portal, payment)
}
