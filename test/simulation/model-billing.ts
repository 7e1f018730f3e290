import { dueOf, MAX_AMOUNT, subtotalOf } from './model-amounts.ts'
import { applyBalance, returnBalance } from './model-balance.ts'
import { DAY, retryAfter } from './model-calendar.ts'
import { endAllOf, endOfGoneItems, inherit, recordPeriod, reduceAndSpend } from './model-discount.ts'
import type { Operation } from './model-events.ts'
import type { Intent } from './model-money.ts'
import { scheduleDueNotices } from './model-notices.ts'
import { attempt, methodFor, type Outcome, settleInvoice } from './model-payment.ts'
import { applyPending, forgetPending } from './model-pending.ts'
import { linesOfPlan, waitingFor, withWaiting } from './model-plan.ts'
import { endWith } from './model-schedule.ts'
import {
  type Customer,
  type Invoice,
  type Merchant,
  named,
  newKey,
  type Subscription,
} from './model-state.ts'
import { type Ended, hasUsage, usageLines } from './model-usage.ts'

export const invoicesOf = ({ invoices }: Merchant, { key }: Subscription): Invoice[] =>
  invoices.filter(({ subscription }) => subscription === key)

/** What an invoice of a subscription bills. */
export type Bill = {
  readonly reason: string
  /** The corrected part of the period, if the invoice bills only what waits for the subscription. */
  readonly part?: { readonly start: number; readonly end: number }
  /** The period that ends and whose usage it bills. */
  readonly ended?: Ended
}

/** Creates a draft, with the event invoice.created. See docs/contract/invoices.md#status. */
export function draft(
  operation: Operation,
  subscription: Subscription,
  { reason, part, ended }: Bill,
): Invoice {
  const { merchant } = operation
  const plan = part ? [] : linesOfPlan(merchant, subscription)
  const usage = ended ? usageLines(merchant, subscription, ended, MAX_AMOUNT - subtotalOf(plan)) : []
  const key = newKey(merchant, 'in')
  const invoice: Invoice = {
    key,
    customer: subscription.customer,
    subscription: subscription.key,
    created: operation.at,
    lines: withWaiting(merchant, subscription, {
      invoice: key,
      plan: [...usage, ...plan],
    }),
    reason,
    collection: subscription.collection,
    daysUntilDue: subscription.daysUntilDue,
    start: part?.start ?? subscription.start,
    end: part?.end ?? subscription.end,
    ...newInvoice(),
  }
  inherit(merchant, invoice, { subscription, at: operation.at })
  reduceAndSpend(operation, invoice)
  if (!part || reason === 'subscription_create') recordPeriod(merchant, subscription, invoice.lines)
  merchant.invoices.push(invoice)
  operation.tellOfInvoice('invoice.created', invoice)
  return invoice
}

export const newInvoice = () => ({
  status: 'draft' as const,
  discounts: [] as string[],
  balance: { before: 0, after: null },
  credited: { pre: 0, post: 0 },
  number: null,
  attempts: 0,
  attempted: false,
  failedAt: null,
  next: null,
  dueDate: null,
  isOverdue: false,
  willBeDueAt: null,
  overdueAt: null,
  intent: null,
  charge: null,
  finalizedAt: null,
  paidAt: null,
  voidedAt: null,
  uncollectibleAt: null,
})

/**
 * Assigns the number, and an intent unless nothing is due. See docs/contract/invoices.md#finalizing.
 */
