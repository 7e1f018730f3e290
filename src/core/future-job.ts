import type { Recurring } from './calendar.ts'
import type { Dispute } from './dispute.ts'
import type { FinalAction } from './dunning.ts'
import { type Invoice, nextAttemptAt } from './invoice.ts'
import {
  beginsPeriod,
  compareJobs,
  disputeJobs,
  expectsCharge,
  invoiceJobs,
  type Job,
  jobPosition,
  refundJobs,
  scheduleJobs,
  subscriptionJobs,
} from './jobs.ts'
import { periodAmount } from './period-amount.ts'
import {
  asNextBilled,
  type ComingPhase,
  comingPhases,
  itemsIn,
  type Projected,
  withPhasesUpTo,
} from './phase-projection.ts'
import { usageAmount as usageAmountOf } from './price-amount.ts'
import type { Refund } from './refund.ts'
import { cancellationAt, intervalOf, nextPeriod, type Prices, type Subscription } from './subscription.ts'
import { isMetered, type SubscriptionItem } from './subscription-item.ts'
import { endOf, type SubscriptionSchedule } from './subscription-schedule.ts'
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
  /** The part of the amount that bills usage, as it is so far; null if the job bills no usage. */
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

/** paytwin: the number of renewals projected after the next one. */
const PROJECTED_RENEWALS = 3

