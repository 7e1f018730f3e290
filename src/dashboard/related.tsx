/** @jsxImportSource hono/jsx */
import type { Event, List, LoggedRequest, WebhookDelivery } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext } from './context.ts'
import { endpointsOf } from './endpoints.ts'
import { Requests } from './requests.tsx'
import { Cut, Empty, Panel, Scroll, Status } from './text.tsx'

/** The maximum number of events and of requests that the page of an object shows. */
const LIMIT = 10

type CausedEvent = Event & { readonly request: { readonly id: string | null } }

/** The newest events of an object, their deliveries, and the requests for it. */
export type RelatedToObject = {
  readonly events: List<CausedEvent>
  readonly deliveries: readonly WebhookDelivery[]
  /** The urls of the endpoints by id. */
  readonly urls: ReadonlyMap<string, string>
  readonly requests: List<LoggedRequest>
}

/** Reads the newest events, deliveries and requests of an object. */
export async function readRelated(context: PageContext, id: string): Promise<RelatedToObject> {
  const { api, merchant } = context
  const ofObject = { merchant: merchant.id, object: id, limit: LIMIT }
  const events = await api.get<List<CausedEvent>>('events', ofObject)
  const requests = await api.get<List<LoggedRequest>>('requests', ofObject)
  const endpoints = await endpointsOf(context)
  return {
    events,
    requests,
    urls: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint.url])),
    deliveries: await deliveriesOf(
      context,
      events.data.map((event) => event.id),
    ),
  }
}

/** The maximum number of deliveries of a page. */
const MAX_DELIVERIES = 100

/** Lists the newest deliveries of events, of all endpoints. */
export async function deliveriesOf(
  { api, merchant }: PageContext,
  events: readonly string[],
): Promise<readonly WebhookDelivery[]> {
  if (events.length === 0) return []
  const named = events.map((event, index) => [`events[${index}]`, event] as const)
  const found = await api.get<List<WebhookDelivery>>('webhooks/deliveries', {
    merchant: merchant.id,
    limit: MAX_DELIVERIES,
    ...Object.fromEntries(named),
  })
  return found.data
}

type RelatedProps = { readonly base: string; readonly id: string; readonly related: RelatedToObject }

/** The events of an object, the deliveries of these events to webhooks, and the requests for the object. */
export const Related = ({ base, id, related }: RelatedProps) => {
  const query = new URLSearchParams({ object: id })
  const { events, deliveries, urls, requests } = related
  return (
    <>
      <Panel
        title="Events"
        part="events"
        more={events.has_more ? <a href={`${base}/events?${query}`}>All events</a> : null}
      >
        {events.data.length === 0 ? <Empty>No events.</Empty> : <Events base={base} events={events.data} />}
      </Panel>
      <Panel title="Webhooks" part="webhooks">
        {deliveries.length === 0 ? (
          <Empty>These events were sent to no endpoint.</Empty>
        ) : (
          <Deliveries base={base} deliveries={deliveries} events={events.data} urls={urls} />
        )}
      </Panel>
      <Panel
        title="Requests"
        part="requests"
        more={requests.has_more ? <a href={`${base}/requests?${query}`}>All requests</a> : null}
      >
        {requests.data.length === 0 ? (
          <Empty>None of the last 1,000 requests.</Empty>
        ) : (
          <Requests path={`${base}/requests`} requests={requests.data} />
        )}
      </Panel>
    </>
  )
}

const Events = ({ base, events }: { base: string; events: readonly CausedEvent[] }) => (
  <Scroll label="Events of the object">
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Event</th>
          <th scope="col">Caused by</th>
          <th scope="col">ID</th>
        </tr>
      </thead>
      <tbody>
        {events.map(({ id, type, created, request }) => (
          <tr>
            <td>
              <Time at={created} />
            </td>
            <td>
              <a href={`${base}/events/${encodeURIComponent(id)}`}>{type}</a>
            </td>
            <td>
              <Cause base={base} request={request.id} />
            </td>
            <td>
              <code>{id}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)

/**
 * The cause of an event: a request to the API, or else the clock or the operator. The request log may no longer have the
 * request.
 */
export const Cause = ({ base, request }: { base: string; request: string | null }) =>
  request === null ? (
    <>the clock or the operator</>
  ) : (
    <a class="id" href={`${base}/requests/${encodeURIComponent(request)}`}>
      {request}
    </a>
  )

type DeliveriesProps = {
  readonly base: string
  readonly deliveries: readonly WebhookDelivery[]
  readonly events: readonly Event[]
  readonly urls: ReadonlyMap<string, string>
}

const Deliveries = ({ base, deliveries, events, urls }: DeliveriesProps) => {
  const types = new Map(events.map(({ id, type }) => [id, type]))
  return (
    <Scroll label="Deliveries of these events">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Event</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Attempts
            </th>
            <th scope="col">Endpoint</th>
            <th scope="col">Last response</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ event, endpoint, created, attempts, status }) => (
            <tr>
              <td>
                <Time at={created} />
              </td>
              <td>
                <a href={`${base}/events/${encodeURIComponent(event)}`}>{types.get(event) ?? event}</a>
              </td>
              <td>
                <Status status={status} />
              </td>
              <td class="number">{attempts.length}</td>
              <td>
                {urls.has(endpoint) ? (
                  <a
                    class="cut"
                    title={urls.get(endpoint)}
                    href={`${base}/webhooks/${encodeURIComponent(endpoint)}`}
                  >
                    {urls.get(endpoint)}
                  </a>
                ) : (
                  'deleted'
                )}
              </td>
              <td>
                <Cut text={responseOf(attempts.at(-1))} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/** Describes the result of an attempt: the status of the response, or why there was none. */
const responseOf = (attempt: WebhookDelivery['attempts'][number] | undefined): string =>
  attempt === undefined ? '–' : String(attempt.response_status ?? attempt.error ?? '–')
