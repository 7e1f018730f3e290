import { SECONDS_PER_DAY } from '../calendar.ts'
import type { Change } from '../change.ts'
import { daysToPay } from '../collection-method.ts'
import { assert } from '../errors.ts'
import {
  attemptFailed,
  finalized,
  type Invoice,
  isPaidOutOfBand,
  nextNumber,
  paid,
  voided,
} from '../invoice.ts'
import type { AppliedBalance } from '../invoice-balance.ts'
import { detailsOf } from '../invoiced-customer.ts'
import {
  canceledWithInvoice,
  newPaymentIntent,
  type PaymentIntent,
  withAttempt,
  withPaymentMethod,
} from '../payment-intent.ts'
import { attemptCharge, type PaymentMethod } from '../payment-method.ts'
import { asksForAuthentication, type Outcome } from '../processor.ts'
import type { Account } from './account.ts'
import { balanceApplied, returnToBalance, takeFromBalance } from './balance.ts'
import {
  advanceScript,
  announceAction,
  isUncharged,
  needsAction,
  recordChargeAttempt,
  waitForCustomer,
} from './confirm.ts'
import { disputeCharge } from './dispute.ts'
import { withDueNotices } from './schedule-notices.ts'

/**
 * The result of issuing an invoice: paid, failed with the processor's outcome, or finalized without a charge attempt.
 */
export type Collected =
  | { readonly result: 'paid' | 'sent'; readonly invoice: Invoice }
  | { readonly result: 'failed'; readonly invoice: Invoice; readonly outcome: Outcome & { approved: false } }

/**
 * Finalizes a draft and attempts to charge it unless it is sent. If nothing is due, it is paid without an intent.
 * @param scheduled - false for a payment by hand, which also charges a sent invoice
 * @param counts - whether the attempt counts as a scheduled one, so that retries follow
 * See docs/contract/invoices.md#finalizing.
 */
export function issue(
  change: Change,
  account: Account,
  draft: Invoice,
  {
    daysUntilDue,
    scheduled = true,
    counts = scheduled,
  }: { daysUntilDue: number | null; scheduled?: boolean; counts?: boolean },
): Collected {
  const isSent = draft.collection_method === 'send_invoice' && scheduled
  const applied = balanceApplied(change, account, draft)
  if (account.prepaid) return issuePaid(change, account, draft, { ...account.prepaid, applied })
  if (applied.amount_due === 0 || isSent) return finalizeWithoutAttempt(change, account, draft, daysUntilDue)
  const intent = intentOf(account, draft, applied)
  const due_date = dueDate(account, draft, daysUntilDue)
  const open = finalize(change, account, draft, { payment_intent: intent.id, due_date, applied })
  const isNew = !account.rules.reportsInvoiceIntents
  if (!isNew) createIntent(change, account, intent)
  return attempt(change, account, open, { intent, isNew, scheduled: counts })
}

/**
 * Finalizes a draft whose payment was made before it. The intent and its charge then belong to it. The paid amount is the
 * amount due: the total, or what the customer's balance leaves of it.
 */
function issuePaid(
  change: Change,
  account: Account,
  draft: Invoice,
  {
    intent,
    charge,
    applied: { amount_due: leftByBalance },
  }: NonNullable<Account['prepaid']> & { readonly applied: AppliedBalance },
): Collected {
  const amount_due = intent.amount_received
  assert([draft.total, leftByBalance].includes(amount_due), `${intent.id} pays what ${draft.id} costs`)
  const applied = { amount_due, starting_balance: amount_due - draft.total }
  const given = { payment_intent: intent.id, due_date: null, applied }
  const open = finalize(change, account, draft, given)
  change.update('payment_intent', intent, (latest) => ({ ...latest, invoice: open.id }))
  change.update('charge', charge, (latest) => ({ ...latest, invoice: open.id }))
  const payment = { now: account.now, charge: charge.id, scheduled: true }
  const invoice = change.update('invoice', open, (latest) => paid(latest, payment), 'invoice.paid')
  reportPayment(change, account, invoice)
  return { result: 'paid', invoice }
}

