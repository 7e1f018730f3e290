import type { Invoice } from './invoice.ts'
import type { InvoiceItem } from './invoice-item.ts'
import { netAmount } from './invoice-line.ts'
import { isBilled } from './invoice-status.ts'
import { type ItemProration, isCorrection } from './item-proration.ts'
import type { BilledLine } from './proration.ts'
import type { Subscription } from './subscription.ts'

/** The sum of the lines that billed an item for the same span. */
export type BilledSum = BilledLine & {
  /** The number of summed lines. Lines whose sum is 0 differ from no lines. */
  readonly count: number
}

/** The amounts that are billed for the items of a subscription in one period. */
export type BilledPeriod = {
  /** The start of the period, in Unix seconds. */
  readonly cycle: number
  /** The seq of the invoice that bills the period as a whole; 0 if none does. */
  readonly beginning: number
  /** The seq of the newest invoice of the subscription that was read; 0 for none. */
  readonly through: number
  /** The sums of the lines that bill the whole period. Those of deleted items can be missing. */
  readonly sums: readonly BilledSum[]
  /** The sums of the invoice items that correct the period, pending or on any invoice. Those of deleted items can be missing. */
  readonly corrections: readonly BilledSum[]
}

/** Returns the amounts of a period before its first invoice: only those of the invoice items that correct it. */
export const withoutInvoices = (cycle: number, corrections: Iterable<InvoiceItem>): BilledPeriod => ({
  cycle,
  beginning: 0,
  through: 0,
  sums: [],
  corrections: summed([], [...corrections].flatMap((item) => correctionOf(item, cycle)).map(one)),
})

/**
 * Returns an invoice item with the amount that it bills after discounts; null if it bills nothing, because it is deleted or on an
 * invoice that is void, uncollectible or deleted. What a pending update bills counts only once the update is applied.
 * @param invoice - the invoice that it is on; null while it is pending
 */
export function asBilled(
  item: InvoiceItem,
  invoice: Invoice | null,
  { pending_update }: Pick<Subscription, 'pending_update'>,
): InvoiceItem | null {
  if (item.deleted || pending_update?.prorations.includes(item.id)) return null
  if (invoice === null) return item
  if (!billsLines(invoice)) return null
  const line = item.discountable && invoice.lines.find(({ invoice_item }) => invoice_item === item.id)
  return line ? { ...item, amount: netAmount(line) } : item
}

/** Reports whether the lines of an invoice are billed: it was not voided, marked uncollectible or deleted. */
export const billsLines = (invoice: Invoice): boolean => isBilled(invoice) && !invoice.deleted

/** An invoice, and its seq. */
export type PlacedInvoice = { readonly invoice: Invoice; readonly seq: number }

/** Adds the next invoices of the subscription that were created in the period or later, oldest first. */
export function withNextInvoices(billed: BilledPeriod, invoices: Iterable<PlacedInvoice>): BilledPeriod {
  let { beginning, through, sums } = billed
  for (const { invoice, seq } of invoices) {
    through = seq
    if (!beginsPeriod(invoice, billed.cycle)) continue
    // Another period may have begun in the same second, and ended at once: an older invoice bills it.
    beginning = seq
    sums = summed([], linesOf(invoice, billed.cycle).map(one))
  }
  return through === billed.through ? billed : { ...billed, beginning, through, sums }
}

/** The changes of what a subscription's invoices and invoice items bill. */
export type BilledChanges = {
  /** Invoices of the subscription before their changes (null: they were not to be summed) and after them. */
  readonly invoices: readonly {
    readonly before: Invoice | null
    readonly after: Invoice
    readonly seq: number
  }[]
  /** Invoice items that are billed from now on, with their amounts after discounts. */
  readonly added: readonly InvoiceItem[]
  /** Invoice items that are no longer billed, with their amounts before. */
  readonly removed: readonly InvoiceItem[]
}

/**
 * Returns the amounts after changes, for example after an invoice was voided.
 * @returns null if the sums have to be computed anew
 */
export function withChanges(
  billed: BilledPeriod,
  { invoices, added, removed }: BilledChanges,
): BilledPeriod | null {
  const { cycle, beginning, through } = billed
  const ofInvoices: BilledSum[] = []
  for (const { before, after, seq } of invoices) {
    if (seq < beginning || seq > through) continue
    const begins = seq === beginning
    if (beginsPeriod(after, cycle) !== begins) return null
    if (!begins) continue
    if (before) ofInvoices.push(...linesOf(before, cycle).map(less))
    ofInvoices.push(...linesOf(after, cycle).map(one))
  }
  const corrections = (items: readonly InvoiceItem[]) => items.flatMap((item) => correctionOf(item, cycle))
  const ofItems = [...corrections(removed).map(less), ...corrections(added).map(one)]
  if (ofInvoices.length + ofItems.length === 0) return billed
  return {
    ...billed,
    sums: summed(billed.sums, ofInvoices),
    corrections: summed(billed.corrections, ofItems),
  }
}

