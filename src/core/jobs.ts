import type { Invoice } from './invoice.ts'
import type { Refund } from './refund.ts'
import { cancellationAt, hasEnded, type Subscription } from './subscription.ts'
import type { WebhookDelivery } from './webhook.ts'

/**
 * The kinds of jobs, in the order in which jobs of one subscription run that are due in the same second. Databases and
 * snapshots store the index in this list, both as the kind and as the position of a queued job. Append new kinds at the
 * end: a kind anywhere else needs a migration that renumbers the queued jobs.
 * See docs/contract/clocks.md#order-of-jobs.
 */
export const JOB_KINDS = [
  'payment_retry',
  'invoice_due',
  'cancellation',
  'incomplete_expiry',
  'pause_end',
  'trial_end',
  'renewal',
  'refund_settlement',
  'webhook_retry',
] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** An action that will happen to an object unless the object changes; `due` in Unix seconds on its customer's clock. */
export type Job = {
  readonly due: number
  readonly kind: JobKind
  /** The subscription whose order the job follows; null when it belongs to none. */
  readonly subscription: string | null
  /** The id of the object that the job acts on. */
  readonly object: string
}

/**
 * Derives the jobs of a subscription from its state. Jobs are never scheduled by hand: a canceled subscription has
 * none, and no job can be missed or run twice.
 * See docs/contract/subscriptions.md#status.
 */
export function subscriptionJobs(subscription: Subscription): Job[] {
  if (hasEnded(subscription)) return []
  const { id, status, current_period_end, trial_end, pause_collection } = subscription
  const job = (kind: JobKind, due: number): Job => ({ due, kind, subscription: id, object: id })
  if (status === 'incomplete') return [job('incomplete_expiry', current_period_end)]

  const jobs: Job[] = []
  if (pause_collection?.resumes_at) jobs.push(job('pause_end', pause_collection.resumes_at))
  // A subscription that is paused after its trial is neither canceled nor renewed by time.
  if (status === 'paused') return jobs
  const periodEnd = status === 'trialing' ? (trial_end ?? current_period_end) : current_period_end
  const cancelAt = cancellationAt(subscription)
  if (cancelAt !== null) jobs.push(job('cancellation', cancelAt))
  if (cancelAt === null || cancelAt > periodEnd)
    jobs.push(job(status === 'trialing' ? 'trial_end' : 'renewal', periodEnd))
  return jobs
}

/** Reports whether the next period of a subscription begins with this job. */
export const beginsPeriod = ({ kind }: Job): boolean => kind === 'renewal' || kind === 'trial_end'

/** Derives the jobs of an invoice from its state. See docs/contract/invoices.md#attempts. */
export function invoiceJobs(invoice: Invoice): Job[] {
  const { id, status, subscription, next_payment_attempt, due_date, overdue } = invoice
  if (status !== 'open') return []
  const jobs: Job[] = []
  if (next_payment_attempt !== null)
    jobs.push({ due: next_payment_attempt, kind: 'payment_retry', subscription, object: id })
  if (due_date !== null && !overdue)
    jobs.push({ due: due_date, kind: 'invoice_due', subscription, object: id })
  return jobs
}

/** Derives the job of a refund from its state. See docs/contract/payments.md#failing-refunds. */
export const refundJobs = ({ id, settles_at }: Refund): Job[] =>
  settles_at === null ? [] : [{ due: settles_at, kind: 'refund_settlement', subscription: null, object: id }]

/** Derives the job of a delivery from its state. See docs/contract/events-and-webhooks.md#delivery-retries. */
export const deliveryJobs = ({ id, next_attempt }: WebhookDelivery): Job[] =>
  next_attempt === null ? [] : [{ due: next_attempt, kind: 'webhook_retry', subscription: null, object: id }]