const withoutDetails = (job: Job): FutureJob => ({
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
 * Lists a subscription's future jobs in order: the queued ones, and the renewals projected after them. What would come
 * after a scheduled cancellation is left out.
 * @param given.isPayable - whether there is a payment method to charge
 * @param given.pendingAmount - the sum of the items that wait for the next invoice, in the smallest unit of the currency
 * @param given.usageAmount - the usage of the current period so far, in the same unit; null if it will not be billed
 * @param given.schedule - the schedule that manages it; null for none
 * See docs/contract/command-line.md#timelines; paytwin: three renewals are projected.
 */
export function futureJobsOfSubscription(
  subscription: Subscription,
  {
    prices,
    isPayable,
    pendingAmount = 0,
    usageAmount = null,
    schedule = null,
  }: {
    prices: Prices
    isPayable: boolean
    pendingAmount?: number
    usageAmount?: number | null
    schedule?: SubscriptionSchedule | null
  },
): FutureJob[] {
  const { currency } = subscription
  const phases = schedule ? comingPhases(schedule) : []
  const waiting: Waiting = { prices, pendingAmount, usageAmount, phases }
  const jobs = subscriptionJobs(subscription).flatMap((job): FutureJob[] => {
    const final = pendingAmount + (usageAmount ?? 0)
    if (job.kind === 'cancellation' && final !== 0)
      return [{ ...withoutDetails(job), amount: final, usage_amount: usageAmount, currency }]
    if (job.kind === 'invoice_upcoming' && !isAnnounced(subscription, schedule, isPayable)) return []
    if (!beginsPeriod(job)) return [withoutDetails(job)]
    const consequence = job.kind === 'trial_end' && !isPayable ? trialConsequence(subscription) : null
    return consequence === null
      ? renewals(subscription, job, waiting)
      : [{ ...withoutDetails(job), consequence }]
  })
  const planned = schedule ? futureJobsOfSchedule(schedule, prices) : []
  return inOrder([...jobs, ...planned].filter((job) => precedesCancellation(job, subscription)))
}

/** Reports whether the next invoice of a subscription is announced. See docs/contract/notices.md#upcoming-invoices. */
function isAnnounced(
  subscription: Subscription,
  schedule: SubscriptionSchedule | null,
  isPayable: boolean,
): boolean {
  const billed = asNextBilled(subscription, schedule)
  return billed !== null && expectsCharge(billed, isPayable)
}

/**
 * Returns the effect of a trial's end without a payment method; null if it bills. See
 * docs/contract/subscriptions.md#trials.
 */
function trialConsequence({ collection_method, missing_payment_method }: Subscription): Consequence | null {
  if (collection_method === 'send_invoice' || missing_payment_method === 'create_invoice') return null
  return missing_payment_method
}

type Waiting = {
  readonly prices: Prices
  readonly pendingAmount: number
  readonly usageAmount: number | null
  readonly phases: readonly ComingPhase[]
}

/** Lists the next renewal, which bills what waits for it too, and the projected ones after it. */
function renewals(
  subscription: Subscription,
  job: Job,
  { prices, pendingAmount, usageAmount, phases }: Waiting,
): FutureJob[] {
  const found: FutureJob[] = []
  for (let next: Projected = { subscription, due: job.due, phases }; found.length <= PROJECTED_RENEWALS; ) {
    next = withPhasesUpTo(next, prices)
    const { due, subscription: renewed } = next
    const usage = found.length === 0 ? usageAmount : amountOfNoUsage(renewed.items, prices)
    const amount = periodAmount(renewed.items, prices) + (usage ?? 0)
    const period = nextPeriod({ ...renewed, current_period_end: due }, prices)
    // The next period would end beyond the range of Date.
    if (!Number.isFinite(period.end)) break
    found.push({
      ...withoutDetails(job),
      due,
      kind: found.length === 0 ? job.kind : 'renewal',
      projected: found.length > 0,
      amount: found.length === 0 ? amount + pendingAmount : amount,
      usage_amount: usage,
      currency: subscription.currency,
      period,
      uncollected: uncollectedAt(subscription, due),
    })
    next = { ...next, due: period.end }
  }
  return found
}

/** Returns what a period without usage bills for metered items, such as a flat amount; null without metered items. */
function amountOfNoUsage(items: readonly SubscriptionItem[], prices: Prices): number | null {
  const metered = items.filter(isMetered)
  if (metered.length === 0) return null
  return metered.reduce((sum, { price: id }) => {
    const price = prices.get(id)
    return sum + (price ? usageAmountOf(price, 0n) : 0)
  }, 0)
}

/**
 * Lists a schedule's future jobs in order: its phases with the amount of one period each, its end, and the report before it.
 * @param prices - those of all phases that have not begun
 */
export function futureJobsOfSchedule(schedule: SubscriptionSchedule, prices: Prices): FutureJob[] {
  const [next, expiring] = scheduleJobs(schedule).map(withoutDetails)
  if (!next) return []
  const phases = comingPhases(schedule)
  const begun = phases.map((phase, index): FutureJob => {
    const items = itemsIn(phase)
    return {
      ...next,
      due: phase.start_date,
      projected: index > 0,
      amount: periodAmount(items, prices),
      currency: phase.currency,
      phase: { number: phase.number, ...intervalOf(items, prices) },
    }
  })
  const end = { ...next, due: endOf(schedule), projected: phases.length > 0 }
  return inOrder([...begun, end, ...(expiring ? [expiring] : [])])
}

const PAUSED: Readonly<Record<NonNullable<Subscription['pause_collection']>['behavior'], Uncollected>> = {
  keep_as_draft: 'draft',
  mark_uncollectible: 'uncollectible',
  void: 'void',
}

/**
 * Returns the status of an uncollected invoice at an instant. See docs/contract/subscriptions.md#pausing-collection.
 */
function uncollectedAt(subscription: Subscription, due: number): Uncollected | null {
  const { pause_collection } = subscription
  if (!factsOf(subscription).collectsRenewals) return 'draft'
  if (!pause_collection || (pause_collection.resumes_at ?? Number.POSITIVE_INFINITY) <= due) return null
  return PAUSED[pause_collection.behavior]
}

/**
 * Reports whether a job runs before its subscription is canceled; at the same instant the order of the jobs decides.
 */
function precedesCancellation({ due, kind }: FutureJob, subscription: Subscription): boolean {
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
  { subscription, final_action }: { subscription: Subscription | null; final_action: FinalAction | null },
): FutureJob[] {
  const expires = subscription !== null && factsOf(subscription).awaitsFirstPayment
  const consequence = expires ? 'expire' : subscription && final_action
  const owed = { amount: invoice.amount_due - invoice.amount_paid, currency: invoice.currency }
  const jobs = invoiceJobs(invoice).flatMap((job): FutureJob[] =>
    job.kind === 'payment_retry'
      ? retries(invoice, { ...withoutDetails(job), ...owed }, consequence)
      : [{ ...withoutDetails(job), ...owed }],
  )
  // A canceled subscription has no retries, but its open invoices are still due.
  return jobs.filter(
    (job) => job.kind !== 'payment_retry' || !subscription || precedesCancellation(job, subscription),
  )
}

/** Lists the next attempt and those that follow its failure. */
function retries(invoice: Invoice, next: FutureJob, consequence: Consequence | null): FutureJob[] {
  const found: FutureJob[] = []
  let due: number | null = next.due
  for (let attempt = invoice.attempt_count + 1; due !== null; attempt += 1) {
    const following: number | null = nextAttemptAt(invoice, attempt)
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
export const futureJobsOfRefund = (refund: Refund): FutureJob[] =>
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
