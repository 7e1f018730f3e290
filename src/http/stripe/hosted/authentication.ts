import { type CheckoutSession, checkoutFactsOf, successUrlOf } from '../../../core/checkout-session.ts'
import { parameterInvalid, resourceMissing } from '../../../core/errors.ts'
import { kindOfId, type Objects } from '../../../core/kinds.ts'
import { intentFactsOf } from '../../../core/payment-intent.ts'
import { setupFactsOf } from '../../../core/setup-intent.ts'
import type { CurrentView } from '../../../engine/history/view.ts'
import { settlePayment, settleSetup } from '../../../engine/resources/checkout-settlement.ts'
import { checkoutPath } from '../../checkout-session.ts'
import { clientSecretOf } from '../../client-secret.ts'
import { refuseClosed } from '../../read-turn.ts'
import { checkPageKey } from '../present/hosted-pages.ts'
import { amountText } from './amount.ts'
import { authenticationPage } from './authentication-page.tsx'
import { type FormState, formToken, hasToken } from './form-token.tsx'
import { leavingPage, messagePage, type PageOf, redirectTo } from './frame.tsx'
import { methodName } from './method-name.ts'
import { currentObjects, type HostedRequest, pageOf, runCommand, viewOf } from './serve.ts'

type Intent =
  | { readonly kind: 'payment_intent'; readonly object: Objects['payment_intent'] }
  | { readonly kind: 'setup_intent'; readonly object: Objects['setup_intent'] }

/**
 * Serves the page on which a customer authenticates, and its form. Its address cannot be guessed.
 * See docs/contract/payments.md#authentication-page.
 */
export async function serveAuthentication(request: HostedRequest): Promise<Response> {
  const { services, param, form } = request
  const merchant = request.merchant()
  const view = await currentObjects(request, merchant)
  const intent = intentOf(view, param('id'), param('key'))
  const of = pageOf(merchant, customerOf(view, intent)?.test_clock ?? null)
  if (form === null || !isWaiting(intent)) return show(view, of, intent)
  const outcome = outcomeIn(form)
  const { id } = intent.object
  const submitted = checkoutOf(view, intent)
  const done = await runCommand(request, merchant, (unit) => {
    // Stripe.js tells the application that the authentication failed if its window was closed before.
    refuseClosed(request.env)
    // Another command may have changed the intent since it was read.
    const latest = { ...intent, object: unit.need(intent.kind, id) } as Intent
    if (!isWaiting(latest)) return latest
    const current = viewOf(services, merchant)
    if (!hasToken(form, formToken(current, stateOf(current, latest)))) return null
    return latest.kind === 'payment_intent'
      ? { ...latest, object: settlePayment(unit, id, outcome) }
      : { ...latest, object: settleSetup(unit, id, outcome) }
  })
  const latest = viewOf(services, merchant)
  if (done === null)
    return show(latest, of, intentOf(latest, param('id'), param('key')), CHANGED[intent.kind])
  const checkout = submitted && latest.get('checkout_session', submitted.id)
  if (checkout && !checkoutFactsOf(checkout).isComplete) return redirectTo(checkoutPath(checkout.id))
  return checkout ? leavingPage(of, successUrlOf(checkout)) : finish(latest, of, done)
}

const CHANGED = {
  payment_intent: 'The payment has changed. Nothing was charged. Check the details before you continue.',
  setup_intent: 'The card has changed. Nothing was saved. Check the details before you continue.',
}

/** Finds the intent of an address. @throws ApiError resource_missing also for a wrong key */
function intentOf(view: CurrentView, id: string, key: string): Intent {
  checkPageKey(view, { page: 'authentication', id, key })
  const kind = kindOfId(id)
  if (kind === 'payment_intent') {
    const object = view.get(kind, id)
    if (object) return { kind, object }
  }
  if (kind === 'setup_intent') {
    const object = view.get(kind, id)
    if (object) return { kind, object }
  }
  throw resourceMissing('authentication', id)
}

