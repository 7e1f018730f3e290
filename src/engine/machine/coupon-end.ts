import { Change, type Written } from '../../core/change.ts'
import type { Coupon } from '../../core/coupon.ts'
import { inactiveCode } from '../../core/promotion-code.ts'
import { oneByOne } from '../resources/one-by-one.ts'
import type { UnitOfWork } from './unit.ts'

/**
 * Makes the active promotion codes of coupons inactive that a change has ended, newest first, without events. Each code
 * has a change of its own, because a coupon can have many large ones, and a phase can redeem hundreds of coupons: all
 * of them need not be in memory.
 * See docs/contract/discounts.md#promotion-codes.
 */
export function* endsOfCodes(unit: UnitOfWork, written: Iterable<Written>): Generator<Change, void> {
  for (const { kind, first, last } of written)
    if (kind === 'coupon' && (first as Coupon | null)?.valid && !(last as Coupon).valid)
      yield* endsOfCodesOf(unit, last.id)
}

function* endsOfCodesOf(unit: UnitOfWork, coupon: string): Generator<Change, void> {
  const ids = unit.store.objects.ids(
    'promotion_code',
    unit.owner,
    [
      { field: 'coupon', is: coupon },
      { field: 'active', is: 1 },
    ],
    { limit: Number.MAX_SAFE_INTEGER },
  )
  for (const code of oneByOne(unit, 'promotion_code', ids)) {
    const change = new Change()
    change.update('promotion_code', code, inactiveCode)
    yield change
  }
}
