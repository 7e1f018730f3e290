/** @jsxImportSource hono/jsx */
import type { List, WebhookDelivery } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import { type PageContext, redirectTo, type Section } from './context.ts'
import { endpointsOf } from './endpoints.ts'
import { FormToken } from './form-token.tsx'
import { framed } from './frame.tsx'
import { given, isFirstPage, Pager } from './pager.tsx'
import { PostForm } from './post-form.tsx'
import { Cut, Empty, Panel, Status } from './text.tsx'

const LIMIT = 25

/** The pages of webhooks: the endpoints, the deliveries of one, and the forms that send again. */
export const webhookPages: Section = (context) => {
  const [id, verb, ...others] = context.rest
  if (others.length > 0) return undefined
  if (context.method === 'POST') {
    if (id === undefined) return undefined
    if (verb === 'retry') return retry(context, id)
    return verb === 'resend' ? resend(context, id) : undefined
  }
  if (verb !== undefined) return undefined
  return id === undefined ? showEndpoints(context) : showDeliveries(context, id)
}

async function showEndpoints(context: PageContext): Promise<Response> {
  const endpoints = await endpointsOf(context)
  return framed(context, {
    title: 'Webhooks',
    content: (
      <Panel title="Endpoints, newest first">
        {endpoints.length === 0 ? (
          <Empty>
            No endpoints. <code>paytwin webhooks create URL</code> creates one, and{' '}
            <code>paytwin listen</code> forwards events to an application.
          </Empty>
        ) : (
          <ul class="rows">
            {endpoints.map(({ id, url, status, enabled_events }) => (
              <li>
                <span>
                  <a href={`${context.base}/webhooks/${encodeURIComponent(id)}`}>{url}</a>
                  <small>{enabled_events.join(', ')}</small>
                </span>
                <Status status={status} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
    ),
  })
}

async function showDeliveries(context: PageContext, id: string): Promise<Response> {
  const { api, base, query, formToken } = context
  const path = `${base}/webhooks/${encodeURIComponent(id)}`
  const found = await api.get<List<WebhookDelivery>>(`webhooks/${encodeURIComponent(id)}/deliveries`, {
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
        {found.data.some(({ next_attempt }) => next_attempt !== null) ? (
          <form class="actions" method="post" action={`${path}/retry`}>
            <FormToken value={formToken} />
            <button type="submit">Send pending deliveries now</button>
          </form>
        ) : null}
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
                <Delivery base={base} formToken={formToken} delivery={delivery} />
              ))}
            </ul>
          )}
        </Panel>
      </>
    ),
  })
}

/** A delivery with its attempts and the responses to them. */
export const Delivery = ({
  base,
  formToken,
  delivery,
  url,
}: Pick<PageContext, 'base' | 'formToken'> & {
  delivery: WebhookDelivery
  /** The endpoint, where deliveries to several ones are shown. */
  url?: string | undefined
}) => (
  <li>
    <span>
      <Time at={delivery.created} />{' '}
      <a class="id" href={`${base}/events/${encodeURIComponent(delivery.event)}`}>
        {delivery.event}
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

/** Sends an event to the endpoint again, as a new delivery. */
async function resend(context: PageContext, id: string): Promise<Response> {
  const event = encodeURIComponent(given(context.form, 'event') ?? '')
  await context.api.post(`events/${event}/resend`, { webhook_endpoint: id })
  return redirectTo(`${context.base}/webhooks/${encodeURIComponent(id)}`)
}

async function retry(context: PageContext, id: string): Promise<Response> {
  await context.api.post('webhooks/retry', { id })
  return redirectTo(`${context.base}/webhooks/${encodeURIComponent(id)}`)
}
