import { parameterInvalid } from '../../core/errors.ts'
import {
  canceledAt,
  canceledAtPeriodEnd,
  type Subscription,
  withoutCancellation,
} from '../../core/subscription.ts'

/** A cancellation that a request plans or withdraws; undefined leaves a field unchanged. */
export type PlannedCancellation = {
  cancel_at?: number | null | undefined
  cancel_at_period_end?: boolean | undefined
}

/** @throws ApiError parameter_invalid, param cancel_at, when it is not in the future */
export function checkCancelAt({ cancel_at }: PlannedCancellation, now: number): void {
  if (typeof cancel_at === 'number' && cancel_at <= now)
    throw parameterInvalid('cancel_at', `cancel_at must be after the current time, ${now}`)
}

/** Plans or withdraws a cancellation. See docs/contract/subscriptions.md#canceling. */
export function withCancellation(
  subscription: Subscription,
  { cancel_at, cancel_at_period_end }: PlannedCancellation,
  now: number,
): Subscription {
  const dated = cancel_at === undefined ? subscription : canceledAt(subscription, cancel_at, now)
  if (cancel_at_period_end === undefined || cancel_at_period_end === dated.cancel_at_period_end) return dated
  return cancel_at_period_end ? canceledAtPeriodEnd(dated, now) : withoutCancellation(dated)
}
