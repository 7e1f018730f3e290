import { z } from 'zod'
import type { InvoiceItem } from '../core/invoice-item.ts'
import { createInvoiceItem, deleteInvoiceItem } from '../engine/invoice-item.ts'
import type { View } from '../engine/view.ts'
import type { Api } from './api.ts'
import { amount, currency, metadata, optionalText, quantity, reference } from './fields.ts'
import { createdFilters, createdParam, equals, listObjects, pageParams } from './pagination.ts'
import { common, deletedStub, retrieve } from './resource.ts'
import {
  deletedInvoiceItem,
  type InvoiceItemShape,
  invoiceItemList,
  invoiceItemSchema,
} from './schemas/invoice-item.ts'

const createParams = z.object({
  customer: reference,
  amount: amount.optional(),
  currency: currency.optional(),
  price: reference.optional(),
  quantity: quantity.default(1),
  description: optionalText,
  metadata,
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
    {
      method: 'post',
      path: '/v1/invoiceitems',
      summary: 'Notes something that the next manual invoice of a customer bills.',
      params: createParams,
      status: 201,
      returns: invoiceItemSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ unit, view, params }) => presentInvoiceItem(view, createInvoiceItem(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoiceitems',
      summary: 'Lists invoice items, the newest first.',
      params: listParams,
      returns: invoiceItemList,
    },
    (call) => {
      const { customer, invoice, created } = call.params
      const filters = [
        { field: 'deleted', is: 0 },
        ...equals('customer', customer),
        ...equals('invoice', invoice),
        ...createdFilters(created),
      ]
      return listObjects(call, 'invoice_item', filters, (item) => presentInvoiceItem(call.view, item))
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoiceitems/:id',
      summary: 'Retrieves an invoice item.',
      returns: invoiceItemSchema,
    },
    ({ view, id }) => presentInvoiceItem(view, retrieve(view, 'invoice_item', id)),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/invoiceitems/:id',
      summary: 'Deletes an invoice item that no invoice bills yet.',
      returns: deletedInvoiceItem,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, id }) => deletedStub('invoiceitem', deleteInvoiceItem(unit, id).id),
  )
}

/** Source: decisions.md 7; paytwin: its fields. */
export const presentInvoiceItem = (view: View, item: InvoiceItem): InvoiceItemShape => ({
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
