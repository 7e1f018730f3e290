import type { Story } from './api.ts'
import { ask, type Caller, pathPart, withQuery } from './calls.ts'
import { requireText } from './options.ts'
import type { CustomerTimeline, Event, InvoiceTimeline, SubscriptionTimeline } from './resources.ts'

/** The resource of the admin API for each prefix of IDs. */
const RESOURCES: Readonly<Record<string, string>> = {
  sub: 'subscriptions',
  cus: 'customers',
  in: 'invoices',
}

/** The width of a story, in columns. */
const WIDTH = 100
/** The number of newest events that are searched for subscriptions. */
const EVENTS_SEARCHED = 100

/**
 * Reads the timeline of a subscription, a customer or an invoice.
 * @throws RequestRefused if it does not exist; TypeError for the ID of another object, or for no text
 */
export async function storyOf(admin: Caller, id: string): Promise<Story> {
  requireText('The id of story', id)
  const resource = RESOURCES[id.slice(0, id.indexOf('_'))]
  if (resource === undefined)
    throw new TypeError(
      `'${id}' is not the ID of a subscription (sub_…), a customer (cus_…) or an invoice (in_…)`,
    )
  const data = await ask<Story['data']>(admin, 'GET', `/_paytwin/${resource}/${pathPart(id)}`)
  return { id, text: await textOf(data), data }
}

/** Reads the timelines of the subscriptions that changed last. */
export async function storiesOf(admin: Caller, limit: number): Promise<readonly Story[]> {
  const path = withQuery('/_paytwin/events', { limit: EVENTS_SEARCHED })
  const { data } = await ask<{ data: readonly Event[] }>(admin, 'GET', path)
  const ids = new Set(data.flatMap((event) => subscriptionOf(event) ?? []))
  const stories: Story[] = []
  for (const id of [...ids].slice(0, limit)) stories.push(await storyOf(admin, id))
  return stories
}

/** Returns the subscription of an event. */
function subscriptionOf({ data }: Event): string | undefined {
  const { object, id, subscription }: Readonly<Record<string, unknown>> = { ...data.object }
  const found = object === 'subscription' ? id : subscription
  return typeof found === 'string' ? found : undefined
}

/** Draws a timeline, below a line with the object and its status. */
async function textOf(shown: SubscriptionTimeline | CustomerTimeline | InvoiceTimeline): Promise<string> {
  // Loaded only here, because few tests draw timelines.
  const { drawTimeline, namerOf } = await import('../timeline/drawing.ts')
  const { textOf: plain } = await import('../text/span.ts')
  const { object, id, related, timeline } = shown
  const status = 'status' in shown ? `  ${shown.status}` : ''
  const name = object === 'customer' ? namerOf(related) : () => ''
  const lines = drawTimeline({ timeline, name, ofInvoice: object === 'invoice', all: false }, WIDTH)
  return [`${object} ${id}${status}`, ...lines.map((line) => line.map(plain).join(''))].join('\n')
}
