import { Change } from '../../core/change.ts'
import { type BillingDetails, NO_BILLING_DETAILS } from '../../core/contact.ts'
import type { Customer } from '../../core/customer.ts'
import { assert, parameterInvalid, paymentFailed } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import {
  cardDetails,
  declineAtAttach,
  type PaymentMethod,
  type PaymentMethodType,
  type Script,
  testCardOfNumber,
  testPaymentMethod,
} from '../../core/payment-method.ts'
import { scriptedOutcome } from '../../core/processor.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

export type CardParams = { number: string; exp_month?: number | undefined; exp_year?: number | undefined }

/**
 * Creates a payment method without a customer, and without an event.
 * @throws ApiError parameter_invalid, param card[number], for a number that is not a test number
 * See docs/contract/payments.md#payment-methods.
 */
export function createPaymentMethod(unit: UnitOfWork, params: NewMethod): PaymentMethod {
  const change = new Change()
  const method = change.create('payment_method', newMethod(unit, params))
  apply(unit, change)
  return method
}

type NewMethod = {
  type: PaymentMethodType
  card?: CardParams | undefined
  billing_details?: BillingDetails | undefined
  metadata?: MetadataParam | undefined
}

function newMethod(unit: UnitOfWork, params: NewMethod): PaymentMethod {
  const { type, card } = params
  const test_card = type === 'card' && card ? testCardOfNumber(card.number, unit.rules.cardNames) : null
  if (test_card === undefined) {
    throw parameterInvalid(
      'card[number]',
      'Only the published test card numbers are accepted, such as 4242424242424242; real card numbers are refused',
    )
  }
  return build(unit, type, test_card, params)
}

function build(
  unit: UnitOfWork,
  type: PaymentMethodType,
  test_card: string | null,
  given: Omit<NewMethod, 'type'> = {},
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
    is_set_up: false,
    billing_details: given.billing_details ?? null,
  }
}

/** Reports whether an id is a test id, which names a payment method that does not exist yet. */
const isTestId = (unit: UnitOfWork, id: string): boolean =>
  testPaymentMethod(id, unit.rules.cardNames) !== undefined

/** Returns the payment method of a test id, without a customer and not yet part of a change. */
function makeTestMethod(unit: UnitOfWork, testId: string): PaymentMethod {
  const test = testPaymentMethod(testId, unit.rules.cardNames)
  assert(test, `${testId} is a test id`)
  return build(unit, test.type, test.test_card)
}

/**
 * Finds a customer's payment method that a request names. A test id is attached first: it becomes a new payment method.
 * @param change - gets the step that attaches it
 * @param param - the parameter that names it
 * @param mayDecline - whether a card that is declined is attached anyway
 * @throws ApiError resource_missing; parameter_invalid when it does not belong to this customer
 * See docs/contract/payments.md#test-payment-methods.
 */
