import { formatDate } from '../core/calendar.ts'
import type { FutureJob } from '../core/future-job.ts'
import { type Invoice, waitsAsDraft } from '../core/invoice.ts'
import { appliedBalance, endingBalance } from '../core/invoice-balance.ts'
import { isIdOf, type Kind, type Objects } from '../core/kinds.ts'
import { formatAmount } from '../core/money.ts'
import { methodText } from '../core/payment-method.ts'
import { periodAmount } from '../core/period-amount.ts'
import { currentIndex, endOf } from '../core/subscription-schedule.ts'
import type { TimelineStep } from '../engine/history/past-steps.ts'
import type { Proration } from '../engine/history/plan-changes.ts'
import { pricesOf } from '../engine/history/projection-source.ts'
import type { SubjectKind, Timeline } from '../engine/history/timeline.ts'
import { MAX_RELATED } from '../engine/history/timeline-invoices.ts'
import type { View } from '../engine/history/view.ts'
import { presentCustomerOrStub } from './customer.ts'
import { previousAttributes } from './event.ts'
import { presentInvoice } from './invoice.ts'
import { countingView } from './page-reads.ts'
import { type List, page } from './pagination.ts'
import { presentPaymentMethod } from './payment-method.ts'
import { present } from './resources.ts'
import type { RelatedShape, TimelineEntryShape, TimelineJobShape, TimelineShape } from './schemas/timeline.ts'
import { presentSubscription } from './subscription.ts'

/** Presents the related objects and the timeline of an object, which the admin API adds to its fields. */
export const presentAround = <K extends SubjectKind>(
  url: string,
  timeline: Timeline<K>,
): { related: RelatedShape; timeline: TimelineShape } => ({
  related: presentRelated(timeline),
  timeline: {
    object: 'timeline',
    now: timeline.now,
    as_of: timeline.as_of,
    max_attempts: timeline.max_attempts,
    happened: happenedOf(url, timeline),
    upcoming: listed({ url, view: timeline.view }, timeline.upcoming, presentTimelineJob),
  },
})

/** Presents the past changes, oldest first. If they are too large for a page, the oldest are left out. */
function happenedOf(
  url: string,
  { view, happened, prorations, has_more }: Timeline<SubjectKind>,
): List<TimelineEntryShape> {
  const newestFirst = happened.toReversed()
  const counting = countingView(view)
  const shape = { limit: newestFirst.length, isBackward: true, readLength: counting.readLength }
  const made = prorations()
  const shown = page(url, newestFirst, shape, (step) =>
    presentTimelineEntry(counting.view, step, made.get(step.id)),
  )
  return { ...shown, has_more: has_more || shown.has_more }
}

/** Presents entries up to the length of a page, which what is read for them has too. */
function listed<T, Body>(
  { url, view, isCut = false }: { readonly url: string; readonly view: View; readonly isCut?: boolean },
  entries: readonly T[],
  show: (view: View, entry: T) => Body,
): List<Body> {
  const counting = countingView(view)
  const shape = { limit: MAX_RELATED, isBackward: false, isCut, readLength: counting.readLength }
  return page(url, entries, shape, (entry) => show(counting.view, entry))
}

function presentRelated({ view, related }: Timeline<SubjectKind>): RelatedShape {
  const { customer, subscriptions, invoices, payment_methods, cut, owed } = related
  const of = (name: 'subscriptions' | 'invoices' | 'payment_methods') => ({
    url: `/v1/${name}?customer=${customer.id}`,
    view,
    isCut: cut.some((each) => each === name),
  })
  return {
    customer: presentCustomerOrStub(view, customer),
    subscriptions: listed(of('subscriptions'), subscriptions, presentSubscription),
    invoices: listed(of('invoices'), invoices, presentInvoice),
    payment_methods: listed(of('payment_methods'), payment_methods, presentPaymentMethod),
    owed: [...owed],
  }
}

/** The fields of a timeline entry that depend on the kind of its object. */
type KindFields = Partial<
  Pick<
    TimelineEntryShape,
    | 'customer'
    | 'subscription'
    | 'invoice'
    | 'label'
    | 'status'
    | 'amount'
    | 'currency'
    | 'applied_balance'
    | 'credited'
    | 'reason'
    | 'attempt'
    | 'finalizes_at'
  >
>

