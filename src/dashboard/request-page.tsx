/** @jsxImportSource hono/jsx */
import type { LoggedRequest, RequestDetails } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import { curlOf } from '../text/curl.ts'
import type { PageContext } from './context.ts'
import { framed } from './frame.tsx'
import { Body, CopyButton, Empty, Fields, Json, Panel } from './text.tsx'

/** Shows a request with its parameters, its response and its curl command. */
export async function showRequest(context: PageContext, id: string): Promise<Response> {
  const request = await context.api.get<RequestDetails>(`requests/${encodeURIComponent(id)}`)
  const { method, path, time, code, key, ignored_params, duration_ms, content } = request
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
          <Fields
            fields={[
              ['Time (wall clock)', <Time at={Math.floor(time / 1_000)} />],
              ['Status', <ResponseStatus {...request} />],
              ['Error', code ?? 'none'],
              ['Idempotency', idempotencyText(request)],
              ['Ignored parameters', ignored_params.length === 0 ? 'none' : ignored_params.join(', ')],
              ['API key', key ?? 'none'],
              ['Duration', `${duration_ms} ms`],
            ]}
          />
        </Panel>
        {content === null ? (
          <Panel title="Bodies">
            <Empty>Dropped, to limit the memory of the log. Those of newer requests are kept.</Empty>
          </Panel>
        ) : (
          <Bodies {...content} />
        )}
        <Curl url={context.url} request={request} />
      </>
    ),
  })
}

export const ResponseStatus = ({ status }: Pick<LoggedRequest, 'status'>) => (
  <span class={`status ${status < 400 ? 'good' : 'bad'}`}>{status}</span>
)

function idempotencyText({ replayed, content }: RequestDetails) {
  const key = content?.idempotency_key ?? null
  if (replayed) {
    return (
      <>
        a replay: the response to an earlier request with the same key{' '}
        {key === null ? '' : <code>{key}</code>}
      </>
    )
  }
  return key === null ? 'no key' : <code>{key}</code>
}

/** The parameters of a request, and its response. */
const Bodies = ({ params, body_format, response_body, is_cut }: NonNullable<RequestDetails['content']>) => (
  <>
    {is_cut ? <p class="lead">Parameters and responses are cut after 16,384 characters.</p> : null}
    <Panel title={body_format === null ? 'Parameters' : `Parameters, as ${FORMATS[body_format]}`}>
      {params === null ? (
        <Empty>The request had no body, or none that could be read.</Empty>
      ) : (
        <Json value={params} label="Parameters as JSON" />
      )}
    </Panel>
    <Panel title="Response">
      {response_body === null ? (
        <Empty>A stream or a page, which the log does not keep.</Empty>
      ) : (
        <Body text={response_body} label="Response as JSON" />
      )}
    </Panel>
  </>
)

const FORMATS = { form: 'a form', json: 'JSON' } as const

const Curl = ({ url, request }: { url: string; request: RequestDetails }) => {
  const curl = curlOf(url, request)
  return (
    <Panel title="curl" more={<CopyButton of="curl" />}>
      <pre id="curl">{curl}</pre>
      <p class="empty">
        Set <code>PAYTWIN_SECRET_KEY</code> to a secret key of the merchant.{' '}
        {curl.includes('[redacted]') || curl.includes('%5Bredacted%5D')
          ? 'Put the secret in place of [redacted]. '
          : ''}
        {request.content?.is_cut || request.path.endsWith('…')
          ? 'The log has only the beginning of what was sent. '
          : ''}
        {request.method === 'POST' && request.content === null
          ? 'Add the parameters with -d name=value. '
          : ''}
      </p>
    </Panel>
  )
}
