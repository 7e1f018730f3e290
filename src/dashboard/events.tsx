/** @jsxImportSource hono/jsx */
import type { Event, List, LoggedRequest } from '../client/types.ts'
import { EVENT_TYPES } from '../core/kinds.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext, Section } from './context.ts'
import { EventTable } from './event-table.tsx'
import { framed } from './frame.tsx'
import { streamUrl } from './live.tsx'
import { ObjectLink } from './object-link.tsx'
import { given, isFirstPage, Pager } from './pager.tsx'
import { Empty, Json, Panel, Scroll } from './text.tsx'

const LIMIT = 50

/** The pages of events: the list, and each event with its payload. */
export const eventPages: Section = (context) => {
  const [id, ...others] = context.rest
  if (context.method !== 'GET' || others.length > 0) return undefined
  return id === undefined ? showEvents(context) : showEvent(context, id)
}

async function showEvents(context: PageContext): Promise<Response> {
  const { api, merchant, base, query } = context
  const [path, type] = [`${base}/events`, given(query, 'type')]
  const found = await api.get<List<Event>>('events', {
    merchant: merchant.id,
    type,
    starting_after: given(query, 'after'),
    ending_before: given(query, 'before'),
    limit: LIMIT,
  })
  const isFirst = isFirstPage(query)
  return framed(context, {
    title: 'Events',
    live: isFirst ? streamUrl(base, { rows: '', type, after: found.data[0]?.id }) : undefined,
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
          <button type="submit">Filter</button>
          {type === undefined ? null : <a href={path}>Show all</a>}
        </form>
        <Panel
          title="Events, newest first"
          more={<Pager {...found} path={path} query={query} kept={['type']} />}
        >
          {found.data.length === 0 ? (
            <Empty>{type === undefined ? 'No events yet.' : 'No events of this type.'}</Empty>
          ) : null}
          <EventTable base={base} events={found.data} isLive={isFirst} />
        </Panel>
      </>
    ),
  })
}

async function showEvent(context: PageContext, id: string): Promise<Response> {
  const { api, base } = context
  const event = await api.get<Event & { readonly request: { readonly id: string | null } }>(
    `events/${encodeURIComponent(id)}`,
  )
  const { created, type, data, request } = event
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
              <dd>{request.id === null ? 'the clock' : `the request ${request.id}`}</dd>
            </div>
          </dl>
        </Panel>
        {before ? (
          <Panel title="Former values">
            <Json value={before} label="Former values as JSON" />
          </Panel>
        ) : null}
        <Panel title="Payload">
          <Json value={event} label="Payload as JSON" />
        </Panel>
      </>
    ),
  })
}

/** The page of requests: the last ones to /v1, as the request log keeps them. */
export const requestPage: Section = (context) =>
  context.method === 'GET' && context.rest.length === 0 ? showRequests(context) : undefined

async function showRequests(context: PageContext): Promise<Response> {
  const { api, merchant, base, query } = context
  const path = `${base}/requests`
  const onlyIgnored = query.get('ignored') === 'true'
  const found = await api.get<List<LoggedRequest>>('requests', {
    merchant: merchant.id,
    ignored_params: onlyIgnored ? true : undefined,
    starting_after: given(query, 'after'),
    ending_before: given(query, 'before'),
    limit: LIMIT,
  })
  return framed(context, {
    title: 'Requests',
    polls: isFirstPage(query),
    content: (
      <>
        <p class="lead">
          The last requests to the API, kept in memory.{' '}
          {onlyIgnored ? (
            <a href={path}>Show all</a>
          ) : (
            <a href={`${path}?ignored=true`}>Only those with ignored parameters</a>
          )}
        </p>
        <Panel
          part="requests"
          title="Requests, newest first"
          more={<Pager {...found} path={path} query={query} kept={['ignored']} />}
        >
          {found.data.length === 0 ? <Empty>No requests.</Empty> : <Requests requests={found.data} />}
        </Panel>
      </>
    ),
  })
}

const Requests = ({ requests }: { requests: readonly LoggedRequest[] }) => (
  <Scroll label="Requests">
    <table>
      <thead>
        <tr>
          <th scope="col">Time (wall clock)</th>
          <th scope="col">Request</th>
          <th scope="col">Status</th>
          <th scope="col">Notes</th>
          <th scope="col">Key</th>
          <th scope="col" class="number">
            ms
          </th>
        </tr>
      </thead>
      <tbody>
        {requests.map(({ time, method, path, status, code, key, replayed, ignored_params, duration_ms }) => (
          <tr>
            <td>
              <Time at={Math.floor(time / 1_000)} />
            </td>
            <td>
              <code class="value">
                {method} {path}
              </code>
            </td>
            <td>
              <span class={`status ${status < 400 ? 'good' : 'bad'}`}>{status}</span>
            </td>
            <td>
              {[
                code ?? '',
                replayed ? 'replayed' : '',
                ignored_params.length === 0 ? '' : `ignored: ${ignored_params.join(', ')}`,
              ]
                .filter((text) => text !== '')
                .join('; ')}
            </td>
            <td>{key ?? 'none'}</td>
            <td class="number">{duration_ms}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)
