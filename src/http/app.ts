import { type Context, Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { NEWEST_API_VERSION } from '../core/api-version.ts'
import { routeMissing } from '../core/errors.ts'
import { requestId } from '../engine/machine/ids.ts'
import { adminRoutes } from './admin/routes.ts'
import type { AdminServices } from './admin/services.ts'
import { Api } from './api.ts'
import { clockRoutes } from './clock.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { OtherDialect } from './dialect.ts'
import { documentationRoutes } from './documentation.ts'
import { eventRoutes } from './event.ts'
import { serveHeadRequests } from './head.ts'
import { inboxRoute } from './inbox-route.ts'
import type { Serve } from './incoming.ts'
import { authorizationRoutes } from './oauth/authorization.ts'
import { consentRoutes } from './oauth/authorize.ts'
import { ClientApi } from './oauth/client-api.ts'
import { tokenRoutes } from './oauth/token.ts'
import { pathOf } from './request-path.ts'
import { RESOURCES } from './resources.ts'
import { errorBody, json, knownError } from './respond.ts'
import { preflight } from './response-headers.ts'
import type { Registered } from './route.ts'
import { testClockRoutes } from './test-clock.ts'

/** The HTTP application and its registered routes. */
export type App = {
  readonly app: Hono
  readonly routes: readonly Registered[]
  /** The functions that serve requests of /v1 without hono's context: see Api. */
  readonly serves: Api['serves']
}

/** The routes that accept publishable keys in other dialects only. */
export const FOREIGN_PUBLIC_ROUTES = [
  ['POST', '/v1/payment_methods'],
  ['GET', '/v1/setup_intents/:id'],
  ['POST', '/v1/setup_intents/:id/confirm'],
] as const

/** The paths of the pages for customers: of Checkout and authentications, of invoices and receipts, and of the portal. */
const HOSTED_PATHS = ['/c/*', '/i/*', '/p/*', '/receipts/*']

/** Creates the HTTP application: /v1 for merchants, /_paytwin for the operator, the documentation, and the dashboard. */
export function createApp(services: AdminServices): App {
  // The router that hono chooses for these routes, after it has tried a faster one that cannot express some of them.
  const app = new Hono({ router: new TrieRouter(), getPath: pathOf })
  const api = new Api(app, services, { otherDialect: stripeDialect(services) })
  const { webhook_endpoint, ...resources } = RESOURCES
  for (const { routes } of Object.values(resources)) routes(api)
  eventRoutes(api)
  clockRoutes(api)
  testClockRoutes(api)
  authorizationRoutes(api)
  const consent = consentRoutes(app, services)
  const apps = new ClientApi(app, services)
  tokenRoutes(apps)
  webhook_endpoint.routes(api)
  // A preflight names no key, and so no merchant with another dialect.
  for (const [method, path] of FOREIGN_PUBLIC_ROUTES) app.options(path, () => preflight(method))
  api.missing()
  const routes = [...api.routes, ...consent, ...apps.routes, ...adminRoutes(app, services)]
  documentationRoutes(app, services)
  dashboardRoutes(app, services)
  inboxRoute(app, services)
  app.on(['GET', 'POST'], HOSTED_PATHS, hostedPages(services))
  app.notFound((c) =>
    json(404, errorBody(routeMissing(c.req.method, c.req.path), services.url()), {
      'Request-Id': requestId(),
      'X-API-Version': NEWEST_API_VERSION,
    }),
  )
  // Hono itself would write the error to stderr, unmasked.
  app.onError((error, c) => {
    const known = knownError(services, error, `${c.req.method} ${c.req.path}`)
    return json(known.status, errorBody(known, services.url()), {
      'Request-Id': requestId(),
      'X-API-Version': NEWEST_API_VERSION,
    })
  })
  serveHeadRequests(app)
  return { app, routes, serves: api.serves }
}

/** Serves requests in Stripe's API. Its code is loaded at its first request. */
function stripeDialect(services: AdminServices): OtherDialect {
  let loading: Promise<Serve> | undefined
  return new OtherDialect(async (incoming, read) => {
    loading ??= import('./stripe/app.ts').then(({ createStripeApi }) => createStripeApi(services))
    const serve = await loading
    return serve(incoming, read)
  })
}

/** Serves the pages for customers. Their code is loaded at the first request. */
function hostedPages(services: AdminServices): (c: Context) => Promise<Response> {
  let loading: Promise<Hono> | undefined
  return async (c) => {
    loading ??= import('./stripe/hosted/pages.ts').then(({ createHostedPages }) =>
      createHostedPages(services),
    )
    const pages = await loading
    return pages.fetch(c.req.raw, c.env)
  }
}
