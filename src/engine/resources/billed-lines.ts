import { withNextInvoice, withoutInvoices } from '../../core/billed-lines.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import type { BilledLine } from '../../core/proration.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { Filter } from '../../store/list-query.ts'
import { seqOf } from '../machine/billed-period.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { oneByOne } from './one-by-one.ts'

/**
 * Lists the lines that bill the items of a subscription in its current period: lines of invoices, and pending invoice items.
 * Usage is left out, and so are lines of void or uncollectible invoices. Lines that billed an item for the same span are added
 * up.
 *
 * The sums are stored, so that the next change reads only newer lines: a period can have any number of changes.
 * See docs/contract/proration.md#credits.
 */
export function billedLines(unit: UnitOfWork, subscription: Subscription): BilledLine[] {
  const { id, current_period_start: cycle } = subscription
  const updating = subscription.pending_update?.invoice
  const kept = unit.store.billedPeriods.get(id)
  const isCurrent = kept?.cycle === cycle
  let billed = isCurrent ? kept : withoutInvoices(cycle, waitingItemsOf(unit, subscription))
  let settled = billed
  const invoices = isCurrent
    ? invoicesOf(unit, subscription, { before: kept.through })
    : invoicesOf(unit, subscription, { before: 0, since: cycle })
  for (const invoice of invoices) {
    // The invoice of a pending update is voided before anything else is billed, or the update is applied.
    if (invoice.id === updating) continue
    billed = withNextInvoice(billed, invoice, seqOf(unit, invoice))
    if (updating === undefined) settled = billed
  }
  if (settled !== kept && !unit.request?.isRehearsal) unit.store.billedPeriods.set(unit.owner, id, settled)
  return [...billed.sums, ...billed.waiting]
}

const ALL = { limit: Number.MAX_SAFE_INTEGER }

/** Reads the prorations that wait for a subscription one after the other, newest first. */
function waitingItemsOf(unit: UnitOfWork, { id }: Subscription): Iterable<InvoiceItem> {
  const waiting: Filter[] = [
    { field: 'billed_with', is: id },
    { field: 'proration', isNull: false },
  ]
  return oneByOne(unit, 'invoice_item', unit.store.objects.ids('invoice_item', unit.owner, waiting, ALL))
}

/**
 * Reads the invoices of a subscription one after the other, oldest first.
 * @param given.before - the seq of the invoice before the first one; 0 for none
 * @param given.since - Unix seconds before which none was created
 */
function invoicesOf(
  unit: UnitOfWork,
  { id }: Subscription,
  { before, since }: { before: number; since?: number },
): Iterable<Invoice> {
  const filters: Filter[] = [{ field: 'subscription', is: id }]
  if (since !== undefined) filters.push({ field: 'created', compare: '>=', to: since })
  return oneByOne(unit, 'invoice', unit.store.objects.ids('invoice', unit.owner, filters, { ...ALL, before }))
}
