import type { FeedbackParam } from '../../core/cancellation-feedback.ts'
import type { Customer } from '../../core/customer.ts'
import type { PortalFeatures } from '../../core/portal-configuration.ts'
import type { Subscription } from '../../core/subscription.ts'
import { hasEnded, isRunning } from '../../core/subscription-status.ts'
import type { CurrentView } from '../history/view.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { updateCustomer } from './customer.ts'
import { catalogOf } from './portal-plans.ts'
import { cancelSubscription } from './subscription.ts'
import { updateSubscription } from './subscription-update.ts'

/** paytwin: the maximum number of subscriptions that a page shows. */
const MAX_SUBSCRIPTIONS = 100

/** Lists the subscriptions of a customer that have not ended, newest first, without nested values. */
const subscriptionsOf = (view: Pick<CurrentView, 'summaries'>, customer: string) =>
  view
    .summaries('subscription', [{ field: 'customer', is: customer }], { limit: MAX_SUBSCRIPTIONS })
    .filter((subscription) => !hasEnded(subscription))

/** The subscriptions that a page shows, and how many others there are. */
export type ShownSubscriptions = { readonly shown: readonly Subscription[]; readonly others: number }

/** Returns the subscriptions of a customer that have not ended, newest first, up to the length of a page. */
export function shownSubscriptionsOf(
  view: Pick<CurrentView, 'summaries' | 'listPage'>,
  customer: string,
): ShownSubscriptions {
  const ofCustomer = { field: 'customer', is: customer }
  const { rows, isCut } = view.listPage('subscription', [ofCustomer], { limit: MAX_SUBSCRIPTIONS })
  const shown = rows.filter((subscription) => !hasEnded(subscription))
  return { shown, others: isCut ? subscriptionsOf(view, customer).length - shown.length : 0 }
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
 * Makes a payment method the default one of a customer, and of each of its subscriptions that has one of its own.
 * See docs/contract/customer-portal.md#cards.
 */
export function makeDefaultCard(unit: UnitOfWork, customer: Customer, method: string): void {
  updateCustomer(unit, customer.id, { invoice_settings: { default_payment_method: method } })
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
