import type Stripe from 'stripe'
import * as z from 'zod'
import { ApiError, parameterInvalid } from '../../../core/errors.ts'
import type { Invoice } from '../../../core/invoice.ts'
import type { UnitOfWork } from '../../../engine/machine/unit.ts'
import { assignItem, changeLines, itemOfLine, unassignItem } from '../../../engine/resources/draft-lines.ts'
import { addItem, deleteItem, updateItem } from '../../../engine/resources/invoice-item.ts'
import type { ItemChanges } from '../../../engine/resources/item-changes.ts'
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
    ({ unit, view, id, params }) => presentInvoice(view, changeEach(unit, id, params, addLine)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id/update_lines',
      summary: 'Updates lines of a draft that bill invoice items.',
      params: updateParams,
      returns: invoice,
    },
    ({ unit, view, id, params }) => {
      const changed = changeEach(unit, id, params, (items, draft, { id: line, ...update }) =>
        updateLine(items, draft, { line, update, param: 'id' }),
      )
      return presentInvoice(view, changed)
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
    ({ unit, view, id, params }) => {
      const changed = changeEach(unit, id, params, (items, draft, { id: line, behavior }) => {
        const item = itemOfLine(items, draft, line, 'id')
        if (behavior === 'delete') deleteItem(items, item.id)
        else unassignItem(items, draft, item)
      })
      return presentInvoice(view, changed)
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
      const changed = changeLines(unit, id, { lines: [params] }, (items, draft, update) =>
        updateLine(items, draft, { line, update, param: 'line_item_id' }),
      )
      const shown = changed.lines.find((each) => each.id === line)
      if (!shown) throw new Error(`${line} is still on ${id}`)
      return presentLine(view, changed, shown)
    },
  )
}

type Lines<T> = { readonly lines: readonly T[]; readonly invoice_metadata?: z.output<typeof metadata> }

/** Changes lines of a draft and its metadata together. */
function changeEach<T>(
  unit: UnitOfWork,
  id: string,
  { lines, invoice_metadata }: Lines<T>,
  change: (items: ItemChanges, draft: Invoice, line: T) => void,
): Invoice {
  // The total is that of all lines.
  return withParamNames({ amount: 'lines', metadata: 'invoice_metadata' }, () =>
    changeLines(unit, id, { lines, metadata: invoice_metadata }, (items, draft, line, index) =>
      inLine(index, () => change(items, draft, line)),
    ),
  )
}

function addLine(
  items: ItemChanges,
  draft: Invoice,
  { invoice_item, pricing, quantity: units, ...line }: NewLine,
): void {
  if (invoice_item !== undefined) {
    const [other] = Object.entries({ pricing, quantity: units, ...line }).filter(
      ([, given]) => given !== undefined,
    )
    if (other) throw parameterInvalid(other[0], `Give invoice_item or ${other[0]}, not both`)
    assignItem(items, draft, invoice_item)
    return
  }
  checkWhole({ amount: line.amount, quantity: units })
  addItem(items, {
    ...withDiscountsOf(line),
    customer: draft.customer,
    invoice: draft.id,
    currency: line.amount === undefined ? undefined : draft.currency,
    price: pricing?.price,
    quantity: units ?? 1,
  })
}

type Changed = { readonly line: string; readonly update: LineUpdate; readonly param: string }

function updateLine(items: ItemChanges, draft: Invoice, { line, update, param }: Changed): void {
  checkWhole(update)
  updateItem(items, itemOfLine(items, draft, line, param).id, withDiscountsOf(update))
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
