import type { BillingDetails } from '../../../core/contact.ts'
import { NO_BILLING_DETAILS } from '../../../core/contact.ts'
import { testCardOfNumber } from '../../../core/payment-method.ts'
import { CARD_NAMES, cardNamed } from '../../../core/test-card.ts'
import type { CardParams } from '../../../engine/resources/payment-method.ts'
import { enteredText } from './entered-text.ts'

/** The fields of the card form, in the order of the page. They are also the names of its inputs. */
const CARD_FIELDS = ['email', 'number', 'expiration', 'cvc', 'name'] as const
export type CardField = (typeof CARD_FIELDS)[number]

/** The name of the buttons that fill in a test card. Their values are the test ids of cards. */
export const FILL = 'fill'

/** The state of the card form: the values of its fields, and their errors. */
export type CardFormState = {
  readonly values: Readonly<Record<CardField, string>>
  readonly errors: Readonly<Partial<Record<CardField, string>>>
  /** The field that has the focus. */
  readonly focus?: CardField | undefined
}

/** A card that was entered without an error. Its number is that of a test card. */
export type CardEntry = {
  readonly card: CardParams
  readonly billing_details: BillingDetails
  /** null if the form does not ask for it. */
  readonly email: string | null
}

type Asked = {
  /** The time of the customer's clock, in Unix seconds, to check the expiration. */
  readonly now: number
  readonly asksEmail?: boolean
}

/** Returns an empty form. @param known - the email address and name of the customer, if known */
export const emptyCardForm = (
  known: { email?: string | null; name?: string | null } = {},
): CardFormState => ({
  values: { email: known.email ?? '', number: '', expiration: '', cvc: '', name: known.name ?? '' },
  errors: {},
})

/**
 * Fills in the test card whose button was pressed, and keeps the email address and the name.
 * @returns undefined if no such button was pressed
 */
export function filledCardForm(form: URLSearchParams, { now }: Asked): CardFormState | undefined {
  const card = cardNamed(CARD_NAMES.stripe.get(form.get(FILL) ?? '') ?? null)
  if (!card) return undefined
  const { values, errors } = keptCardForm(form)
  const expiration = `12 / ${String((yearOf(now) + 3) % 100).padStart(2, '0')}`
  const cvc = '1234'.slice(0, cvcLengthOf(card.brand))
  return {
    values: { ...values, number: grouped(card.number), expiration, cvc, name: values.name || 'Jenny Rosen' },
    errors,
    focus: 'number',
  }
}

/** Returns the form to show again, without the number and the CVC that were entered. */
export function keptCardForm(form: URLSearchParams, errors: CardFormState['errors'] = {}): CardFormState {
  const kept = (field: 'email' | 'expiration' | 'name') => {
    const text = textIn(form, field)
    return hasCardNumber(text) ? '' : text
  }
  const values = { email: kept('email'), expiration: kept('expiration'), name: kept('name') }
  const focus = CARD_FIELDS.find((field) => errors[field] !== undefined)
  return { values: { ...values, number: '', cvc: '' }, errors, ...(focus && { focus }) }
}

/** Returns the form that asks for another card after a decline. */
export const declinedCardForm = (form: URLSearchParams): CardFormState => ({
  ...keptCardForm(form),
  focus: 'number',
})

/**
 * Reports whether a text contains what could be a card number, in digits of any script. Such a text must be neither stored nor
 * shown.
 */
export const hasCardNumber = (text: string): boolean => /\p{Nd}(?:[\p{P}\s]{0,2}\p{Nd}){11}/u.test(text)

/**
 * Reports whether a phone number could be a card number. Card numbers have at least 14 digits, more than national phone
 * numbers, and begin with neither `+` nor `00`.
 */
export function isCardAsPhone(text: string): boolean {
  const digits = text.replaceAll(/\P{Nd}/gu, '').length
  return digits > 15 || (digits > 13 && !/^\s*(?:\+|00)/.test(text))
}

/**
 * Reads a submitted card form. A number that is not of a test card is an error. No other function gets it.
 * @returns the entry, or the errors of the fields
 */
