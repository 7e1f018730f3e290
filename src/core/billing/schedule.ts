import type { Change } from '../change.ts'
import {
  cancelAtOf,
  isOver,
  SCHEDULE_TRANSITIONS,
  type SubscriptionSchedule,
} from '../subscription-schedule.ts'
import { cannotBe, move } from '../transitions.ts'
import type { EndingAccount } from './account.ts'

/**
 * Ends the schedule of a subscription that has ended. It is completed if its own end canceled the subscription, and aborted
 * otherwise. A schedule that has already ended stays as it is.
 * See docs/contract/schedules.md#when-the-subscription-ends.
 */
export function endSchedule(change: Change, { schedule, now }: EndingAccount): void {
  if (!schedule || isOver(change.latest('subscription_schedule', schedule))) return
  const cancel_at = cancelAtOf(schedule)
  if (cancel_at !== null && cancel_at <= now) complete(change, schedule, now)
  else abort(change, schedule, now)
}

/** Completes a schedule whose last phase has ended. */
export function complete(change: Change, schedule: SubscriptionSchedule, now: number): void {
  change.update(
    'subscription_schedule',
    schedule,
    (active) => ({
      ...active,
      status: move(SCHEDULE_TRANSITIONS, active.status, 'complete'),
      completed_at: now,
      current_phase: null,
      expiring_at: null,
    }),
    'subscription_schedule.completed',
  )
}

/** Ends a schedule without a request: its subscription has ended, or its customer is deleted. */
export function abort(change: Change, schedule: SubscriptionSchedule, now: number): void {
  change.update(
    'subscription_schedule',
    schedule,
    (running) => canceled(running, now),
    'subscription_schedule.aborted',
  )
}

/**
 * Cancels a schedule on request.
 * @throws ApiError invalid_state_transition, param status, when it has already ended
 */
export function cancelSchedule(change: Change, schedule: SubscriptionSchedule, now: number): void {
  change.update(
    'subscription_schedule',
    schedule,
    (running) => canceled(running, now),
    'subscription_schedule.canceled',
  )
}

const canceled = (schedule: SubscriptionSchedule, now: number): SubscriptionSchedule => ({
  ...schedule,
  status: move(SCHEDULE_TRANSITIONS, schedule.status, 'cancel', () =>
    cannotBe('A subscription schedule', schedule, 'canceled'),
  ),
  canceled_at: now,
  current_phase: null,
  expiring_at: null,
})

/**
 * Releases a schedule: the subscription continues without it.
 * @throws ApiError invalid_state_transition, param status, when it has already ended
 * See docs/contract/schedules.md#releasing.
 */
export function release(change: Change, schedule: SubscriptionSchedule, now: number): void {
  change.update(
    'subscription_schedule',
    schedule,
    (running) => ({
      ...running,
      status: move(SCHEDULE_TRANSITIONS, running.status, 'release', () =>
        cannotBe('A subscription schedule', running, 'released'),
      ),
      released_at: now,
      released_subscription: running.subscription,
      subscription: null,
      current_phase: null,
      expiring_at: null,
    }),
    'subscription_schedule.released',
  )
}
