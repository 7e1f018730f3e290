/** @jsxImportSource hono/jsx */
import type { InboxWebhook, List, WebhookEndpoint } from '../client/types.ts'
import { inboxUrl } from '../http/dashboard/inbox-url.ts'
import { Time } from '../http/html/time.tsx'
import { type PageContext, redirectTo } from './context.ts'
import { framed } from './frame.tsx'
import { isFirstPage, Pager } from './pager.tsx'
import { PostForm } from './post-form.tsx'
import { Body, Empty, Fields, Panel, Scroll } from './text.tsx'

const LIMIT = 50

const inboxOf = ({ url, merchant }: PageContext): string => inboxUrl(url, merchant.id)

/** The built-in webhook receiver, for applications without one: a link to it, or the form that creates its endpoint. */
export const InboxPanel = ({
  context,
  endpoints,
}: {
  context: PageContext
  endpoints: readonly WebhookEndpoint[]
}) => {
  const { base, formToken } = context
  const url = inboxOf(context)
  return (
    <Panel title="Built-in receiver">
      <p>
        paytwin can receive webhooks itself, for applications that have no receiver yet. It verifies each
        signature, and keeps the last 100 webhooks in memory.
      </p>
      {endpoints.some((endpoint) => endpoint.url === url) ? (
        <p>
          <a href={`${base}/webhooks/inbox`}>Received webhooks</a>
        </p>
      ) : (
        <PostForm action={`${base}/webhooks/inbox`} formToken={formToken} label="Receive webhooks here" />
      )}
    </Panel>
  )
}

/** Creates the endpoint that sends all events to the built-in receiver. @throws ApiError */
export async function createInbox(context: PageContext): Promise<Response> {
  const { api, merchant, base } = context
  await api.post('webhooks', {
    merchant: merchant.id,
    url: inboxOf(context),
    description: 'Built-in receiver',
  })
  return redirectTo(`${base}/webhooks/inbox`)
}

const Signature = ({ received: { signed_by } }: { received: InboxWebhook }) =>
  signed_by === null ? <span class="status bad">invalid</span> : <span class="status good">verified</span>

/** Shows the webhooks that the built-in receiver got. */
export async function showInbox(context: PageContext): Promise<Response> {
  const { api, base, merchant, query } = context
  const path = `${base}/webhooks/inbox`
  const found = await api.get<List<InboxWebhook>>('webhooks/received', {
    merchant: merchant.id,
    starting_after: query.get('after') ?? undefined,
    ending_before: query.get('before') ?? undefined,
    limit: LIMIT,
  })
  return framed(context, {
    title: 'Received webhooks',
    polls: isFirstPage(query),
    content: (
      <>
        <p class="subtitle">
          <code>{inboxOf(context)}</code>
        </p>
        <Panel
          part="received"
          title="Received webhooks, newest first"
          more={<Pager {...found} path={path} query={query} kept={[]} />}
        >
          {found.data.length === 0 ? (
            <Empty>
              No webhooks yet. The next event is sent here, if <a href={`${base}/webhooks`}>an endpoint</a>{' '}
              has the address above.
            </Empty>
          ) : (
            <Scroll label="Received webhooks">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Webhook</th>
                    <th scope="col">Signature</th>
                    <th scope="col">Time (wall clock)</th>
                    <th scope="col">Event</th>
                  </tr>
                </thead>
                <tbody>
                  {found.data.map((received) => (
                    <tr>
                      <td>
                        <a class="id" href={`${path}/${encodeURIComponent(received.id)}`}>
                          {received.event_type ?? 'no event'}
                        </a>
                      </td>
                      <td>
                        <Signature received={received} />
                      </td>
                      <td>
                        <Time at={Math.floor(received.time / 1_000)} />
                      </td>
                      <td>
                        <code>{received.event ?? ''}</code>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )}
        </Panel>
      </>
    ),
  })
}

/** Shows a received webhook with its headers and its body. */
export async function showReceived(context: PageContext, id: string): Promise<Response> {
  const { api, base } = context
  const received = await api.get<InboxWebhook>(`webhooks/received/${encodeURIComponent(id)}`)
  const { event, event_type, signed_by, signature_error, headers, body, is_body_cut } = received
  return framed(context, {
    title: event_type ?? 'Received webhook',
    content: (
      <>
        <p class="subtitle">
          Signature <Signature received={received} /> <code>{received.id}</code>
        </p>
        <Panel title="Fields">
          <Fields
            fields={[
              ['Time (wall clock)', <Time at={Math.floor(received.time / 1_000)} />],
              [
                'Event',
                event === null ? (
                  'the body is no event'
                ) : (
                  <a class="id" href={`${base}/events/${encodeURIComponent(event)}`}>
                    {event}
                  </a>
                ),
              ],
              [
                'Signature',
                signed_by === null ? (
                  signature_error
                ) : (
                  <>
                    made with the secret of{' '}
                    <a class="id" href={`${base}/webhooks/${encodeURIComponent(signed_by)}`}>
                      {signed_by}
                    </a>
                  </>
                ),
              ],
            ]}
          />
        </Panel>
        <Panel title="Headers">
          <Fields
            fields={Object.entries(headers).map(([name, value]) => [
              name,
              <code class="value">{value}</code>,
            ])}
          />
        </Panel>
        <Panel title="Body">
          {is_body_cut ? <Empty>Only the beginning was kept.</Empty> : null}
          <Body text={body} label="Body" />
        </Panel>
      </>
    ),
  })
}