/**
 * Finalizes a draft without a charge attempt. If nothing is due, it is paid without an intent; a sent invoice gets its due date.
 * @param paymentMethod - the payment method of the intent, which is then ready to be confirmed
 */
export function finalizeWithoutAttempt(
  change: Change,
  account: Account,
  draft: Invoice,
  daysUntilDue: number | null,
  paymentMethod: PaymentMethod | null = null,
): Collected {
  const applied = balanceApplied(change, account, draft)
  if (applied.amount_due === 0) {
    const open = finalize(change, account, draft, { payment_intent: null, due_date: null, applied })
    const free = { now: account.now, charge: null, scheduled: false }
    const invoice = change.update('invoice', open, (latest) => paid(latest, free), 'invoice.paid')
    reportPayment(change, account, invoice)
    return { result: 'paid', invoice }
  }
  const intent = intentOf(account, draft, applied)
  const due_date = dueDate(account, draft, daysUntilDue)
  const invoice = finalize(change, account, draft, { payment_intent: intent.id, due_date, applied })
  createIntent(change, account, paymentMethod ? withPaymentMethod(intent, paymentMethod.id) : intent)
  return { result: 'sent', invoice }
}

/** Creates the intent of an invoice, with an event if the merchant's rules have one. */
export const createIntent = (change: Change, { rules }: Account, intent: PaymentIntent): PaymentIntent =>
  change.create('payment_intent', intent, rules.reportsInvoiceIntents ? 'payment_intent.created' : null)

/**
 * Returns the due date of a sent invoice, which its draft may already have; null for one that is charged automatically.
 * @param daysUntilDue - null when the subscription has changed to automatic charging; then the default applies
 * See docs/contract/invoices.md#due-dates.
 */
function dueDate(
  { now }: Account,
  { collection_method, due_date }: Invoice,
  daysUntilDue: number | null,
): number | null {
  if (due_date !== null) return due_date
  const days = daysToPay(collection_method, daysUntilDue)
  return days === null ? null : now + days * SECONDS_PER_DAY
}

/** Finalizes a draft with the customer's next invoice number and balance. See docs/contract/invoices.md#numbers. */
export function finalize(
  change: Change,
  account: Account,
  draft: Invoice,
  given: { payment_intent: string | null; due_date: number | null; applied: AppliedBalance },
): Invoice {
  const customer = change.latest('customer', account.customer)
  const number = nextNumber(customer)
  const customer_details = account.rules.keepsInvoicedCustomer ? detailsOf(customer) : null
  const at = { now: account.now, number, customer_details }
  change.update('customer', account.customer, (latest) => ({
    ...latest,
    next_invoice_number: latest.next_invoice_number + 1,
  }))
  const invoice = change.update(
    'invoice',
    draft,
    (latest) => withDueNotices(finalized(latest, { ...at, ...given }), account),
    'invoice.finalized',
  )
  takeFromBalance(change, account, invoice)
  return invoice
}

/**
 * Returns the intent that will pay an invoice. See docs/contract/payments.md#intents-of-invoices.
 */
export const intentOf = (
  account: Account,
  invoice: Invoice,
  { amount_due }: Pick<Invoice, 'amount_due'>,
): PaymentIntent =>
  newPaymentIntent({
    id: account.newId('pi'),
    created: account.now,
    amount: amount_due,
    currency: invoice.currency,
    customer: invoice.customer,
    invoice: invoice.id,
  })

/**
 * Attempts once to pay an open or uncollectible invoice with the account's payment method. The steps are the invoice,
 * its intent, and the charge if there was anything to charge.
 * @param isNew - whether the same change creates the intent
 * @param scheduled - whether the attempt belongs to the retry schedule: it counts and moves the schedule on
 * @param settled - the outcome of settling an intent that waited for the customer; without it the card is charged
 * See docs/contract/subscriptions.md#attempted-payment-method.
 */
