import { type Interval, periodBegin } from './model-calendar.ts'
import type { Operation } from './model-events.ts'
import { scheduleNotices } from './model-notices.ts'
import { type Merchant, named, type Price, type Subscription } from './model-state.ts'

/** Begins the first period of an anchor. */
export function enterFirstPeriod({ merchant, at }: Operation, subscription: Subscription): void {
  subscription.lastCycle += 1
  subscription.cycle = subscription.lastCycle
  subscription.period = 0
  subscription.start = subscription.anchor
  subscription.end = periodBegin(subscription.anchor, intervalOf(merchant, subscription), 1)
  scheduleNotices(merchant, subscription, at)
}

/** Begins a first period that ends at the anchor. See docs/contract/proration.md#a-first-period-up-to-an-anchor. */
export function enterShortenedPeriod({ merchant, at }: Operation, subscription: Subscription): void {
  subscription.lastCycle += 1
  subscription.cycle = subscription.lastCycle
  subscription.period = -1
  subscription.start = at
  subscription.end = subscription.anchor
  scheduleNotices(merchant, subscription, at)
}

/** Begins the period after the current one. The interval may have changed in the meantime. */
export function enterNextPeriod({ merchant, at }: Operation, subscription: Subscription): void {
  const { anchor, end } = subscription
  const interval = intervalOf(merchant, subscription)
  let n = subscription.period
  if (periodBegin(anchor, interval, n) > end) n = 0
  while (periodBegin(anchor, interval, n + 1) <= end) n += 1
  subscription.lastCycle += 1
  subscription.cycle = subscription.lastCycle
  subscription.period = n
  subscription.start = end
  subscription.end = periodBegin(anchor, interval, n + 1)
  scheduleNotices(merchant, subscription, at)
}

const intervalOf = ({ prices }: Merchant, { items }: Subscription): Interval =>
  named<Price>(prices, items[0]?.price ?? 'a price')
