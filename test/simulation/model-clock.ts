import { billFinally, cancel, dropPending, expire, voidInvoice } from './model-billing.ts'
import { copyOf } from './model-copy.ts'
import { endDiscount } from './model-discount.ts'
import { type ExpectedEvent, Operation } from './model-events.ts'
import {
  discountJob,
  disputeJob,
  dueNotices,
  KINDS,
  refundJob,
  startJob,
  validityJobs,
} from './model-jobs.ts'
import type { Charge } from './model-money.ts'
import { isAnnounced } from './model-notices.ts'
import { endPhase } from './model-phases.ts'
import { endTrial, renew, retry } from './model-renewals.ts'
import { managing } from './model-schedule.ts'
import {
  type Customer,
  type Fault,
  type Invoice,
  type Merchant,
  named,
  type Subscription,
} from './model-state.ts'

/** A job of a clock. Of the jobs in one second the one with the smallest place runs first. */
export type Job = {
  readonly kind: (typeof KINDS)[number] | 'refund' | 'dispute' | 'end of discount' | 'start'
  readonly subscription: string | null
  readonly due: number
  /**
   * The order: no subscription first; then by the subscription's place, the kind, and for retries the oldest invoice.
   */
  readonly place: readonly [number, number, number]
  readonly run: (at: number) => ExpectedEvent[]
}

/**
 * Moves a clock to an instant and runs the due jobs, each at its instant.
 * See docs/contract/clocks.md#advancing.
 * @param clock - a test clock's key; null for the main clock
 * @param stopOn - types of events, or families as `invoice.*`, that end it early
 */
export function advance(
  merchant: Merchant,
  faults: Fault[],
  clock: string | null,
  target: number,
  stopOn: readonly string[] = [],
): ExpectedEvent[] {
  const shown = clock === null ? merchant : named(merchant.clocks, clock)
  const emitted: ExpectedEvent[] = []
  for (
    let job = nextJob(merchant, faults, clock);
    job && job.due <= target;
    job = nextJob(merchant, faults, clock)
  ) {
    shown.now = Math.max(shown.now, job.due)
    const happened = job.run(shown.now)
    emitted.push(...happened)
    // See docs/contract/clocks.md#stop-on.
    if (happened.some(({ type }) => stopOn.some((name) => matches(name, type)))) return emitted
  }
  shown.now = target
  return emitted
}

const matches = (name: string, type: string): boolean =>
  name.endsWith('*') ? type.startsWith(name.slice(0, -1)) : type === name

/** Returns the instant of a clock's next job. */
export const nextDue = (merchant: Merchant, clock: string | null): number | undefined =>
  nextJob(merchant, [], clock)?.due

function nextJob(merchant: Merchant, faults: Fault[], clock: string | null): Job | undefined {
  return jobsOn(merchant, faults, clock).reduce<Job | undefined>(
    (first, job) => (first === undefined || inOrder(job, first) < 0 ? job : first),
    undefined,
  )
}

/** Lists the jobs of a clock, the next one first. */
export const upcoming = (merchant: Merchant, clock: string | null): Omit<Job, 'run' | 'place'>[] =>
  jobsOn(merchant, [], clock).sort(inOrder)

function jobsOn(merchant: Merchant, faults: Fault[], clock: string | null): Job[] {
  const follows = (customer: string | null) =>
    (customer === null ? null : named<Customer>(merchant.customers, customer).clock) === clock
  const invoices = new Map<string | null, Invoice[]>()
  for (const invoice of merchant.invoices) {
    const known = invoices.get(invoice.subscription)
    if (known) known.push(invoice)
    else invoices.set(invoice.subscription, [invoice])
  }
  return [
    ...merchant.refunds
      .filter(({ charge }) => follows(named<Charge>(merchant.charges, charge).customer))
      .flatMap((refund) => refundJob(merchant, faults, refund)),
    ...merchant.disputes
      .filter(({ charge }) => follows(named<Charge>(merchant.charges, charge).customer))
      .flatMap((dispute) => disputeJob(merchant, faults, dispute)),
    ...(clock === null ? validityJobs(merchant) : []),
    ...merchant.discounts
      .filter(({ customer, holder }) => holder.subscription === undefined && follows(customer))
      .flatMap((discount) => discountJob(merchant, faults, discount)),
    ...merchant.schedules
      .filter(({ customer }) => follows(customer))
      .flatMap((schedule) => startJob(merchant, faults, schedule)),
    ...merchant.subscriptions
      .map((subscription, index) => ({ subscription, index }))
      .filter(({ subscription }) => follows(subscription.customer))
      .flatMap(({ subscription, index }) =>
        jobsOf({ merchant, faults, invoices: invoices.get(subscription.key) ?? [] }, subscription, index + 1),
      ),
    ...merchant.invoices
      .filter(({ customer }) => follows(customer))
      .flatMap((invoice, index) => dueNotices(merchant, faults, invoice, index)),
  ]
}

const inOrder = (left: Job, right: Job): number =>
  left.due - right.due ||
  left.place[0] - right.place[0] ||
  left.place[1] - right.place[1] ||
  left.place[2] - right.place[2]

