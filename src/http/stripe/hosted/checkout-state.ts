import { type CheckoutSession, checkoutFactsOf, needsAddress } from '../../../core/checkout-session.ts'
import type { CurrentView } from '../../../engine/history/view.ts'
import { emptyCardForm, keptCardForm } from './card-entry.ts'
import { methodTypeIn, TERMS } from './checkout-entry.ts'
import type { CheckoutState } from './checkout-page.tsx'
import { type ContactAsked, knownContact, readContact } from './contact-entry.ts'

/** Returns which parts of the customer's contact the page asks for. */
export const askedOf = ({ settings }: CheckoutSession): ContactAsked => ({
  phone: settings.phone_number_collection,
  address: needsAddress(settings),
})

/** Returns the state of a page that is opened: the known data of the customer, and why the last attempt failed. */
export function openedState(view: CurrentView, session: CheckoutSession): CheckoutState {
  const { customer_details: entered, customer, settings } = session
  const given = customer === null ? undefined : view.get('customer', customer)
  const known = entered ?? {
    address: given?.contact?.address ?? null,
    email: given?.email ?? null,
    name: given?.name ?? null,
    phone: given?.contact?.phone ?? null,
  }
  const alert = failureOf(view, session)
  return {
    card: emptyCardForm(known),
    contact: knownContact(known.phone, known.address),
    method: settings.payment_method_types[0] ?? 'card',
    acceptsTerms: session.accepted_terms,
    ...(alert !== undefined && { alert }),
  }
}

/** Returns why the last attempt to pay or to save a card failed; undefined if it did not. */
function failureOf(view: CurrentView, session: CheckoutSession): string | undefined {
  if (!checkoutFactsOf(session).isOpen) return undefined
  const payment =
    session.payment_intent === null ? undefined : view.get('payment_intent', session.payment_intent)
  const setup = session.setup_intent === null ? undefined : view.get('setup_intent', session.setup_intent)
  const error = payment?.last_payment_error ?? setup?.last_setup_error
  return error?.message
}

/** Returns the state of a page whose form is shown again. It keeps every entry but the number and the CVC of a card. */
export const keptState = (form: URLSearchParams, session: CheckoutSession): CheckoutState => ({
  card: keptCardForm(form),
  contact: { ...readContact(form, askedOf(session)).state, errors: {} },
  method: methodTypeIn(form, session),
  acceptsTerms: form.has(TERMS),
})
