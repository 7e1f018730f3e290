import type { Command } from 'commander'
import type { List, WebhookDelivery, WebhookEndpoint } from '../../client/types.ts'
import { addVerb, wholeNumber } from '../command.ts'
import { wrongUsage } from '../failure.ts'
import type { Io } from '../io.ts'
import { ownEventType } from '../related-events.ts'
import { resolveMerchant } from '../scope.ts'
import { instant } from '../show/format.ts'
import type { Column, Output } from '../show/output.ts'
import { forwardCommand } from './listen.ts'
import { deliveriesCommand } from './webhooks-deliveries.ts'
import { listen } from './webhooks-listen.ts'

type MerchantOption = { merchant?: string }

/** `paytwin webhooks`. */
export function webhookCommands(program: Command, io: Io): void {
  const webhooks = program.command('webhooks').description('Manage webhook endpoints and their deliveries.')

  addVerb<MerchantOption & { event?: string[] }>(webhooks, io, {
    usage: 'create <URL>',
    about:
      'Create a webhook endpoint, which receives events from now on. Its signing secret is shown only once.',
    arguments: { URL: 'the URL that receives the events' },
    options: (command) =>
      command
        .option('--event <TYPE...>', "the event types to send, such as 'invoice.*' (default all)")
        .option('--merchant <ID>', 'the merchant whose events are sent; required with several merchants'),
    examples: [
      'paytwin webhooks create http://localhost:3000/webhooks',
      "paytwin webhooks create http://localhost:3000/webhooks --event 'invoice.*' subscription.deleted",
    ],
    run: async ({ client, out }, { merchant: named, event }, [url = '']) => {
      const merchant = await resolveMerchant(client, named)
      out.show(
        await client.createWebhook({ url, enabled_events: event?.map(ownEventType), merchant }),
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

  addVerb<MerchantOption>(webhooks, io, {
    usage: 'list',
    about: 'List webhook endpoints, newest first.',
    options: (command) =>
      command.option('--merchant <ID>', 'the merchant of the endpoints; required with several merchants'),
    examples: ['paytwin webhooks list'],
    run: async ({ client, out }, { merchant: named }) => {
      const merchant = await resolveMerchant(client, named)
      out.show(await client.webhooks({ merchant, limit: 100 }), ({ data }) =>
        out.table(ENDPOINT_COLUMNS, data, 'No webhook endpoints.'),
      )
    },
  })

  addVerb(webhooks, io, {
    usage: 'delete <ID>',
    about: 'Delete a webhook endpoint and cancel its pending deliveries.',
    arguments: { ID: 'the ID of the endpoint (we_…)' },
    examples: ['paytwin webhooks delete we_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) =>
      out.show(await client.deleteWebhook(id), (deleted) => out.line(`Deleted ${deleted.id}.`)),
  })

  deliveriesCommand(webhooks, io)

  addVerb<MerchantOption & { all?: boolean }>(webhooks, io, {
    usage: 'retry [ID]',
    about:
      'Retry deliveries now instead of at their scheduled time: one delivery, those of an endpoint, or all that wait for a retry.',
    arguments: { ID: 'the ID of the delivery (whd_…), or of an endpoint (we_…) to retry its deliveries' },
    options: (command) =>
      command
        .option('--all', 'retry every delivery that waits for a retry')
        .option('--merchant <ID>', 'with --all, only deliveries of this merchant'),
    examples: ['paytwin webhooks retry --all', 'paytwin webhooks retry we_0123456789abcd'],
    run: async ({ client, out }, { all, merchant }, [id]) => {
      if (all ? id !== undefined : id === undefined) {
        throw wrongUsage('Give either the ID of a delivery or an endpoint, or --all.')
      }
      if (!all && merchant !== undefined) throw wrongUsage('--merchant can only be used with --all.')
      showSent(out, await client.retryWebhooks(id === undefined ? { all: true, merchant } : { id }))
    },
  })

  forwardCommand(webhooks, io)

  addVerb<MerchantOption & { port: number; event?: string[] }>(webhooks, io, {
    usage: 'listen',
    about:
      'Receive webhooks: verify and print each delivery until Ctrl-C. Creates an endpoint at the start, and deletes it at the ' +
      "end. To send events to your application, use 'paytwin webhooks forward' or 'paytwin listen --forward-to'.",
    options: (command) =>
      command
        .option('--port <N>', 'the port to listen on; 0 for any free port', wholeNumber, 0)
        .option('--event <TYPE...>', "the event types to receive, such as 'invoice.*' (default all)")
        .option('--merchant <ID>', 'the merchant whose events are received; required with several merchants'),
    examples: ['paytwin webhooks listen', "paytwin webhooks listen --port 3000 --event 'invoice.*' --json"],
    run: async (invocation, { merchant: named, port, event }) => {
      const merchant = await resolveMerchant(invocation.client, named)
      await listen(invocation, { merchant, port, enabled_events: event?.map(ownEventType) })
    },
  })
}

/** Prints deliveries that were just created or retried. */
export const showSent = (out: Output, sent: List<WebhookDelivery>): void =>
  out.show(sent, ({ data, has_more }) => {
    for (const { event, endpoint } of data) out.line(`Sending ${event} to ${endpoint}.`)
    if (data.length === 0) out.line('Nothing to send: no endpoint is subscribed, and no delivery waits.')
    if (has_more) out.line('Older deliveries are sent too.')
  })

const ENDPOINT_COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { title: 'ID', cell: ({ id }) => id },
  {
    title: 'STATUS',
    cell: ({ status }) => ({ text: status, colour: status === 'enabled' ? 'green' : 'yellow' }),
  },
  { title: 'URL', cell: ({ url }) => url, minWidth: 20 },
  { title: 'EVENTS', cell: ({ enabled_events }) => enabled_events.join(' '), minWidth: 10 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
]
