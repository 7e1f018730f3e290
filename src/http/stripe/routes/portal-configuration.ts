import type Stripe from 'stripe'
import { createConfiguration, updateConfiguration } from '../../../engine/resources/portal-configuration.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { presentPortalConfiguration } from '../present/portal.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'
import { configurationOf, createParams, listParams, updateParams } from './portal-configuration-params.ts'

const NAME = 'billing_portal.configuration'
const PATH = '/v1/billing_portal/configurations'
const configuration = returning<Wire<Stripe.BillingPortal.Configuration>>(NAME)

export function portalConfigurationRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: PATH,
      summary: 'Creates a configuration of the customer portal. Features that are not given are disabled.',
      params: createParams,
      returns: configuration,
    },
    ({ unit, view, params }) =>
      presentPortalConfiguration(view, createConfiguration(unit, configurationOf(params))),
  )
  api.read(
    {
      method: 'get',
      path: PATH,
      summary: 'Lists configurations of the customer portal.',
      params: listParams,
      returns: returningList<Wire<Stripe.BillingPortal.Configuration>>(NAME),
    },
    (call) => {
      const filters = (['active', 'is_default'] as const).flatMap((field) => {
        const wanted = call.params[field]
        return wanted === undefined ? [] : [{ field, is: wanted ? 1 : 0 }]
      })
      return listKind(call, 'billing_portal_configuration', filters, presentPortalConfiguration)
    },
  )
  api.read(
    {
      method: 'get',
      path: `${PATH}/:id`,
      summary: 'Retrieves a configuration of the customer portal.',
      returns: configuration,
    },
    ({ view, id }) => presentPortalConfiguration(view, retrieve(view, 'billing_portal_configuration', id)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id`,
      summary: 'Updates a configuration of the customer portal. Parts that are not given stay as they are.',
      params: updateParams,
      returns: configuration,
    },
    ({ unit, view, id, params: { active, ...params } }) =>
      presentPortalConfiguration(view, updateConfiguration(unit, id, { ...configurationOf(params), active })),
  )
}
