import type Stripe from 'stripe'
import type { CreditNote, CreditNoteLine } from '../../../core/credit-note.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'
import { decimalOf } from './catalog.ts'

export const presentCreditNote = (_view: View, note: CreditNote): Wire<Stripe.CreditNote> => ({
  id: note.id,
  object: 'credit_note',
  amount: note.amount,
  amount_shipping: 0,
  created: note.created,
  currency: note.currency,
  customer: note.customer,
  customer_account: null,
  customer_balance_transaction: note.customer_balance_transaction,
  discount_amount: 0,
  discount_amounts: [],
  effective_at: note.created,
  invoice: note.invoice,
  lines: {
    object: 'list',
    data: note.lines.map(presentCreditLine),
    has_more: false,
    total_count: note.lines.length,
    url: `/v1/credit_notes/${note.id}/lines`,
  },
  livemode: false,
  memo: note.memo,
  metadata: note.metadata,
  number: note.number,
  out_of_band_amount: note.out_of_band_amount || null,
  // There are no pages and files of documents yet.
  pdf: '',
  post_payment_amount: note.post_payment_amount,
  pre_payment_amount: note.pre_payment_amount,
  pretax_credit_amounts: [],
  reason: note.reason,
  refunds:
    note.refund === null
      ? []
      : [
          {
            amount_refunded: note.refund_amount,
            payment_record_refund: null,
            refund: note.refund,
            type: 'refund',
          },
        ],
  shipping_cost: null,
  status: note.status,
  subtotal: note.amount,
  subtotal_excluding_tax: note.amount,
  total: note.amount,
  total_excluding_tax: note.amount,
  total_taxes: [],
  type: typeOf(note),
  voided_at: note.voided_at,
})

function typeOf({ pre_payment_amount, post_payment_amount }: CreditNote): Stripe.CreditNote.Type {
  if (post_payment_amount === 0) return 'pre_payment'
  return pre_payment_amount === 0 ? 'post_payment' : 'mixed'
}

export const presentCreditLine = (line: CreditNoteLine): Wire<Stripe.CreditNoteLineItem> => ({
  id: line.id,
  object: 'credit_note_line_item',
  amount: line.amount,
  description: line.description,
  discount_amount: 0,
  discount_amounts: [],
  ...(line.invoice_line_item !== null && { invoice_line_item: line.invoice_line_item }),
  livemode: false,
  metadata: {},
  pretax_credit_amounts: [],
  quantity: line.quantity,
  tax_rates: [],
  taxes: [],
  type: line.type,
  unit_amount: line.unit_amount,
  unit_amount_decimal: decimalOf(line.unit_amount, null),
})
