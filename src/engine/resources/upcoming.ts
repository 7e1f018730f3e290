import { resourceMissing } from '../../core/errors.ts'
import { JOB_KINDS, type Job, type JobKind } from '../../core/jobs.ts'
import { isIdOf, kindOfId } from '../../core/kinds.ts'
import type { Clock } from '../machine/clock.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'

/** A job that will run unless its object changes; `due` in Unix seconds on its clock. */
export type Upcoming = {
  /** Identifies the job until it has run. */
  readonly id: string
  readonly due: number
  readonly kind: JobKind
  readonly subscription: string | null
  readonly invoice: string | null
  readonly merchant_id: string
}

/** A page of upcoming jobs. */
export type UpcomingPage = {
  readonly limit: number
  readonly cursor?: { readonly isBackward: boolean; readonly id: string; readonly param: string } | undefined
}

/**
 * Lists the next jobs of a merchant's clock, in order; with a backward cursor the nearest first.
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
  if (cursor && !place) throw resourceMissing('upcoming job', cursor.id, cursor.param)
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

/** `renewal-sub_…-1772272800` → its job. A text of another form matches no job. */
function jobOf({ store }: Engine, merchant: number, id: string): Job {
  const [name = '', object = '', due = ''] = id.split('-')
  const kind = JOB_KINDS.find((known) => known === name)
  const owner = kindOfId(object)
  const subscription =
    owner === 'invoice' || owner === 'subscription_schedule'
      ? (store.objects.get(owner, merchant, object)?.subscription ?? null)
      : owner === 'subscription'
        ? object
        : null
  return { due: Number(due), kind: kind ?? 'renewal', object: kind ? object : '', subscription }
}
