import { discountIdsOf, withoutDiscounts } from '../../core/billing/discounting.ts'
import { Change } from '../../core/change.ts'
import type { Customer } from '../../core/customer.ts'
import { type Discount, type Discounts, NO_DISCOUNTS } from '../../core/discount.ts'
import { discountMissing } from '../../core/errors.ts'
import type { Prices, Subscription } from '../../core/subscription.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { redeem } from './redemption.ts'

/**
 * Loads discounts with at most one statement.
 * @param change - the steps of the same decision, which may create some of them
 */
export function loadDiscounts(unit: UnitOfWork, ids: readonly string[], change?: Change): Discounts {
  if (ids.length === 0) return NO_DISCOUNTS
  const stored = change ? ids.filter((id) => !change.pending('discount', id)) : ids
  unit.store.objects.load('discount', unit.owner, stored)
  return new Map(ids.map((id) => [id, change?.pending('discount', id) ?? unit.need('discount', id)]))
}

const NO_PRICES: Prices = new Map()

/**
 * Loads the prices of invoice items or lines, by which discounts for certain products find the products.
 * @returns no prices if none of the discounts is for certain products
 */
export function pricesToDiscount(
  unit: UnitOfWork,
  discounts: Discounts,
  billed: readonly { readonly price: string | null }[],
): Prices {
  if (billed.length === 0 || [...discounts.values()].every(({ terms }) => terms.applies_to === null))
    return NO_PRICES
  const ids = billed.flatMap(({ price }) => price ?? [])
  return new Map(ids.map((id) => [id, unit.needWithoutMetadata('price', id)]))
}

/** Ends a discount, with its event, unless it has ended. */
export function endDiscount(change: Change, discount: Discount): void {
  if (change.latest('discount', discount).deleted) return
  change.update('discount', discount, (latest) => ({ ...latest, deleted: true }), 'customer.discount.deleted')
}

/** The discount of a customer in a request: undefined leaves it, null or '' removes it. */
export type CustomerDiscountParams = {
  coupon?: string | null | undefined
  promotion_code?: string | null | undefined
}

/**
 * Sets, replaces or removes the discount of a customer.
 * @param change - gets the steps of the discount
 * @returns the customer with the id of its discount
 * @throws ApiError parameter_invalid, resource_missing: param coupon or promotion_code
 * See docs/contract/discounts.md#discounts-of-a-customer.
 */
export function withDiscount(
  unit: UnitOfWork,
  change: Change,
  customer: Customer,
  { coupon, promotion_code }: CustomerDiscountParams,
): Customer {
  if (coupon === undefined && promotion_code === undefined) return customer
  const former = customer.discount === null ? null : unit.need('discount', customer.discount)
  if (!coupon && !promotion_code) {
    if (former) endDiscount(change, former)
    return { ...customer, discount: null }
  }
  const given = coupon ? { coupon } : { promotion_code: promotion_code ?? '' }
  const purchase = { customer, holder: {}, currency: null, amount: null }
  const discount = redeem(unit, change, purchase, {
    ...given,
    at: coupon ? 'coupon' : 'promotion_code',
    event: former ? 'customer.discount.updated' : 'customer.discount.created',
  })
  // The new discount takes the place of the former one, which one event reports.
  if (former) change.update('discount', former, (latest) => ({ ...latest, deleted: true }))
  return { ...customer, discount: discount.id }
}

/**
 * Removes the discount of a customer.
 * @throws ApiError resource_missing, also without a discount
 */
export function deleteCustomerDiscount(unit: UnitOfWork, id: string): Discount {
  const customer = unit.find('customer', id)
  if (customer.discount === null) throw discountMissing('customer', id)
  const discount = unit.need('discount', customer.discount)
  const change = new Change()
  endDiscount(change, discount)
  change.update('customer', customer, (latest) => ({ ...latest, discount: null }), 'customer.updated')
  apply(unit, change, unit.clockOf(customer.test_clock))
  return change.latest('discount', discount)
}

/** Ends the discounts that a subscription and its items had before an update, and no longer have. */
export function endRemovedDiscounts(
  unit: UnitOfWork,
  change: Change,
  before: Subscription,
  after: Subscription,
): void {
  const kept = new Set(discountIdsOf(after))
  for (const id of discountIdsOf(before)) if (!kept.has(id)) endDiscount(change, unit.need('discount', id))
}

/**
 * Ends a discount at its end, and removes it from its customer or subscription.
 * See docs/contract/discounts.md#durations.
 */
export function expireDiscount(unit: UnitOfWork, id: string): void {
  const discount = unit.need('discount', id)
  const change = new Change()
  endDiscount(change, discount)
  const customer = unit.need('customer', discount.customer)
  if (customer.discount === id)
    change.update('customer', customer, (latest) => ({ ...latest, discount: null }))
  if (discount.subscription !== null) {
    const subscription = unit.need('subscription', discount.subscription)
    const after = withoutDiscounts(subscription, (each) => each === id)
    if (after !== subscription)
      change.update('subscription', subscription, () => after, 'subscription.updated')
  }
  apply(unit, change, unit.clockOf(discount.test_clock))
}
