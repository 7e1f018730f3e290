import { discountIdsOf } from '../../core/billing/discounting.ts'
import { formatInstant } from '../../core/calendar.ts'
import type { Customer } from '../../core/customer.ts'
import { attemptsOf } from '../../core/dunning.ts'
import { parameterInvalid, resourceMissing, resourceNotYetCreated } from '../../core/errors.ts'
import {
  type FutureJob,
  futureJobsOfDispute,
  futureJobsOfInvoice,
  futureJobsOfRefund,
  inOrder,
} from '../../core/future-job.ts'
import { futureJobsOfSubscription, futureJobsOfWaitingSchedule } from '../../core/future-subscription.ts'
import { type Invoice, waitsAsDraft } from '../../core/invoice.ts'
import { isOpen } from '../../core/invoice-status.ts'
import type { Objects } from '../../core/kinds.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import type { Subscription } from '../../core/subscription.ts'
import { firstPhase, type SubscriptionSchedule } from '../../core/subscription-schedule.ts'
import { hasEnded } from '../../core/subscription-status.ts'
import type { Owed } from '../../store/next-due.ts'
import type { Clock } from '../machine/clock.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import { firstJobsOf } from './first-jobs.ts'
import { firstWithin } from './first-within.ts'
import { type PastSteps, readTimelineSteps, type TimelineStep } from './past-steps.ts'
import { viewAt } from './past-view.ts'
import { pendingItemsOf } from './pending-items.ts'
import { prorationsOf, readerOfProrations, type StepProrations } from './plan-changes.ts'
import { discountsFor, planIn, pricesOf } from './projection-source.ts'
import { type Found, invoicesOf, MAX_RELATED, onlyInvoice } from './timeline-invoices.ts'
import { usageSoFarOf } from './usage-amount.ts'
import { currentView, type View } from './view.ts'
import { waitingSchedules } from './waiting-schedules.ts'

/** The kinds of objects with a timeline. */
export type SubjectKind = 'customer' | 'subscription' | 'invoice'

/** The related objects as of the same moment, newest first, up to one more than are shown and up to the length of a page. */
export type Related = {
  readonly customer: Customer
  readonly subscriptions: readonly Subscription[]
  readonly invoices: readonly Invoice[]
  readonly payment_methods: readonly PaymentMethod[]
  /** The kinds of which there are more. */
  readonly cut: readonly ('subscriptions' | 'invoices')[]
  /** The invoices with the next due dates, and the sums that are owed for all open ones. */
  readonly nextDue: readonly Invoice[]
  readonly owed: readonly Owed[]
}

/** An object as of a moment, with its past events and its jobs at that moment. */
export type Timeline<K extends SubjectKind> = {
  readonly subject: Objects[K]
  readonly view: View
  /** The time of its clock, and the moment that is shown; Unix seconds. */
  readonly now: number
  readonly as_of: number
  readonly related: Related
  /** Oldest first. */
  readonly happened: readonly TimelineStep[]
  /** Reads the prorations that steps of subscriptions made. */
  readonly prorations: () => StepProrations
  /** Whether there are older events. */
  readonly has_more: boolean
  /** The number of attempts on the merchant's present retry schedule. */
  readonly max_attempts: number
  readonly upcoming: readonly FutureJob[]
}

type Wanted = {
  /** Unix seconds; undefined for now. */
  readonly at: number | undefined
  /** The maximum number of changes to go back. */
  readonly limit: number
}

/**
 * Returns the timeline of a merchant's object. For a past moment, jobs are derived from the objects at that moment.
 * Only the final action of a dunning is then unknown, because the setting has no history.
 * @throws ApiError resource_missing; also for an instant before its creation; parameter_invalid, param at, for the
 *   future
 * See docs/contract/command-line.md#timelines.
 */
