import { type BilledChanges, changesBilled, ofCurrentItems, withChanges } from '../../core/billed-lines.ts'
import type { Written } from '../../core/change.ts'
import { assert } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { UnitOfWork } from './unit.ts'

type AllWritten = ReadonlyMap<string, Written>

type Changes = { readonly [Key in keyof BilledChanges]: BilledChanges[Key][number][] }

/** Returns the changes of a subscription, to which others are added. */
type ChangesOf = (subscription: string) => Changes

/**
 * Updates the stored sums of subscriptions' periods after a change of their invoices or pending invoice items.
 * @param written - the objects of the change, by id
 */
export function updateBilledPeriods(unit: UnitOfWork, written: AllWritten): void {
  const all = new Map<string, Changes>()
  const changesOf: ChangesOf = (subscription) => {
    const changes = all.get(subscription) ?? { invoices: [], added: [], removed: [] }
    all.set(subscription, changes)
    return changes
  }
  for (const { kind, first, last } of written.values()) {
    if (kind === 'invoice_item') addItem(first as InvoiceItem | null, last as InvoiceItem, changesOf)
    else if (first === null) continue
    else if (kind === 'subscription')
      addUpdating(unit, first as Subscription, last as Subscription, changesOf)
    else if (kind === 'invoice') addInvoice(unit, first as Invoice, last as Invoice, { written, changesOf })
  }
  for (const [subscription, changes] of all) {
    // The sums of the previous period stay until the next plan change: deleting them takes longer than ignoring them.
    const change = written.get(subscription)
    if (!beginsPeriod(change)) updateOne(unit, subscription, { changes, change })
  }
}

/** Adds a changed invoice, unless it is that of an update that was pending before the change: the sums are without it. */
function addInvoice(
  unit: UnitOfWork,
  before: Invoice,
  after: Invoice,
  { written, changesOf }: { readonly written: AllWritten; readonly changesOf: ChangesOf },
): void {
  const { id, subscription } = after
  if (subscription === null || !changesBilled(before, after)) return
  const holder = written.get(subscription)?.first ?? unit.need('subscription', subscription)
  if ((holder as Subscription).pending_update?.invoice === id) return
  changesOf(subscription).invoices.push({ before, after, seq: seqOf(unit, after) })
}

/** Adds the invoice of a pending update when the update is applied or dropped. */
function addUpdating(
  unit: UnitOfWork,
  { id, pending_update: before }: Subscription,
  { pending_update: after }: Subscription,
  changesOf: ChangesOf,
): void {
  if (before === null || before.invoice === after?.invoice) return
  const invoice = unit.need('invoice', before.invoice)
  changesOf(id).invoices.push({ before: null, after: invoice, seq: seqOf(unit, invoice) })
}

function addItem(before: InvoiceItem | null, after: InvoiceItem, changesOf: ChangesOf): void {
  if (after.proration === null) return
  if (before?.billed_with === after.billed_with && before.proration === after.proration) return
  if (before?.billed_with != null) changesOf(before.billed_with).removed.push(before)
  if (after.billed_with !== null) changesOf(after.billed_with).added.push(after)
}

/** Reports whether a subscription enters another period: the sums of the previous one are no longer needed. */
const beginsPeriod = (written: Written | undefined): boolean =>
  written?.first != null &&
  (written.first as Subscription).current_period_start !== (written.last as Subscription).current_period_start

/** @param made.change - the change of the subscription itself */
function updateOne(
  unit: UnitOfWork,
  id: string,
  { changes, change }: { readonly changes: Changes; readonly change: Written | undefined },
): void {
  const { billedPeriods } = unit.store
  const kept = billedPeriods.get(id)
  if (!kept) return
  const billed = withChanges(kept, changes)
  if (billed === null) billedPeriods.delete(id)
  else if (billed !== kept) {
    const subscription = (change?.last as Subscription | undefined) ?? unit.need('subscription', id)
    billedPeriods.set(unit.owner, id, ofCurrentItems(billed, subscription))
  }
}

/** Returns an invoice's seq, which is the order of creation. */
export function seqOf({ store, owner }: UnitOfWork, { id }: Invoice): number {
  const seq = store.objects.seqOf('invoice', owner, id)
  assert(seq !== undefined, `${id} exists`)
  return seq
}