export function attempt(
  change: Change,
  account: Account,
  invoice: Invoice,
  {
    intent,
    isNew,
    scheduled,
    settled,
  }: { intent: PaymentIntent; isNew: boolean; scheduled: boolean; settled?: Outcome },
): Collected {
  const { now, newId, paymentMethod, fault, rules, isOnSession = false } = account
  const isRetried = rules.retriesFirstPayment || invoice.billing_reason !== 'subscription_create'
  const asked = settled ? { outcome: settled, paymentMethod } : attemptCharge(paymentMethod, fault)
  const { outcome } = asked
  const isAsked = rules.waitsForAuthentication && asksForAuthentication(outcome)
  const waits = isAsked && isOnSession && paymentMethod !== null && needsAction(paymentMethod)
  const isCharged =
    paymentMethod !== null && !waits && (settled ? !isUncharged(settled) : paymentMethod.type === 'card')
  const charge = isCharged ? newId('ch') : null
  const ready = isCharged && !settled ? withAttempt(intent, paymentMethod.id) : intent
  if (isCharged && !settled) change.noteAttempt()

  const after = change.update(
    'invoice',
    invoice,
    (open) =>
      outcome.approved
        ? paid(open, { now, charge, scheduled })
        : attemptFailed(open, { charge, now, scheduled, isRetried, schedule: account.retries }),
    outcome.approved ? 'invoice.paid' : 'invoice.payment_failed',
  )
  if (outcome.approved) reportPayment(change, account, after)
  if (isAsked) announceAction(change, after)
  if (waits && !outcome.approved) {
    waitForCustomer(change, intent, withAttempt(intent, paymentMethod.id))
    return { result: 'failed', invoice: after, outcome }
  }
  recordChargeAttempt(change, { before: isNew ? null : intent, ready, outcome, charge, now, rules })
  disputeCharge(change, { now, newId, testClock: invoice.test_clock }, charge, paymentMethod)
  if (paymentMethod && asked.paymentMethod) advanceScript(change, paymentMethod, asked.paymentMethod)
  return outcome.approved ? { result: 'paid', invoice: after } : { result: 'failed', invoice: after, outcome }
}

/** Emits the further events of a payment that the merchant's rules have. */
function reportPayment(change: Change, { rules }: Account, invoice: Invoice): void {
  if (rules.reportsPaymentTwice)
    change.update('invoice', invoice, (same) => same, 'invoice.payment_succeeded')
  if (rules.reportsInvoicePayments && invoice.payment_intent !== null && !isPaidOutOfBand(invoice))
    change.update('invoice', invoice, (same) => same, 'invoice.payment_paid')
}

/**
 * Marks a finalized invoice paid without a charge, because the customer paid in another way. Its intent is canceled first, so
 * that nothing charges it again.
 * See docs/contract/invoices.md#paid-out-of-band.
 */
export function settleOutOfBand(change: Change, account: Account, invoice: Invoice): Collected {
  cancelIntent(change, account, invoice)
  const payment = { now: account.now, charge: null, scheduled: false }
  const after = change.update('invoice', invoice, (open) => paid(open, payment), 'invoice.paid')
  reportPayment(change, account, after)
  return { result: 'paid', invoice: after }
}

/**
 * Voids an invoice, and cancels its intent.
 * @param rule - a further change of the invoice, which has no event of its own
 * See docs/contract/invoices.md#status.
 */
export function voidInvoice(
  change: Change,
  account: Account,
  invoice: Invoice,
  rule: (closed: Invoice) => Invoice = (closed) => closed,
): void {
  const close = (latest: Invoice) => rule(voided(latest, account.now))
  const after = change.update('invoice', invoice, close, 'invoice.voided')
  returnToBalance(change, account, after)
  cancelIntent(change, account, after)
}

/** Cancels the intent of an invoice, if it has one, with an event where these intents have one. */
function cancelIntent(change: Change, account: Account, invoice: Invoice): void {
  const { payment_intent } = invoice
  if (payment_intent === null) return
  const intent = change.pending('payment_intent', payment_intent) ?? account.intents.get(invoice.id)
  assert(intent, `the intent of ${invoice.id} was loaded`)
  const wasCanceled = change.latest('payment_intent', intent).status === 'canceled'
  const event = account.rules.reportsInvoiceIntents && !wasCanceled ? 'payment_intent.canceled' : null
  change.update('payment_intent', intent, (latest) => canceledWithInvoice(latest, account.now), event)
}
