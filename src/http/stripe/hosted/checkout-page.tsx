/** @jsxImportSource hono/jsx */
import type { PaymentMethodType } from '../../../core/payment-method.ts'
import type { CardFormState } from './card-entry.ts'
import { CardFields, EmailField, TestCards } from './card-form.tsx'
import { ACTION, PAY_WITH, TERMS } from './checkout-entry.ts'
import { type CheckoutSummary, Summary } from './checkout-summary.tsx'
import type { ContactAsked, ContactState } from './contact-entry.ts'
import { AddressFields, PhoneField } from './contact-fields.tsx'
import { FieldError } from './field.tsx'
import { Token } from './form-token.tsx'
import { Alert, hostedPage, Notice, type PageOf } from './frame.tsx'
import { METHOD_NAMES } from './method-name.ts'

/** The content of the page of an open session. */
export type CheckoutContent = {
  readonly of: PageOf
  /** The path of the page, to which its form is sent. */
  readonly path: string
  readonly summary: CheckoutSummary
  /** The email address that is known and cannot be changed; null if the page asks for it. */
  readonly knownEmail: string | null
  /** Whether it asks for a payment method. */
  readonly asksMethod: boolean
  /** The types of payment methods to choose from. */
  readonly methods: readonly PaymentMethodType[]
  readonly asked: ContactAsked
  /** The text beside the box of the terms of service; null if they need no consent. */
  readonly terms: string | null
  /** A text of the merchant above the button. */
  readonly submitText: string | null
  /** The name of the button. */
  readonly button: string
  /** The token of its form. */
  readonly token: string
}

/** The customer's entries, and their errors. */
export type CheckoutState = {
  readonly card: CardFormState
  readonly contact: ContactState
  readonly method: PaymentMethodType
  readonly acceptsTerms: boolean
  readonly termsError?: string
  /** A code that could not be applied, and the reason. */
  readonly promotion?: { readonly code: string; readonly error: string }
  /** The errors of quantities, by the ids of their lines. */
  readonly quantityErrors?: Readonly<Record<string, string>>
  readonly alert?: string
  readonly notice?: string
}

const FORM = 'checkout'

/**
 * Makes the page of an open session. It has one form, so that no entry is lost when another part of the page is submitted.
 * Enter presses the first button of the form, which is hidden: its effect depends on the fields that changed.
 */
export function checkoutPage(content: CheckoutContent, state: CheckoutState): Response {
  const { of, path, summary, token } = content
  return hostedPage({
    of,
    title: 'Checkout',
    width: 'wide',
    leadsAway: true,
    content: (
      <form id={FORM} class="columns" method="post" action={path} novalidate>
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: the negative tabindex keeps the focus off it */}
        <button type="submit" class="unseen" name={ACTION} value="enter" tabindex={-1} aria-hidden="true">
          Continue
        </button>
        <Token value={token} />
        <Summary summary={summary} promotion={state.promotion} quantityErrors={state.quantityErrors} />
        <PayCard {...content} state={state} />
      </form>
    ),
  })
}

function PayCard(given: CheckoutContent & { state: CheckoutState }) {
  const { state, knownEmail, asksMethod, methods, asked, terms, submitText, button } = given
  const { card, contact } = state
  // The first wrong field has the focus: the phone number is between the email address and the card.
  const isPhoneFirst = contact.errors.phone !== undefined && card.errors.email === undefined
  const focused = isPhoneFirst ? { ...card, focus: undefined } : card
  const email = { value: card.values.email, error: card.errors.email, hasFocus: card.focus === 'email' }
  return (
    <section class="card" aria-label="Your details">
      {state.alert === undefined ? null : <Alert>{state.alert}</Alert>}
      {state.notice === undefined ? null : <Notice>{state.notice}</Notice>}
      {knownEmail === null ? (
        <EmailField {...email} />
      ) : (
        <p class="known">
          <span>Email</span> <b>{knownEmail}</b>
        </p>
      )}
      <PhoneField state={contact} asked={asked} hasFocus={isPhoneFirst} />
      {asksMethod ? <Method methods={methods} chosen={state.method} card={focused} /> : null}
      <AddressFields state={contact} asked={asked} hasFocus={!isPhoneFirst && card.focus === undefined} />
      {terms === null ? null : <Terms text={terms} state={state} />}
      {submitText === null ? null : <p class="faint">{submitText}</p>}
      <button type="submit" class="primary" name={ACTION} value="submit">
        {button}
      </button>
      {asksMethod && methods.includes('card') ? <TestCards form={FORM} /> : null}
    </section>
  )
}

/** Shows the card, or the choice between the types of payment methods. The style hides the card while another one is chosen. */
function Method({
  methods,
  chosen,
  card,
}: Pick<CheckoutContent, 'methods'> & { chosen: PaymentMethodType; card: CardFormState }) {
  return (
    <fieldset class="group method">
      <legend>{methods.length === 1 && chosen === 'card' ? 'Card' : 'Payment method'}</legend>
      {methods.length === 1 && chosen === 'card'
        ? null
        : methods.map((type) => (
            <label class="check">
              <input type="radio" name={PAY_WITH} value={type} checked={type === chosen} />
              <span>
                {METHOD_NAMES[type]}
                {type === 'card' ? null : <small> is paid later, after this page</small>}
              </span>
            </label>
          ))}
      {methods.includes('card') ? (
        <div class="of-card">
          <CardFields state={card} />
        </div>
      ) : null}
    </fieldset>
  )
}

const Terms = ({ text, state: { acceptsTerms, termsError } }: { text: string; state: CheckoutState }) => (
  <div class="field">
    <label class="check">
      <input
        type="checkbox"
        name={TERMS}
        value="accepted"
        checked={acceptsTerms}
        required
        aria-invalid={termsError === undefined ? undefined : 'true'}
        aria-describedby={termsError === undefined ? undefined : 'terms-error'}
      />
      <span>{text}</span>
    </label>
    <FieldError name="terms" error={termsError} />
  </div>
)
