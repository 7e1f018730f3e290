import type { Invoice } from '../core/invoice.ts'
import { appliedBalance } from '../core/invoice-balance.ts'
import type { InvoiceStatus } from '../core/invoice-status.ts'
import { cancellationAt } from '../core/subscription.ts'
import type { Facts } from './facts.ts'
import { draftCause, openCause, paidCause, uncollectibleCause, voidCause } from './invoice-causes.ts'
import { nextSentences } from './next.ts'
import { type Cause, detail, instant, money, next, type Sentence, statusSince } from './sentence.ts'

type Since = { readonly since: number | null; readonly cause: Cause }

/** Finds, for each status, its cause and when it began. */
const STATUSES: Readonly<Record<InvoiceStatus, (invoice: Invoice, facts: Facts) => Since>> = {
  draft: (invoice, facts) => ({ since: invoice.created, cause: draftCause(invoice, facts) }),
  open: (invoice, facts) => ({ since: invoice.finalized_at, cause: openCause(invoice, facts) }),
  paid: (invoice, facts) => ({ since: invoice.paid_at, cause: paidCause(invoice, facts) }),
  void: (invoice, facts) => ({ since: invoice.voided_at, cause: voidCause(invoice, facts) }),
  uncollectible: (invoice, facts) => ({
    since: invoice.marked_uncollectible_at,
    cause: uncollectibleCause(invoice, facts),
  }),
}

/** Explains an invoice: its status, what it bills, what reduced its amount, and its jobs. */
export const whyInvoice = (invoice: Invoice, facts: Facts): Sentence[] => [
  statusSince('invoice', invoice.status, STATUSES[invoice.status](invoice, facts)),
  ...details(invoice),
  ...(droppedAttempt(invoice, facts) ?? nextSentences(invoice, facts)),
]

/** Says that the next attempt will be dropped, if the subscription is canceled before it. */
function droppedAttempt(invoice: Invoice, facts: Facts): Sentence[] | undefined {
  const { next_payment_attempt: attempt, subscription: id } = invoice
  const subscription = id === null ? undefined : facts.get('subscription', id)
  const end = subscription ? cancellationAt(subscription) : null
  if (attempt === null || end === null || facts.upcoming.some(({ object }) => object === invoice.id))
    return undefined
  return [
    next(
      `Its next attempt is planned for ${instant(attempt)}, but its subscription is canceled at ${instant(end)}, which drops it.`,
      'subscriptions.md#canceling',
      { at: attempt, object: id },
    ),
  ]
}

const period = ({ period_start, period_end }: Invoice): string =>
  `the period from ${instant(period_start)} to ${instant(period_end)}`

/** Says what an invoice bills, by its `billing_reason`. */
const BILLED: Readonly<Record<Invoice['billing_reason'], (invoice: Invoice) => Sentence>> = {
  subscription_create: (invoice) =>
    detail(
      `It is the first invoice of its subscription and bills ${period(invoice)}.`,
      'subscriptions.md#creating',
      {
        object: invoice.subscription,
      },
    ),
  subscription_cycle: (invoice) =>
    detail(`It bills ${period(invoice)} of its subscription.`, 'subscriptions.md#renewal', {
      object: invoice.subscription,
    }),
  subscription_update: (invoice) =>
    detail('It bills a change or the end of its subscription.', 'proration.md#changing-a-plan', {
      object: invoice.subscription,
    }),
  manual: () => detail('It was created by a request.', 'invoices.md#manual-invoices'),
}

function details(invoice: Invoice): Sentence[] {
  const { total, amount_due, finalized_at, starting_balance } = invoice
  const credited = invoice.pre_payment_credit_notes_amount
  const returned = invoice.post_payment_credit_notes_amount
  const applied = finalized_at === null ? 0 : appliedBalance(invoice)
  const of = (amount: number) => money(amount, invoice)
  const sentences = [BILLED[invoice.billing_reason](invoice)]
  if (applied < 0)
    sentences.push(
      detail(
        `Of its total of ${of(total)}, a credit in the customer's balance paid ${of(-applied)}; the amount due was ${of(amount_due + credited)}.`,
        'proration.md#balance',
      ),
    )
  else if (applied > 0 && total < 0)
    sentences.push(
      detail(
        `Its total is negative, so ${of(applied)} became a credit in the customer's balance.`,
        'proration.md#balance',
      ),
    )
  else if (applied > 0)
    sentences.push(
      detail(
        `The customer's balance of ${of(starting_balance)} was owed, so ${of(applied)} was added to its total of ${of(total)}.`,
        'proration.md#balance',
      ),
    )
  if (credited > 0)
    sentences.push(
      detail(`Credit notes took ${of(credited)} off its amount due.`, 'credit-notes.md#open-invoices'),
    )
  if (returned > 0)
    sentences.push(
      detail(`Credit notes gave ${of(returned)} back after it was paid.`, 'credit-notes.md#paid-invoices'),
    )
  return sentences
}
