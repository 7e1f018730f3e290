import {
  type CreditedInvoice,
  type CreditRequest,
  checkLinkable,
  issueCreditNote,
  voidCreditNote as voidNote,
} from '../../core/billing/credit.ts'
import { Change } from '../../core/change.ts'
import type { Charge } from '../../core/charge.ts'
import type { CreditNote } from '../../core/credit-note.ts'
import { parameterMissing } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import { isSameJson } from '../../core/json-text.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { cardNamed } from '../../core/test-card.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadInvoiceAccount, subscriptionOf } from './account.ts'
import { isBlocked } from './dispute.ts'

export type CreditNoteParams = Partial<Omit<CreditRequest, 'metadata' | 'reason' | 'memo'>> & {
  invoice: string
  /** The id of an existing refund of the invoice's charge. */
  refund?: string | undefined
  reason?: CreditRequest['reason'] | undefined
  memo?: string | null | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Issues a credit note for an open or paid invoice. Commands run one after another, so credit notes never exceed their invoice.
 * @throws ApiError resource_missing, parameter_missing, parameter_invalid, amount_too_large, charge_disputed
 * See docs/contract/credit-notes.md#creating.
 */
export function createCreditNote(unit: UnitOfWork, params: CreditNoteParams): CreditNote {
  if (params.amount === undefined && params.lines === undefined)
    throw parameterMissing('amount', 'Missing required parameter: amount, or lines')
  const invoice = unit.find('invoice', params.invoice, 'invoice')
  const subscription = subscriptionOf(unit, invoice)
  const account = loadInvoiceAccount(unit, invoice, subscription)
  const change = new Change()
  const note = issueCreditNote(
    change,
    account,
    { invoice, subscription, ...creditsOf(unit, invoice, params) },
    {
      amount: params.amount,
      lines: params.lines,
      refund_amount: params.refund_amount,
      credit_amount: params.credit_amount,
      out_of_band_amount: params.out_of_band_amount,
      reason: params.reason ?? null,
      memo: params.memo ?? null,
      metadata: mergeMetadata({}, params.metadata),
    },
  )
  apply(unit, change, unit.clockOf(invoice.test_clock))
  return note
}

/** Loads the earlier credits of an invoice, its charge, and the refund to link. */
function creditsOf(
  unit: UnitOfWork,
  invoice: Invoice,
  { refund, lines = [] }: CreditNoteParams,
): Omit<CreditedInvoice, 'invoice' | 'subscription'> {
  const { invoiceCredits } = unit.store
  const credited = lines.flatMap(({ invoice_line_item }) => invoice_line_item ?? [])
  const charge = chargeOf(unit, invoice)
  const linked = refund === undefined ? null : unit.find('refund', refund, 'refund')
  if (linked) checkLinkable(linked, { invoice, charge }, invoiceCredits.holderOf(invoice.id, linked.id))
  const method =
    charge && charge.payment_method !== null && unit.need('payment_method', charge.payment_method)
  return {
    earlier: {
      count: invoiceCredits.count(invoice.id),
      byLine: invoiceCredits.ofLines(unit.owner, credited),
    },
    charge,
    linked,
    refundedApart:
      (charge?.amount_refunded ?? 0) - invoiceCredits.refunded(invoice.id) - (linked?.amount ?? 0),
    isBlocked: charge !== null && isBlocked(unit, charge),
    refundFails: (method && cardNamed(method.test_card)?.refundFails) || false,
  }
}

/** Returns the succeeded charge of an invoice; null if none succeeded. */
function chargeOf(unit: UnitOfWork, { charge: id }: Invoice): Charge | null {
  const charge = id === null ? null : unit.need('charge', id)
  return charge?.status === 'succeeded' ? charge : null
}

/**
 * Shows the credit note that a request would issue, and writes nothing. Objects that do not exist have no ids.
 * @throws ApiError those of the creation
 * See docs/contract/credit-notes.md#preview.
 */
export function previewCreditNote(unit: UnitOfWork, params: CreditNoteParams): CreditNote {
  const note = unit.rehearse((rehearsal) => createCreditNote(rehearsal, params))
  return {
    ...note,
    refund: params.refund ?? null,
    customer_balance_transaction: null,
    lines: note.lines.map((line) => ({ ...line, id: 'cnli_preview' })),
  }
}

/** Updates the memo and metadata of a credit note. @throws ApiError resource_missing */
export function updateCreditNote(
  unit: UnitOfWork,
  id: string,
  { memo, metadata }: Pick<CreditNoteParams, 'memo' | 'metadata'>,
): CreditNote {
  const note = unit.find('credit_note', id)
  const after = {
    ...note,
    memo: memo === undefined ? note.memo : memo,
    metadata: mergeMetadata(note.metadata, metadata),
  }
  if (isSameJson(after, note)) return note
  const change = new Change()
  change.update('credit_note', note, () => after, 'credit_note.updated')
  apply(unit, change, unit.clockOf(note.test_clock))
  return after
}

/**
 * Voids a credit note of an open invoice.
 * @throws ApiError resource_missing, invalid_state_transition
 * See docs/contract/credit-notes.md#voiding.
 */
export function voidCreditNote(unit: UnitOfWork, id: string): CreditNote {
  const note = unit.find('credit_note', id)
  const invoice = unit.need('invoice', note.invoice)
  const account = loadInvoiceAccount(unit, invoice, subscriptionOf(unit, invoice))
  const change = new Change()
  const after = voidNote(change, account, { note, invoice })
  apply(unit, change, unit.clockOf(note.test_clock))
  return after
}
