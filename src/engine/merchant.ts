import type { Merchant } from '../store/directory.ts'
import type { Clock } from './clock.ts'
import type { Outbox } from './outbox.ts'
import type { TestClocks } from './test-clocks.ts'

/** A merchant in memory: its settings, its clocks, and what waits while an advance is under way. */
export type MerchantState = {
  settings: Merchant
  /** The main clock, which everything follows that belongs to no customer on a test clock. */
  readonly clock: Clock
  readonly testClocks: TestClocks
  /**
   * The clocks that an advance holds, each with the commands that arrived meanwhile, in their order. The main clock holds
   * back all of the merchant's writes, a test clock those of its own customers.
   */
  readonly held: Map<Clock, Waiting[]>
  /** The held clocks whose advance lets commands in, while it waits for webhooks to be answered. */
  readonly parked: Set<Clock>
  /** Who wants which events. */
  readonly outbox: Outbox
}

/** A command that waits for an advance to end: how to go on with it, and how to send it away. */
export type Waiting = { readonly requeue: () => void; readonly reject: (error: unknown) => void }
