import { z } from 'zod'
import type { InvoiceItem } from '../core/invoice-item.ts'
import { createInvoiceItem, deleteInvoiceItem } from '../engine/invoice-item.ts'
import type { View } from '../engine/view.ts'
import type { Api } from './api.ts'
import { amount, currency, metadata, optionalText, quantity, reference } from './fields.ts'
import type { Json } from './json.ts'
import { createdFilters, createdParam, equals, listObjects, pageParams } from './pagination.ts'
import { common, deletedStub, retrieve } from './resource.ts'

const createParams = z.object({
  customer: reference,
  amount: amount.optional(),
  currency: currency.optional(),
  price: reference.optional(),
  quantity: quantity.default(1),
  description: optionalText,
  metadata: metadata.optional(),
})
const listParams = z.object({
  ...pageParams,
  customer: reference.optional(),
  invoice: reference.optional(),
  created: createdParam,
})

/** Source: decisions.md 7. */
export function invoiceItemRoutes(api: Api): void {
  api.write(
    { method: 'post', path: '/v1/invoiceitems', params: createParams, status: 201 },
    ({ unit, view, params }) => presentInvoiceItem(view, createInvoiceItem(unit, params)),
  )
  api.read({ method: 'get', path: '/v1/invoiceitems', params: listParams }, (call) => {
    const { customer, invoice, created } = call.params
    const filters = [
      { field: 'deleted', is: 0 },
      ...equals('customer', customer),
      ...equals('invoice', invoice),
      ...createdFilters(created),
    ]
    return listObjects(call, 'invoice_item', filters, (item) => presentInvoiceItem(call.view, item))
  })
  api.read({ method: 'get', path: '/v1/invoiceitems/:id' }, ({ view, id }) =>
    presentInvoiceItem(view, retrieve(view, 'invoice_item', id)),
  )
  api.write({ method: 'delete', path: '/v1/invoiceitems/:id' }, ({ unit, id }) =>
    deletedStub('invoiceitem', deleteInvoiceItem(unit, id).id),
  )
}

/** Source: decisions.md 7; paytwin: its fields. */
export const presentInvoiceItem = (view: View, item: InvoiceItem): Json => ({
  ...common(view, 'invoiceitem', item),
  customer: item.customer,
  invoice: item.invoice,
  amount: item.amount,
  currency: item.currency,
  unit_amount: item.unit_amount,
  quantity: item.quantity,
  price: item.price,
  description: item.description,
  metadata: item.metadata,
  test_clock: item.test_clock,
})