export function paymentMethodOf(
  unit: UnitOfWork,
  change: Change,
  customer: Customer,
  { id, param, mayDecline }: { id: string; param: string; mayDecline?: boolean },
): PaymentMethod {
  if (isTestId(unit, id)) {
    const created = unit.clockOf(customer.test_clock).instant
    const method = { ...makeTestMethod(unit, id), customer: customer.id, created }
    if (!mayDecline) checkAttached(unit, method)
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
 * Finds the payment method that a request names for an intent: the customer's, an unattached one, or a test id.
 * @throws ApiError resource_missing; parameter_invalid for another customer's. See
 *   docs/contract/payments.md#updating-an-intent.
 */
export function methodFor(
  unit: UnitOfWork,
  change: Change,
  customer: Customer | null,
  id: string,
): PaymentMethod {
  if (isTestId(unit, id)) {
    return customer && unit.rules.attachesChosenMethod
      ? paymentMethodOf(unit, change, customer, { id, param: 'payment_method' })
      : change.create('payment_method', makeTestMethod(unit, id))
  }
  const method = unit.find('payment_method', id, 'payment_method')
  if (method.customer !== null && method.customer !== (customer?.id ?? null)) {
    throw parameterInvalid(
      'payment_method',
      `The payment method '${id}' does not belong to the customer of the payment intent`,
    )
  }
  return method
}

/** The payment method that a request names, or the card of a new one. */
export type ChosenMethod = {
  payment_method?: string | undefined
  payment_method_data?: (Omit<NewMethod, 'type'> & { card: CardParams }) | undefined
}

/**
 * Returns the payment method that a request chooses for an intent; null if it chooses none.
 * @throws what methodFor and createPaymentMethod throw
 */
export function chooseMethod(
  unit: UnitOfWork,
  change: Change,
  customer: Customer | null,
  { payment_method, payment_method_data }: ChosenMethod,
): PaymentMethod | null {
  if (payment_method !== undefined) return methodFor(unit, change, customer, payment_method)
  if (payment_method_data === undefined) return null
  const method = newMethod(unit, { type: 'card', ...payment_method_data })
  return change.create('payment_method', method)
}

/** Refuses a card that is declined, if the merchant's rules check attached cards. @throws ApiError with a 402 */
function checkAttached(unit: UnitOfWork, method: PaymentMethod): void {
  const decline = unit.rules.checksAttachedCard ? declineAtAttach(method) : null
  if (!decline) return
  const { code, message, decline_code } = decline
  throw paymentFailed(code, message, { decline_code })
}

/**
 * Attaches a payment method to a customer. One that the customer already has is unchanged.
 * @param id - of a payment method, or a test id, which creates a new one
 * @param mayDecline - whether a card that is declined is attached anyway, as one that worked once. Only fixtures do so
 * @throws ApiError resource_missing; parameter_invalid when another customer has it
 * See docs/contract/payments.md#attaching.
 */
export function attachPaymentMethod(
  unit: UnitOfWork,
  id: string,
  customerId: string,
  { mayDecline = false } = {},
): PaymentMethod {
  const change = new Change()
  const isTest = isTestId(unit, id)
  const method = isTest ? null : unit.find('payment_method', id)
  const customer = unit.find('customer', customerId, 'customer')
  if (method && !mayDecline) checkAttached(unit, method)
  if (method && method.customer !== null && method.customer !== customer.id) {
    throw parameterInvalid('customer', `The payment method '${id}' is attached to another customer`)
  }
  const attached = method
    ? method.customer === customer.id
      ? method
      : change.update(
          'payment_method',
          method,
          (detached) => ({ ...detached, customer: customer.id }),
          'payment_method.attached',
        )
    : paymentMethodOf(unit, change, customer, { id, param: 'id', mayDecline })
  apply(unit, change, unit.clockOf(customer.test_clock))
  return attached
}

/**
 * Detaches a payment method from its customer. A customer whose default it was has none afterwards; a subscription that
 * names it uses the customer's default.
 * @throws ApiError resource_missing; parameter_invalid when it has no customer
 * See docs/contract/payments.md#detaching; paytwin: the effect on defaults.
 */
export function detachPaymentMethod(unit: UnitOfWork, id: string): PaymentMethod {
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
      (owner) => ({ ...owner, default_payment_method: null }),
      'customer.updated',
    )
  }
  apply(unit, change, unit.clockOf(customer.test_clock))
  return detached
}

/** undefined leaves a part unchanged. */
export type PaymentMethodUpdate = {
  readonly billing_details?: Partial<BillingDetails> | undefined
  readonly card?: { exp_month?: number | undefined; exp_year?: number | undefined } | undefined
  readonly metadata?: MetadataParam | undefined
}

/** Updates an attached payment method. @throws ApiError resource_missing; parameter_invalid when it has no customer */
export function updatePaymentMethod(
  unit: UnitOfWork,
  id: string,
  { billing_details, card, metadata }: PaymentMethodUpdate,
): PaymentMethod {
  const method = unit.find('payment_method', id)
  if (method.customer === null)
    throw parameterInvalid('id', `The payment method '${id}' is not attached to a customer: attach it first`)
  const clock = unit.clockOf(unit.need('customer', method.customer).test_clock)
  const change = new Change()
  const updated = change.update('payment_method', method, (before) => ({
    ...before,
    ...(billing_details && {
      billing_details: { ...(before.billing_details ?? NO_BILLING_DETAILS), ...billing_details },
    }),
    card: before.card && {
      ...before.card,
      exp_month: card?.exp_month ?? before.card.exp_month,
      exp_year: card?.exp_year ?? before.card.exp_year,
    },
    metadata: mergeMetadata(before.metadata, metadata),
  }))
  apply(unit, change, clock)
  return updated
}

/**
 * Sets the outcomes of a card's next attempts.
 * @throws ApiError resource_missing; parameter_invalid for an invalid outcome, or a method that is not a card
 * See docs/contract/payments.md#scripted-cards.
 */
export function scriptPaymentMethod(unit: UnitOfWork, id: string, script: Script): PaymentMethod {
  const method = unit.find('payment_method', id)
  const entries = [
    ...script.outcomes.map((entry, index) => [`outcomes[${index}]`, entry] as const),
    ['then', script.then] as const,
  ]
  for (const [param, entry] of entries) {
    if (!scriptedOutcome(entry)) {
      throw parameterInvalid(
        param,
        `'${entry}' is not an outcome; use 'succeed' or 'decline:<code>', as in decline:insufficient_funds`,
      )
    }
  }
  if (method.type !== 'card') throw parameterInvalid('id', 'Only cards can have scripted outcomes')
  const change = new Change()
  const scripted = change.update('payment_method', method, (card) => ({ ...card, script }))
  apply(unit, change)
  return scripted
}
