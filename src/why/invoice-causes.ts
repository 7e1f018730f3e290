import { type Invoice, isManual, isPaidOutOfBand, waitsAsDraft } from '../core/invoice.ts'
import { intentFactsOf } from '../core/payment-intent.ts'
import type { Subscription } from '../core/subscription.ts'
import { factsOf, hasEnded } from '../core/subscription-status.ts'
import { failureText, isRetried, isScheduled, lastFailure, paymentText, retryDaysText } from './attempt.ts'
import { attemptsIn, type Facts, lastStep } from './facts.ts'
import { type Cause, instant, money } from './sentence.ts'

/** Says why a draft is not finalized. */
export function draftCause(invoice: Invoice, facts: Facts): Cause {
  const { subscription: id, created, next_payment_attempt: finalizes } = invoice
  const { draftSeconds } = facts.rules
  if (waitsAsDraft(invoice) && finalizes !== null && draftSeconds !== null) {
    const isLate = finalizes > created + draftSeconds
    const hours = draftSeconds / 3600
    const collected = invoice.collection_method === 'send_invoice' ? 'sent' : 'charged'
    return {
      text: isLate
        ? `it advances by itself, but later than ${hours} hour after its creation, because a webhook endpoint had not accepted invoice.created or a request set auto_advance`
        : `it waits ${hours} hour for changes before it is finalized and ${collected}`,
      rule: 'invoices.md#drafts-that-advance',
    }
  }
  if (id === null || isManual(invoice))
    return {
      text: 'no request has finalized it, and it is not finalized by itself',
      rule: 'invoices.md#manual-invoices',
    }
  const now = facts.get('subscription', id)
  const then = facts.getAt('subscription', id, created)
  if (then?.pause_collection?.behavior === 'keep_as_draft')
    return {
      text: 'collection was paused with keep_as_draft when it was made',
      rule: 'subscriptions.md#pausing-collection',
      object: id,
    }
  if (then && !factsOf(then).collectsRenewals)
    return {
      text: `its subscription was ${then.status} when it was made, and the drafts of such a subscription are not collected`,
      rule: 'subscriptions.md#dunning',
      object: id,
    }
  if (now && (hasEnded(now) || !factsOf(now).collectsRenewals))
    return {
      text: `its subscription is ${now.status}, so the draft no longer advances`,
      rule: 'invoices.md#drafts-that-advance',
      object: id,
    }
  return { text: 'a request stopped it with auto_advance', rule: 'invoices.md#drafts-that-advance' }
}

/** Says why an open invoice is not paid. */
export function openCause(invoice: Invoice, facts: Facts): Cause {
  const { collection_method, due_date, overdue, payment_intent } = invoice
  const failure = lastFailure(facts, invoice)
  const intent = payment_intent === null ? undefined : facts.get('payment_intent', payment_intent)
  if (intent && intentFactsOf(intent).awaitsCustomer)
    return {
      text: 'its payment requires an action by the customer, such as an authentication',
      rule: 'payments.md#authentication',
      object: intent.id,
    }
  if (failure)
    return {
      text: withoutRetry(invoice, facts, failureText(facts, failure)),
      rule: 'invoices.md#retry-schedule',
    }
  if (collection_method === 'send_invoice' && due_date !== null)
    return {
      text: overdue
        ? `it was sent to the customer, and its due date passed at ${instant(due_date)} without a payment`
        : 'it was sent to the customer and is not paid yet',
      rule: 'invoices.md#due-dates',
    }
  if (invoice.next_payment_attempt !== null)
    return {
      text: 'a request finalized the draft, and its first attempt is still to come',
      rule: 'invoices.md#drafts-that-advance',
    }
  return {
    text: isRetried(facts, invoice)
      ? 'it was finalized without an attempt to charge it'
      : 'its payment has to be confirmed first, and nothing else charges it',
    rule: isRetried(facts, invoice) ? 'invoices.md#finalizing' : 'payments.md#intents-of-invoices',
  }
}

/** Adds the reason if no retry follows a failed payment. */
function withoutRetry(invoice: Invoice, facts: Facts, failed: string): string {
  const { next_payment_attempt, subscription: id, attempt_count } = invoice
  if (next_payment_attempt !== null) return failed
  const subscription = id === null ? undefined : facts.get('subscription', id)
  return `${failed}, and ${noRetryText({ invoice, subscription, attempts: attempt_count }, facts)}`
}

