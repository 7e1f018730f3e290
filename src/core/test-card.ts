import type { DisputeReason } from './dispute.ts'
import { APPROVED, declined, type Outcome } from './processor.ts'

/** When a card requires the customer to authenticate. */
type Authentication =
  /** Each payment. Off session, it is declined. */
  | 'always'
  /** Each payment on session, and those off session until the card is set up. */
  | 'unless_set_up'
  /** Each payment on session. Off session, the card counts as set up. */
  | 'on_session'

/** A test card: the outcome of a charge, on and off session. */
export type TestCard = {
  readonly number: string
  readonly brand: string
  /** The outcome of a charge without the customer. */
  readonly charge: Outcome
  readonly authentication?: Authentication
  /** The outcome of a charge after the customer has authenticated; approved if absent. */
  readonly authenticated?: Outcome
  /** The country of the issuer; US if absent. */
  readonly country?: string
  readonly funding?: 'debit' | 'prepaid'
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
const approved = (brand: string, number: string, more: Partial<TestCard> = {}): TestCard => ({
  number,
  brand,
  charge: APPROVED,
  ...more,
})

const NOT_AUTHENTICATED = declined('card_declined', 'authentication_required')

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
  pm_card_authenticationRequired: visa('4000002500003155', NOT_AUTHENTICATED, {
    authentication: 'unless_set_up',
  }),
  pm_card_refundFail: visa('4000000000005126', APPROVED, { refundFails: true }),
  pm_card_createDispute: visa('4000000000000259', APPROVED, { dispute: 'fraudulent' }),
  pm_card_createDisputeProductNotReceived: visa('4000000000002685', APPROVED, {
    dispute: 'product_not_received',
  }),
}

/** Further cards of Stripe's testing page, by their names there. A name that paytwin uses for another card has a suffix. */
const FURTHER_CARDS: Readonly<Record<string, TestCard>> = {
  pm_card_visa_debit: approved('visa', '4000056655665556', { funding: 'debit' }),
  pm_card_mastercard_debit: approved('mastercard', '5200828282828210', { funding: 'debit' }),
  pm_card_mastercard_prepaid: approved('mastercard', '5105105105105100', { funding: 'prepaid' }),
  pm_card_mastercard_2series: approved('mastercard', '2223003122003222'),
  pm_card_amex_0005: approved('amex', '378282246310005'),
  pm_card_discover: approved('discover', '6011111111111117'),
  pm_card_discover_9424: approved('discover', '6011000990139424'),
  pm_card_discover_debit: approved('discover', '6011981111111113', { funding: 'debit' }),
  pm_card_diners: approved('diners', '3056930009020004'),
  pm_card_diners_1667: approved('diners', '36227206271667'),
  pm_card_jcb: approved('jcb', '3566002020360505', { country: 'JP' }),
  pm_card_unionpay: approved('unionpay', '6200000000000005', { country: 'CN' }),
  pm_card_gb_debit: approved('visa', '4000058260000005', { country: 'GB', funding: 'debit' }),
  pm_card_bypassPending: visa('4000000000000077', APPROVED),
  pm_card_visa_chargeDeclinedVelocityLimitExceeded: visa(
    '4000000000006975',
    declined('card_declined', 'card_velocity_exceeded'),
  ),
  pm_card_visa_chargeDeclinedFraudulent: visa('4100000000000019', declined('card_declined', 'fraudulent')),
  pm_card_authenticationRequired_3184: visa('4000002760003184', NOT_AUTHENTICATED, {
    authentication: 'always',
  }),
  pm_card_authenticationRequiredSetupForOffSession: visa('4000003800000446', APPROVED, {
    authentication: 'on_session',
  }),
  pm_card_authenticationRequiredChargeDeclinedInsufficientFunds: visa('4000008260003178', NOT_AUTHENTICATED, {
    authentication: 'always',
    authenticated: declined('card_declined', 'insufficient_funds'),
  }),
  pm_card_threeDSecure2Required: visa('4000000000003220', NOT_AUTHENTICATED, { authentication: 'always' }),
  pm_card_threeDSecureRequired: visa('4000000000003063', NOT_AUTHENTICATED, { authentication: 'always' }),
  pm_card_threeDSecureRequiredChargeDeclined: visa('4000008400001629', NOT_AUTHENTICATED, {
    authentication: 'always',
    authenticated: declined('card_declined', 'generic_decline'),
  }),
  pm_card_threeDSecureRequiredProcessingError: visa(
    '4000008400001280',
    declined('card_declined', 'generic_decline'),
    { isDeclinedLater: true },
  ),
  pm_card_threeDSecureOptional: visa('4000000000003055', APPROVED),
  pm_card_threeDSecureOptionalProcessingError: visa('4000000000003097', APPROVED),
  pm_card_amex_threeDSecureNotSupported: approved('amex', '378282246310005'),
  ...cardsOfCountries(),
}

