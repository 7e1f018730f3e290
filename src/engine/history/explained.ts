import { discountIdsOf } from '../../core/billing/discounting.ts'
import type { FinalAction, RetrySchedule } from '../../core/dunning.ts'
import { resourceMissing } from '../../core/errors.ts'
import {
  type FutureJob,
  futureJobsOfDispute,
  futureJobsOfRefund,
  inOrder,
  withoutDetails,
} from '../../core/future-job.ts'
import type { Invoice } from '../../core/invoice.ts'
import { isOpen } from '../../core/invoice-status.ts'
import { checkoutJobs, discountJobs, type JobKind, subscriptionJobs } from '../../core/jobs.ts'
import { MAX_PAGE_LENGTH } from '../../core/json-text.ts'
import { type Kind, nounOf, type Objects } from '../../core/kinds.ts'
import { RULES, type Rules } from '../../core/rules.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import { listEventsOfObject } from './events.ts'
import type { TimelineStep } from './past-steps.ts'
import { viewAt } from './past-view.ts'
import { clockOf, type SubjectKind, type Timeline, timelineOf } from './timeline.ts'
import { currentView, readLengthOf, type View } from './view.ts'

/** The kinds of objects that can be explained. */
export const EXPLAINED_KINDS = [
  'subscription',
  'invoice',
  'payment_intent',
  'setup_intent',
  'subscription_schedule',
  'dispute',
  'checkout_session',
] as const satisfies readonly Kind[]
export type ExplainedKind = (typeof EXPLAINED_KINDS)[number]

/** The facts for an explanation, in addition to the object. */
type ExplainedFacts = {
  readonly rules: Rules
  readonly final_action: FinalAction
  readonly retries: RetrySchedule
  /** The events of the object and of its related objects, oldest first. */
  readonly steps: readonly TimelineStep[]
  /** Whether older events were not read. */
  readonly isCut: boolean
  readonly invoices: readonly Invoice[]
  /** In order; projected jobs too. */
  readonly upcoming: readonly FutureJob[]
  readonly get: View['get']
  /** Returns an object as it was at the end of an instant. */
  readonly getAt: <K extends Kind>(kind: K, id: string, at: number) => Objects[K] | undefined
}

/** An object as of a moment, with the facts that explain it. */
export type Explained<K extends ExplainedKind> = {
  readonly subject: Objects[K]
  /** The time of its clock, and the moment that is explained; Unix seconds. */
  readonly now: number
  readonly as_of: number
  readonly facts: ExplainedFacts
}

/** The jobs of payments, which change no subscription. See docs/contract/disputes.md#effects. */
const OF_PAYMENTS: ReadonlySet<JobKind> = new Set<JobKind>(['dispute_due', 'refund_settlement'])

/** The maximum number of changes that are read. */
const MAX_CHANGES = 1_000

type Read = {
  readonly engine: Engine
  readonly merchant: MerchantState
  readonly view: View
  /** Unix seconds; undefined for now. */
  readonly at: number | undefined
}

/** The part of the facts that depends on the kind. */
type Found<K extends ExplainedKind> = Pick<Explained<K>, 'subject' | 'now' | 'as_of'> &
  Pick<ExplainedFacts, 'steps' | 'isCut' | 'invoices' | 'upcoming'> & { readonly view: View }

/**
 * Reads a merchant's object with the facts that explain its status: its events, its jobs and the merchant's settings.
 * @param wanted.at - Unix seconds; for subscriptions and invoices only
 * @throws ApiError resource_missing; parameter_invalid, param at, for the future
 */
export function explainedOf<K extends ExplainedKind>(
  engine: Engine,
  merchant: MerchantState,
  { kind, id, at }: { readonly kind: K; readonly id: string; readonly at: number | undefined },
): Explained<K> {
  const { store, ids, url } = engine
  const { settings } = merchant
  const sources = { store, ids, url, merchant: settings }
  const view = currentView(sources)
  const current = view.get(kind, id)
  if (!current) throw resourceMissing(nounOf(kind), id)
  const read = READ[kind] as (read: Read, object: Objects[K]) => Found<K>
  const { subject, now, as_of, view: shown, ...found } = read({ engine, merchant, view, at }, current)
  const owner =
    'customer' in subject && subject.customer !== null ? view.get('customer', subject.customer) : null
  return {
    subject,
    now,
    as_of,
    facts: {
      rules: RULES[settings.dialect],
      final_action: settings.dunning_final_action,
      retries: settings.retry_schedule,
      ...found,
      get: shown.get,
      getAt: (other, otherId, instant) =>
        owner ? viewAt(sources, instant, owner).get(other, otherId) : undefined,
    },
  }
}

