import { endTrial } from '../core/billing/renew.ts'
import { resume } from '../core/billing/resume.ts'
import { Change } from '../core/change.ts'
import { mergeMetadata } from '../core/customer.ts'
import { invalidStateTransition, parameterInvalid, unsupportedPspCapability } from '../core/errors.ts'
import type { CollectionMethod, Invoice } from '../core/invoice.ts'
import type { Outcome } from '../core/processor.ts'
import {
  canceledAt,
  canceledAtPeriodEnd,
  hasEnded,
  isRunning,
  type PauseCollection,
  type Subscription,
  withoutCancellation,
  withTrialEnd,
} from '../core/subscription.ts'
import { apply } from './apply.ts'
import { loadAccount } from './billing.ts'
import { paymentMethodOf } from './payment-method.ts'
import { checkTrialEnd, DEFAULT_DAYS_UNTIL_DUE, notRunning } from './subscription.ts'
import { type ItemUpdate, updatedItems } from './subscription-items.ts'
import type { Unit } from './unit.ts'

/** undefined leaves a field as it is, null unsets it. */
export type SubscriptionUpdate = {
  default_payment_method?: string | null | undefined
  cancel_at_period_end?: boolean | undefined
  cancel_at?: number | null | undefined
  collection_method?: CollectionMethod | undefined
  days_until_due?: number | undefined
  items?: readonly ItemUpdate[] | undefined
  trial_end?: number | 'now' | undefined
  pause_collection?: PauseCollection | null | undefined
  description?: string | null | undefined
  metadata?: Record<string, string> | '' | undefined
}

/**
 * Changes a subscription. Items count from the next renewal; nothing is prorated. A trial that is ended now is billed as at
 * its end.
 * @throws ApiError resource_missing, parameter_invalid, unsupported_psp_capability, amount_too_large,
 * invalid_state_transition (param status)
 * Source: decisions.md 6 (`POST /v1/subscriptions/{id}`), 13.
 */
export function updateSubscription(unit: Unit, id: string, params: SubscriptionUpdate): Subscription {
  const subscription = unit.find('subscription', id)
  const change = new Change()
  const clock = unit.clockOf(subscription.test_clock)
  const changed = withParams(unit, change, subscription, params, clock.instant)
  const isSame = JSON.stringify(changed) === JSON.stringify(subscription)
  if (params.trial_end === 'now') {
    checkTrialing(subscription)
    change.update('subscription', subscription, () => changed)
    endTrial(change, loadAccount(unit, changed), changed, clock.instant)
  } else if (!isSame) {
    change.update('subscription', subscription, () => changed, 'subscription.updated')
  }
  apply(unit, change, clock)
  return change.latest('subscription', subscription)
}

function withParams(
  unit: Unit,
  change: Change,
  subscription: Subscription,
  params: SubscriptionUpdate,
  now: number,
): Subscription {
  const { description, metadata, ...others } = params
  if (hasEnded(subscription) && Object.values(others).some((value) => value !== undefined)) {
    throw invalidStateTransition(
      `Of a subscription whose status is ${subscription.status} only description and metadata can be changed`,
    )
  }
  const rules = [withMethod, withCollection, withItems, withMovedTrial, withCancellation, withPause]
  const after = rules.reduce(
    (state, rule) => rule({ unit, change, state, params: others, now }),
    subscription,
  )
  return {
    ...after,
    description: description === undefined ? after.description : description,
    metadata: mergeMetadata(after.metadata, metadata),
  }
}

type Rule = {
  unit: Unit
  change: Change
  state: Subscription
  params: Omit<SubscriptionUpdate, 'description' | 'metadata'>
  now: number
}

function withMethod({ unit, change, state, params: { default_payment_method: id } }: Rule): Subscription {
  if (id === undefined) return state
  if (id === null) return { ...state, default_payment_method: null }
  const customer = unit.need('customer', state.customer)
  const method = paymentMethodOf(unit, change, customer, { id, param: 'default_payment_method' })
  if (method.type !== 'card') throw unsupportedPspCapability(method.type)
  return { ...state, default_payment_method: method.id }
}

function withCollection({ state, params }: Rule): Subscription {
  const collection_method = params.collection_method ?? state.collection_method
  if (collection_method === 'send_invoice') {
    const days_until_due = params.days_until_due ?? state.days_until_due ?? DEFAULT_DAYS_UNTIL_DUE
    return { ...state, collection_method, days_until_due }
  }
  if (params.days_until_due !== undefined) {
    throw parameterInvalid(
      'days_until_due',
      'days_until_due applies only when collection_method is send_invoice',
    )
  }
  return { ...state, collection_method, days_until_due: null }
}

const withItems = ({ unit, state, params: { items }, now }: Rule): Subscription =>
  items === undefined ? state : { ...state, items: updatedItems(unit, state, items, now) }

function withMovedTrial({ state, params: { trial_end }, now }: Rule): Subscription {
  if (trial_end === undefined || trial_end === 'now') return state
  checkTrialing(state)
  checkTrialEnd(trial_end, now)
  return withTrialEnd(state, trial_end)
}

/** @throws ApiError invalid_state_transition, param status */
function checkTrialing({ status }: Subscription): void {
  if (status !== 'trialing') {
    throw invalidStateTransition(`A subscription whose status is ${status} has no trial whose end could move`)
  }
}

function withCancellation({ state, params: { cancel_at, cancel_at_period_end }, now }: Rule): Subscription {
  if (cancel_at === undefined && cancel_at_period_end === undefined) return state
  const asksToEnd = cancel_at_period_end === true || (cancel_at !== undefined && cancel_at !== null)
  if (asksToEnd && !isRunning(state)) throw notRunning(state, 'told to end later')
  if (cancel_at !== undefined && cancel_at !== null && cancel_at <= now) {
    throw parameterInvalid('cancel_at', `cancel_at must lie after now, which is ${now}`)
  }
  const dated = cancel_at === undefined ? state : canceledAt(state, cancel_at, now)
  if (cancel_at_period_end === undefined || cancel_at_period_end === dated.cancel_at_period_end) return dated
  return cancel_at_period_end ? canceledAtPeriodEnd(dated, now) : withoutCancellation(dated)
}

function withPause({ state, params: { pause_collection }, now }: Rule): Subscription {
  if (pause_collection === undefined) return state
  if (pause_collection !== null && !isRunning(state)) throw notRunning(state, 'paused')
  const resumes_at = pause_collection?.resumes_at ?? null
  if (resumes_at !== null && resumes_at <= now) {
    throw parameterInvalid('pause_collection[resumes_at]', `resumes_at must lie after now, which is ${now}`)
  }
  return { ...state, pause_collection }
}

/** A resumed subscription, or why the payment failed that resuming it needed. */
export type Resumed = {
  readonly subscription: Subscription
  readonly declined: { readonly invoice: Invoice; readonly outcome: Outcome & { approved: false } } | null
}

/**
 * Resumes a subscription.
 * @throws ApiError resource_missing; invalid_state_transition, param status
 * Source: decisions.md 6 (resume); state-machines.md, Subscription.
 */
export function resumeSubscription(unit: Unit, id: string): Resumed {
  const subscription = unit.find('subscription', id)
  const change = new Change()
  const collected = resume(change, loadAccount(unit, subscription), subscription)
  apply(unit, change, unit.clockOf(subscription.test_clock))
  return {
    subscription: change.latest('subscription', subscription),
    declined: collected?.result === 'failed' ? collected : null,
  }
}
