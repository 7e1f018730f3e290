import { type Command, InvalidArgumentError } from 'commander'
import type { Fault } from '../client/types.ts'
import { counted } from '../text/display.ts'
import { addVerb, wholeNumber } from './command.ts'
import type { Io } from './io.ts'
import type { Column } from './output.ts'

type Given = { count?: number; rate?: number; route?: string; merchant?: string; ms?: number }

const KINDS = `
Kinds:
  decline                     the card processor declines attempts to charge, whatever the card
  processor_timeout           it does not answer: 500 to a request, which writes nothing; to the
                              clock a failed attempt (processing_error)
  key_resolution_unavailable  401 that asks to try again, as if keys could not be looked up
  internal_error              500 that writes nothing
  response_lost               the write happens, the connection drops
  rate_limit                  429
  latency                     the answer takes --ms longer
  webhook_failure             what is posted to an endpoint counts as not taken; --route is a glob
                              over its url`

/** `paytwin faults`. */
export function faultCommands(program: Command, io: Io): void {
  const faults = program.command('faults').description('Make things go wrong, now and then or always.')

  addVerb<Given>(faults, io, {
    usage: 'add <KIND>',
    about: 'Make something go wrong from now on, until it is cleared or the daemon ends.',
    arguments: { KIND: 'what goes wrong, one of those below' },
    options: (command) =>
      command
        .option('--count <N>', 'how many times; for ever unless given', wholeNumber)
        .option(
          '--rate <P>',
          'on which share of the occasions, 0 to 1; on which ones follows from the seed',
          share,
        )
        .option(
          '--route <GLOB>',
          "only requests of these routes, as in 'POST /v1/customers' or '/v1/prices*'",
        )
        .option('--merchant <ID>', 'only for this merchant')
        .option('--ms <N>', 'of a latency: how many milliseconds (default 1000)', wholeNumber)
        .addHelpText('after', KINDS),
    examples: [
      'paytwin faults add decline --count 2',
      'paytwin faults add processor_timeout --rate 0.1',
      "paytwin faults add latency --ms 300 --route 'GET /v1/*'",
      "paytwin faults add webhook_failure --count 1 --route 'http://localhost:3000/*'",
    ],
    run: async ({ client, out }, { count, rate, route, merchant, ms }, [kind = '']) =>
      out.show(await client.addFault({ kind, count, rate, route, merchant, ms }), (fault) =>
        out.line(`${fault.id}: ${sentence(fault)}.`),
      ),
  })

  addVerb(faults, io, {
    usage: 'list',
    about: 'List the faults that are set, in the order in which they strike.',
    examples: ['paytwin faults list'],
    run: async ({ client, out }) =>
      out.show(await client.faults(), ({ data }) => out.table(COLUMNS, data, 'No fault.')),
  })

  addVerb(faults, io, {
    usage: 'clear [ID]',
    about: 'Take a fault back, or all of them.',
    arguments: { ID: 'the fault, as in fault_1; all of them unless given' },
    examples: ['paytwin faults clear fault_1', 'paytwin faults clear'],
    run: async ({ client, out }, _options, [id]) => {
      if (id === undefined) out.show(await client.clearFaults(), () => out.line('No fault is set any more.'))
      else out.show(await client.clearFault(id), (cleared) => out.line(`${cleared.id} is cleared.`))
    },
  })
}

/** @throws InvalidArgumentError, which is wrong usage */
function share(text: string): number {
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(text))
    throw new InvalidArgumentError('It takes a number from 0 to 1, as in 0.1.')
  return Number(text)
}

/** What a fault strikes, where that is no request to the API. */
const WHAT: Readonly<Record<string, string>> = {
  decline: 'charge',
  processor_timeout: 'charge',
  webhook_failure: 'webhook',
}

/** `latency of 300 ms strikes the next 2 requests to GET /v1/* of mer_…`. */
function sentence({ kind, remaining, rate, route, merchant, ms }: Fault): string {
  const what = WHAT[kind] ?? 'request'
  const isRare = rate < 1
  return [
    kind,
    ms === null ? '' : ` of ${ms} ms`,
    ' strikes ',
    isRare ? `${Number((rate * 100).toFixed(4))}% of ${what}s` : occasions(what, remaining),
    route === null ? '' : ` to ${route}`,
    merchant === null ? '' : ` of ${merchant}`,
    isRare && remaining !== null ? `, ${counted(remaining, 'time')} at most` : '',
  ].join('')
}

function occasions(what: string, remaining: number | null): string {
  if (remaining === null) return `every ${what}`
  return remaining === 1 ? `the next ${what}` : `the next ${counted(remaining, what)}`
}

const COLUMNS: readonly Column<Fault>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'KIND', cell: ({ kind }) => ({ text: kind, colour: 'red' }) },
  { title: 'REMAINING', cell: ({ remaining }) => (remaining === null ? 'for ever' : String(remaining)) },
  { title: 'RATE', cell: ({ rate }) => String(rate) },
  { title: 'ROUTE', cell: ({ route }) => route ?? '–' },
  { title: 'MERCHANT', cell: ({ merchant }) => merchant ?? '–' },
  { title: 'MS', cell: ({ ms }) => (ms === null ? '–' : String(ms)) },
]