function noRetryText(
  {
    invoice,
    subscription,
    attempts,
  }: { invoice: Invoice; subscription: Subscription | undefined; attempts: number },
  facts: Facts,
): string {
  if (subscription?.pending_update?.invoice === invoice.id)
    return 'the invoice of a pending update is not retried'
  if (!isRetried(facts, invoice)) return 'a declined first payment is not retried'
  if (attempts >= attemptsIn(facts)) {
    const stays = subscription && factsOf(subscription).isOverdue && factsOf(subscription).collectsRenewals
    return `no retry is left, because retries come ${retryDaysText(facts)}${stays ? `; the merchant's dunning_final_action left the subscription ${subscription.status}` : ''}`
  }
  if (subscription && hasEnded(subscription))
    return `its subscription is ${subscription.status}, so there are no further retries`
  if (attempts === 0) return 'a payment by request starts no retries'
  return subscription && !factsOf(subscription).collectsRenewals
    ? `its subscription is ${subscription.status}, so its retries were dropped`
    : 'no retry is scheduled'
}

/** Says how an invoice was paid. */
export function paidCause(invoice: Invoice, facts: Facts): Cause {
  const { amount_due, total, charge } = invoice
  const step = lastStep(facts, invoice.id, 'invoice.paid')
  if (isPaidOutOfBand(invoice))
    return {
      text: 'a request marked it paid out of band, without a charge',
      rule: 'invoices.md#paid-out-of-band',
    }
  if (amount_due > 0)
    return {
      text: `it ${step ? paymentText(facts, step) : 'was paid'}`,
      rule: step && !isScheduled(step) ? 'invoices.md#paying-by-hand' : 'invoices.md#attempts',
      ...(charge !== null && { object: charge }),
    }
  if (invoice.pre_payment_credit_notes_amount > 0)
    return {
      text: `credit notes of ${money(invoice.pre_payment_credit_notes_amount, invoice)} reduced its amount due to zero`,
      rule: 'credit-notes.md#open-invoices',
    }
  if (total > 0)
    return { text: "a credit in the customer's balance covered its total", rule: 'proration.md#balance' }
  return {
    text: total < 0 ? 'its total is negative, so nothing was due' : 'its total is zero, so nothing was due',
    rule: 'invoices.md#finalizing',
  }
}

/** Says why an invoice was voided. */
export function voidCause(invoice: Invoice, facts: Facts): Cause {
  const { subscription: id, voided_at, created, id: own, attempted } = invoice
  const step = lastStep(facts, own, 'invoice.voided')
  const subscription = id === null ? undefined : facts.get('subscription', id)
  const before =
    id === null || voided_at === null ? undefined : facts.getAt('subscription', id, voided_at - 1)
  const isAtOnce = created === voided_at
  if (isAtOnce && !attempted && invoice.billing_reason !== 'manual')
    return {
      text: 'collection was paused with void when it was made',
      rule: 'subscriptions.md#pausing-collection',
      ...(id !== null && { object: id }),
    }
  if (before?.pending_update?.invoice === own && step?.request === null)
    return {
      text: 'the pending update that it bills was not paid in time',
      rule: 'proration.md#pending-updates',
      object: before.id,
    }
  if (step?.request === null && subscription && before && factsOf(before).awaitsFirstPayment)
    return {
      text: 'its subscription expired without a first payment',
      rule: 'subscriptions.md#incomplete-subscriptions',
      object: subscription.id,
    }
  if (before?.pending_update?.invoice === own)
    return {
      text: 'a request voided it, or dropped the pending update that it bills',
      rule: 'proration.md#pending-updates',
      object: before.id,
    }
  if (subscription?.status === 'canceled' && subscription.ended_at === voided_at)
    return {
      text: 'its subscription was canceled before its first payment',
      rule: 'subscriptions.md#canceling',
      object: subscription.id,
    }
  if (isAtOnce && attempted && subscription && factsOf(subscription).isPaused)
    return {
      text: 'its payment failed when a request resumed the subscription, which therefore stayed paused',
      rule: 'subscriptions.md#resuming',
      object: subscription.id,
    }
  return { text: 'a request voided it', rule: 'invoices.md#status' }
}

/** Says why an invoice was marked uncollectible. */
export function uncollectibleCause(invoice: Invoice, facts: Facts): Cause {
  const step = lastStep(facts, invoice.id, 'invoice.marked_uncollectible')
  const isHeldBack = invoice.created === invoice.marked_uncollectible_at && invoice.subscription !== null
  if (isHeldBack && (step?.request == null || !invoice.attempted))
    return {
      text: 'collection was paused with mark_uncollectible when it was made',
      rule: 'subscriptions.md#pausing-collection',
      ...(invoice.subscription !== null && { object: invoice.subscription }),
    }
  return {
    text: 'a request marked it uncollectible',
    rule: 'invoices.md#status',
  }
}
