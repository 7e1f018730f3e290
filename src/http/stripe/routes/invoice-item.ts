import type Stripe from 'stripe'
import * as z from 'zod'
import {
  createInvoiceItem,
  deleteInvoiceItem,
  updateInvoiceItem,
} from '../../../engine/resources/invoice-item.ts'
import { deferred } from '../../deferred.ts'
import { discountsParam, withDiscountsOf } from '../../discount-params.ts'
import { currency, metadata, optionalText, quantity, reference, signedAmount } from '../../fields.ts'
import { createdParam, filtersOf, NOT_DELETED, pageParams } from '../../pagination.ts'
import { oneTimePriceData } from '../../price-params.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { withParamNames } from '../param-names.ts'
import { presentInvoiceItem } from '../present/invoice.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const item = returning<Wire<Stripe.InvoiceItem>>('invoiceitem')
const fields = {
  description: optionalText,
  discountable: z.boolean().optional(),
  discounts: discountsParam(),
  metadata,
}
/** The amount of one unit. Decimals may be given, and have to be zero. */
const wholeDecimal = deferred(() =>
  z
    .string()
    .regex(/^-?\d{1,8}(?:\.0{1,12})?$/, { error: 'paytwin knows only whole amounts here yet' })
    .transform(Number),
)
const createParams = deferred(() =>
  z
    .object({
      customer: reference,
      invoice: reference.optional(),
      subscription: reference.optional(),
      amount: signedAmount().optional(),
      currency: currency.optional(),
      pricing: z.object({ price: reference }).optional(),
      price_data: oneTimePriceData().optional(),
      quantity: quantity.optional(),
      unit_amount_decimal: wholeDecimal().optional(),
      ...fields,
    })
    .refine(
      ({ unit_amount_decimal, ...given }) =>
        unit_amount_decimal === undefined ||
        (given.amount === undefined && given.pricing === undefined && given.price_data === undefined),
      { path: ['unit_amount_decimal'], error: 'use unit_amount_decimal, amount, pricing or price_data' },
    )
    .refine((given) => given.amount === undefined || given.quantity === undefined, {
      path: ['quantity'],
      error: 'an amount is that of the whole item; use quantity with pricing[price]',
    })
    .refine(({ pricing, price_data }) => pricing === undefined || price_data === undefined, {
      path: ['price_data'],
      error: 'use pricing or price_data, not both',
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

export function invoiceItemRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/invoiceitems',
      summary: 'Creates an invoice item on a draft, or a pending one.',
      params: createParams,
      returns: item,
    },
    ({ unit, view, params: { pricing, quantity: units = 1, currency: given, ...rest } }) => {
      const { unit_amount_decimal, ...params } = rest
      const amount = params.amount ?? unit_amount_decimal
      const code = given ?? (amount === undefined ? undefined : 'usd')
      const cost = { amount, price: pricing?.price, quantity: units, currency: code }
      const wanted = { ...withDiscountsOf(params), ...cost }
      const made = withParamNames({ price: 'pricing[price]' }, () => createInvoiceItem(unit, wanted))
      return presentInvoiceItem(view, made)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoiceitems',
      summary: 'Lists invoice items.',
      params: listParams,
      returns: returningList<Wire<Stripe.InvoiceItem>>('invoiceitem'),
    },
    (call) => {
      const { pending } = call.params
      const filters = [
        NOT_DELETED,
        ...filtersOf(call.params, 'customer', 'invoice'),
        ...(pending === undefined ? [] : [{ field: 'invoice', isNull: pending }]),
      ]
      return listKind(call, 'invoice_item', filters, presentInvoiceItem)
    },
  )
  api.read(
    { method: 'get', path: '/v1/invoiceitems/:id', summary: 'Retrieves an invoice item.', returns: item },
    ({ view, id }) => presentInvoiceItem(view, retrieve(view, 'invoice_item', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoiceitems/:id',
      summary: 'Updates an invoice item that is pending or on a draft.',
      params: deferred(() =>
        z.object({
          amount: signedAmount().optional(),
          quantity: quantity.optional(),
          ...fields,
        }),
      ),
      returns: item,
    },
    ({ unit, view, params, id }) =>
      presentInvoiceItem(view, updateInvoiceItem(unit, id, withDiscountsOf(params))),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/invoiceitems/:id',
      summary: 'Deletes an invoice item that is pending or on a draft.',
      returns: returning<Wire<Stripe.DeletedInvoiceItem>>('deleted_invoiceitem'),
    },
    ({ unit, id }) => ({
      id: deleteInvoiceItem(unit, id).id,
      object: 'invoiceitem' as const,
      deleted: true as const,
    }),
  )
}
