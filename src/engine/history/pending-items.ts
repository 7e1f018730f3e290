import { MAX_LINES } from '../../core/invoice.ts'
import { type InvoiceItem, itemsOfOneInvoice, oldestFirst } from '../../core/invoice-item.ts'
import type { Subscription } from '../../core/subscription.ts'
import { firstWithin } from './first-within.ts'
import type { Found } from './timeline-invoices.ts'

/** Returns a function that lists the items that wait for the next invoice of one of the subscriptions at the moment. */
export function pendingItemsOf(
  found: Found,
  subscriptions: readonly Subscription[],
): (subscription: Subscription) => readonly InvoiceItem[] {
  if (!found.isPast) return (subscription) => presentItemsOf(found, subscription)
  let items: readonly InvoiceItem[] | undefined
  return ({ id }) => {
    items ??= pastItemsOf(found, subscriptions)
    return itemsOfOneInvoice(items.filter(({ subscription }) => subscription === id))
  }
}

/**
 * Reads the items of all subscriptions together, up to the length of a page, because each statement reads the rows of all items of the
 * customer.
 */
function pastItemsOf({ engine, view, customer, as_of }: Found, subscriptions: readonly Subscription[]) {
  const ids = engine.store.past.itemsWaiting({
    customer: customer.id,
    subscriptions: subscriptions.map(({ id }) => id),
    instant: as_of,
  })
  const isWanted = ({ invoice, deleted }: InvoiceItem) => invoice === null && !deleted
  return oldestFirst(
    firstWithin(view, { kind: 'invoice_item', ids, isWanted }, Number.POSITIVE_INFINITY).rows,
  )
}

function presentItemsOf({ engine, merchant }: Found, { id, has_pending_items }: Subscription) {
  if (!has_pending_items) return []
  const waiting = [{ field: 'billed_with', is: id }]
  const page = { limit: MAX_LINES, before: 0 }
  return itemsOfOneInvoice(
    engine.store.objects.list('invoice_item', merchant.settings.ordinal, waiting, page),
  )
}
