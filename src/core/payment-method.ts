import type { BillingDetails } from './contact.ts'
import { assert } from './errors.ts'
import type { Metadata } from './metadata.ts'
import {
  APPROVED,
  type ChargeFault,
  FAULT_OUTCOMES,
  NO_PAYMENT_METHOD,
  NOT_A_CARD,
  type Outcome,
  scriptedOutcome,
} from './processor.ts'
import { CARD_NAMES, type CardNames, cardNamed, TEST_CARDS } from './test-card.ts'

/** Types with which the customer pushes the money. They cannot recur. See docs/contract/payments.md#push-methods. */
export const PUSH_TYPES = ['pix', 'boleto', 'oxxo', 'konbini', 'promptpay', 'bank_transfer'] as const
export const PAYMENT_METHOD_TYPES = ['card', ...PUSH_TYPES] as const
export type PaymentMethodType = (typeof PAYMENT_METHOD_TYPES)[number]

/** The stored details of a card, which exclude its number. See docs/contract/payments.md#payment-methods. */
export type Card = {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly fingerprint: string
}

/** Formats a payment method for people: `visa …4242`, or its type. */
export const methodText = ({
  type,
  card,
}: {
  readonly type: string
  readonly card?: Pick<Card, 'brand' | 'last4'> | null | undefined
}): string => (card ? `${card.brand} …${card.last4}` : type)

/** The scripted outcomes of a card's next attempts, in order; `then` applies to all later ones. */
export type Script = { readonly outcomes: readonly string[]; readonly then: string }

export type PaymentMethod = {
  readonly id: string
  readonly created: number
  readonly type: PaymentMethodType
  readonly customer: string | null
  readonly card: Card | null
  readonly metadata: Metadata
  /** The test card whose behaviour it has; null for push methods. Not part of the API's object. */
  readonly test_card: string | null
  /** The script that overrides the test card's behaviour. Not part of the API's object. */
  readonly script: Script | null
  /** Whether the customer has authenticated it for charges off session. Not part of the API's object. */
  readonly is_set_up: boolean
  /** null if none were given. Only Stripe's API has them. */
  readonly billing_details: BillingDetails | null
}

/** The test ids of push methods, with their types. */
const TEST_PUSH_METHODS: Readonly<Record<string, PaymentMethodType>> = { pm_pix: 'pix', pm_boleto: 'boleto' }

/** Every test id. */
export const TEST_METHOD_IDS: readonly string[] = [
  ...Object.keys(TEST_CARDS),
  ...Object.keys(TEST_PUSH_METHODS),
]

/** Resolves a test id; undefined when it is not one. @param names - the names of test cards that are known */
export function testPaymentMethod(
  id: string,
  names: CardNames = 'own',
): { type: PaymentMethodType; test_card: string | null } | undefined {
  const test_card = CARD_NAMES[names].get(id)
  if (test_card !== undefined) return { type: 'card', test_card }
  const type = Object.hasOwn(TEST_PUSH_METHODS, id) ? TEST_PUSH_METHODS[id] : undefined
  return type && { type, test_card: null }
}

/** Finds the test card with this full number; undefined for any other number, so that a real card is never accepted. */
export function testCardOfNumber(number: string, names: CardNames = 'own'): string | undefined {
  const cards = [...new Set(CARD_NAMES[names].values())]
  return cards.find((card) => cardNamed(card)?.number === number)
}

/** Returns the details of a test card; the expiry is the given one, or 12/2099. */
export function cardDetails(
  testCard: string,
  fingerprint: string,
  { exp_month = 12, exp_year = 2099 }: { exp_month?: number | undefined; exp_year?: number | undefined } = {},
): Card {
  const card = cardNamed(testCard)
  assert(card, `${testCard} is a test card`)
  return { brand: card.brand, last4: card.number.slice(-4), exp_month, exp_year, fingerprint }
}

/**
 * Returns the decline of a card that is attached to a customer, if the merchant's rules check attached cards; null if there is
 * none.
 */
export function declineAtAttach({
  test_card,
  script,
}: PaymentMethod): (Outcome & { approved: false }) | null {
  const card = script === null ? cardNamed(test_card) : undefined
  if (!card || card.isDeclinedLater || card.authentication || card.charge.approved) return null
  return card.charge
}

/** One attempt at the processor: its outcome, and the payment method with its script advanced. */
export type Attempt = { readonly outcome: Outcome; readonly paymentMethod: PaymentMethod | null }

/**
 * Makes one off-session charge attempt at the processor. Without a usable card the attempt fails and counts.
 * @param fault - the fault to apply before the card is reached; the card's script then does not advance
 * See docs/contract/payments.md#test-payment-methods.
 */
export function attemptCharge(
  paymentMethod: PaymentMethod | null,
  fault: ChargeFault | null = null,
): Attempt {
  if (!paymentMethod) return { outcome: NO_PAYMENT_METHOD, paymentMethod }
  if (paymentMethod.type !== 'card') return { outcome: NOT_A_CARD, paymentMethod }
  if (fault) return { outcome: FAULT_OUTCOMES[fault], paymentMethod }
  const { script } = paymentMethod
  if (!script) {
    const card = cardNamed(paymentMethod.test_card)
    assert(card, 'a card has a test card')
    const isAccepted = card.authentication === 'unless_set_up' && paymentMethod.is_set_up
    return { outcome: isAccepted ? APPROVED : card.charge, paymentMethod }
  }
  const [entry = script.then, ...rest] = script.outcomes
  const outcome = scriptedOutcome(entry)
  assert(outcome, `the entry ${entry} of a stored script is an outcome`)
  const after =
    script.outcomes.length === 0 ? paymentMethod : { ...paymentMethod, script: { ...script, outcomes: rest } }
  return { outcome, paymentMethod: after }
}
