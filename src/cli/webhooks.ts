import type { Command } from 'commander'
import type { List, WebhookDelivery, WebhookEndpoint } from '../client/types.ts'
import { addVerb, wholeNumber } from './command.ts'
import { wrongUsage } from './failure.ts'
import { instant } from './format.ts'
import type { Io } from './io.ts'
import type { Colour, Column, Output } from './output.ts'
import { meantMerchant } from './scope.ts'
import { listen } from './webhooks-listen.ts'

type Whose = { merchant?: string }

/** `paytwin webhooks`. */
export function webhookCommands(program: Command, io: Io): void {
  const webhooks = program
    .command('webhooks')
    .description('Post events to receivers, and see what became of them.')

  addVerb<Whose & { event?: string[] }>(webhooks, io, {
    usage: 'create <URL>',
    about: 'Create an endpoint: events from now on are posted to it. Its secret is shown this once.',
    arguments: { URL: 'where events are posted to' },
    options: (command) =>
      command
        .option('--event <TYPE...>', "the events that it wants, as in 'invoice.*' (default: all)")
        .option('--merchant <ID>', 'whose events; needed when there are several merchants'),
    examples: [
      'paytwin webhooks create http://localhost:3000/webhooks',
      "paytwin webhooks create http://localhost:3000/webhooks --event 'invoice.*' subscription.deleted",
    ],
    run: async ({ client, out }, { merchant: named, event }, [url = '']) => {
      const merchant = await meantMerchant(client, named)
      out.show(
        await client.createWebhook({ url, enabled_events: event, merchant }),
        ({ id, secret = '', url: receiver, enabled_events, merchant_id }) =>
          out.fields([
            ['id', id],
            ['secret', { text: secret, colour: 'bold' }],
            ['url', receiver],
            ['events', enabled_events.join(' ')],
            ['merchant', merchant_id],
          ]),
      )
    },
  })

  addVerb<Whose>(webhooks, io, {
    usage: 'list',
    about: 'List endpoints, the newest first.',
    options: (command) =>
      command.option('--merchant <ID>', 'of this merchant; needed when there are several'),
    examples: ['paytwin webhooks list'],
    run: async ({ client, out }, { merchant: named }) => {
      const merchant = await meantMerchant(client, named)
      out.show(await client.webhooks({ merchant, limit: 100 }), ({ data }) =>
        out.table(ENDPOINT_COLUMNS, data, 'No webhook endpoint.'),
      )
    },
  })

  addVerb(webhooks, io, {
    usage: 'delete <ID>',
    about: 'Delete an endpoint, and take back what is on its way to it.',
    arguments: { ID: 'the endpoint, as in we_…' },
    examples: ['paytwin webhooks delete we_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) =>
      out.show(await client.deleteWebhook(id), (deleted) => out.line(`${deleted.id} is deleted.`)),
  })

  addVerb<{ limit: number }>(webhooks, io, {
    usage: 'deliveries <ID>',
    about: 'List what was sent to an endpoint, the newest first, with the last answer.',
    arguments: { ID: 'the endpoint, as in we_…' },
    options: (command) => command.option('-n, --limit <N>', 'how many, at most 100', wholeNumber, 10),
    examples: [
      'paytwin webhooks deliveries we_0123456789abcd',
      'paytwin webhooks deliveries we_0123456789abcd -n 50 --json',
    ],
    run: async ({ client, out }, { limit }, [id = '']) =>
      out.show(await client.webhookDeliveries(id, { limit }), ({ data }) =>
        out.table(DELIVERY_COLUMNS, data, 'Nothing was sent there.'),
      ),
  })

  addVerb<Whose & { all?: boolean }>(webhooks, io, {
    usage: 'retry [ID]',
    about:
      'Send again, now, what waits to be tried again: a delivery, those of an endpoint, or with --all every one.',
    arguments: { ID: 'a delivery, as in whd_…, or an endpoint, as in we_…, for all that waits there' },
    options: (command) =>
      command
        .option('--all', 'every delivery that waits')
        .option('--merchant <ID>', 'with --all: of this merchant'),
    examples: ['paytwin webhooks retry --all', 'paytwin webhooks retry we_0123456789abcd'],
    run: async ({ client, out }, { all, merchant }, [id]) => {
      if (all ? id !== undefined : id === undefined) {
        throw wrongUsage('Give the id of a delivery or of an endpoint, or --all.')
      }
      if (!all && merchant !== undefined)
        throw wrongUsage('--merchant goes with --all: an id says whose it is.')
      showSent(out, await client.retryWebhooks(id === undefined ? { all: true, merchant } : { id }))
    },
  })

  addVerb<Whose & { port: number; event?: string[] }>(webhooks, io, {
    usage: 'listen',
    about:
      'Be a receiver: verify and print what comes, until Ctrl-C. Makes an endpoint for itself, and takes it away again.',
    options: (command) =>
      command
        .option('--port <N>', 'the port to listen on; 0 for any free one', wholeNumber, 0)
        .option('--event <TYPE...>', "the events to ask for, as in 'invoice.*' (default: all)")
        .option('--merchant <ID>', 'whose events; needed when there are several merchants'),
    examples: ['paytwin webhooks listen', "paytwin webhooks listen --port 3000 --event 'invoice.*' --json"],
    run: async (invocation, { merchant: named, port, event }) => {
      const merchant = await meantMerchant(invocation.client, named)
      await listen(invocation, { merchant, port, enabled_events: event })
    },
  })
}

/** Deliveries that were just made or sent again. */
export const showSent = (out: Output, sent: List<WebhookDelivery>): void =>
  out.show(sent, ({ data, has_more }) => {
    for (const { event, endpoint } of data) out.line(`${event} goes to ${endpoint}.`)
    if (data.length === 0) out.line('Nothing is sent: no endpoint wants it, or waits for it.')
    if (has_more) out.line('… and so do older ones.')
  })

const ENDPOINT_COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { title: 'ID', cell: ({ id }) => id },
  {
    title: 'STATUS',
    cell: ({ status }) => ({ text: status, colour: status === 'enabled' ? 'green' : 'yellow' }),
  },
  { title: 'URL', cell: ({ url }) => url },
  { title: 'EVENTS', cell: ({ enabled_events }) => enabled_events.join(' ') },
  { title: 'CREATED', cell: ({ created }) => instant(created) },
]

const COLOURS: Readonly<Record<WebhookDelivery['status'], Colour>> = {
  pending: 'yellow',
  succeeded: 'green',
  failed: 'red',
  discarded: 'dim',
}

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'EVENT', cell: ({ event }) => event },
  { title: 'STATUS', cell: ({ status }) => ({ text: status, colour: COLOURS[status] }) },
  { title: 'ATTEMPTS', cell: ({ attempts }) => String(attempts.length) },
  { title: 'ANSWER', cell: ({ attempts }) => answerOf(attempts.at(-1)) },
  { title: 'NEXT', cell: ({ next_attempt }) => (next_attempt === null ? '–' : instant(next_attempt)) },
]

const answerOf = (attempt: WebhookDelivery['attempts'][number] | undefined): string =>
  attempt === undefined
    ? '–'
    : attempt.response_status === null
      ? (attempt.error ?? '–')
      : String(attempt.response_status)
