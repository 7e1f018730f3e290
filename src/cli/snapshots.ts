import type { Command } from 'commander'
import type { Snapshot } from '../client/types.ts'
import { addVerb } from './command.ts'
import { instant } from './format.ts'
import type { Io } from './io.ts'
import type { Column } from './output.ts'

/** `paytwin snapshots`. */
export function snapshotCommands(program: Command, io: Io): void {
  const snapshots = program
    .command('snapshots')
    .description('Save the state of the whole sandbox, and bring it back: resources, events and clocks.')

  addVerb(snapshots, io, {
    usage: 'save <NAME>',
    about: 'Save the state under a name, in place of the snapshot that has it. A running advance ends first.',
    arguments: {
      NAME: 'a letter or digit, then up to 63 more letters, digits, dots, underscores or hyphens',
    },
    examples: ['paytwin snapshots save before-renewal'],
    run: async ({ client, out }, _options, [name = '']) =>
      out.show(await client.saveSnapshot(name), (saved) =>
        out.line(`${saved.name} is saved (${formatBytes(saved.size)}).`),
      ),
  })

  addVerb(snapshots, io, {
    usage: 'restore <NAME>',
    about:
      'Bring back a saved state. Keys stay as they are: a revoked one stays revoked. A running advance ends first.',
    arguments: { NAME: 'the snapshot' },
    examples: ['paytwin snapshots restore before-renewal'],
    run: async ({ client, out }, _options, [name = '']) =>
      out.show(await client.restoreSnapshot(name), (restored) =>
        out.line(`${restored.name} is restored, as it was saved at ${instant(restored.created)}.`),
      ),
  })

  addVerb(snapshots, io, {
    usage: 'list',
    about: 'List the snapshots, by name.',
    examples: ['paytwin snapshots list', 'paytwin snapshots list --json'],
    run: async ({ client, out }) =>
      out.show(await client.snapshots(), ({ data }) => out.table(COLUMNS, data, 'No snapshot.')),
  })

  addVerb(snapshots, io, {
    usage: 'delete <NAME>',
    about: 'Delete a snapshot.',
    arguments: { NAME: 'the snapshot' },
    examples: ['paytwin snapshots delete before-renewal'],
    run: async ({ client, out }, _options, [name = '']) =>
      out.show(await client.deleteSnapshot(name), ({ id }) => out.line(`${id} is deleted.`)),
  })

  addVerb(snapshots, io, {
    usage: 'reset',
    about:
      "Bring back the state of the first start. The default merchant's keys and the snapshots stay; other merchants go.",
    examples: ['paytwin snapshots reset'],
    run: async ({ client, out }) =>
      out.show(await client.reset(), ({ merchants: [merchant] }) => {
        out.line('The state is that of the first start.')
        if (merchant) out.line(`The clock of ${merchant.id} stands at ${instant(merchant.clock.now)}.`)
      }),
  })
}

const COLUMNS: readonly Column<Snapshot>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'SAVED', cell: ({ created }) => instant(created) },
  { title: 'SIZE', cell: ({ size }) => formatBytes(size) },
]

/** A size for people: `25 kB`, `3.1 MB`. */
const formatBytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
