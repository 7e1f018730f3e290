import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { NEWEST_API_VERSION } from '../../core/api-version.ts'
import { ApiError, routeMissing } from '../../core/errors.ts'
import { requestId } from '../../engine/ids.ts'
import type { Answer } from '../json.ts'
import { checkParams, namesAsHeader, type Schema, unknownParams } from '../params.ts'
import { readBody, readParams } from '../request.ts'
import { errorBody, errorHeaders, json, knownError } from '../respond.ts'
import type { Registered } from '../route.ts'
import { retryIfReplaced } from '../start-over.ts'
import { appRoutes } from './app.ts'
import { authorizationAdminRoutes } from './authorization.ts'
import { clockAdminRoutes } from './clock.ts'
import { eventAdminRoutes } from './event.ts'
import { faultRoutes } from './fault.ts'
import { fixtureRoutes } from './fixture.ts'
import { checkAdminToken, checkHost } from './guard.ts'
import { keyRoutes } from './key.ts'
import { merchantRoutes } from './merchant.ts'
import { requestRoutes } from './request.ts'
import type { AddRoute, AdminCall, AdminRoute, AdminServices } from './services.ts'
import { shutdownRoutes } from './shutdown.ts'
import { snapshotRoutes } from './snapshot.ts'
import { statusRoutes } from './status.ts'
import { timelineRoutes } from './timeline.ts'
import { triggerRoutes } from './trigger.ts'
import { webhookAdminRoutes } from './webhook.ts'

const MAX_BODY_BYTES = 64 * 1_048_576

const NO_PARAMS = z.object({})

/** Registers the admin API under /_paytwin. See docs/contract/operator.md#admin-api. */
export function adminRoutes(app: Hono, site: AdminServices): Registered[] {
  const routes: Registered[] = []
  const add: AddRoute = (route, answer) => {
    const path = `/_paytwin/${route.path}`
    routes.push({ ...route, path, audience: route.isOpen ? 'everybody' : 'operator' })
    app.on(route.method.toUpperCase(), path, (c) => handle(c, site, route, answer))
  }
  statusRoutes(add)
  shutdownRoutes(add)
  faultRoutes(add)
  keyRoutes(add)
  merchantRoutes(add)
  clockAdminRoutes(add)
  eventAdminRoutes(add)
  appRoutes(add)
  authorizationAdminRoutes(add)
  snapshotRoutes(add)
  timelineRoutes(add)
  requestRoutes(add)
  triggerRoutes(add)
  webhookAdminRoutes(add)
  fixtureRoutes(add)
  app.all('/_paytwin/*', (c) => handle(c, site, {}, () => routeMissing(c.req.method, c.req.path)))
  return routes
}

/** The parts of a route that handling a request needs. */
type HandlingOptions<Params> = Pick<
  AdminRoute<Params, unknown>,
  'params' | 'status' | 'isOpen' | 'maxBodyBytes'
>

async function handle<Params>(
  c: Context,
  site: AdminServices,
  route: HandlingOptions<Params>,
  answer: (call: AdminCall<Params>) => Answer | Promise<Answer>,
): Promise<Response> {
  const own = requestId()
  const headers: Record<string, string> = { 'Request-Id': own, 'X-API-Version': NEWEST_API_VERSION }
  try {
    checkHost({ host: c.req.header('host'), origin: c.req.header('origin') }, site.allowedHosts)
    if (!route.isOpen) checkAdminToken(c.req.header('authorization'), site.adminToken)
    if (c.req.method === 'HEAD') throw routeMissing(c.req.method, c.req.path)
    const { raw, isForm } = await readParams(c, () => readBody(c, route.maxBodyBytes ?? MAX_BODY_BYTES))
    const params = checkParams((route.params ?? NO_PARAMS) as Schema<Params>, raw, { isForm })
    const ignored = unknownParams(raw, params)
    if (ignored.length > 0) headers['Paytwin-Ignored-Params'] = namesAsHeader(ignored)
    const call = { c, site, params, id: c.req.param('id') ?? '', requestId: own }
    const result = await retryIfReplaced(async () => answer(call))
    if (result instanceof ApiError) throw result
    if (!(result instanceof Response)) return json(route.status ?? 200, result, headers)
    for (const [name, value] of Object.entries(headers)) result.headers.set(name, value)
    return result
  } catch (error) {
    const known = knownError(site, error, `${c.req.method} ${c.req.path}`)
    return json(known.status, errorBody(known, site.url()), { ...headers, ...errorHeaders(known) })
  }
}
