import { type CheckoutSession, checkoutFactsOf } from './checkout-session.ts'
import type { Coupon } from './coupon.ts'
import type { Discount } from './discount.ts'
import { awaitsEvidence, type Dispute } from './dispute.ts'
import { waitsAsDraft } from './invoice.ts'
import type { InvoicePlan } from './invoice-plan.ts'
import { isOpen } from './invoice-status.ts'
import type { Kind, Objects } from './kinds.ts'
import { INVOICE_NOTICES, NOTICE_KINDS, type NoticeKind, SUBSCRIPTION_NOTICES } from './notices.ts'
import type { PromotionCode } from './promotion-code.ts'
import type { Refund } from './refund.ts'
import { cancellationAt, type Subscription } from './subscription.ts'
import { firstPhase, isOver, type SubscriptionSchedule } from './subscription-schedule.ts'
import { factsOf, hasEnded, isInTrial } from './subscription-status.ts'
import type { WebhookDelivery } from './webhook.ts'

/** The kinds of jobs. Databases and snapshots store the index in this list: append new kinds at the end. */
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
  'pending_update_expiry',
  'schedule_phase',
  'schedule_expiring',
  'dispute_due',
  'invoice_upcoming',
  'trial_will_end',
  'invoice_will_be_due',
  'invoice_overdue',
  'discount_end',
  'invoice_finalization',
  'checkout_expiry',
] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** Positions other than ten times the number of the kind. A phase begins before a trial ends or a renewal bills. */
const POSITIONS: { readonly [Kind in JobKind]?: number } = { schedule_expiring: 43, schedule_phase: 45 }

const POSITION_OF = new Map(JOB_KINDS.map((kind, number) => [kind, POSITIONS[kind] ?? 10 * number]))

/**
 * Returns the position of a kind among the jobs of a subscription in the same second, the lowest first. Databases and
 * snapshots store it with each queued job of a subscription.
 * See docs/contract/clocks.md#order-of-jobs.
 */
export const jobPosition = (kind: JobKind): number => POSITION_OF.get(kind) ?? 0

/** Compares jobs of a subscription by the order in which they run. */
export const compareJobs = (left: Pick<Job, 'due' | 'kind'>, right: Pick<Job, 'due' | 'kind'>): number =>
  left.due - right.due || jobPosition(left.kind) - jobPosition(right.kind)

/** An action on an object at a later time. It is dropped if the object changes first. `due` is in Unix seconds on the customer's clock. */
export type Job = {
  readonly due: number
  readonly kind: JobKind
  /** The subscription that the job belongs to, which orders jobs of the same second; null if there is none. */
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
  const { id, current_period_end, trial_end, pause_collection, pending_update, expires_at } = subscription
  const job = (kind: JobKind, due: number): Job => ({ due, kind, subscription: id, object: id })
  const { atPeriodEnd, awaitsFirstPayment } = factsOf(subscription)
  // A notice stays scheduled while no renewal is ahead, because its instant may pass before one is ahead again.
  const jobs = noticeJobs(subscription.notices, SUBSCRIPTION_NOTICES, job)
  if (awaitsFirstPayment && atPeriodEnd) return [...jobs, job(atPeriodEnd, expires_at ?? current_period_end)]
  if (pause_collection?.resumes_at) jobs.push(job('pause_end', pause_collection.resumes_at))
  if (pending_update) jobs.push(job('pending_update_expiry', pending_update.expires_at))
  // A subscription that is paused after its trial is neither canceled nor renewed by time.
  if (!atPeriodEnd) return jobs
  const periodEnd = isInTrial(subscription) ? (trial_end ?? current_period_end) : current_period_end
  const cancelAt = cancellationAt(subscription)
  if (cancelAt !== null) jobs.push(job('cancellation', cancelAt))
  if (cancelAt === null || cancelAt > periodEnd) jobs.push(job(atPeriodEnd, periodEnd))
  return jobs
}

/** Derives the jobs of an object's notices. */
function noticeJobs<Kind extends NoticeKind>(
  notices: Readonly<Record<Kind, number | null>> | null,
  kinds: readonly Kind[],
  job: (kind: JobKind, due: number) => Job,
): Job[] {
  const jobs: Job[] = []
  if (notices === null) return jobs
  for (const kind of kinds) {
    const due = notices[kind]
    if (due !== null) jobs.push(job(kind, due))
  }
  return jobs
}

/** Reports whether a job only sends a notice. */
export const isNotice = ({ kind }: Job): boolean => NOTICE_KINDS.some((notice) => notice === kind)

/** Reports whether the next period of a subscription begins with this job. */
export const beginsPeriod = ({ kind }: Job): boolean => kind === 'renewal' || kind === 'trial_end'

/**
 * Reports whether the next invoice of a subscription can be announced: a period will begin, and its invoice is charged
 * automatically.
 * @param isPayable - whether there is a payment method to charge
 * See docs/contract/notices.md#upcoming-invoices.
 */
