import { resourceMissing } from '../../../../core/errors.ts'
import { intentFactsOf } from '../../../../core/payment-intent.ts'
import { waitingPayment, withdrawPlanChange } from '../../../../engine/resources/portal-plan-change.ts'
import { isClientSecret } from '../../../client-secret.ts'
import { choosePage, confirmPage } from './plan.tsx'
import {
  finish,
  type Portal,
  type PortalRequest,
  redirectToAuthentication,
  subscriptionOf,
} from './portal.ts'

/**
 * Ends a change of plan after the authentication of its payment. A failed one withdraws the change. The address contains the
 * client secret of the payment, so only its customer knows it.
 */
export function finishPlanChange(portal: Portal, { id, given }: PortalRequest): Response {
  const { unit, view, customer } = portal
  const subscription = subscriptionOf(portal, id)
  const payment = given.get('payment_intent') ?? ''
  const secret = given.get('payment_intent_client_secret') ?? ''
  const intent = unit.get('payment_intent', payment)
  if (!isClientSecret(view.ids, payment, secret) || intent?.customer !== customer.id)
    throw resourceMissing('payment intent', payment)
  const { isPaid, awaitsCustomer } = intentFactsOf(intent)
  if (isPaid) return finish(portal, 'updated')
  if (awaitsCustomer) return redirectToAuthentication(portal, payment)
  if (waitingPayment(unit, subscription)?.id === payment) withdrawPlanChange(unit, subscription)
  const alert = 'We could not authenticate your card. Your plan was not changed.'
  const show = portal.step?.type === 'subscription_update_confirm' ? confirmPage : choosePage
  return show(portal, { id, given: new URLSearchParams(), alert })
}
