/** @jsxImportSource hono/jsx */
import type { List, LoggedRequest } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext, Section } from './context.ts'
import { framed } from './frame.tsx'
import { given, isFirstPage, Pager } from './pager.tsx'
import { Cut, Empty, Panel, Scroll } from './text.tsx'

const LIMIT = 50

/** The pages of requests: the last ones to /v1, as the request log keeps them, and each with its curl command. */
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
          The last 1,000 requests to the API, kept in memory without their bodies.{' '}
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

/** Lists notes about a request: its error, and what its sender may not have noticed. */
const notesOf = ({ code, replayed, ignored_params }: LoggedRequest): readonly string[] => [
  ...(code === null ? [] : [code]),
  ...(replayed ? ['replayed'] : []),
  ...(ignored_params.length === 0 ? [] : [`ignored: ${ignored_params.join(', ')}`]),
]

const ResponseStatus = ({ status }: Pick<LoggedRequest, 'status'>) => (
  <span class={`status ${status < 400 ? 'good' : 'bad'}`}>{status}</span>
)

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

async function showRequest(context: PageContext, id: string): Promise<Response> {
  const request = await context.api.get<LoggedRequest>(`requests/${encodeURIComponent(id)}`)
  const { method, path, time, code, key, replayed, ignored_params, duration_ms } = request
  const fields = [
    ['Time (wall clock)', <Time at={Math.floor(time / 1_000)} />],
    ['Status', <ResponseStatus {...request} />],
    ['Error', code ?? 'none'],
    [
      'Idempotency',
      replayed ? 'a replay: the response of an earlier request with the same key' : 'no replay',
    ],
    ['Ignored parameters', ignored_params.length === 0 ? 'none' : ignored_params.join(', ')],
    ['API key', key ?? 'none'],
    ['Duration', `${duration_ms} ms`],
  ] as const
  return framed(context, {
    title: 'Request',
    content: (
      <>
        <p class="subtitle">
          <code class="value">
            {method} {path}
          </code>{' '}
          <code>{request.id}</code>
        </p>
        <Panel title="Fields">
          <dl class="fields">
            {fields.map(([name, value]) => (
              <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </Panel>
        <Panel
          title="curl"
          more={
            // The script shows the button.
            <button type="button" class="quiet" data-copies="curl" hidden>
              Copy
            </button>
          }
        >
          <pre id="curl">{curlOf(context.url, request)}</pre>
          <p class="empty">
            Set <code>PAYTWIN_SECRET_KEY</code> to a secret key of the merchant.{' '}
            {method === 'POST' ? 'The log keeps no bodies: add the parameters with -d name=value. ' : ''}
            {path.includes('[redacted]') ? 'Put the secret in place of [redacted]. ' : ''}
            {path.endsWith('…') ? 'The log has only the beginning of the path. ' : ''}
          </p>
        </Panel>
      </>
    ),
  })
}

/** Builds the command that sends a request again, without its body. Globbing is off, because parameters have brackets. */
export function curlOf(url: string, { method, path }: Pick<LoggedRequest, 'method' | 'path'>): string {
  const target = `'${(url + path).replaceAll("'", String.raw`'\''`)}'`
  return `curl --globoff -X ${method} ${target} \\\n  -u "$PAYTWIN_SECRET_KEY:"`
}
