import type { Hono } from 'hono'
import * as z from 'zod'
import { ApiError } from '../../core/errors.ts'
import { OPERATOR } from '../../engine/machine/turns.ts'
import { boundedText } from '../bounded-text.ts'
import { deferred } from '../deferred.ts'
import type { RouteResult } from '../json.ts'
import { checkParams, type Schema, unknownParams } from '../params.ts'
import { MISSING_ROUTE, type Steps, serve } from '../pipeline.ts'
import { readTurnOf } from '../read-turn.ts'
import { BODY_LIMITS, type Given } from '../request.ts'
import { asResponse, isResponse, textOf } from '../respond.ts'
import type { Registered } from '../route.ts'
import { appRoutes } from './app.ts'
import { authorizationAdminRoutes } from './authorization.ts'
import { checkoutAdminRoutes } from './checkout.ts'
import { clockAdminRoutes } from './clock.ts'
import { dashboardAdminRoutes } from './dashboard.ts'
import { eventAdminRoutes } from './event.ts'
import { AdminExchange } from './exchange.ts'
import { explanationRoutes } from './explanation.ts'
import { faultRoutes } from './fault.ts'
import { fixtureRoutes } from './fixture.ts'
import { checkAdminToken, checkHost, checkSender } from './guard.ts'
import { keyRoutes } from './key.ts'
import { mailRoutes } from './mail.ts'
import { merchantRoutes } from './merchant.ts'
import { merchantApiRoutes } from './merchant-api.ts'
import { overviewRoutes } from './overview.ts'
import { receivedWebhookRoutes } from './received-webhook.ts'
import { requestRoutes } from './request.ts'
import { searchRoutes } from './search.ts'
import type { AddRoute, AdminCall, AdminRoute, AdminServices } from './services.ts'
import { shutdownRoutes } from './shutdown.ts'
import { snapshotRoutes } from './snapshot.ts'
import { statusRoutes } from './status.ts'
import { timelineRoutes } from './timeline.ts'
import { triggerRoutes } from './trigger.ts'
import { webhookAdminRoutes } from './webhook.ts'

const NO_PARAMS = deferred(() => z.object({}))

/** Registers the admin API under /_paytwin. See docs/contract/operator.md#admin-api. */
export function adminRoutes(app: Hono, services: AdminServices): Registered[] {
  const routes: Registered[] = []
  const add: AddRoute = (route, handle) => {
    const path = `/_paytwin/${route.path}`
    routes.push({ ...route, path, audience: route.isOpen ? 'everybody' : 'operator' })
    const steps = stepsOf(services, route, handle)
    app.on(route.method.toUpperCase(), path, async (c) =>
      asResponse(await serve(new AdminExchange(c, services, route.body ?? BODY_LIMITS), steps)),
    )
  }
  statusRoutes(add)
  shutdownRoutes(add)
  faultRoutes(add)
  keyRoutes(add)
  merchantRoutes(add)
  clockAdminRoutes(add)
  eventAdminRoutes(add)
  mailRoutes(add)
  appRoutes(add)
  authorizationAdminRoutes(add)
  snapshotRoutes(add)
  timelineRoutes(add)
  explanationRoutes(add)
  requestRoutes(add)
  searchRoutes(add)
  triggerRoutes(add)
  webhookAdminRoutes(add)
  receivedWebhookRoutes(add)
  fixtureRoutes(add)
  dashboardAdminRoutes(add)
  checkoutAdminRoutes(add)
  overviewRoutes(add)
  merchantApiRoutes(app, services)
  const missing = {
    authenticate: (exchange: AdminExchange) => authenticate(services, exchange, false),
    ...MISSING_ROUTE,
  }
  app.all('/_paytwin/*', async (c) =>
    asResponse(await serve(new AdminExchange(c, services, BODY_LIMITS), missing)),
  )
  return routes
}

/** The steps of a request with the admin token. The admin API has no faults, no rate limit and one version. */
function stepsOf<Params>(
  services: AdminServices,
  route: AdminRoute<Params, unknown>,
  handle: (call: AdminCall<Params>) => RouteResult | Promise<RouteResult>,
): Steps<AdminExchange, void, Given, Params> {
  return {
    authenticate: (exchange) => authenticate(services, exchange, route.isOpen ?? false),
    read: (exchange) => exchange.readParams(),
    check: (exchange, { given: { raw, isForm } }) => {
      const schema = (route.params ?? NO_PARAMS)() as Schema<Params>
      const params = checkParams(schema, raw, { isForm })
      exchange.ignore(unknownParams(raw, params))
      return params
    },
    act: async ({ c, id: requestId }, { params }) => {
      // Health checks do not wait for other requests of the operator.
      if (route.method === 'get' && !route.isOpen) await readTurnOf(services, OPERATOR, c.env)
      const sender = { checkCredentials: () => checkSender(c.env) }
      sender.checkCredentials()
      const id = c.req.param('id') ?? ''
      const result = await handle({ c, services, params, id, requestId, sender })
      if (result instanceof ApiError) throw result
      if (isResponse(result)) return result
      return { status: route.status ?? 200, text: boundedText(() => textOf(result), null), headers: {} }
    },
  }
}

/** Checks the host and, unless the route is open, the admin token of a request. @throws ApiError parameter_invalid, authentication_error */
function authenticate(services: AdminServices, { c }: AdminExchange, isOpen: boolean): void {
  checkHost(c, services)
  if (!isOpen) checkAdminToken(c.req.header('authorization'), services.adminToken)
}
