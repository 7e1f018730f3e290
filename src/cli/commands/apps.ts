import type { Command } from 'commander'
import type { OAuthApp } from '../../client/types.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'
import { instant } from '../show/format.ts'
import type { Column, Output } from '../show/output.ts'

/** `paytwin apps`. */
export function appCommands(program: Command, io: Io): void {
  const apps = program.command('apps').description('Manage OAuth apps.')

  addVerb<{ name: string; redirectUri: string[] }>(apps, io, {
    usage: 'create',
    about: 'Create an app. Its client secret is shown only once.',
    options: (command) =>
      command
        .requiredOption('--name <TEXT>', 'the name shown to merchants on the consent page')
        .requiredOption(
          '--redirect-uri <URI...>',
          'a URI to redirect to after consent: https, http on loopback, or a private scheme such as com.example.app',
        ),
    examples: [
      'paytwin apps create --name Ledgerly --redirect-uri http://127.0.0.1:8080/callback',
      'paytwin apps create --name Ledgerly --redirect-uri https://ledgerly.example/callback com.ledgerly.app:/done',
    ],
    run: async ({ client, out }, { name, redirectUri }) =>
      out.show(await client.createApp({ name, redirect_uris: redirectUri }), (app) => describe(out, app)),
  })

  addVerb(apps, io, {
    usage: 'list',
    about: 'List apps.',
    examples: ['paytwin apps list', 'paytwin apps list --json'],
    run: async ({ client, out }) =>
      out.show(await client.apps(), ({ data }) => out.table(COLUMNS, data, 'No apps.')),
  })

  addVerb(apps, io, {
    usage: 'rotate-secret <ID>',
    about: "Replace an app's client secret. The old secret stops working at once; grants are kept.",
    arguments: { ID: 'the ID of the app (app_…)' },
    examples: ['paytwin apps rotate-secret app_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) =>
      out.show(await client.rotateAppSecret(id), (app) => describe(out, app)),
  })

  addVerb(apps, io, {
    usage: 'delete <ID>',
    about: 'Delete an app and revoke all its grants.',
    arguments: { ID: 'the ID of the app (app_…)' },
    examples: ['paytwin apps delete app_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) =>
      out.show(await client.deleteApp(id), () => out.line(`Deleted ${id}.`)),
  })
}

const COLUMNS: readonly Column<OAuthApp>[] = [
  { title: 'CLIENT ID', cell: ({ client_id }) => client_id },
  { title: 'NAME', cell: ({ name }) => name, minWidth: 8 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
  { title: 'REDIRECT URIS', cell: ({ redirect_uris }) => redirect_uris.join(' '), minWidth: 16 },
]

const describe = (out: Output, app: OAuthApp): void =>
  out.fields([
    ['client id', app.client_id],
    ['client secret', { text: app.client_secret ?? '', colour: 'bold' }],
    ['name', app.name],
    ['redirect uris', app.redirect_uris.join(' ')],
  ])
