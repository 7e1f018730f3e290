import { DAY } from './model-calendar.ts'
import type { Operation } from './model-events.ts'
import { methodFor } from './model-payment.ts'
import { type Invoice, type Merchant, planAnew, type Subscription } from './model-state.ts'

/** The days of each notice; null for none. See docs/contract/notices.md#settings. */
export type NoticeDays = {
  readonly invoice_upcoming: number | null
  readonly trial_will_end: number | null
  readonly invoice_will_be_due: number | null
  readonly invoice_overdue: number | null
}

const ahead = (instant: number, at: number): number | null => (instant > at ? instant : null)

/** Schedules the notices of the period that a subscription has entered. */
export function scheduleNotices({ notices }: Merchant, subscription: Subscription, at: number): void {
  const { end, status, trialEnd } = subscription
  const { invoice_upcoming: days, trial_will_end: trialDays } = notices
  const isTrial = status === 'trialing' && trialEnd === end
  subscription.upcomingAt = days === null ? null : ahead(end - days * DAY, at)
  subscription.trialNoticeAt = isTrial && trialDays !== null ? ahead(end - trialDays * DAY, at) : null
}

/** Whether the notice of a trial's end comes at once. See docs/contract/notices.md#end-of-a-trial. */
export const isNear = ({ notices }: Merchant, trialEnd: number, at: number): boolean =>
  notices.trial_will_end !== null && trialEnd - notices.trial_will_end * DAY <= at

/** Schedules the notices of a sent invoice. See docs/contract/notices.md#due-dates. */
export function scheduleDueNotices(merchant: Merchant, invoice: Invoice, at: number): void {
  const { dueDate } = invoice
  const { invoice_will_be_due: before, invoice_overdue: after } = merchant.notices
  if (dueDate === null) return
  planAnew(merchant, invoice)
  invoice.willBeDueAt = before === null ? null : ahead(dueDate - before * DAY, at)
  invoice.overdueAt = after === null ? null : ahead(dueDate + after * DAY, at)
}

/** Whether an upcoming invoice is announced. See docs/contract/notices.md#upcoming-invoices. */
export function isAnnounced(operation: Operation, subscription: Subscription): boolean {
  const { status, collection, pause, cancelAt, cancelAtPeriodEnd, end, missing, customer } = subscription
  if (status !== 'active' && status !== 'past_due' && status !== 'trialing') return false
  if (collection === 'send_invoice' || cancelAtPeriodEnd) return false
  if (cancelAt !== null && cancelAt <= end) return false
  if (pause && (pause.resumes_at === null || pause.resumes_at > end)) return false
  const isWithoutMethod = methodFor(operation, customer, subscription) === null
  return !(status === 'trialing' && isWithoutMethod && missing !== 'create_invoice')
}
