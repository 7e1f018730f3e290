import type { Change } from '../change.ts'
import { type Subscription, withInvoice } from '../subscription.ts'
import { factsOf, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { move } from '../transitions.ts'
import type { Account } from './account.ts'
import type { Collected } from './collect.ts'

/** Updates a subscription after the first attempt to pay an invoice of a period that has begun. */
export function recordFirstAttempt(
  change: Change,
  { rules }: Account,
  subscription: Subscription,
  collected: Collected,
): void {
  const named = (latest: Subscription) => withInvoice(latest, collected, rules)
  if (collected.result === 'failed' && factsOf(subscription).isPaidUp) {
    const fail = (latest: Subscription) => move(SUBSCRIPTION_TRANSITIONS, latest.status, 'fail')
    change.update(
      'subscription',
      subscription,
      (latest) => ({ ...named(latest), status: fail(latest) }),
      'subscription.updated',
    )
  } else {
    const isShown = named(subscription).latest_invoice !== subscription.latest_invoice
    change.update('subscription', subscription, named, isShown ? 'subscription.updated' : null)
  }
}
