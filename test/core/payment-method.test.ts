import { describe, expect, test } from 'vitest'
import {
  attemptCharge,
  cardDetails,
  type PaymentMethod,
  PUSH_TYPES,
  testCardOfNumber,
  testPaymentMethod,
} from '../../src/core/payment-method.ts'
import { CARD_NAMES, cardNamed, TEST_CARDS, type TestCard } from '../../src/core/test-card.ts'
import { table } from '../table.ts'
import { aCard, aPix } from './objects.ts'

const CARDS = table(
  ['id', 'last4', 'outcome'],
  `
  pm_card_visa                             4242  approved
  pm_card_mastercard                       4444  approved
  pm_card_amex                             8431  approved
  pm_card_chargeDeclined                   0002  card_declined generic_decline
  pm_card_chargeDeclinedInsufficientFunds  9995  card_declined insufficient_funds
  pm_card_chargeDeclinedLostCard           9987  card_declined lost_card
  pm_card_chargeDeclinedStolenCard         9979  card_declined stolen_card
  pm_card_chargeDeclinedExpiredCard        0069  expired_card
  pm_card_chargeDeclinedIncorrectCvc       0127  incorrect_cvc
  pm_card_chargeDeclinedProcessingError    0119  processing_error
  pm_card_chargeCustomerFail               0341  card_declined generic_decline
  pm_card_authenticationRequired           3155  card_declined authentication_required
  pm_card_refundFail                       5126  approved
  pm_card_createDispute                    0259  approved
  pm_card_createDisputeProductNotReceived  2685  approved
  `,
)

/** approved, or the code and the decline code. */
function outcomeOf(method: PaymentMethod | null): string {
  const { outcome } = attemptCharge(method)
  return outcome.approved ? 'approved' : [outcome.code, outcome.decline_code].filter(Boolean).join(' ')
}

describe('test cards', () => {
  test.each(CARDS)('$id ends in $last4 and is $outcome', ({ id, last4, outcome }) => {
    expect(cardDetails(id, 'print')).toMatchObject({ last4, fingerprint: 'print' })
    expect(outcomeOf(aCard({ test_card: id }))).toBe(outcome)
    expect(testPaymentMethod(id)).toEqual({ type: 'card', test_card: id })
  })

  test('there are no others', () => {
    expect(Object.keys(TEST_CARDS).toSorted()).toEqual(CARDS.map(({ id }) => id).toSorted())
  })

  test('each is found by its full number only', () => {
    for (const [id, { number }] of Object.entries(TEST_CARDS)) expect(testCardOfNumber(number)).toBe(id)
    for (const number of ['', '4242', '4111111111111111', '42424242424242420']) {
      expect(testCardOfNumber(number)).toBeUndefined()
    }
  })

  test('each number passes the check-digit test', () => {
    for (const { number } of [...CARD_NAMES.stripe.values()].map((card) => cardNamed(card) as TestCard)) {
      const digits = [...number].reverse().map(Number)
      const sum = digits.reduce((all, digit, index) => {
        const weighed = index % 2 === 0 ? digit : digit * 2
        return all + (weighed > 9 ? weighed - 9 : weighed)
      }, 0)
      expect([number, sum % 10]).toEqual([number, 0])
    }
  })

  test('those of Stripe have further names, also as tokens', () => {
    const last4Of = (id: string) =>
      cardNamed(testPaymentMethod(id, 'stripe')?.test_card ?? null)?.number.slice(-4)
    expect(last4Of('pm_card_authenticationRequired')).toBe('3184')
    expect(last4Of('pm_card_authenticationRequiredOnSetup')).toBe('3155')
    expect(last4Of('pm_card_visa_chargeDeclined')).toBe('0002')
    expect(last4Of('pm_card_amex')).toBe('0005')
    expect(last4Of('tok_de')).toBe('0016')
    expect(last4Of('tok_nobody')).toBeUndefined()
    expect(testPaymentMethod('pm_card_de')).toBeUndefined()
  })

  test('push methods have test ids and cannot be charged off session', () => {
    expect(testPaymentMethod('pm_pix')).toEqual({ type: 'pix', test_card: null })
    expect(testPaymentMethod('pm_boleto')).toEqual({ type: 'boleto', test_card: null })
    expect(PUSH_TYPES).toEqual(['pix', 'boleto', 'oxxo', 'konbini', 'promptpay', 'bank_transfer'])
    expect(outcomeOf(aPix())).toBe('card_declined payment_method_not_a_card')
  })

  test.each(['pm_1', 'pm_card_unknown', 'constructor', '__proto__', ''])('%j is not a test id', (id) => {
    expect(testPaymentMethod(id)).toBeUndefined()
  })
})

describe('an attempt', () => {
  test('without a payment method fails', () => {
    expect(outcomeOf(null)).toBe('card_declined payment_method_missing')
  })

  test('follows the script, whatever the card, and then repeats its last outcome', () => {
    // biome-ignore lint/suspicious/noThenProperty: the contract's name, and never a function
    const script = { outcomes: ['decline:lost_card', 'succeed'], then: 'decline:expired_card' }
    let method: PaymentMethod | null = aCard({ script })
    const results: string[] = []
    for (let attempt = 0; attempt < 4; attempt += 1) {
      results.push(outcomeOf(method))
      method = attemptCharge(method).paymentMethod
    }
    expect(results).toEqual(['card_declined lost_card', 'approved', 'expired_card', 'expired_card'])
  })

  test.each([
    ['decline', 'card_declined', 'generic_decline'],
    ['processor_timeout', 'processing_error', null],
  ] as const)('under the fault %s does not reach the card', (fault, code, decline_code) => {
    // biome-ignore lint/suspicious/noThenProperty: the contract's name, and never a function
    const method = aCard({ script: { outcomes: ['succeed'], then: 'succeed' } })
    const { outcome, paymentMethod } = attemptCharge(method, fault)
    expect(outcome).toMatchObject({ approved: false, code, decline_code })
    expect(paymentMethod).toBe(method)
  })

  test('without a usable card is not affected by a fault', () => {
    for (const method of [null, aPix()]) {
      expect(attemptCharge(method, 'processor_timeout')).toEqual(attemptCharge(method))
    }
  })

  test('does not change a card without a script', () => {
    const method = aCard()
    expect(attemptCharge(method).paymentMethod).toBe(method)
  })
})
