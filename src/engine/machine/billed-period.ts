import {
  asBilled,
  type BilledChanges,
  billsLines,
  changesBilled,
  ofCurrentItems,
  withChanges,
} from '../../core/billed-lines.ts'
import type { Written } from '../../core/change.ts'
import { assert } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import { isCorrection } from '../../core/item-proration.ts'
import type { Objects } from '../../core/kinds.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { UnitOfWork } from './unit.ts'

/** The changes that concern the period of a subscription. */
type Touched = {
  readonly invoices: BilledChanges['invoices'][number][]
  /** The ids of prorations that may be billed from now on, or no longer. */
  readonly items: Set<string>
}

type Kinds = Pick<Objects, 'subscription' | 'invoice' | 'invoice_item'>

/** Reads an object as it was before a change, or as it is after it. */
type Read = <K extends keyof Kinds>(kind: K, id: string) => Kinds[K] | null

/**
 * Updates the stored sums of subscriptions' periods after a change of what their invoices and prorations bill.
 * @param written - the objects of the change, by id
 */
export function updateBilledPeriods(unit: UnitOfWork, written: ReadonlyMap<string, Written>): void {
  const touched = new Map<string, Touched>()
  const touchedOf = (subscription: string): Touched => {
    const known = touched.get(subscription) ?? { invoices: [], items: new Set() }
    touched.set(subscription, known)
    return known
  }
  const addItem = ({ id, subscription, proration }: InvoiceItem) => {
    if (subscription !== null && isCorrection(proration)) touchedOf(subscription).items.add(id)
  }
  const before = <K extends keyof Kinds>(kind: K, id: string): Kinds[K] | null => {
    const change = written.get(id)
    return change ? (change.first as Kinds[K] | null) : unit.need(kind, id)
  }

  for (const { kind, first, last } of written.values()) {
    if (kind === 'invoice_item') addItem(last as InvoiceItem)
    if (first === null) continue
    if (kind === 'subscription') addUpdating(unit, first as Subscription, last as Subscription, touchedOf)
    if (kind === 'invoice') {
      addInvoice(unit, first as Invoice, last as Invoice, { before, touchedOf })
      for (const item of itemsOfChanged(first as Invoice, last as Invoice))
        addItem(unit.need('invoice_item', item))
    }
  }
  for (const [subscription, changes] of touched) updateOne(unit, subscription, { changes, before })
}

/** Adds a changed invoice, unless it is that of an update that was pending before the change: the sums are without it. */
function addInvoice(
  unit: UnitOfWork,
  first: Invoice,
  last: Invoice,
  { before, touchedOf }: { readonly before: Read; readonly touchedOf: (subscription: string) => Touched },
): void {
  const { id, subscription } = last
  if (subscription === null || !changesBilled(first, last)) return
  if (before('subscription', subscription)?.pending_update?.invoice === id) return
  touchedOf(subscription).invoices.push({ before: first, after: last, seq: seqOf(unit, last) })
}

/**
 * Lists the prorations on an invoice that may bill another amount after a change of it: all if they are billed from now on or no longer,
 * for example because it was voided; those that discounts can reduce if its lines changed.
 */
function itemsOfChanged(first: Invoice, last: Invoice): readonly string[] {
  const isSwitched = billsLines(first) !== billsLines(last)
  if (!isSwitched && first.lines === last.lines) return []
  return last.lines.flatMap(({ invoice_item, proration, discountable }) =>
    invoice_item !== undefined && isCorrection(proration) && (isSwitched || discountable)
      ? [invoice_item]
      : [],
  )
}

/** Adds the invoice and the prorations of a pending update when the update is applied or dropped. */
function addUpdating(
  unit: UnitOfWork,
  { id, pending_update: first }: Subscription,
  { pending_update: last }: Subscription,
  touchedOf: (subscription: string) => Touched,
): void {
  if (first === null || first.invoice === last?.invoice) return
  const invoice = unit.need('invoice', first.invoice)
  const { invoices, items } = touchedOf(id)
  invoices.push({ before: null, after: invoice, seq: seqOf(unit, invoice) })
  for (const item of first.prorations) items.add(item)
}

/** Updates the stored sums of a subscription, if it has any. */
function updateOne(
  unit: UnitOfWork,
  id: string,
  { changes, before }: { readonly changes: Touched; readonly before: Read },
): void {
  const { billedPeriods } = unit.store
  const kept = billedPeriods.get(id)
  if (!kept) return
  const first = before('subscription', id)
  const last = unit.need('subscription', id)
  // The sums of the previous period stay until the next plan change: deleting them takes longer than ignoring them.
  if (first?.current_period_start !== last.current_period_start) return
  const after: Read = (kind, object) => unit.need(kind, object)
  const [added, removed]: [InvoiceItem[], InvoiceItem[]] = [[], []]
  for (const item of changes.items) {
    const [was, is] = [billedItem(before, first, item), billedItem(after, last, item)]
    if (was?.amount === is?.amount) continue
    if (was) removed.push(was)
    if (is) added.push(is)
  }
  const billed = withChanges(kept, { invoices: changes.invoices, added, removed })
  if (billed === null) billedPeriods.delete(id)
  else if (billed !== kept) billedPeriods.set(unit.owner, id, ofCurrentItems(billed, last))
}

/** Returns an invoice item with the amount that it bills; null if it bills nothing or does not exist. */
function billedItem(read: Read, subscription: Subscription, id: string): InvoiceItem | null {
  const item = read('invoice_item', id)
  if (item === null) return null
  return asBilled(item, item.invoice === null ? null : read('invoice', item.invoice), subscription)
}

/** Returns an invoice's seq, which is the order of creation. */
export function seqOf({ store, owner }: UnitOfWork, { id }: Invoice): number {
  const seq = store.objects.seqOf('invoice', owner, id)
  assert(seq !== undefined, `${id} exists`)
  return seq
}
