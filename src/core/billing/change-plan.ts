import { nextBoundary, type Period } from '../calendar.ts'
import type { Change } from '../change.ts'
import type { InvoiceItem } from '../invoice-item.ts'
import {
  type BilledItems,
  creditsForAll,
  type Proration,
  type ProrationBehavior,
  prorations,
} from '../proration.ts'
import {
  intervalOf,
  type Subscription,
  showsChange,
  withInvoice,
  withRestartedPeriod,
} from '../subscription.ts'
import { pricedPeriod } from '../subscription-period.ts'
import { factsOf, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { allows, move } from '../transitions.ts'
import { type Account, updateDelinquency } from './account.ts'
import { type Billed, type Billing, billPeriod, collectedOf, draft, inPeriod } from './bill.ts'
import { discountsOfChange, withAmountsOff } from './change-discounts.ts'
import type { Collected } from './collect.ts'
import { withoutEnded } from './discounting.ts'
import { keepPending } from './pending-update.ts'
import { keptItems, usageFrom, usageUpTo } from './usage-changes.ts'

/** A change of a subscription within its period. */
export type PlanChange = {
  /** The subscription with its new items and the other changes of the same update. */
  readonly after: Subscription
  readonly behavior: ProrationBehavior
  /** The instant from which the new items count, in Unix seconds within the period. */
  readonly at: number
  /** Whether a new period begins now: the interval changes, or the request asks for it. */
  readonly restartsPeriod: boolean
  /** Whether it waits for its payment if that fails. */
  readonly isConditional: boolean
  /** Whether the invoice waits to be paid by hand: it is not charged, and the subscription is past due until then. */
  readonly isUncharged: boolean
  /** The lines that billed the items in the current period. */
  readonly billed: BilledItems
  /** The display name of each price, by id. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * Changes the items of a subscription within its period, and prorates what was billed. The lines wait for the next
 * invoice, or are billed now. A new period is always billed now.
 * @returns the result of the invoice; null if none was collected
 * See docs/contract/proration.md#changing-a-plan.
 */
export function changePlan(
  change: Change,
  account: Account,
  subscription: Subscription,
  plan: PlanChange,
): Collected | null {
  const { behavior, restartsPeriod } = plan
  const { lines, after } =
    behavior === 'none' ? { lines: [], after: plan.after } : prorateChange(account, subscription, plan)
  const created = lines.map((line) => createItem(change, account, subscription, line))
  const waiting = { ...account, pendingItems: [...account.pendingItems, ...created] }
  const hasWaiting = waiting.pendingItems.length > 0
  const update = (given: Subscription) => {
    const changed = withoutEnded(change, given)
    // A new period in the same second as the last one, with collection paused, looks the same.
    const event = showsChange(subscription, changed) ? 'subscription.updated' : null
    change.update('subscription', subscription, () => changed, event)
  }

  const billsNow = restartsPeriod || (behavior === 'always_invoice' && hasWaiting)
  if (!billsNow) {
    update({ ...after, has_pending_items: hasWaiting })
    return null
  }
  const period = restartsPeriod ? periodFrom(account, after) : currentPeriod(after)
  // If the period continues, its notices stay as they are.
  const moved = restartsPeriod
    ? inPeriod(waiting, withRestartedPeriod(after, period), period)
    : { ...after, has_pending_items: hasWaiting }
  const billing: Billing = {
    period: restartsPeriod ? period : { start: plan.at, end: period.end },
    reason: 'subscription_update',
    isUncharged: plan.isUncharged,
    ...(restartsPeriod
      ? {
          ended: {
            items: keptItems(subscription, after),
            period: { start: subscription.current_period_start, end: account.now },
          },
        }
      : { items: [] }),
  }
  const billed: Billed = factsOf(moved).collectsRenewals
    ? billPeriod(change, waiting, moved, billing)
    : { result: 'uncollected', invoice: draft(change, waiting, moved, billing) }
  const changed = restartsPeriod ? withAmountsOff(moved, billed.invoice, account.discounts) : moved
  if (billed.result === 'failed' && plan.isConditional) {
    keepPending(change, account, subscription, {
      changed,
      restartsPeriod,
      collected: billed,
      prorations: created,
    })
    updateDelinquency(change, account)
    return billed
  }
  const waits =
    plan.isUncharged && billed.result === 'sent' && changed.collection_method === 'charge_automatically'
  const fails =
    (billed.result === 'failed' || waits) && allows(SUBSCRIPTION_TRANSITIONS, changed.status, 'fail')
  update({
    ...withInvoice(changed, billed, account.rules),
    status: fails ? move(SUBSCRIPTION_TRANSITIONS, changed.status, 'fail') : changed.status,
  })
  if (billed.result !== 'uncollected') updateDelinquency(change, account)
  return collectedOf(billed)
}

/** Returns the period that begins now. */
function periodFrom({ now, prices }: Account, { items }: Subscription): Period {
  return { start: now, end: nextBoundary(now, intervalOf(items, prices), now) }
}

const currentPeriod = ({ current_period_start, current_period_end }: Subscription): Period => ({
  start: current_period_start,
  end: current_period_end,
})

/** Returns the lines of a change, and the subscription with what discounts take off it from then on. */
function prorateChange(
  account: Account,
  subscription: Subscription,
  { after, at, restartsPeriod, billed, names }: PlanChange,
): { readonly lines: readonly Proration[]; readonly after: Subscription } {
  const { prices } = account
  const change = {
    before: subscription.items,
    period: pricedPeriod(subscription, prices),
    at,
    billed,
    prices,
    names,
  }
  const usage = usageUpTo(account, subscription, { after: after.items, at: usageFrom(at, account.now) })
  if (restartsPeriod) return { lines: [...usage, ...creditsForAll(change)], after }
  const { ofItems, amounts_off } = discountsOfChange(account, { before: subscription, after })
  return {
    lines: [...usage, ...prorations({ ...change, after: after.items, discounts: ofItems })],
    after: { ...after, amounts_off },
  }
}

/**
 * Creates the invoice item of a proration, which waits for the subscription's next invoice.
 * @param options.discountable - whether discounts still have to reduce it; a change within a period takes them into account
 */
export function createItem(
  change: Change,
  account: Account,
  subscription: Subscription,
  { period, subscription_item, is_usage, quantity_decimal, ...line }: Proration,
  { discountable }: { readonly discountable: boolean } = { discountable: is_usage === true },
): InvoiceItem {
  return change.create('invoice_item', {
    ...line,
    id: account.newId('ii'),
    created: account.now,
    customer: subscription.customer,
    currency: subscription.currency,
    invoice: null,
    subscription: subscription.id,
    billed_with: subscription.id,
    proration: {
      ...period,
      subscription_item,
      cycle: subscription.current_period_start,
      ...(is_usage && { is_usage }),
      ...(quantity_decimal !== undefined && { quantity_decimal }),
    },
    discountable,
    discounts: [],
    metadata: {},
    test_clock: subscription.test_clock,
    deleted: false,
  })
}
