import type { Change } from '../change.ts'
import type { Charge } from '../charge.ts'
import {
  type CreditLineRequest,
  type CreditNote,
  checkCreditable,
  creditable,
  creditLines,
  creditNoteNumber,
  type EarlierCredits,
  voidedNote,
} from '../credit-note.ts'
import {
  amountTooLarge,
  assert,
  invalidStateTransition,
  parameterInvalid,
  parameterMissing,
} from '../errors.ts'
import type { Invoice } from '../invoice.ts'
import { credited, withoutCredit } from '../invoice-credit.ts'
import { isOpen } from '../invoice-status.ts'
import type { Metadata } from '../metadata.ts'
import { MAX_AMOUNT } from '../money.ts'
import { canceledWithInvoice, withAmount } from '../payment-intent.ts'
import { type Refund, refund, refundable } from '../refund.ts'
import type { Subscription } from '../subscription.ts'
import { type Account, updateDelinquency } from './account.ts'
import { creditBalance } from './balance.ts'
import { recoverPaid } from './retry.ts'

/** A requested credit note. Amounts are in the invoice's currency and smallest unit. */
export type CreditRequest = Pick<CreditNote, 'reason' | 'memo'> & {
  readonly metadata: Metadata
  readonly amount: number | undefined
  readonly lines: readonly CreditLineRequest[] | undefined
  readonly refund_amount: number | undefined
  readonly credit_amount: number | undefined
  readonly out_of_band_amount: number | undefined
}

/** The state that a decision on a credit note reads, in addition to the account. */
export type CreditedInvoice = {
  readonly invoice: Invoice
  readonly subscription: Subscription | null
  readonly earlier: EarlierCredits
  /** The succeeded charge of the invoice; null without one. */
  readonly charge: Charge | null
  /** The refund to link; null to make one if an amount is to be refunded. */
  readonly linked: Refund | null
  /** The refunds of the charge that belong to no credit note, except the linked one. */
  readonly refundedApart: number
  /** Whether refunds of the charge fail after a minute. */
  readonly refundFails: boolean
  /** Whether a dispute prevents a refund of the charge. */
  readonly isBlocked: boolean
}

/**
 * Issues a credit note. It first reduces the amount due of an open invoice; an invoice without an amount due is paid. The part
 * beyond the amount due is refunded, credited to the customer's balance, or paid back outside of the service.
 * @throws ApiError parameter_invalid, parameter_missing, amount_too_large; charge_disputed when the charge cannot be   refunded
 * See docs/contract/credit-notes.md#creating.
 */
export function issueCreditNote(
  change: Change,
  account: Account,
  state: CreditedInvoice,
  request: CreditRequest,
): CreditNote {
  const { invoice, earlier, linked } = state
  checkCreditable(invoice, earlier)
  const id = account.newId('cn')
  const lines = creditLines(invoice, earlier, { ...request, newId: account.newId })
  const amount = lines.reduce((sum, line) => sum + line.amount, 0)
  const limit = creditable(invoice, state.refundedApart)
  if (amount > limit)
    throw amountTooLarge(`Amount must be at most ${limit}, the part of the invoice that is not credited yet`)
  const pre_payment_amount = isOpen(invoice) ? Math.min(amount, invoice.amount_due - invoice.amount_paid) : 0
  const parts = partsOf(request, linked, amount - pre_payment_amount)
  const note: CreditNote = {
    id,
    created: account.now,
    status: 'issued',
    number: creditNoteNumber(invoice, earlier),
    customer: invoice.customer,
    invoice: invoice.id,
    currency: invoice.currency,
    amount,
    pre_payment_amount,
    post_payment_amount: amount - pre_payment_amount,
    ...parts,
    refund: parts.refund_amount === 0 ? null : (linked?.id ?? account.newId('re')),
    customer_balance_transaction: parts.credit_amount === 0 ? null : account.newId('cbtxn'),
    lines,
    reason: request.reason,
    memo: request.memo,
    metadata: request.metadata,
    voided_at: null,
    test_clock: invoice.test_clock,
  }
  change.create('credit_note', note, 'credit_note.created')
  if (note.refund !== null && !linked) refundPart(change, state, note)
  if (note.customer_balance_transaction !== null) creditPart(change, account, note)
  reduceInvoice(change, account, state, note)
  return note
}

type Parts = Pick<CreditNote, 'refund_amount' | 'credit_amount' | 'out_of_band_amount'>
const PARTS = ['refund_amount', 'credit_amount', 'out_of_band_amount'] as const

