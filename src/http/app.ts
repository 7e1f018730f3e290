import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { NEWEST_API_VERSION } from '../core/api-version.ts'
import { routeMissing } from '../core/errors.ts'
import { requestId } from '../engine/ids.ts'
import { adminRoutes } from './admin/routes.ts'
import type { AdminServices } from './admin/services.ts'
import { Api } from './api.ts'
import { chargeRoutes } from './charge.ts'
import { clockRoutes } from './clock.ts'
import { customerRoutes } from './customer.ts'
import { documentationRoutes } from './documentation.ts'
import { eventRoutes } from './event.ts'
import { invoiceRoutes } from './invoice.ts'
import { invoiceItemRoutes } from './invoice-item.ts'
import { authorizationRoutes } from './oauth/authorization.ts'
import { consentRoutes } from './oauth/authorize.ts'
import { ClientApi } from './oauth/client-api.ts'
import { tokenRoutes } from './oauth/token.ts'
import { paymentIntentRoutes } from './payment-intent.ts'
import { paymentMethodRoutes } from './payment-method.ts'
import { priceRoutes, productRoutes } from './price.ts'
import { refundRoutes } from './refund.ts'
import { errorBody, json } from './respond.ts'
import type { Registered } from './route.ts'
import { subscriptionRoutes } from './subscription.ts'
import { subscriptionItemRoutes } from './subscription-item.ts'
import { testClockRoutes } from './test-clock.ts'
import { webhookEndpointRoutes } from './webhook-endpoint.ts'

/** The HTTP application and its registered routes. */
export type App = {
  readonly app: Hono
  readonly routes: readonly Registered[]
  /** The functions that serve requests of /v1 without hono's context: see Api. */
  readonly serves: Api['serves']
}

/** Creates the HTTP application: /v1 for merchants, /_paytwin for the operator, and the documentation. */
export function createApp(site: AdminServices): App {
  // The router that hono chooses for these routes, after it has tried a faster one that cannot express some of them.
  const app = new Hono({ router: new TrieRouter() })
  const api = new Api(app, site)
  customerRoutes(api)
  productRoutes(api)
  priceRoutes(api)
  paymentMethodRoutes(api)
  subscriptionRoutes(api)
  subscriptionItemRoutes(api)
  invoiceRoutes(api)
  invoiceItemRoutes(api)
  paymentIntentRoutes(api)
  chargeRoutes(api)
  refundRoutes(api)
  eventRoutes(api)
  clockRoutes(api)
  testClockRoutes(api)
  authorizationRoutes(api)
  const consent = consentRoutes(app, site)
  const apps = new ClientApi(app, site)
  tokenRoutes(apps)
  webhookEndpointRoutes(api)
  api.missing()
  const routes = [...api.routes, ...consent, ...apps.routes, ...adminRoutes(app, site)]
  documentationRoutes(app, site, routes)
  app.notFound((c) =>
    json(404, errorBody(routeMissing(c.req.method, c.req.path), site.url()), {
      'Request-Id': requestId(),
      'X-API-Version': NEWEST_API_VERSION,
    }),
  )
  return { app, routes, serves: api.serves }
}
