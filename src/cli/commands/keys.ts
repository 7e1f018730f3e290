import type { Command } from 'commander'
import type { Key } from '../../client/types.ts'
import { addVerb } from '../command.ts'
import { givenSecret } from '../given-secret.ts'
import type { Io } from '../io.ts'
import { resolveMerchant } from '../scope.ts'
import { instant } from '../show/format.ts'
import type { Column } from '../show/output.ts'

type NewKeyFlags = {
  readonly merchant?: string
  readonly name?: string
  readonly publishable?: boolean
  readonly secret?: string
  readonly secretFile?: string
}

/** `paytwin keys`. See docs/contract/authentication.md#key-lifecycle. */
export function keyCommands(program: Command, io: Io): void {
  const keys = program
    .command('keys')
    .description(
      "Create, list and revoke API keys. A lost key cannot be shown again, because only its hash is kept: create another with 'paytwin keys create'.",
    )

  addVerb<NewKeyFlags>(keys, io, {
    usage: 'create',
    about: 'Create an API key. It is shown in full only once.',
    options: (command) =>
      command
        .option('--merchant <ID>', 'the merchant of the key; required with several merchants')
        .option('--name <TEXT>', 'a name for the key')
        .option('--publishable', 'create a publishable key (pk_test_…), for browsers')
        .option(
          '--secret <KEY>',
          'the key itself, such as sk_test_123 or pk_test_123 (default: generate a key)',
        )
        .option('--secret-file <FILE>', 'a file with that key, which keeps it out of the process list'),
    examples: [
      'paytwin keys create',
      'paytwin keys create --publishable --name "web shop"',
      'paytwin keys create --secret sk_test_123',
    ],
    run: async ({ client, out }, { merchant, name, publishable, ...given }) => {
      const secret = givenSecret('--secret', { secret: given.secret, file: given.secretFile })
      const isPublishable = publishable ?? secret?.startsWith('pk_')
      const owner = await resolveMerchant(client, merchant)
      out.show(await client.createKey({ merchant: owner, name, publishable: isPublishable, secret }), (key) =>
        out.fields([
          ['id', key.id],
          ['key', { text: key.secret ?? '', colour: 'bold' }],
          ['merchant', key.merchant_id ?? '–'],
          ['name', key.name ?? '–'],
        ]),
      )
    },
  })

  addVerb(keys, io, {
    usage: 'list',
    about: 'List API keys, including revoked ones.',
    examples: ['paytwin keys list', 'paytwin keys list --json'],
    run: async ({ client, out }) =>
      out.show(await client.keys(), ({ data }) => out.table(COLUMNS, data, 'No keys.')),
  })

  addVerb(keys, io, {
    usage: 'revoke <ID>',
    about: 'Revoke an API key immediately. This cannot be undone.',
    arguments: { ID: 'the ID of the key (key_…)' },
    examples: ['paytwin keys revoke key_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) =>
      out.show(await client.revokeKey(id), (key) => out.line(`Revoked ${key.id} (${key.hint}).`)),
  })
}

const COLUMNS: readonly Column<Key>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'KEY', cell: ({ hint }) => hint },
  { title: 'NAME', cell: ({ name }) => name ?? '–', minWidth: 8 },
  { title: 'MERCHANT', cell: ({ merchant_id }) => merchant_id ?? '–', omit: 2 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
  { title: 'LAST USED', cell: ({ last_used }) => instant(last_used), omit: 3 },
  {
    title: 'REVOKED',
    cell: ({ revoked }) => (revoked === null ? '–' : { text: instant(revoked), colour: 'red' }),
  },
]