const KIND_FIELDS: {
  readonly [K in Kind]?: (object: Objects[K], step: TimelineStep, view: View) => KindFields
} = {
  customer: ({ id, email, name }) => ({ customer: id, label: email ?? name }),
  payment_method: (method) => ({ customer: method.customer, label: methodText(method) }),
  subscription: ({ id, customer, status, items, currency, cancellation_reason }, { type }, view) => ({
    customer,
    subscription: id,
    status,
    amount: periodAmount(items, pricesOf(view, items)),
    currency,
    reason: type === 'subscription.deleted' ? cancellation_reason : null,
  }),
  invoice: (invoice, step) => ({
    customer: invoice.customer,
    subscription: invoice.subscription,
    invoice: invoice.id,
    label: invoice.number,
    status: invoice.status,
    amount: invoice.total,
    currency: invoice.currency,
    applied_balance: endingBalance(invoice) === null ? null : appliedBalance(invoice),
    credited: invoice.pre_payment_credit_notes_amount || null,
    reason: step.type === 'invoice.payment_failed' ? step.decline : invoice.billing_reason,
    attempt: attemptOf(invoice, step),
    finalizes_at: waitsAsDraft(invoice) ? invoice.next_payment_attempt : null,
  }),
  payment_intent: ({ customer, invoice, status, amount, currency }, { decline }) => ({
    customer,
    invoice,
    status,
    amount,
    currency,
    reason: decline,
  }),
  credit_note: ({ customer, invoice, number, status, amount, currency, reason }) => ({
    customer,
    invoice,
    label: number,
    status,
    amount,
    currency,
    reason,
  }),
  charge: ({ customer, invoice, status, amount, currency, decline_code, failure_code }) => ({
    customer,
    invoice,
    status,
    amount,
    currency,
    reason: decline_code ?? failure_code,
  }),
  dispute: ({ charge, status, amount, currency, reason }, _step, view) => {
    const { customer = null, invoice = null } = view.get('charge', charge) ?? {}
    return { customer, invoice, status, amount, currency, reason }
  },
  subscription_schedule: (schedule, { type }) => {
    const number = currentIndex(schedule) + 1
    const { customer, subscription, released_subscription, status } = schedule
    return {
      customer,
      subscription: subscription ?? released_subscription,
      label: number === 0 ? null : `phase ${number}`,
      status,
      reason: type === 'subscription_schedule.expiring' ? formatDate(endOf(schedule)) : null,
    }
  },
  discount: ({ customer, subscription, invoice, coupon }, _step, view) => ({
    customer,
    subscription,
    invoice,
    label: couponLabel(view, coupon),
  }),
  refund: ({ charge, status, amount, currency, reason }, _step, view) => {
    const refunded = view.get('charge', charge)
    const { customer = null, invoice = null } = refunded ?? {}
    return { customer, invoice, status, amount, currency, reason }
  },
}

/** Describes a coupon: `SPRING 25 %`, `FIVE 5.00 USD`. */
function couponLabel(view: View, id: string): string | null {
  const coupon = view.withoutMetadata('coupon', id)
  if (!coupon) return null
  const { public_id, percent_off, amount_off, currency } = coupon
  const off = percent_off === null ? formatAmount(amount_off ?? 0, currency ?? '') : `${percent_off} %`
  return `${public_id} ${off}`
}

/** Returns the payment attempt of an entry; null if the entry has none. */
function attemptOf(invoice: Invoice, { type, replaced }: TimelineStep): TimelineEntryShape['attempt'] {
  // An invoice without an intent, or one that was credited in full, is paid without an attempt.
  const isCharged = invoice.payment_intent !== null && invoice.amount_due > 0
  const isAttempt = type === 'invoice.payment_failed' || (type === 'invoice.paid' && isCharged)
  if (!isAttempt) return null
  const { attempt_count: number, next_payment_attempt: next } = invoice
  return { number, scheduled: replaced !== null && 'attempt_count' in replaced, next }
}

function presentTimelineEntry(
  view: View,
  step: TimelineStep,
  prorations: readonly Proration[] = [],
): TimelineEntryShape {
  const { id, type, kind, created, request, replaced, after } = step
  const fieldsOf = KIND_FIELDS[kind] as
    | ((object: Objects[Kind], step: TimelineStep, view: View) => KindFields)
    | undefined
  const fields = fieldsOf?.(after, step, view) ?? {}
  const { status: previous_status = null } = (replaced ?? {}) as { status?: string }
  return {
    id,
    object: 'timeline_entry',
    created,
    type,
    resource: kind as TimelineEntryShape['resource'],
    resource_id: after.id,
    customer: fields.customer ?? null,
    subscription: fields.subscription ?? subscriptionOf(view, fields.invoice),
    invoice: fields.invoice ?? null,
    label: fields.label ?? null,
    status: fields.status ?? null,
    previous_status,
    amount: fields.amount ?? null,
    currency: fields.currency ?? null,
    applied_balance: fields.applied_balance ?? null,
    credited: fields.credited ?? null,
    reason: fields.reason ?? null,
    attempt: fields.attempt ?? null,
    finalizes_at: fields.finalizes_at ?? null,
    ...(replaced && { changes: changesOf(view, step, replaced) }),
    ...(prorations.length > 0 && {
      prorations: prorations.map(({ description, amount }) => ({ description: description ?? '', amount })),
    }),
    request,
  }
}

/** Returns the subscription of an invoice. */
const subscriptionOf = (view: View, invoice: string | null | undefined): string | null =>
  (invoice && view.get('invoice', invoice)?.subscription) || null

/** Returns the fields that an entry changed, with their previous and new values. */
function changesOf(
  view: View,
  { kind, after }: TimelineStep,
  replaced: object,
): TimelineEntryShape['changes'] {
  const now = present(view, kind, after)
  const before = present(view, kind, { ...after, ...replaced } as Objects[Kind])
  const former = Object.entries(previousAttributes(before, now))
  return Object.fromEntries(former.map(([name, from]) => [name, { from, to: now[name] }]))
}

function presentTimelineJob(view: View, job: FutureJob): TimelineJobShape {
  const { due, kind, projected, subscription, object, amount, usage_amount, currency, period } = job
  const invoice = isIdOf('invoice', object) ? object : null
  return {
    object: 'timeline_job',
    due,
    kind,
    projected,
    subscription,
    invoice,
    label: invoice === null ? null : (view.get('invoice', invoice)?.number ?? null),
    amount,
    usage_amount,
    currency,
    period,
    attempt: job.attempt,
    uncollected: job.uncollected,
    phase: job.phase,
    consequence: job.consequence,
  }
}
