import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Event, List } from '../../client/types.ts'
import { eventLine } from '../../ui/event-line.ts'
import { addVerb, wholeNumber } from '../command.ts'
import { noteOfCut } from '../cut-page.ts'
import { wrongUsage } from '../failure.ts'
import type { Io } from '../io.ts'
import { isRelated, type RelatedTo, readEvents, relatedEvents } from '../related-events.ts'
import { tailCommand } from './tail.ts'
import { showSent } from './webhooks.ts'

type Wanted = { merchant?: string; type?: string[] }
type ListOptions = Wanted & RelatedTo & { limit: number; startingAfter?: string; endingBefore?: string }

/** The API's maximum for a page. */
const MAX_LIMIT = 100

/** `paytwin events`. */
export function eventCommands(program: Command, io: Io): void {
  const events = program.command('events').description('List, show, watch and resend events.')

  tailCommand(events, io, wantedOptions)

  addVerb<ListOptions>(events, io, {
    usage: 'list',
    about: 'List events, newest first.',
    options: (command) =>
      wantedOptions(command)
        .option('--subscription <ID>', 'only events of this subscription, its invoices and its payments')
        .option('--customer <ID|EMAIL>', 'only events of this customer and of all its objects')
        .option('-n, --limit <N>', 'maximum number of events, up to 100', wholeNumber, 10)
        .option('--starting-after <ID>', 'only events older than this one')
        .option('--ending-before <ID>', 'only events newer than this one'),
    examples: [
      'paytwin events list',
      "paytwin events list --type 'invoice.*' -n 100 --json",
      'paytwin events list --customer ada@example.com',
    ],
    run: async ({ client, out }, options) => {
      out.show(await listEvents(client, options), ({ data, has_more }) => {
        for (const event of data) out.line(...eventLine(event))
        const { limit, endingBefore } = options
        const shape = { limit, isBackward: endingBefore !== undefined }
        const note = isRelated(options) ? undefined : noteOfCut({ data, has_more }, shape)
        if (note !== undefined && !out.isPlain) out.note(note)
        if (data.length === 0 && !out.isPlain) out.line({ text: 'No events.', colour: 'dim' })
      })
    },
  })

  addVerb<{ to?: string }>(events, io, {
    usage: 'resend <ID>',
    about: 'Send an event again to the webhook endpoints subscribed to its type, or to one endpoint.',
    arguments: { ID: 'the ID of the event (evt_…)' },
    options: (command) => command.option('--to <ID>', 'send only to this endpoint, subscribed or not'),
    examples: ['paytwin events resend evt_0123456789abcd'],
    run: async ({ client, out }, { to }, [id = '']) =>
      showSent(out, await client.resendEvent(id, { webhook_endpoint: to })),
  })

  addVerb(events, io, {
    usage: 'show <ID>',
    about: 'Show an event with its object.',
    arguments: { ID: 'the ID of the event (evt_…)' },
    examples: ['paytwin events show evt_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) => {
      out.show(await client.event(id), (event) => {
        out.line(...eventLine(event))
        out.json(event, 2)
      })
    },
  })
}

async function listEvents(client: Client, options: ListOptions): Promise<List<Event>> {
  const { merchant, type, limit, startingAfter, endingBefore } = options
  if (!isRelated(options)) {
    const query = { merchant, types: type, starting_after: startingAfter, ending_before: endingBefore }
    return client.events({ ...query, limit })
  }
  if (startingAfter !== undefined || endingBefore !== undefined)
    throw wrongUsage(
      '--subscription and --customer cannot be combined with --starting-after or --ending-before.',
    )
  if (limit < 1 || limit > MAX_LIMIT)
    throw wrongUsage(`--limit must be from 1 to ${MAX_LIMIT}, not ${limit}.`)
  const { entries, has_more } = await relatedEvents(client, options, type)
  const ids = entries.slice(0, limit).map(({ id }) => id)
  return {
    object: 'list',
    url: '/_paytwin/events',
    has_more: has_more || entries.length > limit,
    data: await readEvents(client, ids),
    livemode: false,
  }
}

const wantedOptions = (command: Command): Command =>
  command
    .option('--merchant <ID>', 'only events of this merchant')
    .option('--type <GLOB...>', "only events of these types, such as 'invoice.*'")
