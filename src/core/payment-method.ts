import type { DisputeReason } from './dispute.ts'
import { assert } from './errors.ts'
import type { Metadata } from './metadata.ts'
import {
  APPROVED,
  type ChargeFault,
  declined,
  FAULT_OUTCOMES,
  NO_PAYMENT_METHOD,
  NOT_A_CARD,
  type Outcome,
  scriptedOutcome,
} from './processor.ts'

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
}

/** A test card: the outcome of a charge, on and off session. */
export type TestCard = {
  readonly number: string
  readonly brand: string
  readonly charge: Outcome
  /** Confirming it on session requires authentication; off session it is declined. */
  readonly needsAuthentication?: true
  /** It can be attached to a customer although its charges are declined. */
  readonly isDeclinedLater?: true
  /** Its refunds are pending for a minute and then fail. */
  readonly refundFails?: true
  /** The reason for which the cardholder disputes its charges. */
  readonly dispute?: DisputeReason
}

const visa = (number: string, charge: Outcome, more: Partial<TestCard> = {}): TestCard => ({
  number,
  brand: 'visa',
  charge,
  ...more,
})

/** See docs/contract/payments.md#test-payment-methods. */
export const TEST_CARDS: Readonly<Record<string, TestCard>> = {
  pm_card_visa: visa('4242424242424242', APPROVED),
  pm_card_mastercard: { number: '5555555555554444', brand: 'mastercard', charge: APPROVED },
  pm_card_amex: { number: '371449635398431', brand: 'amex', charge: APPROVED },
  pm_card_chargeDeclined: visa('4000000000000002', declined('card_declined', 'generic_decline')),
  pm_card_chargeDeclinedInsufficientFunds: visa(
    '4000000000009995',
    declined('card_declined', 'insufficient_funds'),
  ),
  pm_card_chargeDeclinedLostCard: visa('4000000000009987', declined('card_declined', 'lost_card')),
  pm_card_chargeDeclinedStolenCard: visa('4000000000009979', declined('card_declined', 'stolen_card')),
  pm_card_chargeDeclinedExpiredCard: visa('4000000000000069', declined('expired_card', null)),
  pm_card_chargeDeclinedIncorrectCvc: visa('4000000000000127', declined('incorrect_cvc', null)),
  pm_card_chargeDeclinedProcessingError: visa('4000000000000119', declined('processing_error', null)),
  pm_card_chargeCustomerFail: visa('4000000000000341', declined('card_declined', 'generic_decline'), {
    isDeclinedLater: true,
  }),
  pm_card_authenticationRequired: visa(
    '4000002500003155',
    declined('card_declined', 'authentication_required'),
    {
      needsAuthentication: true,
    },
  ),
  pm_card_refundFail: visa('4000000000005126', APPROVED, { refundFails: true }),
  pm_card_createDispute: visa('4000000000000259', APPROVED, { dispute: 'fraudulent' }),
  pm_card_createDisputeProductNotReceived: visa('4000000000002685', APPROVED, {
    dispute: 'product_not_received',
  }),
}

/** The test ids of push methods, with their types. */
const TEST_PUSH_METHODS: Readonly<Record<string, PaymentMethodType>> = { pm_pix: 'pix', pm_boleto: 'boleto' }

/** Every test id. */
export const TEST_METHOD_IDS: readonly string[] = [
  ...Object.keys(TEST_CARDS),
  ...Object.keys(TEST_PUSH_METHODS),
]

/** Resolves a test id; undefined when it is not one. */
export function testPaymentMethod(
  id: string,
): { type: PaymentMethodType; test_card: string | null } | undefined {
  if (Object.hasOwn(TEST_CARDS, id)) return { type: 'card', test_card: id }
  const type = Object.hasOwn(TEST_PUSH_METHODS, id) ? TEST_PUSH_METHODS[id] : undefined
  return type && { type, test_card: null }
}

/** Finds the test card with this full number; undefined for any other number, so that a real card is never accepted. */
export const testCardOfNumber = (number: string): string | undefined =>
  Object.keys(TEST_CARDS).find((id) => TEST_CARDS[id]?.number === number)

/** Returns the details of a test card; the expiry is the given one, or 12/2099. */
export function cardDetails(
  testCard: string,
  fingerprint: string,
  { exp_month = 12, exp_year = 2099 }: { exp_month?: number | undefined; exp_year?: number | undefined } = {},
): Card {
  const card = TEST_CARDS[testCard]
  assert(card, `${testCard} is a test card`)
  return { brand: card.brand, last4: card.number.slice(-4), exp_month, exp_year, fingerprint }
}

/** Returns the decline of a card when it is attached to a customer, where attached cards are checked; null if it can be. */
export function declineAtAttach({
  test_card,
  script,
}: PaymentMethod): (Outcome & { approved: false }) | null {
  const card = script === null ? TEST_CARDS[test_card ?? ''] : undefined
  if (!card || card.isDeclinedLater || card.needsAuthentication || card.charge.approved) return null
  return card.charge
}

/** One attempt at the processor: its outcome, and the payment method with its script moved on. */
export type Attempt = { readonly outcome: Outcome; readonly paymentMethod: PaymentMethod | null }

/**
 * Makes one off-session charge attempt at the processor. Without a usable card the attempt fails and counts.
 * @param fault - the fault to apply before the card is reached; the card's script then does not move on
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
    const card = TEST_CARDS[paymentMethod.test_card ?? '']
    assert(card, 'a card has a test card')
    return { outcome: card.charge, paymentMethod }
  }
  const [entry = script.then, ...rest] = script.outcomes
  const outcome = scriptedOutcome(entry)
  assert(outcome, `the entry ${entry} of a stored script is an outcome`)
  const after =
    script.outcomes.length === 0 ? paymentMethod : { ...paymentMethod, script: { ...script, outcomes: rest } }
  return { outcome, paymentMethod: after }
}
