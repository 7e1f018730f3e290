import { cancel, voidOpen } from './model-billing.ts'
import { type Behavior, changeItems, isBilled } from './model-change.ts'
import { endOfGoneItems } from './model-discount.ts'
import { Operation } from './model-events.ts'
import { isNear, scheduleNotices } from './model-notices.ts'
import type { Outcome } from './model-payment.ts'
import { billUsage } from './model-plan.ts'
import { endTrialNow } from './model-renewals.ts'
import {
  intervalOf,
  isSameInterval,
  type Phase,
  type PhaseItem,
  planEnd,
  release,
  type Schedule,
  type Settings,
  showSchedule,
} from './model-schedule.ts'
import type { Shown } from './model-shown.ts'
import { begin, newSubscription } from './model-start.ts'
import { type Fault, type Item, type Merchant, newKey, type Subscription } from './model-state.ts'
import { countedFrom } from './model-usage.ts'

/**
 * Begins the first phase of a schedule with a new subscription.
 * @param start - `shown` is the schedule before the request that starts it
 */
export function startSchedule(
  merchant: Merchant,
  faults: Fault[],
  {
    schedule,
    at,
    isNew = false,
    shown = showSchedule(schedule),
  }: { schedule: Schedule; at: number; isNew?: boolean; shown?: Shown },
): { operation: Operation; outcome: Outcome | 'not tried' } {
  const phase = phaseAt(schedule, 0)
  const { description, ...settings } = settingsOf(schedule, phase)
  const subscription = newSubscription(merchant, {
    ...{ customer: schedule.customer, at, missing: 'create_invoice', ...settings },
    items: phase.items.map((item) => newItem(merchant, item)),
    ...{ trialEnd: phase.trialEnd, anchor: phase.trialEnd ?? at },
  })
  merchant.subscriptions.push(subscription)
  const operation = new Operation(merchant, faults, {
    at,
    subscription,
    isNew: true,
    schedule,
    scheduleBefore: shown,
  })
  if (isNew) operation.tellOfSchedule('created')
  Object.assign(schedule, { status: 'active', subscription: subscription.key, current: 0 })
  Object.assign(subscription, { schedule: schedule.key, description })
  planEnd(schedule, subscription, at)
  return { operation, outcome: begin(operation, subscription) }
}

/** Begins the phase after the current one, or ends the schedule. */
export function endPhase(
  operation: Operation,
  subscription: Subscription,
  schedule: Schedule,
): { isDeleted: boolean } | undefined {
  if (schedule.current + 1 < schedule.phases.length) {
    schedule.current += 1
    const outlasts = subscription.status === 'trialing' && subscription.end > operation.at
    enterPhase(operation, subscription, schedule)
    return outlasts && subscription.end === operation.at ? endTrialNow(operation, subscription) : undefined
  }
  if (schedule.endBehavior === 'cancel') {
    // Time does not cancel a paused or an incomplete subscription: its schedule does.
    if (subscription.status === 'incomplete') voidOpen(operation, subscription)
    cancel(operation, subscription, { reason: 'cancellation_requested' })
    return { isDeleted: true }
  }
  release(schedule, subscription, operation.at)
  return undefined
}

/**
 * Changes a subscription to its current phase. See docs/contract/schedules.md#entering-a-phase.
 * @param behavior - how a change of a phase that has begun before is billed
 */
export function enterPhase(
  operation: Operation,
  subscription: Subscription,
  schedule: Schedule,
  behavior?: Behavior,
): Outcome | 'not tried' {
  const { merchant, at } = operation
  const phase = phaseAt(schedule, schedule.current)
  Object.assign(subscription, settingsOf(schedule, phase))
  const old = subscription.items
  const items = itemsAfter(merchant, old, phase.items)
  if (subscription.status === 'trialing') {
    subscription.items = countedFrom(old, items, at)
    moveTrial(operation, subscription, phase)
    endOfGoneItems(operation, subscription)
    return 'not tried'
  }
  const isOfInterval = !isSameInterval(intervalOf(merchant, old), intervalOf(merchant, items))
  const isMoved = isOfInterval || (behavior === undefined && phase.isAnchored)
  const isNewPeriod = isBilled(subscription) && isMoved
  // The renewal of this second bills the new items.
  if (isBilled(subscription) && at === subscription.end) {
    subscription.items = countedFrom(old, items, at)
    billUsage(merchant, subscription, { before: old, after: items, end: at })
    if (isNewPeriod) Object.assign(subscription, { anchor: at, period: -1 })
    endOfGoneItems(operation, subscription)
    return 'not tried'
  }
  // A new interval begins with the next period, as after a first period up to an anchor.
  if (!isBilled(subscription) && isMoved)
    Object.assign(subscription, { anchor: subscription.end, period: -1 })
  const change = { items, from: at, behavior: behavior ?? phase.behavior, isNewPeriod }
  const outcome = changeItems(operation, subscription, change)
  endOfGoneItems(operation, subscription)
  const isFailed = outcome !== 'approved' && outcome !== 'not tried'
  if (isFailed && subscription.status === 'active') subscription.status = 'past_due'
  return outcome
}

/** Moves the end of a trial to that of the phase, or to now. */
function moveTrial(operation: Operation, subscription: Subscription, { trialEnd }: Phase): void {
  const { merchant, at } = operation
  const end = trialEnd ?? at
  if (end === subscription.end) return
  Object.assign(subscription, { trialEnd: end, end, anchor: end })
  scheduleNotices(merchant, subscription, at)
  if (end > at && isNear(merchant, end, at)) operation.tellLast('trial_will_end')
}

/** Items whose price stays keep their keys. The others take the remaining prices in their order. */
function itemsAfter(merchant: Merchant, old: readonly Item[], wanted: readonly PhaseItem[]): Item[] {
  const free = old.filter(({ price }) => !wanted.some((item) => item.price === price))
  return wanted.map((item) => {
    const same = old.find(({ price }) => price === item.price) ?? free.shift()
    return same ? { ...same, ...item } : newItem(merchant, item)
  })
}

const newItem = (merchant: Merchant, item: PhaseItem): Item => ({
  key: newKey(merchant, 'si'),
  ...item,
  since: 0,
})

/** What a subscription has in a phase. */
function settingsOf({ defaults }: Schedule, phase: Phase) {
  const collection = phase.collection ?? defaults.collection ?? 'charge_automatically'
  return {
    collection,
    daysUntilDue: collection === 'send_invoice' ? (phase.daysUntilDue ?? defaults.daysUntilDue ?? 30) : null,
    method: phase.method ?? defaults.method,
    description: phase.description ?? defaults.description,
  }
}

function phaseAt({ phases }: Schedule, place: number): Phase {
  const phase = phases[place]
  if (!phase) throw new Error(`there is no phase ${place}`)
  return phase
}

const FIELDS = ['collection', 'daysUntilDue', 'method', 'description'] as const

/** Makes direct changes of a subscription those of the current phase. See docs/contract/schedules.md#managed-subscriptions. */
export function keepInPhase(
  schedule: Schedule | null,
  before: Subscription,
  { items, ...after }: Subscription,
): void {
  if (schedule?.status !== 'active') return
  const phase = phaseAt(schedule, schedule.current)
  const changed: Partial<Settings> = {}
  for (const field of FIELDS)
    if (after[field] !== before[field]) Object.assign(changed, { [field]: after[field] })
  Object.assign(phase, changed)
  if (JSON.stringify(items) !== JSON.stringify(before.items))
    phase.items = items.map(({ price, quantity, isMetered }) => ({ price, quantity, isMetered }))
}
