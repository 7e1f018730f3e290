import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { readEach } from '../../client/read-each.ts'
import type { List, WebhookDelivery } from '../../client/types.ts'
import { addVerb, wholeNumber } from '../command.ts'
import type { Io } from '../io.ts'
import { isRelated, type RelatedTo, readEvents, relatedEvents } from '../related-events.ts'
import { resolveMerchant } from '../scope.ts'
import { instant } from '../show/format.ts'
import type { Colour, Column } from '../show/output.ts'

type Options = RelatedTo & { readonly limit: number; readonly merchant?: string }
/** A delivery, and the type of its event. */
type Shown = WebhookDelivery & { readonly type: string }

const PAGE = 100

/** Adds `paytwin webhooks deliveries`. */
export function deliveriesCommand(webhooks: Command, io: Io): void {
  addVerb<Options>(webhooks, io, {
    usage: 'deliveries [ID]',
    about: 'List webhook deliveries with their event, status and last response, newest first.',
    arguments: { ID: 'the ID of the endpoint (we_…); all endpoints of the merchant if omitted' },
    options: (command) =>
      command
        .option('--subscription <ID>', 'only deliveries of events of this subscription')
        .option(
          '--customer <ID|EMAIL>',
          'only deliveries of events of this customer: an ID or an email address',
        )
        .option('-n, --limit <N>', 'maximum number of deliveries, up to 100', wholeNumber, 10)
        .option('--merchant <ID>', 'the merchant of the endpoints; required with several merchants'),
    examples: [
      'paytwin webhooks deliveries',
      'paytwin webhooks deliveries we_0123456789abcd -n 50 --json',
      'paytwin webhooks deliveries --customer ada@example.com',
    ],
    run: async ({ client, out }, options, [id]) => {
      const list = await listDeliveries(client, options, id)
      if (out.isJson) {
        out.json(list)
        return
      }
      out.table(COLUMNS, await withTypes(client, list.data), 'No deliveries.')
    },
  })
}

/** Adds the types of the events to deliveries. */
export async function withTypes(client: Client, deliveries: readonly WebhookDelivery[]): Promise<Shown[]> {
  const events = await readEvents(client, [...new Set(deliveries.map(({ event }) => event))])
  const types = new Map(events.map((event) => [event.id, event.type]))
  return deliveries.map((delivery) => ({ ...delivery, type: types.get(delivery.event) ?? '–' }))
}

/** Lists the deliveries of one endpoint or of all endpoints of a merchant, newest first. */
export async function listDeliveries(
  client: Client,
  options: Options,
  id: string | undefined,
): Promise<List<WebhookDelivery>> {
  const { limit } = options
  const related = isRelated(options) ? await relatedEvents(client, options) : undefined
  if (id !== undefined && !related) return client.webhookDeliveries(id, { limit })
  const events = related && new Set(related.entries.map((entry) => entry.id))
  const endpoints = id === undefined ? await endpointsOf(client, options.merchant) : [id]
  const pages = await readEach(endpoints, (endpoint) => newest(client, endpoint, limit, events))
  // The numbers in the IDs of a merchant's deliveries sort by time, within a second too.
  const all = pages.flatMap(({ data }) => data).sort((left, right) => (left.id < right.id ? 1 : -1))
  const has_more = all.length > limit || pages.some((page) => page.has_more)
  return { object: 'list', url: '/_paytwin/webhooks', has_more, data: all.slice(0, limit), livemode: false }
}

async function endpointsOf(client: Client, named: string | undefined): Promise<string[]> {
  const merchant = await resolveMerchant(client, named)
  const ids: string[] = []
  for (;;) {
    const { data, has_more } = await client.webhooks({ merchant, limit: PAGE, starting_after: ids.at(-1) })
    ids.push(...data.map(({ id }) => id))
    if (!has_more) return ids
  }
}

/** Reads the newest deliveries of an endpoint, page by page until enough belong to the given events. */
async function newest(
  client: Client,
  endpoint: string,
  limit: number,
  events: ReadonlySet<string> | undefined,
): Promise<{ readonly data: readonly WebhookDelivery[]; readonly has_more: boolean }> {
  if (!events) return client.webhookDeliveries(endpoint, { limit })
  const found: WebhookDelivery[] = []
  let starting_after: string | undefined
  for (;;) {
    const { data, has_more } = await client.webhookDeliveries(endpoint, { limit: PAGE, starting_after })
    found.push(...data.filter(({ event }) => events.has(event)))
    if (!has_more || found.length >= limit) return { data: found, has_more: has_more || found.length > limit }
    starting_after = data.at(-1)?.id
  }
}

const COLOURS: Readonly<Record<WebhookDelivery['status'], Colour>> = {
  pending: 'yellow',
  succeeded: 'green',
  failed: 'red',
  discarded: 'dim',
}

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'ID', cell: ({ id }) => id, omit: 4 },
  { title: 'TYPE', cell: ({ type }) => type },
  { title: 'STATUS', cell: ({ status }) => ({ text: status, colour: COLOURS[status] }) },
  { title: 'ATTEMPTS', cell: ({ attempts }) => String(attempts.length), omit: 5 },
  { title: 'RESPONSE', cell: ({ attempts }) => responseOf(attempts.at(-1)), minWidth: 12 },
  {
    title: 'NEXT ATTEMPT',
    cell: ({ next_attempt }) => (next_attempt === null ? '–' : instant(next_attempt)),
    omit: 3,
  },
  { title: 'EVENT', cell: ({ event }) => event, omit: 2 },
  { title: 'ENDPOINT', cell: ({ endpoint }) => endpoint, omit: 1 },
]

/** Formats the last response: its status and the first line of its body, or why there is none. */
function responseOf(attempt: WebhookDelivery['attempts'][number] | undefined): string {
  if (attempt === undefined) return '–'
  const { response_status, response_body, error } = attempt
  if (response_status === null) return error ?? '–'
  const [line = ''] = (response_body ?? '').trim().split('\n')
  return `${response_status} ${line.trim()}`.trim()
}