export function timelineOf<K extends SubjectKind>(
  engine: Engine,
  merchant: MerchantState,
  { kind, id, at, limit }: Wanted & { kind: K; id: string },
): Timeline<K> {
  const { store, ids, url } = engine
  const sources = { store, ids, url, merchant: merchant.settings }
  const current = need(currentView(sources), kind, id)
  const customer = need(currentView(sources), 'customer', customerOf(kind, current))
  const { now } = clockOf(merchant, customer)
  const as_of = at ?? now
  if (as_of > now) throw isFuture(as_of, now)
  const isPast = as_of < now
  const view = isPast ? viewAt(sources, as_of, customer) : currentView(sources)
  const subject = view.get(kind, id)
  if (!subject) throw isBefore(kind, current, as_of)
  if (kind === 'invoice' && (subject as Invoice).deleted) throw resourceMissing(kind, id)

  const steps = readTimelineSteps(engine, view, {
    scope: { kind, id },
    until: isPast ? as_of : undefined,
    limit,
  })
  const found = { engine, merchant, view, customer: need(view, 'customer', customer.id), as_of, isPast }
  const related = relatedTo(found, kind, subject)
  return {
    subject,
    view,
    now,
    as_of,
    related,
    happened: steps.happened,
    prorations: () => prorationsOf(readerOfProrations(engine, merchant, found.customer.id), steps.happened),
    has_more: steps.has_more,
    max_attempts: attemptsOf(merchant.settings.retry_schedule),
    upcoming: futureJobsOf(found, kind, related, steps),
  }
}

function need<K extends SubjectKind>(view: View, kind: K, id: string): Objects[K] {
  const object = view.get(kind, id)
  if (!object) throw resourceMissing(kind, id)
  return object
}

const customerOf = (kind: SubjectKind, object: Objects[SubjectKind]): string =>
  kind === 'customer' ? object.id : (object as Subscription | Invoice).customer

/** Returns the clock of a customer. */
export function clockOf(merchant: MerchantState, { test_clock }: Pick<Customer, 'test_clock'>): Clock {
  return (test_clock === null ? undefined : merchant.testClocks.find(test_clock)) ?? merchant.clock
}

const isFuture = (at: number, now: number) =>
  parameterInvalid(
    'at',
    `${formatInstant(at)} is in the future; the time of the clock is ${formatInstant(now)}. Advance the clock to see that instant.`,
  )

const isBefore = (kind: SubjectKind, { id, created }: Objects[SubjectKind], at: number) =>
  resourceNotYetCreated(kind, id, { at: formatInstant(at), createdAt: formatInstant(created) })

const ALL = { limit: Number.MAX_SAFE_INTEGER }
const NEWEST = { limit: MAX_RELATED + 1 }

/** Returns the related objects of a subject: everything of a customer, the subscription of an invoice. */
function relatedTo(found: Found, kind: SubjectKind, subject: Objects[SubjectKind]): Related {
  const { view, customer } = found
  const only = (id: string | null) => (id === null ? [] : (view.get('subscription', id) ?? []))
  const subscriptions =
    kind === 'customer'
      ? subscriptionsOf(found)
      : {
          rows: [only(kind === 'subscription' ? subject.id : (subject as Invoice).subscription)].flat(),
          isCut: false,
        }
  const invoices = kind === 'invoice' ? onlyInvoice(subject as Invoice) : invoicesOf(found, kind, subject)
  return {
    ...{ customer, subscriptions: subscriptions.rows, invoices: invoices.shown },
    payment_methods: paymentMethodsOf(found),
    cut: [
      ...(subscriptions.isCut ? (['subscriptions'] as const) : []),
      ...(invoices.isCut ? (['invoices'] as const) : []),
    ],
    ...{ nextDue: invoices.nextDue, owed: invoices.owed },
  }
}

function subscriptionsOf({ engine, merchant, view, customer, as_of, isPast }: Found) {
  const { objects } = engine.store
  const { ordinal } = merchant.settings
  const ofCustomer = { field: 'customer', is: customer.id }
  if (!isPast) return objects.listPage('subscription', ordinal, [ofCustomer], NEWEST)
  const filters = [ofCustomer, { field: 'created', compare: '<=', to: as_of }] as const
  const ids = objects.ids('subscription', ordinal, filters, ALL)
  return firstWithin(view, { kind: 'subscription', ids }, NEWEST.limit)
}

