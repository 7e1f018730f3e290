import type { Change } from '../../core/change.ts'
import type { Customer } from '../../core/customer.ts'
import { ApiError } from '../../core/errors.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { createInvoiceItem, type InvoiceItemParams } from './invoice-item.ts'
import { newInvoiceItem, oneTimePrice } from './item-cost.ts'

/** A one-time price that the next invoice of a subscription bills too. */
export type AddedItemParams = Pick<InvoiceItemParams, 'price' | 'price_data' | 'quantity' | 'metadata'>

/**
 * Creates the items that the first invoice of a new subscription bills too.
 * @throws ApiError resource_missing, parameter_invalid, amount_too_large, param add_invoice_items[0][price] or the like
 */
export function itemsOfNew(
  unit: UnitOfWork,
  change: Change,
  { customer, subscription, params }: NewItems,
): InvoiceItem[] {
  return params.map((given, index) =>
    atIndex(index, () => {
      const cost = oneTimePrice(unit, { ...given, currency: subscription.currency })
      const item = newInvoiceItem(unit, given, {
        id: unit.idFor('invoice_item'),
        customer,
        cost,
        invoice: null,
        subscription: subscription.id,
        discounts: [],
      })
      return change.create('invoice_item', item)
    }),
  )
}

type NewItems = {
  readonly customer: Customer
  readonly subscription: Subscription
  readonly params: readonly AddedItemParams[]
}

/** Adds items to the next invoice of a subscription. @throws what itemsOfNew and createInvoiceItem throw */
export function addInvoiceItems(
  unit: UnitOfWork,
  { id, customer, currency }: Subscription,
  params: readonly AddedItemParams[],
): void {
  for (const [index, given] of params.entries())
    atIndex(index, () => createInvoiceItem(unit, { ...given, customer, currency, subscription: id }))
}

/** Reports errors under the name of the parameter in the list. */
function atIndex<T>(index: number, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null || error.param === 'subscription') throw error
    const { status, type, code, message, details } = error
    const [, name = '', rest = ''] =
      /^(\w+)(.*)$/.exec(error.param === 'currency' ? 'price' : error.param) ?? []
    const param = `add_invoice_items[${index}][${name}]${rest}`
    throw new ApiError({ status, type, code, message, details, param })
  }
}
