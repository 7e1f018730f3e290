import * as z from 'zod'
import { findEvent } from '../../engine/history/events.ts'
import { deferred } from '../deferred.ts'
import { eventListParams, presentEventList, resumePoint, typesOf } from '../event.ts'
import { STATE_HEADER } from '../live-streams.ts'
import { eventList, eventSchema } from '../schemas/event.ts'
import { wantsStream } from '../stream.ts'
import { eventFormOf, formParam } from './event-form.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const listParams = deferred(() =>
  eventListParams().extend({ merchant: z.string().optional(), form: formParam() }),
)

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
    async ({ c, services, params }) => {
      const merchant = params.merchant === undefined ? null : theMerchant(services.engine, params.merchant)
      const form = await eventFormOf(services, params.form, merchant)
      if (!wantsStream(c.req.header('accept')))
        return presentEventList(services, merchant, c.req.path, params, form)
      const after = resumePoint(c.req.header('last-event-id'), params)
      const state = c.req.header(STATE_HEADER)
      return services.streams.open({
        merchant,
        types: typesOf(params, form.matching),
        after,
        state,
        key: null,
        present: form.present,
        form: params.form,
      })
    },
  )
  add(
    {
      method: 'get',
      path: 'events/:id',
      summary: 'Retrieves an event of any merchant.',
      params: deferred(() => z.object({ form: formParam() })),
      returns: eventSchema,
    },
    async ({ services, id, params }) => {
      const { present } = await eventFormOf(services, params.form, null)
      return present(findEvent(services.engine, null, id))
    },
  )
}
