import type { Command } from 'commander'
import type { Authorization, AuthorizationDecision } from '../../client/types.ts'
import { addVerb, wholeNumber } from '../command.ts'
import type { Io } from '../io.ts'
import { instant } from '../show/format.ts'
import type { Column, Output, Span } from '../show/output.ts'

const merchantOption = (command: Command): Command =>
  command.option(
    '--merchant <ID>',
    'the merchant that decides; required with several merchants if the request came through a browser',
  )

/** `paytwin oauth`. */
export function oauthCommands(program: Command, io: Io): void {
  const oauth = program
    .command('oauth')
    .description('List OAuth authorization requests, and approve or deny them without a browser.')

  addVerb<{ limit?: number }>(oauth, io, {
    usage: 'list',
    about: 'List authorization requests with their status, newest first.',
    options: (command) =>
      command.option('-n, --limit <N>', 'maximum number of requests, up to 100', wholeNumber, 20),
    examples: ['paytwin oauth list', 'paytwin oauth list -n 100 --json'],
    run: async ({ client, out }, { limit }) =>
      out.show(await client.authorizations({ limit }), ({ data }) =>
        out.table(COLUMNS, data, 'No authorization requests.'),
      ),
  })

  addVerb<{ merchant?: string }>(oauth, io, {
    usage: 'approve <ID>',
    about:
      'Approve an authorization request. Prints the redirect URL with the code, which a browser would open.',
    arguments: { ID: 'the ID of the authorization request (oauthz_…)' },
    options: merchantOption,
    examples: ['paytwin oauth approve oauthz_0123456789abcd'],
    run: async ({ client, out }, { merchant }, [id = '']) =>
      out.show(await client.approveAuthorization(id, { merchant }), (decision) =>
        describe(out, id, decision),
      ),
  })

  addVerb<{ merchant?: string }>(oauth, io, {
    usage: 'deny <ID>',
    about: 'Deny an authorization request. Prints the redirect URL with the error.',
    arguments: { ID: 'the ID of the authorization request (oauthz_…)' },
    options: merchantOption,
    examples: ['paytwin oauth deny oauthz_0123456789abcd'],
    run: async ({ client, out }, { merchant }, [id = '']) =>
      out.show(await client.denyAuthorization(id, { merchant }), (decision) => describe(out, id, decision)),
  })
}

const COLOURS = { pending: 'yellow', approved: 'green', denied: 'red', expired: 'dim' } as const

/** Formats the status of a request. An approval that was revoked later has the status revoked. */
const statusOf = ({ status, revoked }: Authorization): Span =>
  revoked === null ? { text: status, colour: COLOURS[status] } : { text: 'revoked', colour: 'red' }

const COLUMNS: readonly Column<Authorization>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: statusOf },
  { title: 'CLIENT ID', cell: ({ client_id }) => client_id },
  { title: 'SCOPE', cell: ({ scope }) => scope, omit: 1 },
  { title: 'MERCHANT', cell: ({ merchant_id }) => merchant_id ?? '–', omit: 2 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 3 },
  { title: 'REDIRECT URI', cell: ({ redirect_uri }) => redirect_uri, minWidth: 12 },
]

const describe = (out: Output, id: string, { status, redirect_to }: AuthorizationDecision): void =>
  out.fields([
    ['id', id],
    ['status', { text: status, colour: COLOURS[status] }],
    ['redirect to', redirect_to],
  ])
