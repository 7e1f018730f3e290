/** @jsxImportSource hono/jsx */
import { cardNamed } from '../../../core/test-card.ts'
import { type CardField, type CardFormState, FILL, grouped } from './card-entry.ts'
import { Field } from './field.tsx'

/**
 * The listed test cards, with their effects. No text contains the name of a button of a page, so that tests find the button by
 * its name.
 */
const LISTED: readonly (readonly [string, string])[] = [
  ['pm_card_visa', 'Visa, succeeds'],
  ['pm_card_mastercard', 'Mastercard, succeeds'],
  ['pm_card_authenticationRequired', 'Authenticates once'],
  ['pm_card_authenticationRequired_3184', 'Authenticates every time'],
  ['pm_card_chargeDeclined', 'Declined'],
  ['pm_card_chargeDeclinedInsufficientFunds', 'Insufficient funds'],
  ['pm_card_chargeDeclinedExpiredCard', 'Expired'],
  ['pm_card_chargeDeclinedIncorrectCvc', 'Wrong security code'],
  ['pm_card_chargeCustomerFail', 'Can be saved, later declined'],
]

/**
 * Shows the fields of a card, as part of a form of the page. The form needs `method="post"` and `novalidate`.
 * @param props.asksEmail - whether to show the field of the email address
 */
export function CardFields({
  state: { values, errors, focus },
  asksEmail = false,
}: {
  state: CardFormState
  asksEmail?: boolean
}) {
  const common = (field: CardField) => ({
    name: field,
    value: values[field],
    error: errors[field],
    hasFocus: field === focus,
    isRequired: true,
  })
  return (
    <>
      {asksEmail ? <EmailField {...common('email')} /> : null}
      <Field
        {...common('number')}
        label="Card number"
        inputmode="numeric"
        placeholder="1234 1234 1234 1234"
        maxlength={30}
      />
      <div class="pair">
        <Field
          {...common('expiration')}
          label="Expiration"
          inputmode="numeric"
          placeholder="MM / YY"
          maxlength={9}
        />
        <Field {...common('cvc')} label="CVC" inputmode="numeric" placeholder="CVC" maxlength={4} />
      </div>
      <Field {...common('name')} label="Name on card" autocomplete="cc-name" />
    </>
  )
}

/** The field of the email address, also on a page that needs no card. */
export const EmailField = (
  given: Readonly<{ value: string; error?: string | undefined; hasFocus?: boolean }>,
) => (
  <Field
    {...given}
    name="email"
    label="Email"
    type="email"
    isRequired
    autocomplete="email"
    placeholder="you@example.com"
  />
)

/**
 * Lists test cards, each with a button that submits the form to fill the card in. The page then shows `filledCardForm`. The
 * list follows the form's own button, because Enter presses the first button of a form.
 */
export const TestCards = ({ form }: { form: string }) => (
  <section class="test-cards" aria-labelledby="test-cards">
    <h2 id="test-cards">Test cards</h2>
    <p class="faint">Press one to fill it in. No other card is accepted here, and no money moves.</p>
    <ul>
      {LISTED.map(([id, text]) => (
        <li>
          <button type="submit" form={form} name={FILL} value={id}>
            <span class="digits">{grouped(cardNamed(id)?.number ?? '')}</span> <span>{text}</span>
          </button>
        </li>
      ))}
    </ul>
  </section>
)
