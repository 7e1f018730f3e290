import { isIdOf, type Kind, type Objects } from '../core/change.ts'
import type { Invoice } from '../core/invoice.ts'
import { methodText } from '../core/payment-method.ts'
import { type Prospect, periodAmount } from '../core/prospect.ts'
import type { TimelineStep } from '../engine/past-steps.ts'
import { pricesOf, type SubjectKind, type Timeline } from '../engine/timeline.ts'
import type { View } from '../engine/view.ts'
import { presentCustomerOrStub } from './customer.ts'
import { previousAttributes } from './event.ts'
import { presentInvoice } from './invoice.ts'
import { type List, page } from './pagination.ts'
import { presentPaymentMethod } from './payment-method.ts'
import { present } from './present.ts'
import type { HappeningShape, ProspectShape, RelatedShape, TimelineShape } from './schemas/timeline.ts'
import { presentSubscription } from './subscription.ts'

/** The maximum number of related objects of each kind. */
const MAX_RELATED = 100

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
    happened: {
      ...listed(
        url,
        timeline.happened,
        (step) => presentHappening(timeline.view, step),
        Number.POSITIVE_INFINITY,
      ),
      has_more: timeline.has_more,
    },
    upcoming: listed(url, timeline.upcoming, (prospect) => presentProspect(timeline.view, prospect)),
  },
})

const listed = <T, Body>(
  url: string,
  entries: readonly T[],
  show: (entry: T) => Body,
  limit = MAX_RELATED,
): List<Body> => page(url, entries, { limit, isBackward: false }, show)

function presentRelated({ view, related, openInvoices }: Timeline<SubjectKind>): RelatedShape {
  const { customer, subscriptions, invoices, payment_methods } = related
  const of = (path: string) => `/v1/${path}?customer=${customer.id}`
  return {
    customer: presentCustomerOrStub(view, customer),
    subscriptions: listed(of('subscriptions'), subscriptions, (each) => presentSubscription(view, each)),
    invoices: listed(of('invoices'), invoices, (each) => presentInvoice(view, each)),
    payment_methods: listed(of('payment_methods'), payment_methods, (each) =>
      presentPaymentMethod(view, each),
    ),
    owed: owedOf(openInvoices),
  }
}

function owedOf(invoices: readonly Invoice[]): RelatedShape['owed'] {
  const sums = new Map<string, number>()
  for (const { currency, total, amount_paid } of invoices)
    sums.set(currency, (sums.get(currency) ?? 0) + total - amount_paid)
  return [...sums].map(([currency, amount]) => ({ amount, currency }))
}

/** The fields of a timeline entry that depend on the kind of its object. */
type KindFields = Partial<
  Pick<
    HappeningShape,
    | 'customer'
    | 'subscription'
    | 'invoice'
    | 'label'
    | 'status'
    | 'amount'
    | 'currency'
    | 'reason'
    | 'attempt'
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
    reason: step.type === 'invoice.payment_failed' ? step.decline : invoice.billing_reason,
    attempt: attemptOf(invoice, step),
  }),
  payment_intent: ({ customer, invoice, status, amount, currency }, { decline }) => ({
    customer,
    invoice,
    status,
    amount,
    currency,
    reason: decline,
  }),
  charge: ({ customer, invoice, status, amount, currency, decline_code, failure_code }) => ({
    customer,
    invoice,
    status,
    amount,
    currency,
    reason: decline_code ?? failure_code,
  }),
  refund: ({ charge, status, amount, currency, reason }, _step, view) => {
    const refunded = view.get('charge', charge)
    const { customer = null, invoice = null } = refunded ?? {}
    return { customer, invoice, status, amount, currency, reason }
  },
}

/** Returns the payment attempt of an entry; null if the entry has none. */
function attemptOf(invoice: Invoice, { type, replaced }: TimelineStep): HappeningShape['attempt'] {
  const isAttempt =
    type === 'invoice.payment_failed' || (type === 'invoice.paid' && invoice.payment_intent !== null)
  if (!isAttempt) return null
  const { attempt_count: number, next_payment_attempt: next } = invoice
  return { number, scheduled: replaced !== null && 'attempt_count' in replaced, next }
}

function presentHappening(view: View, step: TimelineStep): HappeningShape {
  const { id, type, kind, created, request, replaced, after } = step
  const fieldsOf = KIND_FIELDS[kind] as
    | ((object: Objects[Kind], step: TimelineStep, view: View) => KindFields)
    | undefined
  const fields = fieldsOf?.(after, step, view) ?? {}
  const { status: previous_status = null } = (replaced ?? {}) as { status?: string }
  return {
    id,
    object: 'happening',
    created,
    type,
    resource: kind as HappeningShape['resource'],
    resource_id: after.id,
    customer: fields.customer ?? null,
    subscription: fields.subscription ?? subscriptionOf(view, fields.invoice),
    invoice: fields.invoice ?? null,
    label: fields.label ?? null,
    status: fields.status ?? null,
    previous_status,
    amount: fields.amount ?? null,
    currency: fields.currency ?? null,
    reason: fields.reason ?? null,
    attempt: fields.attempt ?? null,
    ...(type.endsWith('.updated') && replaced && { changes: changesOf(view, step, replaced) }),
    request,
  }
}

/** Returns the subscription of an invoice. */
const subscriptionOf = (view: View, invoice: string | null | undefined): string | null =>
  (invoice && view.get('invoice', invoice)?.subscription) || null

/** Returns the fields that an entry changed, with their former and new values. */
function changesOf(view: View, { kind, after }: TimelineStep, replaced: object): HappeningShape['changes'] {
  const now = present(view, kind, after)
  const before = present(view, kind, { ...after, ...replaced } as Objects[Kind])
  const former = Object.entries(previousAttributes(before, now))
  return Object.fromEntries(former.map(([name, from]) => [name, { from, to: now[name] }]))
}

function presentProspect(view: View, prospect: Prospect): ProspectShape {
  const { due, kind, projected, subscription, object, amount, currency, period } = prospect
  const invoice = isIdOf('invoice', object) ? object : null
  return {
    object: 'prospect',
    due,
    kind,
    projected,
    subscription,
    invoice,
    label: invoice === null ? null : (view.get('invoice', invoice)?.number ?? null),
    amount,
    currency,
    period,
    attempt: prospect.attempt,
    uncollected: prospect.uncollected,
    consequence: prospect.consequence,
  }
}
