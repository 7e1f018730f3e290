import { type CheckoutSession, checkoutFactsOf, successUrlOf } from '../../../core/checkout-session.ts'
import { NO_BILLING_DETAILS } from '../../../core/contact.ts'
import { ApiError } from '../../../core/errors.ts'
import type { CurrentView } from '../../../engine/history/view.ts'
import type { UnitOfWork } from '../../../engine/machine/unit.ts'
import type { CheckoutResult } from '../../../engine/resources/checkout-payment.ts'
import {
  changeCheckout,
  completeCheckout,
  previewCheckout,
} from '../../../engine/resources/checkout-submission.ts'
import { createPaymentMethod } from '../../../engine/resources/payment-method.ts'
import { sentence } from '../../html/sentence.ts'
import { authenticationPath } from '../present/hosted-pages.ts'
import { declinedCardForm, hasCardNumber } from './card-entry.ts'
import { contentOf } from './checkout-content.ts'
import { actionIn, changesIn, checkChoices } from './checkout-entry.ts'
import { readSubmission } from './checkout-fields.ts'
import type { CheckoutState } from './checkout-page.tsx'
import { keptState } from './checkout-state.ts'
import { hasToken } from './form-token.tsx'
import type { PageOf } from './frame.tsx'

/** The page of one session. */
export type OpenPage = {
  /** Returns what every page shows. Its time within a command is that at which the command runs, also if it waited for the clock. */
  readonly of: () => PageOf
  /** The session when the request arrived. */
  readonly session: CheckoutSession
  /** Runs a command of the merchant. */
  readonly run: <T>(work: (unit: UnitOfWork) => T) => Promise<T>
  /** Returns the current objects of the merchant. */
  readonly view: () => CurrentView
}

/** The answer to a form: an address on the merchant's site, a page of paytwin, or the same page with a state. */
export type Answer =
  | { readonly leavesTo: string }
  | { readonly redirectsTo: string }
  | { readonly state: CheckoutState }

const CHANGED = 'The purchase has changed. Check it before you continue.'

/**
 * Answers the form of an open session. Changes are applied and shown first, so a customer buys only what the page has shown, for the
 * amounts that it has shown.
 */
export async function answerForm(page: OpenPage, form: URLSearchParams): Promise<Answer> {
  const kept = keptState(form, page.session)
  try {
    checkChoices(form, page.session)
    const changed = await applyChanges(page, form)
    if (changed) return { state: { ...kept, ...changed } }
    if (!['enter', 'submit'].includes(actionIn(form))) return { state: kept }
    return await page.run((unit) => submit(page, unit, form, kept))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { state: { ...kept, alert: error.message } }
  }
}

/** Applies changed quantities and the promotion code. @returns the state of the page after them; undefined if nothing changed */
async function applyChanges(
  { run, session: { id }, session }: OpenPage,
  form: URLSearchParams,
): Promise<Partial<CheckoutState> | undefined> {
  const { quantities, quantityErrors, promotion_code } = changesIn(form, session)
  if (Object.keys(quantityErrors).length > 0) return { quantityErrors }
  const hasQuantities = Object.keys(quantities).length > 0
  if (hasQuantities) await run((unit) => changeCheckout(unit, id, { quantities }))
  if (promotion_code === '') return { promotion: { code: '', error: 'Enter a promotion code.' } }
  if (promotion_code !== undefined) {
    try {
      await run((unit) => changeCheckout(unit, id, { promotion_code }))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 || promotion_code === null) throw error
      const code = hasCardNumber(promotion_code) ? '' : promotion_code
      return { promotion: { code, error: sentence(error.message) } }
    }
  }
  if (!hasQuantities && promotion_code === undefined) return undefined
  const again = form.get('number') ? ' Enter your card again.' : ''
  return { notice: (actionIn(form) === 'submit' ? CHANGED : 'The total is updated.') + again }
}

/** Checks the form, and completes the session. */
function submit(
  { of, session: { id }, view }: OpenPage,
  unit: UnitOfWork,
  form: URLSearchParams,
  kept: CheckoutState,
): Answer {
  const latest = unit.need('checkout_session', id)
  // The same form, or that of another tab, may have been submitted a moment before.
  if (checkoutFactsOf(latest).isComplete) return { leavesTo: successUrlOf(latest) }
  const totals = previewCheckout(unit, id, {})
  const at = of()
  if (!hasToken(form, contentOf(view(), at, totals).token)) return { state: { ...kept, notice: CHANGED } }
  const read = readSubmission(form, { now: at.now, view: view(), totals })
  if ('wrong' in read) return { state: { ...kept, ...read.wrong } }
  const { submission, paidLater } = read
  const billing_details = { ...NO_BILLING_DETAILS, email: submission.email ?? null }
  const method = paidLater && createPaymentMethod(unit, { type: paidLater, billing_details })
  const done = completeCheckout(unit, id, { ...submission, ...(method && { payment_method: method.id }) })
  return answerOf(view(), done, form, kept)
}

function answerOf(
  view: CurrentView,
  done: CheckoutResult,
  form: URLSearchParams,
  kept: CheckoutState,
): Answer {
  if (done.result === 'complete') return { leavesTo: successUrlOf(done.session) }
  if (done.result === 'requires_action')
    return { redirectsTo: authenticationPath(view, done.intent.object.id) }
  return { state: { ...kept, card: declinedCardForm(form), alert: done.outcome.message } }
}
