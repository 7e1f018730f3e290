import { type Discounts, NO_DISCOUNTS } from './discount.ts'
import {
  type Consequence,
  type FutureJob,
  inOrder,
  precedesCancellation,
  type Uncollected,
  withoutDetails,
} from './future-job.ts'
import type { InvoiceItem } from './invoice-item.ts'
import { beginsPeriod, expectsCharge, type Job, scheduleJobs, subscriptionJobs } from './jobs.ts'
import {
  asNextBilled,
  type Billed,
  comingPhases,
  inPhaseProjected,
  type Projected,
  type ProjectionSource,
  withPhasesUpTo,
} from './phase-projection.ts'
import { linesWithoutUsage, type ProjectedBilling, projectedBill } from './projected-bill.ts'
import { intervalOf, type Subscription } from './subscription.ts'
import { nextPeriod } from './subscription-period.ts'
import { currentIndex, endOf, firstPhase, type SubscriptionSchedule } from './subscription-schedule.ts'
import { factsOf } from './subscription-status.ts'

/** paytwin: the number of renewals projected after the next one. */
const PROJECTED_RENEWALS = 3

/**
 * Lists a subscription's future jobs in order: the queued ones, and the renewals projected after them. Jobs after a scheduled
 * cancellation are left out.
 * @param given - what its next invoices bill
 * See docs/contract/command-line.md#timelines; paytwin: three renewals are projected.
 */
export function futureJobsOfSubscription(subscription: Subscription, given: Waiting): FutureJob[] {
  const { currency, current_period_end: due } = subscription
  const { isPayable, pending = [], usage = null, schedule = null } = given
  const begun = beginProjection(subscription, due, given)
  const jobs = subscriptionJobs(subscription).flatMap((job): FutureJob[] => {
    if (job.kind === 'cancellation' && (pending.length > 0 || usage !== null)) {
      const { amount, usageAmount } = billOf(begun, { pending, usage, items: [], at: job.due }, given)
      return amount === 0
        ? [withoutDetails(job)]
        : [{ ...withoutDetails(job), amount, usage_amount: usageAmount, currency }]
    }
    if (job.kind === 'invoice_upcoming' && !isAnnounced(subscription, given)) return []
    if (!beginsPeriod(job)) return [withoutDetails(job)]
    const consequence = job.kind === 'trial_end' && !isPayable ? trialConsequence(subscription) : null
    return consequence === null
      ? renewals({ ...begun, due: job.due }, job, given)
      : [{ ...withoutDetails(job), consequence }]
  })
  const planned = schedule ? futureJobsOfSchedule(schedule, begun, given) : []
  return inOrder([...jobs, ...planned].filter((job) => precedesCancellation(job, subscription)))
}

/** The pending items, usage and discounts that the next invoices of a subscription bill. */
export type Waiting = ProjectionSource & {
  /** Whether there is a payment method to charge. */
  readonly isPayable: boolean
  /** The items that wait for the next invoice. */
  readonly pending?: readonly InvoiceItem[]
  /** The usage of the current period so far, as lines; null if it will not be billed. */
  readonly usage?: ProjectedBilling['usage']
  /** The schedule that manages it; null for none. */
  readonly schedule?: SubscriptionSchedule | null
  /** The discounts of the subscription, its items, the items that wait, and the customer. */
  readonly discounts?: Discounts
  readonly customerDiscount?: string | null
}

function beginProjection<Projection extends Billed>(
  subscription: Projection,
  due: number,
  { schedule = null, discounts = NO_DISCOUNTS }: Pick<Waiting, 'schedule' | 'discounts'>,
): Projected<Projection> {
  const phases = schedule ? comingPhases(schedule) : []
  const phase = schedule?.phases[currentIndex(schedule)] ?? null
  return { subscription, due, phases, phase, discounts }
}

const billOf = <Projection extends Billed>(
  projected: Projected<Projection>,
  billing: ProjectedBilling,
  { prices, customerDiscount = null }: Pick<Waiting, 'prices' | 'customerDiscount'>,
) => projectedBill(projected, billing, { prices, customerDiscount })

