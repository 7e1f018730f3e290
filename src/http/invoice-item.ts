import * as z from 'zod'
import type { InvoiceItem } from '../core/invoice-item.ts'
import { isCorrection } from '../core/item-proration.ts'
import type { View } from '../engine/history/view.ts'
import { createInvoiceItem, deleteInvoiceItem, updateInvoiceItem } from '../engine/resources/invoice-item.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { discountsParam, discountsTexts, withDiscountsOf } from './discount-params.ts'
import { amount, currency, metadata, optionalText, quantity, reference } from './fields.ts'
import { createdParam, filtersOf, listObjects, NOT_DELETED, pageParams } from './pagination.ts'
import { oneTimePriceData } from './price-params.ts'
import { priceDataTexts } from './price-texts.ts'
import { common, deletedStub, type Resource, retrieve } from './resource.ts'
import {
  deletedInvoiceItem,
  type InvoiceItemShape,
  invoiceItemList,
  invoiceItemSchema,
} from './schemas/invoice-item.ts'
import { ShownObject } from './shown-object.ts'

const createParams = deferred(() =>
  z
    .object({
      customer: reference,
      invoice: reference.optional(),
      subscription: reference.optional(),
      amount: amount.optional(),
      currency: currency.optional(),
      price: reference.optional(),
      price_data: oneTimePriceData().optional(),
      quantity: quantity.default(1),
      description: optionalText,
      discountable: z.boolean().optional(),
      discounts: discountsParam(),
      metadata,
    })
    .refine(({ price, price_data }) => price === undefined || price_data === undefined, {
      path: ['price_data'],
      error: 'use price or price_data, not both',
    }),
)
const updateParams = deferred(() =>
  z.object({
    amount: amount.optional(),
    quantity: quantity.optional(),
    description: optionalText,
    discountable: z.boolean().optional(),
    discounts: discountsParam(),
    metadata,
  }),
)
const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    invoice: reference.optional(),
    pending: z.boolean().optional(),
    created: createdParam(),
  }),
)

function invoiceItemRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/invoiceitems',
      summary:
        'Creates an invoice item on a draft, or a pending one for the next manual invoice of the customer.',
      params: createParams,
      status: 201,
      returns: invoiceItemSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ unit, view, params }) => presentInvoiceItem(view, createInvoiceItem(unit, withDiscountsOf(params))),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoiceitems',
      summary: 'Lists invoice items, newest first.',
      params: listParams,
      returns: invoiceItemList,
    },
    (call) => {
      const { pending } = call.params
      const filters = [
        NOT_DELETED,
        ...filtersOf(call.params, 'customer', 'invoice'),
        ...(pending === undefined ? [] : [{ field: 'invoice', isNull: pending }]),
      ]
      return listObjects(call, 'invoice_item', filters, presentInvoiceItem)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoiceitems/:id',
      summary: 'Retrieves an invoice item.',
      returns: invoiceItemSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'invoice_item', id), presentInvoiceItem),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoiceitems/:id',
      summary: 'Updates the given fields of an invoice item that is pending or on a draft.',
      params: updateParams,
      returns: invoiceItemSchema,
      errors: { 400: ['invalid_state_transition', 'parameter_missing'] },
    },
    ({ unit, view, params, id }) =>
      presentInvoiceItem(view, updateInvoiceItem(unit, id, withDiscountsOf(params))),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/invoiceitems/:id',
      summary: 'Deletes an invoice item that is pending or on a draft.',
      returns: deletedInvoiceItem,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, id }) => deletedStub('invoiceitem', deleteInvoiceItem(unit, id).id),
  )
}

/** Presents an invoice item. paytwin: its fields. */
const presentInvoiceItem = (view: View, item: InvoiceItem): InvoiceItemShape => ({
  ...common(view, 'invoiceitem', item),
  customer: item.customer,
  invoice: item.invoice,
  subscription: item.subscription,
  subscription_item: item.proration?.subscription_item ?? null,
  proration: isCorrection(item.proration),
  period: { start: item.proration?.start ?? item.created, end: item.proration?.end ?? item.created },
  amount: item.amount,
  currency: item.currency,
  unit_amount: item.unit_amount,
  quantity: item.quantity,
  price: item.price,
  description: item.description,
  discountable: item.discountable,
  discounts: [...item.discounts],
  metadata: item.metadata,
  test_clock: item.test_clock,
})

export const invoiceItemResource: Resource<'invoice_item'> = {
  collection: 'invoiceitems',
  present: presentInvoiceItem,
  routes: invoiceItemRoutes,
  params: {
    discountable: 'Whether discounts can reduce it. Default: true.',
    ...discountsTexts('discounts', 'the item'),
    invoice:
      'A draft invoice of the same customer and currency. Default: the next manual invoice of the customer.',
    amount:
      'The amount for one unit, in the smallest currency unit. A new item needs amount and currency, or price.',
    subscription: 'The subscription whose next invoice bills the item.',
    price: 'The id of a one-time price, in place of amount and currency.',
    price_data: 'A one-time price to create for this item only, in place of price.',
    ...priceDataTexts('price_data'),
  },
  queryParams: {
    invoice: 'Only items on this invoice.',
    pending: 'true: only items that are not on an invoice. false: only items on an invoice.',
  },
}
