import type Stripe from 'stripe'
import * as z from 'zod'
import { createCreditNote, updateCreditNote, voidCreditNote } from '../../../engine/resources/credit-note.ts'
import { createParams, listParams } from '../../credit-note.ts'
import { deferred } from '../../deferred.ts'
import { metadata, optionalText } from '../../fields.ts'
import { filtersOf, pageOf, pageParams } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { presentCreditLine, presentCreditNote } from '../present/credit-note.ts'
import { listKind, returning, returningList, wireList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const creditNote = returning<Wire<Stripe.CreditNote>>('credit_note')
const { refund: _, ...fields } = createParams().shape

export function creditNoteRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/credit_notes',
      summary: 'Issues a credit note for an open or paid invoice.',
      params: deferred(() => z.object(fields)),
      returns: creditNote,
    },
    ({ unit, view, params }) => presentCreditNote(view, createCreditNote(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/credit_notes',
      summary: 'Lists credit notes.',
      params: listParams,
      returns: returningList<Wire<Stripe.CreditNote>>('credit_note'),
    },
    (call) => listKind(call, 'credit_note', filtersOf(call.params, 'customer', 'invoice'), presentCreditNote),
  )
  api.read(
    { method: 'get', path: '/v1/credit_notes/:id', summary: 'Retrieves a credit note.', returns: creditNote },
    ({ view, id }) => presentCreditNote(view, retrieve(view, 'credit_note', id)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/credit_notes/:id/lines',
      summary: 'Lists the lines of a credit note.',
      params: deferred(() => z.object(pageParams)),
      returns: returningList<Wire<Stripe.CreditNoteLineItem>>('credit_note_line_item'),
    },
    ({ c, view, id, params }) =>
      wireList(pageOf(c.req.path, retrieve(view, 'credit_note', id).lines, params, presentCreditLine)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/credit_notes/:id',
      summary: 'Updates the memo and metadata of a credit note.',
      params: deferred(() => z.object({ memo: optionalText, metadata })),
      returns: creditNote,
    },
    ({ unit, view, id, params }) => presentCreditNote(view, updateCreditNote(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/credit_notes/:id/void',
      summary: 'Voids a credit note of an open invoice.',
      returns: creditNote,
    },
    ({ unit, view, id }) => presentCreditNote(view, voidCreditNote(unit, id)),
  )
}