const READ: { readonly [K in ExplainedKind]: (read: Read, object: Objects[K]) => Found<K> } = {
  subscription: (read, { id }) => {
    const timeline = timelineIn(read, 'subscription', id)
    const { subject, view } = timeline
    const upcoming = timeline.upcoming.filter(({ kind }) => !OF_PAYMENTS.has(kind))
    return {
      ...fromTimeline(timeline),
      subject,
      upcoming: inOrder([...upcoming, ...discountEnds(view, subject)]),
    }
  },
  invoice: (read, { id }) => {
    const timeline = timelineIn(read, 'invoice', id)
    return { ...fromInvoice(timeline), subject: timeline.subject }
  },
  payment_intent: (read, intent) => {
    if (intent.invoice !== null)
      return { ...fromInvoice(timelineIn(read, 'invoice', intent.invoice)), subject: intent }
    return {
      ...withoutTimeline(read, intent),
      ...ownSteps(read, 'payment_intent', intent.id),
      upcoming: jobsOfPayment(read, intent),
    }
  },
  setup_intent: (read, intent) => ({
    ...withoutTimeline(read, intent),
    ...ownSteps(read, 'setup_intent', intent.id),
  }),
  subscription_schedule: (read, schedule) => {
    const managed = schedule.subscription ?? schedule.released_subscription
    const timeline =
      managed === null
        ? timelineIn(read, 'customer', schedule.customer)
        : timelineIn(read, 'subscription', managed)
    const found = fromTimeline(timeline)
    return {
      ...found,
      subject: schedule,
      // A schedule with the end_behavior cancel leaves its end to the cancellation of its subscription.
      upcoming: found.upcoming.filter(
        ({ object, kind }) =>
          object === schedule.id || (kind === 'cancellation' && object === schedule.subscription),
      ),
    }
  },
  dispute: (read, dispute) => {
    const { customer = null } = read.view.get('charge', dispute.charge) ?? {}
    return {
      ...withoutTimeline(read, { customer }),
      ...ownSteps(read, 'dispute', dispute.id),
      subject: dispute,
      upcoming: futureJobsOfDispute(dispute),
    }
  },
  checkout_session: (read, session) => {
    const { view, merchant } = read
    const { test_clock } = session
    const { now } = clockOf(merchant, { test_clock })
    return {
      ...{ subject: session, view, now, as_of: now, invoices: [] },
      ...ownSteps(read, 'checkout_session', session.id),
      upcoming: checkoutJobs(session).map(withoutDetails),
    }
  },
}

const timelineIn = <K extends SubjectKind>(
  { engine, merchant, at }: Read,
  kind: K,
  id: string,
): Timeline<K> => timelineOf(engine, merchant, { kind, id, at, limit: MAX_CHANGES })

const fromTimeline = ({
  view,
  now,
  as_of,
  happened,
  has_more,
  related,
  upcoming,
}: Timeline<SubjectKind>) => ({
  ...{ view, now, as_of, upcoming },
  steps: happened,
  isCut: has_more,
  invoices: related.invoices,
})

/** The jobs of a subscription that void an invoice. */
const VOIDING: ReadonlySet<JobKind> = new Set<JobKind>(['incomplete_expiry', 'pending_update_expiry'])

/** Returns the facts of an invoice. Its subscription can have a job that voids it. */
function fromInvoice(timeline: Timeline<'invoice'>) {
  const { view, subject: invoice } = timeline
  const subscription =
    invoice.subscription === null || !isOpen(invoice)
      ? undefined
      : view.get('subscription', invoice.subscription)
  const voiding = !subscription
    ? []
    : subscriptionJobs(subscription).filter(
        ({ kind }) =>
          VOIDING.has(kind) &&
          (kind === 'incomplete_expiry' || subscription.pending_update?.invoice === invoice.id),
      )
  const found = fromTimeline(timeline)
  return { ...found, upcoming: inOrder([...found.upcoming, ...voiding.map(withoutDetails)]) }
}

/** The maximum number of an object's own events that are read. */
const MAX_OWN = 100

/**
 * Reads the newest events of an object that has no timeline, up to the length of a page.
 * @returns its steps, oldest first
 */
function ownSteps(
  { engine, merchant }: Read,
  kind: ExplainedKind,
  id: string,
): { readonly steps: readonly TimelineStep[]; readonly isCut: boolean } {
  const steps: TimelineStep[] = []
  const page = { limit: MAX_OWN }
  for (const event of listEventsOfObject(engine, merchant, { kind, id }, { types: [], created: [] }, page)) {
    if (readLengthOf(event) > MAX_PAGE_LENGTH) return { steps: steps.reverse(), isCut: true }
    const { entry, after } = event
    steps.push({
      ...{ id: event.id, type: entry.type, kind, created: entry.created, request: entry.request },
      ...{ replaced: entry.replaced, after, decline: null },
    })
  }
  return { steps: steps.reverse(), isCut: false }
}

/** The facts about an object without a timeline of its own. It is explained as of now. */
function withoutTimeline<T extends { readonly customer: string | null }>(
  { merchant, view }: Read,
  subject: T,
) {
  const customer = subject.customer === null ? undefined : view.get('customer', subject.customer)
  const { now } = clockOf(merchant, customer ?? { test_clock: null })
  return {
    ...{ subject, view, now, as_of: now },
    ...{ steps: [], isCut: false, invoices: [], upcoming: [] },
  }
}

/** Lists the jobs of the refunds and of the dispute of a payment. */
function jobsOfPayment(
  { engine: { store }, merchant, view }: Read,
  { id, latest_charge }: Objects['payment_intent'],
): FutureJob[] {
  const ofPayment = [{ field: 'payment_intent', is: id }]
  const refunds = store.objects.summaries('refund', merchant.settings.ordinal, ofPayment, {
    limit: MAX_CHANGES,
  })
  const charge = latest_charge === null ? undefined : view.get('charge', latest_charge)
  const dispute = charge?.dispute == null ? undefined : view.get('dispute', charge.dispute)
  return inOrder([...refunds.flatMap(futureJobsOfRefund), ...(dispute ? futureJobsOfDispute(dispute) : [])])
}

/** Lists the ends of a subscription's discounts. */
const discountEnds = (view: View, subscription: Subscription): FutureJob[] =>
  discountIdsOf(subscription)
    .flatMap((id) => view.get('discount', id) ?? [])
    .flatMap(discountJobs)
    .map(withoutDetails)
