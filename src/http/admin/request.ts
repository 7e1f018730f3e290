import * as z from 'zod'
import { kindOfId } from '../../core/kinds.ts'
import { requestsOfObject } from '../../engine/history/events.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import { merchantOfObject } from '../../engine/resources/merchant.ts'
import { mapTexts } from '../../text/map-texts.ts'
import { patternOfSecret } from '../../text/secret.ts'
import { deferred } from '../deferred.ts'
import { resumePoint } from '../event.ts'
import { pageOf, pageParams } from '../pagination.ts'
import { presentRequest, type RequestLogEntry } from '../request-log.ts'
import { requestDetailsSchema, requestList } from '../schemas/request.ts'
import { wantsStream } from '../stream.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const listParams = deferred(() =>
  z.object({
    ...pageParams,
    merchant: z.string().optional(),
    ignored_params: z.boolean().optional(),
    object: z.string().optional(),
  }),
)

/** Masks the admin token, which has no form of its own, in case it was sent in a wrong place. */
function withoutToken(token: string): <Value>(value: Value) => Value {
  const pattern = patternOfSecret(token)
  return <Value>(value: Value) => mapTexts(value, (text) => text.replace(pattern, '…')) as Value
}

/** The maximum number of an object's newest events whose requests are found. */
const EVENTS_READ = 100

/** Returns the ids of the requests that caused the newest events of an object; none for an unknown object. */
function requestsOf(engine: Engine, id: string): ReadonlySet<string> {
  const kind = kindOfId(id)
  const owner = kind && merchantOfObject(engine, kind, id)
  return new Set(owner ? requestsOfObject(engine, owner, { kind, id }, EVENTS_READ) : [])
}

export function requestRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'requests',
      summary: 'Lists the last requests to /v1, newest first, or streams them as they are answered.',
      params: listParams,
      returns: requestList,
      streams: true,
    },
    ({ c, services, params }) => {
      const merchant =
        params.merchant === undefined ? null : theMerchant(services.engine, params.merchant).settings.id
      const { object, ignored_params: onlyIgnored = false } = params
      const alsoOf = object === undefined ? undefined : () => requestsOf(services.engine, object)
      const wanted = { merchant, onlyIgnored, object, alsoOf }
      const safe = withoutToken(services.adminToken)
      const present = (request: RequestLogEntry) => safe(presentRequest(request))
      if (wantsStream(c.req.header('accept'))) {
        const after = resumePoint(c.req.header('last-event-id'), params)
        return services.requests.stream(wanted, { after, present })
      }
      return pageOf(c.req.path, services.requests.list(wanted), params, present)
    },
  )
  add(
    {
      method: 'get',
      path: 'requests/:id',
      summary: 'Retrieves one of the last requests to /v1, with its parameters and its response.',
      returns: requestDetailsSchema,
    },
    ({ services, id }) => withoutToken(services.adminToken)(services.requests.show(id)),
  )
}
