import type { JobKind } from '../core/jobs.ts'
import type { Engine } from './engine.ts'
import type { MerchantState } from './merchant.ts'

/** Something that will happen unless what it follows from changes; `due` in Unix seconds on its clock. */
export type Upcoming = {
  readonly due: number
  readonly kind: JobKind
  readonly subscription: string | null
  readonly invoice: string | null
  readonly merchant_id: string
}

/** What happens next on a merchant's main clock, in order. Source: decisions.md 2 (`upcoming`). */
export const upcomingJobs = (engine: Engine, { clock, settings }: MerchantState, limit: number): Upcoming[] =>
  engine.store.jobs.next(clock.seq, limit).map(({ due, kind, subscription, object }) => ({
    due,
    kind,
    subscription,
    invoice: object.startsWith('in_') ? object : null,
    merchant_id: settings.id,
  }))
