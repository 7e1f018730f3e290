import type { FinalAction } from './dunning.ts'
import { type Invoice, nextAttemptAt } from './invoice.ts'
import { beginsPeriod, invoiceJobs, JOB_KINDS, type Job, refundJobs, subscriptionJobs } from './jobs.ts'
import { lineAmount, total } from './money.ts'
import type { Refund } from './refund.ts'
import {
  cancellationAt,
  hasEnded,
  nextPeriod,
  type Prices,
  type Subscription,
  type SubscriptionItem,
} from './subscription.ts'

/** What an invoice becomes that is made but not collected. */
export type Uncollected = 'draft' | 'void' | 'uncollectible'

/** What becomes of a subscription when no payment comes of something. */
export const CONSEQUENCES = ['cancel', 'mark_unpaid', 'leave_past_due', 'expire', 'pause'] as const
export type Consequence = (typeof CONSEQUENCES)[number]

/** A job that is to come, or that would follow it, with what people want to know of it. */
export type Prospect = Job & {
  /** Whether it only follows when nothing changes until then: no job is queued for it. */
  readonly projected: boolean
  /** What is billed or collected, in the smallest unit of the currency; null where no money is asked for. */
  readonly amount: number | null
  readonly currency: string | null
  /** The period that is billed. */
  readonly period: { readonly start: number; readonly end: number } | null
  /** Which attempt it is, the first one included. */
  readonly attempt: number | null
  /** What the invoice becomes that it makes; null when it is collected, or makes none. */
  readonly uncollected: Uncollected | null
  /** Of the last retry, when it fails; of a trial's end, when there is nothing to charge. */
  readonly consequence: Consequence | null
}

/** paytwin: how many renewals beyond the next are told. */
const PROJECTED_RENEWALS = 3

const bare = (job: Job): Prospect => ({
  ...job,
  projected: false,
  amount: null,
  currency: null,
  period: null,
  attempt: null,
  uncollected: null,
  consequence: null,
})

/** What one period of some items costs, in the smallest currency unit. */
export const periodAmount = (items: readonly SubscriptionItem[], prices: Prices): number =>
  total(items.map(({ price, quantity }) => lineAmount(prices.get(price)?.unit_amount ?? 0, quantity)))

/**
 * What a subscription's state makes happen, in order: its jobs, and the renewals that follow them by the calendar. A
 * scheduled cancellation takes what would come after it.
 * @param given.isPayable - whether there is a payment method that it could be charged to
 * See docs/contract/command-line.md#timelines; paytwin: three renewals are projected.
 */
export function subscriptionProspects(
  subscription: Subscription,
  { prices, isPayable }: { prices: Prices; isPayable: boolean },
): Prospect[] {
  const prospects = subscriptionJobs(subscription).flatMap((job): Prospect[] => {
    if (!beginsPeriod(job)) return [bare(job)]
    const consequence = job.kind === 'trial_end' && !isPayable ? trialConsequence(subscription) : null
    return consequence === null ? renewals(subscription, job, prices) : [{ ...bare(job), consequence }]
  })
  return inOrder(prospects.filter((prospect) => precedesCancellation(prospect, subscription)))
}

/** What a trial's end without a payment method does, when it does not bill. See docs/contract/subscriptions.md#trials. */
function trialConsequence({ collection_method, missing_payment_method }: Subscription): Consequence | null {
  if (collection_method === 'send_invoice' || missing_payment_method === 'create_invoice') return null
  return missing_payment_method
}

/** The next bill and those that follow it. */
function renewals(subscription: Subscription, job: Job, prices: Prices): Prospect[] {
  const amount = periodAmount(subscription.items, prices)
  const found: Prospect[] = []
  for (let due = job.due; found.length <= PROJECTED_RENEWALS; ) {
    const period = nextPeriod({ ...subscription, current_period_end: due }, prices)
    // Beyond the calendar there is no next one.
    if (!Number.isFinite(period.end)) break
    found.push({
      ...bare(job),
      due,
      kind: found.length === 0 ? job.kind : 'renewal',
      projected: found.length > 0,
      amount,
      currency: subscription.currency,
      period,
      uncollected: uncollectedAt(subscription, due),
    })
    due = period.end
  }
  return found
}

const PAUSED: Readonly<Record<NonNullable<Subscription['pause_collection']>['behavior'], Uncollected>> = {
  keep_as_draft: 'draft',
  mark_uncollectible: 'uncollectible',
  void: 'void',
}

/** See docs/contract/subscriptions.md#pausing-collection. */
function uncollectedAt({ status, pause_collection }: Subscription, due: number): Uncollected | null {
  if (status === 'unpaid') return 'draft'
  if (!pause_collection || (pause_collection.resumes_at ?? Number.POSITIVE_INFINITY) <= due) return null
  return PAUSED[pause_collection.behavior]
}

/** Whether it comes before its subscription is canceled; at the same instant the order of the jobs decides. */
function precedesCancellation({ due, kind }: Prospect, subscription: Subscription): boolean {
  const end = hasEnded(subscription) ? null : cancellationAt(subscription)
  if (end === null || due < end) return true
  return due === end && JOB_KINDS.indexOf(kind) <= JOB_KINDS.indexOf('cancellation')
}

/**
 * What an invoice's state makes happen, in order: its next attempt and those that follow when it fails too, or its due date.
 * @param given.subscription - null for an invoice that was made by hand
 * @param given.final_action - null where nobody knows what it was
 * See docs/contract/invoices.md#retry-schedule.
 */
export function invoiceProspects(
  invoice: Invoice,
  { subscription, final_action }: { subscription: Subscription | null; final_action: FinalAction | null },
): Prospect[] {
  const consequence = subscription?.status === 'incomplete' ? 'expire' : subscription && final_action
  const owed = { amount: invoice.total - invoice.amount_paid, currency: invoice.currency }
  const prospects = invoiceJobs(invoice).flatMap((job): Prospect[] =>
    job.kind === 'payment_retry'
      ? retries(invoice, { ...bare(job), ...owed }, consequence)
      : [{ ...bare(job), ...owed }],
  )
  return prospects.filter((prospect) => !subscription || precedesCancellation(prospect, subscription))
}

/** The next attempt, and those that its failure leads to. */
function retries(invoice: Invoice, next: Prospect, consequence: Consequence | null): Prospect[] {
  const found: Prospect[] = []
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

/** What a refund's state makes happen. See docs/contract/payments.md#failing-refunds. */
export const refundProspects = (refund: Refund): Prospect[] =>
  refundJobs(refund).map((job) => ({ ...bare(job), amount: refund.amount, currency: refund.currency }))

/** In the order in which they happen. See docs/contract/clocks.md#order-of-jobs. */
export const inOrder = (prospects: readonly Prospect[]): Prospect[] =>
  prospects.toSorted(
    (left, right) => left.due - right.due || JOB_KINDS.indexOf(left.kind) - JOB_KINDS.indexOf(right.kind),
  )
