import { missingElement } from './missing.ts'
import type { StripeError } from './types.ts'

/** A field of a form. Tests and screen readers find it by its label. */
type Field = {
  readonly label: string
  readonly autocomplete: AutoFill
  readonly placeholder: string
  readonly inputMode: 'numeric' | 'email'
  /** Returns the error for a text; undefined if it is valid. */
  readonly errorOf: (text: string) => StripeError | undefined
}

const invalid = (code: string, message: string): StripeError => ({ type: 'validation_error', code, message })

/** The fields that forms have. The texts of errors are those of Stripe.js. */
export const FIELDS = {
  number: {
    label: 'Card number',
    autocomplete: 'cc-number',
    placeholder: '4242 4242 4242 4242',
    inputMode: 'numeric',
    errorOf: (text) => {
      const digits = text.replaceAll(/[\s-]/g, '')
      if (digits.length < 13) return invalid('incomplete_number', 'Your card number is incomplete.')
      return isLuhn(digits) ? undefined : invalid('invalid_number', 'Your card number is invalid.')
    },
  },
  expiry: {
    label: 'Expiration',
    autocomplete: 'cc-exp',
    placeholder: 'MM / YY',
    inputMode: 'numeric',
    errorOf: (text) =>
      expiryOf(text) === undefined
        ? invalid('incomplete_expiry', "Your card's expiration date is incomplete.")
        : undefined,
  },
  cvc: {
    label: 'CVC',
    autocomplete: 'cc-csc',
    placeholder: '123',
    inputMode: 'numeric',
    errorOf: (text) =>
      /^\d{3,4}$/.test(text.trim())
        ? undefined
        : invalid('incomplete_cvc', "Your card's security code is incomplete."),
  },
  email: {
    label: 'Email',
    autocomplete: 'email',
    placeholder: 'you@example.com',
    inputMode: 'email',
    errorOf: (text) =>
      /^\S+@\S+$/.test(text.trim())
        ? undefined
        : invalid('incomplete_email', 'Your email address is incomplete.'),
  },
} as const satisfies Readonly<Record<string, Field>>
export type FieldName = keyof typeof FIELDS

const CARD = ['number', 'expiry', 'cvc'] as const

/** The fields of each type of element. There are no wallets, so the element for wallets is empty. */
const ELEMENTS: Readonly<Record<string, readonly FieldName[]>> = {
  payment: CARD,
  card: CARD,
  cardNumber: ['number'],
  cardExpiry: ['expiry'],
  cardCvc: ['cvc'],
  linkAuthentication: ['email'],
  expressCheckout: [],
}

/** Returns the fields of a type of element. @throws Error for a type that paytwin does not have */
export function fieldsOf(type: string): readonly FieldName[] {
  const fields = Object.hasOwn(ELEMENTS, type) ? ELEMENTS[type] : undefined
  if (!fields) throw missingElement(type, Object.keys(ELEMENTS))
  return fields
}

/** Reads `12 / 34`, `12/2034` or `1234`; undefined for another text. */
export function expiryOf(
  text: string,
): { readonly exp_month: number; readonly exp_year: number } | undefined {
  const [, month, year] = /^\s*(0?[1-9]|1[0-2])\s*[/ -]?\s*(\d{2}|\d{4})\s*$/.exec(text) ?? []
  if (month === undefined || year === undefined) return undefined
  return { exp_month: Number(month), exp_year: year.length === 2 ? 2000 + Number(year) : Number(year) }
}

/** Checks the last digit of a card number. */
function isLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
