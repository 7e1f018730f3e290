import type { Command } from 'commander'
import type { Status } from '../../client/types.ts'
import { formatSpan, thousands } from '../../text/display.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'
import type { Column, Output } from '../show/output.ts'
import { clockColumns } from '../show/resource-tables.ts'

/** `paytwin status`. See docs/contract/operator.md#daemon. */
export function statusCommand(program: Command, io: Io): void {
  addVerb(program, io, {
    usage: 'status',
    about:
      "Show the daemon's URL, version, process ID and data folder, its merchants with their clocks, and object counts.",
    examples: ['paytwin status', 'paytwin status --json'],
    run: async ({ client, out }) => out.show(await client.status(), (status) => describe(out, status)),
  })
}

const MERCHANT_COLUMNS: readonly Column<Status['merchants'][number]>[] = [
  { title: 'MERCHANT', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name },
  ...clockColumns.map(({ title, cell }) => ({
    title,
    cell: ({ clock }: Status['merchants'][number]) => cell(clock),
  })),
]

function describe(out: Output, { url, pid, data, version, uptime, merchants, counts }: Status): void {
  out.fields([
    ['url', url],
    ['version', version],
    ['pid', String(pid)],
    ['data', data ?? 'in memory'],
    ['uptime', formatSpan(uptime)],
    ...Object.entries(counts).map(([name, count]) => [name, thousands(count)] as const),
  ])
  out.line()
  out.table(MERCHANT_COLUMNS, merchants, 'No merchants.')
  if (!out.isPlain)
    out.line({ text: "Lost a secret key? 'paytwin keys create' creates another.", colour: 'dim' })
}
