import { billedUsage, roomForUsage } from '../../core/billing/usage.ts'
import { type Invoice, withLines } from '../../core/invoice.ts'
import type { InvoiceLine } from '../../core/invoice-line.ts'
import { isDraft } from '../../core/invoice-status.ts'
import { isSameJson } from '../../core/json-text.ts'
import { sumOf } from '../../core/money.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { usageOf } from './usage.ts'

/**
 * Updates the lines of a draft that bill the usage of a period: usage that was reported or canceled later counts until the
 * draft is finalized. Returns other invoices, and those of a deleted customer, unchanged.
 * See docs/contract/usage.md#late-events.
 */
export function withCurrentUsage(unit: UnitOfWork, invoice: Invoice): Invoice {
  if (!isDraft(invoice) || !invoice.lines.some(isUsage)) return invoice
  if (unit.need('customer', invoice.customer).deleted) return invoice
  const items = invoice.lines.filter(isOfItem)
  const usage = invoice.lines.filter(isUsage)
  let room = roomForUsage(sumOf(invoice.lines) - sumOf(items) - sumOf(usage), sumOf(items))
  // Discounts let the lines add up to more than the largest amount. Then no line of usage can grow.
  const isFull = room < sumOf(usage)
  const lines = invoice.lines.map((line) => {
    if (!isUsage(line)) return line
    const after = withUsage(unit, invoice, line, isFull ? line.amount : room)
    room -= after.amount
    return after
  })
  return isSameJson(lines, invoice.lines) ? invoice : withLines(invoice, lines)
}

/** Reports whether a line bills the usage of a whole period, rather than an invoice item. */
const isUsage = (line: InvoiceLine): boolean => line.proration?.is_usage === true && !isOfItem(line)

const isOfItem = ({ invoice_item }: InvoiceLine): boolean => invoice_item !== undefined

function withUsage(unit: UnitOfWork, invoice: Invoice, line: InvoiceLine, room: number): InvoiceLine {
  const { quantity_decimal: _, ...whole } = line
  const { price, subscription_item, proration } = line
  if (price === null || subscription_item === null || !proration) return line
  const read = usageOf(unit, invoice.customer)
  const item = { id: subscription_item, created: 0, price, quantity: null, metadata: {} }
  const billed = billedUsage(unit.needWithoutMetadata('price', price), read(item, proration), room)
  // Unchanged fields keep their order, so that the same usage gives the same line.
  return { ...(billed.quantity_decimal === undefined ? whole : line), ...billed }
}
