import { Change } from '../../core/change.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import type { PortalConfiguration } from '../../core/portal-configuration.ts'
import { whyNotCancelable, whyNotUpdatable } from '../../core/portal-permissions.ts'
import {
  FIRST_VISIT_SECONDS,
  type Flow,
  type FlowStep,
  type PortalSession,
  visited,
} from '../../core/portal-session.ts'
import type { Prices, Subscription } from '../../core/subscription.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { defaultConfiguration } from './portal-configuration.ts'
import { catalogOf, findPlan } from './portal-plans.ts'

export type PortalSessionParams = {
  readonly customer: string
  readonly configuration?: string | undefined
  readonly return_url?: string | undefined
  readonly locale?: string | undefined
  readonly flow?: Flow | undefined
}

/**
 * Creates a session of the customer portal. Without a configuration it has the default one.
 * @throws ApiError resource_missing; parameter_invalid for an inactive configuration, and for a flow that the configuration or the
 *   state of the subscription does not allow
 * See docs/contract/customer-portal.md#sessions.
 */
export function createPortalSession(unit: UnitOfWork, params: PortalSessionParams): PortalSession {
  const customer = unit.find('customer', params.customer, 'customer')
  const configuration =
    params.configuration === undefined
      ? defaultConfiguration(unit)
      : unit.find('billing_portal_configuration', params.configuration, 'configuration')
  if (!configuration.active)
    throw parameterInvalid('configuration', `The configuration '${configuration.id}' is not active`)
  if (params.flow) checkFlow(unit, params.flow.step, { customer: customer.id, configuration })
  const clock = unit.clockOf(customer.test_clock)
  const change = new Change()
  const session = change.create(
    'billing_portal_session',
    {
      id: unit.idFor('billing_portal_session'),
      created: clock.instant,
      customer: customer.id,
      configuration: configuration.id,
      return_url: params.return_url ?? configuration.default_return_url,
      locale: params.locale ?? null,
      flow: params.flow ?? null,
      is_flow_done: false,
      expires_at: clock.instant + FIRST_VISIT_SECONDS,
    },
    'billing_portal.session.created',
  )
  apply(unit, change, clock)
  return session
}

/** Extends a session that is visited at an instant. */
export function visitPortalSession(unit: UnitOfWork, session: PortalSession, now: number): PortalSession {
  const after = visited(session, now)
  return after === session ? session : write(unit, session, after)
}

/** Records that the step of a session's flow was taken. */
export const finishFlow = (unit: UnitOfWork, session: PortalSession): PortalSession =>
  write(unit, session, { ...session, is_flow_done: true })

function write(unit: UnitOfWork, session: PortalSession, after: PortalSession): PortalSession {
  const change = new Change()
  change.update('billing_portal_session', session, () => after)
  apply(unit, change)
  return after
}

type Within = { readonly customer: string; readonly configuration: PortalConfiguration }

/** @throws ApiError as createPortalSession */
function checkFlow(unit: UnitOfWork, step: FlowStep, within: Within): void {
  const { features } = within.configuration
  const refuse = (why: string | null) => {
    if (why !== null) throw parameterInvalid('flow_data[type]', why)
  }
  if (step.type === 'customer_update')
    refuse(
      features.customer_update.enabled
        ? null
        : 'The customer update feature in the portal configuration is disabled.',
    )
  else if (step.type === 'payment_method_update')
    refuse(
      features.payment_method_update.enabled
        ? null
        : 'The payment method update feature in the portal configuration is disabled.',
    )
  else {
    const subscription = findSubscription(unit, step, within)
    refuse(
      step.type === 'subscription_cancel'
        ? whyNotCancelable(subscription, features)
        : whyNotUpdatable(subscription, pricesOf(unit, subscription), features),
    )
    if (step.type === 'subscription_update_confirm') checkConfirm(unit, subscription, step, within)
  }
}

/** @throws ApiError resource_missing also for the subscription of another customer */
function findSubscription(
  unit: UnitOfWork,
  { type, subscription: id }: Extract<FlowStep, { subscription: string }>,
  { customer }: Within,
): Subscription {
  const param = `flow_data[${type}][subscription]`
  const found = unit.find('subscription', id, param)
  if (found.customer !== customer) throw resourceMissing('subscription', id, param)
  return found
}

function checkConfirm(
  unit: UnitOfWork,
  subscription: Subscription,
  { item, discounts }: Extract<FlowStep, { type: 'subscription_update_confirm' }>,
  { configuration: { features } }: Within,
): void {
  const at = 'flow_data[subscription_update_confirm]'
  if (subscription.items[0]?.id !== item.id)
    throw resourceMissing('subscription item', item.id, `${at}[items][0][id]`)
  const { whyNot } = findPlan(catalogOf(unit), subscription, features.subscription_update, item)
  if (whyNot) throw parameterInvalid(`${at}[items][0][${whyNot.field}]`, whyNot.message)
  discounts?.forEach(({ coupon, promotion_code }, index) => {
    if (promotion_code !== null)
      unit.find('promotion_code', promotion_code, `${at}[discounts][${index}][promotion_code]`)
    else if (coupon === null)
      throw parameterInvalid(`${at}[discounts][${index}]`, 'expected a coupon or a promotion_code')
  })
}

export const pricesOf = (unit: UnitOfWork, { items }: Subscription): Prices =>
  new Map(items.map(({ price }) => [price, unit.needWithoutMetadata('price', price)]))
