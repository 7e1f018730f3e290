import {
  announceAction,
  type Confirmation,
  checkConfirmable,
  checkInitialized,
  checkWaiting,
  confirm,
  needsAction,
  settle,
  settlement,
  waitForCustomer,
} from '../../core/billing/confirm.ts'
import { payNow } from '../../core/billing/retry.ts'
import { Change } from '../../core/change.ts'
import type { Customer } from '../../core/customer.ts'
import { assert, paymentIntentUnexpectedState } from '../../core/errors.ts'
import { mergeMetadata } from '../../core/metadata.ts'
import {
  canceledIntent,
  intentFactsOf,
  newPaymentIntent,
  type PaymentIntent,
} from '../../core/payment-intent.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import type { Outcome } from '../../core/processor.ts'
import { apply } from '../machine/apply.ts'
import { nextChargeFault } from '../machine/charge-fault.ts'
import type { Clock } from '../machine/clock.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadInvoiceAccount, subscriptionOf } from './account.ts'
import {
  checkUpdatable,
  chosenFor,
  type IntentParams,
  type IntentUpdate,
  isOpen,
  optionsOf,
} from './intent-params.ts'
import { chooseMethod, methodFor } from './payment-method.ts'

/** An intent after a command, and the outcome of its payment if it was declined. */
export type IntentOutcome = {
  readonly intent: PaymentIntent
  readonly declined: (Outcome & { approved: false }) | null
}

const succeededWith = (intent: PaymentIntent): IntentOutcome => ({ intent, declined: null })

const outcomeOf = (confirmation: Confirmation): IntentOutcome => ({
  intent: confirmation.intent,
  declined: confirmation.result === 'declined' ? confirmation.outcome : null,
})

/**
 * Creates an intent, and confirms it if requested. A declined intent is created too.
 * @throws ApiError resource_missing, parameter_invalid; payment_not_initialized to confirm one without a payment method
 * See docs/contract/payments.md#creating-an-intent.
 */
export function createPaymentIntent(
  unit: UnitOfWork,
  params: IntentParams & {
    amount: number
    currency: string
    confirm: boolean
    off_session?: boolean | undefined
  },
): IntentOutcome {
  const customer = params.customer === undefined ? null : unit.find('customer', params.customer, 'customer')
  const clock = unit.clockOf(customer?.test_clock ?? null)
  const change = new Change()
  const method = chooseMethod(unit, change, customer, params)
  const intent = newPaymentIntent({
    id: unit.idFor('payment_intent'),
    created: clock.instant,
    amount: params.amount,
    currency: params.currency,
    customer: customer?.id ?? null,
    payment_method: method?.id ?? null,
    description: params.description ?? null,
    metadata: mergeMetadata({}, params.metadata),
    options: optionsOf(null, params),
  })
  change.create('payment_intent', intent, 'payment_intent.created')
  if (!params.confirm) {
    apply(unit, change, clock)
    return succeededWith(intent)
  }
  if (!method) checkInitialized(intent)
  assert(method, 'an initialized intent has a payment method')
  const confirmation = confirm(
    change,
    { now: clock.instant, newId: unit.newId, rules: unit.rules, testClock: customer?.test_clock ?? null },
    {
      before: intent,
      ready: intent,
      method,
      fault: nextChargeFault(unit),
      isOffSession: params.off_session ?? false,
    },
  )
  apply(unit, change, clock)
  return outcomeOf(confirmation)
}

/**
 * Updates an intent. A payment method makes it ready to be confirmed.
 * @throws ApiError invalid_state_transition for an update that would reopen a canceled one;
 *   payment_intent_unexpected_state for fields that its status or its invoice fixes
 * See docs/contract/payments.md#updating-an-intent.
 */
export function updatePaymentIntent(unit: UnitOfWork, id: string, params: IntentUpdate): PaymentIntent {
  const intent = unit.find('payment_intent', id)
  const customer = customerFor(unit, intent, params.customer)
  const change = new Change()
  const method = chooseMethod(unit, change, customer, params)
  // If the customer changes, the previous customer's payment method must not remain.
  if (params.customer !== undefined && !method && intent.payment_method !== null) {
    methodFor(unit, change, customer, intent.payment_method)
  }
  checkUpdatable(unit, intent, params)
  const after = {
    ...(method ? chosenFor(unit, intent, method) : intent),
    amount: params.amount ?? intent.amount,
    currency: params.currency ?? intent.currency,
    customer: customer?.id ?? null,
    description: params.description === undefined ? intent.description : params.description,
    metadata: mergeMetadata(intent.metadata, params.metadata),
    options: optionsOf(intent, params),
  }
  change.update('payment_intent', intent, () => after)
  apply(unit, change, clockOf(unit, after))
  return after
}

/**
 * Confirms an intent: charges it, or makes it wait for the customer. The intent of an invoice pays the invoice.
 * @throws ApiError payment_intent_unexpected_state, payment_not_initialized, resource_missing, parameter_invalid
 * See docs/contract/payments.md#confirming.
 */
