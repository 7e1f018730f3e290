import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { StreamNews, StreamStart } from '../../client/event-stream.ts'
import type { Event } from '../../client/types.ts'
import { eventLine } from '../../ui/event-line.ts'
import { addVerb, type Invocation } from '../command.ts'
import { untilInterrupted } from '../interruption.ts'
import { type Io, type Terminal, variable } from '../io.ts'
import { forwardEvents, type Target, targetOf } from './forward.ts'

type TailOptions = { merchant?: string; type?: string[]; since?: string; forwardTo?: string; plain?: boolean }

/** `paytwin events tail`. See docs/contract/command-line.md#tailing-events. */
export function tailCommand(events: Command, io: Io, wantedOptions: (command: Command) => Command): void {
  addVerb<TailOptions>(events, io, {
    usage: 'tail',
    about:
      'Watch events as they happen, and control the clock, in a full-screen terminal UI (press ? for its keys). In a pipe, ' +
      'print one line per event until Ctrl-C; with --json, one JSON object per line.',
    options: (command) =>
      wantedOptions(command)
        .option(
          '--since <ID>',
          'start after this event (default: the terminal UI also shows recent events; lines start with the next event)',
        )
        .option(
          '--forward-to <URL>',
          'also post each event to this URL, signed like a webhook; http:// can be omitted',
        )
        .option('--plain', 'print lines on a terminal too'),
    examples: [
      'paytwin events tail',
      "paytwin events tail --type 'invoice.*' subscription.deleted",
      'paytwin events tail --forward-to http://localhost:3000/webhooks',
      'paytwin events tail --json | jq .data.object',
    ],
    run: tail,
  })
}

async function tail(invocation: Invocation, options: TailOptions): Promise<void> {
  const { client, out, io } = invocation
  const target = options.forwardTo === undefined ? null : targetOf(options.forwardTo, client.address.token)
  const terminal = options.plain || out.isJson ? undefined : drawable(io)
  await untilInterrupted(async (interrupted) => {
    if (target) out.note(`Forwarding to ${target.url}, signed with ${target.secret}`)
    if (terminal) await watch(invocation, options, target, terminal, interrupted)
    else await print(invocation, options, target, interrupted)
  })
}

/** The maximum number of past events that the UI shows at the start: one page of the list. */
const HISTORY = 100

/** Returns the terminal if the UI can use it: stdin and stdout are terminals, and TERM is not dumb. */
function drawable(io: Io): Terminal | undefined {
  if (!io.stdout.isTTY || variable(io, 'TERM') === 'dumb') return undefined
  const terminal = io.terminal?.()
  return terminal?.stdin.isTTY ? terminal : undefined
}

/** Prints each event as a line when it arrives. */
async function print(
  { client, out }: Invocation,
  { merchant, type, since }: TailOptions,
  target: Target | null,
  interrupted: AbortSignal,
): Promise<void> {
  const ended = new AbortController()
  const signal = AbortSignal.any([interrupted, ended.signal])
  const wanted = { merchant, types: type }
  const beginning =
    since === undefined ? await client.positionAfterNewest(wanted) : { ...wanted, since, isConfirmed: false }
  const onStatus = (news: StreamNews) => {
    const note = NEWS_NOTES[news]
    if (note) out.note(note(client.address.url))
  }
  const printing = async () => {
    for await (const event of client.followEvents(beginning, { signal, onStatus: onStatus })) {
      if (out.isJson) out.json(event, 0)
      else out.line(...eventLine(event))
      await out.room(signal)
    }
  }
  const onForwarded = ({ id, type: what }: Event, failure: string | null) => {
    if (failure !== null) out.note(`${id} ${what} was not accepted: ${failure}.`)
  }
  await together(ended, [
    printing(),
    ...(target ? [forwardEvents(client, beginning, target, { signal, onForwarded })] : []),
  ])
}

const NEWS_NOTES: Readonly<Record<StreamNews, ((url: string) => string) | null>> = {
  connected: null,
  lost: (url) => `The connection to ${url} was lost. Reconnecting…`,
  reconnected: () => 'Reconnected.',
  reset: () => 'The sandbox was reset or restored. The following events belong to the new history.',
}

/** Waits for all tasks. If one fails, the others are ended. */
async function together(ended: AbortController, tasks: readonly Promise<void>[]): Promise<void> {
  try {
    await Promise.all(tasks)
  } finally {
    ended.abort()
  }
}

/** Runs the terminal UI. Errors of the first requests are reported before the UI takes over the terminal. */
async function watch(
  { client, io }: Invocation,
  options: TailOptions,
  target: Target | null,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { beginning, history } = await opening(client, options)
  const { data: merchants } = await client.merchants()
  // Loaded only here, because loading React and Ink takes longer than any other command runs.
  const { watchEvents } = await import('../../ui/watch.tsx')
  await watchEvents({
    client,
    beginning,
    history,
    watched: {
      merchant: options.merchant ?? null,
      names: new Map(merchants.map(({ id, name }) => [id, name])),
    },
    forward: target && {
      url: target.url.href,
      secret: target.secret,
      run: (onForwarded, until) =>
        forwardEvents(client, beginning, target, {
          signal: until,
          onForwarded: (_, failure) => onForwarded(failure),
        }),
    },
    terminal,
    isColoured: variable(io, 'NO_COLOR') === undefined,
    signal,
  })
}

/** Reads recent events, oldest first, and the position where the stream continues. With --since, only the position. */
async function opening(
  client: Client,
  { merchant, type: types, since }: TailOptions,
): Promise<{ beginning: StreamStart; history: readonly Event[] }> {
  const wanted = { merchant, types }
  if (since !== undefined) return { beginning: { ...wanted, since, isConfirmed: false }, history: [] }
  // The position is read first. So events between the two requests are streamed, even if no event matched before.
  const beginning = await client.positionAfterNewest(wanted)
  const { data } = await client.events({ ...wanted, limit: HISTORY })
  return { beginning: { ...beginning, since: data[0]?.id ?? beginning.since }, history: data.toReversed() }
}
