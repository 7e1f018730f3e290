import { changesBilled, withChangedInvoice, withWaiting } from '../../core/billed-lines.ts'
import { assert } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import type { UnitOfWork } from './unit.ts'

/** Updates what is stored of a subscription's period when one of its invoices changes, for example when it is voided. */
export function updateBilledPeriod(unit: UnitOfWork, before: Invoice, after: Invoice): void {
  const { subscription } = after
  if (subscription === null || !changesBilled(before, after)) return
  const { billedPeriods } = unit.store
  const kept = billedPeriods.get(subscription)
  if (!kept) return
  const billed = withChangedInvoice(kept, { before, after, seq: seqOf(unit, after) })
  if (billed === null) billedPeriods.delete(subscription)
  else if (billed !== kept) billedPeriods.set(unit.owner, subscription, billed)
}

/** Updates what is stored of a subscription's period when an invoice item begins to wait for it, or no longer waits. */
export function updateWaiting(unit: UnitOfWork, before: InvoiceItem | null, after: InvoiceItem): void {
  const past = before?.billed_with ?? null
  if (after.proration === null || past === after.billed_with) return
  const { billedPeriods } = unit.store
  for (const subscription of [past, after.billed_with]) {
    const kept = subscription === null ? undefined : billedPeriods.get(subscription)
    if (subscription === null || kept === undefined) continue
    const billed = withWaiting(kept, after, subscription === after.billed_with)
    if (billed !== kept) billedPeriods.set(unit.owner, subscription, billed)
  }
}

/** Returns an invoice's seq, which is the order of creation. */
export function seqOf({ store, owner }: UnitOfWork, { id }: Invoice): number {
  const seq = store.objects.seqOf('invoice', owner, id)
  assert(seq !== undefined, `${id} exists`)
  return seq
}
