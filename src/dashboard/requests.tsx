/** @jsxImportSource hono/jsx */
import type { List, LoggedRequest } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext, Section } from './context.ts'
import { framed } from './frame.tsx'
import { given, isFirstPage, Pager } from './pager.tsx'
import { ResponseStatus, showRequest } from './request-page.tsx'
import { Cut, Empty, Panel, Scroll } from './text.tsx'

const LIMIT = 50

/** The pages of requests: the list of the last requests to /v1, and each with its bodies and a curl command. */
export const requestPages: Section = (context) => {
  const [id, ...others] = context.rest
  if (context.method !== 'GET' || others.length > 0) return undefined
  return id === undefined ? showRequests(context) : showRequest(context, id)
}

async function showRequests(context: PageContext): Promise<Response> {
  const { api, merchant, base, query } = context
  const path = `${base}/requests`
  const onlyIgnored = query.get('ignored') === 'true'
  const object = given(query, 'object')
  const found = await api.get<List<LoggedRequest>>('requests', {
    merchant: merchant.id,
    ignored_params: onlyIgnored ? true : undefined,
    object,
    starting_after: given(query, 'after'),
    ending_before: given(query, 'before'),
    limit: LIMIT,
  })
  const isFiltered = onlyIgnored || object !== undefined
  return framed(context, {
    title: 'Requests',
    polls: isFirstPage(query),
    content: (
      <>
        <p class="lead">
          The last 1,000 requests to the API, kept in memory.{' '}
          {isFiltered ? (
            <a href={path}>Show all</a>
          ) : (
            <a href={`${path}?ignored=true`}>Only those with ignored parameters</a>
          )}
        </p>
        <Panel
          part="requests"
          title={`Requests${object === undefined ? '' : ` that name ${object}`}, newest first`}
          more={<Pager {...found} path={path} query={query} kept={['ignored', 'object']} />}
        >
          {found.data.length > 0 ? (
            <Requests path={path} requests={found.data} />
          ) : isFiltered ? (
            <Empty>No such requests among the last 1,000.</Empty>
          ) : (
            <Empty>
              No requests yet. Requests that an application sends to <code>{context.url}/v1</code> with a key
              of this merchant are listed here.
            </Empty>
          )}
        </Panel>
      </>
    ),
  })
}

/** Lists notes about a request: its error, a replay, and ignored parameters. */
const notesOf = ({ code, replayed, ignored_params }: LoggedRequest): readonly string[] => [
  ...(code === null ? [] : [code]),
  ...(replayed ? ['replayed'] : []),
  ...(ignored_params.length === 0 ? [] : [`ignored: ${ignored_params.join(', ')}`]),
]

/** A table of requests. @param props.path - the path of their pages */
export const Requests = ({ path: base, requests }: { path: string; requests: readonly LoggedRequest[] }) => (
  <Scroll label="Requests">
    <table>
      <thead>
        <tr>
          <th scope="col">Request</th>
          <th scope="col">Status</th>
          <th scope="col">Notes</th>
          <th scope="col">Time (wall clock)</th>
          <th scope="col">Key</th>
          <th scope="col" class="number">
            ms
          </th>
        </tr>
      </thead>
      <tbody>
        {requests.map((request) => (
          <tr>
            <td>
              <a class="value" href={`${base}/${encodeURIComponent(request.id)}`}>
                <code>
                  {request.method} {request.path}
                </code>
              </a>
            </td>
            <td>
              <ResponseStatus {...request} />
            </td>
            <td>{notesOf(request).join('; ')}</td>
            <td>
              <Time at={Math.floor(request.time / 1_000)} />
            </td>
            <td>
              <Cut text={request.key ?? 'none'} />
            </td>
            <td class="number">{request.duration_ms}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)
