import type { Command } from 'commander'
import type { LoggedRequest } from '../../client/types.ts'
import { addVerb, type Invocation, wholeNumber } from '../command.ts'
import { untilInterrupted } from '../interruption.ts'
import type { Io } from '../io.ts'
import { columnsFor, REQUEST_COLUMNS, requestLine } from '../show/request-line.ts'

/** `paytwin requests`. */
export function requestCommands(program: Command, io: Io): void {
  const requests = program
    .command('requests')
    .description('List or watch requests to /v1. Secrets are redacted.')

  addVerb<{ merchant?: string; limit?: number }>(requests, io, {
    usage: 'list',
    about: 'List recent requests, newest first. The daemon keeps the last 1,000 in memory.',
    options: (command) =>
      command
        .option('--merchant <ID>', 'only requests of this merchant')
        .option('-n, --limit <N>', 'maximum number of requests, up to 100', wholeNumber, 20),
    examples: ['paytwin requests list', 'paytwin requests list -n 100 --json'],
    run: async ({ client, out }, { merchant, limit }) =>
      out.show(await client.requests({ merchant, limit }), ({ data }) => {
        out.table(out.isPlain ? REQUEST_COLUMNS : columnsFor(data), data, 'No requests yet.')
        if (!out.isPlain && data.some(({ status }) => status === 401)) out.note(LOST_KEY)
      }),
  })

  addVerb<{ merchant?: string }>(requests, io, {
    usage: 'tail',
    about: 'Print requests as they complete, until Ctrl-C. With --json, one JSON object per line.',
    options: (command) => command.option('--merchant <ID>', 'only requests of this merchant'),
    examples: ['paytwin requests tail', 'paytwin requests tail --json | jq -r .path'],
    run: (invocation, { merchant }) => tail(invocation, merchant),
  })
}

/** Only hashes of keys are kept. So a lost key cannot be shown again. */
const LOST_KEY =
  "401: the key is missing, unknown or revoked. A lost key cannot be shown again: create one with 'paytwin keys create'."

const tail = ({ client, out }: Invocation, merchant: string | undefined): Promise<void> =>
  untilInterrupted(async (signal) => {
    const requests = client.followRequests(
      { merchant },
      {
        signal,
        onStatus: (news) => {
          if (news === 'lost') out.note(`The connection to ${client.address.url} was lost. Reconnecting…`)
          if (news === 'reconnected') out.note('Reconnected. Requests made in the meantime are not shown.')
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
