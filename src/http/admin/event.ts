import * as z from 'zod'
import { findEvent } from '../../engine/history/events.ts'
import { eventListParams, presentEvent, presentEventList, resumePoint, typesOf } from '../event.ts'
import { STATE_HEADER } from '../live-streams.ts'
import { eventList, eventSchema } from '../schemas/event.ts'
import { wantsStream } from '../stream.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const listParams = eventListParams.extend({ merchant: z.string().optional() })

/** Registers the routes for events of one merchant or of all. */
export function eventAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'events',
      summary: 'Lists events of all merchants or of one, newest first, or streams new ones.',
      params: listParams,
      returns: eventList,
      streams: true,
    },
    ({ c, services, params }) => {
      const merchant = params.merchant === undefined ? null : theMerchant(services.engine, params.merchant)
      if (!wantsStream(c.req.header('accept')))
        return presentEventList(services, merchant, c.req.path, params)
      const after = resumePoint(c.req.header('last-event-id'), params)
      const state = c.req.header(STATE_HEADER)
      return services.streams.open({ merchant, types: typesOf(params), after, state, key: null })
    },
  )
  add(
    {
      method: 'get',
      path: 'events/:id',
      summary: 'Retrieves an event of any merchant.',
      returns: eventSchema,
    },
    ({ services, id }) => presentEvent(services.versions, findEvent(services.engine, null, id)),
  )
}
