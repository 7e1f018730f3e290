import * as z from 'zod'
import {
  CREDIT_LINE_TYPES,
  CREDIT_NOTE_REASONS,
  type CreditNote,
  type CreditNoteLine,
} from '../core/credit-note.ts'
import { MAX_LINES } from '../core/invoice.ts'
import { MAX_AMOUNT } from '../core/money.ts'
import type { View } from '../engine/history/view.ts'
import {
  createCreditNote,
  previewCreditNote,
  updateCreditNote,
  voidCreditNote,
} from '../engine/resources/credit-note.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { amount, metadata, optionalText, reference, text } from './fields.ts'
import { createdParam, filtersOf, list, listObjects, pageOf, pageParams } from './pagination.ts'
import { common, type Resource, retrieve } from './resource.ts'
import type { Shape } from './schemas/component.ts'
import {
  type CreditNoteShape,
  creditLineList,
  type creditLineSchema,
  creditNoteList,
  creditNotePreviewSchema,
  creditNoteSchema,
} from './schemas/credit-note.ts'
import { ShownObject } from './shown-object.ts'

const part = deferred(() => z.int().min(0).max(MAX_AMOUNT).optional())
const lineParam = deferred(() =>
  z.object({
    type: z.enum(CREDIT_LINE_TYPES),
    invoice_line_item: reference.optional(),
    amount: z.int().min(1).max(MAX_AMOUNT).optional(),
    quantity: z.int().min(1).max(MAX_AMOUNT).optional(),
    unit_amount: z.int().min(1).max(MAX_AMOUNT).optional(),
    description: text.min(1).optional(),
  }),
)
export const createParams = deferred(() =>
  z.object({
    invoice: reference,
    amount: amount.optional(),
    lines: z.array(lineParam()).min(1).max(MAX_LINES).optional(),
    reason: z.enum(CREDIT_NOTE_REASONS).optional(),
    memo: optionalText,
    refund_amount: part(),
    credit_amount: part(),
    out_of_band_amount: part(),
    refund: reference.optional(),
    metadata,
  }),
)
const updateParams = deferred(() => z.object({ memo: optionalText, metadata }))
const linesParams = deferred(() => z.object(pageParams))
export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    invoice: reference.optional(),
    created: createdParam(),
  }),
)

const CREATION_ERRORS = {
  400: ['parameter_missing', 'amount_too_large', 'charge_disputed'],
  404: ['resource_missing'],
} as const

function creditNoteRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/credit_notes',
      summary: 'Issues a credit note for an open or paid invoice.',
      params: createParams,
      status: 201,
      returns: creditNoteSchema,
      errors: CREATION_ERRORS,
    },
    ({ unit, view, params }) => presentCreditNote(view, createCreditNote(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/credit_notes',
      summary: 'Lists credit notes, newest first.',
      params: listParams,
      returns: creditNoteList,
    },
    (call) =>
      listObjects(call, 'credit_note', filtersOf(call.params, 'customer', 'invoice'), presentCreditNote),
  )
  api.write(
    {
      method: 'get',
      path: '/v1/credit_notes/preview',
      summary: 'Previews a credit note without issuing it.',
      params: createParams,
      returns: creditNotePreviewSchema,
      errors: CREATION_ERRORS,
    },
    ({ unit, view, params }) => ({ ...presentCreditNote(view, previewCreditNote(unit, params)), id: null }),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/credit_notes/:id',
      summary: 'Retrieves a credit note.',
      returns: creditNoteSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'credit_note', id), presentCreditNote),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/credit_notes/:id/lines',
      summary: 'Lists the lines of a credit note, in their order.',
      params: linesParams,
      returns: creditLineList,
    },
    ({ c, view, id, params }) =>
      pageOf(c.req.path, retrieve(view, 'credit_note', id).lines, params, presentLine),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/credit_notes/:id',
      summary: 'Updates the memo and metadata of a credit note.',
      params: updateParams,
      returns: creditNoteSchema,
    },
    ({ unit, view, id, params }) => presentCreditNote(view, updateCreditNote(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/credit_notes/:id/void',
      summary: 'Voids a credit note of an open invoice. Its amount is due again.',
      returns: creditNoteSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, view, id }) => presentCreditNote(view, voidCreditNote(unit, id)),
  )
}

/** Presents a credit note. paytwin: its fields. See docs/contract/credit-notes.md#fields. */
const presentCreditNote = (view: View, note: CreditNote): CreditNoteShape => ({
  ...common(view, 'credit_note', note),
  status: note.status,
  number: note.number,
  type: typeOf(note),
  customer: note.customer,
  invoice: note.invoice,
  currency: note.currency,
  amount: note.amount,
  subtotal: note.amount,
  total: note.amount,
  pre_payment_amount: note.pre_payment_amount,
  post_payment_amount: note.post_payment_amount,
  out_of_band_amount: note.out_of_band_amount || null,
  refund: note.refund,
  customer_balance_transaction: note.customer_balance_transaction,
  lines: list(`/v1/credit_notes/${note.id}/lines`, note.lines.map(presentLine)),
  reason: note.reason,
  memo: note.memo,
  metadata: note.metadata,
  voided_at: note.voided_at,
  test_clock: note.test_clock,
})

function typeOf({ pre_payment_amount, post_payment_amount }: CreditNote): CreditNoteShape['type'] {
  if (post_payment_amount === 0) return 'pre_payment'
  return pre_payment_amount === 0 ? 'post_payment' : 'mixed'
}

const presentLine = (line: CreditNoteLine): Shape<typeof creditLineSchema> => ({
  id: line.id,
  object: 'credit_note_line_item',
  livemode: false,
  type: line.type,
  amount: line.amount,
  description: line.description,
  invoice_line_item: line.invoice_line_item,
  quantity: line.quantity,
  unit_amount: line.unit_amount,
})

export const creditNoteResource: Resource<'credit_note'> = {
  collection: 'credit_notes',
  present: presentCreditNote,
  routes: creditNoteRoutes,
  params: {
    amount: 'The amount to credit, in the smallest currency unit. Required unless lines are given.',
    lines:
      'The lines: parts of lines of the invoice, and lines of their own. Required unless amount is given.',
    'lines.type': 'Whether it credits a line of the invoice, or is its own.',
    'lines.invoice_line_item': 'The line of the invoice to credit.',
    'lines.amount': 'The amount to credit of a line of the invoice, in the smallest currency unit.',
    'lines.quantity': 'The number of units to credit, instead of an amount.',
    'lines.unit_amount': 'For a custom line: the amount for one unit, in the smallest currency unit.',
    'lines.description': 'For a custom line: its description.',
    refund_amount: 'The amount to refund, in the smallest currency unit. Creates a refund of the charge.',
    credit_amount: "The amount to credit to the customer's balance, in the smallest currency unit.",
    out_of_band_amount: 'The amount that is given back outside of paytwin, in the smallest currency unit.',
    refund: 'An existing refund of the charge of the invoice, instead of refund_amount.',
  },
  queryParams: {
    customer: 'Only credit notes of this customer.',
    invoice: 'Only credit notes of this invoice. For a preview: the invoice to credit.',
  },
}
