import type { Change } from '../change.ts'
import type { Invoice } from '../invoice.ts'
import { type InvoiceItem, oldestFirst } from '../invoice-item.ts'
import { withoutRetries } from '../invoice-plan.ts'
import { pendingUpdateExpiry } from '../pending-update.ts'
import {
  type Subscription,
  type SubscriptionItem,
  withInvoice,
  withRestartedPeriod,
} from '../subscription.ts'
import type { Account } from './account.ts'
import { type Collected, voidInvoice } from './collect.ts'
import { withItemDiscounts, withoutEnded } from './discounting.ts'
import { withNotices } from './schedule-notices.ts'

/**
 * Keeps a change of a plan whose payment failed until the invoice is paid. The subscription stays as it was.
 * @param given.changed - the subscription after the change
 * @param given.prorations - the invoice items that the change created
 * See docs/contract/proration.md#pending-updates.
 */
export function keepPending(
  change: Change,
  { now, rules }: Account,
  subscription: Subscription,
  given: {
    readonly changed: Subscription
    readonly restartsPeriod: boolean
    readonly collected: Collected
    readonly prorations: readonly InvoiceItem[]
  },
): void {
  const { changed, restartsPeriod, collected, prorations } = given
  // It expires before the first retry.
  const invoice = change.update('invoice', collected.invoice, withoutRetries)
  const { items, amounts_off, current_period_start: start, current_period_end: end } = changed
  const pending_update = {
    expires_at: pendingUpdateExpiry(now, subscription.current_period_end),
    items,
    amounts_off,
    period: restartsPeriod ? { start, end } : null,
    invoice: invoice.id,
    prorations: prorations.map(({ id }) => id),
  }
  change.update(
    'subscription',
    subscription,
    (latest) => ({ ...withoutEnded(change, withInvoice(latest, collected, rules)), pending_update }),
    'subscription.updated',
  )
}

/**
 * Returns a subscription with its pending update applied, because the invoice was paid; or the same subscription if another
 * invoice was paid.
 */
export function withPendingApplied(
  subscription: Subscription,
  account: Account,
  paid: Pick<Invoice, 'id'>,
): Subscription {
  const pending = subscription.pending_update
  if (pending?.invoice !== paid.id) return subscription
  const { items, amounts_off = null, period } = pending
  const exceeds = (account.pendingUpdate?.exceeding.length ?? 0) > 0
  const moved =
    period === null ? subscription : withNotices(withRestartedPeriod(subscription, period), account)
  return {
    ...moved,
    items: withDiscountsOf(subscription, items),
    amounts_off,
    has_pending_items: moved.has_pending_items || exceeds,
    pending_update: null,
  }
}

/** Gives pending items the discounts that the items have now: some may have ended in the meantime. */
const withDiscountsOf = (
  { items: current }: Subscription,
  items: readonly SubscriptionItem[],
): readonly SubscriptionItem[] =>
  items.map((item) =>
    item.discounts ? withItemDiscounts(item, current.find(({ id }) => id === item.id)?.discounts) : item,
  )

/**
 * Discards the pending update of a subscription, if it has one: voids its invoice, so that nobody pays for a change that is not
 * applied, makes its items pending again if they were pending before, and deletes items of the update that exceeded the invoice.
 * @param report - the other changes of the subscription and the event that reports them all; without it a later step of the
 * decision reports it
 * @returns the account with these items waiting, and the subscription without the update
 */
export function discardPendingUpdate<Read extends Account>(
  change: Change,
  account: Read,
  subscription: Subscription,
  report?: (account: Read, dropped: Subscription) => Subscription,
): { readonly account: Read; readonly subscription: Subscription } {
  const pending = subscription.pending_update
  if (pending === null || account.pendingUpdate === null) return { account, subscription }
  const { invoice, exceeding } = account.pendingUpdate
  const rule = pending.period === null ? undefined : withoutPeriod
  voidInvoice(change, account, change.latest('invoice', invoice), rule)
  const waiting = account.pendingUpdate.items
    .filter(({ id }) => !pending.prorations.includes(id))
    .map((item) =>
      change.update('invoice_item', item, (billed) => ({
        ...billed,
        invoice: null,
        billed_with: subscription.id,
      })),
    )
  for (const item of exceeding)
    change.update('invoice_item', item, (unbilled) => ({ ...unbilled, billed_with: null, deleted: true }))
  const others = account.pendingItems.filter(({ id }) => !exceeding.some((item) => item.id === id))
  const released = { ...account, pendingUpdate: null, pendingItems: oldestFirst([...waiting, ...others]) }
  const after = change.update(
    'subscription',
    subscription,
    (held) => {
      const dropped = {
        ...held,
        pending_update: null,
        has_pending_items: held.has_pending_items || waiting.length > 0,
      }
      return report ? report(released, dropped) : dropped
    },
    report ? 'subscription.updated' : null,
  )
  return { account: released, subscription: after }
}

/** Marks the invoice of a period that does not begin, so that its lines never count as lines of the current period. */
const withoutPeriod = (invoice: Invoice): Invoice => ({
  ...invoice,
  begins_period: false,
  lines: invoice.lines.map((line) => ({ ...line, is_discarded: true })),
})
