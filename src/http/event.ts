import * as z from 'zod'
import { isSameJson } from '../core/json-text.ts'
import { type AnyEventType, isOfObject, type Kind } from '../core/kinds.ts'
import { type AnyEventFilter, findAnyEvent, listAnyEvents } from '../engine/history/any-events.ts'
import { type EventPage, listEventsOfObject } from '../engine/history/events.ts'
import { type AnyEvent, type EventWithObject, readLengthOf } from '../engine/history/view.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import type { Api } from './api.ts'
import { checkOpensStream } from './auth.ts'
import { presentTestClock } from './clock.ts'
import { deferred } from './deferred.ts'
import { eventPattern, matchingTypes } from './event-types.ts'
import type { Json } from './json.ts'
import { STATE_HEADER } from './live-streams.ts'
import { createdFilters, createdParam, cursorOf, type List, page, pageParams } from './pagination.ts'
import { present } from './resources.ts'
import { type EventShape, eventList, eventSchema } from './schemas/event.ts'
import type { HttpServices } from './services.ts'
import { wantsStream } from './stream.ts'
import type { VersionHistory } from './versions.ts'

/** A form of events: how to present them, and which types a name or glob selects. */
export type EventForm<Shape> = {
  readonly present: (event: AnyEvent) => Shape
  /** @throws ApiError parameter_invalid for a name or glob that matches no type */
  readonly matching: (pattern: string, param: string) => AnyEventType[]
}

/** Returns the form of events in paytwin's own API. */
export const ownForm = (versions: VersionHistory): EventForm<EventShape> => ({
  present: (event) => presentEvent(versions, event),
  matching: matchingTypes,
})

/** An object whose events are listed. */
export type ObjectOfMerchant = { readonly merchant: MerchantState; readonly kind: Kind; readonly id: string }

const typeParams = { type: eventPattern().optional(), types: z.array(eventPattern()).max(100).optional() }
export const eventListParams = deferred(() =>
  z.object({ ...pageParams, ...typeParams, created: createdParam() }),
)
type EventListParams = z.infer<ReturnType<typeof eventListParams>>

export function eventRoutes(api: Api): void {
  api.read(
    {
      method: 'get',
      path: '/v1/events',
      summary: 'Lists events, newest first, or streams new ones.',
      params: eventListParams,
      returns: eventList,
      streams: true,
    },
    ({ c, services, merchant, params }) => {
      if (wantsStream(c.req.header('accept'))) {
        const { keyId: key, expires } = checkOpensStream(services, c.req.header('authorization'), c.req)
        return services.streams.open({
          merchant,
          types: typesOf(params),
          after: resumePoint(c.req.header('last-event-id'), params),
          state: c.req.header(STATE_HEADER),
          key,
          expires,
        })
      }
      return presentEventList(services, merchant, c.req.path, params, ownForm(services.versions))
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/events/:id',
      summary: 'Retrieves an event.',
      returns: eventSchema,
    },
    ({ services, merchant, id }) =>
      presentEvent(services.versions, findAnyEvent(services.engine, merchant, id)),
  )
}

/** Returns the event after which a stream resumes: Last-Event-ID or starting_after. See docs/contract/events-and-webhooks.md#event-streams. */
export function resumePoint(
  lastEventId: string | undefined,
  { starting_after }: Pick<EventListParams, 'starting_after'>,
): { id: string; param: string } | undefined {
  if (lastEventId) return { id: lastEventId, param: 'Last-Event-ID' }
  return starting_after === undefined ? undefined : { id: starting_after, param: 'starting_after' }
}

/** Presents a page of events of one merchant, of all merchants (null), or of one object. */
export function presentEventList<Shape>(
  { engine }: Pick<HttpServices, 'engine'>,
  of: MerchantState | ObjectOfMerchant | null,
  url: string,
  params: EventListParams,
  { present: show, matching }: EventForm<Shape>,
): List<Shape> {
  const cursor = cursorOf(params)
  const isBackward = cursor?.param === 'ending_before'
  const filter = { types: typesOf(params, matching), created: createdFilters(params.created) }
  const wanted = { limit: params.limit + 1, cursor: cursor && { ...cursor, isBackward } }
  const found =
    of && 'kind' in of
      ? eventsOfObject(engine, of, filter, wanted)
      : listAnyEvents(engine, of, filter, wanted)
  return page(url, found, { limit: params.limit, isBackward, readLength: readLengthOf }, show)
}

/** Lists the events of an object that have one of the types; types of test clocks are of no object. */
function eventsOfObject(
  engine: HttpServices['engine'],
  of: ObjectOfMerchant,
  { types, created }: AnyEventFilter,
  wanted: EventPage,
): Iterable<EventWithObject> {
  const ofObjects = types.filter(isOfObject)
  if (types.length > 0 && ofObjects.length === 0) return []
  return listEventsOfObject(engine, of.merchant, of, { types: ofObjects, created }, wanted)
}

/**
 * Returns the event types that `type` and `types[]` select; empty for all.
 * @throws ApiError parameter_invalid if a name or glob matches no type
 */
export function typesOf(
  { type, types }: Pick<EventListParams, 'type' | 'types'>,
  matching: EventForm<unknown>['matching'] = matchingTypes,
): AnyEventType[] {
  const named = [
    ...(type === undefined ? [] : [['type', type] as const]),
    ...(types ?? []).map((name, index) => [`types[${index}]`, name] as const),
  ]
  return [...new Set(named.flatMap(([param, pattern]) => matching(pattern, param)))]
}

/**
 * Presents an event. previous_attributes has the previous values of the fields that an update changed.
 * See docs/contract/events-and-webhooks.md#event-object.
 */
export function presentEvent(versions: VersionHistory, event: AnyEvent): EventShape {
  const { entry, id, pending, view } = event
  const version = versions.dates[entry.api_version] ?? versions.newest
  return {
    id,
    object: 'event',
    type: entry.type,
    api_version: version,
    created: entry.created,
    livemode: false,
    merchant_id: view.merchant.id,
    data:
      event.kind === 'test_clock'
        ? { object: presentTestClock(view.merchant.id, event.clock) }
        : dataOf(event, (object) => versions.downgrade(version, object, view)),
    request: { id: entry.request, idempotency_key: entry.idempotency_key },
    pending_webhooks: pending,
  }
}

function dataOf(
  { kind, isPreview, after, before, view }: EventWithObject,
  inVersion: (object: Json) => Json,
): EventShape['data'] {
  const show = (object: EventWithObject['after']) => inVersion(present(view, kind, object))
  const object = isPreview ? { ...show(after), id: null } : show(after)
  return before ? { object, previous_attributes: previousAttributes(show(before), object) } : { object }
}

/** Returns the previous values of the fields that changed. */
export const previousAttributes = (before: Json, after: Json): Json =>
  Object.fromEntries(Object.entries(before).filter(([name, value]) => !isSameJson(value, after[name])))
