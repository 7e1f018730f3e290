import * as z from 'zod'
import { parameterInvalid } from '../../../core/errors.ts'
import type { AnyEventType } from '../../../core/kinds.ts'
import { eventTypeOf, STRIPE_EVENT_NAMES } from '../../../core/stripe-event-names.ts'
import { findAnyEvent, listAnyEvents } from '../../../engine/history/any-events.ts'
import { readLengthOf } from '../../../engine/history/view.ts'
import { deferred } from '../../deferred.ts'
import { createdFilters, createdParam, cursorOf, page, pageParams } from '../../pagination.ts'
import type { StripeApi } from '../api.ts'
import { presentStripeEvent, type WireEvent } from '../event.ts'
import { returning, returningList, wireList } from '../returns.ts'

const name = deferred(() => z.string().max(100))
const listParams = deferred(() =>
  z.object({
    ...pageParams,
    type: name().optional(),
    types: z.array(name()).max(20).optional(),
    created: createdParam(),
  }),
)

export function eventRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/events',
      summary: 'Lists events.',
      params: listParams,
      returns: returningList<WireEvent>('event'),
    },
    ({ c, services, merchant, params }) => {
      const cursor = cursorOf(params)
      const isBackward = cursor?.param === 'ending_before'
      const filter = { types: typesOf(params), created: createdFilters(params.created) }
      const found = listAnyEvents(services.engine, merchant, filter, {
        limit: params.limit + 1,
        cursor: cursor && { ...cursor, isBackward },
      })
      return wireList(
        page(c.req.path, found, { limit: params.limit, isBackward, readLength: readLengthOf }, (event) =>
          presentStripeEvent(event),
        ),
      )
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/events/:id',
      summary: 'Retrieves an event.',
      returns: returning<WireEvent>('event'),
    },
    ({ services, merchant, id }) => presentStripeEvent(findAnyEvent(services.engine, merchant, id)),
  )
}

/** Returns the types of events that `type` and `types[]` select; empty for all. */
function typesOf({ type, types = [] }: z.infer<ReturnType<typeof listParams>>): AnyEventType[] {
  const single = type === undefined || type === '*' ? [] : namedTypes(type, 'type')
  return [...single, ...types.flatMap((each, index) => namedTypes(each, `types[${index}]`))]
}

/**
 * Returns the types of events that a name selects: one, or with a final `*` several.
 * @throws ApiError parameter_invalid if paytwin emits none of them
 */
export function namedTypes(given: string, param: string): AnyEventType[] {
  const matches = given.endsWith('.*')
    ? STRIPE_EVENT_NAMES.filter((known) => known.startsWith(given.slice(0, -1)))
    : [given]
  const types = matches.flatMap((each) => eventTypeOf(each) ?? [])
  if (types.length > 0) return types
  throw parameterInvalid(
    param,
    `paytwin does not emit the event ${given} yet. It emits ${STRIPE_EVENT_NAMES.join(', ')}`,
  )
}