/** Lists the customer's subscriptions that had not ended at the moment, the next due ones if there are many. */
const runningSubscriptions = (found: Found, related: readonly Subscription[]): readonly Subscription[] =>
  found.isPast
    ? related.filter((subscription) => !hasEnded(subscription))
    : found.engine.store.objects.nextDueSubscriptions(found.customer.id, NEWEST.limit)

function paymentMethodsOf({ engine, merchant, view, customer, isPast }: Found): PaymentMethod[] {
  const { objects, past } = engine.store
  const ofCustomer = { field: 'customer', is: customer.id }
  if (!isPast) return objects.list('payment_method', merchant.settings.ordinal, [ofCustomer], NEWEST)
  const isHeld = (method: PaymentMethod) => method.customer === customer.id
  const methods = {
    kind: 'payment_method',
    ids: past.paymentMethodsOf(customer.id),
    isWanted: isHeld,
  } as const
  return [...firstWithin(view, methods, NEWEST.limit).rows]
}

function futureJobsOf(
  found: Found,
  kind: SubjectKind,
  related: Related,
  { refunds, disputes }: Pick<PastSteps, 'refunds' | 'disputes'>,
): FutureJob[] {
  // The merchant's setting has no history.
  const final_action = found.isPast ? null : found.merchant.settings.dunning_final_action
  const { view } = found
  const { subscriptions, customer } = related
  const holds = (id: string | null) => id !== null && view.get('payment_method', id)?.customer === customer.id
  const running = {
    customer: () => runningSubscriptions(found, subscriptions),
    subscription: () => subscriptions.filter((subscription) => !hasEnded(subscription)),
    invoice: () => [],
  }[kind]()
  const pendingOf = pendingItemsOf(found, running)
  return inOrder([
    ...related.nextDue
      .filter((invoice) => isOpen(invoice) || waitsAsDraft(invoice))
      .flatMap((invoice) => {
        const subscription =
          (invoice.subscription === null ? undefined : view.get('subscription', invoice.subscription)) ?? null
        return futureJobsOfInvoice(invoice, {
          subscription,
          final_action,
          schedule: found.merchant.settings.retry_schedule,
        })
      }),
    ...firstJobsOf(running, MAX_RELATED, (subscription) => {
      const { items, default_payment_method } = subscription
      const isPayable = holds(default_payment_method) || holds(customer.default_payment_method)
      const pending = pendingOf(subscription)
      const managing = subscription.schedule
      const schedule = managing === null ? null : (view.get('subscription_schedule', managing) ?? null)
      const prices = pricesOf(view, [
        ...items,
        ...(schedule ? itemsOfPhases(schedule) : []),
        ...pending.flatMap(({ price }) => (price === null ? [] : { price })),
      ])
      return futureJobsOfSubscription(subscription, {
        ...{ prices, isPayable, pending, schedule, plan: planIn(view, customer, subscription) },
        usage: usageSoFarOf(found.engine.store, found, { subscription, prices }),
        discounts: discountsFor(view, [
          ...discountIdsOf(subscription),
          ...pending.flatMap(({ discounts }) => discounts),
          ...(customer.discount === null ? [] : [customer.discount]),
        ]),
        customerDiscount: customer.discount,
      })
    }),
    ...(kind === 'customer' ? waitingSchedules(found) : []).flatMap((schedule) =>
      futureJobsOfWaitingSchedule(schedule, {
        prices: pricesOf(view, itemsOfPhases(schedule)),
        plan: planIn(view, customer, firstPhase(schedule)),
        discounts: discountsFor(view, customer.discount === null ? [] : [customer.discount]),
        customerDiscount: customer.discount,
      }),
    ),
    ...refunds.flatMap(futureJobsOfRefund),
    ...disputes.flatMap(futureJobsOfDispute),
  ])
}

const itemsOfPhases = ({ phases }: SubscriptionSchedule) => phases.flatMap(({ items }) => items)
