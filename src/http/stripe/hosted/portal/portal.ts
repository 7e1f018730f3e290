import type { Customer } from '../../../../core/customer.ts'
import { ApiError, parameterInvalid, resourceMissing } from '../../../../core/errors.ts'
import type { Invoice } from '../../../../core/invoice.ts'
import { isOpen } from '../../../../core/invoice-status.ts'
import type { PortalConfiguration } from '../../../../core/portal-configuration.ts'
import { type FlowStep, isExpired, type PortalSession } from '../../../../core/portal-session.ts'
import type { Subscription } from '../../../../core/subscription.ts'
import type { CurrentView, Summary } from '../../../../engine/history/view.ts'
import { CommandRefused, type UnitOfWork } from '../../../../engine/machine/unit.ts'
import { finishFlow, visitPortalSession } from '../../../../engine/resources/portal-session.ts'
import { isClientSecret } from '../../../client-secret.ts'
import { authenticationPath, portalPath } from '../../present/hosted-pages.ts'
import { type FormState, formToken, hasToken } from '../form-token.tsx'
import { leavingPage, type PageOf, redirectTo } from '../frame.tsx'

/** A request to the portal, within one command of the engine. */
export type Portal = {
  readonly unit: UnitOfWork
  readonly view: CurrentView
  readonly of: PageOf
  readonly session: PortalSession
  readonly configuration: PortalConfiguration
  readonly customer: Customer
  /** The path of the session, without a slash at its end. */
  readonly path: string
  /** The step of the session's flow that is not completed yet; null for the whole portal. */
  readonly step: FlowStep | null
}

/** The input of a page of the portal. */
export type PortalRequest = {
  /** The id in the path; empty if it has none. */
  readonly id: string
  /** The submitted form, or else the query. */
  readonly given: URLSearchParams
  /** Why the form was refused; undefined if it was not. */
  readonly alert?: string | undefined
}

/** Refuses a form. Its message becomes an alert on the page, which is shown again. */
export class Refusal extends CommandRefused {}

/** A session that can no longer be used. */
export class SessionExpired extends CommandRefused {}

/** Returns the id of the session of an address. @throws ApiError resource_missing for a wrong secret */
export function sessionOf({ ids }: CurrentView, secret: string): string {
  const [id = ''] = secret.split('_secret_')
  if (!isClientSecret(ids, id, secret)) throw resourceMissing('portal session', id)
  return id
}

/**
 * Opens a session, and extends it.
 * @throws ApiError resource_missing; SessionExpired
 * See docs/contract/customer-portal.md#sessions.
 */
export function openPortal(
  unit: UnitOfWork,
  { view, of, session: id }: { view: CurrentView; of: (testClock: string | null) => PageOf; session: string },
): Portal {
  const found = unit.find('billing_portal_session', id)
  const customer = unit.need('customer', found.customer)
  const page = of(customer.test_clock)
  if (isExpired(found, page.now) || customer.deleted) throw new SessionExpired()
  const session = visitPortalSession(unit, found, page.now)
  return {
    unit,
    view,
    of: page,
    session,
    customer,
    configuration: unit.need('billing_portal_configuration', session.configuration),
    path: portalPath(view, id),
    step: session.is_flow_done ? null : (session.flow?.step ?? null),
  }
}

/** Redirects the browser to a page of the portal after a form. @param to - the path below the session's path */
export const redirectWithin = ({ path }: Portal, to = ''): Response => redirectTo(`${path}${to}`)

/** Redirects the browser to the page on which the customer authenticates for an intent. It returns to its return_url. */
export const redirectToAuthentication = ({ view }: Portal, intent: string): Response =>
  redirectTo(authenticationPath(view, intent))

/** Whether the forms of the pages can lead to another site. */
export const leadsAway = ({ step, session }: Portal): boolean =>
  step !== null && session.flow?.after_completion.type === 'redirect'

/**
 * Completes a step: returns to the overview with a notice, or follows the flow's `after_completion`.
 * See docs/contract/customer-portal.md#flows.
 */
export function finish(portal: Portal, notice: string): Response {
  const { step, session, unit, of } = portal
  if (step === null || session.flow === null) return redirectWithin(portal, `?notice=${notice}`)
  finishFlow(unit, session)
  const { after_completion } = session.flow
  return after_completion.type === 'redirect'
    ? leavingPage(of, after_completion.return_url)
    : redirectWithin(portal, `?notice=${notice}`)
}

/** Finds a subscription of the customer. @throws ApiError resource_missing also for that of another customer */
export function subscriptionOf({ unit, customer }: Portal, id: string): Subscription {
  const found = unit.find('subscription', id)
  if (found.customer !== customer.id) throw resourceMissing('subscription', id)
  return found
}

/** Whether the portal offers to charge the default card for an invoice. */
export const isPayable = ({ customer, configuration }: Portal, invoice: Summary<Invoice>): boolean =>
  configuration.features.invoice_history.enabled &&
  isOpen(invoice) &&
  invoice.collection_method === 'charge_automatically' &&
  invoice.payment_intent !== null &&
  customer.default_payment_method !== null

/** @throws ApiError parameter_invalid for what the configuration does not offer */
export function checkOffered(isOffered: boolean): void {
  if (!isOffered) throw parameterInvalid(null, 'The portal does not offer this')
}

/** Returns the token of a form, or of an address to which an authentication returns, for this session alone. */
export const tokenOf = ({ view, session }: Portal, [name, ...state]: FormState): string =>
  formToken(view, [name, session.id, ...state])

/** Returns the state for which a form about a subscription is made. Its planned notices are not shown, and end when they are sent. */
export const subscriptionState = (subscription: Subscription): Subscription => ({
  ...subscription,
  notices: null,
})

/** Returns the state for which the form that pays an invoice is made. */
export const payState = ({ customer }: Portal, invoice: Summary<Invoice>): FormState => {
  const { id, status, amount_due, amount_paid, currency, attempt_count, payment_intent } = invoice
  return [
    'pay',
    id,
    status,
    amount_due,
    amount_paid,
    currency,
    attempt_count,
    payment_intent,
    customer.default_payment_method,
  ]
}

/** @throws Refusal when the state of a form has changed since the form was shown */
export function checkToken(portal: Portal, form: URLSearchParams, state: FormState): void {
  if (!hasToken(form, tokenOf(portal, state)))
    throw new Refusal(
      'This form was sent before, or was made for an earlier state. It changed nothing. The page now shows the current state.',
    )
}

/** Returns why a form was refused, in a sentence for the customer; undefined for an error of another kind. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof Refusal || (error instanceof ApiError && error.status < 500) ? error.message : undefined
