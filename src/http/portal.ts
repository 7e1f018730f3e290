import type { PortalConfiguration } from '../core/portal-configuration.ts'
import type { PortalSession } from '../core/portal-session.ts'
import type { View } from '../engine/history/view.ts'
import type { Json } from './json.ts'
import { common, type Resource } from './resource.ts'

/**
 * Presents a configuration of the customer portal to the operator. Only Stripe's API has routes for the portal.
 * See docs/contract/customer-portal.md.
 */
const presentConfiguration = (view: View, configuration: PortalConfiguration): Json => ({
  ...common(view, 'billing_portal.configuration', configuration),
  active: configuration.active,
  is_default: configuration.is_default,
  name: configuration.name,
  default_return_url: configuration.default_return_url,
  business_profile: configuration.business_profile,
  features: configuration.features,
  updated: configuration.updated,
  metadata: configuration.metadata,
})

const presentSession = (view: View, session: PortalSession): Json => ({
  ...common(view, 'billing_portal.session', session),
  customer: session.customer,
  configuration: session.configuration,
  return_url: session.return_url,
  locale: session.locale,
  flow: session.flow,
})

export const portalConfigurationResource: Resource<'billing_portal_configuration'> = {
  collection: 'billing_portal/configurations',
  present: presentConfiguration,
  routes: () => undefined,
}

export const portalSessionResource: Resource<'billing_portal_session'> = {
  collection: 'billing_portal/sessions',
  present: presentSession,
  routes: () => undefined,
}
