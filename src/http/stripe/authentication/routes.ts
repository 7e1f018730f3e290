import { timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { parameterInvalid, resourceMissing } from '../../../core/errors.ts'
import { kindOfId, type Objects } from '../../../core/kinds.ts'
import { formatAmount } from '../../../core/money.ts'
import { intentFactsOf } from '../../../core/payment-intent.ts'
import { methodText } from '../../../core/payment-method.ts'
import { setupFactsOf } from '../../../core/setup-intent.ts'
import { type CurrentView, currentView } from '../../../engine/history/view.ts'
import { digest } from '../../../engine/machine/digest.ts'
import { requestId } from '../../../engine/machine/ids.ts'
import type { MerchantState } from '../../../engine/machine/merchant-state.ts'
import { findMerchant } from '../../../engine/resources/merchant.ts'
import { settlePaymentIntent } from '../../../engine/resources/payment-intent.ts'
import { settleSetupIntent } from '../../../engine/resources/setup-intent.ts'
import { checkHost } from '../../admin/guard.ts'
import type { AdminServices } from '../../admin/services.ts'
import { clientSecretOf } from '../../client-secret.ts'
import { readBody } from '../../request.ts'
import { knownError } from '../../respond.ts'
import { authenticationKey } from '../present/authentication.ts'
import { authenticationPage, endedPage, refusedPage, returnPage } from './page.tsx'

/** The form has one field. */
const MAX_FORM_BYTES = 1_000

type Intent =
  | { readonly kind: 'payment_intent'; readonly object: Objects['payment_intent'] }
  | { readonly kind: 'setup_intent'; readonly object: Objects['setup_intent'] }

/**
 * Serves the page on which a customer authenticates, and its form. Its address cannot be guessed.
 * See docs/contract/payments.md#authentication-page.
 */
export async function serveAuthentication(c: Context, services: AdminServices): Promise<Response> {
  try {
    checkHost({ host: c.req.header('host'), origin: c.req.header('origin') }, services.allowedHosts)
    const merchant = findMerchant(services.engine, c.req.param('merchant') ?? '', 'id')
    await services.engine.runDueJobs(merchant)
    const view = viewOf(services, merchant)
    const intent = intentOf(view, c.req.param('id') ?? '', c.req.param('key') ?? '')
    if (!isWaiting(intent)) return ended(view, intent)
    if (c.req.method === 'GET') return show(view, intent)
    const outcome = await readOutcome(c)
    const { id } = intent.object
    const context = { id: requestId(), idempotency_key: null }
    const done = await services.engine.command(merchant, context, (unit) => {
      // The intent may have changed while the body was read.
      const latest = { ...intent, object: unit.need(intent.kind, id) } as Intent
      if (!isWaiting(latest)) return latest
      return latest.kind === 'payment_intent'
        ? { ...latest, object: settlePaymentIntent(unit, id, outcome) }
        : { ...latest, object: settleSetupIntent(unit, id, outcome) }
    })
    return finish(viewOf(services, merchant), done, returnUrlOf(intent))
  } catch (error) {
    const { status, message } = knownError(services, error, `${c.req.method} ${c.req.path}`)
    return refusedPage(status, message)
  }
}

const viewOf = ({ engine }: AdminServices, { settings }: MerchantState): CurrentView =>
  currentView({ store: engine.store, ids: engine.ids, url: engine.url, merchant: settings })

/** Finds the intent of an address. @throws ApiError resource_missing also for a wrong key */
function intentOf(view: CurrentView, id: string, key: string): Intent {
  const kind = kindOfId(id)
  const isRight = timingSafeEqual(digest(key), digest(authenticationKey(view, id)))
  if (isRight && kind === 'payment_intent') {
    const object = view.get(kind, id)
    if (object) return { kind, object }
  }
  if (isRight && kind === 'setup_intent') {
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

function show(view: CurrentView, intent: Intent): Response {
  const { object } = intent
  const method =
    object.payment_method === null ? undefined : view.get('payment_method', object.payment_method)
  return authenticationPage({
    merchant: view.merchant.name,
    amount:
      intent.kind === 'payment_intent' ? formatAmount(intent.object.amount, intent.object.currency) : null,
    card: method ? methodText(method) : 'card',
    return_url: returnUrlOf(intent),
  })
}

async function readOutcome(c: Context): Promise<'succeed' | 'fail'> {
  // Another origin is already refused. Without an Origin, the request is not from a browser that shows the page.
  if (c.req.header('origin') === undefined)
    throw parameterInvalid('Origin', 'The decision must come from the page')
  const outcome = new URLSearchParams(await readBody(c, MAX_FORM_BYTES)).get('outcome')
  if (outcome === 'succeed' || outcome === 'fail') return outcome
  throw parameterInvalid('outcome', 'expected succeed or fail')
}

/** Returns the browser, or shows the result where there is no address to return to. */
function finish(view: CurrentView, intent: Intent, return_url: string | null): Response {
  if (return_url !== null) return returnPage(withResult(view, intent, return_url))
  return isDone(intent)
    ? endedPage('Authentication completed', 'You can close this page.', null)
    : endedPage('Authentication failed', 'Go back to the shop and try another card.', null)
}

const ended = (view: CurrentView, intent: Intent): Response => {
  const return_url = returnUrlOf(intent)
  const link = return_url === null ? null : withResult(view, intent, return_url)
  return endedPage('The authentication has ended', 'It cannot be completed again.', link)
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
