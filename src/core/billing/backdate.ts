import { addIntervals, type Period } from '../calendar.ts'
import type { Change } from '../change.ts'
import { MAX_LINES } from '../invoice.ts'
import { prorations } from '../proration.ts'
import { intervalOf, type Subscription } from '../subscription.ts'
import type { Account } from './account.ts'
import { createItem } from './change-plan.ts'

/**
 * Splits the time before an instant into periods that end there, as if the subscription had always been billed on its
 * anchor: `[from, end 1), [end 1, end 2), …, [end n, to)`. Each entry also has the whole period that contains it.
 * @param options.anchor - a boundary of all periods, in Unix seconds; may be after `to`
 * @returns the newest periods, at most one more than an invoice can bill
 */
export function pastPeriods(
  subscription: Pick<Subscription, 'items'>,
  { from, to, anchor, prices }: Past,
): (Period & { readonly whole: Period })[] {
  const interval = intervalOf(subscription.items, prices)
  const periods: (Period & { readonly whole: Period })[] = []
  for (let n = 0; periods.length <= MAX_LINES; n -= 1) {
    const whole = { start: addIntervals(anchor, interval, n - 1), end: addIntervals(anchor, interval, n) }
    if (whole.end <= from) break
    if (whole.start < to)
      periods.unshift({ start: Math.max(whole.start, from), end: Math.min(whole.end, to), whole })
  }
  return periods
}

type Past = {
  readonly from: number
  readonly to: number
  readonly anchor: number
  readonly prices: Account['prices']
}

/**
 * Creates the items that bill a new subscription for the time since its start, which is in the past: one for each item and
 * period. The first period can be billed in part. Metered items are not billed for it.
 * @param options.from - the start, in Unix seconds
 * @returns the account with these pending items
 * Source: https://docs.stripe.com/billing/subscriptions/backdating, in the billing mode flexible
 */
export function backdated(
  change: Change,
  account: Account,
  subscription: Subscription,
  { from, names }: { readonly from: number; readonly names: ReadonlyMap<string, string> },
): Account {
  const { now: to, prices } = account
  const past = pastPeriods(subscription, { from, to, anchor: subscription.billing_cycle_anchor, prices })
  const created = past.flatMap(({ start, end, whole }) => {
    const common = { before: [], after: subscription.items, prices, names, billed: new Map() }
    // A period that continues after the start of billing is billed up to the start.
    const lines = prorations({ ...common, period: whole, at: start })
    const later = end < whole.end ? prorations({ ...common, period: whole, at: end }) : []
    return lines.flatMap((line) => {
      const { subscription_item } = line
      const ofLater = later.find((each) => each.subscription_item === subscription_item)
      const amount = line.amount - (ofLater?.amount ?? 0)
      if (amount === 0) return []
      const billed = { ...line, amount, period: { start, end } }
      const owner = { ...subscription, current_period_start: whole.start }
      return createItem(change, account, owner, billed, { discountable: true })
    })
  })
  return { ...account, pendingItems: [...account.pendingItems, ...created] }
}
