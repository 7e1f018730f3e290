import type { Context, Hono } from 'hono'
import { NEWEST_API_VERSION } from '../../core/api-version.ts'
import { routeMissing } from '../../core/errors.ts'
import { requestId } from '../../engine/machine/ids.ts'
import { findMerchant } from '../../engine/resources/merchant.ts'
import { environmentFor } from '../operator-caller.ts'
import { MAX_BODY_BYTES, readBody } from '../request.ts'
import { errorBody, errorHeaders, json, knownError } from '../respond.ts'
import { checkAdminToken, checkHost } from './guard.ts'
import type { AdminServices } from './services.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE'])

/** The headers that are passed on. Without Accept, a list of events is not streamed. */
const PASSED_ON = ['content-type', 'content-encoding', 'idempotency-key', 'x-api-version']

/**
 * Registers /v1 for the operator: `/_paytwin/merchants/{id}/v1/…` responds as `/v1/…` responds to that merchant.
 * See docs/contract/operator.md#requests-for-a-merchant.
 */
export function merchantApiRoutes(app: Hono, services: AdminServices): void {
  app.all('/_paytwin/merchants/:id/v1/*', async (c) => {
    try {
      checkHost(c, services)
      checkAdminToken(c.req.header('authorization'), services.adminToken)
      const { id } = findMerchant(services.engine, c.req.param('id'), 'merchant').settings
      return await app.fetch(await requestOf(c), environmentFor(c.env, id))
    } catch (error) {
      const known = knownError(services, error, `${c.req.method} ${c.req.path}`)
      return json(known.status, errorBody(known, services.url()), {
        'Request-Id': requestId(),
        'X-API-Version': NEWEST_API_VERSION,
        ...errorHeaders(known),
      })
    }
  })
}

/** Makes the request to /v1. @throws ApiError resource_missing, parameter_invalid for a body that is too large */
async function requestOf(c: Context): Promise<Request> {
  const { method } = c.req
  const url = new URL(c.req.url)
  const [, path] = /^\/_paytwin\/merchants\/[^/]+(\/v1\/.*)$/.exec(url.pathname) ?? []
  if (!METHODS.has(method) || path === undefined) throw routeMissing(method, c.req.path)
  const headers = PASSED_ON.flatMap((name): [string, string][] => {
    const value = c.req.header(name)
    return value === undefined ? [] : [[name, value]]
  })
  const body = method === 'GET' ? '' : await readBody(c, MAX_BODY_BYTES)
  return new Request(url.origin + path + url.search, {
    method,
    headers,
    ...(body !== '' && { body }),
  })
}
