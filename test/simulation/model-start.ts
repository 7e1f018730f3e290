import { bill } from './model-billing.ts'
import type { Operation } from './model-events.ts'
import { isNear, scheduleNotices } from './model-notices.ts'
import type { Outcome } from './model-payment.ts'
import { enterFirstPeriod, enterShortenedPeriod } from './model-periods.ts'
import { billShortened } from './model-plan.ts'
import { type Merchant, newKey, type Subscription } from './model-state.ts'

type Given = Pick<
  Subscription,
  'customer' | 'collection' | 'daysUntilDue' | 'method' | 'items' | 'anchor' | 'missing' | 'trialEnd'
> & { readonly at: number }

/** A subscription before its first period. */
export const newSubscription = (merchant: Merchant, { at, ...given }: Given): Subscription => ({
  key: newKey(merchant, 'sub'),
  ...given,
  created: at,
  status: 'active',
  discounts: [],
  itemDiscounts: {},
  amountsOff: [],
  period: 0,
  cycle: 0,
  lastCycle: 0,
  pending: null,
  start: at,
  end: given.trialEnd ?? at,
  trialStart: given.trialEnd === null ? null : at,
  cancelAt: null,
  cancelAtPeriodEnd: false,
  canceledAt: null,
  endedAt: null,
  reason: null,
  pause: null,
  latest: null,
  newest: null,
  upcomingAt: null,
  trialNoticeAt: null,
  description: null,
  schedule: null,
})

/**
 * Begins the trial or the first period of a subscription, and bills it. A failure makes it incomplete.
 * @param part - the first period if an anchor shortens it, and whether it is free
 */
export function begin(
  operation: Operation,
  subscription: Subscription,
  {
    part,
    isPartFree = false,
  }: { part?: { start: number; end: number } | undefined; isPartFree?: boolean } = {},
): Outcome | 'not tried' {
  const { merchant, at } = operation
  if (subscription.trialEnd !== null) {
    subscription.status = 'trialing'
    scheduleNotices(merchant, subscription, at)
    if (isNear(merchant, subscription.trialEnd, at)) operation.tellLast('trial_will_end')
    return 'not tried'
  }
  if (part) enterShortenedPeriod(operation, subscription)
  else enterFirstPeriod(operation, subscription)
  if (part && !isPartFree) billShortened(merchant, subscription)
  const outcome = bill(operation, subscription, { reason: 'subscription_create', ...(part && { part }) })
  if (outcome !== 'approved' && outcome !== 'not tried') subscription.status = 'incomplete'
  return outcome
}
