/** @jsxImportSource hono/jsx */
import type { Event, List } from '../client/types.ts'
import { EVENT_TYPES } from '../core/kinds.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext, Section } from './context.ts'
import { endpointsOf } from './endpoints.ts'
import { EventTable } from './event-table.tsx'
import { framed } from './frame.tsx'
import { streamUrl } from './live.tsx'
import { ObjectLink } from './object-link.tsx'
import { given, isFirstPage, Pager } from './pager.tsx'
import { Cause, deliveriesOf } from './related.tsx'
import { Empty, Json, Panel } from './text.tsx'
import { Delivery } from './webhooks.tsx'

const LIMIT = 50

/** The pages of events: the list, and each event with its payload. */
export const eventPages: Section = (context) => {
  const [id, ...others] = context.rest
  if (context.method !== 'GET' || others.length > 0) return undefined
  return id === undefined ? showEvents(context) : showEvent(context, id)
}

async function showEvents(context: PageContext): Promise<Response> {
  const { api, merchant, base, query } = context
  const [path, type, object] = [`${base}/events`, given(query, 'type'), given(query, 'object')]
  const found = await api.get<List<Event>>('events', {
    merchant: merchant.id,
    type,
    object,
    starting_after: given(query, 'after'),
    ending_before: given(query, 'before'),
    limit: LIMIT,
  })
  const isFirst = isFirstPage(query)
  return framed(context, {
    title: 'Events',
    // The stream has the events of all objects.
    live:
      isFirst && object === undefined
        ? streamUrl(base, { rows: '', type, after: found.data[0]?.id })
        : undefined,
    content: (
      <>
        <form class="filters" method="get" action={path}>
          <label>
            Type
            <select name="type">
              <option value="">all</option>
              {EVENT_TYPES.map((each) => (
                <option value={each} selected={each === type}>
                  {each}
                </option>
              ))}
            </select>
          </label>
          <label>
            Object: ID
            <input type="search" name="object" value={object ?? ''} />
          </label>
          <button type="submit">Filter</button>
          {type === undefined && object === undefined ? null : <a href={path}>Show all</a>}
        </form>
        <Panel
          title="Events, newest first"
          more={<Pager {...found} path={path} query={query} kept={['type', 'object']} />}
        >
          {found.data.length === 0 ? (
            <Empty>
              {type === undefined && object === undefined
                ? 'No events yet. Every change of an object, by a request or the clock, adds one.'
                : 'Nothing matches.'}
            </Empty>
          ) : null}
          <EventTable base={base} events={found.data} isLive={isFirst && object === undefined} />
        </Panel>
      </>
    ),
  })
}

async function showEvent(context: PageContext, id: string): Promise<Response> {
  const { api, base, formToken } = context
  const event = await api.get<Event & { readonly request: { readonly id: string | null } }>(
    `events/${encodeURIComponent(id)}`,
  )
  const { created, type, data, request } = event
  const deliveries = await deliveriesOf(context, [id])
  const urls = new Map((await endpointsOf(context)).map((endpoint) => [endpoint.id, endpoint.url]))
  const { object, previous_attributes: before } = data
  return framed(context, {
    title: type,
    content: (
      <>
        <p class="subtitle">
          <Time at={created} /> <code>{event.id}</code>
        </p>
        <Panel title="Fields">
          <dl class="fields">
            <div>
              <dt>Object</dt>
              <dd>
                <ObjectLink base={base} object={object.object} id={object.id} />
              </dd>
            </div>
            <div>
              <dt>Caused by</dt>
              <dd>
                <Cause base={base} request={request.id} />
              </dd>
            </div>
          </dl>
        </Panel>
        {before ? (
          <Panel title="Former values">
            <Json value={before} label="Former values as JSON" />
          </Panel>
        ) : null}
        <Panel title="Webhooks">
          {deliveries.length === 0 ? (
            <Empty>The event was sent to no endpoint.</Empty>
          ) : (
            <ul class="rows">
              {deliveries.map((delivery) => (
                <Delivery
                  base={base}
                  formToken={formToken}
                  delivery={delivery}
                  url={urls.get(delivery.endpoint) ?? 'a deleted endpoint'}
                />
              ))}
            </ul>
          )}
        </Panel>
        <Panel title="Payload">
          <Json value={event} label="Payload as JSON" />
        </Panel>
      </>
    ),
  })
}
