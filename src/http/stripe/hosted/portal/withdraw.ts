import { isRenewable, isWithdrawable } from '../../../../core/portal-permissions.ts'
import type { Subscription } from '../../../../core/subscription.ts'
import { renewInPortal } from '../../../../engine/resources/portal-actions.ts'
import { withdrawPlanChange } from '../../../../engine/resources/portal-plan-change.ts'
import {
  checkOffered,
  checkToken,
  finish,
  type Portal,
  type PortalRequest,
  subscriptionOf,
  subscriptionState,
} from './portal.ts'

/** Whether the portal offers to withdraw the planned change of a subscription. */
export function canKeepPlan({ unit, configuration }: Portal, subscription: Subscription): boolean {
  const { schedule } = subscription
  const managing = schedule === null ? null : unit.need('subscription_schedule', schedule)
  return isWithdrawable(subscription, managing, configuration.features)
}

/** Withdraws a change of plan that waits for its payment or for the end of the period. */
export function submitKeep(portal: Portal, { id, given }: PortalRequest): Response {
  const subscription = subscriptionOf(portal, id)
  checkToken(portal, given, ['keep', subscriptionState(subscription)])
  checkOffered(canKeepPlan(portal, subscription))
  withdrawPlanChange(portal.unit, subscription)
  return finish(portal, 'kept')
}

/** Withdraws a planned cancellation. */
export function submitRenew(portal: Portal, { id, given }: PortalRequest): Response {
  const subscription = subscriptionOf(portal, id)
  checkToken(portal, given, ['renew', subscriptionState(subscription)])
  checkOffered(isRenewable(subscription, portal.configuration.features))
  renewInPortal(portal.unit, subscription)
  return finish(portal, 'renewed')
}
