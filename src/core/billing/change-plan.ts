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
  pricedPeriod,
  type Subscription,
  showsChange,
  withInvoice,
  withRestartedPeriod,
} from '../subscription.ts'
import { factsOf, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { allows, move } from '../transitions.ts'
import { type Account, updateDelinquency } from './account.ts'
import { type Billing, billPeriod, collectedOf, draft, inPeriod } from './bill.ts'
import { discountsOfChange } from './change-discounts.ts'
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
  const { after, behavior, restartsPeriod } = plan
  const lines = behavior === 'none' ? [] : linesOfChange(account, subscription, plan)
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
  const changed = restartsPeriod
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
  if (!factsOf(changed).collectsRenewals) {
    const invoice = draft(change, waiting, changed, billing)
    update(withInvoice(changed, { result: 'uncollected', invoice }, account.rules))
    return null
  }
  const collected = billPeriod(change, waiting, changed, billing)
  if (collected.result === 'failed' && plan.isConditional) {
    keepPending(change, account, subscription, { changed, restartsPeriod, collected, prorations: created })
    updateDelinquency(change, account)
    return collected
  }
  const waits =
    plan.isUncharged && collected.result === 'sent' && changed.collection_method === 'charge_automatically'
  const fails =
    (collected.result === 'failed' || waits) && allows(SUBSCRIPTION_TRANSITIONS, changed.status, 'fail')
  update({
    ...withInvoice(changed, collected, account.rules),
    status: fails ? move(SUBSCRIPTION_TRANSITIONS, changed.status, 'fail') : changed.status,
  })
  if (collected.result !== 'uncollected') updateDelinquency(change, account)
  return collectedOf(collected)
}

/** Returns the period that begins now. */
function periodFrom({ now, prices }: Account, { items }: Subscription): Period {
  return { start: now, end: nextBoundary(now, intervalOf(items, prices), now) }
}

const currentPeriod = ({ current_period_start, current_period_end }: Subscription): Period => ({
  start: current_period_start,
  end: current_period_end,
})

function linesOfChange(
  account: Account,
  subscription: Subscription,
  { after, at, restartsPeriod, billed, names }: PlanChange,
): Proration[] {
  const { prices } = account
  const plain = { before: subscription.items, period: pricedPeriod(subscription, prices), at, billed }
  const change = { ...plain, prices, names, discounts: discountsOfChange(account, after, plain) }
  const usage = usageUpTo(account, subscription, { after: after.items, at: usageFrom(at, account.now) })
  return [
    ...usage,
    ...(restartsPeriod ? creditsForAll(change) : prorations({ ...change, after: after.items })),
  ]
}

/**
 * Creates the invoice item of a proration, which waits for the subscription's next invoice.
 * @param options.discountable - whether discounts still have to reduce it; a change within a period takes them into account
 */
export function createItem(
  change: Change,
  account: Account,
  subscription: Subscription,
  { period, subscription_item, is_usage, ...line }: Proration,
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
    },
    discountable,
    discounts: [],
    metadata: {},
    test_clock: subscription.test_clock,
    deleted: false,
  })
}