export function confirmPaymentIntent(
  unit: UnitOfWork,
  id: string,
  params: Pick<IntentParams, 'payment_method' | 'payment_method_data' | 'options'> & {
    off_session?: boolean | undefined
  },
): IntentOutcome {
  const before = unit.find('payment_intent', id)
  if (!isOpen(unit, before)) checkConfirmable(before)
  const change = new Change()
  const customer = before.customer === null ? null : unit.find('customer', before.customer)
  const given = chooseMethod(unit, change, customer, params)
  if (!given) checkInitialized(before)
  // The method may have moved to another customer since it was chosen.
  const method = given ?? methodFor(unit, change, customer, before.payment_method ?? '')
  const chosen = given || intentFactsOf(before).awaitsCustomer ? chosenFor(unit, before, method) : before
  const ready = { ...chosen, options: optionsOf(before, params) }
  const isOffSession = params.off_session ?? false
  const clock = clockOf(unit, before)
  if (before.invoice === null) {
    const fault = nextChargeFault(unit)
    const { newId, rules } = unit
    const moment = { now: clock.instant, newId, rules, testClock: customer?.test_clock ?? null }
    const confirmation = confirm(change, moment, { before, ready, method, fault, isOffSession })
    apply(unit, change, clock)
    return outcomeOf(confirmation)
  }
  if (needsAction(method) && !isOffSession) {
    if (unit.rules.waitsForAuthentication) announceAction(change, unit.need('invoice', before.invoice))
    const intent = waitForCustomer(change, before, ready)
    apply(unit, change, clock)
    return succeededWith(intent)
  }
  return payInvoiceWith(unit, change, { intent: before, method })
}

/**
 * Settles an intent that waits for the customer, with the outcome of the customer's action.
 * @throws ApiError resource_missing; payment_intent_unexpected_state when it does not wait
 * See docs/contract/payments.md#settling.
 */
export function settlePaymentIntent(
  unit: UnitOfWork,
  id: string,
  outcome: 'succeed' | 'fail',
): PaymentIntent {
  const intent = unit.find('payment_intent', id)
  checkWaiting(intent)
  const method = unit.need('payment_method', intent.payment_method ?? '')
  const settled = settlement(outcome, method, unit.rules)
  const change = new Change()
  if (intent.invoice !== null) return payInvoiceWith(unit, change, { intent, method, settled }).intent
  const clock = clockOf(unit, intent)
  const moment = { now: clock.instant, newId: unit.newId, rules: unit.rules }
  const after = settle(change, moment, intent, {
    outcome: settled,
    method,
    customer: customerFor(unit, intent, undefined),
  })
  apply(unit, change, clock)
  return after
}

/**
 * Pays an invoice with its intent, which counts as a payment by hand. See
 * docs/contract/payments.md#intents-of-invoices.
 */
function payInvoiceWith(
  unit: UnitOfWork,
  change: Change,
  { intent, method, settled }: { intent: PaymentIntent; method: PaymentMethod; settled?: Outcome },
): IntentOutcome {
  const invoice = unit.need('invoice', intent.invoice ?? '')
  const subscription = subscriptionOf(unit, invoice)
  const account = {
    ...loadInvoiceAccount(unit, invoice, subscription),
    paymentMethod: method,
    intents: new Map([[invoice.id, intent]]),
  }
  const collected = payNow(change, account, invoice, subscription, {
    scheduled: false,
    ...(settled && { settled }),
  })
  apply(unit, change, unit.clockOf(invoice.test_clock))
  return {
    intent: change.latest('payment_intent', intent),
    declined: collected.result === 'failed' ? collected.outcome : null,
  }
}

/**
 * Cancels an intent.
 * @throws ApiError resource_missing; payment_intent_unexpected_state when it has ended, or belongs to an invoice
 * See docs/contract/payments.md#canceling-an-intent.
 */
export function cancelPaymentIntent(unit: UnitOfWork, id: string, reason: string | null): PaymentIntent {
  const intent = unit.find('payment_intent', id)
  const clock = clockOf(unit, intent)
  const change = new Change()
  const after = canceledIntent(intent, { now: clock.instant, reason })
  if (intent.invoice !== null) {
    throw paymentIntentUnexpectedState('The payment intent of an invoice is canceled by voiding the invoice')
  }
  change.update('payment_intent', intent, () => after, 'payment_intent.canceled')
  apply(unit, change, clock)
  return after
}

/** Returns the clock of an intent, which is that of its customer. */
const clockOf = (unit: UnitOfWork, { customer }: PaymentIntent): Clock =>
  unit.clockOf(customer === null ? null : unit.need('customer', customer).test_clock)

function customerFor(unit: UnitOfWork, intent: PaymentIntent, id: string | undefined): Customer | null {
  if (id !== undefined) return unit.find('customer', id, 'customer')
  return intent.customer === null ? null : unit.need('customer', intent.customer)
}
