import { SECONDS_PER_DAY } from '../calendar.ts'
import type { Invoice } from '../invoice.ts'
import type { NoticeDays } from '../notices.ts'
import type { Subscription } from '../subscription.ts'
import { isInTrial } from '../subscription-status.ts'

type At = { readonly now: number; readonly notices: NoticeDays }

/**
 * Schedules the notices of a subscription's current period. A notice whose time has passed is left out.
 * @param at.notices - the merchant's settings
 * See docs/contract/notices.md.
 */
export function withNotices(subscription: Subscription, { now, notices }: At): Subscription {
  const { invoice_upcoming: days, trial_will_end } = notices
  if (days === null && trial_will_end === null)
    return subscription.notices === null ? subscription : { ...subscription, notices: null }
  const { current_period_end, trial_end } = subscription
  const trialEnd = isInTrial(subscription) ? trial_end : null
  const before = (end: number | null, count: number | null) =>
    end === null || count === null ? null : ifAhead(end - count * SECONDS_PER_DAY, now)
  return {
    ...subscription,
    notices: {
      invoice_upcoming: before(current_period_end, days),
      trial_will_end: before(trialEnd, trial_will_end),
    },
  }
}

/** Reports whether the notice of a trial's end is due at once, because the end is near. */
export const isTrialEndNear = ({ trial_end }: Subscription, { now, notices }: At): boolean =>
  notices.trial_will_end !== null &&
  trial_end !== null &&
  trial_end - notices.trial_will_end * SECONDS_PER_DAY <= now

/** Reports whether an update or a phase moves the end of a trial so near that it is announced at once. */
export const movesTrialEndNear = (before: Subscription, after: Subscription, at: At): boolean =>
  after.trial_end !== before.trial_end && isTrialEndNear(after, at)

/** Schedules the notices of a sent invoice that is finalized now. */
export function withDueNotices(invoice: Invoice, { now, notices }: At): Invoice {
  const { due_date } = invoice
  const { invoice_will_be_due: before, invoice_overdue: after } = notices
  if (due_date === null || (before === null && after === null)) return invoice
  return {
    ...invoice,
    notices: {
      invoice_will_be_due: before === null ? null : ifAhead(due_date - before * SECONDS_PER_DAY, now),
      invoice_overdue: after === null ? null : ifAhead(due_date + after * SECONDS_PER_DAY, now),
    },
  }
}

const ifAhead = (instant: number, now: number): number | null => (instant > now ? instant : null)
