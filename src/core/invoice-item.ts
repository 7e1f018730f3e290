import { parameterInvalid } from './errors.ts'
import { type Invoice, MAX_LINE_DISCOUNTS, MAX_LINES, withLines } from './invoice.ts'
import { type InvoiceLine, isDiscountableByDefault } from './invoice-line.ts'
import { isDraft } from './invoice-status.ts'
import type { ItemProration } from './item-proration.ts'
import type { Metadata } from './metadata.ts'
import { total } from './money.ts'
import { type Pricing, priceAmount } from './price-amount.ts'

/**
 * A charge of any amount that is pending for the customer's next manual invoice, or is on an invoice. Amounts are in
 * the smallest currency unit. See docs/contract/invoices.md#invoice-items.
 */
export type InvoiceItem = {
  readonly id: string
  readonly created: number
  readonly customer: string
  readonly currency: string
  readonly amount: number
  /** null if the units do not have one whole amount. */
  readonly unit_amount: number | null
  readonly quantity: number
  readonly price: string | null
  readonly description: string | null
  /** The invoice that bills it; null while it is pending. */
  readonly invoice: string | null
  /** The subscription that it belongs to, if any. */
  readonly subscription: string | null
  /**
   * The subscription whose next invoice bills it; null for an item that the customer's next manual invoice bills. Not part
   * of the API's object.
   */
  readonly billed_with: string | null
  /** For a proration: the item of the subscription, and the span that it credits or charges. */
  readonly proration: ItemProration | null
  /** Whether discounts can reduce it. */
  readonly discountable: boolean
  /** Its own discounts, which take the place of those of the invoice. */
  readonly discounts: readonly string[]
  readonly metadata: Metadata
  readonly test_clock: string | null
  readonly deleted: boolean
}

/**
 * Returns the amount of a quantity of units.
 * @throws ApiError amount_too_large
 */
export const itemAmount = (pricing: Pricing, quantity: number): number =>
  total([priceAmount(pricing, quantity)])

/** Creates the line that bills an item. */
export const lineOfItem = (
  { amount, unit_amount, quantity, price, description, id, proration, discountable, discounts }: InvoiceItem,
  lineId: string,
): InvoiceLine => ({
  id: lineId,
  amount,
  unit_amount,
  quantity,
  price,
  subscription_item: proration?.subscription_item ?? null,
  invoice_item: id,
  description,
  ...(proration && { proration }),
  ...(discountable !== isDiscountableByDefault(proration) && { discountable }),
  ...(discounts.length > 0 && { discounts }),
})

/**
 * Returns the first of some pending items: those that one new invoice bills. The others wait for the next invoice.
 * See docs/contract/invoices.md#lines.
 */
export function itemsOfOneInvoice(items: readonly InvoiceItem[]): readonly InvoiceItem[] {
  let sum = 0
  const end = items.findIndex(({ discounts }, place) => {
    sum += discounts.length
    return place >= MAX_LINES || sum > MAX_LINE_DISCOUNTS
  })
  return end < 0 ? items : items.slice(0, end)
}

/** Returns items in the order of their creation, in which ids sort. */
export const oldestFirst = <Item extends Pick<InvoiceItem, 'id'>>(items: readonly Item[]): readonly Item[] =>
  items.toSorted((one, other) => (one.id < other.id ? -1 : 1))

/** Reports whether the lines of a draft can have so many more discounts of their own. A draft that has too many can keep them. */
const hasRoomFor = ({ lines }: Invoice, more: number): boolean =>
  more <= 0 || lines.reduce((sum, line) => sum + (line.discounts?.length ?? 0), more) <= MAX_LINE_DISCOUNTS

const FULL_OF_DISCOUNTS = `would have more than ${MAX_LINE_DISCOUNTS} discounts of lines, which is the maximum`

/**
 * Checks that an item on a draft can get so many more discounts.
 * @throws ApiError parameter_invalid, param discounts
 * See docs/contract/discounts.md#redeeming.
 */
export function checkMoreDiscounts(draft: Invoice, more: number): void {
  if (!hasRoomFor(draft, more))
    throw parameterInvalid('discounts', `The invoice '${draft.id}' ${FULL_OF_DISCOUNTS}`)
}

/**
 * Checks that an item can be added to an invoice.
 * @param item.discounts - the discounts that it has or gets
 * @throws ApiError parameter_invalid, param invoice, for another customer's or currency's invoice, one that is not a
 *   draft, and one that is full
 * See docs/contract/invoices.md#invoice-items.
 */
export function checkAcceptsItem(
  invoice: Invoice,
  {
    customer,
    currency,
    discounts = [],
  }: Pick<InvoiceItem, 'customer' | 'currency'> & { readonly discounts?: readonly unknown[] | undefined },
): void {
  const refuse = (reason: string) => parameterInvalid('invoice', `The invoice '${invoice.id}' ${reason}`)
  if (invoice.customer !== customer) throw refuse('belongs to another customer')
  if (invoice.currency !== currency) throw refuse(`is in ${invoice.currency}, not in ${currency}`)
  if (!isDraft(invoice)) throw refuse(`has the status ${invoice.status}: items can be added only to a draft`)
  if (invoice.lines.length >= MAX_LINES) throw refuse(`has the maximum of ${MAX_LINES} lines`)
  if (!hasRoomFor(invoice, discounts.length)) throw refuse(FULL_OF_DISCOUNTS)
}

/** Adds a new item to a draft, as its last line. */
export const withItem = (draft: Invoice, item: InvoiceItem, lineId: string): Invoice =>
  withLines(draft, [...draft.lines, { ...lineOfItem(item, lineId), is_own_item: true }])

/** Updates the line of a draft that bills an item. */
export const withUpdatedItem = (draft: Invoice, item: InvoiceItem): Invoice =>
  withLines(
    draft,
    draft.lines.map((line) => (line.invoice_item === item.id ? updatedLine(line, item) : line)),
  )

/** Updates the line that bills an item. Its discount amounts are computed anew. */
const updatedLine = (
  { discountable: _, discounts: __, discount_amounts: ___, ...line }: InvoiceLine,
  item: InvoiceItem,
): InvoiceLine => ({ ...line, ...lineOfItem(item, line.id) })

/** Removes the line of a draft that bills an item. */
export const withoutItem = (draft: Invoice, { id }: InvoiceItem): Invoice =>
  withLines(
    draft,
    draft.lines.filter((line) => line.invoice_item !== id),
  )
