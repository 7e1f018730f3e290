import { replacesPeriod } from '../../core/billed-lines.ts'
import { Change, type Written } from '../../core/change.ts'
import type { Coupon } from '../../core/coupon.ts'
import type { Invoice } from '../../core/invoice.ts'
import { inactiveCode } from '../../core/promotion-code.ts'
import type { Subscription } from '../../core/subscription.ts'
import { hasEnded } from '../../core/subscription-status.ts'
import type { Filter } from '../../store/list-query.ts'
import { oneByOne } from '../resources/one-by-one.ts'
import type { UnitOfWork } from './unit.ts'

/**
 * Does what follows from a written change for objects that can be more and larger than fit into memory together. None of it
 * has an event.
 *
 * - The end of a subscription leaves the invoice items that wait for it to the customer's next manual invoice. See
 *   docs/contract/proration.md#canceling.
 * - The end of a coupon makes its active promotion codes inactive. See docs/contract/discounts.md#promotion-codes.
 * - A period that replaces one with the same start marks the invoice items that correct the old one. See
 *   docs/contract/proration.md#a-new-period.
 * @param written - the objects of the change, by id
 * @param write - writes a change
 */
export function followUp(
  unit: UnitOfWork,
  written: ReadonlyMap<string, Written>,
  write: (change: Change) => void,
): void {
  for (const { kind, first, last } of written.values()) {
    if (
      kind === 'subscription' &&
      first &&
      !hasEnded(first as Subscription) &&
      hasEnded(last as Subscription)
    )
      unit.store.objects.releaseItems(last.id)
    if (kind === 'invoice')
      markReplacedItems(unit, written, { first: first as Invoice | null, last: last as Invoice })
    // A rehearsal shows no codes, and those of an invalid coupon cannot be redeemed either way.
    if (
      kind === 'coupon' &&
      !unit.request?.isRehearsal &&
      (first as Coupon | null)?.valid &&
      !(last as Coupon).valid
    )
      deactivateCodes(unit, last.id, write)
  }
}

/** Marks the items of the period that an invoice replaces, so that changes of the new period credit nothing of the old one. */
function markReplacedItems(
  { store, owner }: UnitOfWork,
  written: ReadonlyMap<string, Written>,
  invoice: { readonly first: Invoice | null; readonly last: Invoice },
): void {
  const change = written.get(invoice.last.subscription ?? '')
  if (!change?.first) return
  const subscription = { first: change.first as Subscription, last: change.last as Subscription }
  if (!replacesPeriod(invoice, subscription)) return
  store.objects.markReplacedItems(subscription.last)
  const kept = store.billedPeriods.get(subscription.last.id)
  if (kept) store.billedPeriods.set(owner, subscription.last.id, { ...kept, corrections: [] })
}

/** Makes the active promotion codes of a coupon inactive, newest first, each by a change of its own. */
function deactivateCodes(unit: UnitOfWork, coupon: string, write: (change: Change) => void): void {
  const active: Filter[] = [
    { field: 'coupon', is: coupon },
    { field: 'active', is: 1 },
  ]
  const ids = unit.store.objects.ids('promotion_code', unit.owner, active, { limit: Number.MAX_SAFE_INTEGER })
  for (const code of oneByOne(unit, 'promotion_code', ids)) {
    const change = new Change()
    change.update('promotion_code', code, inactiveCode)
    write(change)
  }
}
