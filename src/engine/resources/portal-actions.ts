import type { FeedbackParam } from '../../core/cancellation-feedback.ts'
import type { Customer } from '../../core/customer.ts'
import type { PortalFeatures } from '../../core/portal-configuration.ts'
import type { Subscription } from '../../core/subscription.ts'
import { isOver, SCHEDULE_STATUSES } from '../../core/subscription-schedule.ts'
import { hasEnded, isRunning, SUBSCRIPTION_STATUSES } from '../../core/subscription-status.ts'
import type { CurrentView, Filter } from '../history/view.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { updateCustomer } from './customer.ts'
import { readForNextInvoice } from './next-invoice-reads.ts'
import { catalogOf } from './portal-plans.ts'
import { replaceMethods } from './schedule-sync.ts'
import { cancelSubscription } from './subscription.ts'
import { updateSubscription } from './subscription-update.ts'

/** paytwin: the maximum number of subscriptions, and of schedules, whose cards are compared or replaced. */
const MAX_COMPARED = 100

/** paytwin: the number of subscriptions on a page. To compute the next invoice of a large one takes some 10 ms. */
const PAGE_SIZE = 10

/** paytwin: the number of objects that the next invoices of a page read after which the page ends: see readForNextInvoice. */
const MAX_READ = 200

/** The filters of the schedules that are not over. */
const NOT_OVER: readonly Filter[] = SCHEDULE_STATUSES.filter((status) => isOver({ status })).map(
  (status) => ({
    field: 'status',
    isNot: status,
  }),
)

/** The filters of the subscriptions of a customer that have not ended. */
export const presentOf = (customer: string): readonly Filter[] => [
  { field: 'customer', is: customer },
  ...SUBSCRIPTION_STATUSES.filter((status) => hasEnded({ status })).map((isNot) => ({
    field: 'status',
    isNot,
  })),
]

/** Lists the subscriptions of a customer that have not ended, newest first, without nested values. */
const subscriptionsOf = (view: Pick<CurrentView, 'summaries'>, customer: string) =>
  view.summaries('subscription', presentOf(customer), { limit: MAX_COMPARED })

/** Lists the ids of the schedules of a customer that are not over, newest first. */
const schedulesOf = (view: Pick<CurrentView, 'summaries'>, customer: string): string[] =>
  view
    .summaries('subscription_schedule', [{ field: 'customer', is: customer }, ...NOT_OVER], {
      limit: MAX_COMPARED,
    })
    .map(({ id }) => id)

/** The subscriptions that a page shows. */
export type ShownSubscriptions = {
  readonly shown: readonly Subscription[]
  /** The subscription after which the next page begins; undefined for the last page. */
  readonly last: string | undefined
}

/**
 * Returns a page of the subscriptions of a customer that have not ended, newest first. It ends early if their next invoices read
 * much.
 * @param after - the subscription after which the page begins; the first page for null, and for an unknown one
 */
export function shownSubscriptionsOf(
  unit: UnitOfWork,
  view: Pick<CurrentView, 'listPage' | 'placeOf'>,
  { customer, after }: { readonly customer: string; readonly after: string | null },
): ShownSubscriptions {
  const place = after === null ? undefined : view.placeOf('subscription', after)
  const { rows, isCut } = view.listPage('subscription', presentOf(customer), {
    limit: PAGE_SIZE + 1,
    after: place,
  })
  const shown: Subscription[] = []
  let read = 0
  for (const subscription of rows.slice(0, PAGE_SIZE)) {
    read += readForNextInvoice(unit, subscription)
    if (read > MAX_READ && shown.length > 0) break
    shown.push(subscription)
  }
  return { shown, last: isCut || rows.length > shown.length ? shown.at(-1)?.id : undefined }
}

/**
 * Cancels a subscription by the settings of the portal.
 * @throws ApiError as cancelSubscription and updateSubscription
 * See docs/contract/customer-portal.md#canceling.
 */
export function cancelInPortal(
  unit: UnitOfWork,
  subscription: Subscription,
  { mode, proration_behavior }: PortalFeatures['subscription_cancel'],
  cancellation_feedback: FeedbackParam | undefined,
): Subscription {
  const { id } = subscription
  return isCanceledLater(subscription, mode)
    ? updateSubscription(unit, id, { cancel_at_period_end: true, cancellation_feedback })
    : cancelSubscription(unit, id, {
        cancel_at_period_end: false,
        prorate: proration_behavior !== 'none',
        invoice_now: proration_behavior === 'always_invoice',
        cancellation_feedback,
      })
}

/** Whether a cancellation waits for the end of the period. Only a running subscription can wait. */
export const isCanceledLater = (
  subscription: Subscription,
  mode: PortalFeatures['subscription_cancel']['mode'],
): boolean => mode === 'at_period_end' && isRunning(subscription)

/** Withdraws the planned cancellation of a subscription. @throws ApiError as updateSubscription */
export const renewInPortal = (unit: UnitOfWork, { id }: Subscription): Subscription =>
  updateSubscription(unit, id, { cancel_at: null, cancel_at_period_end: false })

/**
 * Makes a payment method the default one of a customer, and of each of its subscriptions and schedules that has one of its own.
 * See docs/contract/customer-portal.md#cards.
 */
export function makeDefaultCard(unit: UnitOfWork, customer: Customer, method: string): void {
  updateCustomer(unit, customer.id, { invoice_settings: { default_payment_method: method } })
  for (const id of schedulesOf(catalogOf(unit), customer.id).reverse())
    replaceMethods(unit, unit.find('subscription_schedule', id), method)
  for (const { id, default_payment_method } of subscriptionsOf(catalogOf(unit), customer.id).reverse())
    if (default_payment_method !== null && default_payment_method !== method)
      updateSubscription(unit, id, { default_payment_method: method })
}

/** Returns the payment methods that pay a subscription of a customer, which cannot be removed. */
export function methodsInUse(view: Pick<CurrentView, 'summaries'>, customer: Customer): ReadonlySet<string> {
  const used = subscriptionsOf(view, customer.id)
    .filter(({ collection_method }) => collection_method === 'charge_automatically')
    .map(({ default_payment_method }) => default_payment_method ?? customer.default_payment_method)
  return new Set(used.filter((id) => id !== null))
}
