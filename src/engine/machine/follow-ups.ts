import { Change, type Written } from '../../core/change.ts'
import type { Coupon } from '../../core/coupon.ts'
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
 * @param write - writes a change
 */
export function followUp(
  unit: UnitOfWork,
  written: Iterable<Written>,
  write: (change: Change) => void,
): void {
  for (const { kind, first, last } of written) {
    if (
      kind === 'subscription' &&
      first &&
      !hasEnded(first as Subscription) &&
      hasEnded(last as Subscription)
    )
      unit.store.objects.releaseItems(last.id)
    if (kind === 'coupon' && (first as Coupon | null)?.valid && !(last as Coupon).valid)
      deactivateCodes(unit, last.id, write)
  }
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
