import type { Invoice } from './invoice.ts'
import type { InvoiceItem } from './invoice-item.ts'
import { netAmount } from './invoice-line.ts'
import { isBilled } from './invoice-status.ts'
import { type ItemProration, isCorrection } from './item-proration.ts'
import type { BilledLine } from './proration.ts'

/** The sum of the lines that billed an item for the same span. */
export type BilledSum = BilledLine & {
  /** The number of summed lines. Lines whose sum is 0 differ from no lines. */
  readonly count: number
}

/** The amounts that invoices of a subscription and its pending invoice items bill for its items in one period. */
export type BilledPeriod = {
  /** The start of the period, in Unix seconds. */
  readonly cycle: number
  /** The seq of the invoice that bills the period as a whole; 0 if none does. */
  readonly beginning: number
  /** The seq of the newest invoice that is summed; 0 for none. */
  readonly through: number
  /** The sums of these invoices. */
  readonly sums: readonly BilledSum[]
  /** The sums of all invoice items that are pending for the subscription. */
  readonly waiting: readonly BilledSum[]
}

/** Returns the amounts of a period before its first invoice: only those of pending invoice items. */
export const withoutInvoices = (cycle: number, items: Iterable<InvoiceItem>): BilledPeriod => {
  return { cycle, beginning: 0, through: 0, sums: [], waiting: addTo([], linesOfItems(items, cycle), 1) }
}

/** Lists the lines that invoice items bill in a period. */
export function linesOfItems(items: Iterable<InvoiceItem>, cycle: number): BilledLine[] {
  const lines: BilledLine[] = []
  for (const item of items) lines.push(...correctionOf(item, cycle, item.amount))
  return lines
}

/** Adds an invoice item that becomes pending, or removes one that is no longer pending. */
export const withWaiting = (billed: BilledPeriod, item: InvoiceItem, waits: boolean): BilledPeriod => {
  const lines = linesOfItems([item], billed.cycle)
  return lines.length === 0 ? billed : { ...billed, waiting: addTo(billed.waiting, lines, waits ? 1 : -1) }
}

/** Adds the next invoice of the subscription that was created in the period or later. */
export function withNextInvoice(billed: BilledPeriod, invoice: Invoice, seq: number): BilledPeriod {
  // Another period may have begun in the same second, and ended at once. Its lines are on older invoices, and its
  // prorations are on the invoice that begins the current period.
  const begins = beginsPeriod(invoice, billed.cycle)
  const lines = linesOf(invoice, billed.cycle, begins)
  return {
    ...billed,
    beginning: begins ? seq : billed.beginning,
    through: seq,
    sums: addTo(begins ? [] : billed.sums, lines, 1),
  }
}

/**
 * Returns the amounts after an invoice changed, for example after it was voided.
 * @returns null if the sums have to be computed anew
 */
export function withChangedInvoice(
  billed: BilledPeriod,
  { before, after, seq }: { readonly before: Invoice; readonly after: Invoice; readonly seq: number },
): BilledPeriod | null {
  const { cycle, beginning, through, sums } = billed
  if (seq < beginning || seq > through) return billed
  const begins = seq === beginning
  if (beginsPeriod(after, cycle) !== begins) return null
  const without = addTo(sums, linesOf(before, cycle, begins), -1)
  return { ...billed, sums: addTo(without, linesOf(after, cycle, begins), 1) }
}

/** Reports whether a change of an invoice may change what it bills. */
export const changesBilled = (before: Invoice, after: Invoice): boolean =>
  before.lines !== after.lines || isBilled(before) !== isBilled(after) || before.deleted !== after.deleted

function addTo(sums: readonly BilledSum[], lines: readonly BilledLine[], sign: 1 | -1): BilledSum[] {
  const added = [...sums]
  for (const line of lines) {
    const { subscription_item, start, end, amount } = line
    const place = added.findLastIndex((sum) => isSameSpan(sum, line))
    const old = added[place]
    const sum = { amount: (old?.amount ?? 0) + sign * amount, count: (old?.count ?? 0) + sign }
    if (old && sum.count === 0) added.splice(place, 1)
    else added.splice(old ? place : added.length, old ? 1 : 0, { subscription_item, start, end, ...sum })
  }
  return added
}

const isSameSpan = (left: BilledLine, right: BilledLine): boolean =>
  left.start === right.start && left.end === right.end && left.subscription_item === right.subscription_item

/** Lists the lines of an invoice that bill items in a period, as a whole or with corrections. */
function linesOf(invoice: Invoice, cycle: number, begins: boolean): BilledLine[] {
  if (!isBilled(invoice)) return []
  if (begins) return planLinesOf(invoice, cycle)
  if (invoice.deleted) return []
  return invoice.lines.flatMap((line) => (line.is_replaced ? [] : correctionOf(line, cycle, netAmount(line))))
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
  { proration }: { readonly proration?: ItemProration | null },
  cycle: number,
  amount: number,
): BilledLine[] {
  if (!proration || !isCorrection(proration) || proration.is_replaced || proration.cycle !== cycle) return []
  const { subscription_item, start, end } = proration
  return [{ subscription_item, start, end, amount }]
}
