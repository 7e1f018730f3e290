import type { Recurring } from './calendar.ts'
import type { Dispute } from './dispute.ts'
import { type FinalAction, nextRetryAt, type RetrySchedule } from './dunning.ts'
import type { Invoice } from './invoice.ts'
import { compareJobs, disputeJobs, invoiceJobs, type Job, jobPosition, refundJobs } from './jobs.ts'
import type { Refund } from './refund.ts'
import { cancellationAt, type Subscription } from './subscription.ts'
import { factsOf, hasEnded } from './subscription-status.ts'

/** The status of an invoice that is created but not collected. */
export type Uncollected = 'draft' | 'void' | 'uncollectible'

/** The effect on a subscription when no payment succeeds. */
export const CONSEQUENCES = ['cancel', 'mark_unpaid', 'leave_past_due', 'expire', 'pause'] as const
export type Consequence = (typeof CONSEQUENCES)[number]

/** A future job, queued or projected, with the details that people need. */
export type FutureJob = Job & {
  /** Whether it is a projection that assumes no other changes; no job is queued for it. */
  readonly projected: boolean
  /** The amount that is billed or collected, in the smallest unit of the currency; null if the job bills nothing. */
  readonly amount: number | null
  /** The part of the amount that bills usage so far; null if the job bills no usage. */
  readonly usage_amount: number | null
  readonly currency: string | null
  /** The billed period. */
  readonly period: { readonly start: number; readonly end: number } | null
  /** The number of the attempt, from 1 for the first one. */
  readonly attempt: number | null
  /** The status of the invoice that the job creates but does not collect; null otherwise. */
  readonly uncollected: Uncollected | null
  /** The phase that begins: its number from 1, and the interval of its prices; null for others. */
  readonly phase: ({ readonly number: number } & Recurring) | null
  /** The effect of the last retry if it fails, or of a trial's end without a payment method. */
  readonly consequence: Consequence | null
}

/** Returns a queued job without details. */
export const withoutDetails = (job: Job): FutureJob => ({
  ...job,
  projected: false,
  amount: null,
  usage_amount: null,
  currency: null,
  period: null,
  attempt: null,
  uncollected: null,
  phase: null,
  consequence: null,
})

/**
 * Reports whether a job runs before its subscription is canceled; at the same instant the order of the jobs decides.
 */
export function precedesCancellation({ due, kind }: FutureJob, subscription: Subscription): boolean {
  const end = hasEnded(subscription) ? null : cancellationAt(subscription)
  if (end === null || due < end) return true
  return due === end && jobPosition(kind) <= jobPosition('cancellation')
}

/**
 * Lists an invoice's future jobs in order: its next attempt with those that follow if it fails, or its due date.
 * @param given.subscription - null for a manual invoice
 * @param given.final_action - null when it is unknown
 * See docs/contract/invoices.md#retry-schedule.
 */
export function futureJobsOfInvoice(
  invoice: Invoice,
  {
    subscription,
    final_action,
    schedule,
  }: { subscription: Subscription | null; final_action: FinalAction | null; schedule?: RetrySchedule },
): FutureJob[] {
  const expires = subscription !== null && factsOf(subscription).awaitsFirstPayment
  const consequence = expires ? 'expire' : subscription && final_action
  const owed = { amount: invoice.amount_due - invoice.amount_paid, currency: invoice.currency }
  const jobs = invoiceJobs(invoice).flatMap((job): FutureJob[] =>
    job.kind === 'payment_retry'
      ? retries(invoice, { ...withoutDetails(job), ...owed }, { consequence, schedule })
      : [{ ...withoutDetails(job), ...owed }],
  )
  // A canceled subscription has no retries, but its open invoices are still due.
  return jobs.filter(
    (job) => job.kind !== 'payment_retry' || !subscription || precedesCancellation(job, subscription),
  )
}

/** Lists the next attempt and those that follow its failure. */
function retries(
  invoice: Invoice,
  next: FutureJob,
  { consequence, schedule }: { consequence: Consequence | null; schedule: RetrySchedule | undefined },
): FutureJob[] {
  const found: FutureJob[] = []
  let due: number | null = next.due
  for (let attempt = invoice.attempt_count + 1; due !== null; attempt += 1) {
    const following: number | null = nextRetryAt(due, attempt, schedule)
    found.push({
      ...next,
      due,
      attempt,
      projected: found.length > 0,
      consequence: following === null ? consequence : null,
    })
    due = following
  }
  return found
}

/** Lists a refund's future job. See docs/contract/payments.md#failing-refunds. */
export const futureJobsOfRefund = (
  refund: Pick<Refund, 'id' | 'settles_at' | 'amount' | 'currency'>,
): FutureJob[] =>
  refundJobs(refund).map((job) => ({
    ...withoutDetails(job),
    amount: refund.amount,
    currency: refund.currency,
  }))

/** Lists a dispute's future job. See docs/contract/disputes.md#due-date. */
export const futureJobsOfDispute = (dispute: Dispute): FutureJob[] =>
  disputeJobs(dispute).map((job) => ({
    ...withoutDetails(job),
    amount: dispute.amount,
    currency: dispute.currency,
  }))

/** Sorts future jobs in the order in which they run. See docs/contract/clocks.md#order-of-jobs. */
export const inOrder = (jobs: readonly FutureJob[]): FutureJob[] => jobs.toSorted(compareJobs)
