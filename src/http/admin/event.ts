import * as z from 'zod'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { kindOfId } from '../../core/kinds.ts'
import { findAnyEvent } from '../../engine/history/any-events.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import { merchantOfObject } from '../../engine/resources/merchant.ts'
import { deferred } from '../deferred.ts'
import { eventListParams, type ObjectOfMerchant, presentEventList, resumePoint, typesOf } from '../event.ts'
import { STATE_HEADER } from '../live-streams.ts'
import { operatorEventList, operatorEventSchema } from '../schemas/operator-event.ts'
import { wantsStream } from '../stream.ts'
import { eventFormOf, formParam } from './event-form.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const listParams = deferred(() =>
  eventListParams().extend({
    merchant: z.string().optional(),
    object: z.string().optional(),
    form: formParam(),
  }),
)

/** Registers the routes for events of one merchant or of all. */
export function eventAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'events',
      summary: 'Lists events of all merchants, of one or of an object, newest first, or streams new ones.',
      params: listParams,
      returns: operatorEventList,
      streams: true,
    },
    async ({ c, services, params }) => {
      const merchant = params.merchant === undefined ? null : theMerchant(services.engine, params.merchant)
      const form = await eventFormOf(services, params.form, merchant)
      if (!wantsStream(c.req.header('accept'))) {
        const of = params.object === undefined ? merchant : objectOf(services.engine, params.object, merchant)
        return presentEventList(services, of, c.req.path, params, form)
      }
      if (params.object !== undefined)
        throw parameterInvalid('object', 'A stream has the events of all objects. Use object only for a list')
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
      returns: operatorEventSchema,
    },
    async ({ services, id, params }) => {
      const { present } = await eventFormOf(services, params.form, null)
      return present(findAnyEvent(services.engine, null, id))
    },
  )
}

/** Finds an object of a merchant, or of any for null. @throws ApiError resource_missing, param object */
function objectOf(engine: Engine, id: string, merchant: MerchantState | null): ObjectOfMerchant {
  const kind = kindOfId(id)
  const owner = kind && merchantOfObject(engine, kind, id)
  if (!owner || (merchant && owner !== merchant)) throw resourceMissing('object', id, 'object')
  return { merchant: owner, kind, id }
}
