/** @jsxImportSource hono/jsx */
import type { DeliveryWithType, List, WebhookDelivery } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext, Section } from './context.ts'
import { showDelivery } from './delivery-page.tsx'
import { createEndpoint, ENDPOINT_ACTIONS, EndpointForm } from './endpoint-forms.tsx'
import { endpointsOf } from './endpoints.ts'
import { framed } from './frame.tsx'
import { createInbox, InboxPanel, showInbox, showReceived } from './inbox.tsx'
import { isFirstPage, Pager } from './pager.tsx'
import { PostForm } from './post-form.tsx'
import { Cut, Empty, Panel, Status } from './text.tsx'

const LIMIT = 25

/** The pages of webhooks: the endpoints, the deliveries of one, a delivery, and the built-in receiver. */
export const webhookPages: Section = (context) => {
  const [id, further, ...others] = context.rest
  if (others.length > 0) return undefined
  if (context.method === 'POST') return act(context, id, further)
  if (id === undefined) return showEndpoints(context)
  if (id === 'inbox') return further === undefined ? showInbox(context) : showReceived(context, further)
  return further === undefined ? showDeliveries(context, id) : showDelivery(context, further)
}

function act(context: PageContext, id: string | undefined, name: string | undefined) {
  if (id === undefined) return createEndpoint(context)
  if (id === 'inbox' && name === undefined) return createInbox(context)
  const action =
    name !== undefined && Object.hasOwn(ENDPOINT_ACTIONS, name) ? ENDPOINT_ACTIONS[name] : undefined
  return action?.(context, id)
}

async function showEndpoints(context: PageContext): Promise<Response> {
  const endpoints = await endpointsOf(context)
  return framed(context, {
    title: 'Webhooks',
    content: (
      <>
        <Panel title="Endpoints, newest first">
          {endpoints.length === 0 ? (
            <Empty>
              No endpoints. Create one below, or run <code>paytwin listen</code>, which forwards events to an
              application.
            </Empty>
          ) : (
            <ul class="rows">
              {endpoints.map(({ id, url, status, enabled_events }) => (
                <li>
                  <span>
                    <a href={`${context.base}/webhooks/${encodeURIComponent(id)}`}>{url}</a>
                    <small>{enabled_events.includes('*') ? 'all events' : enabled_events.join(', ')}</small>
                  </span>
                  <Status status={status} />
                </li>
              ))}
            </ul>
          )}
        </Panel>
        <div class="columns">
          <InboxPanel context={context} endpoints={endpoints} />
          <EndpointForm {...context} />
        </div>
      </>
    ),
  })
}

async function showDeliveries(context: PageContext, id: string): Promise<Response> {
  const { api, base, query, formToken } = context
  const path = `${base}/webhooks/${encodeURIComponent(id)}`
  const found = await api.get<List<DeliveryWithType>>(`webhooks/${encodeURIComponent(id)}/deliveries`, {
    starting_after: query.get('after') ?? undefined,
    ending_before: query.get('before') ?? undefined,
    limit: LIMIT,
  })
  const endpoint = (await endpointsOf(context)).find((each) => each.id === id)
  return framed(context, {
    title: 'Webhook deliveries',
    polls: isFirstPage(query),
    content: (
      <>
        <p class="subtitle">
          {endpoint?.url} <code>{id}</code>
        </p>
        <div class="actions">
          {found.data.some(({ next_attempt }) => next_attempt !== null) ? (
            <PostForm action={`${path}/retry`} formToken={formToken} label="Send pending deliveries now" />
          ) : null}
          {found.data.some(({ status }) => status === 'failed') ? (
            <PostForm action={`${path}/resend-failed`} formToken={formToken} label="Send all failed again" />
          ) : null}
          <PostForm action={`${path}/delete`} formToken={formToken} label="Delete the endpoint" isDangerous />
        </div>
        <Panel
          part="deliveries"
          title="Deliveries, newest first"
          more={<Pager {...found} path={path} query={query} kept={[]} />}
        >
          {found.data.length === 0 ? (
            <Empty>
              No deliveries yet. The next event of a type that the endpoint listens to is delivered to it.
            </Empty>
          ) : (
            <ul class="rows">
              {found.data.map((delivery) => (
                <Delivery base={base} formToken={formToken} delivery={delivery} type={delivery.event_type} />
              ))}
            </ul>
          )}
        </Panel>
      </>
    ),
  })
}

export const deliveryPath = (base: string, { endpoint, id }: WebhookDelivery): string =>
  `${base}/webhooks/${encodeURIComponent(endpoint)}/${encodeURIComponent(id)}`

/** A delivery with its attempts and the responses to them. */
export const Delivery = ({
  base,
  formToken,
  delivery,
  type,
  url,
}: Pick<PageContext, 'base' | 'formToken'> & {
  delivery: WebhookDelivery
  /** The type of the event, in lists of several events. */
  type?: string | undefined
  /** The URL of the endpoint, in lists of several endpoints. */
  url?: string | undefined
}) => (
  <li>
    <span>
      <Time at={delivery.created} /> {type === undefined ? '' : `${type} `}
      <a class="id" href={`${base}/events/${encodeURIComponent(delivery.event)}`}>
        {delivery.event}
      </a>{' '}
      <a href={deliveryPath(base, delivery)} aria-label={`Request and responses of ${delivery.id}`}>
        Request and responses
      </a>
      {url === undefined ? null : (
        <small>
          to <Cut text={url} />
        </small>
      )}
      {delivery.attempts.map(({ time, response_status, response_body, error, duration_ms }) => (
        <small>
          <Time at={time} /> {response_status === null ? error : `responded ${response_status}`} in{' '}
          {duration_ms} ms
          {response_body ? <code class="value"> {response_body.slice(0, 500)}</code> : null}
        </small>
      ))}
      {delivery.next_attempt === null ? null : (
        <small>
          Again at <Time at={delivery.next_attempt} />
        </small>
      )}
    </span>
    <span class="buttons">
      <Status status={delivery.status} />
      <PostForm
        action={`${base}/webhooks/${encodeURIComponent(delivery.endpoint)}/resend`}
        formToken={formToken}
        label="Send again"
        name={`Send again: ${delivery.event}`}
      >
        <input type="hidden" name="event" value={delivery.event} />
      </PostForm>
    </span>
  </li>
)
