import { spendDiscounts, withDiscounts, withoutEnded } from '../../core/billing/discounting.ts'
import type { Change } from '../../core/change.ts'
import type { Discounts } from '../../core/discount.ts'
import { checkTotal, type Invoice } from '../../core/invoice.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadDiscounts, pricesToDiscount } from './discount.ts'

/**
 * Computes the discount amounts of a draft's lines.
 * @param change - the steps of the same decision, which may create some of the discounts
 */
export function discountedDraft(
  unit: UnitOfWork,
  change: Change,
  draft: Invoice,
): { readonly draft: Invoice; readonly discounts: Discounts } {
  const ids = [...draft.discounts, ...draft.lines.flatMap((line) => line.discounts ?? [])]
  const discounts = loadDiscounts(unit, [...new Set(ids)], change)
  const prices = pricesToDiscount(unit, discounts, draft.lines)
  return { draft: withDiscounts(draft, { discounts, prices }), discounts }
}

/**
 * Changes a draft, and computes its discount amounts anew. A discount with the duration `once` ends when it reduces
 * the draft for the first time.
 * @throws ApiError amount_too_large when its total after discounts exceeds the largest amount
 * See docs/contract/discounts.md#drafts.
 */
export function updateDraft(
  unit: UnitOfWork,
  change: Change,
  invoice: Invoice,
  rule: (draft: Invoice) => Invoice,
): Invoice {
  const { draft, discounts } = discountedDraft(unit, change, rule(change.latest('invoice', invoice)))
  checkTotal(draft)
  const updated = change.update('invoice', invoice, () => draft)
  if (discounts.size === 0) return updated
  spendDiscounts(change, { customer: unit.need('customer', invoice.customer), discounts }, updated)
  const subscription = invoice.subscription === null ? null : unit.need('subscription', invoice.subscription)
  if (subscription) {
    const latest = change.latest('subscription', subscription)
    const after = withoutEnded(change, latest)
    if (after !== latest) change.update('subscription', subscription, () => after, 'subscription.updated')
  }
  return updated
}
