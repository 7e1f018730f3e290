import { isRenewable } from '../../../../core/portal-permissions.ts'
import { renewInPortal } from '../../../../engine/resources/portal-actions.ts'
import {
  checkOffered,
  checkToken,
  finish,
  type Portal,
  type PortalRequest,
  subscriptionOf,
} from './portal.ts'

/** Withdraws a planned cancellation. */
export function submitRenew(portal: Portal, { id, given }: PortalRequest): Response {
  const subscription = subscriptionOf(portal, id)
  checkToken(portal, given, ['renew', subscription])
  checkOffered(isRenewable(subscription, portal.configuration.features))
  renewInPortal(portal.unit, subscription)
  return finish(portal, 'renewed')
}
