import type { Command } from 'commander'
import type { Authorization, AuthorizationDecision } from '../client/types.ts'
import { addVerb, wholeNumber } from './command.ts'
import { instant } from './format.ts'
import type { Io } from './io.ts'
import type { Column, Output, Span } from './output.ts'

const whose = (command: Command): Command =>
  command.option(
    '--merchant <ID>',
    'on whose behalf; needed when there are several merchants and the app asked through a browser',
  )

/** `paytwin oauth`. */
export function oauthCommands(program: Command, io: Io): void {
  const oauth = program
    .command('oauth')
    .description('What apps ask merchants for, and decisions without a browser.')

  addVerb<{ limit?: number }>(oauth, io, {
    usage: 'list',
    about: 'List what apps asked for and what was decided, newest first.',
    options: (command) => command.option('-n, --limit <N>', 'how many, at most 100', wholeNumber, 20),
    examples: ['paytwin oauth list', 'paytwin oauth list -n 100 --json'],
    run: async ({ client, out }, { limit }) =>
      out.show(await client.authorizations({ limit }), ({ data }) =>
        out.table(COLUMNS, data, 'No app has asked for anything.'),
      ),
  })

  addVerb<{ merchant?: string }>(oauth, io, {
    usage: 'approve <ID>',
    about: 'Let an app in. It prints where the code is to be sent: to open it is what a browser would do.',
    arguments: { ID: 'what was asked for, as in oauthz_…' },
    options: whose,
    examples: ['paytwin oauth approve oauthz_0123456789abcd'],
    run: async ({ client, out }, { merchant }, [id = '']) =>
      out.show(await client.approveAuthorization(id, { merchant }), (decision) => tell(out, id, decision)),
  })

  addVerb<{ merchant?: string }>(oauth, io, {
    usage: 'deny <ID>',
    about: 'Do not let an app in.',
    arguments: { ID: 'what was asked for, as in oauthz_…' },
    options: whose,
    examples: ['paytwin oauth deny oauthz_0123456789abcd'],
    run: async ({ client, out }, { merchant }, [id = '']) =>
      out.show(await client.denyAuthorization(id, { merchant }), (decision) => tell(out, id, decision)),
  })
}

const COLOURS = { pending: 'yellow', approved: 'green', denied: 'red', expired: 'dim' } as const

/** What has come of it: an approval that was revoked opens nothing any more. */
const statusOf = ({ status, revoked }: Authorization): Span =>
  revoked === null ? { text: status, colour: COLOURS[status] } : { text: 'revoked', colour: 'red' }

const COLUMNS: readonly Column<Authorization>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: statusOf },
  { title: 'CLIENT ID', cell: ({ client_id }) => client_id },
  { title: 'SCOPE', cell: ({ scope }) => scope },
  { title: 'MERCHANT', cell: ({ merchant_id }) => merchant_id ?? '–' },
  { title: 'CREATED', cell: ({ created }) => instant(created) },
  { title: 'REDIRECT URI', cell: ({ redirect_uri }) => redirect_uri },
]

const tell = (out: Output, id: string, { status, redirect_to }: AuthorizationDecision): void =>
  out.fields([
    ['id', id],
    ['status', { text: status, colour: COLOURS[status] }],
    ['redirect to', redirect_to],
  ])