/** Reports whether the next invoice of a subscription is announced. See docs/contract/notices.md#upcoming-invoices. */
function isAnnounced(subscription: Subscription, { schedule = null, prices, isPayable }: Waiting): boolean {
  const billed = asNextBilled(subscription, { schedule, prices })
  return billed !== null && expectsCharge(billed, isPayable)
}

/**
 * Returns the effect of a trial's end without a payment method; null if it bills. See
 * docs/contract/subscriptions.md#trials.
 */
function trialConsequence({ collection_method, missing_payment_method }: Subscription): Consequence | null {
  if (collection_method === 'send_invoice' || missing_payment_method === 'create_invoice') return null
  return missing_payment_method
}

/** Lists the next renewal, which also bills pending items, and the projected renewals after it. */
function renewals(begun: Projected, job: Job, given: Waiting): FutureJob[] {
  const { prices, pending = [], usage = null } = given
  const found: FutureJob[] = []
  for (let next = begun; found.length <= PROJECTED_RENEWALS; ) {
    const isFirst = found.length === 0
    next = withPhasesUpTo(next, given)
    const { due, subscription: renewed } = next
    const { items, currency } = renewed
    const bill = billOf(
      next,
      {
        pending: isFirst ? pending : [],
        usage: isFirst ? usage : linesWithoutUsage(items, prices),
        ...{ items, at: due },
      },
      given,
    )
    const period = nextPeriod({ ...renewed, current_period_end: due }, prices)
    // The next period would end beyond the range of Date.
    if (!Number.isFinite(period.end)) break
    found.push({
      ...withoutDetails(job),
      ...{ due, kind: isFirst ? job.kind : 'renewal', projected: !isFirst },
      ...{ amount: bill.amount, usage_amount: bill.usageAmount, currency, period },
      uncollected: uncollectedAt(begun.subscription, due),
    })
    next = { ...bill.after, due: period.end }
  }
  return found
}

/**
 * Lists the future jobs of a schedule that has not started, in order.
 * @param given.prices - those of all phases
 */
export function futureJobsOfWaitingSchedule(
  schedule: SubscriptionSchedule,
  given: Omit<Waiting, 'isPayable' | 'schedule'>,
): FutureJob[] {
  const { start_date, currency } = firstPhase(schedule)
  const blank = { items: [], discounts: [], currency }
  return futureJobsOfSchedule(schedule, beginProjection(blank, start_date, { ...given, schedule }), given)
}

/**
 * Lists a schedule's future jobs in order: its phases with the amount of one period each, its end, and the report before it.
 * @param begun - its subscription now
 */
function futureJobsOfSchedule(
  schedule: SubscriptionSchedule,
  begun: Projected<Billed>,
  given: Omit<Waiting, 'isPayable'>,
): FutureJob[] {
  const [next, expiring] = scheduleJobs(schedule).map(withoutDetails)
  if (!next) return []
  let projected = begun
  const phases = begun.phases.map((phase, index): FutureJob => {
    projected = inPhaseProjected(projected, phase, given)
    const { items } = projected.subscription
    const billing = { pending: [], usage: null, items, at: phase.start_date }
    return {
      ...next,
      due: phase.start_date,
      projected: index > 0,
      amount: billOf(projected, billing, given).amount,
      currency: phase.currency,
      phase: { number: phase.number, ...intervalOf(items, given.prices) },
    }
  })
  const end = { ...next, due: endOf(schedule), projected: phases.length > 0 }
  return inOrder([...phases, end, ...(expiring ? [expiring] : [])])
}

const PAUSED: Readonly<Record<NonNullable<Subscription['pause_collection']>['behavior'], Uncollected>> = {
  keep_as_draft: 'draft',
  mark_uncollectible: 'uncollectible',
  void: 'void',
}

/**
 * Returns the status of an uncollected invoice at an instant. See docs/contract/subscriptions.md#pausing-collection.
 */
function uncollectedAt(subscription: Subscription, due: number): Uncollected | null {
  const { pause_collection } = subscription
  if (!factsOf(subscription).collectsRenewals) return 'draft'
  if (!pause_collection || (pause_collection.resumes_at ?? Number.POSITIVE_INFINITY) <= due) return null
  return PAUSED[pause_collection.behavior]
}
