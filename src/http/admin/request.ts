import * as z from 'zod'
import { resumePoint } from '../event.ts'
import { pageOf, pageParams } from '../pagination.ts'
import { presentRequest } from '../request-log.ts'
import { requestList } from '../schemas/request.ts'
import { wantsStream } from '../stream.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const listParams = z.object({ ...pageParams, merchant: z.string().optional() })

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
    ({ c, site, params }) => {
      const merchant =
        params.merchant === undefined ? null : theMerchant(site.engine, params.merchant).settings.id
      if (wantsStream(c.req.header('accept'))) {
        return site.requests.stream(merchant, resumePoint(c.req.header('last-event-id'), params))
      }
      return pageOf(c.req.path, site.requests.list(merchant), params, presentRequest)
    },
  )
}
