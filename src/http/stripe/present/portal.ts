import type Stripe from 'stripe'
import type { PortalConfiguration } from '../../../core/portal-configuration.ts'
import type { Flow, FlowType, PortalSession } from '../../../core/portal-session.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'
import { portalUrl } from './hosted-pages.ts'

type Configuration = Stripe.BillingPortal.Configuration
type Features = Configuration['features']

export const presentPortalConfiguration = (
  _view: View,
  configuration: PortalConfiguration,
): Wire<Configuration> => ({
  id: configuration.id,
  object: 'billing_portal.configuration',
  active: configuration.active,
  application: null,
  business_profile: { ...configuration.business_profile },
  created: configuration.created,
  default_return_url: configuration.default_return_url,
  features: presentFeatures(configuration),
  is_default: configuration.is_default,
  livemode: false,
  login_page: { enabled: false, url: null },
  metadata: configuration.metadata,
  name: configuration.name,
  updated: configuration.updated,
})

function presentFeatures({ features }: PortalConfiguration): Wire<Features> {
  const { customer_update, invoice_history, payment_method_update, subscription_cancel } = features
  const { products: _, ...update } = features.subscription_update
  return {
    customer_update: { ...customer_update, allowed_updates: [...customer_update.allowed_updates] },
    invoice_history: { ...invoice_history },
    payment_method_update: { ...payment_method_update, payment_method_configuration: null },
    subscription_cancel: {
      ...subscription_cancel,
      cancellation_reason: {
        ...subscription_cancel.cancellation_reason,
        feedback_options: null,
        options: [...subscription_cancel.cancellation_reason.options],
      },
    },
    subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
    subscription_update: {
      ...update,
      default_allowed_updates: [...update.default_allowed_updates],
      products: presentPortalProducts(features.subscription_update),
      schedule_at_period_end: {
        conditions: update.schedule_at_period_end.conditions.map((type) => ({ type })),
      },
    },
  }
}

/** Presents the products of a configuration; null for every product of the merchant. */
const presentPortalProducts = ({
  products,
}: PortalConfiguration['features']['subscription_update']): Wire<
  NonNullable<Features['subscription_update']['products']>
> | null =>
  products?.map(({ product, prices, adjustable_quantity }) => ({
    adjustable_quantity: { ...adjustable_quantity },
    prices: [...prices],
    product,
  })) ?? null

export const presentPortalSession = (
  view: View,
  session: PortalSession,
): Wire<Stripe.BillingPortal.Session> => ({
  id: session.id,
  object: 'billing_portal.session',
  after_expiration: null,
  configuration: session.configuration,
  created: session.created,
  customer: session.customer,
  customer_account: null,
  flow: session.flow && presentFlow(session.flow),
  livemode: false,
  locale: session.locale,
  on_behalf_of: null,
  return_url: session.return_url,
  url: portalUrl(view, session.id),
})

type PresentedFlow = Wire<Stripe.BillingPortal.Session.Flow>
type Steps = Pick<PresentedFlow, Exclude<FlowType, 'payment_method_update'>>

const NO_STEPS: Steps & Pick<PresentedFlow, 'subscription_pause'> = {
  customer_update: null,
  subscription_cancel: null,
  subscription_pause: null,
  subscription_update: null,
  subscription_update_confirm: null,
}

const presentFlow = ({ step, after_completion }: Flow): PresentedFlow => ({
  after_completion: {
    hosted_confirmation:
      after_completion.type === 'hosted_confirmation'
        ? { custom_message: after_completion.custom_message }
        : null,
    redirect: after_completion.type === 'redirect' ? { return_url: after_completion.return_url } : null,
    type: after_completion.type,
  },
  ...NO_STEPS,
  ...presentStep(step),
  type: step.type,
})

function presentStep(step: Flow['step']): Partial<Steps> {
  switch (step.type) {
    case 'customer_update':
      return { customer_update: {} }
    case 'payment_method_update':
      return {}
    case 'subscription_cancel':
      return { subscription_cancel: { retention: null, subscription: step.subscription } }
    case 'subscription_update':
      return { subscription_update: { subscription: step.subscription } }
    case 'subscription_update_confirm': {
      const { item, discounts, subscription } = step
      const { id, price, quantity } = item
      return {
        subscription_update_confirm: {
          discounts: discounts?.map((discount) => ({ ...discount })) ?? null,
          items: [{ id, price, ...(quantity !== null && { quantity }) }],
          subscription,
        },
      }
    }
  }
}
