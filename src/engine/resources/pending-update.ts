import type { Collected } from '../../core/billing/collect.ts'
import { dropPendingUpdate } from '../../core/billing/retry.ts'
import { Change } from '../../core/change.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { intentFactsOf } from '../../core/payment-intent.ts'
import type { Subscription } from '../../core/subscription.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadAccount } from './account.ts'
import type { ProrationParams } from './plan-change.ts'
import type { ItemUpdate } from './subscription-items.ts'

/**
 * The effect of a failed payment on an update. With `default_incomplete`, the customer pays by hand. `pending_if_action` is
 * only for customers that are present: an update waits for their authentication, and is refused for all other failures.
 */
export type PaymentBehavior =
  | 'allow_incomplete'
  | 'default_incomplete'
  | 'error_if_incomplete'
  | 'pending_if_incomplete'
  | 'pending_if_action'

/** The parameters of an update that concern pending ones. */
type Params = ProrationParams & {
  readonly items?: readonly ItemUpdate[] | undefined
  readonly payment_behavior?: PaymentBehavior | undefined
  readonly trial_end?: number | 'now' | undefined
}

/** The parameters of an update that can wait for its payment. */
const CONDITIONAL_PARAMS: readonly string[] = [
  'items',
  'proration_behavior',
  'proration_date',
  'billing_cycle_anchor',
  'payment_behavior',
  'off_session',
] satisfies (keyof Params)[]

/**
 * Checks an update that waits for its payment if that fails.
 * @throws ApiError parameter_invalid for another parameter beside it; param payment_behavior if invoices are sent
 * See docs/contract/proration.md#pending-updates.
 */
export function checkConditional({ collection_method }: Subscription, params: Params): void {
  if (!isPendingUntilPaid(params)) return
  const [other] = Object.entries(params).find(
    ([name, value]) => value !== undefined && !CONDITIONAL_PARAMS.includes(name),
  ) ?? [undefined]
  if (other !== undefined)
    throw parameterInvalid(other, `${other} cannot be changed with payment_behavior pending_if_incomplete`)
  const discounted = params.items?.findIndex(({ discounts }) => discounts !== undefined) ?? -1
  if (discounted >= 0)
    throw parameterInvalid(
      `items[${discounted}][discounts]`,
      'discounts cannot be changed with payment_behavior pending_if_incomplete',
    )
  if (collection_method === 'send_invoice')
    throw parameterInvalid(
      'payment_behavior',
      'pending_if_incomplete needs a subscription that is charged automatically',
    )
}

/** Whether an update counts only once it is paid. */
export const isPendingUntilPaid = ({ payment_behavior }: Params): boolean =>
  payment_behavior === 'pending_if_incomplete' || payment_behavior === 'pending_if_action'

/** Whether a failed payment refuses the whole update. @param change - the decision, with the intent of the payment */
export function isRefused(
  change: Change,
  { invoice: { payment_intent } }: Collected,
  { payment_behavior }: Params,
): boolean {
  if (payment_behavior === 'error_if_incomplete') return true
  const intent = payment_intent === null ? undefined : change.pending('payment_intent', payment_intent)
  return payment_behavior === 'pending_if_action' && !(intent && intentFactsOf(intent).awaitsCustomer)
}

/** Reports whether an update replaces a pending one. */
export const replacesPending = ({ items, billing_cycle_anchor, trial_end }: Params): boolean =>
  items !== undefined || billing_cycle_anchor === 'now' || trial_end !== undefined

/** Discards a pending update before another one. This is written first, because the next decision reads the billed lines. */
export function withoutPending(unit: UnitOfWork, subscription: Subscription): Subscription {
  if (subscription.pending_update === null) return subscription
  const change = new Change()
  dropPendingUpdate(change, loadAccount(unit, subscription), subscription)
  apply(unit, change, unit.clockOf(subscription.test_clock))
  return change.latest('subscription', subscription)
}
