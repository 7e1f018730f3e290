import {
  asBilled,
  ofCurrentItems,
  type PlacedInvoice,
  withNextInvoices,
  withoutInvoices,
} from '../../core/billed-lines.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import type { BilledLine } from '../../core/proration.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { Filter } from '../../store/list-query.ts'
import { seqOf } from '../machine/billed-period.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { newestFirst, oneByOne } from './one-by-one.ts'

/**
 * Lists the lines that bill the items of a subscription in its current period: those of the invoice that bills the whole period,
 * and the invoice items that correct it, pending or on any invoice of the customer. Usage is left out, and so are lines of void or
 * uncollectible invoices. Lines that billed an item for the same span are added up.
 *
 * The sums are stored, so that the next change reads only newer lines: a period can have any number of changes.
 * See docs/contract/proration.md#credits.
 */
export function billedLines(unit: UnitOfWork, subscription: Subscription): BilledLine[] {
  const { id, current_period_start: cycle } = subscription
  const kept = unit.store.billedPeriods.get(id)
  const isCurrent = kept?.cycle === cycle
  const known = isCurrent ? kept : withoutInvoices(cycle, correctionsOf(unit, subscription))
  const newer = newInvoicesOf(unit, subscription, isCurrent ? kept.through : null)
  const billed = ofCurrentItems(withNextInvoices(known, newer), subscription)
  if (billed !== kept && !unit.request?.isRehearsal) unit.store.billedPeriods.set(unit.owner, id, billed)
  return [...billed.sums, ...billed.corrections]
}

/**
 * Reads the billed prorations of a subscription one after the other, newest first, up to the first one of an earlier period: all
 * older ones are of earlier periods too, and there can be very many of them.
 */
function* correctionsOf(unit: UnitOfWork, subscription: Subscription): Generator<InvoiceItem, void> {
  const { id, current_period_start: cycle } = subscription
  const prorations: Filter[] = [
    { field: 'subscription', is: id },
    { field: 'proration', isNull: false },
  ]
  for (const item of newestFirst(unit, 'invoice_item', prorations)) {
    const { proration, invoice } = item
    if (proration && proration.cycle < cycle) return
    const billed = asBilled(item, invoice === null ? null : unit.need('invoice', invoice), subscription)
    if (billed) yield billed
  }
}

/**
 * Reads the invoices of a subscription that are not summed yet one after the other, oldest first.
 * @param through - the seq of the newest one that is summed; null for none
 */
function* newInvoicesOf(
  unit: UnitOfWork,
  subscription: Subscription,
  through: number | null,
): Generator<PlacedInvoice, void> {
  const invoices = invoicesOf(
    unit,
    subscription,
    through === null ? { before: 0, since: subscription.current_period_start } : { before: through },
  )
  for (const invoice of invoices) {
    // The invoice of a pending update counts once the update is applied: then it is added to the stored sums.
    if (invoice.id !== subscription.pending_update?.invoice) yield { invoice, seq: seqOf(unit, invoice) }
  }
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
  const all = { limit: Number.MAX_SAFE_INTEGER, before }
  const filters: Filter[] = [{ field: 'subscription', is: id }]
  if (since !== undefined) filters.push({ field: 'created', compare: '>=', to: since })
  return oneByOne(unit, 'invoice', unit.store.objects.ids('invoice', unit.owner, filters, all))
}
