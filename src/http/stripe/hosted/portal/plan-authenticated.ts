import { resourceMissing } from '../../../../core/errors.ts'
import { intentFactsOf } from '../../../../core/payment-intent.ts'
import { waitingPayment, withdrawPlanChange } from '../../../../engine/resources/portal-plan-change.ts'
import { hasToken } from '../form-token.tsx'
import { choosePage, confirmPage } from './plan.tsx'
import { updatedState } from './plan-payment.ts'
import {
  finish,
  type Portal,
  type PortalRequest,
  redirectToAuthentication,
  subscriptionOf,
  tokenOf,
} from './portal.ts'

/**
 * Ends a change of plan after the authentication of its payment. A failed one withdraws the change. The token of the address belongs
 * to the payment, so no other payment of the customer ends the change.
 */
export function finishPlanChange(portal: Portal, { id, given }: PortalRequest): Response {
  const { unit } = portal
  const subscription = subscriptionOf(portal, id)
  const payment = given.get('payment_intent') ?? ''
  if (!hasToken(given, tokenOf(portal, updatedState(id, payment))))
    throw resourceMissing('payment intent', payment)
  const intent = unit.find('payment_intent', payment)
  const { isPaid, awaitsCustomer } = intentFactsOf(intent)
  if (isPaid) return finish(portal, 'updated')
  if (awaitsCustomer) return redirectToAuthentication(portal, payment)
  if (waitingPayment(unit, subscription)?.id === payment) withdrawPlanChange(unit, subscription)
  const alert = 'We could not authenticate your card. Your plan was not changed.'
  const show = portal.step?.type === 'subscription_update_confirm' ? confirmPage : choosePage
  return show(portal, { id, given: new URLSearchParams(), alert })
}