export function finalize(operation: Operation, invoice: Invoice, isHeldBack = false): void {
  const { merchant, at } = operation
  const customer = named<Customer>(merchant.customers, invoice.customer)
  customer.numbersGiven += 1
  invoice.number = customer.numbersGiven
  invoice.status = 'open'
  invoice.finalizedAt = at
  applyBalance(merchant, invoice)
  const due = dueOf(invoice)
  if (due > 0) {
    // An invoice with nothing due, or that is closed at once, has no due date. See
    // docs/contract/invoices.md#due-dates.
    if (invoice.collection === 'send_invoice' && !isHeldBack)
      invoice.dueDate = at + daysUntilDue(operation, invoice) * DAY
    scheduleDueNotices(merchant, invoice, at)
    const intent: Intent = {
      key: newKey(merchant, 'pi'),
      customer: invoice.customer,
      invoice: invoice.key,
      amount: due,
      status: 'requires_confirmation',
      method: null,
    }
    merchant.intents.push(intent)
    invoice.intent = intent.key
  }
  operation.tellOfInvoice('invoice.finalized', invoice)
  if (due > 0) return
  invoice.status = 'paid'
  invoice.paidAt = at
  operation.tellOfInvoice('invoice.paid', invoice)
}

/** Sets the due date that its subscription has at the finalization. See docs/contract/invoices.md#due-dates. */
function daysUntilDue({ merchant }: Operation, { subscription, daysUntilDue }: Invoice): number {
  const own = merchant.subscriptions.find(({ key }) => key === subscription)
  return (own ? own.daysUntilDue : daysUntilDue) ?? 30
}

/** See docs/contract/invoices.md#status. */
export function voidInvoice(operation: Operation, invoice: Invoice, isCausedByFailure = false): void {
  returnBalance(operation.merchant, invoice)
  invoice.status = 'void'
  invoice.voidedAt = operation.at
  invoice.next = null
  const intent = operation.merchant.intents.find(({ key }) => key === invoice.intent)
  if (intent) intent.status = 'canceled'
  operation.tellOfInvoice('invoice.voided', invoice, isCausedByFailure)
}

/** Voids the open invoices of a subscription. */
export function voidOpen(operation: Operation, subscription: Subscription): void {
  for (const invoice of invoicesOf(operation.merchant, subscription))
    if (invoice.status === 'open') voidInvoice(operation, invoice)
}

export function markUncollectible(operation: Operation, invoice: Invoice): void {
  invoice.status = 'uncollectible'
  invoice.uncollectibleAt = operation.at
  invoice.next = null
  operation.tellOfInvoice('invoice.marked_uncollectible', invoice)
}

/** Records a scheduled attempt, which counts, and sets the next one. See docs/contract/invoices.md#retry-schedule. */
export function attemptOnSchedule(
  operation: Operation,
  invoice: Invoice,
  subscription: Subscription,
): Outcome {
  const method = methodFor(operation, invoice.customer, subscription)
  const outcome = attempt(operation, method)
  invoice.attempts += 1
  invoice.failedAt ??= operation.at
  invoice.next = outcome === 'approved' ? null : retryAfter(invoice.failedAt, invoice.attempts)
  settleInvoice(operation, invoice, { outcome, method })
  return outcome
}

/**
 * Creates the invoice of a new period and collects or sends it, or handles it as the pause of collection says.
 * See docs/contract/subscriptions.md#pausing-collection.
 */
export function bill(operation: Operation, subscription: Subscription, what: Bill): Outcome | 'not tried' {
  const invoice = draft(operation, subscription, what)
  if (subscription.status === 'unpaid') return 'not tried'
  const { pause } = subscription
  if (pause?.behavior === 'keep_as_draft') return 'not tried'
  finalize(operation, invoice, pause !== null)
  if (pause) {
    // An invoice with nothing due is paid at once, and latest_invoice is unchanged.
    if (invoice.status !== 'open') return 'not tried'
    if (pause.behavior === 'void') voidInvoice(operation, invoice)
    else markUncollectible(operation, invoice)
    return 'not tried'
  }
  const isSent = subscription.collection === 'send_invoice'
  const outcome =
    isSent || invoice.status === 'paid' ? 'not tried' : attemptOnSchedule(operation, invoice, subscription)
  noteFinalized(operation, subscription, invoice)
  return outcome
}

/**
 * `latest_invoice` is the newest finalized invoice once one has been paid. An invoice of a pause is not shown there
 * until it is paid. See docs/contract/subscriptions.md#latest-invoice.
 */
