import type { Consequence, FutureJob } from '../core/future-job.ts'
import type { Invoice } from '../core/invoice.ts'
import type { JobKind } from '../core/jobs.ts'
import { formatAmount } from '../core/money.ts'
import { attemptText, invoiceText, retryDaysText } from './attempt.ts'
import { invoiceOf, type JobContext } from './job-context.ts'
import { beginsPeriodSentence } from './period-sentences.ts'
import { instant, next, type Sentence } from './sentence.ts'

type Write = (job: FutureJob, context: JobContext) => Sentence

/** Writes the sentence of a job: `At 2026-03-01T10:00:00Z, …` */
const atDue = (
  { due, object }: FutureJob,
  text: string,
  rule: string,
  { subject }: Pick<JobContext, 'subject'>,
): Sentence =>
  next(`At ${instant(due)}, ${text}.`, rule, { at: due, object: object === subject ? null : object })

/** Makes a writer whose clause is the same for all jobs of a kind. */
const always =
  (text: string, rule: string): Write =>
  (job, context) =>
    atDue(job, text, rule, context)

/** Makes a writer whose clause begins with the name of the invoice. */
const ofInvoice =
  (clause: (name: string, invoice: Invoice | undefined) => string, rule: string): Write =>
  (job, context) => {
    const invoice = invoiceOf(job, context)
    const name = !invoice ? 'the invoice' : job.object === context.subject ? 'it' : invoiceText(invoice)
    return atDue(job, clause(name, invoice), rule, context)
  }

const CONSEQUENCES: Readonly<Record<Consequence, string>> = {
  cancel: "the subscription is canceled, which is the merchant's final action",
  mark_unpaid: "the subscription becomes unpaid, which is the merchant's final action",
  leave_past_due: "the subscription stays past_due, which is the merchant's final action",
  expire: 'the subscription expires and the invoice is voided',
  pause: 'the subscription is paused',
}

const retry: Write = (job, context) => {
  const { facts, following } = context
  const invoice = invoiceOf(job, context)
  const last = following.at(-1) ?? job
  const what = !invoice ? 'the invoice' : job.object === context.subject ? 'it' : invoiceText(invoice)
  const attempt = invoice && job.attempt !== null ? ` (${attemptText(facts, invoice, job.attempt)})` : ''
  const end = last.consequence === null ? '' : CONSEQUENCES[last.consequence]
  const failing =
    following.length > 0
      ? `. Failed payments are retried ${retryDaysText(facts)}; if all fail, the last attempt is at ${instant(last.due)}${end === '' ? '' : ` and then ${end}`}`
      : end === ''
        ? ', for the last time'
        : `. If that fails too, ${end}`
  return atDue(job, `${what} is charged again${attempt}${failing}`, 'invoices.md#retry-schedule', context)
}

/** Writes the sentence about the first attempt of an invoice that a request finalized. */
const firstAttempt: Write = (job, context) => {
  const invoice = invoiceOf(job, context)
  const what = !invoice ? 'the invoice' : job.object === context.subject ? 'it' : invoiceText(invoice)
  return atDue(job, `${what} is charged for the first time`, 'invoices.md#drafts-that-advance', context)
}

const cancellation: Write = (job, context) => {
  const { amount, currency } = job
  const bill =
    amount === null || currency === null
      ? ''
      : `, and a final invoice bills what still waits: ${formatAmount(amount, currency)}`
  return atDue(job, `the subscription is canceled as planned${bill}`, 'subscriptions.md#canceling', context)
}

const phase: Write = (job, context) => {
  const { amount, currency, phase: begins } = job
  if (begins === null) {
    const schedule = context.facts.get('subscription_schedule', job.object)
    const end =
      schedule?.end_behavior === 'cancel'
        ? 'ends and cancels its subscription'
        : 'ends and releases its subscription, which goes on'
    return atDue(job, `the schedule ${end}`, 'schedules.md#when-a-schedule-ends', context)
  }
  const price =
    amount === null || currency === null ? '' : `: ${formatAmount(amount, currency)} for one period`
  return atDue(
    job,
    `phase ${begins.number} of the schedule begins${price}`,
    'schedules.md#entering-a-phase',
    context,
  )
}

/** The sentence of each kind of job. */
export const JOB_SENTENCES: Readonly<Record<JobKind, Write>> = {
  payment_retry: (job, context) =>
    (invoiceOf(job, context)?.attempt_count === 0 ? firstAttempt : retry)(job, context),
  invoice_due: ofInvoice(
    (name, invoice) =>
      invoice && invoice.subscription !== null
        ? `${name} is due; if it is not paid by then, the subscription becomes past_due`
        : `${name} is due`,
    'invoices.md#due-dates',
  ),
  cancellation,
  incomplete_expiry: always(
    'the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided',
    'subscriptions.md#incomplete-subscriptions',
  ),
  pause_end: always('the pause of collection ends', 'subscriptions.md#pausing-collection'),
  trial_end: beginsPeriodSentence,
  renewal: beginsPeriodSentence,
  refund_settlement: always('a pending refund fails', 'payments.md#failing-refunds'),
  webhook_retry: always('a webhook is sent again', 'events-and-webhooks.md#delivery-retries'),
  pending_update_expiry: always(
    'the pending update is dropped and its invoice voided, unless that invoice is paid',
    'proration.md#pending-updates',
  ),
  schedule_phase: phase,
  schedule_expiring: always(
    'subscription_schedule.expiring announces the end of the schedule',
    'schedules.md#when-a-schedule-ends',
  ),
  dispute_due: always('the dispute is lost unless evidence is submitted', 'disputes.md#due-date'),
  invoice_upcoming: always('invoice.upcoming announces the next invoice', 'notices.md#upcoming-invoices'),
  trial_will_end: always(
    'subscription.trial_will_end announces the end of the trial',
    'notices.md#end-of-a-trial',
  ),
  invoice_will_be_due: ofInvoice(
    (name) => `invoice.will_be_due reminds that ${name} is due`,
    'notices.md#due-dates',
  ),
  invoice_overdue: ofInvoice(
    (name) => `invoice.overdue reports ${name}, if it is still open`,
    'notices.md#due-dates',
  ),
  discount_end: always('a discount ends', 'discounts.md#durations'),
  checkout_expiry: always(
    'the Checkout session expires unless it is completed',
    'checkout-sessions.md#expiry',
  ),
  invoice_finalization: ofInvoice((name, invoice) => {
    const how = invoice?.collection_method === 'send_invoice' ? 'sent' : 'charged'
    return `${name} is finalized and ${how}`
  }, 'invoices.md#drafts-that-advance'),
}
