/** The codes of a declined charge. See docs/contract/errors.md#declines. */
export const DECLINE_CODES = ['card_declined', 'expired_card', 'incorrect_cvc', 'processing_error'] as const

/** The card processor's response to one charge attempt. */
export type Outcome =
  | { readonly approved: true }
  | {
      readonly approved: false
      readonly code: string
      readonly decline_code: string | null
      readonly message: string
      /** The attempt ended before the card was charged. */
      readonly isUncharged?: true
    }

export const APPROVED: Outcome = { approved: true }

const MESSAGES: Readonly<Record<string, string>> = {
  card_declined: 'Your card was declined.',
  expired_card: 'Your card has expired.',
  incorrect_cvc: "Your card's security code is incorrect.",
  processing_error: 'An error occurred while processing your card. Try again in a little bit.',
  insufficient_funds: 'Your card has insufficient funds.',
  authentication_required: 'Your card was declined. This transaction requires authentication.',
}

/** Returns a declined outcome with the message of its code. */
export const declined = (code: string, decline_code: string | null): Outcome => ({
  approved: false,
  code,
  decline_code,
  message: MESSAGES[decline_code ?? ''] ?? MESSAGES[code] ?? 'Your card was declined.',
})

/** The outcome of a failed authentication, if the merchant's rules make no charge for it. */
export const AUTHENTICATION_FAILED: Outcome = {
  approved: false,
  code: 'payment_intent_authentication_failure',
  decline_code: null,
  message:
    'The provided payment method has failed authentication. Provide a new payment method to attempt the payment again.',
  isUncharged: true,
}

/** Reports whether a charge was declined because the customer has to authenticate first. */
export const asksForAuthentication = (outcome: Outcome): boolean =>
  !outcome.approved && outcome.decline_code === 'authentication_required'

/** Faults that can replace the outcome of an attempt with any card. See docs/contract/faults.md#charge-faults. */
export const CHARGE_FAULTS = ['decline', 'processor_timeout'] as const
export type ChargeFault = (typeof CHARGE_FAULTS)[number]

/** The outcome of a billing attempt under a fault. See docs/contract/faults.md#faults; paytwin: a decline's code. */
export const FAULT_OUTCOMES: Readonly<Record<ChargeFault, Outcome>> = {
  decline: declined('card_declined', 'generic_decline'),
  processor_timeout: declined('processing_error', null),
}

/**
 * The outcome of an attempt without a payment method, which never reaches the processor.
 * See docs/contract/payments.md#attempts-without-a-payment-method; paytwin: its codes.
 */
export const NO_PAYMENT_METHOD: Outcome = {
  approved: false,
  code: 'card_declined',
  decline_code: 'payment_method_missing',
  message:
    'There is no payment method to charge. Attach one and make it the default of the subscription or customer.',
}

/**
 * The outcome of an attempt with a push method, which cannot be charged off session.
 * See docs/contract/payments.md#attempts-without-a-payment-method.
 */
export const NOT_A_CARD: Outcome = {
  approved: false,
  code: 'card_declined',
  decline_code: 'payment_method_not_a_card',
  message: 'Recurring billing supports card payments only.',
}

/**
 * Parses an entry of a card's script; undefined when it is invalid.
 * See docs/contract/payments.md#scripted-cards.
 */
export function scriptedOutcome(entry: string): Outcome | undefined {
  if (entry === 'succeed') return APPROVED
  const [, reason] = /^decline:([a-z_]{1,50})$/.exec(entry) ?? []
  if (reason === undefined) return undefined
  if (reason === 'card_declined') return declined('card_declined', 'generic_decline')
  return (DECLINE_CODES as readonly string[]).includes(reason)
    ? declined(reason, null)
    : declined('card_declined', reason)
}
