import type { Command } from 'commander'
import type { LoggedRequest, RequestDetails } from '../../client/types.ts'
import { curlOf } from '../../text/curl.ts'
import { indentedJson, toJson } from '../../text/display.ts'
import { addVerb, type Invocation, wholeNumber } from '../command.ts'
import { untilInterrupted } from '../interruption.ts'
import type { Io } from '../io.ts'
import type { Output } from '../show/output.ts'
import { columnsFor, REQUEST_COLUMNS, requestLine } from '../show/request-line.ts'

/** `paytwin requests`. */
export function requestCommands(program: Command, io: Io): void {
  const requests = program
    .command('requests')
    .description('List, show or watch requests to /v1. Secrets are redacted.')

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

  addVerb(requests, io, {
    usage: 'show <ID>',
    about: 'Show a request with its parameters, its response and a curl command that sends it again.',
    arguments: { ID: 'the ID of the request (req_…), as in the header Request-Id' },
    examples: ['paytwin requests show req_0123456789abcd', 'paytwin requests show req_0123456789abcd --json'],
    run: async ({ client, out }, _options, [id = '']) =>
      out.show(await client.request(id), (request) => {
        out.line(...requestLine(request))
        showContent(out, request)
        showText(out, 'Send it again', curlOf(client.address.url, request))
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

function showContent(out: Output, { content }: RequestDetails): void {
  if (content === null) {
    out.line()
    out.line({ text: 'The bodies are no longer kept.', colour: 'dim' })
    return
  }
  const { params, body_format, idempotency_key, response_body, is_cut } = content
  if (idempotency_key !== null) showText(out, 'Idempotency-Key', idempotency_key)
  if (params !== null) showText(out, `Parameters (${body_format})`, toJson(params, 2))
  if (response_body !== null) showText(out, 'Response', indentedJson(response_body))
  if (is_cut) showText(out, 'Note', 'Parameters or a response are cut after 16,384 characters.')
}

/** Prints a text of several lines below its title. */
function showText(out: Output, title: string, text: string): void {
  out.line()
  out.line({ text: title, colour: 'dim' })
  for (const line of text.split('\n')) out.line(line)
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
      await out.room(signal)
    }
  })