/** Returns the parts of the amount that is given back. They must add up to it. */
function partsOf(request: CreditRequest, linked: Refund | null, post_payment_amount: number): Parts {
  if (linked && request.refund_amount !== undefined)
    throw parameterInvalid('refund_amount', 'Use refund or refund_amount, not both')
  const parts: Parts = {
    refund_amount: linked?.amount ?? request.refund_amount ?? 0,
    credit_amount: request.credit_amount ?? 0,
    out_of_band_amount: request.out_of_band_amount ?? 0,
  }
  const sum = parts.refund_amount + parts.credit_amount + parts.out_of_band_amount
  if (sum === post_payment_amount) return parts
  const given = linked ? 'refund' : PARTS.find((name) => request[name] !== undefined)
  const rule = `refund_amount, credit_amount and out_of_band_amount must add up to ${post_payment_amount}, the part that is not taken off the amount due`
  if (given === undefined) throw parameterMissing('refund_amount', `Missing required parameter: ${rule}`)
  throw parameterInvalid(given, `Invalid value for ${given}: ${rule}; they add up to ${sum}`)
}

/** Refunds the charge of the invoice. */
function refundPart(
  change: Change,
  { charge, refundFails, isBlocked }: CreditedInvoice,
  note: CreditNote,
): void {
  const { refund: id, refund_amount: amount, created, test_clock } = note
  if (!charge) throw parameterInvalid('refund_amount', 'The invoice has no charge that could be refunded')
  const remainder = refundable(charge)
  if (amount > remainder) {
    throw parameterInvalid('refund_amount', `At most ${remainder} of the charge can still be refunded`)
  }
  assert(id !== null, `the refund of ${note.id} has an id`)
  const given = { id, created, amount, reason: null, metadata: {}, test_clock, fails: refundFails, isBlocked }
  const made = refund(charge, given)
  change.create('refund', made.refund, 'refund.created')
  change.update('charge', charge, () => made.charge, 'charge.refunded')
}

/** Credits the balance of the customer. */
function creditPart(change: Change, account: Account, note: CreditNote): void {
  const { customer } = account
  if (customer.deleted)
    throw parameterInvalid(
      'credit_amount',
      `The customer '${customer.id}' is deleted, so its balance is not credited`,
    )
  const balance = (customer.balances[note.currency] ?? 0) - note.credit_amount
  if (balance < -MAX_AMOUNT)
    throw parameterInvalid('credit_amount', `The balance of ${balance} exceeds the maximum of ${MAX_AMOUNT}`)
  creditBalance(change, account, note)
}

/** Reduces the amount due of the invoice. Without an amount due it is paid, and its subscription recovers. */
function reduceInvoice(
  change: Change,
  account: Account,
  { invoice, subscription }: CreditedInvoice,
  note: CreditNote,
): void {
  const reduced = credited(invoice, note, account.now)
  const isPaidNow = isOpen(invoice) && !isOpen(reduced)
  change.update('invoice', invoice, () => reduced, isPaidNow ? 'invoice.paid' : null)
  if (note.pre_payment_amount === 0) return
  const intent = account.intents.get(invoice.id)
  assert(intent, `the intent of ${invoice.id} was loaded`)
  change.update('payment_intent', intent, (latest) =>
    isPaidNow ? canceledWithInvoice(latest, account.now) : withAmount(latest, reduced.amount_due),
  )
  if (!isPaidNow) return
  recoverPaid(change, account, reduced, subscription)
  updateDelinquency(change, account)
}

/**
 * Voids a credit note of an open invoice: its amount is due again.
 * @throws ApiError invalid_state_transition when it is void, or its invoice is not open
 * See docs/contract/credit-notes.md#voiding.
 */
export function voidCreditNote(
  change: Change,
  account: Account,
  { note, invoice }: { note: CreditNote; invoice: Invoice },
): CreditNote {
  const after = voidedNote(note, account.now)
  if (!isOpen(invoice)) {
    throw invalidStateTransition(
      `Only a credit note of an open invoice can be voided; the status of '${invoice.id}' is ${invoice.status}`,
    )
  }
  const intent = account.intents.get(invoice.id)
  assert(intent, `the intent of ${invoice.id} was loaded`)
  change.update('credit_note', note, () => after, 'credit_note.voided')
  const restored = change.update('invoice', invoice, (open) => withoutCredit(open, note))
  change.update('payment_intent', intent, (latest) => withAmount(latest, restored.amount_due))
  return after
}

/**
 * Checks that an existing refund can be linked to a credit note of an invoice.
 * @param holder - the id of the issued credit note that has the refund; undefined without one
 * @throws ApiError parameter_invalid, param refund
 * See docs/contract/credit-notes.md#linking-a-refund.
 */
export function checkLinkable(
  linked: Refund,
  { invoice, charge }: Pick<CreditedInvoice, 'invoice' | 'charge'>,
  holder: string | undefined,
): void {
  if (linked.charge !== charge?.id)
    throw parameterInvalid('refund', `The refund '${linked.id}' is not one of the invoice '${invoice.id}'`)
  if (linked.status === 'failed') throw parameterInvalid('refund', `The refund '${linked.id}' has failed`)
  if (holder !== undefined)
    throw parameterInvalid('refund', `The refund '${linked.id}' belongs to the credit note '${holder}'`)
}
