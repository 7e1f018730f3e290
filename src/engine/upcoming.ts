import { isIdOf } from '../core/change.ts'
import { resourceMissing } from '../core/errors.ts'
import { JOB_KINDS, type Job, type JobKind } from '../core/jobs.ts'
import type { Clock } from './clock.ts'
import type { Engine } from './engine.ts'
import type { MerchantState } from './merchant-state.ts'

/** Something that will happen unless what it follows from changes; `due` in Unix seconds on its clock. */
export type Upcoming = {
  /** Says which it is, for as long as it is to come. */
  readonly id: string
  readonly due: number
  readonly kind: JobKind
  readonly subscription: string | null
  readonly invoice: string | null
  readonly merchant_id: string
}

/** Where a page of what is to come lies. */
export type UpcomingPage = {
  readonly limit: number
  readonly cursor?: { readonly isBackward: boolean; readonly id: string; readonly param: string } | undefined
}

/**
 * What happens next on a clock of a merchant, in order; for a backward cursor the nearest to it first.
 * @throws ApiError resource_missing for an unknown cursor
 * See docs/contract/clocks.md#jobs.
 */
export function upcomingJobs(
  engine: Engine,
  { settings }: MerchantState,
  clock: Clock,
  { limit, cursor }: UpcomingPage,
): Upcoming[] {
  const { jobs } = engine.store
  const place = cursor && jobs.find(clock.seq, jobOf(engine, settings.ordinal, cursor.id))
  if (cursor && !place) throw resourceMissing('upcoming happening', cursor.id, cursor.param)
  const from = cursor && place && (cursor.isBackward ? { before: place } : { after: place })
  return jobs.next(clock.seq, limit, from).map(({ due, kind, subscription, object }) => ({
    id: `${kind}-${object}-${due}`,
    due,
    kind,
    subscription,
    invoice: isIdOf('invoice', object) ? object : null,
    merchant_id: settings.id,
  }))
}

/** `renewal-sub_…-1772272800` → its job; what has no such form names no job. */
function jobOf({ store }: Engine, merchant: number, id: string): Job {
  const [name = '', object = '', due = ''] = id.split('-')
  const kind = JOB_KINDS.find((known) => known === name)
  const subscription = isIdOf('invoice', object)
    ? (store.objects.get('invoice', merchant, object)?.subscription ?? null)
    : isIdOf('subscription', object)
      ? object
      : null
  return { due: Number(due), kind: kind ?? 'renewal', object: kind ? object : '', subscription }
}
