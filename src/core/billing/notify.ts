import type { Change } from '../change.ts'
import type { Invoice } from '../invoice.ts'
import { isOpen } from '../invoice-status.ts'
import { withoutNotice } from '../notices.ts'
import type { Subscription } from '../subscription.ts'
import { isInTrial } from '../subscription-status.ts'

/**
 * Announces the next invoice of a subscription.
 * @param preview - the invoice; null if none will be made, and then nothing is announced
 */
export function announceInvoice(change: Change, subscription: Subscription, preview: Invoice | null): void {
  const rule = (latest: Subscription) => withoutNotice(latest, 'invoice_upcoming')
  if (preview) change.announce('subscription', subscription, rule, { event: 'invoice.upcoming', preview })
  else change.update('subscription', subscription, rule)
}

/** Announces the end of a trial. See docs/contract/notices.md#end-of-a-trial. */
export function announceTrialEnd(change: Change, subscription: Subscription): void {
  change.update(
    'subscription',
    subscription,
    (latest) => withoutNotice(latest, 'trial_will_end'),
    isInTrial(change.latest('subscription', subscription)) ? 'subscription.trial_will_end' : null,
  )
}

/** Reports that an open invoice will be due, or is overdue. See docs/contract/notices.md#due-dates. */
export function reportDueDate(
  change: Change,
  invoice: Invoice,
  kind: 'invoice_will_be_due' | 'invoice_overdue',
): void {
  const event = kind === 'invoice_overdue' ? 'invoice.overdue' : 'invoice.will_be_due'
  change.update('invoice', invoice, (latest) => withoutNotice(latest, kind), isOpen(invoice) ? event : null)
}