export function readCardForm(
  form: URLSearchParams,
  { now, asksEmail = false }: Asked,
): { entry: CardEntry; errors?: never } | { entry?: never; errors: CardFormState['errors'] } {
  const digits = textIn(form, 'number').replaceAll(/[ -]/g, '')
  const testCard = cardNamed(testCardOfNumber(digits, 'stripe') ?? null)
  const expiration = expirationIn(textIn(form, 'expiration'), now)
  const email = asksEmail ? textIn(form, 'email') : null
  const name = textIn(form, 'name')
  const found = {
    email: email === null ? undefined : emailError(email),
    number: testCard ? undefined : numberError(digits),
    expiration: typeof expiration === 'string' ? expiration : undefined,
    cvc: cvcError(textIn(form, 'cvc'), testCard?.brand),
    name: nameError(name),
  }
  const errors = Object.fromEntries(Object.entries(found).filter(([, error]) => error !== undefined))
  if (!testCard || typeof expiration === 'string' || Object.keys(errors).length > 0) return { errors }
  return {
    entry: {
      card: { number: testCard.number, ...expiration },
      billing_details: { ...NO_BILLING_DETAILS, email, name },
      email,
    },
  }
}

/** The maximum length of an email address. Source: https://docs.stripe.com/api/customers/create. */
const MAX_EMAIL = 512

/** Returns the error of an email address; undefined if it is valid. */
export function emailError(email: string): string | undefined {
  if (email === '') return 'Enter your email address.'
  return email.length <= MAX_EMAIL && /^[^\s@]+@[^\s@]+$/.test(email) && !hasCardNumber(email)
    ? undefined
    : 'This is not an email address. Enter one such as jenny@example.com.'
}

function nameError(name: string): string | undefined {
  if (name === '') return 'Enter the name on the card.'
  return hasCardNumber(name) ? 'Enter the name on the card here, not its number.' : undefined
}

function numberError(digits: string): string {
  if (digits === '') return 'Enter a card number. The test cards are listed below.'
  if (!/^\d{12,19}$/.test(digits)) return 'Your card number is incomplete. The test cards are listed below.'
  return 'This is not a test card, so it was refused and not stored. This page is a sandbox: use a test card, such as 4242 4242 4242 4242.'
}

function cvcError(cvc: string, brand: string | undefined): string | undefined {
  const length = cvcLengthOf(brand)
  if (/^\d{3,4}$/.test(cvc) && (brand === undefined || cvc.length === length)) return undefined
  return `Enter the security code of the card: ${brand === undefined ? '3 or 4' : length} digits.`
}

/** American Express prints four digits on its cards, all others three. */
const cvcLengthOf = (brand: string | undefined): number => (brand === 'amex' ? 4 : 3)

/** Reads `12 / 34` or `12/2034`. @returns the month and the year, or the error */
function expirationIn(text: string, now: number): { exp_month: number; exp_year: number } | string {
  if (text === '') return 'Enter the month and the year that are printed on the card, such as 12 / 34.'
  const [, month = '', year = ''] = /^(\d{1,2})\s*[/-]?\s*(\d{2}|\d{4})$/.exec(text) ?? []
  const exp_month = Number(month)
  if (exp_month < 1 || exp_month > 12) return 'Enter a month and a year, such as 12 / 34.'
  const exp_year = year.length === 4 ? Number(year) : nearestYear(Number(year), yearOf(now))
  const isPast = exp_year * 12 + exp_month < yearOf(now) * 12 + new Date(now * 1000).getUTCMonth() + 1
  return isPast ? "Your card's expiration date is in the past." : { exp_month, exp_year }
}

const yearOf = (now: number): number => new Date(now * 1000).getUTCFullYear()

/** Returns the year that has these last two digits and is nearest to the given year. */
function nearestYear(digits: number, year: number): number {
  const inCentury = year - (year % 100) + digits
  if (inCentury < year - 50) return inCentury + 100
  return inCentury > year + 50 ? inCentury - 100 : inCentury
}

/** Formats a card number as it is printed: in groups of four, those of American Express of four, six and five. */
export const grouped = (number: string): string =>
  number.length === 15
    ? number.replace(/^(\d{4})(\d{6})(\d{5})$/, '$1 $2 $3')
    : number.replaceAll(/(\d{4})(?=\d)/g, '$1 ')

/** paytwin: the maximum length of a field. */
const MAX_TEXT = 500

const textIn = (form: URLSearchParams, field: CardField): string => enteredText(form, field, MAX_TEXT)