export function expectsCharge(subscription: Subscription, isPayable: boolean): boolean {
  const { collection_method, pause_collection, current_period_end, missing_payment_method } = subscription
  const endsUnbilled = isInTrial(subscription) && !isPayable && missing_payment_method !== 'create_invoice'
  const isPaused =
    pause_collection !== null &&
    (pause_collection.resumes_at ?? Number.POSITIVE_INFINITY) > current_period_end
  return (
    collection_method === 'charge_automatically' &&
    factsOf(subscription).collectsRenewals &&
    !isPaused &&
    !endsUnbilled &&
    subscriptionJobs(subscription).some(beginsPeriod)
  )
}

/** Derives the jobs of an invoice from its state. See docs/contract/invoices.md#attempts. */
export function invoiceJobs(invoice: InvoicePlan): Job[] {
  const { id, subscription, next_payment_attempt, due_date, overdue, notices } = invoice
  if (waitsAsDraft(invoice) && next_payment_attempt !== null)
    return [{ due: next_payment_attempt, kind: 'invoice_finalization', subscription, object: id }]
  if (!isOpen(invoice)) return []
  const jobs = noticeJobs(notices, INVOICE_NOTICES, (kind, due) => ({ due, kind, subscription, object: id }))
  if (next_payment_attempt !== null)
    jobs.push({ due: next_payment_attempt, kind: 'payment_retry', subscription, object: id })
  if (due_date !== null && !overdue)
    jobs.push({ due: due_date, kind: 'invoice_due', subscription, object: id })
  return jobs
}

/** Derives the jobs of a schedule from its state. See docs/contract/schedules.md#when-a-phase-ends. */
export function scheduleJobs(schedule: SubscriptionSchedule): Job[] {
  if (isOver(schedule)) return []
  const { id, subscription, current_phase, expiring_at } = schedule
  const job = (kind: JobKind, due: number): Job => ({ due, kind, subscription, object: id })
  const due = current_phase?.end_date ?? firstPhase(schedule).start_date
  return [
    job('schedule_phase', due),
    ...(expiring_at === null ? [] : [job('schedule_expiring', expiring_at)]),
  ]
}

/** Derives the job of a refund from its state. See docs/contract/payments.md#failing-refunds. */
export const refundJobs = ({ id, settles_at }: Pick<Refund, 'id' | 'settles_at'>): Job[] =>
  settles_at === null ? [] : [{ due: settles_at, kind: 'refund_settlement', subscription: null, object: id }]

/** Derives the job of a dispute from its state. See docs/contract/disputes.md#due-date. */
export const disputeJobs = (dispute: Dispute): Job[] =>
  awaitsEvidence(dispute)
    ? [{ due: dispute.due_by, kind: 'dispute_due', subscription: null, object: dispute.id }]
    : []

/** Derives the job that ends a discount by the calendar. See docs/contract/discounts.md#durations. */
export const discountJobs = ({ id, deleted, end, subscription }: Discount): Job[] =>
  deleted || end === null ? [] : [{ due: end, kind: 'discount_end', subscription, object: id }]

/** Derives the job after which a coupon cannot be redeemed. */
const couponJobs = ({ id, valid, redeem_by }: Coupon): Job[] =>
  valid && redeem_by !== null
    ? [{ due: redeem_by, kind: 'discount_end', subscription: null, object: id }]
    : []

/** Derives the job after which a promotion code cannot be redeemed. */
const promotionCodeJobs = ({ id, active, expires_at }: PromotionCode): Job[] =>
  active && expires_at !== null
    ? [{ due: expires_at, kind: 'discount_end', subscription: null, object: id }]
    : []

/** Derives the job that expires a Checkout session. See docs/contract/checkout-sessions.md#expiry. */
export const checkoutJobs = (session: CheckoutSession): Job[] =>
  checkoutFactsOf(session).isOpen
    ? [{ due: session.expires_at, kind: 'checkout_expiry', subscription: null, object: session.id }]
    : []

/** The job derivation of each kind of object that has jobs. Deliveries are not a kind: see deliveryJobs. */
export const JOBS_OF_KIND: { readonly [K in Kind]?: (object: Objects[K]) => Job[] } = {
  subscription: subscriptionJobs,
  invoice: invoiceJobs,
  refund: refundJobs,
  subscription_schedule: scheduleJobs,
  dispute: disputeJobs,
  discount: discountJobs,
  coupon: couponJobs,
  promotion_code: promotionCodeJobs,
  checkout_session: checkoutJobs,
}

/** Derives the job of a delivery from its state. See docs/contract/events-and-webhooks.md#delivery-retries. */
export const deliveryJobs = ({ id, next_attempt }: WebhookDelivery): Job[] =>
  next_attempt === null ? [] : [{ due: next_attempt, kind: 'webhook_retry', subscription: null, object: id }]
