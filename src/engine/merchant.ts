import type { Merchant } from '../store/directory.ts'
import type { Clock } from './clock.ts'

/** A merchant in memory: its settings, its clocks, and what waits while an advance is under way. */
export type MerchantState = {
  settings: Merchant
  readonly clock: Clock
  readonly testClocks: Map<string, Clock>
  /** Whether an advance holds back this merchant's writes. */
  isAdvancing: boolean
  /** The commands that arrived meanwhile, in their order. */
  readonly waiting: Waiting[]
}

/** A command that waits for an advance to end: how to go on with it, and how to send it away. */
export type Waiting = { readonly requeue: () => void; readonly reject: (error: unknown) => void }
