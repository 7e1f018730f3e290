/** @jsxImportSource hono/jsx */
import type { WebhookEndpoint } from '../client/types.ts'
import { type PageContext, redirectTo } from './context.ts'
import { framed } from './frame.tsx'
import { given } from './pager.tsx'
import { PostForm } from './post-form.tsx'
import { Panel } from './text.tsx'

/** The form that creates an endpoint. */
export const EndpointForm = ({ base, formToken }: Pick<PageContext, 'base' | 'formToken'>) => (
  <Panel title="New endpoint">
    <PostForm
      action={`${base}/webhooks`}
      formToken={formToken}
      label="Create"
      name="Create the endpoint"
      class="stack"
    >
      <label>
        URL of your application
        <input name="url" type="url" required maxlength={2048} placeholder="http://localhost:3000/webhooks" />
      </label>
    </PostForm>
  </Panel>
)

/** Creates an endpoint for all events, and shows its secret in the response. @throws ApiError */
export async function createEndpoint(context: PageContext): Promise<Response> {
  const { api, form, merchant, base } = context
  const { id, secret } = await api.post<WebhookEndpoint>('webhooks', {
    merchant: merchant.id,
    url: given(form, 'url'),
  })
  return framed(context, {
    title: 'The endpoint was created',
    content: (
      <>
        <p class="notice good" role="status">
          Copy the secret now: it is not shown again. Your application verifies signatures with it.
        </p>
        <Panel title="Secret">
          <section aria-label="Secret">
            <pre data-secret="">{secret}</pre>
          </section>
        </Panel>
        <p>
          <a href={`${base}/webhooks/${encodeURIComponent(id)}`}>Deliveries of the endpoint</a>
        </p>
      </>
    ),
  })
}

/**
 * The actions on an endpoint, by their name in the path of the form. The browser then shows the endpoint or, if it was deleted,
 * the list.
 */
export const ENDPOINT_ACTIONS: Readonly<
  Record<string, (context: PageContext, id: string) => Promise<Response>>
> = {
  retry: async (context, id) => {
    await context.api.post('webhooks/retry', { id })
    return showAgain(context, id)
  },
  resend: async (context, id) => {
    const event = encodeURIComponent(given(context.form, 'event') ?? '')
    await context.api.post(`events/${event}/resend`, { webhook_endpoint: id })
    return showAgain(context, id)
  },
  'resend-failed': async (context, id) => {
    await context.api.post(`webhooks/${encodeURIComponent(id)}/resend`)
    return showAgain(context, id)
  },
  delete: async ({ api, base }, id) => {
    await api.delete(`webhooks/${encodeURIComponent(id)}`)
    return redirectTo(`${base}/webhooks`)
  },
}

const showAgain = ({ base }: PageContext, id: string): Response =>
  redirectTo(`${base}/webhooks/${encodeURIComponent(id)}`)
