import { Change } from '../core/change.ts'
import { invalidStateTransition, parameterInvalid, parameterMissing } from '../core/errors.ts'
import type { InvoiceItem } from '../core/invoice-item.ts'
import { type MetadataParam, mergeMetadata } from '../core/metadata.ts'
import { lineAmount, total } from '../core/money.ts'
import { apply } from './apply.ts'
import type { Unit } from './unit.ts'

export type InvoiceItemParams = {
  customer: string
  amount?: number | undefined
  currency?: string | undefined
  price?: string | undefined
  quantity: number
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Makes an item that waits for the customer's next manual invoice: an amount in a currency, or a quantity of a one-time
 * price.
 * @throws ApiError resource_missing, parameter_missing, parameter_invalid, amount_too_large
 * Source: decisions.md 7 (`/v1/invoiceitems`).
 */
export function createInvoiceItem(unit: Unit, params: InvoiceItemParams): InvoiceItem {
  const customer = unit.find('customer', params.customer, 'customer')
  const { unit_amount, currency } = pricing(unit, params)
  const clock = unit.clockOf(customer.test_clock)
  const amount = total([lineAmount(unit_amount, params.quantity)])
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
    invoice: null,
    metadata: mergeMetadata({}, params.metadata),
    test_clock: customer.test_clock,
    deleted: false,
  })
  apply(unit, change, clock)
  return item
}

function pricing(
  unit: Unit,
  { amount, currency, price: id }: InvoiceItemParams,
): { unit_amount: number; currency: string } {
  if (id === undefined) {
    if (amount === undefined) throw parameterMissing('amount')
    if (currency === undefined) throw parameterMissing('currency')
    return { unit_amount: amount, currency }
  }
  if (amount !== undefined) throw parameterInvalid('amount', 'Give amount or price, not both')
  const price = unit.find('price', id, 'price')
  if (price.recurring)
    throw parameterInvalid(
      'price',
      `The price '${id}' is recurring: only a one-time price can be invoiced by hand`,
    )
  if (currency !== undefined && currency !== price.currency) {
    throw parameterInvalid('currency', `The price '${id}' is in ${price.currency}`)
  }
  return price
}

/**
 * Deletes an item that waits.
 * @throws ApiError resource_missing; invalid_state_transition when an invoice bills it
 */
export function deleteInvoiceItem(unit: Unit, id: string): InvoiceItem {
  const item = unit.find('invoice_item', id)
  if (item.invoice !== null) {
    throw invalidStateTransition(`The invoice item '${id}' is on the invoice '${item.invoice}'`, null)
  }
  const change = new Change()
  const deleted = change.update('invoice_item', item, (waits) => ({ ...waits, deleted: true }))
  apply(unit, change, unit.clockOf(item.test_clock))
  return deleted
}

/** A customer's items that no invoice bills yet, oldest first. */
export const waitingItems = (unit: Unit, customer: string): InvoiceItem[] =>
  unit.store.objects
    .list(
      'invoice_item',
      unit.owner,
      [
        { field: 'customer', is: customer },
        { field: 'deleted', is: 0 },
      ],
      {
        limit: Number.MAX_SAFE_INTEGER,
      },
    )
    .filter((item) => item.invoice === null)
    .reverse()