function jobsOf(
  { merchant, faults, invoices }: { merchant: Merchant; faults: Fault[]; invoices: Invoice[] },
  subscription: Subscription,
  place: number,
): Job[] {
  const { status, cancelAt, cancelAtPeriodEnd, end, pause } = subscription
  if (status === 'canceled' || status === 'incomplete_expired') return []
  const jobs: Job[] = []
  const add = (
    kind: (typeof KINDS)[number],
    due: number,
    run: (operation: Operation) => { isDeleted: boolean } | undefined,
    which = 0,
  ) => {
    const begin = (due: number) => {
      const carryOut = (action: typeof run) => {
        const operation = new Operation(merchant, faults, { at: due, subscription })
        return operation.end(action(operation))
      }
      // A renewal of the same second drops the update before it bills.
      const expired = kind === 'renewal' && subscription.pending ? carryOut(expireUpdate) : []
      return [...expired, ...carryOut(run)]
    }
    const at: Job['place'] = [place, KINDS.indexOf(kind), which]
    jobs.push({ kind, subscription: subscription.key, due, place: at, run: begin })
  }
  const expireUpdate = (operation: Operation) => {
    dropPending(operation, subscription)
    operation.tellLast('pending_update_expired')
    return undefined
  }
  const can = (...statuses: Subscription['status'][]) => statuses.includes(status)
  invoices.forEach((invoice, which) => {
    const { next, dueDate, isOverdue } = invoice
    if (invoice.status !== 'open') return
    if (next !== null) add('retry', next, (operation) => retry(operation, subscription, invoice), which)
    if (dueDate === null || isOverdue || invoice.collection !== 'send_invoice') return
    const passDate = () => {
      invoice.isOverdue = true
      return can('active') ? pass(subscription, { status: 'past_due' }) : undefined
    }
    add('due date', dueDate, passDate, which)
  })
  if (can('active', 'past_due', 'trialing', 'unpaid')) {
    const ends = [...(cancelAt === null ? [] : [cancelAt]), ...(cancelAtPeriodEnd ? [end] : [])]
    if (ends.length > 0) {
      add('cancellation', Math.min(...ends), (operation) => {
        dropPending(operation, subscription)
        billFinally(operation, subscription, operation.at)
        cancel(operation, subscription, { reason: 'cancellation_requested' })
        return { isDeleted: true }
      })
    }
  }
  if (can('incomplete')) {
    add('expiry', end, (operation) => {
      expire(operation, subscription)
      for (const invoice of invoices) if (invoice.status === 'open') voidInvoice(operation, invoice)
      return undefined
    })
  }
  if (pause?.resumes_at) add('end of pause', pause.resumes_at, () => pass(subscription, { pause: null }))
  if (subscription.pending) add('expiry of update', subscription.pending.expiresAt, expireUpdate)
  const schedule = managing(merchant, subscription)
  if (schedule) {
    const { expiringAt, phases, current } = schedule
    if (expiringAt !== null)
      add('expiring', expiringAt, (operation) => {
        schedule.expiringAt = null
        operation.tellOfSchedule('expiring')
        return undefined
      })
    add('phase', phases[current]?.end ?? Number.NaN, (operation) =>
      endPhase(operation, subscription, schedule),
    )
  }
  if (can('trialing')) add('trial end', end, (operation) => endTrial(operation, subscription))
  if (can('active', 'past_due', 'unpaid')) add('renewal', end, (operation) => renew(operation, subscription))
  if (subscription.upcomingAt !== null)
    add('upcoming notice', subscription.upcomingAt, (operation) => {
      subscription.upcomingAt = null
      const isDue = schedule ? isNextCharged(merchant, subscription) : isAnnounced(operation, subscription)
      if (isDue) operation.tellUpcoming(subscription)
      return undefined
    })
  if (subscription.trialNoticeAt !== null)
    add('trial notice', subscription.trialNoticeAt, (operation) => {
      subscription.trialNoticeAt = null
      if (subscription.status === 'trialing') operation.tellLast('trial_will_end')
      return undefined
    })
  merchant.discounts.forEach((discount, which) => {
    if (discount.holder.subscription !== subscription.key || discount.isOver || discount.end === null) return
    add(
      'discount end',
      discount.end,
      (operation) => {
        endDiscount(operation, discount)
        return undefined
      },
      which,
    )
  })
  return jobs
}

function pass(subscription: Subscription, into: Partial<Subscription>): undefined {
  Object.assign(subscription, into)
}

/** The jobs that lead to the next invoice of a subscription. */
const BILLING: readonly Job['kind'][] = ['cancellation', 'end of pause', 'phase', 'trial end', 'renewal']

/**
 * Makes the next invoice of a subscription, as if nothing else happened until then. Phases can change or make it.
 * @returns the events of the job that makes it; none if it is canceled before
 */
export function runNextBilling(merchant: Merchant, key: string): ExpectedEvent[] {
  const subscription = named<Subscription>(merchant.subscriptions, key)
  for (;;) {
    const [job] = jobsOf({ merchant, faults: [], invoices: [] }, subscription, 0)
      .filter(({ kind }) => BILLING.includes(kind))
      .sort(inOrder)
    if (!job || job.kind === 'cancellation') return []
    const emitted = job.run(job.due)
    if (emitted.some(({ type }) => type === 'invoice.created')) return emitted
  }
}

/**
 * Whether the next invoice of a managed subscription is charged. Its phases can change or make it.
 * See docs/contract/notices.md#upcoming-invoices.
 */
function isNextCharged(merchant: Merchant, { key, end, status }: Subscription): boolean {
  if (status === 'unpaid') return false
  const copy = copyOf(merchant)
  const created = runNextBilling(copy, key).find(({ type }) => type === 'invoice.created')
  return (
    created !== undefined &&
    created.created <= end &&
    created.shows.collection_method === 'charge_automatically' &&
    named<Subscription>(copy.subscriptions, key).pause === null
  )
}
