import type { Command } from 'commander'
import { eventLine } from '../ui/event-line.ts'
import { addVerb, wholeNumber } from './command.ts'
import type { Io } from './io.ts'
import { tailCommand } from './tail.ts'
import { showSent } from './webhooks.ts'

type Wanted = { merchant?: string; type?: string[] }

/** `paytwin events`. */
export function eventCommands(program: Command, io: Io): void {
  const events = program.command('events').description('Look at what has happened, or watch it happen.')

  tailCommand(events, io, wantedOptions)

  addVerb<Wanted & { limit?: number; startingAfter?: string; endingBefore?: string }>(events, io, {
    usage: 'list',
    about: 'List events, newest first.',
    options: (command) =>
      wantedOptions(command)
        .option('-n, --limit <N>', 'how many, at most 100', wholeNumber, 10)
        .option('--starting-after <ID>', 'those that happened before this event')
        .option('--ending-before <ID>', 'those that happened after this event'),
    examples: ['paytwin events list', "paytwin events list --type 'invoice.*' -n 100 --json"],
    run: async ({ client, out }, { merchant, type, limit, startingAfter, endingBefore }) => {
      const asked = { merchant, types: type, starting_after: startingAfter, ending_before: endingBefore }
      out.show(await client.events({ ...asked, limit }), ({ data }) => {
        for (const event of data) out.line(...eventLine(event))
        if (data.length === 0 && !out.isPlain) out.line({ text: 'No event.', colour: 'dim' })
      })
    },
  })

  addVerb<{ to?: string }>(events, io, {
    usage: 'resend <ID>',
    about: 'Post an event again to the webhook endpoints that want it, or to one.',
    arguments: { ID: 'the event, as in evt_…' },
    options: (command) => command.option('--to <ID>', 'only to this endpoint, whether it wants it or not'),
    examples: ['paytwin events resend evt_0123456789abcd'],
    run: async ({ client, out }, { to }, [id = '']) =>
      showSent(out, await client.resendEvent(id, { webhook_endpoint: to })),
  })

  addVerb(events, io, {
    usage: 'show <ID>',
    about: 'Show an event with the object that it tells of.',
    arguments: { ID: 'the event, as in evt_…' },
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
    .option('--merchant <ID>', 'events of this merchant only')
    .option('--type <GLOB...>', "events of these types only, as in 'invoice.*'")