const isWaiting = ({ kind, object }: Intent): boolean =>
  kind === 'payment_intent' ? intentFactsOf(object).awaitsCustomer : setupFactsOf(object).awaitsCustomer

const isDone = ({ kind, object }: Intent): boolean =>
  kind === 'payment_intent' ? intentFactsOf(object).isPaid : setupFactsOf(object).isSetUp

const returnUrlOf = ({ object }: Intent): string | null => object.options?.return_url ?? null

const customerOf = (view: CurrentView, { object }: Intent) =>
  object.customer === null ? undefined : view.get('customer', object.customer)

/** Returns the address that the browser opens after a success; null for none. */
function nextUrlOf(view: CurrentView, intent: Intent): string | null {
  const checkout = checkoutOf(view, intent)
  return checkout ? successUrlOf(checkout) : returnUrlOf(intent)
}

/**
 * Returns what the form depends on: what the page shows, the customer and card, and for which use the card is saved. The merchant can
 * change them while the intent waits.
 */
function stateOf(view: CurrentView, intent: Intent): FormState {
  const { id, customer, payment_method } = intent.object
  const done =
    intent.kind === 'payment_intent'
      ? [intent.object.amount, intent.object.currency, intent.object.options?.setup_future_usage ?? null]
      : [intent.object.usage]
  const next = nextUrlOf(view, intent)
  return ['authenticate', id, done, customer, payment_method, next && new URL(next).origin]
}

/** Shows the page of an intent, or that its authentication has ended. */
function show(view: CurrentView, of: PageOf, intent: Intent, alert: string | null = null): Response {
  if (!isWaiting(intent)) return ended(view, of, intent)
  const { object } = intent
  const method =
    object.payment_method === null ? undefined : view.get('payment_method', object.payment_method)
  return authenticationPage({
    of,
    token: formToken(view, stateOf(view, intent)),
    alert,
    amount:
      intent.kind === 'payment_intent' ? amountText(intent.object.amount, intent.object.currency) : null,
    card: method ? methodName(method) : null,
    return_url: nextUrlOf(view, intent),
  })
}

function outcomeIn(form: URLSearchParams): 'succeed' | 'fail' {
  const outcome = form.get('outcome')
  if (outcome === 'succeed' || outcome === 'fail') return outcome
  throw parameterInvalid('outcome', 'expected succeed or fail')
}

/** Returns the Checkout session that created an intent; undefined for none. */
const checkoutOf = (view: CurrentView, { kind, object }: Intent): CheckoutSession | undefined =>
  view.list('checkout_session', [{ field: kind, is: object.id }], { limit: 1 })[0]

/** Redirects the browser to the return_url, or shows the result if there is none. */
function finish(view: CurrentView, of: PageOf, intent: Intent): Response {
  const return_url = returnUrlOf(intent)
  if (return_url !== null) return leavingPage(of, withResult(view, intent, return_url))
  return isDone(intent)
    ? messagePage({ of, title: 'Authentication completed', text: 'You can close this page.' })
    : messagePage({ of, title: 'Authentication failed', text: 'Go back to the shop and try another card.' })
}

function ended(view: CurrentView, of: PageOf, intent: Intent): Response {
  const checkout = checkoutOf(view, intent)
  const return_url = returnUrlOf(intent)
  if (checkout) return redirectTo(checkoutPath(checkout.id))
  return messagePage({
    of,
    title: 'The authentication has ended',
    text: 'It cannot be completed again.',
    link:
      return_url === null
        ? null
        : { href: withResult(view, intent, return_url), text: `Return to ${new URL(return_url).origin}` },
  })
}

/** Appends the parameters that Stripe appends to a return_url. */
function withResult(view: CurrentView, intent: Intent, return_url: string): string {
  const { id } = intent.object
  const url = new URL(return_url)
  url.searchParams.append(intent.kind, id)
  url.searchParams.append(`${intent.kind}_client_secret`, clientSecretOf(view.ids, id))
  url.searchParams.append('redirect_status', isDone(intent) ? 'succeeded' : 'failed')
  return url.href
}
