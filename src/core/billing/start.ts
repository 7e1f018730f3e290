import { Change } from '../change.ts'
import { prorations } from '../proration.ts'
import { isShortened, pricedPeriod, type Subscription, withInvoice } from '../subscription.ts'
import { FIRST_STATUS } from '../subscription-status.ts'
import { type Account, updateDelinquency } from './account.ts'
import { type Billing, bill } from './bill.ts'
import { createItem } from './change-plan.ts'
import type { Collected } from './collect.ts'
import { announceTrialEnd } from './notify.ts'
import { isTrialEndNear, withNotices } from './schedule-notices.ts'

/** How a first period that an anchor shortens is billed. */
export type FirstProration = {
  readonly behavior: 'none' | 'create_prorations'
  /** What to call each price in descriptions, by id. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * Starts a subscription: bills and collects the first period at once, unless it begins with a trial.
 * subscription.created comes first and shows the state at the end of the operation.
 * @param given - the requested subscription; its status and latest invoice are set here
 * @param first - how a shortened first period is billed
 * @returns the result of the first invoice; null during a trial
 * See docs/contract/subscriptions.md#creating.
 */
export function start(
  change: Change,
  account: Account,
  given: Subscription,
  first: FirstProration = { behavior: 'create_prorations', names: new Map() },
): Collected | null {
  if (given.status === FIRST_STATUS.trial) {
    change.create('subscription', withNotices(given, account), 'subscription.created')
    if (isTrialEndNear(given, account)) announceTrialEnd(change, given)
    return null
  }
  const invoicing = new Change()
  const period = { start: given.current_period_start, end: given.current_period_end }
  const billing: Billing = { period, reason: 'subscription_create' }
  const collected = isShortened(given)
    ? bill(invoicing, prorated(invoicing, account, given, first), given, { ...billing, items: [] })
    : bill(invoicing, account, given, billing)
  const subscription = withNotices(
    { ...withInvoice(given, collected), status: FIRST_STATUS[collected.result] },
    account,
  )
  change.create('subscription', subscription, 'subscription.created')
  change.append(invoicing)
  updateDelinquency(change, account)
  return collected
}

/**
 * Creates the items of a shortened first period: the part of the full amounts that remains.
 * @returns the account with these pending items
 * See docs/contract/proration.md#a-first-period-up-to-an-anchor.
 */
function prorated(
  change: Change,
  account: Account,
  subscription: Subscription,
  { behavior, names }: FirstProration,
): Account {
  if (behavior === 'none') return account
  const { now, prices } = account
  const period = pricedPeriod(subscription, prices)
  const lines = prorations({
    before: [],
    after: subscription.items,
    period,
    at: now,
    prices,
    names,
    billed: [],
  })
  const created = lines.map((line) => createItem(change, account, subscription, line))
  return { ...account, pendingItems: [...account.pendingItems, ...created] }
}
