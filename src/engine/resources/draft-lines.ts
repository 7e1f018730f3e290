import { Change } from '../../core/change.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import { withLines } from '../../core/invoice.ts'
import { checkAcceptsItem, type InvoiceItem, lineOfItem, withoutItem } from '../../core/invoice-item.ts'
import type { InvoiceLine } from '../../core/invoice-line.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { updateDraft } from './draft-discounts.ts'

/**
 * Puts a pending item on a draft, as its last line.
 * @throws ApiError resource_missing; parameter_invalid, param invoice_item or invoice
 */
export function assignItem(unit: UnitOfWork, invoice: Invoice, itemId: string): void {
  const item = unit.find('invoice_item', itemId, 'invoice_item')
  if (item.invoice !== null)
    throw parameterInvalid('invoice_item', `The invoice item '${itemId}' is already on '${item.invoice}'`)
  checkAcceptsItem(invoice, item)
  const change = new Change()
  change.update('invoice_item', item, (before) => ({ ...before, invoice: invoice.id, billed_with: null }))
  updateDraft(unit, change, invoice, (draft) =>
    withLines(draft, [...draft.lines, lineOfItem(item, unit.newId('il'))]),
  )
  apply(unit, change, unit.clockOf(item.test_clock))
}

/** Takes an item off its draft, so that the next invoice of its subscription or customer bills it. */
export function unassignItem(unit: UnitOfWork, invoice: Invoice, item: InvoiceItem): void {
  const change = new Change()
  change.update('invoice_item', item, (before) => ({
    ...before,
    invoice: null,
    billed_with: before.subscription,
  }))
  updateDraft(unit, change, invoice, (draft) => withoutItem(draft, item))
  if (item.subscription !== null) {
    const subscription = unit.need('subscription', item.subscription)
    change.update('subscription', subscription, (waiting) => ({ ...waiting, has_pending_items: true }))
  }
  apply(unit, change, unit.clockOf(item.test_clock))
}

/**
 * Finds the invoice item that a line bills.
 * @throws ApiError resource_missing for a line that is not on the invoice; parameter_invalid for one that bills a
 *   subscription
 */
export function itemOfLine(
  unit: UnitOfWork,
  { id, lines }: Invoice,
  lineId: string,
  param: string,
): InvoiceItem {
  const line: InvoiceLine | undefined = lines.find((each) => each.id === lineId)
  if (!line) throw resourceMissing('line_item', lineId, param)
  if (line.invoice_item === undefined)
    throw parameterInvalid(
      param,
      `The line '${lineId}' of '${id}' bills a subscription: paytwin knows changes of lines that bill invoice items only`,
    )
  return unit.need('invoice_item', line.invoice_item)
}