/** The Visa cards of other countries: `pm_card_de`. */
function cardsOfCountries(): Record<string, TestCard> {
  const numbers: Readonly<Record<string, string>> = {
    ae: '4000007840000001',
    at: '4000000400000008',
    au: '4000000360000006',
    be: '4000000560000004',
    br: '4000000760000002',
    ca: '4000001240000000',
    ch: '4000007560000009',
    cn: '4000001560000002',
    de: '4000002760000016',
    dk: '4000002080000001',
    es: '4000007240000007',
    fi: '4000002460000001',
    fr: '4000002500000003',
    gb: '4000008260000000',
    hk: '4000003440000004',
    ie: '4000003720000005',
    in: '4000003560000008',
    it: '4000003800000008',
    jp: '4000003920000003',
    mx: '4000004840008001',
    my: '4000004580000002',
    nl: '4000005280000002',
    no: '4000005780000007',
    nz: '4000005540000008',
    pl: '4000006160000005',
    pt: '4000006200000007',
    se: '4000007520000008',
    sg: '4000007020000003',
  }
  return Object.fromEntries(
    Object.entries(numbers).map(([country, number]) => [
      `pm_card_${country}`,
      visa(number, APPROVED, { country: country.toUpperCase() }),
    ]),
  )
}

/** Names of Stripe's testing page for cards that are listed here under another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  pm_card_us: 'pm_card_visa',
  pm_card_amex: 'pm_card_amex_0005',
  pm_card_amex_8431: 'pm_card_amex',
  pm_card_authenticationRequired: 'pm_card_authenticationRequired_3184',
  pm_card_authenticationRequiredOnSetup: 'pm_card_authenticationRequired',
  pm_card_visa_chargeDeclined: 'pm_card_chargeDeclined',
  pm_card_visa_chargeDeclinedInsufficientFunds: 'pm_card_chargeDeclinedInsufficientFunds',
  pm_card_visa_chargeDeclinedLostCard: 'pm_card_chargeDeclinedLostCard',
  pm_card_visa_chargeDeclinedStolenCard: 'pm_card_chargeDeclinedStolenCard',
  pm_card_chargeDeclinedFraudulent: 'pm_card_visa_chargeDeclinedFraudulent',
  pm_card_radarBlock: 'pm_card_visa_chargeDeclinedFraudulent',
}

/** The sets of test cards with names: those of paytwin's own API, or all cards of Stripe's testing page. */
export type CardNames = 'own' | 'stripe'

const OWN_NAMES: ReadonlyMap<string, string> = new Map(Object.keys(TEST_CARDS).map((id) => [id, id]))

const ALL_NAMES: readonly (readonly [string, string])[] = [
  ...OWN_NAMES,
  ...Object.keys(FURTHER_CARDS).map((id) => [id, id] as const),
  ...Object.entries(OTHER_NAMES),
]

/** Returns the test token of a test id: `tok_visa` is the card of `pm_card_visa`. */
const tokenOf = (id: string): string => id.replace(/^pm_card_/, 'tok_')

/** The test cards by their test ids. */
export const CARD_NAMES: Readonly<Record<CardNames, ReadonlyMap<string, string>>> = {
  own: OWN_NAMES,
  stripe: new Map([...ALL_NAMES, ...ALL_NAMES.map(([id, card]) => [tokenOf(id), card] as const)]),
}

/** Returns the test card that a payment method has; undefined for a method without one. */
export function cardNamed(test_card: string | null): TestCard | undefined {
  if (test_card === null) return undefined
  return Object.hasOwn(TEST_CARDS, test_card) ? TEST_CARDS[test_card] : FURTHER_CARDS[test_card]
}
