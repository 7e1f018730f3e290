import { type BilledPeriod, changesBilled, withChangedInvoice, withWaiting } from '../../core/billed-lines.ts'
import type { Written } from '../../core/change.ts'
import { assert } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { UnitOfWork } from './unit.ts'

/** Applies a change to the sums of a period; null if they have to be computed anew. */
type Update = (billed: BilledPeriod) => BilledPeriod | null

/**
 * Updates the stored sums of subscriptions' periods after a change of their invoices or pending invoice items.
 * @param written - the objects of the change, by id
 */
export function updateBilledPeriods(unit: UnitOfWork, written: ReadonlyMap<string, Written>): void {
  const updates = new Map<string, Update[]>()
  const add = (subscription: string | null, update: Update) => {
    if (subscription === null) return
    const others = updates.get(subscription)
    if (others) others.push(update)
    else updates.set(subscription, [update])
  }
  for (const { kind, first, last } of written.values()) {
    if (kind === 'invoice' && first) addInvoice(unit, first as Invoice, last as Invoice, add)
    else if (kind === 'invoice_item') addItem(first as InvoiceItem | null, last as InvoiceItem, add)
  }
  for (const [subscription, all] of updates) {
    // The sums of the previous period stay until the next plan change: deleting them takes longer than ignoring them.
    if (!beginsPeriod(written.get(subscription))) updateOne(unit, subscription, all)
  }
}

type Add = (subscription: string | null, update: Update) => void

function addInvoice(unit: UnitOfWork, before: Invoice, after: Invoice, add: Add): void {
  if (!changesBilled(before, after)) return
  add(after.subscription, (billed) => withChangedInvoice(billed, { before, after, seq: seqOf(unit, after) }))
}

function addItem(before: InvoiceItem | null, after: InvoiceItem, add: Add): void {
  if (after.proration === null) return
  const isMoved = before?.billed_with !== after.billed_with || before.proration !== after.proration
  if (!isMoved) return
  if (before) add(before.billed_with, (billed) => withWaiting(billed, before, false))
  add(after.billed_with, (billed) => withWaiting(billed, after, true))
}

/** Reports whether a subscription enters another period: the sums of the previous one are no longer needed. */
const beginsPeriod = (written: Written | undefined): boolean =>
  written?.first != null &&
  (written.first as Subscription).current_period_start !== (written.last as Subscription).current_period_start

function updateOne(unit: UnitOfWork, subscription: string, updates: readonly Update[]): void {
  const { billedPeriods } = unit.store
  const kept = billedPeriods.get(subscription)
  if (!kept) return
  let billed: BilledPeriod | null = kept
  for (const update of updates) billed &&= update(billed)
  if (billed === null) billedPeriods.delete(subscription)
  else if (billed !== kept) billedPeriods.set(unit.owner, subscription, billed)
}

/** Returns an invoice's seq, which is the order of creation. */
export function seqOf({ store, owner }: UnitOfWork, { id }: Invoice): number {
  const seq = store.objects.seqOf('invoice', owner, id)
  assert(seq !== undefined, `${id} exists`)
  return seq
}
