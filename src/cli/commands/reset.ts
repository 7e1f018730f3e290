import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { addVerb } from '../command.ts'
import { Failure, wrongUsage } from '../failure.ts'
import type { Io } from '../io.ts'
import { instant } from '../show/format.ts'

/**
 * Adds `reset` to the program or to `snapshots`. On a terminal it asks first; otherwise it needs --yes.
 * See docs/contract/command-line.md#reset.
 */
export function resetCommand(parent: Command, io: Io): void {
  const call = parent.name() === 'snapshots' ? 'paytwin snapshots reset' : 'paytwin reset'
  addVerb<{ yes?: boolean }>(parent, io, {
    usage: 'reset',
    about:
      'Delete all data and restore the state of the first start. Asks first on a terminal. The keys of the default ' +
      'merchant and all snapshots are kept; other merchants are deleted.',
    options: (command) => command.option('-y, --yes', 'do not ask; required if stdin is not a terminal'),
    examples: [`${call} --yes`],
    run: async ({ client, out }, { yes = false }) => {
      if (!yes) await confirm(client, io)
      out.show(await client.reset(), ({ merchants: [merchant] }) => {
        out.line('Restored the state of the first start.')
        if (merchant) out.line(`The clock of ${merchant.id} is at ${instant(merchant.clock.now)}.`)
      })
    },
  })
}

/** Asks on stderr whether to reset. @throws Failure 2 without a terminal; Failure 1 unless the answer is yes */
async function confirm(client: Client, io: Io): Promise<void> {
  const stdin = io.terminal?.().stdin
  if (!stdin?.isTTY) {
    throw wrongUsage('A reset deletes all data. Confirm it with --yes, because stdin is not a terminal.')
  }
  // Also reports a missing daemon before the question.
  const { merchants, url, data } = await client.status()
  const others = merchants.length - 1
  io.stderr.write(
    `This deletes all data of the daemon at ${url} (data ${data ?? 'in memory'})${others > 0 ? ` and ${others} of its ${merchants.length} merchants` : ''}. Reset? [y/N] `,
  )
  if (!/^y(es)?$/i.test((await firstLine(stdin)).trim())) throw new Failure(1, 'Nothing was reset.')
}

/** Reads one line. The end of the input counts as an empty line. */
async function firstLine(stdin: NodeJS.ReadStream): Promise<string> {
  const lines = createInterface({ input: stdin })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}