export function noteFinalized({ merchant }: Operation, subscription: Subscription, invoice: Invoice): void {
  const place = (key: string | null) => merchant.invoices.findIndex((each) => each.key === key)
  if (place(invoice.key) > place(subscription.newest)) subscription.newest = invoice.key
  if (subscription.latest !== null || invoice.status === 'paid') subscription.latest = subscription.newest
}

/** Bills what waits for a subscription on a final invoice. See docs/contract/proration.md#canceling. */
export function billFinally(
  operation: Operation,
  subscription: Subscription,
  usageEnd: number,
): Outcome | 'not tried' {
  const { merchant, at } = operation
  const { status, items, start } = subscription
  const isBilled = status === 'active' || status === 'past_due' || status === 'unpaid'
  const ended = { items, start, end: usageEnd }
  const isUsed = isBilled && hasUsage(merchant, subscription, ended)
  if (waitingFor(merchant, subscription).length === 0 && !isUsed) return 'not tried'
  const part = { start: subscription.start, end: at }
  return bill(operation, subscription, { reason: 'subscription_update', part, ...(isBilled && { ended }) })
}

/** See docs/contract/invoices.md#outstanding-invoices. */
const isOutstanding = ({ status, collection, isOverdue }: Invoice): boolean =>
  status === 'open' && (collection === 'charge_automatically' || isOverdue)

/** Updates a subscription after the end of an invoice's collection: see docs/contract/subscriptions.md#status. */
export function noteSettled(operation: Operation, subscription: Subscription, invoice: Invoice): void {
  if (subscription.pending?.invoice === invoice.key) {
    if (invoice.status === 'paid') {
      applyPending(operation, subscription)
      endOfGoneItems(operation, subscription)
    } else {
      if (invoice.status !== 'void') voidInvoice(operation, invoice)
      forgetPending(operation.merchant, subscription)
    }
  }
  if (subscription.status === 'incomplete') {
    if (invoice.status === 'paid') subscription.status = 'active'
    else expire(operation, subscription)
  }
  if (subscription.status === 'past_due' || subscription.status === 'unpaid') {
    const isDone = !invoicesOf(operation.merchant, subscription).some(isOutstanding)
    if (isDone) subscription.status = 'active'
  }
  if (invoice.status === 'paid' && subscription.latest === null)
    noteFinalized(operation, subscription, invoice)
}

/** See docs/contract/subscriptions.md#incomplete-subscriptions. */
export function expire(operation: Operation, subscription: Subscription): void {
  endAllOf(operation, subscription)
  endWith(operation.merchant, subscription, operation.at)
  subscription.status = 'incomplete_expired'
  subscription.endedAt = operation.at
}

/** Removes the retries of open invoices, which stay open. See docs/contract/subscriptions.md#canceling. */
export function cancel(
  operation: Operation,
  subscription: Subscription,
  { reason, isRequestedNow = false }: { reason: string; isRequestedNow?: boolean },
): void {
  const { merchant, at } = operation
  dropPending(operation, subscription, reason === 'payment_failed')
  endAllOf(operation, subscription)
  endWith(merchant, subscription, at)
  subscription.status = 'canceled'
  subscription.endedAt = at
  subscription.canceledAt = isRequestedNow ? at : (subscription.canceledAt ?? at)
  subscription.reason = reason
  for (const invoice of invoicesOf(merchant, subscription)) invoice.next = null
}

/** Drops a pending update and voids its invoice. See docs/contract/proration.md#pending-updates. */
export function dropPending(
  operation: Operation,
  subscription: Subscription,
  isCausedByFailure = false,
): void {
  const { merchant } = operation
  if (!subscription.pending) return
  const invoice = named<Invoice>(merchant.invoices, subscription.pending.invoice)
  voidInvoice(operation, invoice, isCausedByFailure)
  noteSettled(operation, subscription, invoice)
}
