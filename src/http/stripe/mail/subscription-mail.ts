import { cancellationAt } from '../../../core/subscription.ts'
import { dateText } from '../hosted/date-text.ts'
import { latestInvoiceLinks } from './latest-invoice.ts'
import type { Draft, EventOf } from './mail.ts'

/** Composes the mail about the end of a trial. */
export function trialMail({ after: subscription, view }: EventOf<'subscription'>): Draft | null {
  const { id, trial_end, customer: owner } = subscription
  if (trial_end === null) return null
  const next =
    cancellationAt(subscription) === null
      ? 'Then your subscription begins.'
      : 'Your subscription is canceled and does not begin.'
  const customer = view.get('customer', owner)
  return {
    to: customer?.email ?? null,
    name: customer?.name ?? null,
    about: { object: 'subscription', id },
    subject: `Your trial of ${view.merchant.name} ends soon`,
    paragraphs: [`Your trial of ${view.merchant.name} ends on ${dateText(trial_end)}. ${next}`],
    links: latestInvoiceLinks(view, subscription),
  }
}
