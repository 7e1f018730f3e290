import type { Command } from 'commander'
import { eventLine } from '../ui/event-line.ts'
import { addVerb, wholeNumber } from './command.ts'
import type { Io } from './io.ts'
import { tailCommand } from './tail.ts'
import { showSent } from './webhooks.ts'

type Wanted = { merchant?: string; type?: string[] }

/** `paytwin events`. */
export function eventCommands(program: Command, io: Io): void {
  const events = program.command('events').description('List, show, watch and resend events.')

  tailCommand(events, io, wantedOptions)

  addVerb<Wanted & { limit?: number; startingAfter?: string; endingBefore?: string }>(events, io, {
    usage: 'list',
    about: 'List events, newest first.',
    options: (command) =>
      wantedOptions(command)
        .option('-n, --limit <N>', 'maximum number of events, up to 100', wholeNumber, 10)
        .option('--starting-after <ID>', 'only events older than this one')
        .option('--ending-before <ID>', 'only events newer than this one'),
    examples: ['paytwin events list', "paytwin events list --type 'invoice.*' -n 100 --json"],
    run: async ({ client, out }, { merchant, type, limit, startingAfter, endingBefore }) => {
      const asked = { merchant, types: type, starting_after: startingAfter, ending_before: endingBefore }
      out.show(await client.events({ ...asked, limit }), ({ data }) => {
        for (const event of data) out.line(...eventLine(event))
        if (data.length === 0 && !out.isPlain) out.line({ text: 'No events.', colour: 'dim' })
      })
    },
  })

  addVerb<{ to?: string }>(events, io, {
    usage: 'resend <ID>',
    about: 'Send an event again to the webhook endpoints subscribed to its type, or to one endpoint.',
    arguments: { ID: 'the event (evt_…)' },
    options: (command) => command.option('--to <ID>', 'send only to this endpoint, subscribed or not'),
    examples: ['paytwin events resend evt_0123456789abcd'],
    run: async ({ client, out }, { to }, [id = '']) =>
      showSent(out, await client.resendEvent(id, { webhook_endpoint: to })),
  })

  addVerb(events, io, {
    usage: 'show <ID>',
    about: 'Show an event with its object.',
    arguments: { ID: 'the event (evt_…)' },
    examples: ['paytwin events show evt_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) => {
      out.show(await client.event(id), (event) => {
        out.line(...eventLine(event))
        out.json(event, 2)
      })
    },
  })
}

const wantedOptions = (command: Command): Command =>
  command
    .option('--merchant <ID>', 'only events of this merchant')
    .option('--type <GLOB...>', "only events of these types, such as 'invoice.*'")
