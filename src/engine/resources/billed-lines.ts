import { withNextInvoice, withoutInvoices } from '../../core/billed-lines.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import type { BilledLine } from '../../core/proration.ts'
import type { Subscription } from '../../core/subscription.ts'
import { seqOf } from '../machine/billed-period.ts'
import type { UnitOfWork } from '../machine/unit.ts'

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
    ? invoicesAfter(unit, subscription, kept.through)
    : invoicesSince(unit, subscription, cycle)
  for (const invoice of invoices) {
    // The invoice of a pending update is voided before anything else is billed, or the update is applied.
    if (invoice.id === updating) continue
    billed = withNextInvoice(billed, invoice, seqOf(unit, invoice))
    if (updating === undefined) settled = billed
  }
  if (settled !== kept && !unit.request?.isRehearsal) unit.store.billedPeriods.set(unit.owner, id, settled)
  return [...billed.sums, ...billed.waiting]
}

/** Lists the invoice items that wait for a subscription. */
const waitingItemsOf = ({ store, owner }: UnitOfWork, { id }: Subscription): InvoiceItem[] =>
  store.objects.list('invoice_item', owner, [{ field: 'billed_with', is: id }], {
    limit: Number.MAX_SAFE_INTEGER,
  })

/** Lists the invoices of a subscription that are newer than one of them, oldest first. */
const invoicesAfter = ({ store, owner }: UnitOfWork, { id }: Subscription, before: number): Invoice[] =>
  store.objects.list('invoice', owner, [{ field: 'subscription', is: id }], {
    limit: Number.MAX_SAFE_INTEGER,
    before,
  })

const PAGE = 20

/** Lists the invoices of a subscription that were created at an instant or later, oldest first. */
function invoicesSince(unit: UnitOfWork, { id }: Subscription, instant: number): Invoice[] {
  const found: Invoice[] = []
  const { objects } = unit.store
  for (let after: number | undefined; ; ) {
    const page = objects.list('invoice', unit.owner, [{ field: 'subscription', is: id }], {
      limit: PAGE,
      after,
    })
    found.push(...page.filter(({ created }) => created >= instant))
    const last = page.at(-1)
    if (page.length < PAGE || !last || last.created < instant) return found.reverse()
    after = seqOf(unit, last)
  }
}
