import { resourceMissing } from '../../core/errors.ts'
import { expectsCharge, JOB_KINDS, type Job, type JobKind } from '../../core/jobs.ts'
import { isIdOf, kindOfId } from '../../core/kinds.ts'
import { asNextBilled } from '../../core/phase-projection.ts'
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
 * Lists the next jobs of a merchant's clock, in order; with a backward cursor the nearest first. Notices that would not be
 * sent are left out: any number of them can come first, so it works in steps, each of which reads one subscription.
 * @throws ApiError resource_missing for an unknown cursor
 * See docs/contract/clocks.md#jobs.
 */
export function* upcomingInSteps(
  engine: Engine,
  { settings }: MerchantState,
  clock: Clock,
  { limit, cursor }: UpcomingPage,
): Generator<void, Upcoming[]> {
  const { jobs } = engine.store
  let place = cursor && jobs.find(clock.seq, jobOf(engine, settings.ordinal, cursor.id))
  if (cursor && !place) throw resourceMissing('upcoming job', cursor.id, cursor.param)
  const found: Job[] = []
  do {
    const page = jobs.next(
      clock.seq,
      limit,
      place && (cursor?.isBackward ? { before: place } : { after: place }),
    )
    const end = page.length < limit ? undefined : page.at(-1)
    // The place is read with its page: the job can have run when a later step begins.
    place = end && jobs.find(clock.seq, end)
    for (const job of page) {
      if (job.kind === 'invoice_upcoming') {
        yield
        if (!isAnnounced(engine, settings.ordinal, job.object)) continue
      }
      found.push(job)
      if (found.length === limit) break
    }
  } while (place && found.length < limit)
  return found.map(({ due, kind, subscription, object }) => ({
    id: `${kind}-${object}-${due}`,
    due,
    kind,
    subscription,
    invoice: isIdOf('invoice', object) ? object : null,
    merchant_id: settings.id,
  }))
}

/**
 * Reports whether the next invoice of a subscription is announced in its present state. The job stays queued while it is not,
 * because that can change before it is due.
 * See docs/contract/notices.md#upcoming-invoices.
 */
function isAnnounced({ store: { objects } }: Engine, merchant: number, id: string): boolean {
  const subscription = objects.get('subscription', merchant, id)
  if (!subscription) return false
  const { customer, schedule: managing } = subscription
  const schedule = (managing !== null && objects.get('subscription_schedule', merchant, managing)) || null
  const coming = schedule?.phases.flatMap(({ items }) => items) ?? []
  const prices = new Map(
    // Only phases need prices: they can change the interval.
    (schedule ? [...subscription.items, ...coming] : []).flatMap(({ price: id }) => {
      const price = objects.withoutMetadata('price', merchant, id)
      return price ? [[id, price]] : []
    }),
  )
  const billed = asNextBilled(subscription, { schedule, prices })
  if (billed === null) return false
  const isOwn = (id: string | null | undefined) =>
    id != null && objects.get('payment_method', merchant, id)?.customer === customer
  const isPayable =
    isOwn(billed.default_payment_method) ||
    isOwn(objects.get('customer', merchant, customer)?.default_payment_method)
  return expectsCharge(billed, isPayable)
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