/**
 * Leaves out the sums of items that the subscription has no longer, and that its pending update does not have either: a deleted
 * item never comes back, so no change asks what was billed for it. A period can have had any number of items.
 */
export function ofCurrentItems(
  billed: BilledPeriod,
  { items, pending_update }: Pick<Subscription, 'items' | 'pending_update'>,
): BilledPeriod {
  const current = new Set([...items, ...(pending_update?.items ?? [])].map(({ id }) => id))
  const isCurrent = ({ subscription_item }: BilledSum) => current.has(subscription_item)
  const { sums, corrections } = billed
  if (sums.every(isCurrent) && corrections.every(isCurrent)) return billed
  return { ...billed, sums: sums.filter(isCurrent), corrections: corrections.filter(isCurrent) }
}

/** Reports whether a change of an invoice may change what it bills. */
export const changesBilled = (before: Invoice, after: Invoice): boolean =>
  before.lines !== after.lines || billsLines(before) !== billsLines(after)

/** Adds up the sums of each span, in one pass over the sums: a period can have very many. */
function summed(sums: readonly BilledSum[], added: readonly BilledSum[]): readonly BilledSum[] {
  if (added.length === 0) return sums
  // Comparing the starts first takes a fraction of the time that the texts of all spans take.
  const starts = new Set(added.map(({ start }) => start))
  const changes = new Map<string, BilledSum>()
  for (const sum of added) changes.set(spanOf(sum), both(changes.get(spanOf(sum)), sum))
  const all: BilledSum[] = []
  for (const sum of sums) {
    const span = starts.has(sum.start) ? spanOf(sum) : ''
    all.push(both(changes.get(span), sum))
    changes.delete(span)
  }
  return [...all, ...changes.values()].filter(({ count }) => count !== 0)
}

const both = (known: BilledSum | undefined, sum: BilledSum): BilledSum =>
  known ? { ...known, amount: known.amount + sum.amount, count: known.count + sum.count } : sum

const spanOf = ({ subscription_item, start, end }: BilledLine): string =>
  `${start} ${end} ${subscription_item}`

const one = (line: BilledLine): BilledSum => summand(line, 1)

/** Returns what removes a line from a sum. */
const less = (line: BilledLine): BilledSum => summand(line, -1)

const summand = ({ subscription_item, start, end, amount }: BilledLine, sign: 1 | -1): BilledSum => ({
  subscription_item,
  start,
  end,
  amount: sign * amount,
  count: sign,
})

/**
 * Lists the lines of the invoice that begins a period, if they are billed. All corrections are counted by their items, which can be on any
 * invoice.
 */
const linesOf = (invoice: Invoice, cycle: number): BilledLine[] =>
  billsLines(invoice) ? planLinesOf(invoice, cycle) : []

/** An object before a change (null: it did not exist) and after it. */
type Changed<T, Before> = { readonly first: Before; readonly last: T }

/**
 * Reports whether a written invoice begins a period with the same start as the one before it, which it replaces. The invoice of
 * a pending update begins it when the update is applied.
 */
export function replacesPeriod(
  { first, last: invoice }: Changed<Invoice, Invoice | null>,
  { first: before, last: after }: Changed<Subscription, Subscription>,
): boolean {
  if (!beginsPeriod(invoice, before.current_period_start)) return false
  const isPending = ({ pending_update }: Subscription) => pending_update?.invoice === invoice.id
  return !isPending(after) && (first === null || isPending(before))
}

/** Reports whether an invoice bills the whole period that began at an instant. If all items are metered, it has no lines for them. */
const beginsPeriod = (invoice: Invoice, cycle: number): boolean =>
  (invoice.begins_period && invoice.period_start === cycle) || planLinesOf(invoice, cycle).length > 0

/** Lists the lines of an invoice that bill the items for the whole period that began at an instant. */
function planLinesOf({ lines, period_start, period_end }: Invoice, cycle: number): BilledLine[] {
  if (period_start !== cycle) return []
  return lines.flatMap((line) => {
    const { subscription_item, proration, is_discarded } = line
    if (subscription_item === null || proration || is_discarded) return []
    return [{ subscription_item, amount: netAmount(line), start: period_start, end: period_end }]
  })
}

/** Returns the proration of a line or an invoice item within a period; nothing for usage. */
function correctionOf(
  { proration, amount }: Pick<InvoiceItem, 'amount'> & { readonly proration?: ItemProration | null },
  cycle: number,
): BilledLine[] {
  if (!proration || !isCorrection(proration) || proration.is_replaced || proration.cycle !== cycle) return []
  const { subscription_item, start, end } = proration
  return [{ subscription_item, start, end, amount }]
}
