import type { Invoice } from '../../../core/invoice.ts'
import type { InvoiceLine } from '../../../core/invoice-line.ts'
import { isCorrection } from '../../../core/item-proration.ts'
import type { View } from '../../../engine/history/view.ts'
import { presentLine } from '../present/invoice.ts'
import { dateText } from './date-text.ts'

/** Describes a line of an invoice for its customer. The date of a proration has the format of all dates on the pages. */
export function lineText(view: View, invoice: Invoice, line: InvoiceLine): string {
  const description = presentLine(view, invoice, line).description ?? 'Item'
  return isCorrection(line.proration)
    ? description.replace(/\d{4}-\d\d-\d\d$/, (date) => dateText(Date.parse(date) / 1_000))
    : description
}
