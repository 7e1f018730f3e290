import { resourceMissing } from '../../../../core/errors.ts'
import { intentFactsOf } from '../../../../core/payment-intent.ts'
import { confirmPaymentIntent } from '../../../../engine/resources/payment-intent.ts'
import { portalUrl } from '../../present/hosted-pages.ts'
import { homePage } from './home.tsx'
import {
  checkOffered,
  checkToken,
  finish,
  isPayable,
  type Portal,
  type PortalRequest,
  payState,
  redirectToAuthentication,
} from './portal.ts'

/** Charges the default card for an open invoice. See docs/contract/customer-portal.md#overdue-payments. */
export function submitPayment(portal: Portal, request: PortalRequest): Response {
  const { unit, view, customer, session } = portal
  const invoice = unit.find('invoice', request.id)
  if (invoice.customer !== customer.id) throw resourceMissing('invoice', request.id)
  checkToken(portal, request.given, payState(portal, invoice))
  checkOffered(isPayable(portal, invoice))
  const { intent, declined } = confirmPaymentIntent(unit, invoice.payment_intent ?? '', {
    payment_method: customer.default_payment_method ?? undefined,
    options: { return_url: portalUrl(view, session.id) },
  })
  if (intentFactsOf(intent).awaitsCustomer) return redirectToAuthentication(portal, intent.id)
  // A thrown error would roll back the declined payment.
  return declined ? homePage(portal, { ...request, alert: declined.message }) : finish(portal, 'paid')
}
