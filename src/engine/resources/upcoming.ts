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
 * sent are left out.
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
  const found: Job[] = []
  for (let last = place; ; ) {
    const from = last && (cursor?.isBackward ? { before: last } : { after: last })
    const page = jobs.next(clock.seq, limit, from)
    found.push(...page.filter((job) => applies(engine, settings.ordinal, job)))
    const end = page.at(-1)
    if (page.length < limit || found.length >= limit || !end) break
    last = jobs.find(clock.seq, end)
  }
  return found.slice(0, limit).map(({ due, kind, subscription, object }) => ({
    id: `${kind}-${object}-${due}`,
    due,
    kind,
    subscription,
    invoice: isIdOf('invoice', object) ? object : null,
    merchant_id: settings.id,
  }))
}

/**
 * Reports whether a job has an effect in the present state of its object. The announcement of an invoice stays queued while it
 * has none, because that can change before it is due.
 * See docs/contract/notices.md#upcoming-invoices.
 */
function applies({ store: { objects } }: Engine, merchant: number, { kind, object }: Job): boolean {
  const subscription = kind === 'invoice_upcoming' && objects.get('subscription', merchant, object)
  if (!subscription) return true
  const { customer, schedule } = subscription
  const managing = schedule === null ? undefined : objects.get('subscription_schedule', merchant, schedule)
  const coming = managing?.phases.flatMap(({ items }) => items) ?? []
  const prices = new Map(
    [...subscription.items, ...coming].flatMap(({ price: id }) => {
      const price = objects.get('price', merchant, id)
      return price ? [[id, price]] : []
    }),
  )
  const billed = asNextBilled(subscription, { schedule: managing ?? null, prices })
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
