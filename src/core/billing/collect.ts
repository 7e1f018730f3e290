import { SECONDS_PER_DAY } from '../calendar.ts'
import type { Change } from '../change.ts'
import { newCharge } from '../charge.ts'
import { attemptFailed, finalized, type Invoice, nextNumber, paid, voided } from '../invoice.ts'
import {
  canceledWithInvoice,
  confirmed,
  newPaymentIntent,
  type PaymentIntent,
  withPaymentMethod,
} from '../payment-intent.ts'
import { attemptCharge } from '../payment-method.ts'
import type { Outcome } from '../processor.ts'
import type { Account } from './account.ts'

/** How an invoice fared: paid, failed with the processor's word, or sent to the customer (or kept) without an attempt. */
export type Collected =
  | { readonly result: 'paid' | 'sent'; readonly invoice: Invoice }
  | { readonly result: 'failed'; readonly invoice: Invoice; readonly outcome: Outcome & { approved: false } }

/**
 * Finalizes a draft and, when it is charged automatically, attempts it at once. A zero total is paid without an intent.
 * @param scheduled - false for a payment by hand, which attempts a sent invoice too
 * Source: interface.md 4.3 (steps 4 to 6); decisions.md 7, 12.13; state-machines.md, Invoice.
 */
export function issue(
  change: Change,
  account: Account,
  draft: Invoice,
  { daysUntilDue, scheduled = true }: { daysUntilDue: number | null; scheduled?: boolean },
): Collected {
  if (draft.total === 0) {
    finalize(change, account, draft, { payment_intent: null, due_date: null })
    const invoice = change.update(
      'invoice',
      draft,
      (open) => paid(open, { now: account.now, charge: null, scheduled: false }),
      'invoice.paid',
    )
    return { result: 'paid', invoice }
  }
  const intent = intentOf(account, draft)
  if (draft.collection_method === 'send_invoice' && scheduled) {
    const due_date = account.now + (daysUntilDue ?? 0) * SECONDS_PER_DAY
    const invoice = finalize(change, account, draft, { payment_intent: intent.id, due_date })
    change.create('payment_intent', intent)
    return { result: 'sent', invoice }
  }
  const open = finalize(change, account, draft, { payment_intent: intent.id, due_date: null })
  return attempt(change, account, open, { intent, isNew: true, scheduled })
}

/** Opens a draft with the customer's next number. Source: interface.md 3.2; decisions.md 7. */
export function finalize(
  change: Change,
  account: Account,
  draft: Invoice,
  given: { payment_intent: string | null; due_date: number | null },
): Invoice {
  const number = nextNumber(change.latest('customer', account.customer))
  change.update('customer', account.customer, (customer) => ({
    ...customer,
    next_invoice_number: customer.next_invoice_number + 1,
  }))
  return change.update(
    'invoice',
    draft,
    (latest) => finalized(latest, { now: account.now, number, ...given }),
    'invoice.finalized',
  )
}

/** The intent that will pay an invoice; no event announces it (decisions.md 10). */
export const intentOf = (account: Account, invoice: Invoice): PaymentIntent =>
  newPaymentIntent({
    id: account.newId('pi'),
    created: account.now,
    amount: invoice.total,
    currency: invoice.currency,
    customer: invoice.customer,
    invoice: invoice.id,
  })

/**
 * One attempt to pay an open (or written-off) invoice with the account's payment method. Tells of the invoice first,
 * then of its intent, then of the charge; there is no charge when there was no card to charge.
 * @param isNew - whether the intent was made by the same change and is not told yet
 * @param scheduled - whether it is billing's own attempt, which counts and moves the retries on
 * Source: decisions.md 6 ("Payment method at each attempt", "Dunning"), 10 ("Order within one operation").
 */
export function attempt(
  change: Change,
  account: Account,
  invoice: Invoice,
  { intent, isNew, scheduled }: { intent: PaymentIntent; isNew: boolean; scheduled: boolean },
): Collected {
  const { now, newId, paymentMethod } = account
  const { outcome, paymentMethod: remembered } = attemptCharge(paymentMethod)
  const card = paymentMethod?.type === 'card' ? paymentMethod.id : null
  const chargeId = card && newId('ch')
  const ready = card ? withPaymentMethod(intent, card) : intent

  const after = change.update(
    'invoice',
    invoice,
    (open) =>
      outcome.approved
        ? paid(open, { now, charge: chargeId, scheduled })
        : attemptFailed(open, { charge: chargeId, scheduled }),
    outcome.approved ? 'invoice.paid' : 'invoice.payment_failed',
  )
  const intentEvent = outcome.approved ? 'payment_intent.succeeded' : 'payment_intent.payment_failed'
  const settled = confirmed(ready, outcome, chargeId)
  if (isNew) change.create('payment_intent', settled, intentEvent)
  else change.update('payment_intent', intent, () => settled, intentEvent)
  if (chargeId) {
    const charge = newCharge(ready, outcome, { id: chargeId, created: now, payment_method: card })
    change.create('charge', charge, outcome.approved ? 'charge.succeeded' : 'charge.failed')
  }
  if (paymentMethod && remembered) change.update('payment_method', paymentMethod, () => remembered)
  return outcome.approved ? { result: 'paid', invoice: after } : { result: 'failed', invoice: after, outcome }
}

/** Voids an invoice and, without an event, the intent that would have paid it. Source: state-machines.md, Invoice. */
export function voidInvoice(change: Change, account: Account, invoice: Invoice): void {
  change.update('invoice', invoice, (latest) => voided(latest, account.now), 'invoice.voided')
  const intent = account.intents.get(invoice.id)
  if (intent) change.update('payment_intent', intent, (latest) => canceledWithInvoice(latest, account.now))
}
