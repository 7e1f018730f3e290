import type { AmountsOff } from './amounts-off.ts'
import type { Period } from './calendar.ts'
import type { SubscriptionItem } from './subscription-item.ts'

/** The longest time for which a pending update waits for its payment, in seconds. */
const LONGEST_WAIT_SECONDS = 23 * 3600

/** A change of a plan that waits until its invoice is paid. See docs/contract/proration.md#pending-updates. */
export type PendingUpdate = {
  /** Unix seconds. */
  readonly expires_at: number
  readonly items: readonly SubscriptionItem[]
  /** Absent in updates of earlier versions. */
  readonly amounts_off?: AmountsOff
  /** The new period that the change begins; null if the period stays. */
  readonly period: Period | null
  /** The invoice that must be paid. */
  readonly invoice: string
  /** The invoice items that the change created. Other items of the invoice had waited before. */
  readonly prorations: readonly string[]
}

/** Returns when an update that is made now expires: after 23 hours, or at the end of the period if that is earlier. */
export const pendingUpdateExpiry = (now: number, periodEnd: number): number =>
  Math.min(now + LONGEST_WAIT_SECONDS, periodEnd)
