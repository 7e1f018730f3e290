import { Change } from '../core/change.ts'
import type { Customer } from '../core/customer.ts'
import { assert, parameterInvalid } from '../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../core/metadata.ts'
import {
  cardDetails,
  type PaymentMethod,
  type PaymentMethodType,
  type Script,
  testCardOfNumber,
  testPaymentMethod,
} from '../core/payment-method.ts'
import { scriptedOutcome } from '../core/processor.ts'
import { apply } from './apply.ts'
import type { Unit } from './unit.ts'

export type CardParams = { number: string; exp_month?: number | undefined; exp_year?: number | undefined }

/**
 * Makes a payment method that belongs to no customer yet; no event tells of it.
 * @throws ApiError parameter_invalid, param card[number], for a number that is no test number
 * See docs/contract/payments.md#payment-methods.
 */
export function createPaymentMethod(
  unit: Unit,
  params: {
    type: PaymentMethodType
    card?: CardParams | undefined
    metadata?: MetadataParam | undefined
  },
): PaymentMethod {
  const { type, card } = params
  const test_card = type === 'card' && card ? testCardOfNumber(card.number) : null
  if (test_card === undefined) {
    throw parameterInvalid(
      'card[number]',
      'Only the published test card numbers are accepted, such as 4242424242424242; a real number never is',
    )
  }
  const change = new Change()
  const method = change.create('payment_method', build(unit, params.type, test_card, params))
  apply(unit, change)
  return method
}

function build(
  unit: Unit,
  type: PaymentMethodType,
  test_card: string | null,
  given: { card?: CardParams | undefined; metadata?: MetadataParam | undefined } = {},
): PaymentMethod {
  return {
    id: unit.idFor('payment_method'),
    created: unit.now,
    type,
    customer: null,
    card:
      test_card === null
        ? null
        : cardDetails(test_card, unit.ids.derived(`fingerprint ${test_card}`, 16), given.card),
    metadata: mergeMetadata({}, given.metadata),
    test_card,
    script: null,
  }
}

/** The payment method that a test id stands for, of no customer and not told yet. */
export function makeTestMethod(unit: Unit, testId: string): PaymentMethod {
  const test = testPaymentMethod(testId)
  assert(test, `${testId} is a test id`)
  return build(unit, test.type, test.test_card)
}

/**
 * A payment method of a customer that the caller names. A test id is first attached: it becomes a new payment method.
 * @param change - where the attaching is told
 * @param param - the parameter that names it
 * @throws ApiError resource_missing when there is none; parameter_invalid when it is not this customer's
 * See docs/contract/payments.md#test-payment-methods.
 */
export function paymentMethodOf(
  unit: Unit,
  change: Change,
  customer: Customer,
  { id, param }: { id: string; param: string },
): PaymentMethod {
  if (testPaymentMethod(id)) {
    const created = unit.clockOf(customer.test_clock).instant
    const method = { ...makeTestMethod(unit, id), customer: customer.id, created }
    return change.create('payment_method', method, 'payment_method.attached')
  }
  const method = unit.find('payment_method', id, param)
  if (method.customer !== customer.id) {
    throw parameterInvalid(
      param,
      `The payment method '${id}' does not belong to the customer '${customer.id}'. Attach it first.`,
    )
  }
  return method
}

/**
 * Gives a payment method to a customer. One that the customer already has stays as it is.
 * @param id - a payment method's, or a test id, which makes a new one
 * @throws ApiError resource_missing; parameter_invalid when another customer has it
 * See docs/contract/payments.md#attaching.
 */
export function attachPaymentMethod(unit: Unit, id: string, customerId: string): PaymentMethod {
  const change = new Change()
  const isTest = testPaymentMethod(id) !== undefined
  const method = isTest ? null : unit.find('payment_method', id)
  const customer = unit.find('customer', customerId, 'customer')
  if (method && method.customer !== null && method.customer !== customer.id) {
    throw parameterInvalid('customer', `The payment method '${id}' is attached to another customer`)
  }
  const attached = method
    ? method.customer === customer.id
      ? method
      : change.update(
          'payment_method',
          method,
          (free) => ({ ...free, customer: customer.id }),
          'payment_method.attached',
        )
    : paymentMethodOf(unit, change, customer, { id, param: 'id' })
  apply(unit, change, unit.clockOf(customer.test_clock))
  return attached
}

/**
 * Takes a payment method from its customer. Where it was the customer's default there is none afterwards; a subscription
 * that names it falls back on the customer's default.
 * @throws ApiError resource_missing; parameter_invalid when it is attached to no customer
 * See docs/contract/payments.md#detaching; paytwin: what becomes of the defaults.
 */
export function detachPaymentMethod(unit: Unit, id: string): PaymentMethod {
  const method = unit.find('payment_method', id)
  if (method.customer === null) {
    throw parameterInvalid('id', `The payment method '${id}' is not attached to a customer`)
  }
  const customer = unit.need('customer', method.customer)
  const change = new Change()
  const detached = change.update(
    'payment_method',
    method,
    (attached) => ({ ...attached, customer: null }),
    'payment_method.detached',
  )
  if (customer.default_payment_method === id) {
    change.update(
      'customer',
      customer,
      (had) => ({ ...had, default_payment_method: null }),
      'customer.updated',
    )
  }
  apply(unit, change, unit.clockOf(customer.test_clock))
  return detached
}

/**
 * Says what a card does at each attempt from now on.
 * @throws ApiError resource_missing; parameter_invalid for an outcome that is none, or a method that is no card
 * See docs/contract/payments.md#scripted-cards.
 */
export function scriptPaymentMethod(unit: Unit, id: string, script: Script): PaymentMethod {
  const method = unit.find('payment_method', id)
  const entries = [
    ...script.outcomes.map((entry, index) => [`outcomes[${index}]`, entry] as const),
    ['then', script.then] as const,
  ]
  for (const [param, entry] of entries) {
    if (!scriptedOutcome(entry)) {
      throw parameterInvalid(
        param,
        `'${entry}' is no outcome: give 'succeed' or 'decline:<code>', as in decline:insufficient_funds`,
      )
    }
  }
  if (method.type !== 'card') throw parameterInvalid('id', 'Only a card can be given outcomes')
  const change = new Change()
  const scripted = change.update('payment_method', method, (card) => ({ ...card, script }))
  apply(unit, change)
  return scripted
}
