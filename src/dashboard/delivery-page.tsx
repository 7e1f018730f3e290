/** @jsxImportSource hono/jsx */
import type { DeliveryWithRequest, WebhookDelivery } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext } from './context.ts'
import { framed } from './frame.tsx'
import { PostForm } from './post-form.tsx'
import { Body, Empty, Fields, Panel, Status } from './text.tsx'

/** Shows a delivery: its request, and each attempt with the response. */
export async function showDelivery(context: PageContext, id: string): Promise<Response> {
  const { api, base, formToken } = context
  const delivery = await api.get<DeliveryWithRequest>(`webhooks/deliveries/${encodeURIComponent(id)}`)
  const { event, event_type, endpoint, url, status, next_attempt, attempts, request_body } = delivery
  const endpointPath = `${base}/webhooks/${encodeURIComponent(endpoint)}`
  return framed(context, {
    title: `Delivery of ${event_type}`,
    content: (
      <>
        <p class="subtitle">
          <Status status={status} /> <code>{delivery.id}</code>
        </p>
        <div class="actions">
          <PostForm
            action={`${endpointPath}/resend`}
            formToken={formToken}
            label="Send again"
            name={`Send again: ${event}`}
          >
            <input type="hidden" name="event" value={event} />
          </PostForm>
        </div>
        <Panel title="Fields">
          <Fields
            fields={[
              ['Endpoint', <a href={endpointPath}>{url}</a>],
              [
                'Event',
                <a class="id" href={`${base}/events/${encodeURIComponent(event)}`}>
                  {event}
                </a>,
              ],
              ['Created', <Time at={delivery.created} />],
              ['Next attempt', next_attempt === null ? 'none' : <Time at={next_attempt} />],
            ]}
          />
        </Panel>
        <Panel title="Attempts, oldest first">
          {attempts.length === 0 ? (
            <Empty>No attempts yet.</Empty>
          ) : (
            <ol class="rows">
              {attempts.map((attempt, index) => (
                <Attempt attempt={attempt} number={index + 1} />
              ))}
            </ol>
          )}
        </Panel>
        <Panel title="Request body">
          <Empty>As it would be sent now, signed with the secret of the endpoint.</Empty>
          <Body text={request_body} label="Request body" />
        </Panel>
      </>
    ),
  })
}

const Attempt = ({
  attempt: { time, response_status, response_body, error, duration_ms },
  number,
}: {
  attempt: WebhookDelivery['attempts'][number]
  number: number
}) => (
  <li>
    <span>
      <Time at={time} /> {response_status === null ? error : `responded ${response_status}`} in {duration_ms}{' '}
      ms
      {response_body ? <Body text={response_body} label={`Response to attempt ${number}`} /> : null}
    </span>
  </li>
)
