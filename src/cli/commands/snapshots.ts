import type { Command } from 'commander'
import type { Snapshot } from '../../client/types.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'
import { instant } from '../show/format.ts'
import type { Column } from '../show/output.ts'
import { resetCommand } from './reset.ts'

/** `paytwin snapshots`. */
export function snapshotCommands(program: Command, io: Io): void {
  const snapshots = program
    .command('snapshots')
    .description('Save and restore the state of the sandbox: all resources, events and clocks.')

  addVerb(snapshots, io, {
    usage: 'save <NAME>',
    about:
      'Save the state as a snapshot. Replaces a snapshot of the same name. Waits until running advances have ended.',
    arguments: {
      NAME: 'the name: a letter or digit, then up to 63 letters, digits, dots, underscores or hyphens',
    },
    examples: ['paytwin snapshots save before-renewal'],
    run: async ({ client, out }, _options, [name = '']) =>
      out.show(await client.saveSnapshot(name), (saved) =>
        out.line(`Saved ${saved.name} (${formatBytes(saved.size)}).`),
      ),
  })

  addVerb(snapshots, io, {
    usage: 'restore <NAME>',
    about:
      'Restore a snapshot. API keys are not changed: a revoked key stays revoked. Waits until running advances have ended.',
    arguments: { NAME: 'the snapshot' },
    examples: ['paytwin snapshots restore before-renewal'],
    run: async ({ client, out }, _options, [name = '']) =>
      out.show(await client.restoreSnapshot(name), (restored) =>
        out.line(`Restored ${restored.name}, saved at ${instant(restored.created)}.`),
      ),
  })

  addVerb(snapshots, io, {
    usage: 'list',
    about: 'List snapshots by name.',
    examples: ['paytwin snapshots list', 'paytwin snapshots list --json'],
    run: async ({ client, out }) =>
      out.show(await client.snapshots(), ({ data }) => out.table(COLUMNS, data, 'No snapshots.')),
  })

  addVerb(snapshots, io, {
    usage: 'delete <NAME>',
    about: 'Delete a snapshot.',
    arguments: { NAME: 'the snapshot' },
    examples: ['paytwin snapshots delete before-renewal'],
    run: async ({ client, out }, _options, [name = '']) =>
      out.show(await client.deleteSnapshot(name), ({ id }) => out.line(`Deleted ${id}.`)),
  })

  resetCommand(snapshots, io)
}

const COLUMNS: readonly Column<Snapshot>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'SAVED', cell: ({ created }) => instant(created) },
  { title: 'SIZE', cell: ({ size }) => formatBytes(size) },
]

/** Formats a size: `25 kB`, `3.1 MB`. */
const formatBytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
