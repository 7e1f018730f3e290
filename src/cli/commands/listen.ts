import type { Command } from 'commander'
import type { StreamNews } from '../../client/event-stream.ts'
import { eventLine } from '../../ui/event-line.ts'
import { addVerb, type Invocation } from '../command.ts'
import type { Io } from '../io.ts'
import type { Span } from '../show/output.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { forwardEvents, targetOf } from './forward.ts'

type Options = { readonly event?: readonly string[]; readonly merchant?: string; readonly since?: string }

const ABOUT =
  'Forward events to your application: post each new event to a URL, signed like a webhook, and print whether it was accepted, until ' +
  'Ctrl-C. No webhook endpoint is created, and a refused event is not sent again.'

const withOptions = (command: Command): Command =>
  command
    .option('--event <TYPE...>', "the event types to forward, such as 'invoice.*' (default all)")
    .option('--merchant <ID>', 'only events of this merchant')
    .option('--since <ID>', 'start after this event (default: with the next event)')

/** `paytwin listen`: has the name and the option of `stripe listen`. */
export function listenCommand(program: Command, io: Io): void {
  addVerb<Options & { forwardTo: string }>(program, io, {
    usage: 'listen',
    about: `${ABOUT} 'paytwin webhooks listen' receives webhooks itself instead.`,
    options: (command) =>
      withOptions(
        command.requiredOption('--forward-to <URL>', 'the URL of your application; http:// can be omitted'),
      ),
    examples: [
      'paytwin listen --forward-to localhost:3000/webhooks',
      "paytwin listen --forward-to localhost:3000/webhooks --event 'invoice.*' subscription.deleted",
    ],
    run: (invocation, options) => forward(invocation, options.forwardTo, options),
  })
}

/** `paytwin webhooks forward`: the same as `paytwin listen --forward-to`. */
export function forwardCommand(webhooks: Command, io: Io): void {
  addVerb<Options>(webhooks, io, {
    usage: 'forward <URL>',
    about: `${ABOUT} The same as 'paytwin listen --forward-to URL'.`,
    arguments: { URL: 'the URL of your application; http:// can be omitted' },
    options: withOptions,
    examples: ['paytwin webhooks forward localhost:3000/webhooks'],
    run: (invocation, options, [url = '']) => forward(invocation, url, options),
  })
}

const NOTES: Readonly<Partial<Record<StreamNews, string>>> = {
  lost: 'The connection to the daemon was lost. Reconnecting…',
  reconnected: 'Reconnected.',
  reset: 'The sandbox was reset or restored. The following events belong to the new history.',
}

/** Forwards events until Ctrl-C, and prints each with the outcome. */
async function forward(
  { client, out }: Invocation,
  to: string,
  { event: types, merchant, since }: Options,
): Promise<void> {
  const target = targetOf(to, client.address.token)
  const wanted = { merchant, types }
  const beginning =
    since === undefined ? await client.positionAfterNewest(wanted) : { ...wanted, since, isConfirmed: false }
  out.note(`Forwarding to ${target.url}, signed with ${target.secret} (Ctrl-C to stop)`)
  await untilInterrupted((signal) =>
    forwardEvents(client, beginning, target, {
      signal,
      onStatus: (news) => {
        const note = NOTES[news]
        if (note !== undefined) out.note(note)
      },
      onForwarded: (event, failure) => {
        if (out.isJson) out.json(event, 0)
        else out.line(outcomeOf(failure), '  ', ...eventLine(event))
        if (failure !== null) out.note(`${event.id} ${event.type} was not accepted: ${failure}.`)
      },
    }),
  )
}

const outcomeOf = (failure: string | null): Span =>
  failure === null ? { text: 'accepted', colour: 'green' } : { text: 'refused ', colour: 'red' }
