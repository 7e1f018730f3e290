import { type Command, InvalidArgumentError } from 'commander'
import type { Fault } from '../../client/types.ts'
import { counted } from '../../text/display.ts'
import { addVerb, wholeNumber } from '../command.ts'
import type { Io } from '../io.ts'
import type { Column } from '../show/output.ts'

type Given = { count?: number; rate?: number; route?: string; merchant?: string; ms?: number }

const KINDS = `
Kinds:
  decline                     the card processor declines the charges of all cards
  processor_timeout           the card processor does not answer: a request gets 500 and writes
                              nothing; a charge during an advance fails (processing_error)
  key_resolution_unavailable  401 with advice to retry, as if keys could not be looked up
  internal_error              500; nothing is written
  response_lost               the write is committed, but the connection drops
  rate_limit                  429, as if a client had sent too many requests
  latency                     the response is delayed by --ms
  webhook_failure             webhook deliveries fail; --route is a glob over the endpoint's URL`

/** `paytwin faults`. */
export function faultCommands(program: Command, io: Io): void {
  const faults = program
    .command('faults')
    .description('Inject faults, such as declines, timeouts and lost responses.')

  addVerb<Given>(faults, io, {
    usage: 'add <KIND>',
    about: 'Add a fault. It stays until it is cleared or the daemon ends.',
    arguments: { KIND: 'the kind of the fault (see below)' },
    options: (command) =>
      command
        .option('--count <N>', 'how many times to apply the fault (default unlimited)', wholeNumber)
        .option(
          '--rate <P>',
          'the probability that the fault applies, 0 to 1; the same seed gives the same decisions',
          probability,
        )
        .option(
          '--route <GLOB>',
          "only for requests to these routes, such as 'POST /v1/customers' or '/v1/prices*'",
        )
        .option('--merchant <ID>', 'only for this merchant')
        .option('--ms <N>', 'the delay of a latency fault in milliseconds (default 1000)', wholeNumber)
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
    about: 'List active faults, in the order in which they apply.',
    examples: ['paytwin faults list'],
    run: async ({ client, out }) =>
      out.show(await client.faults(), ({ data }) => out.table(COLUMNS, data, 'No faults.')),
  })

  addVerb(faults, io, {
    usage: 'clear [ID]',
    about: 'Remove a fault, or all faults.',
    arguments: { ID: 'the ID of the fault (fault_1); all faults if omitted' },
    examples: ['paytwin faults clear fault_1', 'paytwin faults clear'],
    run: async ({ client, out }, _options, [id]) => {
      if (id === undefined) out.show(await client.clearFaults(), () => out.line('Cleared all faults.'))
      else out.show(await client.clearFault(id), (cleared) => out.line(`Cleared ${cleared.id}.`))
    },
  })
}

/** Parses a probability. @throws InvalidArgumentError, which is reported as wrong usage */
function probability(text: string): number {
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(text))
    throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.1.')
  return Number(text)
}

/** The subjects of faults that do not affect requests to the API. */
const TARGETS: Readonly<Record<string, string>> = {
  decline: 'charge',
  processor_timeout: 'charge',
  webhook_failure: 'webhook',
}

/** Describes a fault: `latency of 300 ms affects the next 2 requests to GET /v1/* of mer_…`. */
function sentence({ kind, remaining, rate, route, merchant, ms }: Fault): string {
  const target = TARGETS[kind] ?? 'request'
  const isRare = rate < 1
  return [
    kind,
    ms === null ? '' : ` of ${ms} ms`,
    ' affects ',
    isRare ? `${Number((rate * 100).toFixed(4))}% of ${target}s` : occasions(target, remaining),
    route === null ? '' : ` to ${route}`,
    merchant === null ? '' : ` of ${merchant}`,
    isRare && remaining !== null ? `, at most ${counted(remaining, 'time')}` : '',
  ].join('')
}

function occasions(target: string, remaining: number | null): string {
  if (remaining === null) return `every ${target}`
  return remaining === 1 ? `the next ${target}` : `the next ${counted(remaining, target)}`
}

const COLUMNS: readonly Column<Fault>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'KIND', cell: ({ kind }) => ({ text: kind, colour: 'red' }) },
  { title: 'REMAINING', cell: ({ remaining }) => (remaining === null ? 'unlimited' : String(remaining)) },
  { title: 'RATE', cell: ({ rate }) => String(rate) },
  { title: 'ROUTE', cell: ({ route }) => route ?? '–', minWidth: 12 },
  { title: 'MERCHANT', cell: ({ merchant }) => merchant ?? '–', omit: 1 },
  { title: 'MS', cell: ({ ms }) => (ms === null ? '–' : String(ms)) },
]
