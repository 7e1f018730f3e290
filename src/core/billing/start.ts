import { Change } from '../change.ts'
import { prorations } from '../proration.ts'
import type { Subscription } from '../subscription.ts'
import { isShortened, pricedPeriod } from '../subscription-period.ts'
import { FIRST_STATUS, factsOf } from '../subscription-status.ts'
import { type Account, updateDelinquency } from './account.ts'
import { backdated } from './backdate.ts'
import { type Billing, bill, withBilledPeriod } from './bill.ts'
import { createItem } from './change-plan.ts'
import type { Collected } from './collect.ts'
import { withoutEnded } from './discounting.ts'
import { announceTrialEnd } from './notify.ts'
import { isTrialEndNear, withNotices } from './schedule-notices.ts'

/** How a first period is billed. */
export type FirstBilling = {
  /** Whether a first period that an anchor shortens is billed in part. */
  readonly behavior: 'none' | 'create_prorations'
  /** The name of each price in descriptions, by id. */
  readonly names: ReadonlyMap<string, string>
  /** Whether the first invoice waits to be paid by hand. It is not charged. */
  readonly isUncharged?: boolean
  /** The past instant from which it is billed, in Unix seconds; absent if it is not backdated. */
  readonly backdatedTo?: number
}

/**
 * Starts a subscription: bills and collects the first period at once, unless it begins with a trial.
 * subscription.created comes first and shows the state at the end of the operation.
 * @param given - the requested subscription; its status and latest invoice are set here
 * @param first - how the first period is billed
 * @param redeeming - the steps that create the subscription's discounts
 * @returns the result of the first invoice; null without one
 * See docs/contract/subscriptions.md#creating.
 */
export function start(
  change: Change,
  account: Account,
  given: Subscription,
  first: FirstBilling = { behavior: 'create_prorations', names: new Map() },
  redeeming = new Change(),
): Collected | null {
  const isTrial = given.status === FIRST_STATUS.trial
  if (isTrial && !account.rules.billsTrialStart) {
    change.createWith('subscription', withNotices(given, account), 'subscription.created', redeeming)
    if (isTrialEndNear(given, account)) announceTrialEnd(change, given)
    return null
  }
  const invoicing = new Change()
  const collected = billFirst(invoicing, account, given, { ...first, isTrial })
  const waits = first.isUncharged === true && collected.result === 'sent' && isCharged(given)
  const status = FIRST_STATUS[isTrial ? 'trial' : waits ? 'failed' : collected.result]
  const expires_at = factsOf({ status }).awaitsFirstPayment ? expiryOf(account) : null
  const billed = withoutEnded(invoicing, withBilledPeriod(given, collected, account))
  const subscription = withNotices({ ...billed, status, expires_at }, account)
  change.createWith('subscription', subscription, 'subscription.created', redeeming)
  change.append(invoicing)
  if (isTrial && isTrialEndNear(given, account)) announceTrialEnd(change, subscription)
  updateDelinquency(change, account)
  return collected
}

/** Bills the first period: in part if it is shortened, and for nothing if it is a trial. */
function billFirst(
  change: Change,
  account: Account,
  given: Subscription,
  first: FirstBilling & { readonly isTrial: boolean },
): Collected {
  const period = { start: given.current_period_start, end: given.current_period_end }
  const { isTrial, isUncharged = false, names } = first
  const billing: Billing = { period, reason: 'subscription_create', isUncharged }
  if (isTrial) return bill(change, account, given, { ...billing, isFree: { names } })
  const { backdatedTo: from } = first
  const since = from === undefined ? account : backdated(change, account, given, { from, names })
  return isShortened(given)
    ? bill(change, prorated(change, since, given, first), given, { ...billing, items: [] })
    : bill(change, since, given, billing)
}

const isCharged = ({ collection_method }: Subscription): boolean =>
  collection_method === 'charge_automatically'

/** Returns when a subscription without a first payment expires; null for the end of its first period. */
const expiryOf = ({ now, rules: { incompleteSeconds } }: Account): number | null =>
  incompleteSeconds === null ? null : now + incompleteSeconds

/**
 * Creates the items of a shortened first period: the part of the full amounts that remains.
 * @returns the account with these pending items
 * See docs/contract/proration.md#a-first-period-up-to-an-anchor.
 */
function prorated(
  change: Change,
  account: Account,
  subscription: Subscription,
  { behavior, names }: FirstBilling,
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
    billed: new Map(),
  })
  const created = lines.map((line) => createItem(change, account, subscription, line, { discountable: true }))
  return { ...account, pendingItems: [...account.pendingItems, ...created] }
}
