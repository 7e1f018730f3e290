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
import { expireCoupon } from '../resources/coupon.ts'
import { expireDiscount } from '../resources/discount.ts'
import { closeDispute } from '../resources/dispute.ts'
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

const onSubscription =
  <Read>(load: (unit: UnitOfWork, subscription: Subscription) => Read, rule: SubscriptionRule<Read>) =>
  (unit: UnitOfWork, job: Job) => {
    const subscription = unit.need('subscription', job.object)
    const change = new Change()
    rule(change, load(unit, subscription), subscription)
    apply(unit, change, unit.clockOf(subscription.test_clock))
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
  cancellation: onSubscription(loadEndingAccount, (change, account, subscription) =>
    cancelAsPlanned(change, account, subscription, 'cancellation_requested'),
  ),
  incomplete_expiry: onSubscription(loadEndingAccount, expire),
  pause_end: onSubscription(loadAccount, (change, _, subscription) => endPause(change, subscription)),
  trial_end: onSubscription(loadEndingAccount, (change, account, subscription) =>
    endTrial(change, account, subscription),
  ),
  renewal: onSubscription(loadAccount, renew),
  refund_settlement: (unit, job) => failRefund(unit, job.object),
  pending_update_expiry: onSubscription(loadAccount, expirePendingUpdate),
  dispute_due: (unit, job) => void closeDispute(unit, job.object),
  webhook_retry: (unit, job) => retryDelivery(unit, job.object),
  schedule_phase: runPhase,
  schedule_expiring: reportExpiring,
  ...noticesWith((unit, job) => runJob(unit, job)),
  invoice_finalization: (unit, job) => finalizePlanned(unit, job.object),
  discount_end: (unit, job) => endAtItsTime(unit, job.object),
}

/** Runs a due job. The clock must stand at the job's instant. */
export const runJob = (unit: UnitOfWork, job: Job): void => JOBS[job.kind](unit, job)
