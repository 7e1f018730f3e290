import { type Command, Option } from 'commander'
import type { StreamNews } from '../../client/event-stream.ts'
import { eventLine } from '../../ui/event-line.ts'
import { addVerb, type Invocation } from '../command.ts'
import { wrongUsage } from '../failure.ts'
import { untilInterrupted } from '../interruption.ts'
import type { Io } from '../io.ts'
import { Output, type Span } from '../show/output.ts'
import { forwardEvents, secretOf, targetOf } from './forward.ts'

type Options = {
  readonly event?: readonly string[]
  readonly events?: string
  readonly merchant?: string
  readonly since?: string
}
type ListenOptions = Options & {
  readonly forwardTo?: string
  readonly printSecret?: boolean
  readonly format?: string
}

const ABOUT =
  'Forward events to your application: post each new event to a URL, signed like a webhook, and print whether it was accepted, until ' +
  'Ctrl-C. No webhook endpoint is created, and a refused event is not sent again.'

const withOptions = (command: Command): Command =>
  command
    .option('--event <TYPE...>', "the event types to forward, such as 'invoice.*' (default all)")
    .option('--events <TYPES>', 'the same, separated by commas')
    .option('--merchant <ID>', 'only events of this merchant')
    .option('--since <ID>', 'start after this event (default: with the next event)')

/** `paytwin listen`, a command like `stripe listen`, with the same options. */
export function listenCommand(program: Command, io: Io): void {
  addVerb<ListenOptions>(program, io, {
    usage: 'listen',
    about: `${ABOUT} 'paytwin webhooks listen' receives webhooks itself instead.`,
    options: (command) =>
      withOptions(
        command
          .option('-f, --forward-to <URL>', 'the URL of your application; http:// can be omitted')
          .option('--print-secret', 'print only the signing secret, and exit')
          .addOption(new Option('--format <FORMAT>', 'JSON is the same as --json').choices(['JSON', 'json'])),
      ),
    examples: [
      'paytwin listen --forward-to localhost:3000/webhooks',
      "paytwin listen --forward-to localhost:3000/webhooks --event 'invoice.*' subscription.deleted",
      'paytwin listen --print-secret',
    ],
    run: (invocation, options) => {
      const { client, out, io: streams } = invocation
      if (options.printSecret) {
        const secret = secretOf(client.address.token)
        return Promise.resolve(out.show({ secret }, () => out.line(secret)))
      }
      if (options.forwardTo === undefined) throw wrongUsage('Give --forward-to URL, or --print-secret.')
      const isJson = out.isJson || options.format !== undefined
      return forward(
        { ...invocation, out: new Output(streams, { json: isJson }) },
        options.forwardTo,
        options,
      )
    },
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
  { event, events, merchant, since }: Options,
): Promise<void> {
  const listed = events?.split(',').map((name) => name.trim())
  const types = event || listed ? [...(event ?? []), ...(listed ?? [])] : undefined
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
      onForwarded: async (event, failure) => {
        if (out.isJson) out.json(event, 0)
        else out.line(outcomeOf(failure), '  ', ...eventLine(event))
        if (failure !== null) out.note(`${event.id} ${event.type} was not accepted: ${failure}.`)
        await out.room(signal)
      },
    }),
  )
}

const outcomeOf = (failure: string | null): Span =>
  failure === null ? { text: 'accepted', colour: 'green' } : { text: 'refused ', colour: 'red' }
