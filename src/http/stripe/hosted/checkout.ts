import { type CheckoutSession, checkoutFactsOf, successUrlOf } from '../../../core/checkout-session.ts'
import { ApiError, resourceMissing } from '../../../core/errors.ts'
import { recoverCheckoutSession } from '../../../engine/resources/checkout-session.ts'
import { previewCheckout } from '../../../engine/resources/checkout-submission.ts'
import { checkoutPath } from '../../checkout-session.ts'
import { FILL, filledCardForm } from './card-entry.ts'
import { contentOf } from './checkout-content.ts'
import { endedCheckoutPage } from './checkout-ended-page.tsx'
import { type CheckoutContent, type CheckoutState, checkoutPage } from './checkout-page.tsx'
import { keptState, openedState } from './checkout-state.ts'
import { answerForm, type OpenPage } from './checkout-submit.ts'
import { leavingPage, redirectTo } from './frame.tsx'
import { currentObjects, type HostedRequest, pageOf, runCommand, viewOf } from './serve.ts'

/**
 * Serves the page of a Checkout session, and its form. The id of the session alone finds it, and cannot be guessed.
 * See docs/contract/checkout-sessions.md#page.
 */
export async function serveCheckout(request: HostedRequest): Promise<Response> {
  const { services, param, form } = request
  const id = param('id')
  const merchant = request.merchant()
  const session = (await currentObjects(request, merchant)).get('checkout_session', id)
  if (!session) throw resourceMissing('checkout session', id)
  const page: OpenPage = {
    of: () => pageOf(merchant, session.test_clock),
    session,
    run: (work) => runCommand(request, merchant, work),
    view: () => viewOf(services, merchant),
  }
  const { isOpen } = checkoutFactsOf(session)
  if (!isOpen) return form === null ? endedCheckoutPage(page.of(), session) : answerEnded(page)
  if (form === null) return show(page, openedState(page.view(), session))
  const filled = form.has(FILL) ? filledCardForm(form, page.of()) : undefined
  if (filled) return show(page, { ...keptState(form, session), card: filled, method: 'card' })
  const answer = await answerForm(page, form)
  if ('leavesTo' in answer) return leavingPage(page.of(), answer.leavesTo)
  return 'redirectsTo' in answer ? redirectTo(answer.redirectsTo) : show(page, answer.state)
}

/** Answers a form of a session that is not open. If it was submitted twice, the browser goes to the same address again. */
async function answerEnded({ of, session, run }: OpenPage): Promise<Response> {
  if (checkoutFactsOf(session).isComplete) return leavingPage(of(), successUrlOf(session))
  const recovered = await run((unit) => recoverCheckoutSession(unit, session.id))
  return redirectTo(checkoutPath(recovered.id))
}

/** Shows the page of a session with its current totals. */
async function show(page: OpenPage, state: CheckoutState): Promise<Response> {
  const { of, view } = page
  const { id } = page.session
  const session = view().get('checkout_session', id)
  if (!session) throw resourceMissing('checkout session', id)
  if (!checkoutFactsOf(session).isOpen) return endedCheckoutPage(of(), session)
  const { content, alert } = await currentContent(page, session)
  return checkoutPage(content, { ...state, ...(alert !== undefined && { alert }) })
}

/** Describes a session with its current totals. If it can no longer be completed, returns its previous totals and the reason. */
async function currentContent(
  { of, run, view }: OpenPage,
  session: CheckoutSession,
): Promise<{ content: CheckoutContent; alert?: string }> {
  try {
    return { content: await run((unit) => contentOf(view(), of(), previewCheckout(unit, session.id, {}))) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error
    const totals = { session, due: session.amount_total ?? 0 }
    return { content: contentOf(view(), of(), totals), alert: error.message }
  }
}
