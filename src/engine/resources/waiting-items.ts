import type { LooseItems } from '../../core/billing/account.ts'
import type { Change } from '../../core/change.ts'
import { MAX_LINES } from '../../core/invoice.ts'
import { type InvoiceItem, itemsOfOneInvoice } from '../../core/invoice-item.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { Filter } from '../../store/list-query.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadDiscounts } from './discount.ts'

/**
 * Lists the items that a customer's next manual invoice bills: the oldest pending ones of a currency, up to the limits of an invoice.
 * @param currency - undefined for the currency of the customer's oldest pending item
 */
export function itemsToBill(
  unit: UnitOfWork,
  customer: string,
  currency: string | undefined,
): readonly InvoiceItem[] {
  if (!unit.store.objects.hasLooseItems(customer)) return []
  const billed = currency ?? oldestPending(unit, customer, 1)[0]?.currency
  return billed === undefined
    ? []
    : itemsOfOneInvoice(oldestPending(unit, customer, MAX_LINES, [{ field: 'currency', is: billed }]))
}

/** Lists a customer's oldest pending items, oldest first. */
const oldestPending = (
  unit: UnitOfWork,
  customer: string,
  limit: number,
  filters: readonly Filter[] = [],
): InvoiceItem[] =>
  unit.store.objects.list('invoice_item', unit.owner, [...looseOf(customer), ...filters], {
    limit,
    before: 0,
  })

/** The filters of a customer's pending items that belong to no subscription. */
const looseOf = (customer: string): readonly Filter[] => [
  { field: 'customer', is: customer },
  { field: 'invoice', is: null },
  { field: 'deleted', is: 0 },
  { field: 'invoice', isNull: true },
  { field: 'billed_with', isNull: true },
]

/** Counts the pending items that the next invoice of a subscription reads, up to its limits. */
export function countPendingItems(unit: UnitOfWork, subscription: Subscription): number {
  const { id, has_pending_items } = subscription
  const own = has_pending_items ? oldestIds(unit, [{ field: 'billed_with', is: id }]) : []
  return own.length + (unit.rules.billsLooseItems ? pendingItemIds(unit, subscription) : []).length
}

/** Lists the ids of a customer's oldest pending items that belong to no subscription, up to the limit of an invoice. */
export const pendingItemIds = (
  unit: UnitOfWork,
  { customer, currency }: { readonly customer: string; readonly currency: string },
): readonly string[] =>
  unit.store.objects.hasLooseItems(customer)
    ? oldestIds(unit, [...looseOf(customer), { field: 'currency', is: currency }])
    : []

const oldestIds = ({ store, owner }: UnitOfWork, filters: readonly Filter[]): readonly string[] =>
  store.objects.ids('invoice_item', owner, filters, { limit: MAX_LINES, before: 0 })

/** Loads the pending items of a customer that belong to no subscription, with their discounts and prices. */
export function looseItemsOf(
  unit: UnitOfWork,
  { customer, currency }: { readonly customer: string; readonly currency: string },
  change: Change | undefined,
): LooseItems {
  const items = itemsToBill(unit, customer, currency)
  return {
    items,
    discounts: loadDiscounts(
      unit,
      items.flatMap(({ discounts }) => discounts),
      change,
    ),
    prices: new Map(
      items.flatMap(({ price }) => (price ? [[price, unit.needWithoutMetadata('price', price)]] : [])),
    ),
  }
}
