import { Change } from '../core/change.ts'
import { invalidStateTransition, parameterInvalid, parameterMissing } from '../core/errors.ts'
import { type Invoice, MAX_LINES } from '../core/invoice.ts'
import {
  checkAcceptsItem,
  type InvoiceItem,
  itemAmount,
  withItem,
  withoutItem,
  withUpdatedItem,
} from '../core/invoice-item.ts'
import { type MetadataParam, mergeMetadata } from '../core/metadata.ts'
import type { Filter } from '../store/list-query.ts'
import { apply } from './apply.ts'
import type { UnitOfWork } from './unit.ts'

export type InvoiceItemParams = {
  customer: string
  invoice?: string | undefined
  amount?: number | undefined
  currency?: string | undefined
  price?: string | undefined
  quantity: number
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
}

/** undefined leaves a field unchanged. */
export type InvoiceItemUpdate = {
  amount?: number | undefined
  quantity?: number | undefined
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Creates an item of an amount in a currency, or of a quantity of a one-time price. It is added to the given draft, or
 * is pending for the customer's next manual invoice.
 * @throws ApiError resource_missing, parameter_missing, parameter_invalid, amount_too_large
 * See docs/contract/invoices.md#invoice-items.
 */
export function createInvoiceItem(unit: UnitOfWork, params: InvoiceItemParams): InvoiceItem {
  const given = amountGiven(params)
  const customer = unit.find('customer', params.customer, 'customer')
  const invoice = params.invoice === undefined ? null : unit.find('invoice', params.invoice, 'invoice')
  const { unit_amount, currency } = given ?? oneTimePrice(unit, params)
  if (invoice) checkAcceptsItem(invoice, { customer: customer.id, currency })
  const clock = unit.clockOf(customer.test_clock)
  const amount = itemAmount(unit_amount, params.quantity)
  const change = new Change()
  const item = change.create('invoice_item', {
    id: unit.idFor('invoice_item'),
    created: clock.instant,
    customer: customer.id,
    currency,
    amount,
    unit_amount,
    quantity: params.quantity,
    price: params.price ?? null,
    description: params.description ?? null,
    invoice: invoice?.id ?? null,
    metadata: mergeMetadata({}, params.metadata),
    test_clock: customer.test_clock,
    deleted: false,
  })
  if (invoice) change.update('invoice', invoice, (draft) => withItem(draft, item, unit.newId('il')))
  apply(unit, change, clock)
  return item
}

type Pricing = { readonly unit_amount: number; readonly currency: string }

/** Returns the amount and currency of the parameters; null when they have a price instead. */
function amountGiven({ amount, currency, price }: InvoiceItemParams): Pricing | null {
  if (price !== undefined) {
    if (amount !== undefined) throw parameterInvalid('amount', 'Give amount or price, not both')
    return null
  }
  if (amount === undefined) throw parameterMissing('amount')
  if (currency === undefined) throw parameterMissing('currency')
  return { unit_amount: amount, currency }
}

function oneTimePrice(unit: UnitOfWork, { price: id = '', currency }: InvoiceItemParams): Pricing {
  const price = unit.find('price', id, 'price')
  if (price.recurring)
    throw parameterInvalid('price', `The price '${id}' is recurring; an invoice item needs a one-time price`)
  if (currency !== undefined && currency !== price.currency) {
    throw parameterInvalid('currency', `The price '${id}' is in ${price.currency}`)
  }
  return price
}

/**
 * Updates an item that is pending or on a draft, and the draft with it.
 * @throws ApiError resource_missing; parameter_invalid, param amount, for an item of a price; amount_too_large;
 *   invalid_state_transition when its invoice is not a draft
 */
export function updateInvoiceItem(unit: UnitOfWork, id: string, params: InvoiceItemUpdate): InvoiceItem {
  const item = unit.find('invoice_item', id)
  const { amount: unit_amount = item.unit_amount, quantity = item.quantity } = params
  const { description = item.description } = params
  if (params.amount !== undefined && item.price !== null)
    throw parameterInvalid(
      'amount',
      `The invoice item '${id}' bills the price '${item.price}'; only its quantity can be changed`,
    )
  const draft = draftOf(unit, item)
  const change = new Change()
  const updated = change.update('invoice_item', item, (before) => ({
    ...before,
    amount: itemAmount(unit_amount, quantity),
    unit_amount,
    quantity,
    description,
    metadata: mergeMetadata(before.metadata, params.metadata),
  }))
  if (draft) change.update('invoice', draft, (before) => withUpdatedItem(before, updated))
  apply(unit, change, unit.clockOf(item.test_clock))
  return updated
}

/**
 * Deletes an item that is pending or on a draft, from which it is removed.
 * @throws ApiError resource_missing; invalid_state_transition when its invoice is not a draft
 */
export function deleteInvoiceItem(unit: UnitOfWork, id: string): InvoiceItem {
  const item = unit.find('invoice_item', id)
  const draft = draftOf(unit, item)
  const change = new Change()
  const deleted = change.update('invoice_item', item, (before) => ({ ...before, deleted: true }))
  if (draft) change.update('invoice', draft, (before) => withoutItem(before, item))
  apply(unit, change, unit.clockOf(item.test_clock))
  return deleted
}

/**
 * Returns the draft that an item is on; null for a pending item.
 * @throws ApiError invalid_state_transition when its invoice is not a draft
 */
function draftOf(unit: UnitOfWork, { id, invoice: invoiceId }: InvoiceItem): Invoice | null {
  if (invoiceId === null) return null
  const invoice = unit.need('invoice', invoiceId)
  if (invoice.status === 'draft') return invoice
  throw invalidStateTransition(
    `The invoice item '${id}' is on the invoice '${invoiceId}', whose status is ${invoice.status}; only items that are pending or on a draft can be changed or deleted`,
    null,
  )
}

/**
 * Lists the items that a customer's next manual invoice bills: the oldest pending ones of a currency, up to the limit.
 * @param currency - undefined for the currency of the customer's oldest pending item
 */
export function itemsToBill(unit: UnitOfWork, customer: string, currency: string | undefined): InvoiceItem[] {
  const billed = currency ?? oldestPending(unit, customer, 1)[0]?.currency
  return billed === undefined
    ? []
    : oldestPending(unit, customer, MAX_LINES, [{ field: 'currency', is: billed }])
}

/** Lists a customer's oldest pending items, oldest first. */
const oldestPending = (
  unit: UnitOfWork,
  customer: string,
  limit: number,
  filters: readonly Filter[] = [],
): InvoiceItem[] =>
  unit.store.objects.list(
    'invoice_item',
    unit.owner,
    [
      { field: 'customer', is: customer },
      { field: 'invoice', is: null },
      { field: 'deleted', is: 0 },
      { field: 'invoice', isNull: true },
      ...filters,
    ],
    { limit, before: 0 },
  )
