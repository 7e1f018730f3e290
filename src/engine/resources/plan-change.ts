import { changePlan } from '../../core/billing/change-plan.ts'
import type { Collected } from '../../core/billing/collect.ts'
import { cancelNow } from '../../core/billing/settlement.ts'
import { isSameInterval } from '../../core/calendar.ts'
import type { Change } from '../../core/change.ts'
import { invalidStateTransition, parameterInvalid } from '../../core/errors.ts'
import { isSameJson } from '../../core/json-text.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import { billedItems, type ProrationBehavior } from '../../core/proration.ts'
import { intervalOf, type Prices, type Subscription } from '../../core/subscription.ts'
import { factsOf, isRunning } from '../../core/subscription-status.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadAccount, loadEndingAccount } from './account.ts'
import { billedLines } from './billed-lines.ts'

/** The parameters of an update that say how a change within a period is billed. */
export type ProrationParams = {
  proration_behavior?: ProrationBehavior | undefined
  proration_date?: number | undefined
  billing_cycle_anchor?: 'now' | 'unchanged' | undefined
  /** Whether the customer is absent and cannot authenticate a payment. */
  off_session?: boolean | undefined
}

/**
 * Checks the parameters of a proration.
 * @throws ApiError parameter_invalid, param proration_date; invalid_state_transition, param status
 * See docs/contract/proration.md#changing-a-plan.
 */
export function checkProration(
  subscription: Subscription,
  { proration_behavior = 'none', proration_date, billing_cycle_anchor }: ProrationParams,
): void {
  const { current_period_start, current_period_end } = subscription
  if (proration_date !== undefined) {
    const refuse = (why: string) => parameterInvalid('proration_date', `proration_date ${why}`)
    if (proration_behavior === 'none')
      throw refuse('needs a proration_behavior of create_prorations or always_invoice')
    if (proration_date < current_period_start || proration_date > current_period_end) {
      throw refuse(`must be within the current period, from ${current_period_start} to ${current_period_end}`)
    }
  }
  const { isBilled: isPeriodBilled, collectsRenewals } = factsOf(subscription)
  if (billing_cycle_anchor === 'now' && !(isPeriodBilled && collectsRenewals)) {
    throw invalidStateTransition(
      `A subscription whose status is ${subscription.status} cannot begin a new period`,
    )
  }
}

/**
 * Reports whether an update bills something within the current period: it begins a new one, it prorates a change of items, or it
 * is `always_invoice` while items wait, also if the subscription's items stay the same.
 * See docs/contract/proration.md#changing-a-plan.
 */
export function changesPlan(
  before: Subscription,
  after: Subscription,
  { proration_behavior = 'none', billing_cycle_anchor }: ProrationParams,
): boolean {
  if (!factsOf(before).isBilled) return false
  const changesItems = !isSameJson(before.items, after.items)
  const billsWaiting = proration_behavior === 'always_invoice' && before.has_pending_items
  return billing_cycle_anchor === 'now' || billsWaiting || (proration_behavior !== 'none' && changesItems)
}

/**
 * Changes the items of a subscription within its period.
 * @param given.method - a payment method that the same update sets, which may not be stored yet
 * @returns the result of the invoice; null if none was collected
 */
export function changePlanNow(
  unit: UnitOfWork,
  change: Change,
  given: {
    readonly before: Subscription
    readonly after: Subscription
    readonly method: PaymentMethod | null | undefined
    readonly params: ProrationParams & { readonly payment_behavior?: string | undefined }
    /** Whether the change waits for its payment if that fails. */
    readonly isConditional: boolean
  },
): Collected | null {
  const { before, after, method, params, isConditional } = given
  const loaded = loadAccount(unit, { ...after, ...(method && { default_payment_method: null }) }, change)
  const prices: Prices = new Map([...pricesOf(unit, before), ...loaded.prices])
  // A change by a request is made with the customer present unless it says otherwise, one by a schedule is not.
  const isOnSession = unit.request !== null && !params.off_session
  const account = { ...loaded, prices, isOnSession, ...(method && { paymentMethod: method }) }
  const behavior = params.proration_behavior ?? 'none'
  return changePlan(change, account, before, {
    after,
    behavior,
    at: params.proration_date ?? account.now,
    restartsPeriod:
      params.billing_cycle_anchor === 'now' ||
      !isSameInterval(intervalOf(before.items, prices), intervalOf(after.items, prices)),
    isConditional,
    isUncharged: params.payment_behavior === 'default_incomplete',
    billed: billedItems(billedLines(unit, before)),
    names: namesOf(unit, prices),
  })
}

/**
 * Cancels a subscription now.
 * @param given.prorate - whether to credit the unused time
 * @param given.invoice_now - whether to bill the pending items at once
 * @throws ApiError invalid_state_transition, param status, when it has already ended
 * See docs/contract/proration.md#canceling.
 */
export function cancelWithSettlement(
  unit: UnitOfWork,
  change: Change,
  subscription: Subscription,
  { prorate, invoice_now }: { readonly prorate: boolean; readonly invoice_now: boolean },
): void {
  const account = loadEndingAccount(unit, subscription)
  const { isBilled: isPeriodBilled } = factsOf(subscription)
  cancelNow(change, account, subscription, {
    prorate: prorate && isPeriodBilled,
    invoiceNow: invoice_now && isRunning(subscription),
    billed: billedItems(prorate ? billedLines(unit, subscription) : []),
    names: namesOf(unit, account.prices),
  })
}

const pricesOf = (unit: UnitOfWork, { items }: Subscription): Prices =>
  new Map(items.map(({ price }) => [price, unit.needWithoutMetadata('price', price)]))

/** Returns the display name of each price: its product's name, or else its nickname, or else its id. */
export function namesOf(unit: UnitOfWork, prices: Prices): ReadonlyMap<string, string> {
  return new Map(
    [...prices].map(([id, { product, nickname }]) => [
      id,
      (product === null ? nickname : unit.needWithoutMetadata('product', product).name) ?? nickname ?? id,
    ]),
  )
}
