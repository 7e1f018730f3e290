import type { PaymentMethodType } from '../../../core/payment-method.ts'
import type { View } from '../../../engine/history/view.ts'
import type { CheckoutSubmission } from '../../../engine/resources/checkout-submission.ts'
import type { Totals } from '../../../engine/resources/checkout-totals.ts'
import { emailError, keptCardForm, readCardForm } from './card-entry.ts'
import { asksMethod, knownEmailOf } from './checkout-content.ts'
import { methodTypeIn, TERMS } from './checkout-entry.ts'
import type { CheckoutState } from './checkout-page.tsx'
import { askedOf } from './checkout-state.ts'
import { readContact } from './contact-entry.ts'

type Read =
  | {
      readonly submission: CheckoutSubmission
      /** A type of payment method without a card, whose payment succeeds or fails later; null for a card, or for none. */
      readonly paidLater: PaymentMethodType | null
    }
  | { readonly wrong: Partial<CheckoutState> }

/** Reads the fields that a page with these totals has. @returns the submission, or the errors */
export function readSubmission(
  form: URLSearchParams,
  { now, view, totals }: { readonly now: number; readonly view: View; readonly totals: Totals },
): Read {
  const { session } = totals
  const asksEmail = knownEmailOf(view, session) === null
  const method = asksMethod(totals) ? methodTypeIn(form, session) : null
  const card = method === 'card' ? readCardForm(form, { now, asksEmail }) : undefined
  const email = (form.get('email') ?? '').trim()
  const emailWrong = asksEmail ? emailError(email) : undefined
  const errors = card ? card.errors : emailWrong === undefined ? undefined : { email: emailWrong }
  const contact = readContact(form, askedOf(session))
  const acceptsTerms = form.has(TERMS)
  const lacksTerms = session.settings.terms_of_service === 'required' && !acceptsTerms
  if (errors || lacksTerms || Object.keys(contact.state.errors).length > 0) {
    return {
      wrong: {
        card: keptCardForm(form, errors),
        contact: contact.state,
        alert: 'Something is missing or wrong. Check the marked fields.',
        ...(lacksTerms && { termsError: 'Agree to the terms to continue.' }),
      },
    }
  }
  const { phone, address } = contact.entry
  return {
    submission: {
      ...(asksEmail && { email }),
      ...(card?.entry && { card: card.entry.card, name: card.entry.billing_details.name }),
      ...(phone !== null && { phone }),
      ...(address && { address }),
      accepts_terms: acceptsTerms,
    },
    paidLater: method === 'card' ? null : method,
  }
}
