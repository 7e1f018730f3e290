import { isSavable, needsAction } from '../../core/billing/confirm.ts'
import {
  confirmSetup,
  finishSetup,
  NOT_SAVABLE,
  NOT_SET_UP,
  type SetupResult,
} from '../../core/billing/setup.ts'
import { Change } from '../../core/change.ts'
import type { Customer } from '../../core/customer.ts'
import { parameterMissing, setupIntentUnexpectedState } from '../../core/errors.ts'
import { DEFAULT_METHOD_OPTIONS, type MethodOptions } from '../../core/intent-options.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import { APPROVED } from '../../core/processor.ts'
import {
  canceledSetup,
  checkAwaitsAuthentication,
  newSetupIntent,
  type SetupIntent,
  setupFactsOf,
  withSetupMethod,
} from '../../core/setup-intent.ts'
import type { Subscription } from '../../core/subscription.ts'
import { apply } from '../machine/apply.ts'
import type { Clock } from '../machine/clock.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { type ChosenMethod, chooseMethod, methodFor } from './payment-method.ts'

export type SetupParams = ChosenMethod & {
  customer?: string | undefined
  usage?: SetupIntent['usage'] | undefined
  options?: Partial<MethodOptions> | undefined
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Creates a setup intent, and confirms it if requested.
 * @throws ApiError resource_missing, parameter_invalid; parameter_missing to confirm one without a payment method
 * See docs/contract/setup-intents.md.
 */
export function createSetupIntent(
  unit: UnitOfWork,
  params: SetupParams & { readonly confirm?: boolean | undefined; readonly subscription?: string },
): SetupResult {
  const customer = params.customer === undefined ? null : unit.find('customer', params.customer, 'customer')
  const clock = unit.clockOf(customer?.test_clock ?? null)
  const change = new Change()
  const method = chooseMethod(unit, change, customer, params)
  const intent = newSetupIntent({
    id: unit.idFor('setup_intent'),
    created: clock.instant,
    customer: customer?.id ?? null,
    payment_method: method?.id ?? null,
    usage: params.usage ?? 'off_session',
    options: { ...DEFAULT_METHOD_OPTIONS, ...params.options },
    description: params.description ?? null,
    metadata: mergeMetadata({}, params.metadata),
  })
  change.create('setup_intent', intent, 'setup_intent.created')
  if (params.confirm && !method) throw parameterMissing('payment_method')
  const result =
    params.confirm && method
      ? confirmSetup(change, { before: intent, ready: intent, method, subscription: null })
      : { intent, declined: null }
  apply(unit, change, clock)
  return result
}

/**
 * Updates a setup intent. A payment method makes it ready to be confirmed.
 * @throws ApiError resource_missing; setup_intent_unexpected_state when it is finished, or for another customer of one with a subscription
 */
export function updateSetupIntent(
  unit: UnitOfWork,
  id: string,
  params: Omit<SetupParams, 'usage'>,
): SetupIntent {
  const intent = unit.find('setup_intent', id)
  const changesMethod =
    params.customer !== undefined ||
    params.payment_method !== undefined ||
    params.payment_method_data !== undefined
  if (setupFactsOf(intent).isFinished && changesMethod) {
    throw setupIntentUnexpectedState(
      `Only description and metadata of a setup intent whose status is ${intent.status} can be changed`,
    )
  }
  const changesCustomer = params.customer !== undefined && params.customer !== intent.customer
  if (intent.subscription !== null && changesCustomer) {
    throw setupIntentUnexpectedState(
      'The customer of a setup intent with a subscription is that of the subscription',
    )
  }
  const customer =
    params.customer === undefined
      ? customerOf(unit, intent)
      : unit.find('customer', params.customer, 'customer')
  const change = new Change()
  const method = chooseMethod(unit, change, customer, params)
  const after: SetupIntent = {
    ...(method ? withSetupMethod(intent, method.id) : intent),
    customer: customer?.id ?? null,
    options: { ...intent.options, ...params.options },
    description: params.description === undefined ? intent.description : params.description,
    metadata: mergeMetadata(intent.metadata, params.metadata),
  }
  change.update('setup_intent', intent, () => after)
  apply(unit, change, clockOf(unit, after))
  return after
}

/**
 * Confirms a setup intent.
 * @throws ApiError resource_missing, parameter_missing; setup_intent_unexpected_state when it is finished
 * See docs/contract/setup-intents.md#confirming.
 */
export function confirmSetupIntent(
  unit: UnitOfWork,
  id: string,
  params: ChosenMethod & { options?: Partial<MethodOptions> | undefined },
): SetupResult {
  const before = unit.find('setup_intent', id)
  const customer = before.customer === null ? null : unit.find('customer', before.customer)
  const change = new Change()
  if (setupFactsOf(before).isFinished) withSetupMethod(before, before.payment_method ?? '')
  const given = chooseMethod(unit, change, customer, params)
  const method =
    given ??
    (before.payment_method === null ? null : methodFor(unit, change, customer, before.payment_method))
  if (!method) throw parameterMissing('payment_method')
  const ready = { ...withSetupMethod(before, method.id), options: { ...before.options, ...params.options } }
  const result = confirmSetup(change, { before, ready, method, subscription: subscriptionOf(unit, before) })
  apply(unit, change, clockOf(unit, before))
  return result
}

/**
 * Completes the authentication that a setup intent waits for. It fails if the payment method can no longer be saved.
 * @throws ApiError resource_missing; invalid_state_transition when it does not wait
 */
export function settleSetupIntent(unit: UnitOfWork, id: string, outcome: 'succeed' | 'fail'): SetupIntent {
  const before = unit.find('setup_intent', id)
  checkAwaitsAuthentication(before)
  const method = unit.need('payment_method', before.payment_method ?? '')
  const change = new Change()
  const setup = { before, ready: before, method, subscription: subscriptionOf(unit, before) }
  const result = isSavable(method, customerOf(unit, before)) ? APPROVED : NOT_SAVABLE
  const { intent } = finishSetup(change, setup, outcome === 'succeed' ? result : NOT_SET_UP)
  apply(unit, change, clockOf(unit, before))
  return intent
}

/**
 * Cancels a setup intent.
 * @throws ApiError resource_missing; setup_intent_unexpected_state when it is finished
 */
export function cancelSetupIntent(unit: UnitOfWork, id: string, reason: string | null): SetupIntent {
  const intent = unit.find('setup_intent', id)
  const change = new Change()
  const after = canceledSetup(intent, reason)
  change.update('setup_intent', intent, () => after, 'setup_intent.canceled')
  apply(unit, change, clockOf(unit, intent))
  return after
}

type PreparedBehavior = { readonly payment_behavior: string }

/**
 * Returns the setup intent of a new subscription that has nothing to pay yet, if its later payments need a payment method or
 * an authentication; null for none.
 * See docs/contract/setup-intents.md#subscriptions.
 */
export function pendingSetup(
  unit: UnitOfWork,
  { id, created, customer, collection_method }: Subscription,
  method: PaymentMethod | null,
  { payment_behavior }: PreparedBehavior,
): SetupIntent | null {
  const isNeeded = method
    ? needsAction(method) && !method.is_set_up
    : payment_behavior === 'default_incomplete'
  if (!unit.rules.preparesPaymentMethod || collection_method !== 'charge_automatically' || !isNeeded)
    return null
  return newSetupIntent({
    id: unit.idFor('setup_intent'),
    created,
    customer,
    payment_method: method?.id ?? null,
    options: DEFAULT_METHOD_OPTIONS,
    subscription: id,
  })
}

/**
 * Adds the setup intent of a new subscription. An intent with a payment method is confirmed at once, unless it waits for a
 * confirmation.
 */
export function addPendingSetup(
  change: Change,
  intent: SetupIntent,
  method: PaymentMethod | null,
  { payment_behavior }: PreparedBehavior,
): void {
  change.create('setup_intent', intent, 'setup_intent.created')
  if (method && payment_behavior !== 'default_incomplete')
    confirmSetup(change, { before: intent, ready: intent, method, subscription: null })
}

const customerOf = (unit: UnitOfWork, { customer }: SetupIntent): Customer | null =>
  customer === null ? null : unit.need('customer', customer)

const subscriptionOf = (unit: UnitOfWork, { subscription }: SetupIntent) =>
  subscription === null ? null : unit.need('subscription', subscription)

/** Returns the clock of an intent, which is that of its customer. */
const clockOf = (unit: UnitOfWork, intent: SetupIntent): Clock =>
  unit.clockOf(customerOf(unit, intent)?.test_clock ?? null)
