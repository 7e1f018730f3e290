import type Stripe from 'stripe'
import * as z from 'zod'
import { ApiError, parameterInvalid } from '../../../core/errors.ts'
import type { Invoice } from '../../../core/invoice.ts'
import { isDraft } from '../../../core/invoice-status.ts'
import type { UnitOfWork } from '../../../engine/machine/unit.ts'
import { assignItem, itemOfLine, unassignItem } from '../../../engine/resources/draft-lines.ts'
import {
  createInvoiceItem,
  deleteInvoiceItem,
  updateInvoiceItem,
} from '../../../engine/resources/invoice-item.ts'
import { updateInvoice } from '../../../engine/resources/invoice-update.ts'
import { deferred } from '../../deferred.ts'
import { discountsParam, withDiscountsOf } from '../../discount-params.ts'
import { metadata, optionalText, quantity, reference, signedAmount } from '../../fields.ts'
import { oneTimePriceData } from '../../price-params.ts'
import type { StripeApi } from '../api.ts'
import { withParamNames } from '../param-names.ts'
import { presentInvoice, presentLine } from '../present/invoice.ts'
import { returning } from '../returns.ts'
import type { Wire } from '../wire.ts'

/** Stripe's limit of lines in one request. */
const MAX_CHANGED = 250

const invoice = returning<Wire<Stripe.Invoice>>('invoice')
const fields = deferred(() => ({
  amount: signedAmount().optional(),
  quantity: quantity.optional(),
  description: optionalText,
  discountable: z.boolean().optional(),
  discounts: discountsParam(),
  metadata,
}))
const addParams = deferred(() =>
  z.object({
    lines: z
      .array(
        z.object({
          ...fields(),
          invoice_item: reference.optional(),
          pricing: z.object({ price: reference }).optional(),
          price_data: oneTimePriceData().optional(),
        }),
      )
      .min(1)
      .max(MAX_CHANGED),
    invoice_metadata: metadata,
  }),
)
const updateParams = deferred(() =>
  z.object({
    lines: z
      .array(z.object({ id: reference, ...fields() }))
      .min(1)
      .max(MAX_CHANGED),
    invoice_metadata: metadata,
  }),
)
const removeParams = deferred(() =>
  z.object({
    lines: z
      .array(z.object({ id: reference, behavior: z.enum(['delete', 'unassign']) }))
      .min(1)
      .max(MAX_CHANGED),
    invoice_metadata: metadata,
  }),
)
type NewLine = z.output<ReturnType<typeof addParams>>['lines'][number]
type LineUpdate = Omit<z.output<ReturnType<typeof updateParams>>['lines'][number], 'id'>

/** Routes that add, change and remove lines of a draft. */
export function invoiceLineRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id/add_lines',
      summary: 'Adds lines to a draft: new invoice items, or pending ones.',
      params: addParams,
      returns: invoice,
    },
    ({ unit, view, id, params: { lines, invoice_metadata } }) => {
      for (const [index, line] of lines.entries()) inLine(index, () => addLine(unit, draftOf(unit, id), line))
      return presentInvoice(view, withMetadata(unit, id, invoice_metadata))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id/update_lines',
      summary: 'Updates lines of a draft that bill invoice items.',
      params: updateParams,
      returns: invoice,
    },
    ({ unit, view, id, params: { lines, invoice_metadata } }) => {
      for (const [index, { id: line, ...update }] of lines.entries())
        inLine(index, () => updateLine(unit, draftOf(unit, id), { line, update, param: 'id' }))
      return presentInvoice(view, withMetadata(unit, id, invoice_metadata))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id/remove_lines',
      summary: 'Removes lines of a draft that bill invoice items, which are deleted or pending again.',
      params: removeParams,
      returns: invoice,
    },
    ({ unit, view, id, params: { lines, invoice_metadata } }) => {
      for (const [index, { id: line, behavior }] of lines.entries())
        inLine(index, () => {
          const draft = draftOf(unit, id)
          const item = itemOfLine(unit, draft, line, 'id')
          if (behavior === 'delete') deleteInvoiceItem(unit, item.id)
          else unassignItem(unit, draft, item)
        })
      return presentInvoice(view, withMetadata(unit, id, invoice_metadata))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id/lines/:line',
      summary: 'Updates a line of a draft that bills an invoice item.',
      params: deferred(() => z.object(fields())),
      returns: returning<Wire<Stripe.InvoiceLineItem>>('line_item'),
    },
    ({ c, unit, view, id, params }) => {
      const line = c.req.param('line') ?? ''
      updateLine(unit, draftOf(unit, id), { line, update: params, param: 'line_item_id' })
      const changed = unit.need('invoice', id)
      const shown = changed.lines.find((each) => each.id === line)
      if (!shown) throw new Error(`${line} is still on ${id}`)
      return presentLine(view, changed, shown)
    },
  )
}

/** Finds a draft. @throws ApiError resource_missing; parameter_invalid for another status */
function draftOf(unit: UnitOfWork, id: string): Invoice {
  const found = unit.find('invoice', id)
  if (isDraft(found)) return found
  throw parameterInvalid(null, `The status of ${id} is ${found.status}: lines of drafts can be changed only`)
}

function addLine(
  unit: UnitOfWork,
  draft: Invoice,
  { invoice_item, pricing, quantity: units, ...line }: NewLine,
): void {
  if (invoice_item !== undefined) {
    const [other] = Object.entries({ pricing, quantity: units, ...line }).filter(
      ([, given]) => given !== undefined,
    )
    if (other) throw parameterInvalid(other[0], `Give invoice_item or ${other[0]}, not both`)
    assignItem(unit, draft, invoice_item)
    return
  }
  checkWhole({ amount: line.amount, quantity: units })
  createInvoiceItem(unit, {
    ...withDiscountsOf(line),
    customer: draft.customer,
    invoice: draft.id,
    currency: line.amount === undefined ? undefined : draft.currency,
    price: pricing?.price,
    quantity: units ?? 1,
  })
}

type Changed = { readonly line: string; readonly update: LineUpdate; readonly param: string }

function updateLine(unit: UnitOfWork, draft: Invoice, { line, update, param }: Changed): void {
  checkWhole(update)
  updateInvoiceItem(unit, itemOfLine(unit, draft, line, param).id, withDiscountsOf(update))
}

/**
 * Refuses an amount together with a quantity, because the amount is that of the whole line.
 * @throws ApiError parameter_invalid, param quantity
 */
function checkWhole({ amount, quantity: units }: Partial<LineUpdate>): void {
  if (amount !== undefined && units !== undefined)
    throw parameterInvalid(
      'quantity',
      'An amount is that of the whole line; use quantity with pricing[price]',
    )
}

/** Changes the metadata of an invoice, and returns its last state. */
const withMetadata = (unit: UnitOfWork, id: string, given: z.output<typeof metadata>): Invoice =>
  given === undefined ? unit.need('invoice', id) : updateInvoice(unit, id, { metadata: given })

/** Runs the change of a line, so that errors name the parameters with their index: `lines[0][amount]`. */
function inLine(index: number, work: () => void): void {
  try {
    withParamNames({ price: 'pricing[price]' }, work)
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null || error.param === 'invoice') throw error
    const { status, type, code, message, details, param } = error
    const [, head, rest] = /^([^[]+)(.*)$/.exec(param) ?? []
    throw new ApiError({ status, type, code, message, details, param: `lines[${index}][${head}]${rest}` })
  }
}
