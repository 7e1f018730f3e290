import { announceInvoice, announceTrialEnd, reportDueDate } from '../../core/billing/notify.ts'
import { Change } from '../../core/change.ts'
import type { Invoice } from '../../core/invoice.ts'
import { expectsCharge, type Job } from '../../core/jobs.ts'
import type { NoticeKind } from '../../core/notices.ts'
import type { Subscription } from '../../core/subscription.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { asPreview, type RunJob } from './next-invoice.ts'

/** Returns the next invoice of a subscription; undefined for none. It is a parameter, because jobs make that invoice. */
type NextInvoice = (unit: UnitOfWork, subscription: string) => Invoice | undefined

/** Sends a notice of each kind. See docs/contract/notices.md. */
export const noticesWith = (nextInvoice: NextInvoice): Readonly<Record<NoticeKind, RunJob>> => ({
  invoice_upcoming: (unit, job) => sendUpcoming(unit, job, nextInvoice),
  trial_will_end: (unit, { object }) => {
    const subscription = unit.need('subscription', object)
    const change = new Change()
    announceTrialEnd(change, subscription)
    apply(unit, change, unit.clockOf(subscription.test_clock))
  },
  invoice_will_be_due: (unit, job) => sendOfInvoice(unit, job, 'invoice_will_be_due'),
  invoice_overdue: (unit, job) => sendOfInvoice(unit, job, 'invoice_overdue'),
})

function sendUpcoming(unit: UnitOfWork, { object }: Job, nextInvoice: NextInvoice): void {
  const subscription = unit.need('subscription', object)
  const { schedule, current_period_end } = subscription
  // A phase can change how the next invoice is collected, or make it before the end of the period.
  const canCharge = schedule !== null || expectsCharge(subscription, true)
  // The decision itself shows whether a trial's end without a payment method makes an invoice.
  const invoice = canCharge ? nextInvoice(unit, object) : undefined
  const isAnnounced =
    invoice !== undefined &&
    invoice.created <= current_period_end &&
    expectsCharge(asBilledBy(subscription, invoice), true)
  const change = new Change()
  announceInvoice(change, subscription, isAnnounced ? asPreview(unit, invoice, false) : null)
  apply(unit, change, unit.clockOf(subscription.test_clock))
}

/** Returns a subscription whose period ends with an invoice. */
const asBilledBy = (subscription: Subscription, { collection_method, created }: Invoice): Subscription => ({
  ...subscription,
  collection_method,
  current_period_end: created,
})

function sendOfInvoice(
  unit: UnitOfWork,
  { object }: Job,
  kind: 'invoice_will_be_due' | 'invoice_overdue',
): void {
  const invoice = unit.need('invoice', object)
  const change = new Change()
  reportDueDate(change, invoice, kind)
  apply(unit, change, unit.clockOf(invoice.test_clock))
}
