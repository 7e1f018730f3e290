import type { Command } from 'commander'
import type { LoggedRequest } from '../client/types.ts'
import { addVerb, type Invocation, wholeNumber } from './command.ts'
import type { Io } from './io.ts'
import { columnsFor, REQUEST_COLUMNS, requestLine } from './request-line.ts'
import { untilInterrupted } from './until-interrupted.ts'

/** `paytwin requests`. */
export function requestCommands(program: Command, io: Io): void {
  const requests = program
    .command('requests')
    .description('Look at the last requests to /v1, or watch them come. Secrets are redacted.')

  addVerb<{ merchant?: string; limit?: number }>(requests, io, {
    usage: 'list',
    about: 'List the last requests, newest first. The daemon remembers 1,000, until it ends.',
    options: (command) =>
      command
        .option('--merchant <ID>', 'requests of this merchant only')
        .option('-n, --limit <N>', 'how many, at most 100', wholeNumber, 20),
    examples: ['paytwin requests list', 'paytwin requests list -n 100 --json'],
    run: async ({ client, out }, { merchant, limit }) =>
      out.show(await client.requests({ merchant, limit }), ({ data }) =>
        out.table(out.isPlain ? REQUEST_COLUMNS : columnsFor(data), data, 'No request yet.'),
      ),
  })

  addVerb<{ merchant?: string }>(requests, io, {
    usage: 'tail',
    about: 'Print requests as they are answered (with --json one JSON object a line), until Ctrl-C.',
    options: (command) => command.option('--merchant <ID>', 'requests of this merchant only'),
    examples: ['paytwin requests tail', 'paytwin requests tail --json | jq -r .path'],
    run: (invocation, { merchant }) => tail(invocation, merchant),
  })
}

const tail = ({ client, out }: Invocation, merchant: string | undefined): Promise<void> =>
  untilInterrupted(async (signal) => {
    const requests = client.followRequests(
      { merchant },
      {
        signal,
        onNews: (news) => {
          if (news === 'lost') out.note(`The connection to ${client.address.url} was lost; trying again…`)
          if (news === 'reconnected') out.note('Connected again; what was asked meanwhile is not shown.')
        },
      },
    )
    const print = (request: LoggedRequest) =>
      out.isPlain ? out.table(REQUEST_COLUMNS, [request], '') : out.line(...requestLine(request))
    for await (const request of requests) {
      if (out.isJson) out.json(request, 0)
      else print(request)
    }
  })
