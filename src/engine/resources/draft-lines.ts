import type { Change } from '../../core/change.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { type Invoice, withLines } from '../../core/invoice.ts'
import { checkAcceptsItem, type InvoiceItem, lineOfItem, withoutItem } from '../../core/invoice-item.ts'
import type { InvoiceLine } from '../../core/invoice-line.ts'
import { isDraft } from '../../core/invoice-status.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { hasEnded } from '../../core/subscription-status.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { ItemChanges } from './item-changes.ts'

/**
 * Changes the lines of a draft, and then its metadata, in one change with one event.
 * @param change - changes one line of the draft, which is given as it is after the changes so far
 * @throws ApiError resource_missing; parameter_invalid when the invoice is not a draft; amount_too_large; what `change` throws
 */
export function changeLines<T>(
  unit: UnitOfWork,
  id: string,
  { lines, metadata }: { readonly lines: readonly T[]; readonly metadata?: MetadataParam | undefined },
  change: (items: ItemChanges, draft: Invoice, line: T, index: number) => void,
): Invoice {
  const invoice = unit.find('invoice', id)
  if (!isDraft(invoice))
    throw parameterInvalid(
      null,
      `The status of ${id} is ${invoice.status}: lines of drafts can be changed only`,
    )
  const items = new ItemChanges(unit)
  for (const [index, line] of lines.entries()) change(items, items.latestInvoice(invoice), line, index)
  if (metadata !== undefined)
    items.changeDraft(invoice, (draft) => ({ ...draft, metadata: mergeMetadata(draft.metadata, metadata) }))
  items.apply(invoice.test_clock)
  return unit.need('invoice', id)
}

/**
 * Puts a pending item on a draft, as its last line.
 * @throws ApiError resource_missing; parameter_invalid, param invoice_item or invoice
 */
export function assignItem(items: ItemChanges, invoice: Invoice, itemId: string): void {
  const { unit, change } = items
  const item = items.latestItem(unit.find('invoice_item', itemId, 'invoice_item'))
  if (item.invoice !== null)
    throw parameterInvalid('invoice_item', `The invoice item '${itemId}' is already on '${item.invoice}'`)
  checkAcceptsItem(invoice, item)
  change.update('invoice_item', item, (before) => ({ ...before, invoice: invoice.id, billed_with: null }))
  items.changeDraft(invoice, (draft) =>
    withLines(draft, [...draft.lines, lineOfItem(item, unit.newId('il'))]),
  )
}

/** Takes an item off its draft, so that it is pending again. */
export function unassignItem(items: ItemChanges, invoice: Invoice, item: InvoiceItem): void {
  makePending(items.unit, items.change, item)
  items.changeDraft(invoice, (draft) => withoutItem(draft, item))
}

/**
 * Makes an item that leaves its draft pending, so that the next invoice of its subscription bills it, or that of its customer if it has
 * none, or if the subscription has ended.
 */
export function makePending(unit: UnitOfWork, change: Change, item: InvoiceItem): void {
  const subscription = item.subscription === null ? null : unit.need('subscription', item.subscription)
  const billed_with = subscription === null || hasEnded(subscription) ? null : subscription.id
  change.update('invoice_item', item, (before) => ({ ...before, invoice: null, billed_with }))
  if (subscription !== null && billed_with !== null)
    change.update('subscription', subscription, (waiting) => ({ ...waiting, has_pending_items: true }))
}

/**
 * Finds the invoice item that a line bills.
 * @throws ApiError resource_missing for a line that is not on the invoice; parameter_invalid for one that bills a
 *   subscription
 */
export function itemOfLine(
  items: ItemChanges,
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
  return items.latestItem(items.unit.need('invoice_item', line.invoice_item))
}
