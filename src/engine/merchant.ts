import type { Merchant } from '../store/directory.ts'
import type { Clock } from './clock.ts'

/** A merchant in memory: its settings, its clocks, and what waits while an advance is under way. */
export type MerchantState = {
  settings: Merchant
  readonly clock: Clock
  readonly testClocks: Map<string, Clock>
  /** Whether an advance holds back this merchant's writes. */
  isAdvancing: boolean
  /** Puts the commands that arrived meanwhile back into the queue. */
  readonly waiting: (() => void)[]
}
