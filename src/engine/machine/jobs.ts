import type { EndingAccount } from '../../core/billing/account.ts'
import { expire } from '../../core/billing/cancel.ts'
import { endPause, endTrial, renew } from '../../core/billing/renew.ts'
import { expirePendingUpdate, passDueDate, retry } from '../../core/billing/retry.ts'
import { cancelAsPlanned } from '../../core/billing/settlement.ts'
import { Change } from '../../core/change.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { Job, JobKind } from '../../core/jobs.ts'
import { isIdOf } from '../../core/kinds.ts'
import type { Subscription } from '../../core/subscription.ts'
import { loadAccount, loadEndingAccount, loadInvoiceAccount, subscriptionOf } from '../resources/account.ts'
import { expireCheckoutSession } from '../resources/checkout-expiry.ts'
import { expireCoupon } from '../resources/coupon.ts'
import { expireDiscount } from '../resources/discount.ts'
import { closeDispute } from '../resources/dispute.ts'
import { findNextInvoice } from '../resources/next-invoice.ts'
import { noticesWith } from '../resources/notice.ts'
import { finalizePlanned } from '../resources/planned-invoice.ts'
import { expirePromotionCode } from '../resources/promotion-code.ts'
import { failRefund } from '../resources/refund.ts'
import { reportExpiring, runPhase } from '../resources/schedule-phase.ts'
import { retryDelivery } from '../resources/webhook-delivery.ts'
import { apply } from './apply.ts'
import type { UnitOfWork } from './unit.ts'

type SubscriptionRule<Read> = (change: Change, account: Read, subscription: Subscription) => void
type InvoiceRule = (
  change: Change,
  account: EndingAccount,
  invoice: Invoice,
  subscription: Subscription | null,
) => void

type Decide = (unit: UnitOfWork, subscription: Subscription) => Change

const decideBy =
  <Read>(
    load: (unit: UnitOfWork, subscription: Subscription) => Read,
    rule: SubscriptionRule<Read>,
  ): Decide =>
  (unit, subscription) => {
    const change = new Change()
    rule(change, load(unit, subscription), subscription)
    return change
  }

/** The decisions that begin a period of a subscription. They write nothing, so that the next invoice can be announced by them too. */
const PERIODS = {
  trial_end: decideBy(loadEndingAccount, (change, account, subscription) =>
    endTrial(change, account, subscription),
  ),
  renewal: decideBy(loadAccount, renew),
} satisfies { readonly [Kind in JobKind]?: Decide }

const onSubscription = (decide: Decide) => (unit: UnitOfWork, job: Job) => {
  const subscription = unit.need('subscription', job.object)
  apply(unit, decide(unit, subscription), unit.clockOf(subscription.test_clock))
}

const onInvoice = (rule: InvoiceRule) => (unit: UnitOfWork, job: Job) => {
  const invoice = unit.need('invoice', job.object)
  const subscription = subscriptionOf(unit, invoice)
  const account = loadInvoiceAccount(unit, invoice, subscription)
  const change = new Change()
  rule(change, account, invoice, subscription)
  apply(unit, change, unit.clockOf(invoice.test_clock))
}

/** Ends a discount, or the time in which a coupon or a promotion code can be redeemed. */
function endAtItsTime(unit: UnitOfWork, id: string): void {
  if (isIdOf('discount', id)) expireDiscount(unit, id)
  else if (isIdOf('coupon', id)) expireCoupon(unit, id)
  else expirePromotionCode(unit, id)
}

/** The action of each kind of job. */
const JOBS: Readonly<Record<JobKind, (unit: UnitOfWork, job: Job) => void>> = {
  payment_retry: onInvoice(retry),
  invoice_due: onInvoice(passDueDate),
  cancellation: onSubscription(
    decideBy(loadEndingAccount, (change, account, subscription) =>
      cancelAsPlanned(change, account, subscription, 'cancellation_requested'),
    ),
  ),
  incomplete_expiry: onSubscription(decideBy(loadEndingAccount, expire)),
  pause_end: onSubscription(
    decideBy(loadAccount, (change, _, subscription) => endPause(change, subscription)),
  ),
  trial_end: onSubscription(PERIODS.trial_end),
  renewal: onSubscription(PERIODS.renewal),
  refund_settlement: (unit, job) => failRefund(unit, job.object),
  pending_update_expiry: onSubscription(decideBy(loadAccount, expirePendingUpdate)),
  dispute_due: (unit, job) => void closeDispute(unit, job.object),
  webhook_retry: (unit, job) => retryDelivery(unit, job.object),
  schedule_phase: runPhase,
  schedule_expiring: reportExpiring,
  ...noticesWith((unit, id) => nextInvoice(unit, id)),
  invoice_finalization: (unit, job) => finalizePlanned(unit, job.object),
  discount_end: (unit, job) => endAtItsTime(unit, job.object),
  checkout_expiry: (unit, job) => void expireCheckoutSession(unit, job.object),
}

/** Decides what a job changes if it begins a period of a subscription, and writes nothing; undefined for other jobs. */
const decidePeriod = (unit: UnitOfWork, { kind, object }: Job): Change | undefined =>
  kind === 'trial_end' || kind === 'renewal'
    ? PERIODS[kind](unit, unit.need('subscription', object))
    : undefined

/** Returns the next invoice of a subscription if nothing else changes; undefined for none. */
export const nextInvoice = (unit: UnitOfWork, id: string): Invoice | undefined =>
  findNextInvoice(unit, id, { run: runJob, decidePeriod })

/** Runs a due job. The clock must stand at the job's instant. */
export const runJob = (unit: UnitOfWork, job: Job): void => JOBS[job.kind](unit, job)
